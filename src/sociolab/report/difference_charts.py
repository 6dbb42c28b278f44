"""Charts of differences with their intervals around 0, for pages and for papers."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, TypeVar

from sociolab.core.metrics import Declared
from sociolab.report.catalogue import Catalogue
from sociolab.report.charts import Dot, dot_chart
from sociolab.report.figures import Panel, Point, interval_figure
from sociolab.report.finding import Finding
from sociolab.report.formatting import figure, headed, span
from sociolab.report.section import Figure, Spec

if TYPE_CHECKING:
    from sociolab.core.score import Measure
    from sociolab.report.finding import Interval

SAY = Catalogue("compare")
_STEPS = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)

_K = TypeVar("_K", bound=Hashable)


def difference_figures(
    findings: Iterable[Finding], declared: Declared, a: str, b: str, judge: str
) -> tuple[Figure, ...]:
    """A chart for each width of scale, so that equal lengths in a chart mean equal differences."""
    rows = list(findings)
    marked = any(row.metric and declared.metric(row.metric.name).mark for row in rows)
    lower = SAY("lower_is_better") if marked else ""
    caption = SAY("caption", a=a, b=b, judge=judge, lower=lower)
    figures = []
    for some in _grouped(rows, lambda metric: metric.high - metric.low).values():
        dots = [
            Dot(headed(metric, declared), gap.value, gap.low, gap.high) for metric, gap, _ in some
        ]
        reach = _reach(gap for _, gap, _ in some)
        figures.append(Figure(caption, dot_chart(SAY("chart"), dots, -reach, reach)))
    return tuple(figures)


def forest(findings: Iterable[Finding], declared: Declared, a: str, b: str) -> Spec:
    """A forest plot of the differences for a paper, with a panel for each width of scale; dots are
    filled where p is below .05 after Holm's correction."""
    filled, hollow = SAY("significant"), SAY("not_significant")

    def scale(metric: Measure) -> tuple[float, str]:
        return metric.high - metric.low, declared.metric(metric.name).unit or "points"

    panels = []
    for (_, unit), some in _grouped(findings, scale).items():
        points = tuple(
            Point(
                headed(metric, declared),
                filled if is_significant else hollow,
                gap.value or 0.0,
                gap.low,
                gap.high,
                f"{figure(gap.value, metric)} {span(gap, metric)}".rstrip(),
            )
            for metric, gap, is_significant in some
        )
        reach = _reach(gap for _, gap, _ in some)
        panels.append(Panel(SAY("axis", a=a, b=b, unit=unit), -reach, reach, points))
    return interval_figure(panels, (filled, hollow), filled=True)


def _grouped(
    findings: Iterable[Finding], scale: Callable[[Measure], _K]
) -> dict[_K, list[tuple[Measure, Interval, bool]]]:
    """By scale: each metric that has a difference, the difference, and whether it is significant
    after Holm's correction."""
    groups: dict[_K, list[tuple[Measure, Interval, bool]]] = {}
    for row in findings:
        if row.metric is not None and row.estimate is not None and row.estimate.value is not None:
            item = row.metric, row.estimate, row.is_significant
            groups.setdefault(scale(row.metric), []).append(item)
    return groups


def _reach(gaps: Iterable[Interval]) -> float:
    """The end of an axis that holds all intervals: the next of 1, 1.5, 2, 2.5, 3, 4, 5, ... times a
    power of ten."""
    ends = (end for gap in gaps for end in (gap.value, gap.low, gap.high) if end is not None)
    most = max(map(abs, ends), default=0.0) or 1.0
    power = 10.0 ** math.floor(math.log10(most))
    return next(power * step for step in _STEPS if power * step >= most)
