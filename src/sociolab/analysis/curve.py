"""One agent over several runs, in the order given: `sociolab compare --curve`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sociolab.analysis.agent_names import agent_names
from sociolab.analysis.compare import ComparedAgents, compared, partner_words
from sociolab.analysis.compare_runs import cautions_of, cautions_of_runs, judged_by, of_sides
from sociolab.analysis.compare_sides import (
    CompareRequest,
    OpenedRun,
    agent_of,
    check_tasks,
    measures_of,
    opened_runs,
)
from sociolab.analysis.matching import ComparedSide
from sociolab.analysis.values import mean_of
from sociolab.core.errors import ConfigError
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.score import JudgeId, Measure, judge_title
from sociolab.report.charts import Dot, line_chart
from sociolab.report.formatting import figure, p_text, rounded, span, title_of
from sociolab.report.schema import RunResult
from sociolab.report.section import Figure, Section, TextTable
from sociolab.report.words import plural
from sociolab.stats.intervals import Estimate, on_scale
from sociolab.stats.paired import Comparison, holm
from sociolab.stats.power import ALPHA
from sociolab.store.store import Store

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
    found = tuple(compared(world, one, first, judge, measures, declared, "exact") for one in later)
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
    told = [name for name, points in found.points.items() if any(p.mean.n for p in points)]
    runs = ", ".join(point.side.run for point in next(iter(found.points.values())))
    return Section(
        f"Curve over runs: {runs}",
        (_shared(found), judged, *_findings(found, told)),
        tuple(cautions),
        tuple(_table(found, name) for name in told),
        tuple(_figure(found, name) for name in told),
    )


def _shared(found: Curve) -> str:
    left = (
        f"; {plural(found.left, 'task')} that only some played are left out" if found.left else ""
    )
    clusters = max(p.mean.clusters for points in found.points.values() for p in points)
    unit = found.declared.cluster
    partner = partner_words(found.compared[0])
    return (
        f"{plural(len(found.tasks), 'task')} that all runs played{left}. Intervals and p are "
        f"clustered by {unit} ({clusters:,}). Differences from the first run are taken "
        f"over episodes of the same task, seat, {partner} and repeat, with p corrected (Holm) for "
        "all metrics and runs."
    )


def _findings(found: Curve, names: Sequence[str]) -> Iterator[str]:
    shown = False
    for name in names:
        measure, (first, *later) = found.measures[name], found.points[name]
        for point in later:
            if point.holm_p is not None and point.holm_p < ALPHA and point.against is not None:
                shown = True
                yield _moved(point, first, measure)
    if not shown:
        yield (
            "No run differs significantly from the first in any metric. This is not evidence "
            "of equality: any true difference within an interval is compatible with these episodes."
        )


def _moved(point: CurvePoint, first: CurvePoint, measure: Measure) -> str:
    assert point.against is not None
    gap = point.against.difference
    value = gap.value or 0.0
    ends = span(gap, measure) or f"none, {gap.note}"
    return (
        f"{title_of(measure)} is {'higher' if value > 0 else 'lower'} in {point.side.run} than in "
        f"{first.side.run} by {figure(abs(value), measure)} (95 % interval of the difference: "
        f"{ends}; p after Holm's correction {p_text(point.holm_p)})."
    )


def _table(found: Curve, name: str) -> TextTable:
    measure, points = found.measures[name], found.points[name]
    missing = any(point.missing for point in points)
    heads = ("run", "mean", "95 % interval", "n", *(("missing",) if missing else ()))
    gaps = ("vs. first", "95 % interval", "Holm p")
    rows = tuple(
        (
            _called(point, points),
            figure(point.mean.value, measure),
            span(point.mean, measure),
            f"{point.mean.n:,}",
            *((f"{point.missing:,}" if point.missing else "",) if missing else ()),
            *_against(point, measure),
        )
        for point in points
    )
    return TextTable(
        f"{title_of(measure)} · judge: {judge_title(found.judge, found.judge_id.method)}",
        (*heads, *gaps),
        rows,
        tuple(_notes(points)),
    )


def _called(point: CurvePoint, points: Sequence[CurvePoint]) -> str:
    """A run; with its agent, where runs have different ones."""
    several = len({one.side.agent for one in points}) > 1
    return f"{point.side.run} ({point.side.agent})" if several else point.side.run


def _against(point: CurvePoint, measure: Measure) -> tuple[str, str, str]:
    if point.against is None:
        return "", "", ""
    gap = point.against.difference
    return figure(gap.value, measure), span(gap, measure), p_text(point.holm_p)


def _notes(points: Sequence[CurvePoint]) -> Iterator[str]:
    whys = [point.mean.note for point in points if point.mean.low is None]
    whys += [
        p.against.difference.note for p in points if p.against and p.against.difference.low is None
    ]
    for why in dict.fromkeys(filter(None, whys)):
        yield f"no interval: {why}"


def _figure(found: Curve, name: str) -> Figure:
    measure = found.measures[name]
    dots = [
        Dot(point.side.run, point.mean.value, point.mean.low, point.mean.high)
        for point in found.points[name]
    ]
    title = title_of(measure)
    low, high = figure(measure.low, measure), figure(measure.high, measure)
    caption = (
        f"{title}: means with 95 % intervals (judge: {found.judge}); scale from {low} to {high}, "
        "the part that the intervals need."
    )
    return Figure(caption, line_chart(title, dots, measure.low, measure.high))
