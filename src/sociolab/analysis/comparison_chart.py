"""The differences of a comparison as a chart: dots with intervals around 0."""

from __future__ import annotations

import math

from sociolab.analysis.comparing import Compared
from sociolab.analysis.figures import title_of
from sociolab.report.charts import Dot, dot_plot
from sociolab.report.section import Figure


def difference_figures(found: Compared) -> tuple[Figure, ...]:
    """A chart for each width of scale, so that lengths in one chart mean the same."""
    widths = dict.fromkeys(
        measure.high - measure.low
        for name, measure in found.measures.items()
        if found.found[name].pairs
    )
    return tuple(_figure(found, i, width) for i, width in enumerate(widths))


def _figure(found: Compared, number: int, width: float) -> Figure:
    dots = [
        Dot(title_of(measure), one.difference.value, one.difference.low, one.difference.high)
        for name, measure in found.measures.items()
        if (one := found.found[name]).pairs and measure.high - measure.low == width
    ]
    reach = _reach(dots)
    caption = (
        f"A \N{MINUS SIGN} B with 95 % interval. A: {found.a.name}, B: {found.b.name}; judge: "
        f"{found.judge} ({found.judge_id.method}). To the right of 0 A is higher."
    )
    svg = dot_plot(f"difference-{number}", "Differences by measure", dots, -reach, reach)
    return Figure(caption, svg)


def _reach(dots: list[Dot]) -> float:
    """The next of 1, 2, 5, 10, ... (and their tenths) that no interval reaches past."""
    ends = (end for dot in dots for end in (dot.value, dot.low, dot.high) if end is not None)
    most = max(map(abs, ends), default=0.0) or 1.0
    power = 10.0 ** math.floor(math.log10(most))
    return next(power * step for step in (1, 2, 5, 10) if power * step >= most)
