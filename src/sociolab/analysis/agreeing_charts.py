"""Charts of a judge beside people: differences (SOTOPIA, Figure 2), ranges (F.1 to F.3)."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.report.charts import STEP, WIDTH, Bars, bar_chart, labels
from sociolab.report.section import Chart
from sociolab.report.words import minus
from sociolab.stats.agreement import Spread


def difference_bars(title: str, rows: Sequence[tuple[str, Spread]]) -> Chart:
    """A row of bars for each dimension: how many plays lie at each whole number of points from the
    people's mean; a line marks 0."""
    places = [place for _, spread in rows for place, _ in spread.counts]
    ends = min([-1, *places]) - 0.5, max([1, *places]) + 0.5
    bars = [
        Bars(
            name,
            [(place - 0.5, place + 0.5, count) for place, count in spread.counts],
            None,
            f"n {spread.bias.n:,}",
        )
        for name, spread in rows
    ]
    told = "; ".join(_differences(name, spread) for name, spread in rows)
    return bar_chart(title, told, bars, ends, zero=True)


def range_bars(title: str, rows: Sequence[tuple[str, Spread]]) -> Chart:
    """A row for each dimension: the shares of the judge's scores below (left, pale), inside
    (filled) and above (right, pale) the range of the people's ratings of the same play."""
    parts = []
    for name, spread in rows:
        n, inside = max(spread.inside.n, 1), spread.inside.n - spread.below - spread.above
        at = 0.0
        for part, count in (("below", spread.below), ("inside", inside), ("above", spread.above)):
            parts.append(
                {"who": name, "part": part, "from": at, "to": at + 100 * count / n}
                | ({"beside": f"n {spread.inside.n:,}"} if part == "above" else {})
            )
            at += 100 * count / n
    spec = {
        "data": {"values": parts},
        "width": WIDTH,
        "height": {"step": STEP},
        "encoding": {"y": labels("who", [name for name, _ in rows])},
        "layer": [
            {
                "mark": {"type": "bar", "height": 14},
                "encoding": {
                    "x": {
                        "field": "from",
                        "type": "quantitative",
                        "title": None,
                        "scale": {"domain": [0, 100]},
                        "axis": {"values": [0, 50, 100]},
                    },
                    "x2": {"field": "to"},
                    "opacity": {
                        "condition": {"test": "datum.part === 'inside'", "value": 1},
                        "value": 0.3,
                    },
                },
            },
            {
                "transform": [{"filter": "isValid(datum.beside)"}],
                "mark": {"type": "text", "align": "left"},
                "encoding": {"text": {"field": "beside"}, "x": {"value": WIDTH + 6}},
            },
        ],
    }
    return Chart(title, "; ".join(_ranges(name, spread) for name, spread in rows), spec)


def _differences(name: str, spread: Spread) -> str:
    found = ", ".join(f"{place:+d}: {count}" for place, count in spread.counts if count)
    return minus(f"{name}: {found or 'nothing compared'}")


def _ranges(name: str, spread: Spread) -> str:
    inside = spread.inside.n - spread.below - spread.above
    return f"{name}: {spread.below} below, {inside} inside, {spread.above} above"
