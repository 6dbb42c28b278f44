"""One agent over several runs, in the order given: `sociolab compare --curve`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sociolab.analysis.agent_names import agent_names
from sociolab.analysis.compare_runs import cautions_of, cautions_of_runs, judged_by, of_sides
from sociolab.analysis.compare_sides import (
    CompareRequest,
    OpenedRun,
    agent_of,
    check_tasks,
    measures_of,
    opened_runs,
)
from sociolab.analysis.comparison import ComparedAgents, compare_agents
from sociolab.analysis.comparison_notes import partner_words
from sociolab.analysis.matching import ComparedSide
from sociolab.analysis.values import mean_of
from sociolab.core.errors import ConfigError
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.score import JudgeId, Measure, judge_title
from sociolab.report.catalogue import Catalogue, write
from sociolab.report.charts import Dot, line_chart
from sociolab.report.finding import Count, Finding, FindingTable, Sentence
from sociolab.report.formatting import rounded, title_of
from sociolab.report.schema import RunResult
from sociolab.report.section import Figure, Section
from sociolab.stats.intervals import Estimate, on_scale
from sociolab.stats.paired import Comparison, holm
from sociolab.stats.power import ALPHA
from sociolab.store.store import Store

SAY = Catalogue("curve")
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Followed:
    """A curve, the outlines of its runs, and how it reads."""

    outlines: tuple[RunResult, ...]
    found: Curve
    section: Section

    def document(self) -> dict[str, Any]:
        """All of it as one JSON object: see docs/compare.md."""
        return {
            "schema": SCHEMA,
            "kind": "curve",
            "runs": [result.run for result in self.outlines],
            "world": self.outlines[0].world,
            **rounded(curve_document(self.found)),
            "said": list(self.section.said),
            "cautions": list(self.section.cautions),
        }


def follow_runs(store: Store, wanted: CompareRequest) -> Followed:
    """The agent of each run (`wanted.agent`, or its only one) over the tasks that all played.

    ConfigError for fewer than two runs, and where runs cannot be compared, as `compare_runs` says.
    """
    if len(wanted.runs) < 2:
        raise ConfigError(f"--curve: expected two runs or more, found {len(wanted.runs)}")
    runs, judge = opened_runs(store, wanted)
    measures = measures_of(runs, wanted.measures)
    for later in runs[1:]:
        check_tasks((runs[0], later))
    sides = [run.side(agent_of(run, wanted.agent, "--agent")) for run in runs]
    found = curve(
        runs[0].result.world,
        sides,
        (judge, runs[0].values.judges[judge]),
        measures,
        runs[0].values.declared,
    )
    cautions = dict.fromkeys([*agent_names(store, wanted.runs).notes, *_cautions(runs, found)])
    section = curve_section(found, judged_by(runs, judge), tuple(cautions))
    return Followed(tuple(run.result for run in runs), found, section)


def _cautions(runs: Sequence[OpenedRun], found: Curve) -> Iterator[str]:
    """What beside the agents differs between the first run and each other."""
    yield from cautions_of_runs(runs)
    for later, against in zip(runs[1:], found.compared, strict=True):
        cautions = cautions_of((later, runs[0]), against)
        yield from of_sides(cautions, against.a.run, against.b.run)


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One run in one measure: its mean over the shared tasks, and what it has over the first run.

    `missing` counts plays without a value. `against` (this run minus the first, over matched plays)
    and `holm_p` are None for the first; the correction is over all measures and later runs.
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
    left: int
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
    """Follow one agent of each run through these measures, as `judge` saw them.

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
    kept = [
        replace(side, values=tuple(value for value in side.values if value.task in shared))
        for side in sides
    ]
    first, *later = kept
    found = tuple(
        compare_agents(world, one, first, judge, measures, declared, "exact") for one in later
    )
    corrected = holm(
        {
            (name, i): one.metrics[name].test.permutation.testable
            for i, one in enumerate(found)
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
        {name: _points(name, measures[name], kept, found, corrected) for name in measures},
        found,
    )


def _points(
    name: str,
    measure: Measure,
    sides: Sequence[ComparedSide],
    found: Sequence[ComparedAgents],
    corrected: Mapping[tuple[str, int], float | None],
) -> tuple[CurvePoint, ...]:
    points = []
    for place, side in enumerate(sides):
        mine = [value for value in side.values if value.measure == name]
        mean = on_scale(mean_of(mine), measure.low, measure.high)
        missing = sum(value.value is None for value in mine)
        if place == 0:
            points.append(CurvePoint(side, mean, missing, None, None))
        else:
            against, p = found[place - 1].metrics[name].test, corrected[name, place - 1]
            points.append(CurvePoint(side, mean, missing, against, p))
    return tuple(points)


def curve_document(found: Curve) -> dict[str, Any]:
    """The curve as a JSON object: see docs/compare.md."""
    return {
        "judge": {"judge": found.judge, "method": found.judge_id.method},
        "tasks": len(found.tasks),
        "tasks_left_out": found.left,
        "measures": {
            name: [_point(point) for point in points] for name, points in found.points.items()
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


def _estimate(found: Estimate) -> dict[str, Any]:
    return {
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "method": found.method,
        "n": found.n,
        "clusters": found.clusters,
        "note": found.note,
    }


def curve_section(found: Curve, judged: str, cautions: Sequence[str]) -> Section:
    """The section; `judged` says what to think of the judge's figures."""
    scored = [name for name, points in found.points.items() if any(p.mean.n for p in points)]
    return Section(
        SAY("title", runs=[point.side.run for point in next(iter(found.points.values()))]),
        (_shared(found), judged, *_verdicts(found, scored)),
        tuple(cautions),
        tuple(_table(found, name) for name in scored),
        tuple(_figure(found, name) for name in scored),
    )


def curve_findings(found: Curve, name: str) -> tuple[Finding, ...]:
    """A finding for each run: its mean and, but for the first, how far it is from the first."""
    points = found.points[name]
    several = len({one.side.agent for one in points}) > 1
    return tuple(
        Finding(
            found.measures[name],
            {
                "run": SAY("run_of_agent", run=one.side.run, agent=one.side.agent)
                if several
                else one.side.run
            },
            one.mean,
            (Count("score", one.mean.n),),
            adjusted_p=one.holm_p,
            more={"missing": one.missing, "gap": one.against and one.against.difference},
        )
        for one in points
    )


def _shared(found: Curve) -> Sentence:
    left = SAY("left_out", tasks=Count("task", found.left)) if found.left else ""
    return SAY(
        "shared",
        tasks=Count("task", len(found.tasks)),
        left=left,
        cluster=found.declared.cluster,
        clusters=max(p.mean.clusters for points in found.points.values() for p in points),
        partner=partner_words(found.compared[0]),
    )


def _verdicts(found: Curve, names: Sequence[str]) -> Iterator[Sentence]:
    moved = [
        _moved(point, found.points[name][0], found.measures[name])
        for name in names
        for point in found.points[name][1:]
        if point.holm_p is not None and point.holm_p < ALPHA and point.against is not None
    ]
    yield from moved or [SAY("nothing_shown")]


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


def _table(found: Curve, name: str) -> FindingTable:
    points = found.points[name]
    missing = ["missing"] if any(point.missing for point in points) else []
    return SAY.table(
        "means",
        curve_findings(found, name),
        columns=(
            *("run", "mean", "interval", "scores", *missing),
            *("gap", "gap_interval", "adjusted_p"),
        ),
        notes=tuple(_notes(points)),
        metric=found.measures[name],
        judge=judge_title(found.judge, found.judge_id.method),
    )


def _notes(points: Sequence[CurvePoint]) -> Iterator[Sentence]:
    estimates = [p.mean for p in points] + [p.against.difference for p in points if p.against]
    whys = dict.fromkeys(one.note for one in estimates if one.low is None and one.note)
    yield from (SAY("no_interval", why=why) for why in whys)


def _figure(found: Curve, name: str) -> Figure:
    measure = found.measures[name]
    dots = [
        Dot(point.side.run, point.mean.value, point.mean.low, point.mean.high)
        for point in found.points[name]
    ]
    caption = SAY("caption", metric=measure, judge=found.judge, low=measure.low, high=measure.high)
    return Figure(caption, line_chart(title_of(measure), dots, measure.low, measure.high))
