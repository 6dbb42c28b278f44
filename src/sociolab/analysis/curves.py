"""Several runs in an order, such as checkpoints of one model, each held against the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sociolab.analysis.compare import Compared, compared
from sociolab.analysis.matching import Side
from sociolab.analysis.values import Value
from sociolab.core.errors import ConfigError
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.score import JudgeId, Measure
from sociolab.stats.intervals import Estimate, means, on_scale
from sociolab.stats.paired import Comparison, holm


@dataclass(frozen=True, slots=True)
class Point:
    """One run in one measure: its mean over the shared tasks, and what it has over the first run.

    `missing` counts plays without a value. `against` (this run minus the first, over matched plays)
    and `holm_p` are None for the first; the correction is over all measures and later runs.
    """

    side: Side
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
    points: Mapping[str, tuple[Point, ...]]
    compared: tuple[Compared, ...]
    declared: Declared = UNDECLARED


def curve(
    world: str,
    sides: Sequence[Side],
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
    kept = [_on(side, shared) for side in sides]
    first, *later = kept
    found = tuple(compared(world, one, first, judge, measures, declared) for one in later)
    corrected = holm(
        {
            f"{name} {i}": one.found[name].p if one.found[name].permutation.differing else None
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


def _on(side: Side, tasks: set[str]) -> Side:
    return replace(side, values=tuple(value for value in side.values if value.task in tasks))


def _points(
    name: str,
    measure: Measure,
    sides: Sequence[Side],
    found: Sequence[Compared],
    corrected: Mapping[str, float | None],
) -> tuple[Point, ...]:
    points = []
    for place, side in enumerate(sides):
        mine = [value for value in side.values if value.measure == name]
        mean = _mean(mine, measure)
        missing = sum(value.value is None for value in mine)
        if place == 0:
            points.append(Point(side, mean, missing, None, None))
        else:
            against, p = found[place - 1].found[name], corrected[f"{name} {place - 1}"]
            points.append(Point(side, mean, missing, against, p))
    return tuple(points)


def _mean(values: Sequence[Value], measure: Measure) -> Estimate:
    column = {"mean": [value.value for value in values]}
    found = means(column, [value.cluster for value in values])["mean"]
    return on_scale(found, measure.low, measure.high)


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


def _point(point: Point) -> dict[str, Any]:
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
