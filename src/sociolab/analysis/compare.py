"""Are two agents different? A minus B, on plays that answer to each other, by one judge's scores.

The figures first (`compared`), then what can be concluded from them, what cannot, and what these
plays could not have shown (`comparison_section`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from statistics import fmean
from typing import Any, Literal, TypeAlias, get_args

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
    uneven,
)
from sociolab.analysis.values import Value
from sociolab.core.episode import TurnsAsked
from sociolab.core.errors import ConfigError
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.score import JudgeId, Measure, judge_title
from sociolab.report.catalogue import Catalogue
from sociolab.report.difference_charts import difference_figures
from sociolab.report.finding import Count, Finding, FindingTable, Sentence
from sociolab.report.formatting import span
from sociolab.report.plays import mean_ends
from sociolab.report.schema import ESTABLISHED
from sociolab.report.section import Section
from sociolab.report.words import failed_of, share
from sociolab.stats.crossed import LEAST_RATERS, RatedEstimate, RatedPlay, for_other_raters
from sociolab.stats.intervals import NO_VARIATION, on_scale
from sociolab.stats.paired import Comparison, KeyedValue, compare
from sociolab.stats.power import ALPHA, NO_REPEATS, fewest
from sociolab.stats.unpaired import compare_unpaired

SAY = Catalogue("compare")

Unit: TypeAlias = Literal["play", "episode"]
"""A seat of a trial, or the whole of it, as the measure goes."""

ALIKE = 1e-11
"""Values that differ by no more differ by rounding only."""

FEW = 10
"""With fewer clusters than this, figures that rest on their scatter are called rough."""


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """How many plays each side has, scored or not, and how many of each answer to the other's;
    `matched` are the pairs, or blocks of plays, that these make.

    `of`: what these are; seats, where an agent sat in several of one episode."""

    a: int
    b: int
    matched: int
    of_a: int
    of_b: int
    of: str = "episode"


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
    a and best for b, and the other way round; None where that is without end. `coverage` is the
    share of matched plays, of both sides, that could be scored among those without a failure.
    """

    measure: Measure
    test: Comparison
    blocks: tuple[MatchedBlock, ...]
    missing: tuple[int, int]
    untold: tuple[int, int]
    unlike: int
    bounds: tuple[float, float] | None
    coverage: float | None

    @property
    def is_whole(self) -> bool:
        """Whether scores are of whole episodes."""
        return any(block.sides[0][0].seat is None for block in self.blocks)

    @property
    def is_open(self) -> bool:
        """Whether a matched play has no score."""
        return any((*self.untold, *self.missing))

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

    @property
    def judged(self) -> str:
        """The judge as tables name it."""
        return judge_title(self.judge, self.judge_id.method)

    @property
    def size(self) -> str:
        """What is held against its counterpart, or stands alone: a pair, a block, an episode."""
        if self.match != "none":
            return "pair" if self.match == "exact" else "block"
        return (self.counts.get("play") or self.counts["episode"]).of

    def unit_of(self, metric: ComparedMetric) -> str:
        """What one score of a metric is of: an episode, or a seat where an agent sat in several."""
        count = self.counts.get("play")
        is_seat = count is not None and count.of == "seat" and not metric.is_whole
        return "seat" if is_seat else "episode"

    @property
    def cluster(self) -> str:
        """What one independent observation is: a scenario, a session, a task."""
        return self.declared.cluster

    @property
    def clusters(self) -> str:
        """What several are called."""
        return Count(self.cluster, 0).column

    @property
    def tested(self) -> int:
        """How many metrics Holm's correction is over."""
        return sum(one.test.holm_p is not None for one in self.metrics.values())

    @property
    def family(self) -> tuple[Count, ...]:
        """What p is corrected for: metrics, and looks where there are several."""
        return (Count("metric", self.tested), *self.planned)

    @property
    def planned(self) -> tuple[Count, ...]:
        """The looks, where several are planned."""
        return (Count("look", self.looks),) if self.looks > 1 else ()

    @property
    def main(self) -> ComparedMetric:
        """The world's main metric, or the first; one that has a difference to speak of, if any,
        and first one of which enough is established (`report.schema.ESTABLISHED`)."""
        mains = [name for name in self.declared.main if name in self.metrics]
        metrics = [self.metrics[name] for name in (*mains, *self.metrics)]
        metrics.sort(key=lambda one: one.coverage is not None and one.coverage < ESTABLISHED)
        return next((one for one in metrics if one.test.design.error is not None), metrics[0])

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
        coverage=_coverage(every),
    )


def _coverage(blocks: Sequence[MatchedBlock]) -> float | None:
    scored = sum(_counted(blocks, lambda value: value.value is not None))
    could = scored + sum(_counted(blocks, lambda value: value.unscored is not None))
    return scored / could if could else None


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


def metric_row(metric: ComparedMetric) -> dict[str, Any]:
    """The difference in a metric as a flat row."""
    test = metric.test
    return {
        "mean_a": test.mean_a,
        "mean_b": test.mean_b,
        "difference": test.difference.value,
        "low": test.difference.low,
        "high": test.difference.high,
        "p": test.p,
        "holm_p": test.holm_p,
        "d_z": test.effect.d_z,
        "pairs": test.pairs,
        "clusters": test.clusters,
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
        "scenario": [found.cluster, *partner],
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
    for unit in get_args(Unit):
        whole = unit == "episode"
        there = [{place_of(v) for v in one.values if (v.seat is None) is whole} for one in (a, b)]
        if any(there):
            mine = [one for one in every if (one.sides[0][0].seat is None) is whole]
            keys = {one.key for one in mine}
            used = [{place_of(v) for one in mine for v in one.sides[i]} for i in (0, 1)]
            counts = (len(there[0]), len(there[1]), len(keys), len(used[0]), len(used[1]))
            several = any(len({trial for trial, *_ in places}) < len(places) for places in there)
            of = "whole episode" if whole else "seat" if several else "episode"
            found[unit] = MatchCounts(*counts, of)
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


# ------------------------------------------------------------------ what it concludes

_COLUMNS = ("metric", "a", "b", "difference", "interval", "p", "adjusted_p")
_DETAILS = ("compare.sample_size", "compare.invalid_turns", "compare.untested")
"""What the overview leaves out: the rest of the section says it, too."""


def comparison_findings(comparison: ComparedAgents, seat: str = "") -> tuple[Finding, ...]:
    """A finding for each metric: a minus b, over how many pairs (or blocks) and clusters.

    Beside it: the means (`a`, `b`), the effect (`d_z`, `higher`, `equal`, `lower`: clusters by
    their sign), the design (`detectable`, `needed` clusters, `repeats`, `at_most`, `smallest_p`)
    and Student's test (`t`, `df`, `student_p`). `seat`: of which seat's plays these are.
    """
    return tuple(_finding(comparison, metric, seat) for metric in comparison.metrics.values())


def _finding(comparison: ComparedAgents, metric: ComparedMetric, seat: str) -> Finding:
    test, student = metric.test, metric.test.t_test
    pairs = (Count("pair", test.pairs),) if comparison.match != "none" else ()
    factor = test.settles.repeats
    return Finding(
        metric.measure,
        {"seat": seat, "judge": comparison.judge} if seat else {"judge": comparison.judge},
        test.difference,
        (*pairs, Count(comparison.cluster, test.clusters)),
        test.p,
        test.holm_p,
        coverage=metric.coverage,
        bounds=metric.bounds if metric.is_open else None,
        more={
            "a": test.mean_a,
            "b": test.mean_b,
            "unpaired": SAY("unpaired", a=test.only_a, b=test.only_b),
            "higher": test.effect.better,
            "equal": test.effect.equal,
            "lower": test.effect.worse,
            "d_z": test.effect.d_z,
            "detectable": test.design.detectable,
            "needed": test.settles.clusters,
            "repeats": factor and (SAY("enough") if factor == 1 else SAY("times", factor=factor)),
            "at_most": test.at_most,
            "smallest_p": test.permutation.smallest,
            "t": student.t,
            "df": student.freedom,
            "student_p": student.p,
        },
    )


def comparison_section(comparison: ComparedAgents, judged: str, cautions: Sequence[str]) -> Section:
    """What is concluded; `judged` says what to think of the judge's figures, `cautions` what else
    not to conclude."""
    findings = comparison_findings(comparison)
    cluster, clusters = comparison.cluster, comparison.clusters
    metrics = comparison.metrics.values()
    never = [one.measure for one in metrics if one.test.settles.note == NO_REPEATS]
    return Section(
        SAY("title", a=comparison.a.name, b=comparison.b.name),
        (*matching_notes(comparison), judged, *_conclusions(comparison), *_power(comparison)),
        (*cautions, *_cautions(comparison)),
        (
            SAY.table(
                "differences",
                findings,
                columns=(*_COLUMNS, *_bounds_column(findings)),
                notes=_differences_notes(comparison),
                cluster=cluster,
                declared=comparison.declared,
                judge=comparison.judged,
            ),
            SAY.table("basis", findings, clusters=clusters),
            SAY.table(
                "design",
                findings,
                notes=[SAY("no_repeats", cluster=cluster, metrics=never)] if never else (),
                level=_at_level(comparison),
                clusters=clusters,
                fewest=fewest(_level(comparison)),
            ),
            SAY.table("student", findings, of=cluster),
        ),
        difference_figures(
            findings, comparison.declared, comparison.a.name, comparison.b.name, comparison.judged
        ),
    )


def comparison_overview(whole: Section) -> Section:
    """Of the comparison's section what is read first: conclusions, differences and their charts;
    without notes that repeat what these and the cautions say."""

    def leading(notes: Iterable[str]) -> tuple[str, ...]:
        return tuple(note for note in notes if getattr(note, "id", "") not in _DETAILS)

    table = replace(whole.tables[0], notes=leading(whole.tables[0].notes))
    return replace(whole, said=leading(whole.said), tables=(table,))


def seat_section(seats: Mapping[str, ComparedAgents]) -> Section:
    """The same comparison over the plays of each seat, such as buyers and sellers."""
    findings = [row for seat, one in seats.items() for row in comparison_findings(one, seat)]
    columns = ("seat", *_COLUMNS, *_bounds_column(findings))
    declared = next(iter(seats.values())).declared
    table = SAY.table("by_seat", findings, columns=columns, declared=declared)
    return Section(SAY("by_seat"), tables=(table,))


def _bounds_column(findings: Iterable[Finding]) -> tuple[str, ...]:
    return ("bounds",) if any(row.bounds for row in findings) else ()


def _differences_notes(comparison: ComparedAgents) -> Iterator[Sentence]:
    metrics = comparison.metrics.values()
    yield _over(comparison)
    if comparison.tested:
        yield SAY("p", test=_test_of(comparison), family=comparison.family)
    if any(one.is_open for one in metrics):
        yield SAY("bounds")
    failed_a, failed_b = failed_of(comparison.a.asked), failed_of(comparison.b.asked)
    if failed_a or failed_b:
        yield SAY("invalid_turns", a=failed_a or "none", b=failed_b or "none")
    idle = [one.measure for one in metrics if one.test.pairs and one.test.holm_p is None]
    if idle:
        yield SAY("untested", cluster=comparison.cluster, metrics=idle)


def _over(comparison: ComparedAgents) -> Sentence:
    """How many pairs and clusters the means are over, and whom both agents met."""
    usable = [one.test for one in comparison.metrics.values() if one.test.pairs]
    if not usable:
        return SAY("over_nothing")
    pairs = _from_to(comparison.size, [one.pairs for one in usable])
    clusters = _from_to(comparison.cluster, [one.clusters for one in usable])
    met = comparison.a.partners
    if met != comparison.b.partners:
        return SAY("over", pairs=pairs, clusters=clusters)
    return SAY("over_with_partners", pairs=pairs, clusters=clusters, partners=met)


def _from_to(of: str, counts: Sequence[int]) -> Count | Sentence:
    """How many the metrics have, the fewest first."""
    least, most = min(counts), Count(of, max(counts))
    return most if least == most.n else SAY("from_to", least=least, most=most)


def _test_of(comparison: ComparedAgents) -> Sentence:
    if any(one.test.difference.method == "crossed" for one in comparison.metrics.values()):
        return SAY("both_ways")
    return SAY("welch") if comparison.match == "none" else SAY("sign_flip")


def _level(comparison: ComparedAgents) -> float:
    """The p that shows a metric's difference whatever the other metrics come to."""
    return ALPHA / max(comparison.tested, 1) / comparison.looks


def _at_level(comparison: ComparedAgents) -> Sentence:
    """At which level a difference counts as shown here."""
    tests = comparison.tested * comparison.looks
    if tests < 2:
        return SAY("level")
    level = _level(comparison)
    return SAY("level_of_several", tests=tests, level=level, family=comparison.family)


def matching_notes(comparison: ComparedAgents) -> Iterator[Sentence]:
    """What was held against what, why not more closely, and what is left over."""
    for unit, count in comparison.counts.items():
        a, b = Count(count.of, count.a), Count(count.of, count.b)
        left_a, left_b = count.a - count.of_a, count.b - count.of_b
        yield SAY(
            "matching",
            matched=_matched(comparison, unit, count),
            used=SAY("not_used", left_a=left_a, a=a, left_b=left_b, b=b)
            if left_a or left_b
            else SAY("all_used", units=a.column),
            clustered=_clustered(comparison),
        )


def _matched(comparison: ComparedAgents, unit: Unit, count: MatchCounts) -> Sentence:
    units = Count(count.of, 0).column
    because = SAY("because", why=comparison.why) if comparison.why else ""
    if comparison.match == "none":
        return SAY("none", units=units, because=because)
    shared = _shared(comparison, unit)
    if comparison.match == "exact":
        return SAY("exact", pairs=Count("pair", count.matched), units=units, shared=shared)
    blocks = Count("block", count.matched)
    return SAY("scenario", blocks=blocks, units=units, shared=shared, because=because)


def _clustered(comparison: ComparedAgents) -> Sentence:
    clusters = max(one.test.clusters for one in comparison.metrics.values())
    say = partial(SAY, cluster=comparison.cluster, clusters=clusters)
    if raters := _raters(comparison, crossed=True):
        return say("clustered_both_ways", raters=raters)
    return say("clustered")


def _shared(comparison: ComparedAgents, unit: Unit) -> str:
    """What the plays of a pair, or of a block, have in common."""
    partner = partner_words(comparison)
    if comparison.match == "exact":
        by_seats = unit == "play"
        return SAY("shared_by_seats" if by_seats else "shared_by_episodes", partner=partner)
    if not comparison.partners:
        return comparison.cluster
    return SAY("shared_by_blocks", cluster=comparison.cluster, partner=partner)


def partner_words(comparison: ComparedAgents) -> Sentence:
    """By what partners were matched."""
    return SAY("role") if comparison.by == "role" else SAY("partner")


def _raters(comparison: ComparedAgents, *, crossed: bool = False) -> int:
    """How many people scored, at most; `crossed`: where intervals hold for others, too."""
    gaps = (one.test.difference for one in comparison.metrics.values())
    return max(
        (
            gap.raters
            for gap in gaps
            if isinstance(gap, RatedEstimate) and (gap.method == "crossed" or not crossed)
        ),
        default=0,
    )


def _conclusions(comparison: ComparedAgents) -> Iterator[Sentence]:
    """What is shown, what is not, and what could not be tested, each metric once."""
    kinds: dict[str, list[ComparedMetric]] = {}
    for metric in comparison.metrics.values():
        kinds.setdefault(_kind(comparison, metric), []).append(metric)
    for metric in kinds.get("shown", ()):
        yield _shown(comparison, metric)
    if some := kinds.get("not shown"):
        yield SAY("not_shown", metrics=list(map(_with_interval, some)))
    if some := kinds.get("undecided"):
        yield SAY(
            "undecided",
            metrics=list(map(_with_interval, some)),
            clusters=comparison.clusters,
            family=comparison.family,
        )
    if some := kinds.get("equal"):
        size = Count(comparison.size, 0).column
        yield SAY("equal", matched=size, metrics=[one.measure for one in some])
    if some := kinds.get("empty"):
        yield SAY("not_compared", metrics=[one.measure for one in some])


def _kind(comparison: ComparedAgents, metric: ComparedMetric) -> str:
    test = metric.test
    if metric.is_significant:
        return "shown"
    if not test.pairs:
        return "empty"
    # Of episodes that are not matched, equal means do not say that nothing differs.
    if not metric.unlike and (comparison.match != "none" or test.difference.note == NO_VARIATION):
        return "equal"
    # No result could have come out significant, Holm's correction for the smallest p included.
    smallest = test.permutation.smallest
    if smallest is not None and smallest * comparison.tested * comparison.looks > ALPHA:
        return "undecided"
    return "not shown"


def _shown(comparison: ComparedAgents, metric: ComparedMetric) -> Sentence:
    test, measure = metric.test, metric.measure
    value = test.difference.value or 0.0
    direction = "higher" if value > 0 else "lower"
    better = comparison.declared.metric(measure.name).better
    better_or_worse = SAY("which_is_better") if better == direction else SAY("which_is_worse")
    return SAY(
        "shown",
        metric=measure,
        direction=direction,
        size=abs(value),
        judgement=better_or_worse if better else "",
        interval=span(test.difference, measure) or SAY("no_ends", why=test.difference.note),
        p=test.p,
        adjusted_p=test.holm_p,
        doubt=SAY("doubtful") if metric.excludes_zero is False else "",
    )


def _with_interval(metric: ComparedMetric) -> Sentence:
    test = metric.test
    interval = span(test.difference, metric.measure)
    interval = interval or SAY("without_interval", why=test.difference.note)
    say = partial(SAY, metric=metric.measure, interval=interval)
    if metric.excludes_zero:
        return say("with_interval_yet", p=test.p, adjusted_p=test.holm_p)
    if test.p is not None and test.p < ALPHA:
        return say("with_interval_but", p=test.p, adjusted_p=test.holm_p)
    return say("with_interval")


def _power(comparison: ComparedAgents) -> Iterator[Sentence]:
    """What could be seen in the main metric, and what would settle the observed difference."""
    metric = comparison.main
    test, measure = metric.test, metric.measure
    least = test.design.detectable
    if least is not None:
        level = _at_level(comparison)
        yield SAY("detectable", metric=measure, difference=least, level=level)
    if test.at_most is not None and not metric.is_significant:
        yield SAY("at_most", metric=measure, margin=test.at_most)
    needed = test.settles
    if not needed.size or needed.clusters is None or needed.repeats == 1:
        return
    if needed.repeats is not None:
        otherwise: Sentence | str = SAY("or_repeats", factor=needed.repeats)
    elif needed.note == NO_REPEATS:
        otherwise = SAY("or_never", cluster=comparison.cluster)
    else:
        otherwise = SAY("because", why=needed.note) if needed.note else ""
    yield SAY(
        "sample_size",
        metric=measure,
        difference=test.difference,
        clusters=Count(comparison.cluster, needed.clusters),
        otherwise=otherwise,
    )


def _cautions(comparison: ComparedAgents) -> Iterator[Sentence]:
    metrics, cluster = comparison.metrics.values(), comparison.cluster
    yield from failed_turns_notes({"A": comparison.a.asked, "B": comparison.b.asked})
    if comparison.judge_id.method == "people" and _raters(comparison) < LEAST_RATERS:
        yield SAY("few_raters", least=LEAST_RATERS)
    clusters = [one.test.clusters for one in metrics if one.test.pairs]
    if clusters and min(clusters) < FEW:
        yield SAY("few_clusters", clusters=_from_to(cluster, clusters))
    if comparison.match == "scenario":
        blocks = {name: one.blocks for name, one in comparison.metrics.items()}
        if odd := uneven(comparison.a, comparison.b, blocks):
            yield SAY("uneven", clusters=Count(cluster, len(odd)))
    for one in metrics:
        if any(one.untold):
            yield _not_established(one, f"matched {comparison.unit_of(one)}")
    if missing := list(_missing(comparison)):
        yield SAY("missing", most=missing)


def _missing(comparison: ComparedAgents) -> Iterator[Sentence]:
    """How many seats, and how many episodes, lack a value in some metric."""
    metrics = comparison.metrics.values()
    for unit in dict.fromkeys(map(comparison.unit_of, metrics)):
        missing = [one.missing for one in metrics if comparison.unit_of(one) == unit]
        a, b = map(max, zip(*missing, strict=True))
        if a or b:
            yield SAY("of_each", a=Count(f"matched {unit}", a), b=b)


def _not_established(metric: ComparedMetric, unit: str) -> Sentence:
    a, b = metric.untold
    say = partial(SAY, metric=metric.measure, a=Count(unit, a), b=b)
    if metric.bounds is None:
        return say("of_any_size")
    could = metric.bounds[0] < 0 < metric.bounds[1]
    return say("sign_could_change" if could else "sign_would_not_change", bounds=metric.bounds)


def failed_turns_notes(asked: Mapping[str, TurnsAsked]) -> Iterator[Sentence]:
    """Who failed turns, and what share."""
    for agent, one in asked.items():
        if one.failed:
            turns = Count("turn", one.asked)
            yield SAY(
                "failed_turns", agent=agent, failed=one.failed, turns=turns, share=share(*one)
            )


# ------------------------------------------------------------------ beside the scores of a run


def overview_table(
    comparisons: Sequence[ComparedAgents], a: str, b: str, notes: Iterable[str] = ()
) -> FindingTable:
    """Two agents side by side, a row for each metric of each comparison."""
    findings = [row for each in comparisons for row in comparison_findings(each)]
    below = (*_overview_notes(comparisons), *notes)
    declared = comparisons[0].declared
    table = SAY.table("two_agents", findings, notes=below, declared=declared, a=a, b=b)
    marked = any(row.metric and declared.metric(row.metric.name).mark for row in findings)
    return table if marked else replace(table, legend="")  # the scores above have it


def _overview_notes(comparisons: Sequence[ComparedAgents]) -> Iterator[Sentence]:
    """How these figures were made, and what not to conclude from them, in a line each; says of
    which metrics where not all were matched alike."""
    ways: dict[Sentence, list[ComparedAgents]] = {}
    for each in comparisons:
        ways.setdefault(_way(each), []).append(each)
    cluster = comparisons[0].cluster
    for way, some in ways.items():
        if len(ways) == 1:
            yield SAY("overview", way=way, cluster=cluster)
        else:
            which = [SAY("by_judge", metrics=[*c.measures.values()], judge=c.judge) for c in some]
            yield SAY("overview_of_some", which=which, way=way, cluster=cluster)
    metrics = [one for each in comparisons for one in each.metrics.values()]
    if not all(one.test.p is not None and one.test.p < ALPHA for one in metrics):
        yield SAY("not_equal")
    if any(one.is_open for one in metrics):
        yield SAY("left_out")


def _way(comparison: ComparedAgents) -> Sentence:
    """How the plays were matched, in a few words."""
    counts = comparison.counts
    if comparison.match == "none":
        count = counts.get("play") or counts["episode"]
        return SAY("unmatched", units=Count(count.of, 0).column, a=count.of_a, b=count.of_b)
    shared = [_shared(comparison, unit) for unit in counts]
    if comparison.match == "exact":
        return SAY("pairs_matched", shared=shared)
    units = " or ".join(Count(count.of, 0).column for count in counts.values())
    return SAY("blocks_matched", units=units, shared=shared)
