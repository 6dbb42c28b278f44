"""A minus B: two agents compared on matched episodes, by one judge's scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Literal, TypeAlias, get_args

from sociolab.analysis.matching import (
    Blocks,
    By,
    ComparedSide,
    Match,
    MatchedBlock,
    MatchKey,
    match_sides,
    play_place,
    seat_places,
)
from sociolab.analysis.values import Value
from sociolab.core.errors import ConfigError
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.score import JudgeId, Measure, judge_title
from sociolab.report.exam import ExamNotes
from sociolab.report.finding import Count
from sociolab.report.plays import mean_ends
from sociolab.report.schema import ESTABLISHED
from sociolab.stats.adjusted_means import for_other_prompts, for_other_raters
from sociolab.stats.crossed_raters import RatedPlay
from sociolab.stats.intervals import on_scale
from sociolab.stats.paired_tests import Comparison, KeyedValue, compare
from sociolab.stats.power import ALPHA, OnAll, repeats_on_all
from sociolab.stats.unpaired import compare_unpaired

Unit: TypeAlias = Literal["play", "episode"]
"""A seat of a trial, or the whole of it, as the metric goes."""

ALIKE = 1e-11
"""Values that differ by no more differ by rounding only."""


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """How many plays each side has (`a`, `b`), and how many of these were matched (`of_a`, `of_b`).

    `matched` counts the pairs, or blocks, that they make. `of` is the noun for what is counted:
    "seat" where an agent sat in several seats of one episode.
    """

    a: int
    b: int
    matched: int
    of_a: int
    of_b: int
    of: str = "episode"


@dataclass(frozen=True, slots=True)
class EpisodePair:
    """Two matched plays in one metric, and why the judge gave what it gave.

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
    """a minus b in one metric.

    `blocks` are the matched plays, `missing` counts those of a and of b whose value is missing,
    `unscored` those that could not be scored, `unlike` the blocks that differ at all. `bounds` are
    what the difference would be over all of them with everything that has no value at its worst for
    a and best for b, and the other way round; None where that is without end. `coverage` is the
    share of matched plays, of both sides, that could be scored among those without a failure;
    `scored` is how many of those that were `due`, failures included. `on_all` is what repeats can
    do where the observed difference takes more clusters than there are.
    """

    measure: Measure
    test: Comparison
    blocks: tuple[MatchedBlock, ...]
    missing: tuple[int, int]
    unscored: tuple[int, int]
    unlike: int
    bounds: tuple[float, float] | None
    coverage: float | None
    scored: int = 0
    on_all: OnAll | None = None

    @property
    def due(self) -> int:
        return self.scored + sum(self.unscored) + sum(self.missing)

    @property
    def is_whole(self) -> bool:
        """Whether scores are of whole episodes."""
        return any(block.sides[0][0].seat is None for block in self.blocks)

    @property
    def is_open(self) -> bool:
        """Whether a matched play has no score."""
        return any((*self.unscored, *self.missing))

    @property
    def is_significant(self) -> bool:
        """Whether a difference is shown after Holm's correction."""
        return self.test.holm_p is not None and self.test.holm_p < ALPHA

    @property
    def excludes_zero(self) -> bool | None:
        """Whether its interval does; None without one."""
        low, high = self.test.difference.low, self.test.difference.high
        return None if low is None or high is None else not low <= 0 <= high


@dataclass(frozen=True, slots=True)
class ComparedAgents:
    """a minus b in each metric, by the plays that `match` sets against each other; `why` says why
    not more closely, where that was not asked for. `partners`: whether both sides met the same.
    `first`: the metric that is tested before the others (`stats.paired_tests.holm`)."""

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
    first: str | None = None
    exams: ExamNotes = field(default_factory=ExamNotes)

    @property
    def measures(self) -> dict[str, Measure]:
        return {name: metric.measure for name, metric in self.metrics.items()}

    @property
    def judged(self) -> str:
        """The judge as tables name it."""
        return judge_title(self.judge, self.judge_id.method)

    @property
    def size(self) -> str:
        """The noun for the unit of comparison: "pair", "block" or, without a match, "episode"."""
        if self.match != "none":
            return "pair" if self.match == "exact" else "block"
        return (self.counts.get("play") or self.counts["episode"]).of

    def unit_of(self, metric: ComparedMetric) -> str:
        """What one score of a metric is of: an episode, or a seat where an agent sat in several."""
        count = self.counts.get("play")
        is_seat = count is not None and count.of == "seat" and not metric.is_whole
        return "seat" if is_seat else "episode"

    @property
    def crossed_with(self) -> str:
        """What an interval holds for others of, besides clusters, where it does so."""
        return "rater" if self.judge_id.method == "people" else "prompt set"

    @property
    def cluster(self) -> str:
        """What one independent observation is: a scenario, a session, a task."""
        return self.declared.cluster

    @property
    def clusters(self) -> str:
        """The plural of `cluster`."""
        return Count(self.cluster, 0).column

    @property
    def tested(self) -> int:
        """How many metrics there is a test of."""
        return sum(metric.test.holm_p is not None for metric in self.metrics.values())

    @property
    def gate(self) -> ComparedMetric | None:
        """The metric that is tested first, if there is a test of it and of others."""
        gate = self.metrics.get(self.first or "")
        return gate if gate and gate.test.holm_p is not None and self.tested > 1 else None

    @property
    def family(self) -> tuple[Count, ...]:
        """What p is corrected for: metrics (but for the one that is tested first), and looks where
        there are several."""
        return (Count("metric", self.tested - (self.gate is not None)), *self.planned)

    @property
    def planned(self) -> tuple[Count, ...]:
        """The number of looks, where several are planned."""
        return (Count("look", self.looks),) if self.looks > 1 else ()

    @property
    def main(self) -> ComparedMetric:
        """The world's main metric, or the first; one that has a difference to speak of, if any,
        and first one of which enough is established (`report.schema.ESTABLISHED`)."""
        mains = [name for name in self.declared.main if name in self.metrics]
        metrics = [self.metrics[name] for name in (*mains, *self.metrics)]
        metrics.sort(key=lambda m: m.coverage is not None and m.coverage < ESTABLISHED)
        return next((m for m in metrics if m.test.design.error is not None), metrics[0])

    def pairs(self, name: str) -> tuple[EpisodePair, ...]:
        """The matched plays of a metric, two by two; none where whole blocks were matched."""
        if self.match != "exact":
            return ()
        blocks = self.metrics[name].blocks
        return tuple(EpisodePair(name, b.key, b.sides[0][0], b.sides[1][0]) for b in blocks)

    @property
    def matched_by(self) -> list[str]:
        """What episodes that were matched share."""
        match self.match:
            case "exact":
                return ["task", "seat", self.by, "repeat"]
            case "scenario":
                return [self.cluster, *([self.by] if self.partners else [])]
            case "none":
                return []

    def matched_sides(self) -> tuple[ComparedSide, ComparedSide]:
        """Both sides, restricted to matched plays."""
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


def compare_agents(
    world: str,
    a: ComparedSide,
    b: ComparedSide,
    judge: tuple[str, JudgeId],
    measures: Mapping[str, Measure],
    declared: Declared = UNDECLARED,
    match: Match | None = None,
    looks: int = 1,
) -> ComparedAgents:
    """Compare both sides in these metrics; `judge` is its label and itself, `match` how plays are
    matched where it is not to be chosen (`analysis.matching`); p is corrected for so many `looks`.
    The declared main metric is tested before the others, and stands first.

    Tasks of one id must be the same task on both sides. ConfigError where nothing can be matched.
    """
    first = next((name for name in declared.main if name in measures), None)
    measures = dict(sorted(measures.items(), key=lambda each: each[0] != first))
    matching = match_sides(a, b, match)
    blocks = {name: matching.blocks.get(name, ()) for name in measures}
    whole_a, whole_b = (replace(side, values=(*side.values, *side.unscored)) for side in (a, b))
    with_unscored = match_sides(whole_a, whole_b, matching.match).blocks
    rows = {
        name: (_rows(scored, matching.match, 0), _rows(scored, matching.match, 1))
        for name, scored in blocks.items()
    }
    tests = (compare_unpaired if matching.match == "none" else compare)(rows, looks, first)
    if judge[1].method == "people":
        rated = {name: _rated(scored, matching.match) for name, scored in blocks.items()}
        tests = for_other_raters(tests, rated, looks, first)
    elif len({value.prompts for value in a.values}) > 1:
        gaps = {name: _gaps_by_set(scored) for name, scored in blocks.items()}
        tests = for_other_prompts(tests, gaps, looks, first)
    return ComparedAgents(
        world=world,
        declared=declared,
        a=a,
        b=b,
        judge=judge[0],
        judge_id=judge[1],
        match=matching.match,
        by=matching.by,
        why=matching.why,
        partners=matching.partners,
        looks=looks,
        first=first,
        counts=_counts(a, b, matching.blocks),
        metrics={
            name: _metric(
                measure,
                tests[name],
                (a, b),
                blocks[name],
                with_unscored.get(name, ()),
                declared.clusters or 0,
            )
            for name, measure in measures.items()
        },
    )


def _metric(
    measure: Measure,
    test: Comparison,
    sides: Sequence[ComparedSide],
    blocks: Sequence[MatchedBlock],
    with_unscored: Sequence[MatchedBlock],
    most_clusters: int,
) -> ComparedMetric:
    """`with_unscored`: the blocks with the episodes among them that could not be scored.
    `most_clusters`: how many there are to play, 0 where that is not known, or has no end."""
    used = [block for block in blocks if all(map(_scored, block.sides))]
    gaps = [fmean(_scored(block.sides[0])) - fmean(_scored(block.sides[1])) for block in used]
    only_a, only_b = (
        len(_scored([value for value in side.values if value.measure == measure.name]))
        - sum(len(_scored(block.sides[place])) for block in used)
        for place, side in enumerate(sides)
    )
    scored = sum(_count_values(with_unscored, lambda value: value.value is not None))
    unscored = _count_values(with_unscored, lambda value: value.unscored is not None)
    without_failures = scored + sum(unscored)
    needed, on_all = test.settles, None
    if most_clusters and (needed.clusters or 0) > most_clusters:
        clusters = [block.sides[0][0].cluster for block in used]
        on_all = repeats_on_all(gaps, clusters, needed.size, most_clusters, needed.alpha)
    width = measure.high - measure.low  # no two values on the scale differ by more
    difference = on_scale(test.difference, -width, width)
    return ComparedMetric(
        measure=measure,
        test=replace(test, only_a=only_a, only_b=only_b, difference=difference),
        blocks=tuple(blocks),
        missing=_count_values(blocks, lambda value: value.value is None),
        unscored=unscored,
        unlike=sum(abs(gap) > ALIKE for gap in gaps),
        bounds=mean_ends([_ends(block) for block in with_unscored]),
        coverage=scored / without_failures if without_failures else None,
        scored=scored,
        on_all=on_all,
    )


def _count_values(
    blocks: Sequence[MatchedBlock], which: Callable[[Value], bool]
) -> tuple[int, int]:
    """The number of values of a and of b that satisfy a condition."""
    a, b = (sum(which(value) for block in blocks for value in block.sides[i]) for i in (0, 1))
    return a, b


def _scored(values: Sequence[Value]) -> list[float]:
    return [value.value for value in values if value.value is not None]


def _ends(block: MatchedBlock) -> tuple[float, float]:
    """The least and the greatest that the difference of a block could be."""
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
            KeyedValue(number, value.cluster, value.value)
            for number, value in enumerate(plays)
            if value.value is not None
        ]
    return [
        KeyedValue(block.key, block.sides[side][0].cluster, fmean(values))
        for block in blocks
        if (values := _scored(block.sides[side]))
    ]


def _gaps_by_set(blocks: Sequence[MatchedBlock]) -> list[tuple[str, str, float]]:
    """The difference of each pair with two values, with its scenario and prompt set."""
    return [
        (a.cluster, a.prompts, a.value - b.value)
        for (a, *_), (b, *_) in (block.sides for block in blocks)
        if a.value is not None and b.value is not None
    ]


def _rated(blocks: Sequence[MatchedBlock], match: Match) -> list[RatedPlay]:
    """The plays that `_rows` are made of, with who gave what, and what they were matched by."""
    rated = []
    for block in blocks:
        sides = [[value for value in side if value.ratings] for side in block.sides]
        if match != "none" and not all(sides):
            continue
        for side, sign in zip(sides, (1, -1), strict=True):
            together = "" if match == "none" else str(block.key)
            rated += [
                RatedPlay(value.cluster, value.ratings, sign, block=together) for value in side
            ]
    return rated


def _counts(a: ComparedSide, b: ComparedSide, blocks: Blocks) -> dict[Unit, MatchCounts]:
    """What there is and what could be matched, of seats and of whole episodes."""
    matched_blocks = [block for of_measure in blocks.values() for block in of_measure]
    counts: dict[Unit, MatchCounts] = {}
    for unit in get_args(Unit):
        by_episode = unit == "episode"
        places = [
            {play_place(v) for v in s.values if (v.seat is None) is by_episode} for s in (a, b)
        ]
        if any(places):
            own = [b for b in matched_blocks if (b.sides[0][0].seat is None) is by_episode]
            used = [{play_place(v) for block in own for v in block.sides[i]} for i in (0, 1)]
            several = any(len({trial for trial, *_ in side}) < len(side) for side in places)
            counts[unit] = MatchCounts(
                len(places[0]),
                len(places[1]),
                len({block.key for block in own}),
                len(used[0]),
                len(used[1]),
                "whole episode" if by_episode else "seat" if several else "episode",
            )
    return counts


def seat_comparisons(comparison: ComparedAgents) -> dict[str, ComparedAgents]:
    """The comparison in each seat (`report.plays.seat_roles`); a seat in which no two episodes
    answer to each other is left out."""
    roles = seat_places({**comparison.a.casts, **comparison.b.casts})
    seats: dict[str, ComparedAgents] = {}
    for role in sorted({*roles.values()}):
        a, b = (
            replace(
                side,
                values=tuple(v for v in side.values if roles.get((v.trial, v.seat)) == role),
                unscored=tuple(v for v in side.unscored if roles.get((v.trial, v.seat)) == role),
            )
            for side in (comparison.a, comparison.b)
        )
        judge = (comparison.judge, comparison.judge_id)
        with suppress(ConfigError):
            seats[comparison.declared.roles.get(role, role)] = compare_agents(
                comparison.world,
                a,
                b,
                judge,
                comparison.measures,
                comparison.declared,
                comparison.match,
                comparison.looks,
            )
    return seats
