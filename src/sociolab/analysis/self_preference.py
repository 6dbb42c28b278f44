"""Whether a model judge prefers the play of its own model family, from scores that are stored.

Two judges that judged the same plays differ by how strict they are, on all plays alike; what they
differ by on the plays of the first one's family beyond that is the preference.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import permutations

import numpy as np

from sociolab.analysis.audit import (
    OVERALL,
    TOLERANCE,
    Judgement,
    all_metrics,
    describe_effect,
    figure_notes,
    main_measure,
    no_more,
)
from sociolab.analysis.ratings import MODELS, agent_group
from sociolab.analysis.values import RunValues, Value
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.score import Measure
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Finding, FindingTable, Sentence
from sociolab.report.section import Section
from sociolab.stats.intervals import NO_VARIATION, Estimate, group_by_cluster, mean, t_critical

SAY = Catalogue("self_preference")

Rules = Sequence[tuple[str, str]]
"""(family, pattern) as a user sets them: the first whose pattern fits counts."""


def model_family(label: str, rules: Rules = (), *, model: bool) -> str | None:
    """The model family of an agent's or judge's label; None where it has none.

    By the first rule whose pattern (`*` and `?` as in file names, in any case) fits the label or
    the model's name, whatever bears that label; else, of a `model`, its name up to the first digit,
    dash or other sign: "gpt" of "openai/gpt-4o" and "gpt-4", "qwen" of "lab/Qwen/Qwen2.5-7B", "o"
    of "openai/o3".
    """
    path = label.partition("?")[0].casefold()
    name = path.rpartition("/")[2]
    for family, pattern in rules:
        if any(fnmatchcase(text, pattern.casefold()) for text in (path, name)):
            return family
    if not model:
        return None
    match = re.match(r"[^\W\d_]+", name)
    return match[0] if match else name


@dataclass(frozen=True, slots=True)
class TwoJudges:
    """A judge compared with another one.

    `other_family_episodes` counts the episodes with agents of the other judge's own family.

    The estimate of a finding is the effect of one's own family on a metric (of all of them: in
    percent of their scales): `own` and `others`, the mean of judge minus other judge on plays of
    the judge's family and on all others, are what it is the difference of. `missing` counts plays
    that one of the two has no score of. `verdict`: it passes where the interval of the effect ends
    below `TOLERANCE` of the scale, fails where it begins above 0, and is undecided otherwise.
    """

    judge: str
    other: str
    family: str
    other_family_episodes: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class SelfPreferences:
    """Every judge of a run beside every other one of another family; `why` where nothing can be
    said."""

    run: str
    pairs: tuple[TwoJudges, ...]
    families: Mapping[str, str]
    why: str = ""
    declared: Declared = UNDECLARED


def self_preferences(
    run: RunValues, rules: Rules = (), judge: str | None = None
) -> SelfPreferences:
    """The preference of each model judge of a run, or (`judge`) of the one with this name."""
    judges = [label for label, judge_id in run.judges.items() if judge_id.method == "model"]
    agents = dict.fromkeys(value.agent for value in run.values if value.agent)
    by_label = {
        label: model_family(label, rules, model=agent_group(run.agents[label]) == MODELS)
        for label in agents
    }
    by_label |= {label: model_family(run.judges[label].name, rules, model=True) for label in judges}
    families = {label: family for label, family in by_label.items() if family is not None}
    first = [label for label in judges if judge in (None, run.judges[label].name)]
    pairs = [
        pair
        for name, other in permutations(judges, 2)
        if name in first and families[name] != families[other]
        for pair in [_pair(run, name, other, families)]
        if pair is not None
    ]
    why = ""
    if not judges:
        why = SAY("no_model", run=run.run)
    elif len(judges) == 1:
        why = SAY("one_model", judge=judges[0], run=run.run)
    elif not first:
        why = SAY("not_stored", run=run.run, judge=judge)
    elif not pairs:
        why = SAY(
            "no_pair",
            judges=[SAY("of_family", name=label, family=families[label]) for label in judges],
            agents=[
                SAY("of_family", name=label, family=families.get(label, SAY("no_family")))
                for label in agents
            ],
        )
    return SelfPreferences(run.run, tuple(pairs), families, why, run.declared)


@dataclass(frozen=True, slots=True)
class _Gap:
    """Judge minus other judge on one play in one metric; `value` is None where one is missing."""

    trial: str
    measure: str
    cluster: str
    family: str | None
    value: float | None


def _pair(run: RunValues, judge: str, other: str, families: Mapping[str, str]) -> TwoJudges | None:
    """None where the two share no plays of the judge's family, or none of others."""
    gaps, family = _gaps(run, judge, other, families), families[judge]
    if len({gap.family == family for gap in gaps}) < 2:
        return None
    by_metric = {
        metric: [gap for gap in gaps if gap.measure == metric.name]
        for metric in run.measures.values()
    }
    findings = [_preference(metric, family, own) for metric, own in by_metric.items() if own]
    parts = {m: own for m, own in by_metric.items() if own and m.name != OVERALL}
    if len(parts) > 1:
        scaled = [
            replace(gap, value=None if gap.value is None else gap.value / _length(metric) * 100)
            for metric, own in parts.items()
            for gap in own
        ]
        findings.append(_preference(all_metrics(), family, scaled))
    other_trials = len({gap.trial for gap in gaps if gap.family == families[other]})
    return TwoJudges(judge, other, family, other_trials, tuple(findings))


def _gaps(run: RunValues, judge: str, other: str, families: Mapping[str, str]) -> list[_Gap]:
    """The gaps of all plays that both judges were to score; values without an agent are omitted."""
    second = {_cell(value): value.value for value in run.values if value.judge == other}
    return [
        _Gap(
            value.trial,
            value.measure,
            value.cluster,
            families.get(value.agent),
            _minus(value.value, second[_cell(value)]),
        )
        for value in run.values
        if value.judge == judge and value.agent is not None and _cell(value) in second
    ]


def _cell(value: Value) -> tuple[str, str | None, str]:
    return value.trial, value.seat, value.measure


def _minus(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b


def _length(metric: Measure) -> float:
    return metric.high - metric.low


def _preference(metric: Measure, family: str, gaps: Sequence[_Gap]) -> Finding:
    own = [gap for gap in gaps if gap.family == family]
    rest = [gap for gap in gaps if gap.family != family]
    effect, means = contrast(_present(own), _present(rest)), (_mean(own), _mean(rest))
    more = {
        "own": means[0],
        "others": means[1],
        "own_n": means[0].n,
        "others_n": means[1].n,
        "missing": sum(gap.value is None for gap in gaps),
        "verdict": no_more(effect, TOLERANCE * _length(metric)),
    }
    return Finding(metric, estimate=effect, more=more)


def _mean(gaps: Sequence[_Gap]) -> Estimate:
    return mean([gap.value for gap in gaps], [gap.cluster for gap in gaps])


def _present(gaps: Sequence[_Gap]) -> list[tuple[float, str]]:
    return [(gap.value, gap.cluster) for gap in gaps if gap.value is not None]


def contrast(a: Sequence[tuple[float, str]], b: Sequence[tuple[float, str]]) -> Estimate:
    """Mean of a minus mean of b, of values with their clusters, which may hold values of both.

    The interval is Student's t with G - 1 degrees of freedom on the cluster-robust error of a
    regression on the group (Liang and Zeger 1986), with the usual correction for G clusters and N
    values, G / (G - 1) * (N - 1) / (N - 2). None of it where a group has no values.
    """
    n, clusters = len(a) + len(b), {cluster for _, cluster in (*a, *b)}
    if not a or not b:
        return Estimate(None, n, len(clusters), None, None, "none", note="a group has no values")
    centres = [math.fsum(value for value, _ in group) / len(group) for group in (a, b)]
    value = centres[0] - centres[1]
    parts = [
        (sign * (x - centre) / len(group), cluster)
        for group, centre, sign in ((a, centres[0], 1), (b, centres[1], -1))
        for x, cluster in group
    ]
    sums = group_by_cluster([part for part, _ in parts], [cluster for _, cluster in parts]).sums
    groups = len(sums)
    rounding = 1e-11 * max(abs(x) for x, _ in (*a, *b))
    homes = min(len({cluster for _, cluster in group}) for group in (a, b))
    if homes < 2 or n < 3 or float(np.abs(sums).max()) <= rounding:
        note = "1 cluster" if homes < 2 else NO_VARIATION
        return Estimate(value, n, groups, None, None, "none", note=note)
    correction = groups / (groups - 1) * (n - 1) / (n - 2)
    half = t_critical(homes - 1) * math.sqrt(correction * float((sums**2).sum()))
    return Estimate(value, n, groups, value - half, value + half, "t")


def family_section(preferences: SelfPreferences) -> Section:
    """The preference of each judge for its own family, or why it cannot be computed."""
    if preferences.why:
        return Section(SAY("title"), (SAY("not_computed", why=preferences.why),))
    cautions = [
        SAY(
            "both_families",
            judge=pair.judge,
            other=pair.other,
            episodes=Count("episode", pair.other_family_episodes),
        )
        for pair in preferences.pairs
        if pair.other_family_episodes
    ]
    # All members are named, as a name may mislead about the family.
    labels = sorted(preferences.families.items())
    members = [
        SAY("members", family=family, members=[label for label, own in labels if own == family])
        for family in sorted({*preferences.families.values()})
    ]
    return Section(
        SAY("title_of_run", run=preferences.run),
        (
            *(_verdict(pair, preferences.declared) for pair in preferences.pairs),
            SAY("families", families=members),
        ),
        (*cautions, SAY("may_be_quality")),
        tuple(_table(pair, preferences.declared.cluster) for pair in preferences.pairs),
    )


_VERDICTS: Mapping[Judgement, str] = {
    "passes": "passes",
    "fails": "fails",
    "undecided": "cannot_tell",
}


def _verdict(pair: TwoJudges, declared: Declared) -> Sentence:
    scored = {
        finding.metric.name: finding
        for finding in pair.findings
        if finding.metric and finding.estimate and finding.estimate.value is not None
    }
    leading = scored.get(main_measure(declared, [*scored]))
    if leading is None or not isinstance(leading.estimate, Estimate):
        return SAY("no_score", judge=pair.judge, other=pair.other)
    judgement: Judgement = leading.more["verdict"]
    return SAY(
        "verdict",
        judge=pair.judge,
        other=pair.other,
        verdict=SAY(_VERDICTS[judgement]),
        metric=leading.metric,
        effect=describe_effect(leading.estimate),
        family=pair.family,
    )


def _table(pair: TwoJudges, cluster: str) -> FindingTable:
    return SAY.table(
        "effects",
        pair.findings,
        notes=figure_notes(pair.findings),
        cluster=cluster,
        judge=pair.judge,
        other=pair.other,
        family=pair.family,
        tolerance=TOLERANCE,
    )
