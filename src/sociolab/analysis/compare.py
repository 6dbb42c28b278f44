"""Are two agents different? Compared on plays that answer to each other, in measures of one judge.

The figures; `analysis.compare_section` says what can be concluded from them and what cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from typing import Any, Literal, TypeAlias

from sociolab.analysis.matching import (
    Blocks,
    By,
    ComparedSide,
    Match,
    MatchedBlock,
    MatchKey,
    matched,
    place_of,
    places_of,
)
from sociolab.analysis.values import Value
from sociolab.core.errors import ConfigError
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.score import JudgeId, Measure
from sociolab.report.plays import mean_ends
from sociolab.stats.crossed import RatedPlay, for_other_raters
from sociolab.stats.intervals import on_scale
from sociolab.stats.paired import Comparison, KeyedValue, compare
from sociolab.stats.unpaired import compare_unpaired

Unit: TypeAlias = Literal["play", "episode"]
"""A seat of a trial, or the whole of it, as the measure goes."""

ALIKE = 1e-11
"""Values that differ by no more differ by rounding only."""


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """How many plays each side has, scored or not, and how many of each answer to the other's;
    `matched` are the pairs, or blocks of plays, that these make."""

    a: int
    b: int
    matched: int
    of_a: int
    of_b: int


@dataclass(frozen=True, slots=True)
class EpisodePair:
    """Two matched plays in one measure, and why the judge gave what it gave.

    A value is None where it is missing. Reasons are "" where the judge gave none, or none were
    looked up.
    """

    measure: str
    key: MatchKey
    a: Value
    b: Value
    why_a: str = ""
    why_b: str = ""

    @property
    def difference(self) -> float | None:
        """a minus b; None where a value is missing."""
        if self.a.value is None or self.b.value is None:
            return None
        return self.a.value - self.b.value


@dataclass(frozen=True, slots=True)
class ComparedMetric:
    """a minus b in one measure.

    `blocks` are the matched plays, `missing` counts those of a and of b whose value is missing,
    `untold` those that could not be scored, `unlike` the blocks that differ at all. `bounds` are
    what the difference would be over all of them with everything that has no value at its worst for
    a and best for b, and the other way round; None where that is without end.
    """

    measure: Measure
    test: Comparison
    blocks: tuple[MatchedBlock, ...]
    missing: tuple[int, int]
    untold: tuple[int, int]
    unlike: int
    bounds: tuple[float, float] | None

    @property
    def is_open(self) -> bool:
        """Whether a matched play has no score."""
        return any((*self.untold, *self.missing))


@dataclass(frozen=True, slots=True)
class ComparedAgents:
    """a minus b in each measure, by the plays that `match` sets against each other; `why` says why
    not more closely, where that was not asked for. `partners`: whether both sides met the same."""

    world: str
    a: ComparedSide
    b: ComparedSide
    judge: str
    judge_id: JudgeId
    match: Match
    by: By
    why: str
    partners: bool
    counts: Mapping[Unit, MatchCounts]
    metrics: Mapping[str, ComparedMetric]
    declared: Declared = UNDECLARED
    looks: int = 1

    @property
    def measures(self) -> dict[str, Measure]:
        """The measures by name."""
        return {name: one.measure for name, one in self.metrics.items()}

    def pairs(self, name: str) -> tuple[EpisodePair, ...]:
        """The matched plays of a measure, two by two; none where whole blocks were matched."""
        if self.match != "exact":
            return ()
        blocks = self.metrics[name].blocks
        return tuple(EpisodePair(name, one.key, one.sides[0][0], one.sides[1][0]) for one in blocks)

    def matched_sides(self) -> tuple[ComparedSide, ComparedSide]:
        """Both sides with no other plays than those that answer to the other's."""
        a, b = (
            replace(
                side,
                values=tuple(
                    value
                    for metric in self.metrics.values()
                    for block in metric.blocks
                    for value in block.sides[place]
                ),
            )
            for place, side in enumerate((self.a, self.b))
        )
        return a, b


def compared(
    world: str,
    a: ComparedSide,
    b: ComparedSide,
    judge: tuple[str, JudgeId],
    measures: Mapping[str, Measure],
    declared: Declared = UNDECLARED,
    match: Match | None = None,
    looks: int = 1,
) -> ComparedAgents:
    """Compare both sides in these measures; `judge` is its label and itself, `match` how plays are
    matched where it is not to be chosen (`analysis.matching`); p is corrected for so many `looks`.

    Tasks of one id must be the same task on both sides. ConfigError where nothing can be matched.
    """
    found = matched(a, b, match)
    whole_a, whole_b = (replace(side, values=(*side.values, *side.untold)) for side in (a, b))
    every = matched(whole_a, whole_b, found.match).blocks
    rows = {
        name: (_rows(some, found.match, 0), _rows(some, found.match, 1))
        for name, some in ((name, found.blocks.get(name, ())) for name in measures)
    }
    tests = (compare_unpaired if found.match == "none" else compare)(rows, looks)
    if judge[1].method == "people":
        rated = {name: _rated(found.blocks.get(name, ()), found.match) for name in measures}
        tests = for_other_raters(tests, rated, looks)
    return ComparedAgents(
        world=world,
        declared=declared,
        a=a,
        b=b,
        judge=judge[0],
        judge_id=judge[1],
        match=found.match,
        by=found.by,
        why=found.why,
        partners=found.partners,
        looks=looks,
        counts=_counts(a, b, found.blocks),
        metrics={
            name: _metric(
                measure, tests[name], (a, b), found.blocks.get(name, ()), every.get(name, ())
            )
            for name, measure in measures.items()
        },
    )


def _metric(
    measure: Measure,
    test: Comparison,
    sides: Sequence[ComparedSide],
    blocks: Sequence[MatchedBlock],
    every: Sequence[MatchedBlock],
) -> ComparedMetric:
    """`every`: the blocks with the plays among them that could not be scored."""
    used = [one for one in blocks if all(map(_scored, one.sides))]
    gaps = [fmean(_scored(one.sides[0])) - fmean(_scored(one.sides[1])) for one in used]
    only = [
        len(_scored([one for one in side.values if one.measure == measure.name]))
        - sum(len(_scored(one.sides[place])) for one in used)
        for place, side in enumerate(sides)
    ]
    width = measure.high - measure.low  # no two values on the scale differ by more
    difference = on_scale(test.difference, -width, width)
    return ComparedMetric(
        measure=measure,
        test=replace(test, only_a=only[0], only_b=only[1], difference=difference),
        blocks=tuple(blocks),
        missing=_counted(blocks, lambda value: value.value is None),
        untold=_counted(every, lambda value: value.unscored is not None),
        unlike=sum(abs(gap) > ALIKE for gap in gaps),
        bounds=mean_ends([_ends(one) for one in every]),
    )


def _counted(blocks: Sequence[MatchedBlock], which: Callable[[Value], bool]) -> tuple[int, int]:
    """How many plays of a and of b are such."""
    a, b = (sum(which(one) for block in blocks for one in block.sides[i]) for i in (0, 1))
    return a, b


def _scored(values: Sequence[Value]) -> list[float]:
    return [value.value for value in values if value.value is not None]


def _ends(block: MatchedBlock) -> tuple[float, float]:
    """Between what the difference of a block lies."""
    (low_a, high_a), (low_b, high_b) = (
        [fmean(value.ends[i] for value in side) for i in (0, 1)] for side in block.sides
    )
    return low_a - high_b, high_a - low_b


def _rows(blocks: Sequence[MatchedBlock], match: Match, side: int) -> list[KeyedValue]:
    """A row for each block, with the mean of its values on this side (0 or 1); where nothing was
    matched, for each play."""
    if match == "none":
        plays = [value for block in blocks for value in block.sides[side]]
        return [
            KeyedValue(number, one.cluster, one.value)
            for number, one in enumerate(plays)
            if one.value is not None
        ]
    return [
        KeyedValue(block.key, block.sides[side][0].cluster, fmean(values))
        for block in blocks
        if (values := _scored(block.sides[side]))
    ]


def _rated(blocks: Sequence[MatchedBlock], match: Match) -> list[RatedPlay]:
    """The plays that `_rows` are made of, with who gave what; each block counts the same on either
    side, where plays were matched."""
    found = []
    for block in blocks:
        sides = [[value for value in side if value.given] for side in block.sides]
        if match != "none" and not all(sides):
            continue
        for side, sign in zip(sides, (1, -1), strict=True):
            share = 1 if match == "none" else len(side)
            found += [RatedPlay(one.cluster, one.given, sign / share) for one in side]
    return found


def comparison_document(found: ComparedAgents) -> dict[str, Any]:
    """The comparison as a JSON object: see docs/compare.md."""
    return {
        "a": _side(found.a),
        "b": _side(found.b),
        "judge": {"judge": found.judge, "method": found.judge_id.method},
        "match": found.match,
        "matched_by": matched_by(found),
        "why": found.why,
        "matched": {unit: asdict(count) for unit, count in found.counts.items()},
        "measures": {name: _measured(one) for name, one in found.metrics.items()},
    }


def _side(side: ComparedSide) -> dict[str, Any]:
    return {
        "run": side.run,
        "agent": side.agent,
        "partners": list(side.partners),
        "failed_turns": side.asked.failed,
        "turns_asked": side.asked.asked,
    }


def matched_by(found: ComparedAgents) -> list[str]:
    """What plays that were matched share."""
    partner = [found.by] if found.partners else []
    return {
        "exact": ["task", "seat", found.by, "repeat"],
        "scenario": [found.declared.cluster, *partner],
        "none": [],
    }[found.match]


def _measured(one: ComparedMetric) -> dict[str, Any]:
    return {
        "pairs": one.test.pairs,
        "clusters": one.test.clusters,
        **asdict(one.test),
        "superiority": one.test.effect.superiority,
        "at_most_apart": one.test.at_most,
        "unlike": one.unlike,
        "missing_a": one.missing[0],
        "missing_b": one.missing[1],
        "not_established_a": one.untold[0],
        "not_established_b": one.untold[1],
        "bounds": one.bounds,
    }


def _counts(a: ComparedSide, b: ComparedSide, blocks: Blocks) -> dict[Unit, MatchCounts]:
    """What there is and what could be matched, of seats and of whole episodes."""
    every = [block for some in blocks.values() for block in some]
    found: dict[Unit, MatchCounts] = {}
    units: tuple[tuple[Unit, bool], ...] = (("play", False), ("episode", True))
    for unit, whole in units:
        there = [{place_of(v) for v in one.values if (v.seat is None) is whole} for one in (a, b)]
        if any(there):
            mine = [one for one in every if (one.sides[0][0].seat is None) is whole]
            keys = {one.key for one in mine}
            used = [{place_of(v) for one in mine for v in one.sides[i]} for i in (0, 1)]
            counts = (len(there[0]), len(there[1]), len(keys), len(used[0]), len(used[1]))
            found[unit] = MatchCounts(*counts)
    return found


def by_seat(found: ComparedAgents) -> dict[str, ComparedAgents]:
    """The comparison in each seat (`report.plays.seat_roles`); a seat in which no two plays answer
    to each other is left out."""
    roles = places_of({**found.a.casts, **found.b.casts})
    compared_seats: dict[str, ComparedAgents] = {}
    for role in sorted({*roles.values()}):
        a, b = (
            replace(
                side,
                values=tuple(v for v in side.values if roles.get((v.trial, v.seat)) == role),
                untold=tuple(v for v in side.untold if roles.get((v.trial, v.seat)) == role),
            )
            for side in (found.a, found.b)
        )
        judge = (found.judge, found.judge_id)
        with suppress(ConfigError):
            compared_seats[found.declared.roles.get(role, role)] = compared(
                found.world, a, b, judge, found.measures, found.declared, found.match, found.looks
            )
    return compared_seats
