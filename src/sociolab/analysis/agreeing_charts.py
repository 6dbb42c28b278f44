"""Charts of a judge beside people: differences (SOTOPIA, Figure 2), ranges (F.1 to F.3)."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from sociolab.report.charts import FOOT, LEFT, TOP, WIDTH, chart, label, tick
from sociolab.report.words import minus
from sociolab.stats.agreement import Spread

_ROW, _BAR, _RIGHT = 44, 32, 46
_THIN, _HIGH = 26, 14


def difference_bars(key: str, title: str, rows: Sequence[tuple[str, Spread]]) -> Markup:
    """A row of bars for each dimension: how many plays lie at each whole number of points from the
    people's mean; a line marks 0. `key` makes ids unique in the page."""
    places = [place for _, spread in rows for place, _ in spread.counts]
    low, high = min([-1, *places]) - 0.5, max([1, *places]) + 0.5
    height = TOP + _ROW * len(rows) + FOOT

    def x(value: float) -> float:
        return round(LEFT + (value - low) / (high - low) * (WIDTH - LEFT - _RIGHT), 1)

    parts = [
        Markup('<line class="grid" x1="{x}" y1="{top}" x2="{x}" y2="{end}"/>').format(
            x=x(0), top=TOP, end=height - FOOT
        ),
        *(tick(x(value), value, height) for value in (low + 0.5, 0.0, high - 0.5)),
    ]
    for i, (name, spread) in enumerate(rows):
        base = TOP + _ROW * i + _BAR + 6
        tallest = max((count for _, count in spread.counts), default=1)
        parts += [label(name, base - _BAR // 2), _n(base - _BAR // 2, spread.bias.n)]
        parts += [
            _bar(
                x(place - 0.5) + 0.75,
                base - _BAR * count / tallest,
                x(place + 0.5) - x(place - 0.5) - 1.5,
                _BAR * count / tallest,
            )
            for place, count in spread.counts
            if count
        ]
    told = "; ".join(_differences(name, spread) for name, spread in rows)
    return chart("differences", key, title, told, height, parts)


def range_bars(key: str, title: str, rows: Sequence[tuple[str, Spread]]) -> Markup:
    """A row for each dimension: the shares of the judge's scores below (left, outlined), inside
    (filled) and above (right, outlined) the range of the people's ratings of the same play."""
    height = TOP + _THIN * len(rows) + FOOT
    wide = WIDTH - LEFT - _RIGHT
    parts = [tick(round(LEFT + wide * share, 1), 100 * share, height) for share in (0, 0.5, 1)]
    for i, (name, spread) in enumerate(rows):
        y = TOP + _THIN * i + 6
        n = max(spread.inside.n, 1)
        inside = spread.inside.n - spread.below - spread.above
        start = float(LEFT)
        for count, outlined in ((spread.below, True), (inside, False), (spread.above, True)):
            if count:
                parts.append(_bar(start, y, wide * count / n, _HIGH, outlined=outlined))
            start += wide * count / n
        parts += [label(name, y + _HIGH // 2), _n(y + _HIGH // 2, spread.inside.n)]
    told = "; ".join(_ranges(name, spread) for name, spread in rows)
    return chart("ranges", key, title, told, height, parts)


def _bar(x: float, y: float, width: float, height: float, *, outlined: bool = False) -> Markup:
    style = ' fill-opacity="0.15" stroke="currentColor" stroke-width="0.7"' if outlined else ""
    return Markup('<rect class="bar" x="{x}" y="{y}" width="{w}" height="{h}"{style}/>').format(
        x=round(x, 1), y=round(y, 1), w=round(width, 1), h=round(height, 1), style=Markup(style)
    )


def _n(y: int, n: int) -> Markup:
    return Markup('<text class="tick" x="{x}" y="{y}" text-anchor="end">n {n}</text>').format(
        x=WIDTH, y=y + 4, n=f"{n:,}"
    )


def _differences(name: str, spread: Spread) -> str:
    found = ", ".join(f"{place:+d}: {count}" for place, count in spread.counts if count)
    return minus(f"{name}: {found or 'nothing compared'}")


def _ranges(name: str, spread: Spread) -> str:
    inside = spread.inside.n - spread.below - spread.above
    return f"{name}: {spread.below} below, {inside} inside, {spread.above} above"
