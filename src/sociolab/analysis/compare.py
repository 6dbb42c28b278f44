"""Are two agents different? Compared on the plays that both have, in each measure of one judge.

The figures (`compared`), what can be concluded from them and what cannot (`comparison_section`),
tables and charts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias

from sociolab.analysis.crossed_pairs import IN_RATERS, ONE_PERSON, with_raters
from sociolab.analysis.formatting import (
    NOTHING,
    explained,
    figure,
    headed,
    listed,
    p_text,
    span,
    title_of,
    titles,
)
from sociolab.analysis.matching import By, ComparedSide, Keyed, MatchKey, matched
from sociolab.analysis.values import Value
from sociolab.core.episode import TurnsAsked
from sociolab.core.errors import ConfigError
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.score import JudgeId, Measure, judge_title
from sociolab.report.charts import Dot, dot_chart
from sociolab.report.figures import Panel, Point, interval_figure
from sociolab.report.plays import mean_ends, seat_roles
from sociolab.report.section import Figure, Section, Spec, TextTable
from sociolab.report.words import (
    failed_of,
    first_digits,
    interval_methods,
    minus,
    plural,
    share,
)
from sociolab.stats.intervals import CUT, on_scale
from sociolab.stats.paired import Comparison, KeyedValue, compare
from sociolab.stats.power import ALPHA, NO_REPEATS

Unit: TypeAlias = Literal["play", "episode"]
"""A seat of a trial, or the whole of it, as the measure goes."""

ALIKE = 1e-11
"""Values that differ by no more differ by rounding only."""

_Pairs: TypeAlias = Sequence[tuple[Value, Value]]

FEW = 10
"""With fewer clusters than this, figures that rest on their scatter are called rough."""

_INTERVALS = " (95 % interval of A \N{MINUS SIGN} B)"
_UNITS: dict[Unit, str] = {"play": "episodes", "episode": "whole episodes"}


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """How many plays each side has, scored or not, and how many of them answer to each other."""

    a: int
    b: int
    matched: int


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
class ComparedAgents:
    """a minus b in each measure.

    `counts` says what could be matched, `plays` holds the matched plays by measure. Of these,
    `missing` counts those of a and of b whose value is missing (they are no pairs), `unlike` the
    pairs that differ at all. `untold` counts those of a and of b that could not be scored, and
    `bounds` are what the mean difference would be over all of them with everything that has no
    value at its worst for a and best for b, and the other way round; None where that is without
    end.
    """

    world: str
    a: ComparedSide
    b: ComparedSide
    judge: str
    judge_id: JudgeId
    by: By
    counts: Mapping[Unit, MatchCounts]
    measures: Mapping[str, Measure]
    plays: Mapping[str, tuple[EpisodePair, ...]]
    found: Mapping[str, Comparison]
    missing: Mapping[str, tuple[int, int]]
    unlike: Mapping[str, int]
    untold: Mapping[str, tuple[int, int]]
    bounds: Mapping[str, tuple[float, float] | None]
    declared: Declared = UNDECLARED

    def is_open(self, name: str) -> bool:
        """Whether a matched play has no score in this measure."""
        return any((*self.untold[name], *self.missing[name]))


def compared(
    world: str,
    a: ComparedSide,
    b: ComparedSide,
    judge: tuple[str, JudgeId],
    measures: Mapping[str, Measure],
    declared: Declared = UNDECLARED,
) -> ComparedAgents:
    """Compare both sides in these measures; `judge` is its label and itself.

    Tasks of one id must be the same task on both sides. ConfigError where nothing can be matched.
    """
    found = matched(a, b)
    counts = _counts(found.a, found.b)
    if not any(count.matched for count in counts.values()):
        raise ConfigError(
            f"no episode of {a.name} can be paired with one of {b.name}: they share no task with "
            f"the same seat, partner and repeat (partners: {'; '.join(a.partners)} and "
            f"{'; '.join(b.partners)})"
        )
    sides = {name: (found.a.get(name, {}), found.b.get(name, {})) for name in measures}
    plays = {
        name: tuple(EpisodePair(name, key, x[key], y[key]) for key in x if key in y)
        for name, (x, y) in sides.items()
    }
    every = _with_untold(a, b)
    results = compare({name: (_rows(x), _rows(y)) for name, (x, y) in sides.items()})
    if judge[1].method == "people":
        pairs = {n: [(x[key], y[key]) for key in x if key in y] for n, (x, y) in sides.items()}
        results = with_raters(results, pairs)
    return ComparedAgents(
        world=world,
        declared=declared,
        a=a,
        b=b,
        judge=judge[0],
        judge_id=judge[1],
        by=found.by,
        counts=counts,
        measures=measures,
        plays=plays,
        found={name: _within(one, measures[name]) for name, one in results.items()},
        missing={name: _missing(some) for name, some in plays.items()},
        unlike={
            name: sum(abs(one.difference or 0.0) > ALIKE for one in some)
            for name, some in plays.items()
        },
        untold={name: _untold(some) for name, some in ((n, every.get(n, ())) for n in measures)},
        bounds={name: _bounds(every.get(name, ())) for name in measures},
    )


def _with_untold(a: ComparedSide, b: ComparedSide) -> dict[str, _Pairs]:
    """The matched plays by measure, those among them that could not be scored."""
    found = matched(*(replace(one, values=(*one.values, *one.untold)) for one in (a, b)))
    return {
        name: [(mine[key], found.b[name][key]) for key in mine if key in found.b[name]]
        for name, mine in found.a.items()
        if name in found.b
    }


def _untold(pairs: _Pairs) -> tuple[int, int]:
    """How many plays of a and of b could not be scored."""
    left, right = (sum(pair[i].unscored is not None for pair in pairs) for i in (0, 1))
    return left, right


def _bounds(pairs: _Pairs) -> tuple[float, float] | None:
    return mean_ends([(a.ends[0] - b.ends[1], a.ends[1] - b.ends[0]) for a, b in pairs])


def _within(one: Comparison, measure: Measure) -> Comparison:
    """The interval cut to what two values on the measure's scale can differ by."""
    width = measure.high - measure.low
    return replace(one, difference=on_scale(one.difference, -width, width))


def comparison_document(found: ComparedAgents) -> dict[str, Any]:
    """The comparison as a JSON object: see docs/compare.md."""
    return {
        "a": _side(found.a),
        "b": _side(found.b),
        "judge": {"judge": found.judge, "method": found.judge_id.method},
        "matched_by": ["task", "seat", found.by, "repeat"],
        "matched": {unit: asdict(count) for unit, count in found.counts.items()},
        "measures": {name: _measured(found, name) for name in found.measures},
    }


def _side(side: ComparedSide) -> dict[str, Any]:
    return {
        "run": side.run,
        "agent": side.agent,
        "partners": list(side.partners),
        "failed_turns": side.asked.failed,
        "turns_asked": side.asked.asked,
    }


def _measured(found: ComparedAgents, name: str) -> dict[str, Any]:
    one, missing = found.found[name], found.missing[name]
    return {
        "pairs": one.pairs,
        "clusters": one.clusters,
        **asdict(one),
        "superiority": one.effect.superiority,
        "unlike": found.unlike[name],
        "missing_a": missing[0],
        "missing_b": missing[1],
        "not_established_a": found.untold[name][0],
        "not_established_b": found.untold[name][1],
        "bounds": found.bounds[name],
    }


def _counts(a: Keyed, b: Keyed) -> dict[Unit, MatchCounts]:
    left, right = _keys(a), _keys(b)
    return {
        unit: MatchCounts(len(left[unit]), len(right[unit]), len(left[unit] & right[unit]))
        for unit in left
        if left[unit] or right[unit]
    }


def _keys(side: Keyed) -> dict[Unit, set[MatchKey]]:
    keys = {key for values in side.values() for key in values}
    whole = {key for key in keys if key.seat is None}
    return {"play": keys - whole, "episode": whole}


def _rows(values: Mapping[MatchKey, Value]) -> list[KeyedValue]:
    return [
        KeyedValue(key, value.cluster, value.value)
        for key, value in values.items()
        if value.value is not None
    ]


def _missing(plays: Sequence[EpisodePair]) -> tuple[int, int]:
    return sum(one.a.value is None for one in plays), sum(one.b.value is None for one in plays)


def comparison_section(found: ComparedAgents, judged: str, cautions: Sequence[str]) -> Section:
    """The section; `judged` says what to think of the judge's figures."""
    return Section(
        f"A: {found.a.name} vs. B: {found.b.name}",
        (*_matching(found), judged, *_findings(found), *_power(found), *_sample_size(found)),
        (*cautions, *_cautions(found)),
        (differences(found), basis(found), design(found), students(found)),
        difference_figures(found),
    )


def comparison_overview(whole: Section, found: ComparedAgents) -> Section:
    """Of the comparison's section what is read first: its findings and the differences; without
    notes that repeat what findings and cautions say.
    """
    skipped = {*_sample_size(found)}
    said = tuple(sentence for sentence in whole.said if sentence not in skipped)
    told = {*_failed_turns(found), *_left_out(found), *_no_interval(found)}
    table = whole.tables[0]
    table = replace(table, notes=tuple(note for note in table.notes if note not in told))
    return replace(whole, said=said, tables=(table,), figures=())


def seat_section(found: Mapping[str, ComparedAgents]) -> Section:
    """The same comparison over the plays of each seat, such as buyers and sellers."""
    tables = {seat: differences(one) for seat, one in found.items()}
    first = next(iter(tables.values()))
    rows = tuple((seat, *row) for seat, table in tables.items() for row in table.rows)
    notes = ("means over the pairs of a seat; Holm p: corrected for the metrics of that seat, not "
             "for the number of seats",)  # fmt: skip
    heads = ("seat", *first.columns)
    table = replace(
        first, heading="Differences by seat", columns=heads, rows=rows, notes=notes, words=(1,)
    )
    return Section("By seat", tables=(table,))


def by_seat(found: ComparedAgents) -> dict[str, ComparedAgents]:
    """The comparison in each seat (`report.plays.seat_roles`); a seat in which no two plays answer
    to each other is left out."""
    roles = seat_roles(
        (trial, member.seat)
        for side in (found.a, found.b)
        for trial, cast in side.casts.items()
        for member in cast
    )
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
        with suppress(ConfigError):
            compared_seats[found.declared.roles.get(role, role)] = compared(
                found.world, a, b, (found.judge, found.judge_id), found.measures, found.declared
            )
    return compared_seats


def _matching(found: ComparedAgents) -> Iterator[str]:
    partner = "partner" if found.by == "partner" else "role of the partner"
    clusters = max(one.clusters for one in found.found.values())
    for unit, count in found.counts.items():
        many = _UNITS[unit]
        seat = "seat, " if unit == "play" else ""
        yield (
            f"{plural(count.matched, f'pair of {many}', f'pairs of {many}')}, matched by task, "
            f"{seat}{partner} and repeat. {_alone(count, many)} Intervals and p are clustered by "
            f"{cluster_of(found)} ({clusters:,})."
        )


def _alone(count: MatchCounts, many: str) -> str:
    a, b = count.a - count.matched, count.b - count.matched
    if not a and not b:
        return f"All {many} could be paired."
    return f"Unpaired: {a:,} of {count.a:,} {many} of A, {b:,} of {count.b:,} of B."


def _findings(found: ComparedAgents) -> Iterator[str]:
    """What is shown, what is not, and what could not be tested, each measure once."""
    shown = [name for name, one in found.found.items() if _significant(one)]
    same = [name for name, one in found.found.items() if one.pairs and not found.unlike[name]]
    empty = [name for name, one in found.found.items() if not one.pairs]
    left = [name for name in found.found if name not in (*shown, *same, *empty)]
    count = tested(found)
    blind = [name for name in left if _blind(found.found[name], count)]
    left = [name for name in left if name not in blind]
    for name in shown:
        yield _shown(found, name)
    if left:
        yield (
            f"No significant difference{_INTERVALS} in "
            f"{listed([_with_ends(found, name) for name in left])}. This is not evidence of "
            "equality: any true difference within the interval is compatible with the data."
        )
    if blind:
        intervals = listed([_with_ends(found, name) for name in blind])
        yield (
            f"Undecided{_INTERVALS}: {intervals}. So few {cluster_of(found)}s differ that the "
            f"test, corrected for {plural(count, 'metric')}, could not have come out "
            f"significant; add {cluster_of(found)}s, or test fewer metrics (--metric)."
        )
    if same:
        yield (
            f"All pairs are equal in {_titles(found, same)}, so there is nothing to test. Other "
            "episodes need not be equal."
        )
    if empty:
        yield f"Not compared: {_titles(found, empty)}; no pair has a value on both sides."


def _shown(found: ComparedAgents, name: str) -> str:
    one, measure = found.found[name], found.measures[name]
    value = one.difference.value or 0.0
    ends = span(one.difference, measure) or f"none, {one.difference.note}"
    higher = "higher" if value > 0 else "lower"
    better = found.declared.metric(name).better
    which = f", which is {'better' if better == higher else 'worse'}" if better else ""
    text = (
        f"{title_of(measure)} is {higher} for A by {figure(abs(value), measure)}{which}"
        f" (A \N{MINUS SIGN} B, 95 % interval: {ends}); p {_equals(one.p)}, after "
        f"Holm's correction {p_text(one.holm_p)}."
    )
    low, high = one.difference.low, one.difference.high
    if low is not None and high is not None and low <= 0 <= high:
        text += " Its interval nevertheless includes 0: treat it as doubtful."
    return text


def _with_ends(found: ComparedAgents, name: str) -> str:
    one, measure = found.found[name], found.measures[name]
    ends = span(one.difference, measure) or f"(no interval: {one.difference.note})"
    low, high = one.difference.low, one.difference.high
    alone = ""
    if low is not None and high is not None and not low <= 0 <= high:
        alone = f" (excludes 0, yet p {_equals(one.p)}, {p_text(one.holm_p)} corrected)"
    elif one.p is not None and one.p < ALPHA:
        alone = f" (p {_equals(one.p)}, but {p_text(one.holm_p)} corrected)"
    return f"{title_of(measure)} {ends}{alone}"


def _power(found: ComparedAgents) -> Iterator[str]:
    name = main_measure(found)
    one, measure = found.found[name], found.measures[name]
    seen = detectable(one)
    if seen is not None:
        yield (
            f"Minimum detectable difference in {title_of(measure)}: {figure(seen, measure)} (80 % "
            f"power {at_level(found)}). A smaller true difference is missed more often."
        )


def _sample_size(found: ComparedAgents) -> Iterator[str]:
    name = main_measure(found)
    one, measure = found.found[name], found.measures[name]
    if one.settles.size and one.settles.clusters is not None and repeats_needed(one) != 1.0:
        yield (
            f"If the observed {figure(one.difference.value, measure)} in {title_of(measure)} were "
            f"the true difference, detecting it would take {_settling(found, one)}."
        )


def _settling(found: ComparedAgents, one: Comparison) -> str:
    many = f"{clusters_needed(one):,} {cluster_of(found)}s in all, with as many episodes each"
    factor = repeats_needed(one)
    if factor is not None:
        return f"{many}; or {times(factor)} times as many repeats of these tasks"
    if one.settles.note == NO_REPEATS:
        return f"{many}; no number of repeats suffices (between-{cluster_of(found)} variance)"
    return f"{many} ({one.settles.note})" if one.settles.note else many


def _cautions(found: ComparedAgents) -> Iterator[str]:
    yield from failed_turns_told({"A": found.a.asked, "B": found.b.asked})
    if found.judge_id.method == "people":
        crossed = any(one.difference.method == "crossed" for one in found.found.values())
        yield IN_RATERS if crossed else ONE_PERSON
    clusters = [one.clusters for one in found.found.values() if one.pairs]
    if clusters and min(clusters) < FEW:
        few = _how_many(clusters, cluster_of(found))
        yield (f"With only {few}, intervals, p and required sample sizes are rough.")
    for name, (a, b) in found.untold.items():
        if a or b:
            yield _not_established(found, name, a, b)
    lost = {name: (a, b) for name, (a, b) in found.missing.items() if a or b}
    if lost:
        a, b = (max(counts[side] for counts in lost.values()) for side in (0, 1))
        yield (
            f"Up to {a:,} matched episodes of A and {b:,} of B lack a value in a metric. Such "
            "pairs are left out; if an agent fails where it is hard, that flatters it."
        )


def _not_established(found: ComparedAgents, name: str, a: int, b: int) -> str:
    told = (
        f"{title_of(found.measures[name])} could not be established in "
        f"{plural(a, 'matched episode')} of A and {b:,} of B"
    )
    ends = found.bounds[name]
    if ends is None:
        return f"{told}: the difference could be of any size."
    sign = "could" if ends[0] < 0 < ends[1] else "would not"
    return (
        f"{told}. Whatever their scores, the difference lies within {bounds(found, name)}: its "
        f"sign {sign} change."
    )


def failed_turns_told(asked: Mapping[str, TurnsAsked]) -> Iterator[str]:
    """Who failed turns, and what share, in a sentence each."""
    for name, one in asked.items():
        if one.failed:
            yield (
                f"{name} failed {one.failed:,} of {plural(one.asked, 'turn')} "
                f"({share(*one)}). Its scores are based on the others."
            )


def _how_many(counts: Sequence[int], of: str) -> str:
    """How many clusters or pairs the measures have, the fewest first."""
    least, most = min(counts), max(counts)
    return plural(least, of) if least == most else f"{least:,} to {most:,} {of}s"


def main_measure(found: ComparedAgents) -> str:
    """The world's main measure that has a difference to speak of, or the first measure."""
    usable = [name for name, one in found.found.items() if one.design.detectable is not None]
    mains = [name for name in found.declared.main if name in usable]
    return [*mains, *usable, *found.found][0]


def _significant(one: Comparison) -> bool:
    return one.holm_p is not None and one.holm_p < ALPHA


def _blind(one: Comparison, tested: int) -> bool:
    """Whether no result could have come out significant, Holm's correction for the smallest of
    `tested` p-values included."""
    smallest = one.permutation.smallest
    return smallest is not None and smallest * tested > ALPHA


def _titles(found: ComparedAgents, names: Sequence[str]) -> str:
    return titles(found.measures[name] for name in names)


def _equals(p: float | None) -> str:
    text = p_text(p)
    return text.replace("<", "< ") if text.startswith("<") else f"= {text}"


def differences(found: ComparedAgents) -> TextTable:
    """Both means, their difference, its interval and p; what plays without a score could make of
    it, where there are any."""
    open_ = any(found.is_open(name) for name in found.found)
    rows = tuple(
        (
            headed(found.measures[name], found.declared),
            figure(one.mean_a, found.measures[name]),
            figure(one.mean_b, found.measures[name]),
            figure(one.difference.value, found.measures[name]),
            span(one.difference, found.measures[name]) or NOTHING,
            p_text(one.p),
            p_text(one.holm_p),
            *([bounds(found, name) or NOTHING] if open_ else []),
        )
        for name, one in found.found.items()
    )
    heads = ("metric", "A", "B", "A \N{MINUS SIGN} B", "95 % interval", "p", "Holm p")
    shown = [measure for name, measure in found.measures.items() if found.found[name].pairs]
    tips, spelt = explained(shown, found.declared)
    how = interval_methods(one.difference.method for one in found.found.values())
    return TextTable(
        f"Differences · judge: {judge_title(found.judge, found.judge_id.method)}",
        (*heads, *(["bounds"] if open_ else [])),
        rows,
        (
            _rests_on(found),
            f"95 % interval: {how}{_cut(found)}; p: sign-flip permutation test; Holm "
            f"p: corrected for {plural(tested(found), 'metric')}",
            *(
                [
                    "bounds: the difference over all matched episodes with unscored ones at their "
                    "worst for A and best for B, and the other way round"
                ]
                if open_
                else []
            ),
            *_failed_turns(found),
            *_left_out(found),
            *_no_interval(found),
        ),
        tips=tips,
        legend=spelt,
    )


def _rests_on(found: ComparedAgents) -> str:
    """How many pairs and clusters the means are over, and whom both agents met."""
    usable = [one for one in found.found.values() if one.pairs]
    if not usable:
        return "no pair has a value on both sides"
    pairs = _how_many([one.pairs for one in usable], "pair")
    clusters = _how_many([one.clusters for one in usable], cluster_of(found))
    met = found.a.partners
    partner = f"; partner{'s' if len(met) > 1 else ''} of both: {' and '.join(met)}"
    return f"means over {pairs} in {clusters}{partner if met == found.b.partners else ''}"


def overview_rows(found: ComparedAgents) -> Iterator[tuple[str, ...]]:
    """A row for each metric: its judge, both means, their difference, its interval, p, pairs."""
    for name, one in found.found.items():
        means = (one.mean_a, one.mean_b, one.difference.value)
        yield (
            title_of(found.measures[name]),
            found.judge,
            *(figure(mean, found.measures[name]) for mean in means),
            span(one.difference, found.measures[name]) or NOTHING,
            p_text(one.p),
            f"{one.pairs:,}",
        )


def overview_notes(found: ComparedAgents) -> Iterator[str]:
    """How these figures were made, and what not to conclude from them, in a line each."""
    yield (
        f"pairs matched by task, seat, partner and repeat; interval and p by {cluster_of(found)}, "
        "not corrected for several metrics"
    )
    if not any(one.p is not None and one.p < ALPHA for one in found.found.values()):
        yield "a non-significant difference is not evidence of equality"
    if any(map(found.is_open, found.found)):
        yield "pairs without a value on both sides are left out, which may flatter an agent"


def bounds(found: ComparedAgents, name: str) -> str:
    """Between what the difference lies, as in "[-3.21, 4.11]"; empty where all plays have a score,
    and where it could be of any size."""
    ends, measure = found.bounds[name], found.measures[name]
    if ends is None or not found.is_open(name):
        return ""
    return f"[{figure(ends[0], measure)}, {figure(ends[1], measure)}]"


def _failed_turns(found: ComparedAgents) -> Iterator[str]:
    """What share of its turns each side failed, where one did."""
    sides = {"A": found.a.asked, "B": found.b.asked}
    if any(one.failed for one in sides.values()):
        told = ", ".join(f"{name} {failed_of(one) or 'none'}" for name, one in sides.items())
        yield f"invalid turns, over all episodes of a side: {told}"


def basis(found: ComparedAgents) -> TextTable:
    """Pairs, clusters by sign, and the standardised difference."""
    cluster = cluster_of(found)
    rows = tuple(
        (
            title_of(found.measures[name]),
            f"{one.pairs:,}",
            f"{one.only_a:,} / {one.only_b:,}",
            f"{one.clusters:,}",
            f"{one.effect.better:,}",
            f"{one.effect.equal:,}",
            f"{one.effect.worse:,}",
            NOTHING if one.effect.d_z is None else minus(f"{one.effect.d_z:z.2f}"),
        )
        for name, one in found.found.items()
    )
    return TextTable(
        "Pairs and effect sizes",
        ("metric", "pairs", "unpaired", f"{cluster}s", "A higher", "equal", "A lower", "d_z"),
        rows,
        (
            "pairs: episodes with a score on both sides; unpaired: with a score of A only / of B "
            "only (what the judge cannot tell has none)",
            f"A higher, equal, A lower: number of {cluster}s, by their mean difference",
            "d_z: the mean difference over the standard deviation of single pairs' differences",
        ),
    )


def design(found: ComparedAgents) -> TextTable:
    """What could be seen, and what would settle the observed difference."""
    rows = tuple(
        (
            title_of(found.measures[name]),
            figure(one.difference.value, found.measures[name]),
            figure(detectable(one), found.measures[name]),
            *_settled(one),
            p_text(one.permutation.smallest),
        )
        for name, one in found.found.items()
    )
    cluster = cluster_of(found)
    in_vain = [
        found.measures[name] for name, one in found.found.items() if one.settles.note == NO_REPEATS
    ]
    return TextTable(
        "Power and sample size",
        ("metric", "observed", "detectable", f"{cluster}s needed", "repeats", "smallest p"),
        rows,
        (
            f"detectable: minimum detectable difference, with 80 % power {at_level(found)}",
            f"needed: {cluster}s in all (at least {fewest(level(found))}), or the factor by which "
            "to multiply the repeats, to detect the observed difference if it is the true one, "
            "with the same power and level",
            "smallest p: the smallest attainable with these pairs",
            *(
                [f"no number of repeats suffices (between-{cluster} variance): {titles(in_vain)}"]
                * bool(in_vain)
            ),
        ),
    )


def _settled(one: Comparison) -> tuple[str, str]:
    clusters, factor = clusters_needed(one), repeats_needed(one)
    many = NOTHING if factor is None else f"{times(factor)} times"
    return NOTHING if clusters is None else f"{clusters:,}", "enough" if factor == 1.0 else many


def students(found: ComparedAgents) -> TextTable:
    """Student's t-test, as the paper does it."""
    rows = tuple(
        (
            title_of(found.measures[name]),
            NOTHING if one.t_test.t is None else minus(f"{one.t_test.t:z.2f}"),
            NOTHING if one.t_test.freedom is None else f"{one.t_test.freedom:,.0f}",
            p_text(one.t_test.p),
        )
        for name, one in found.found.items()
    )
    return TextTable(
        "For comparison with SOTOPIA's Table 3: Student's paired t-test",
        ("metric", "t", "df", "p"),
        rows,
        (
            f"treats episodes as independent; those of one {cluster_of(found)} are not, so p tends "
            "to be too small. Not corrected for several metrics. Base conclusions on the tables "
            "above.",
        ),
    )


def tested(found: ComparedAgents) -> int:
    """How many measures Holm's correction is over."""
    return sum(one.holm_p is not None for one in found.found.values())


def level(found: ComparedAgents) -> float:
    """The p that shows a measure's difference whatever the other measures come to."""
    return ALPHA / max(tested(found), 1)


def at_level(found: ComparedAgents) -> str:
    """At which level a difference counts as shown here, in words."""
    count = tested(found)
    if count < 2:
        return "at p < 0.05"
    return (
        f"at p < 0.05 / {count} = {level(found):.2g}, enough for any of {count} metrics after "
        "Holm's correction"
    )


def fewest(alpha: float) -> int:
    """With fewer clusters flipping their signs gives no p below `alpha`: of 5 the smallest is
    2^(1 - 5) = .0625."""
    return 2 + math.floor(-math.log2(alpha))


def _left_out(found: ComparedAgents) -> Iterator[str]:
    """The measures with pairs that no flip can tell apart."""
    idle = [
        found.measures[name]
        for name, one in found.found.items()
        if one.pairs and one.holm_p is None
    ]
    if idle:
        yield (
            f"left out of Holm's correction, since no {cluster_of(found)} differs and no test "
            f"could reject: {titles(idle)}"
        )


def _cut(found: ComparedAgents) -> str:
    cut = any(one.difference.note == CUT for one in found.found.values())
    return "; truncated at the ends of what the scale allows" if cut else ""


def _no_interval(found: ComparedAgents) -> Iterator[str]:
    whys: dict[str, list[Measure]] = {}
    for name, one in found.found.items():
        if one.difference.low is None:
            whys.setdefault(one.difference.note, []).append(found.measures[name])
    for why, measures in whys.items():
        yield f"no interval ({why}) for {titles(measures)}"


def detectable(one: Comparison) -> float | None:
    """What could be seen; nothing where the permutation cannot come out significant."""
    return one.design.detectable if one.clusters >= fewest(one.design.alpha) else None


def clusters_needed(one: Comparison) -> int | None:
    """How many clusters would settle the observed difference; at least as many as p needs."""
    needed = one.settles.clusters
    return None if needed is None else max(needed, fewest(one.settles.alpha))


def repeats_needed(one: Comparison) -> float | None:
    """How many times as many repeats would; none where p needs more clusters anyway."""
    return one.settles.repeats if one.clusters >= fewest(one.settles.alpha) else None


def cluster_of(found: ComparedAgents) -> str:
    """What one independent observation is: a scenario, a session, a task."""
    return found.declared.cluster


def times(factor: float) -> str:
    """A factor with one decimal, large ones with none."""
    return f"{factor:.1f}" if factor < 1000 else first_digits(factor).split(".")[0]


def difference_figures(found: ComparedAgents) -> tuple[Figure, ...]:
    """A chart for each width of scale, so that lengths in one chart mean the same."""
    widths = dict.fromkeys(
        measure.high - measure.low
        for name, measure in found.measures.items()
        if found.found[name].pairs
    )
    return tuple(_figure(found, width) for width in widths)


def forest(found: ComparedAgents) -> Spec:
    """The differences and their intervals for a paper, a panel for each width of scale; filled
    where Holm's p is below .05."""
    shown, open_ = "p < 0.05 (Holm)", "not significant"
    panels: dict[tuple[float, str], list[Point]] = {}
    for name, measure in found.measures.items():
        one = found.found[name]
        if one.difference.value is None:
            continue
        unit = found.declared.metric(name).unit or "points"
        ends = span(one.difference, measure)
        panels.setdefault((measure.high - measure.low, unit), []).append(
            Point(
                headed(measure, found.declared),
                shown if _significant(one) else open_,
                one.difference.value,
                one.difference.low,
                one.difference.high,
                f"{figure(one.difference.value, measure)} {ends}".rstrip(),
            )
        )
    made = []
    for (_, unit), points in panels.items():
        most = _reach([Dot(one.row, one.value, one.low, one.high) for one in points])
        axis = f"{found.a.name} \N{MINUS SIGN} {found.b.name} ({unit})"
        made.append(Panel(axis, -most, most, tuple(points)))
    return interval_figure(made, (shown, open_), filled=True)


def _figure(found: ComparedAgents, width: float) -> Figure:
    lower = (
        "; lower is better where marked \N{DOWNWARDS ARROW}"
        if any(found.declared.metric(name).better == "lower" for name in found.measures)
        else ""
    )
    dots = [
        Dot(
            headed(measure, found.declared),
            one.difference.value,
            one.difference.low,
            one.difference.high,
        )
        for name, measure in found.measures.items()
        if (one := found.found[name]).pairs and measure.high - measure.low == width
    ]
    reach = _reach(dots)
    caption = (
        f"A \N{MINUS SIGN} B with 95 % interval. A: {found.a.name}, B: {found.b.name}; judge: "
        f"{judge_title(found.judge, found.judge_id.method)}. To the right of 0 A is higher{lower}."
    )
    return Figure(caption, dot_chart("Differences by metric", dots, -reach, reach))


def _reach(dots: list[Dot]) -> float:
    """The next of 1, 1.5, 2, 2.5, 3, 4, 5, ... (times a power of ten) that no interval passes."""
    ends = (end for dot in dots for end in (dot.value, dot.low, dot.high) if end is not None)
    most = max(map(abs, ends), default=0.0) or 1.0
    power = 10.0 ** math.floor(math.log10(most))
    return next(
        power * step for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if power * step >= most
    )
