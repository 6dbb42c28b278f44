"""How the values of single plays spread: a small histogram for each agent, as inline SVG."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import median

from markupsafe import Markup

from sociolab.report.charts import FOOT, LEFT, TOP, WIDTH, chart, label, tick
from sociolab.report.result import ScoreDistribution
from sociolab.report.schema import MeasureEntry
from sociolab.report.words import minus

_ROW, _BAR, _RIGHT = 44, 32, 66
_BINS = 10
_MOST_WHOLE = 21
"""Whole numbers that get a bin each; a wider scale is divided."""


def histograms(
    key: str, title: str, spreads: Sequence[ScoreDistribution], measure: MeasureEntry
) -> Markup:
    """A row of bars for each agent over one axis; bars are the shares of the agent's own plays.

    Whole numbers have a bin each where there are few, other scales ten; a scale without an upper
    end reaches to the highest value. `key` makes ids unique in the page.
    """
    low, high = measure.low, _high(spreads, measure)
    edges = bin_edges(low, high, whole=measure.whole)
    height = TOP + _ROW * len(spreads) + FOOT
    rows = [_row(spread, edges, TOP + _ROW * i) for i, spread in enumerate(spreads)]
    ticks = [tick(_x(edges, end), end, height) for end in (low, high)]
    return chart("spread", key, title, "; ".join(told(s) for s in spreads), height, [*rows, *ticks])


def _high(spreads: Sequence[ScoreDistribution], measure: MeasureEntry) -> float:
    if measure.high is not None and measure.high > measure.low:
        return measure.high
    highest = max((value for spread in spreads for value in spread.values), default=measure.low)
    return highest if highest > measure.low else measure.low + 1


def bin_edges(low: float, high: float, *, whole: bool) -> tuple[float, ...]:
    """The ends of the bins, lowest first. Whole numbers lie in the middle of their own bins."""
    if whole and high - low < _MOST_WHOLE:
        return tuple(low - 0.5 + i for i in range(int(high - low) + 2))
    return tuple(low + (high - low) * i / _BINS for i in range(_BINS + 1))


def counts(values: Sequence[float], edges: Sequence[float]) -> tuple[int, ...]:
    """How many values lie in each bin; a bin holds its lower end, the last also its upper.

    A value outside, as none should be, counts in the bin at that end.
    """
    found = [0] * (len(edges) - 1)
    width = (edges[-1] - edges[0]) / len(found)
    for value, plays in Counter(values).items():
        # A tenth of a scale such as 0.3 may come out just below its own edge.
        place = math.floor((value - edges[0]) / width + 1e-9)
        found[min(max(place, 0), len(found) - 1)] += plays
    return tuple(found)


def told(spread: ScoreDistribution) -> str:
    """A spread in words: how many plays, from where to where, the middle one."""
    missing = f", {spread.missing:,} missing" if spread.missing else ""
    values = spread.values
    if not values:
        return f"{spread.agent}: no values{missing}"
    if min(values) == max(values):
        return minus(f"{spread.agent}: {len(values):,} plays, all {values[0]:.3g}{missing}")
    return minus(
        f"{spread.agent}: {len(values):,} plays, {min(values):.3g} to {max(values):.3g}, "
        f"median {median(values):.3g}{missing}"
    )


def _x(edges: Sequence[float], value: float) -> float:
    share = (value - edges[0]) / (edges[-1] - edges[0])
    return round(LEFT + share * (WIDTH - LEFT - _RIGHT), 1)


def _row(spread: ScoreDistribution, edges: Sequence[float], top: int) -> Markup:
    base = top + _BAR + 6
    found = counts(spread.values, edges)
    tallest = max(found) or 1
    bars = [
        Markup('<rect class="bar" x="{x}" y="{y}" width="{w}" height="{h}"/>').format(
            x=round(_x(edges, edges[i]) + 0.75, 1),
            y=round(base - _BAR * count / tallest, 1),
            w=round(_x(edges, edges[i + 1]) - _x(edges, edges[i]) - 1.5, 1),
            h=round(_BAR * count / tallest, 1),
        )
        for i, count in enumerate(found)
        if count
    ]
    middle = median(spread.values) if spread.points else None
    mark = (
        Markup('<path class="median" d="M{x} {y}l4 6h-8z"/>').format(
            x=_x(edges, middle), y=base + 1
        )
        if middle is not None
        else Markup("")
    )
    return Markup("").join(
        [
            label(spread.agent, base - _BAR // 2),
            Markup('<line class="grid" x1="{a}" y1="{y}" x2="{b}" y2="{y}"/>').format(
                a=LEFT, b=WIDTH - _RIGHT, y=base
            ),
            *bars,
            mark,
            Markup('<text class="tick" x="{x}" y="{y}" text-anchor="end">{n}</text>').format(
                x=WIDTH, y=base - _BAR // 2 + 4, n=f"n {len(spread.points):,}"
            ),
            _failed(spread, base),
        ]
    )


def _failed(spread: ScoreDistribution, base: int) -> Markup:
    if not spread.missing:
        return Markup("")
    return Markup('<text class="bad" x="{x}" y="{y}" text-anchor="end">{n} failed</text>').format(
        x=WIDTH, y=base - _BAR // 2 + 17, n=f"{spread.missing:,}"
    )
