"""One agent over several runs, in the order given: `sociolab compare --curve`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sociolab.analysis.agent_labels import agent_names
from sociolab.analysis.compare_sides import (
    CompareRequest,
    find_agent,
    open_runs,
    select_metrics,
)
from sociolab.analysis.comparison import ComparedAgents, compare_agents
from sociolab.analysis.comparison_notes import comparison_verdict, describe_partner_match
from sociolab.analysis.matching import ComparedSide
from sociolab.analysis.run_comparison import judged_by, label_cautions, run_cautions, side_cautions
from sociolab.analysis.values import check_tasks, mean_of
from sociolab.core.errors import ConfigError
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.score import JudgeId, Measure, judge_title
from sociolab.report.catalogue import Catalogue, write
from sociolab.report.charts import Dot, line_chart
from sociolab.report.exam import exam_notes
from sociolab.report.finding import Count, Finding, FindingTable, Sentence
from sociolab.report.formatting import rounded, title_of
from sociolab.report.schema import RunResult
from sociolab.report.section import Figure, Section
from sociolab.report.verdict import caveat
from sociolab.stats.intervals import Estimate, on_scale
from sociolab.stats.paired_tests import Comparison, holm
from sociolab.stats.power import ALPHA
from sociolab.store.store import Store

SAY = Catalogue("curve")
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Followed:
    """A curve, its section, the outlines of its runs, and `led_by` as in `Conclusions`."""

    outlines: tuple[RunResult, ...]
    trend: Curve
    section: Section
    led_by: str = ""

    def document(self) -> dict[str, Any]:
        """All of it as one JSON object: see docs/compare.md."""
        return {
            "schema": SCHEMA,
            "kind": "curve",
            "runs": [result.run for result in self.outlines],
            "world": self.outlines[0].world,
            **rounded(curve_document(self.trend)),
            "verdict": self.section.verdict,
            "said": list(self.section.sentences),
            "cautions": list(self.section.all_cautions),
        }


def follow_runs(store: Store, request: CompareRequest) -> Followed:
    """The agent of each run (`request.agent`, or its only one) over the tasks that all played.

    ConfigError for fewer than two runs, and where runs cannot be compared, as `compare_runs` says.
    """
    if len(request.runs) < 2:
        raise ConfigError(f"--curve: expected two runs or more, found {len(request.runs)}")
    runs, judge, led_by = open_runs(store, request)
    measures = select_metrics(runs, request.measures)
    for later in runs[1:]:
        check_tasks({run.result.run: run.trials for run in (runs[0], later)})
    sides = [run.side(find_agent(run, request.agent, "--agent")) for run in runs]
    trend = curve(
        runs[0].result.world,
        sides,
        (judge, runs[0].values.judges[judge]),
        measures,
        runs[0].values.declared,
    )
    cautions = [*agent_names(store, request.runs).notes, *run_cautions(runs)]
    for later, against in zip(runs[1:], trend.compared, strict=True):
        differing = side_cautions((later, runs[0]), against)
        cautions += label_cautions(differing, against.a.run, against.b.run)
    section = curve_section(trend, judged_by(runs, judge), tuple(dict.fromkeys(cautions)))
    label = caveat([run.result for run in runs], [side.agent for side in sides], judge)
    section = replace(section, verdict=curve_verdict(trend, label))
    exams = exam_notes({run.values.run: run.values.exams for run in runs}, (judge,))
    return Followed(tuple(run.result for run in runs), trend, exams.on(section), led_by)


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One run in one measure: its mean over the shared tasks, and what it has over the first run.

    `missing` counts plays without a value. `against` (this run minus the first, over matched plays)
    and `holm_p` are None for the first; the correction is over all metrics and later runs.
    """

    side: ComparedSide
    mean: Estimate
    missing: int
    against: Comparison | None
    holm_p: float | None


@dataclass(frozen=True, slots=True)
class Curve:
    """The runs in the order given, over the `tasks` that all of them played.

    `compared` has each later run (as a) against the first (as b).
    """

    world: str
    judge: str
    judge_id: JudgeId
    tasks: tuple[str, ...]
    left_out: int
    measures: Mapping[str, Measure]
    points: Mapping[str, tuple[CurvePoint, ...]]
    compared: tuple[ComparedAgents, ...]
    declared: Declared = UNDECLARED


def curve(
    world: str,
    sides: Sequence[ComparedSide],
    judge: tuple[str, JudgeId],
    measures: Mapping[str, Measure],
    declared: Declared = UNDECLARED,
) -> Curve:
    """Follow one agent of each run through these metrics, as `judge` saw them.

    Tasks of one id must be the same task in all runs. ConfigError for fewer than two runs, where
    they share no task, and where a run has no play that answers to one of the first.
    """
    if len(sides) < 2:
        raise ConfigError(f"a curve needs two runs or more, found {len(sides)}")
    played = [{value.task for value in side.values} for side in sides]
    shared = set.intersection(*played)
    if not shared:
        names = ", ".join(side.run for side in sides)
        raise ConfigError(f"there is no task that all of these played: {names}")
    restricted = [
        replace(side, values=tuple(value for value in side.values if value.task in shared))
        for side in sides
    ]
    first, *later = restricted
    comparisons = tuple(
        compare_agents(world, side, first, judge, measures, declared, "exact") for side in later
    )
    corrected = holm(
        {
            (name, i): comparison.metrics[name].test.permutation.testable
            for i, comparison in enumerate(comparisons)
            for name in measures
        }
    )
    return Curve(
        world,
        judge[0],
        judge[1],
        tuple(sorted(shared)),
        len(set.union(*played) - shared),
        measures,
        {
            name: _points(name, measures[name], restricted, comparisons, corrected)
            for name in measures
        },
        comparisons,
    )


def _points(
    name: str,
    measure: Measure,
    sides: Sequence[ComparedSide],
    comparisons: Sequence[ComparedAgents],
    corrected: Mapping[tuple[str, int], float | None],
) -> tuple[CurvePoint, ...]:
    points = []
    for place, side in enumerate(sides):
        values = [value for value in side.values if value.measure == name]
        mean = on_scale(mean_of(values), measure.low, measure.high)
        missing = sum(value.value is None for value in values)
        if place == 0:
            points.append(CurvePoint(side, mean, missing, None, None))
        else:
            against, p = comparisons[place - 1].metrics[name].test, corrected[name, place - 1]
            points.append(CurvePoint(side, mean, missing, against, p))
    return tuple(points)


def curve_document(trend: Curve) -> dict[str, Any]:
    """The curve as a JSON object: see docs/compare.md."""
    return {
        "judge": {"judge": trend.judge, "method": trend.judge_id.method},
        "tasks": len(trend.tasks),
        "tasks_left_out": trend.left_out,
        "measures": {
            name: [_point(point) for point in points] for name, points in trend.points.items()
        },
    }


def _point(point: CurvePoint) -> dict[str, Any]:
    against = point.against
    return {
        "run": point.side.run,
        "agent": point.side.agent,
        "mean": _estimate(point.mean),
        "missing": point.missing,
        "difference": against and {**_estimate(against.difference), "p": against.p},
        "holm_p": point.holm_p,
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "method": estimate.method,
        "n": estimate.n,
        "clusters": estimate.clusters,
        "note": estimate.note,
    }


def curve_section(trend: Curve, judged: str, cautions: Sequence[str]) -> Section:
    """The curve as a section; `judged` is a sentence on the judge's method."""
    scored = [name for name, points in trend.points.items() if any(p.mean.n for p in points)]
    moved = [
        _moved(point, trend.points[name][0], trend.measures[name])
        for name in scored
        for point in trend.points[name][1:]
        if point.holm_p is not None and point.holm_p < ALPHA and point.against is not None
    ]
    return Section(
        SAY("title", runs=[point.side.run for point in next(iter(trend.points.values()))]),
        (_shared(trend), judged, *(moved or [SAY("nothing_shown")])),
        tuple(cautions),
        tuple(_table(trend, name) for name in scored),
        tuple(_figure(trend, name) for name in scored),
    )


def curve_verdict(trend: Curve, label: str = "") -> Sentence:
    """What the last run has over the first in the metric that leads, with the curve's own p."""
    last = trend.compared[-1]
    metrics = {
        name: replace(metric, test=replace(metric.test, holm_p=trend.points[name][-1].holm_p))
        for name, metric in last.metrics.items()
    }
    a, b = (replace(side, name=side.run) for side in (last.a, last.b))
    return comparison_verdict([replace(last, a=a, b=b, metrics=metrics)], label)


def curve_findings(trend: Curve, name: str) -> tuple[Finding, ...]:
    """A finding for each run: its mean and, but for the first, how far it is from the first."""
    points = trend.points[name]
    several = len({point.side.agent for point in points}) > 1
    return tuple(
        Finding(
            trend.measures[name],
            {
                "run": SAY("run_of_agent", run=point.side.run, agent=point.side.agent)
                if several
                else point.side.run
            },
            point.mean,
            (Count("score", point.mean.n),),
            adjusted_p=point.holm_p,
            more={"missing": point.missing, "gap": point.against and point.against.difference},
        )
        for point in points
    )


def _shared(trend: Curve) -> Sentence:
    left_out = SAY("left_out", tasks=Count("task", trend.left_out)) if trend.left_out else ""
    return SAY(
        "shared",
        tasks=Count("task", len(trend.tasks)),
        left=left_out,
        cluster=trend.declared.cluster,
        clusters=max(p.mean.clusters for points in trend.points.values() for p in points),
        partner=describe_partner_match(trend.compared[0]),
    )


def _moved(point: CurvePoint, first: CurvePoint, measure: Measure) -> Sentence:
    assert point.against is not None
    gap = point.against.difference
    value = gap.value or 0.0
    return SAY(
        "higher" if value > 0 else "lower",
        metric=measure,
        run=point.side.run,
        first=first.side.run,
        gap=abs(value),
        interval=gap.note if gap.low is None else write(gap, "scaled", "interval", measure),
        p=point.holm_p,
    )


def _table(trend: Curve, name: str) -> FindingTable:
    points = trend.points[name]
    missing = ["missing"] if any(point.missing for point in points) else []
    estimates = [p.mean for p in points] + [p.against.difference for p in points if p.against]
    whys = dict.fromkeys(
        estimate.note for estimate in estimates if estimate.low is None and estimate.note
    )
    return SAY.table(
        "means",
        curve_findings(trend, name),
        columns=(
            *("run", "mean", "interval", "scores", *missing),
            *("gap", "gap_interval", "adjusted_p"),
        ),
        notes=[SAY("no_interval", why=why) for why in whys],
        metric=trend.measures[name],
        judge=judge_title(trend.judge, trend.judge_id.method),
    )


def _figure(trend: Curve, name: str) -> Figure:
    measure = trend.measures[name]
    dots = [
        Dot(point.side.run, point.mean.value, point.mean.low, point.mean.high)
        for point in trend.points[name]
    ]
    caption = SAY("caption", metric=measure, judge=trend.judge, low=measure.low, high=measure.high)
    return Figure(caption, line_chart(title_of(measure), dots, measure.low, measure.high))
