"""What a comparison of two agents says: sentences, tables and charts.

Sentences name what is shown, what is not, and what these plays could not have shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sociolab.analysis.compare import ComparedAgents, MatchCounts, Unit
from sociolab.analysis.matching import Match, uneven
from sociolab.core.episode import TurnsAsked
from sociolab.core.metrics import directions
from sociolab.core.score import Measure, judge_title
from sociolab.report.charts import Dot, dot_chart
from sociolab.report.figures import Panel, Point, interval_figure
from sociolab.report.formatting import (
    NOTHING,
    explained,
    figure,
    headed,
    p_text,
    span,
    title_of,
    titles,
)
from sociolab.report.section import Figure, Section, Spec, TextTable
from sociolab.report.words import (
    failed_of,
    first_digits,
    interval_methods,
    listed,
    minus,
    plural,
    share,
)
from sociolab.stats.crossed import LEAST_RATERS, RatedEstimate
from sociolab.stats.intervals import CUT, NO_VARIATION
from sociolab.stats.paired import Comparison
from sociolab.stats.power import ALPHA, NO_REPEATS, fewest

FEW = 10
"""With fewer clusters than this, figures that rest on their scatter are called rough."""

_INTERVALS = " (95 % interval of A \N{MINUS SIGN} B)"
_UNITS: dict[Unit, str] = {"play": "episodes", "episode": "whole episodes"}
_MATCHED: dict[Match, str] = {"exact": "pair", "scenario": "block", "none": "episode"}
"""What is held against its counterpart, or stands alone."""


def tests(found: ComparedAgents) -> Iterator[tuple[str, Comparison]]:
    """The test of each measure."""
    return ((name, one.test) for name, one in found.metrics.items())


def comparison_section(found: ComparedAgents, judged: str, cautions: Sequence[str]) -> Section:
    """The section; `judged` says what to think of the judge's figures."""
    return Section(
        f"A: {found.a.name} vs. B: {found.b.name}",
        (
            *matching_sentences(found),
            judged,
            *_findings(found),
            *_power(found),
            *_sample_size(found),
        ),
        (*cautions, *_cautions(found)),
        (differences(found), basis(found), design(found), students(found)),
        difference_figures(found),
    )


def comparison_overview(whole: Section, found: ComparedAgents) -> Section:
    """Of the comparison's section what is read first: findings, differences and their charts;
    without notes that repeat what findings and cautions say.
    """
    skipped = {*_sample_size(found)}
    said = tuple(sentence for sentence in whole.said if sentence not in skipped)
    told = {*_failed_turns(found), *_left_out(found), *_no_interval(found)}
    table = whole.tables[0]
    table = replace(table, notes=tuple(note for note in table.notes if note not in told))
    return replace(whole, said=said, tables=(table,))


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


def matching_sentences(found: ComparedAgents) -> Iterator[str]:
    """What was held against what, why not more closely, and what is left over."""
    clusters = max(one.test.clusters for one in found.metrics.values())
    gaps = [one.difference for _, one in tests(found) if one.difference.method == "crossed"]
    raters = max((gap.raters for gap in gaps if isinstance(gap, RatedEstimate)), default=0)
    ways = f" and by rater ({raters:,}), so that they hold for other raters too" if raters else ""
    clustered = f"Intervals and p are clustered by {cluster_of(found)} ({clusters:,}){ways}."
    for unit, count in found.counts.items():
        yield f"{_matched(found, unit, count)} {_alone(count, unit)} {clustered}"


def _matched(found: ComparedAgents, unit: Unit, count: MatchCounts) -> str:
    many = _UNITS[unit]
    because = f" ({found.why})" if found.why else ""
    if found.match == "exact":
        return (
            f"{plural(count.matched, f'pair of {many}', f'pairs of {many}')}, matched by "
            f"{_shared(found, unit)}."
        )
    if found.match == "scenario":
        return (
            f"{plural(count.matched, 'block')} of {many} matched by {_shared(found, unit)}, "
            f"whatever the cast{because}: in each, the mean of A is compared with that of B."
        )
    return f"No {many} are matched{because}: the means of A and B are compared as they are."


def _shared(found: ComparedAgents, unit: Unit) -> str:
    """What the plays of a pair, or of a block, have in common."""
    if found.match == "scenario":
        return cluster_of(found) + (f" and {partner_words(found)}" if found.partners else "")
    return f"task, {'seat, ' if unit == 'play' else ''}{partner_words(found)} and repeat"


def partner_words(found: ComparedAgents) -> str:
    """By what partners were matched."""
    return "partner" if found.by == "partner" else "role of the partner"


def _alone(count: MatchCounts, unit: Unit) -> str:
    a, b, many = count.a - count.of_a, count.b - count.of_b, _UNITS[unit]
    if not a and not b:
        return f"All {many} are used."
    return f"Not used: {a:,} of {count.a:,} {many} of A, {b:,} of {count.b:,} of B."


def _findings(found: ComparedAgents) -> Iterator[str]:
    """What is shown, what is not, and what could not be tested, each measure once."""
    shown = [name for name, one in tests(found) if _significant(one)]
    same = [name for name, one in tests(found) if one.pairs and _alike(found, name)]
    empty = [name for name, one in tests(found) if not one.pairs]
    left = [name for name in found.metrics if name not in (*shown, *same, *empty)]
    count = tested(found) * found.looks
    blind = [name for name in left if _blind(found.metrics[name].test, count)]
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
            f"All {_MATCHED[found.match]}s are equal in {_titles(found, same)}, so there is "
            "nothing to test. Other episodes need not be equal."
        )
    if empty:
        yield f"Not compared: {_titles(found, empty)}; no pair has a value on both sides."


def _alike(found: ComparedAgents, name: str) -> bool:
    """Whether nothing differs; of episodes that are not matched, equal means do not say so."""
    one = found.metrics[name]
    return not one.unlike and (found.match != "none" or one.test.difference.note == NO_VARIATION)


def _shown(found: ComparedAgents, name: str) -> str:
    one, measure = found.metrics[name].test, found.metrics[name].measure
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
    one, measure = found.metrics[name].test, found.metrics[name].measure
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
    one, measure = found.metrics[name].test, found.metrics[name].measure
    seen = one.design.detectable
    if seen is not None:
        yield (
            f"Minimum detectable difference in {title_of(measure)}: {figure(seen, measure)} (80 % "
            f"power {at_level(found)}). A smaller true difference is missed more often."
        )
    if one.at_most is not None and not _significant(one):
        yield (
            f"A and B are at most {figure(one.at_most, measure)} apart in {title_of(measure)} (two "
            "one-sided tests at 5 %)."
        )


def _sample_size(found: ComparedAgents) -> Iterator[str]:
    name = main_measure(found)
    one, measure = found.metrics[name].test, found.metrics[name].measure
    if one.settles.size and one.settles.clusters is not None and one.settles.repeats != 1.0:
        yield (
            f"If the observed {figure(one.difference.value, measure)} in {title_of(measure)} were "
            f"the true difference, detecting it would take {_settling(found, one)}."
        )


def _settling(found: ComparedAgents, one: Comparison) -> str:
    many = f"{one.settles.clusters:,} {cluster_of(found)}s in all, with as many episodes each"
    factor = one.settles.repeats
    if factor is not None:
        return f"{many}; or {times(factor)} times as many repeats of these tasks"
    if one.settles.note == NO_REPEATS:
        return f"{many}; no number of repeats suffices (between-{cluster_of(found)} variance)"
    return f"{many} ({one.settles.note})" if one.settles.note else many


def _cautions(found: ComparedAgents) -> Iterator[str]:
    yield from failed_turns_told({"A": found.a.asked, "B": found.b.asked})
    raters = (one.difference for _, one in tests(found))
    most = max((gap.raters for gap in raters if isinstance(gap, RatedEstimate)), default=0)
    if found.judge_id.method == "people" and most < LEAST_RATERS:
        yield (
            f"Fewer than {LEAST_RATERS} people scored these episodes: intervals and p hold for "
            "these raters only."
        )
    clusters = [one.clusters for _, one in tests(found) if one.pairs]
    if clusters and min(clusters) < FEW:
        few = _how_many(clusters, cluster_of(found))
        yield (f"With only {few}, intervals, p and required sample sizes are rough.")
    blocks = {name: one.blocks for name, one in found.metrics.items()}
    if found.match == "scenario" and (odd := uneven(found.a, found.b, blocks)):
        yield (
            f"In {plural(len(odd), cluster_of(found))} A and B were not in the same seats equally "
            "often, so the difference includes the effect of the seat."
        )
    for name, one in found.metrics.items():
        if any(one.untold):
            yield _not_established(found, name, *one.untold)
    a, b = (max(one.missing[side] for one in found.metrics.values()) for side in (0, 1))
    if a or b:
        yield (
            f"Up to {a:,} matched episodes of A and {b:,} of B lack a value in a metric. Such "
            "pairs are left out; if an agent fails where it is hard, that flatters it."
        )


def _not_established(found: ComparedAgents, name: str, a: int, b: int) -> str:
    told = (
        f"{title_of(found.metrics[name].measure)} could not be established in "
        f"{plural(a, 'matched episode')} of A and {b:,} of B"
    )
    ends = found.metrics[name].bounds
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
    usable = [name for name, one in tests(found) if one.design.error is not None]
    mains = [name for name in found.declared.main if name in usable]
    return [*mains, *usable, *found.metrics][0]


def _significant(one: Comparison) -> bool:
    return one.holm_p is not None and one.holm_p < ALPHA


def _blind(one: Comparison, tests_: int) -> bool:
    """Whether no result could have come out significant, Holm's correction for the smallest of so
    many p-values included."""
    smallest = one.permutation.smallest
    return smallest is not None and smallest * tests_ > ALPHA


def _test_of(found: ComparedAgents) -> str:
    if for_other_raters(found):
        return "t-test, clustered both ways"
    return "Welch's t-test, clustered" if found.match == "none" else "sign-flip permutation test"


def for_other_raters(found: ComparedAgents) -> bool:
    """Whether intervals and p hold for raters other than those who scored, too."""
    return any(one.difference.method == "crossed" for _, one in tests(found))


def and_looks(found: ComparedAgents) -> str:
    """For how many looks p is corrected, where there are several."""
    return f" and {found.looks} looks" if found.looks > 1 else ""


def _titles(found: ComparedAgents, names: Sequence[str]) -> str:
    return titles(found.metrics[name].measure for name in names)


def _equals(p: float | None) -> str:
    text = p_text(p)
    return text.replace("<", "< ") if text.startswith("<") else f"= {text}"


def differences(found: ComparedAgents) -> TextTable:
    """Both means, their difference, its interval and p; what plays without a score could make of
    it, where there are any."""
    open_ = any(one.is_open for one in found.metrics.values())
    rows = tuple(
        (
            headed(found.metrics[name].measure, found.declared),
            figure(one.mean_a, found.metrics[name].measure),
            figure(one.mean_b, found.metrics[name].measure),
            figure(one.difference.value, found.metrics[name].measure),
            span(one.difference, found.metrics[name].measure) or NOTHING,
            p_text(one.p),
            p_text(one.holm_p),
            *([bounds(found, name) or NOTHING] if open_ else []),
        )
        for name, one in tests(found)
    )
    heads = ("metric", "A", "B", "A \N{MINUS SIGN} B", "95 % interval", "p", "Holm p")
    shown = [measure for name, measure in found.measures.items() if found.metrics[name].test.pairs]
    tips, spelt = explained(shown, found.declared)
    how = interval_methods(one.difference.method for _, one in tests(found))
    return TextTable(
        f"Differences · judge: {judge_title(found.judge, found.judge_id.method)}",
        (*heads, *(["bounds"] if open_ else [])),
        rows,
        (
            _rests_on(found),
            f"95 % interval: {how}{_cut(found)}{_tested_how(found)}",
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


def _tested_how(found: ComparedAgents) -> str:
    count = tested(found)
    holm = f"Holm p: corrected for {plural(count, 'metric')}{and_looks(found)}"
    return f"; p: {_test_of(found)}; {holm}" if count else ""


def _rests_on(found: ComparedAgents) -> str:
    """How many pairs and clusters the means are over, and whom both agents met."""
    usable = [one for _, one in tests(found) if one.pairs]
    if not usable:
        return "no pair has a value on both sides"
    pairs = _how_many([one.pairs for one in usable], _MATCHED[found.match])
    clusters = _how_many([one.clusters for one in usable], cluster_of(found))
    met = found.a.partners
    partner = f"; partner{'s' if len(met) > 1 else ''} of both: {' and '.join(met)}"
    return f"means over {pairs} in {clusters}{partner if met == found.b.partners else ''}"


def overview_rows(found: ComparedAgents) -> Iterator[tuple[str, ...]]:
    """A row for each metric: its judge, both means, their difference, its interval, p, pairs."""
    for name, one in tests(found):
        means = (one.mean_a, one.mean_b, one.difference.value)
        yield (
            headed(found.metrics[name].measure, found.declared),
            found.judge,
            *(figure(mean, found.metrics[name].measure) for mean in means),
            span(one.difference, found.metrics[name].measure) or NOTHING,
            p_text(one.p),
            _pairs(found, one),
        )


def _pairs(found: ComparedAgents, one: Comparison) -> str:
    """How many pairs a comparison rests on; a dash where nothing is matched."""
    return NOTHING if found.match == "none" else f"{one.pairs:,}"


def overview_notes(found: Sequence[ComparedAgents]) -> Iterator[str]:
    """How these figures were made, and what not to conclude from them, in a line each; says of
    which metrics where not all were matched alike."""
    ways: dict[str, dict[str, list[Measure]]] = {}
    for each in found:
        ways.setdefault(_way(each), {}).setdefault(each.judge, []).extend(each.measures.values())
    judges = {each.judge for each in found}
    for way, by_judge in ways.items():
        which = "; ".join(
            titles(measures) + (f" by {judge}" if len(judges) > 1 else "")
            for judge, measures in by_judge.items()
        )
        told = f"{which}: {way}" if len(ways) > 1 else way
        yield f"{told}; interval and p by {cluster_of(found[0])}, not corrected for several metrics"
    marked = {
        title_of(one): each.declared.metric(name)
        for each in found
        for name, one in each.measures.items()
    }
    if any(one.mark for one in marked.values()):
        yield directions(marked)
    if not all(one.p is not None and one.p < ALPHA for each in found for _, one in tests(each)):
        yield "a non-significant difference is not evidence of equality"
    if any(one.is_open for each in found for one in each.metrics.values()):
        yield "pairs without a value on both sides are left out, which may flatter an agent"


def _way(found: ComparedAgents) -> str:
    """How the plays were matched, in a few words."""
    if found.match == "none":
        count = found.counts.get("play") or found.counts["episode"]
        return f"episodes not matched ({count.of_a:,} of A, {count.of_b:,} of B)"
    pairs = "pairs" if found.match == "exact" else "pairs (of blocks of episodes)"
    shared = (_shared(found, unit) for unit in found.counts)
    return f"{pairs} matched by {' or '.join(shared)}"


def bounds(found: ComparedAgents, name: str) -> str:
    """Between what the difference lies, as in "[-3.21, 4.11]"; empty where all plays have a score,
    and where it could be of any size."""
    ends, measure = found.metrics[name].bounds, found.metrics[name].measure
    if ends is None or not found.metrics[name].is_open:
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
            title_of(found.metrics[name].measure),
            _pairs(found, one),
            f"{one.only_a:,} / {one.only_b:,}",
            f"{one.clusters:,}",
            f"{one.effect.better:,}",
            f"{one.effect.equal:,}",
            f"{one.effect.worse:,}",
            NOTHING if one.effect.d_z is None else minus(f"{one.effect.d_z:z.2f}"),
        )
        for name, one in tests(found)
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
            title_of(found.metrics[name].measure),
            figure(one.difference.value, found.metrics[name].measure),
            figure(one.design.detectable, found.metrics[name].measure),
            *_settled(one),
            figure(one.at_most, found.metrics[name].measure),
            p_text(one.permutation.smallest),
        )
        for name, one in tests(found)
    )
    cluster = cluster_of(found)
    in_vain = [
        found.metrics[name].measure for name, one in tests(found) if one.settles.note == NO_REPEATS
    ]
    return TextTable(
        "Power and sample size",
        (
            "metric",
            "observed",
            "detectable",
            f"{cluster}s needed",
            "repeats",
            "at most apart",
            "smallest p",
        ),
        rows,
        (
            f"detectable: minimum detectable difference, with 80 % power {at_level(found)}",
            f"needed: {cluster}s in all (at least {fewest(level(found))}), or the factor by which "
            "to multiply the repeats, to detect the observed difference if it is the true one, "
            "with the same power and level",
            "at most apart: the smallest margin within which two one-sided tests at 5 % call A "
            "and B equivalent",
            "smallest p: the smallest attainable with these pairs",
            *(
                [f"no number of repeats suffices (between-{cluster} variance): {titles(in_vain)}"]
                * bool(in_vain)
            ),
        ),
    )


def _settled(one: Comparison) -> tuple[str, str]:
    clusters, factor = one.settles.clusters, one.settles.repeats
    many = NOTHING if factor is None else f"{times(factor)} times"
    return NOTHING if clusters is None else f"{clusters:,}", "enough" if factor == 1.0 else many


def students(found: ComparedAgents) -> TextTable:
    """Student's t-test, as the paper does it."""
    rows = tuple(
        (
            title_of(found.metrics[name].measure),
            NOTHING if one.t_test.t is None else minus(f"{one.t_test.t:z.2f}"),
            NOTHING if one.t_test.freedom is None else f"{one.t_test.freedom:,.0f}",
            p_text(one.t_test.p),
        )
        for name, one in tests(found)
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
    return sum(one.holm_p is not None for _, one in tests(found))


def level(found: ComparedAgents) -> float:
    """The p that shows a measure's difference whatever the other measures come to."""
    return ALPHA / max(tested(found), 1) / found.looks


def at_level(found: ComparedAgents) -> str:
    """At which level a difference counts as shown here, in words."""
    count = tested(found) * found.looks
    if count < 2:
        return "at p < 0.05"
    return (
        f"at p < 0.05 / {count} = {level(found):.2g}, enough for any of "
        f"{plural(tested(found), 'metric')}{and_looks(found)} after Holm's correction"
    )


def _left_out(found: ComparedAgents) -> Iterator[str]:
    """The measures with pairs that no flip can tell apart."""
    idle = [
        found.metrics[name].measure
        for name, one in tests(found)
        if one.pairs and one.holm_p is None
    ]
    if idle:
        yield (
            f"left out of Holm's correction, since no {cluster_of(found)} differs and no test "
            f"could reject: {titles(idle)}"
        )


def _cut(found: ComparedAgents) -> str:
    cut = any(one.difference.note == CUT for _, one in tests(found))
    return "; truncated at the ends of what the scale allows" if cut else ""


def _no_interval(found: ComparedAgents) -> Iterator[str]:
    whys: dict[str, list[Measure]] = {}
    for name, one in tests(found):
        if one.difference.low is None:
            whys.setdefault(one.difference.note, []).append(found.metrics[name].measure)
    for why, measures in whys.items():
        yield f"no interval ({why}) for {titles(measures)}"


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
        if found.metrics[name].test.pairs
    )
    return tuple(_figure(found, width) for width in widths)


def forest(found: ComparedAgents) -> Spec:
    """The differences and their intervals for a paper, a panel for each width of scale; filled
    where Holm's p is below .05."""
    shown, open_ = "p < 0.05 (Holm)", "not significant"
    panels: dict[tuple[float, str], list[Point]] = {}
    for name, measure in found.measures.items():
        one = found.metrics[name].test
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
        if (one := found.metrics[name].test).pairs and measure.high - measure.low == width
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
