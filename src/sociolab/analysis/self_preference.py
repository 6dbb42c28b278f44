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
    ALL,
    OVERALL,
    TOLERANCE,
    AuditSubject,
    Judgement,
    condition_words,
    no_more,
)
from sociolab.analysis.ratings import MODELS, group_of
from sociolab.analysis.values import RunValues, Value
from sociolab.report.formatting import cell, plain
from sociolab.report.section import Section, TextTable
from sociolab.report.words import percent, plural
from sociolab.stats.intervals import NO_VARIATION, Estimate, grouped, mean, t_critical

Rules = Sequence[tuple[str, str]]
"""(family, pattern) as a user sets them: the first whose pattern fits counts."""


def family_of(label: str, rules: Rules = (), *, model: bool) -> str | None:
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
    found = re.match(r"[^\W\d_]+", name)
    return found[0] if found else name


@dataclass(frozen=True, slots=True)
class Preference:
    """The effect of one's own family on one measure (by name; `ALL`: in percent of their scales).

    `own` and `others`: the mean of judge minus other judge on plays of the judge's family, and on
    all others; `effect` is their difference. `missing` counts plays that one of them has no score
    of. `judgement`: it passes where the interval of the effect ends below `TOLERANCE` of the scale,
    fails where it begins above 0, and is undecided otherwise.
    """

    measure: str
    own: Estimate
    others: Estimate
    effect: Estimate
    missing: int
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class TwoJudges:
    """A judge beside another; `theirs` counts the other's own family among the other plays."""

    judge: str
    other: str
    family: str
    theirs: int
    preferences: tuple[Preference, ...]


@dataclass(frozen=True, slots=True)
class SelfPreferences:
    """Every judge beside every other one of another family; `why` where nothing can be said."""

    pairs: tuple[TwoJudges, ...]
    families: Mapping[str, str]
    why: str = ""


def self_preferences(
    run: RunValues, rules: Rules = (), judge: str | None = None
) -> SelfPreferences:
    """The preference of each model judge of a run, or (`judge`) of the one with this name."""
    judges = [label for label, one in run.judges.items() if one.method == "model"]
    agents = dict.fromkeys(value.agent for value in run.values if value.agent)
    known = {
        label: family_of(label, rules, model=group_of(run.agents[label]) == MODELS)
        for label in agents
    }
    known |= {label: family_of(run.judges[label].name, rules, model=True) for label in judges}
    of = {label: family for label, family in known.items() if family is not None}
    wanted = [label for label in judges if judge in (None, run.judges[label].name)]
    if len(judges) < 2:
        who = f"only {judges[0]}" if judges else "no model"
        why = f'it takes two model judges of the same episodes, and {who} judged "{run.run}"'
        return SelfPreferences((), of, why)
    if not wanted:
        why = (
            f'no scores of "{run.run}" by {judge} as a model are stored; `sociolab judge` stores '
            "them"
        )
        return SelfPreferences((), of, why)
    pairs = [
        pair
        for one, other in permutations(judges, 2)
        if one in wanted and of[one] != of[other]
        for pair in [_pair(run, one, other, of)]
        if pair is not None
    ]
    if pairs:
        return SelfPreferences(tuple(pairs), of)
    told = ", ".join(f"{label} ({of[label]})" for label in judges)
    played = ", ".join(f"{agent} ({of.get(agent, 'no model')})" for agent in agents)
    return SelfPreferences(
        (),
        of,
        "it takes two judges of different families, and episodes both of a judge's family and of "
        f"others; judges: {told}; agents: {played}",
    )


@dataclass(frozen=True, slots=True)
class _Gap:
    """Judge minus other judge on one play in one measure; `value` is None where one is missing."""

    play: tuple[str, str | None]
    measure: str
    cluster: str
    family: str | None
    value: float | None


def _pair(run: RunValues, judge: str, other: str, of: Mapping[str, str]) -> TwoJudges | None:
    """None where the two share no plays of the judge's family, or none of others."""
    gaps, mine = _gaps(run, judge, other, of), of[judge]
    if len({gap.family == mine for gap in gaps}) < 2:
        return None
    measures = [name for name in run.measures if any(gap.measure == name for gap in gaps)]
    found = [
        _preference(name, mine, [g for g in gaps if g.measure == name], _length(run, name))
        for name in measures
    ]
    parts = [name for name in measures if name != OVERALL]
    if len(parts) > 1:
        scales = {name: _length(run, name) for name in parts}
        scaled = [
            gap if gap.value is None else replace(gap, value=gap.value / scales[gap.measure] * 100)
            for gap in gaps
            if gap.measure in scales
        ]
        found.append(_preference(ALL, mine, scaled, 100.0))
    theirs = len({gap.play for gap in gaps if gap.family == of[other]})
    return TwoJudges(judge, other, mine, theirs, tuple(found))


def _gaps(run: RunValues, judge: str, other: str, of: Mapping[str, str]) -> list[_Gap]:
    """What was to be scored by both, play by play; plays of nobody in particular are left out."""
    second = {_cell(value): value.value for value in run.values if value.judge == other}
    return [
        _Gap(
            (value.trial, value.seat),
            value.measure,
            value.cluster,
            of.get(value.agent),
            _minus(value.value, second[_cell(value)]),
        )
        for value in run.values
        if value.judge == judge and value.agent is not None and _cell(value) in second
    ]


def _cell(value: Value) -> tuple[str, str | None, str]:
    return value.trial, value.seat, value.measure


def _minus(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b


def _length(run: RunValues, measure: str) -> float:
    return run.measures[measure].high - run.measures[measure].low


def _preference(measure: str, family: str, gaps: Sequence[_Gap], length: float) -> Preference:
    own = [gap for gap in gaps if gap.family == family]
    others = [gap for gap in gaps if gap.family != family]
    effect = contrast(_present(own), _present(others))
    missing = sum(gap.value is None for gap in gaps)
    judgement = no_more(effect, TOLERANCE * length)
    return Preference(measure, _mean(own), _mean(others), effect, missing, judgement)


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
        (sign * (one - centre) / len(group), cluster)
        for group, centre, sign in ((a, centres[0], 1), (b, centres[1], -1))
        for one, cluster in group
    ]
    sums = grouped([part for part, _ in parts], [cluster for _, cluster in parts]).sums
    groups = len(sums)
    rounding = 1e-11 * max(abs(one) for one, _ in (*a, *b))
    homes = min(len({cluster for _, cluster in group}) for group in (a, b))
    if homes < 2 or n < 3 or float(np.abs(sums).max()) <= rounding:
        note = "1 cluster" if homes < 2 else NO_VARIATION
        return Estimate(value, n, groups, None, None, "none", note=note)
    correction = groups / (groups - 1) * (n - 1) / (n - 2)
    half = t_critical(homes - 1) * math.sqrt(correction * float((sums**2).sum()))
    return Estimate(value, n, groups, value - half, value + half, "t")


def family_section(about: AuditSubject, found: SelfPreferences, run: str) -> Section:
    """Whether judges prefer their own family, or why that cannot be said."""
    title = "Self-preference: scores for a judge's own model family"
    if found.why:
        return Section(title, (f"Verdict: cannot tell. It cannot be computed: {found.why}.",))
    cautions = [
        f"{pair.judge} vs. {pair.other}: {plural(pair.theirs, 'episode')} among the others are by "
        f"{pair.other}'s own family, so the effect is the sum of both judges' self-preference."
        for pair in found.pairs
        if pair.theirs
    ]
    cautions.append(
        "Families differ in how well they play, and judges in how they use the scale: an effect "
        "may reflect the quality of play rather than family."
    )
    said = (*(one for pair in found.pairs for one in _said(about, pair)), _members(found))
    tables = tuple(_preferences(about, pair) for pair in found.pairs)
    return Section(f"{title} · run {run}", said, tuple(cautions), tables)


def _members(found: SelfPreferences) -> str:
    """Which agents and judges were taken for one family: a name may mislead."""
    self_preferences = sorted({*found.families.values()})
    told = (
        f"{family} ({', '.join(sorted(one for one, of in found.families.items() if of == family))})"
        for family in self_preferences
    )
    return f"Families, by name or by --family: {'; '.join(told)}. All other agents have no family."


def _said(about: AuditSubject, pair: TwoJudges) -> tuple[str, ...]:
    known = {one.measure: one for one in pair.preferences if one.effect.value is not None}
    main = about.main(list(known))
    if not main:
        return (f"Verdict on {pair.judge} vs. {pair.other}: cannot tell, no score is there.",)
    return (
        f"Verdict on {pair.judge} vs. {pair.other}: {_VERDICTS[known[main].judgement]} "
        f"({about.title(main)} {condition_words(known[main].effect)} for agents of {pair.family}).",
    )


_VERDICTS: Mapping[Judgement, str] = {
    "passes": "passes, it does not prefer its own family",
    "fails": "fails, it prefers its own family",
    "undecided": "cannot tell",
}


def _preferences(about: AuditSubject, pair: TwoJudges) -> TextTable:
    rows = tuple(_preference_table(about, one) for one in pair.preferences)
    names = [one.measure for one in pair.preferences]
    notes = (
        f"{pair.judge} minus {pair.other} on agents of {pair.family}, on others, and the "
        "difference of the two; passes if its interval ends below "
        f"{percent(TOLERANCE)} of the scale, fails if it begins above 0",
        *about.notes(names, [one.effect for one in pair.preferences]),
    )
    return TextTable(
        f"{pair.judge} vs. {pair.other}",
        ("metric", "on its own", "on others", "effect", "own episodes", "others", "missing"),
        rows,
        notes,
    )


def _preference_table(about: AuditSubject, one: Preference) -> tuple[str, ...]:
    return (
        about.title(one.measure),
        plain(one.own.value, sign=True),
        plain(one.others.value, sign=True),
        cell(one.effect, sign=True),
        str(one.own.n),
        str(one.others.n),
        str(one.missing),
    )
