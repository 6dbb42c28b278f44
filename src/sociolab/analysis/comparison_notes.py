"""Sentences on a comparison of two agents: how episodes were matched, which differences are
significant, what the design could detect, and what not to conclude."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from sociolab.analysis.comparison import ComparedAgents, ComparedMetric, MatchCounts, Unit
from sociolab.analysis.matching import find_uneven
from sociolab.core.episode import TurnCounts
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Sentence
from sociolab.report.formatting import span
from sociolab.report.verdict import enough, scale_of, too_few
from sociolab.report.words import share
from sociolab.stats.crossed_raters import LEAST_RATERS, RatedEstimate
from sociolab.stats.intervals import NO_VARIATION
from sociolab.stats.power import ALPHA, NO_REPEATS, ONE_PAIR

SAY = Catalogue("compare")
VERDICT = Catalogue("verdict")

FEW = 10
"""With fewer clusters than this, figures that rest on their scatter are called rough."""


def matching_notes(comparison: ComparedAgents) -> Iterator[Sentence]:
    """How episodes were matched, why not more closely, and how many were left over."""
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
    clusters = max(metric.test.clusters for metric in comparison.metrics.values())
    say = partial(SAY, cluster=comparison.cluster, clusters=clusters)
    if raters := _raters(comparison, others=True):
        if comparison.judge_id.method == "people":
            return say("adjusted", raters=raters)
        return say("over_prompts", sets=raters)
    return say("clustered")


def _shared(comparison: ComparedAgents, unit: Unit) -> str:
    """What the plays of a pair, or of a block, have in common."""
    partner = describe_partner_match(comparison)
    if comparison.match == "exact":
        by_seats = unit == "play"
        return SAY("shared_by_seats" if by_seats else "shared_by_episodes", partner=partner)
    if not comparison.partners:
        return comparison.cluster
    return SAY("shared_by_blocks", cluster=comparison.cluster, partner=partner)


def describe_partner_match(comparison: ComparedAgents) -> Sentence:
    """What partners were matched by: who they are, or their role."""
    return SAY("role") if comparison.by == "role" else SAY("partner")


def summarize_matching(comparison: ComparedAgents) -> Sentence:
    """How the episodes were matched, in a few words."""
    counts = comparison.counts
    if comparison.match == "none":
        count = counts.get("play") or counts["episode"]
        return SAY("unmatched", units=Count(count.of, 0).column, a=count.of_a, b=count.of_b)
    shared = [_shared(comparison, unit) for unit in counts]
    if comparison.match == "exact":
        return SAY("pairs_matched", shared=shared)
    units = " or ".join(Count(count.of, 0).column for count in counts.values())
    return SAY("blocks_matched", units=units, shared=shared)


def _raters(comparison: ComparedAgents, *, others: bool = False) -> int:
    """How many people scored, at most; `others`: where intervals hold for others, too."""
    differences = (metric.test.difference for metric in comparison.metrics.values())
    return max(
        (
            difference.raters
            for difference in differences
            if isinstance(difference, RatedEstimate)
            and (difference.method == "model" or not others)
        ),
        default=0,
    )


def conclusion_notes(comparison: ComparedAgents) -> Iterator[Sentence]:
    """What is shown, what is not, and what could not be tested, each metric once."""
    kinds: dict[str, list[ComparedMetric]] = {}
    for metric in comparison.metrics.values():
        kinds.setdefault(_kind(comparison, metric), []).append(metric)
    for metric in kinds.get("shown", ()):
        yield _state_difference(comparison, metric)
    if metrics := kinds.get("not shown"):
        yield SAY("not_shown", metrics=list(map(_with_interval, metrics)))
    gate = comparison.gate
    if gate and not gate.is_significant and any(map(_would_be_shown, comparison.metrics.values())):
        yield SAY("gated", metric=gate.measure)
    if metrics := kinds.get("undecided"):
        yield SAY(
            "undecided",
            metrics=list(map(_with_interval, metrics)),
            clusters=comparison.clusters,
        )
    if metrics := kinds.get("equal"):
        size = Count(comparison.size, 0).column
        yield SAY("equal", matched=size, metrics=[metric.measure for metric in metrics])
    if metrics := kinds.get("empty"):
        yield SAY("not_compared", metrics=[metric.measure for metric in metrics])


def comparison_verdict(comparisons: Sequence[ComparedAgents], label: str = "") -> Sentence:
    """What these comparisons of two agents show, in the metric that leads: the main one of the
    first comparison in which enough was scored. `label` precedes figures that are no results."""
    pairs = [(each, each.main) for each in comparisons]
    comparison, metric = next((p for p in pairs if enough(p[1].scored, p[1].due)), pairs[0])
    measure, test = metric.measure, metric.test
    if not enough(metric.scored, metric.due):
        return too_few(label, measure, comparison.judge, metric.scored, metric.due)
    scale = scale_of(measure, comparison.declared)
    a, b = comparison.a.name, comparison.b.name
    why = test.difference.note
    say = partial(
        VERDICT,
        label=label,
        metric=measure,
        difference=test.difference,
        about=VERDICT("about", a=a, b=b, judge=comparison.judge, **scale),
        ends="" if span(test.difference, measure) else VERDICT("no_interval", why=why),
    )
    match _kind(comparison, metric):
        case "shown":
            higher = (test.difference.value or 0.0) > 0
            better = comparison.declared.metric(measure.name).better
            return say(
                "better_side" if better else "higher_side",
                side="A" if higher is (better != "lower") else "B",
                p=test.holm_p,
                doubt=VERDICT("doubt") if metric.excludes_zero is False else "",
            )
        case "equal":
            return say("equal", matched=Count(comparison.size, 0).column)
        case "undecided":
            return say("undecided", clusters=comparison.clusters)
        case "empty":
            return say("empty")
        case _:
            return say("not_shown")


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
    if smallest is not None and smallest > test.design.alpha:
        return "undecided"
    return "not shown"


def _would_be_shown(metric: ComparedMetric) -> bool:
    p = metric.test.permutation.testable
    return p is not None and p < metric.test.design.alpha


def _state_difference(comparison: ComparedAgents, metric: ComparedMetric) -> Sentence:
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


def power_notes(comparison: ComparedAgents) -> Iterator[Sentence]:
    """The detectable difference in the main metric, and the sample that the observed one needs."""
    metric = comparison.main
    test, measure = metric.test, metric.measure
    least = test.design.detectable
    if least is not None:
        level = describe_level(comparison, metric)
        yield SAY("detectable", metric=measure, difference=least, level=level)
    if test.at_most is not None and not metric.is_significant:
        yield SAY("at_most", metric=measure, margin=test.at_most)
    needed = test.settles
    if not needed.size or needed.clusters is None or needed.repeats == 1:
        return
    yield SAY(
        "sample_size",
        metric=measure,
        difference=test.difference,
        clusters=Count(comparison.cluster, needed.clusters),
        otherwise=_with_repeats(metric, comparison.cluster),
    )


def _with_repeats(metric: ComparedMetric, cluster: str) -> Sentence | str:
    """What repeats can do instead of more clusters: of all there are, where these are too few."""
    needed, on_all = metric.test.settles, metric.on_all
    if on_all is None and needed.repeats is not None:
        return SAY("or_repeats", factor=needed.repeats)
    if on_all is None and needed.note == NO_REPEATS:
        return SAY("or_never", clusters=Count(cluster, metric.test.clusters), cluster=cluster)
    if on_all is None:
        return SAY("because", why=needed.note) if needed.note else ""
    say = partial(SAY, metric=metric.measure, clusters=(all_ := Count(cluster, on_all.clusters)))
    if on_all.repeats is not None:
        return say("repeats_on_all", factor=math.ceil(10 * on_all.repeats) / 10)
    if on_all.note == NO_REPEATS:
        least = on_all.detectable
        return say("never_on_all", cluster=cluster, plural=all_.column, least=least)
    one_pair = on_all.note == ONE_PAIR
    return say("unknown_on_all", why=SAY("one_pair", cluster=cluster) if one_pair else on_all.note)


def caution_notes(comparison: ComparedAgents) -> Iterator[Sentence]:
    """What not to conclude: turns failed, clusters are few, seats uneven, or scores missing."""
    metrics, cluster = comparison.metrics.values(), comparison.cluster
    yield from failed_turns_notes({"A": comparison.a.turn_counts, "B": comparison.b.turn_counts})
    if comparison.judge_id.method == "people" and _raters(comparison) < LEAST_RATERS:
        yield SAY("few_raters", least=LEAST_RATERS)
    elif comparison.judge_id.method != "people" and (sets := _raters(comparison)):
        yield SAY(
            "few_prompts" if sets < LEAST_RATERS else "prompts", sets=Count("prompt set", sets)
        )
    clusters = [metric.test.clusters for metric in metrics if metric.test.pairs]
    if clusters and min(clusters) < FEW:
        yield SAY("few_clusters", clusters=count_range(cluster, clusters))
    if comparison.match == "scenario":
        blocks = {name: metric.blocks for name, metric in comparison.metrics.items()}
        if odd := find_uneven(comparison.a, comparison.b, blocks):
            yield SAY("uneven", clusters=Count(cluster, len(odd)))
    for metric in metrics:
        if any(metric.unscored):
            yield _not_established(metric, f"matched {comparison.unit_of(metric)}")
    missing = []
    for unit in dict.fromkeys(map(comparison.unit_of, metrics)):
        of_unit = [metric.missing for metric in metrics if comparison.unit_of(metric) == unit]
        a, b = map(max, zip(*of_unit, strict=True))
        if a or b:
            missing.append(SAY("of_each", a=Count(f"matched {unit}", a), b=b))
    if missing:
        yield SAY("missing", most=missing)


def _not_established(metric: ComparedMetric, unit: str) -> Sentence:
    a, b = metric.unscored
    say = partial(SAY, metric=metric.measure, a=Count(unit, a), b=b)
    if metric.bounds is None:
        return say("of_any_size")
    could = metric.bounds[0] < 0 < metric.bounds[1]
    return say("sign_could_change" if could else "sign_would_not_change", bounds=metric.bounds)


def failed_turns_notes(by_agent: Mapping[str, TurnCounts]) -> Iterator[Sentence]:
    """The agents that failed turns, and the share of their turns."""
    for agent, (failed, turns_asked) in by_agent.items():
        if failed:
            turns, portion = Count("turn", turns_asked), share(failed, turns_asked)
            yield SAY("failed_turns", agent=agent, failed=failed, turns=turns, share=portion)


def describe_level(comparison: ComparedAgents, metric: ComparedMetric) -> Sentence:
    """The level of significance of a metric, with the correction behind it."""
    level = metric.test.design.alpha
    tests = round(ALPHA / level)
    if tests < 2:
        return SAY("level")
    is_first = metric is comparison.gate
    family = comparison.planned if is_first else comparison.family
    return SAY("level_of_several", tests=tests, level=level, family=family)


def describe_levels(comparison: ComparedAgents) -> Sentence:
    """The levels of all metrics: one, or that of the first and that of the others."""
    gate = comparison.gate
    others = [metric for metric in comparison.metrics.values() if metric is not gate]
    level = describe_level(comparison, others[0] if others else comparison.main)
    if gate is None:
        return level
    own = describe_level(comparison, gate)
    return SAY("level_of_first", own=own, metric=gate.measure, level=level)


def count_range(of: str, counts: Sequence[int]) -> Count | Sentence:
    """The range of these counts, such as "3 to 5 pairs"; a single count where they are equal."""
    least, most = min(counts), Count(of, max(counts))
    return most if least == most.n else SAY("from_to", least=least, most=most)
