"""A comparison in words and tables: what can be concluded, and what cannot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sociolab.analysis.comparing import Compared, Counts, Unit
from sociolab.analysis.comparison_chart import difference_figures
from sociolab.analysis.comparison_tables import (
    at_level,
    basis,
    bounds,
    cluster_of,
    clusters_needed,
    design,
    detectable,
    differences,
    repeats_needed,
    students,
    tested,
    times,
)
from sociolab.analysis.figures import figure, in_words, listed, p_text, span, title_of, titles
from sociolab.core.episode import Asked
from sociolab.report.layout import layout_of
from sociolab.report.section import Section
from sociolab.report.words import plural, share
from sociolab.stats.comparison import Comparison
from sociolab.stats.power import ALPHA

FEW = 10
"""With fewer clusters than this, figures that rest on their scatter are called rough."""

_INTERVALS = " (95 % interval of A \N{MINUS SIGN} B)"
_UNITS: dict[Unit, tuple[str, str]] = {
    "play": ("play", "plays"),
    "episode": ("whole episode", "whole episodes"),
}


def comparison_section(found: Compared, judged: str, cautions: Sequence[str]) -> Section:
    """The section; `judged` says what to think of the judge's figures."""
    return Section(
        f"A: {found.a.name} against B: {found.b.name}",
        (*_matching(found), judged, *_findings(found), *_power(found)),
        (*cautions, *_cautions(found)),
        (differences(found), basis(found), design(found), students(found)),
        difference_figures(found),
    )


def _matching(found: Compared) -> Iterator[str]:
    partner = "partner" if found.by == "partner" else "role of the partner"
    clusters = max(one.clusters for one in found.found.values())
    for unit, count in found.counts.items():
        one, many = _UNITS[unit]
        seat = "seat, " if unit == "play" else ""
        yield (
            f"{plural(count.matched, f'pair of {many}', f'pairs of {many}')}, matched by task id, "
            f"{seat}{partner} and repeat. {_alone(count, one, many)} Intervals and p take each "
            f"{cluster_of(found)} as one observation: {clusters:,} of them."
        )


def _alone(count: Counts, one: str, many: str) -> str:
    a, b = count.a - count.matched, count.b - count.matched
    if not a and not b:
        return f"No {one} was left over."
    return (
        f"Left over without a match: {a:,} of {count.a:,} {many} of A, {b:,} of {count.b:,} of B."
    )


def _findings(found: Compared) -> Iterator[str]:
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
            f"Not shown{_INTERVALS}: a difference in "
            f"{listed([_with_ends(found, name) for name in left])}. "
            "Not shown is not equal: any true difference inside the interval fits these plays."
        )
    if blind:
        intervals = listed([_with_ends(found, name) for name in blind])
        yield (
            f"Not decided{_INTERVALS}: {intervals}. So few {cluster_of(found)}s differ there that "
            f"the test, corrected for {plural(count, 'measure')}, could not have come out "
            f"significant; more {cluster_of(found)}s can tell, or fewer measures (--measure)."
        )
    if same:
        yield (
            f"Every pair is equal in {_titles(found, same)}: nothing there to test. It does not "
            "show that other plays would be equal."
        )
    if empty:
        yield f"Not compared: {_titles(found, empty)}; no pair has a value on both sides."


def _shown(found: Compared, name: str) -> str:
    one, measure = found.found[name], found.measures[name]
    value = one.difference.value or 0.0
    ends = span(one.difference, measure) or f"none, {one.difference.note}"
    higher = "higher" if value > 0 else "lower"
    text = (
        f"{title_of(measure)} is {higher} for A by {figure(abs(value), measure)}"
        f" (A \N{MINUS SIGN} B, 95 % interval: {ends}); p {_equals(one.p)}, after "
        f"Holm's correction {p_text(one.holm_p)}."
    )
    low, high = one.difference.low, one.difference.high
    if low is not None and high is not None and low <= 0 <= high:
        text += " Its interval holds 0 all the same: take it as doubtful."
    return text


def _with_ends(found: Compared, name: str) -> str:
    one, measure = found.found[name], found.measures[name]
    ends = span(one.difference, measure) or f"(no interval: {one.difference.note})"
    low, high = one.difference.low, one.difference.high
    alone = ""
    if low is not None and high is not None and not low <= 0 <= high:
        alone = f" (without 0, yet p {_equals(one.p)}, {p_text(one.holm_p)} corrected)"
    elif one.p is not None and one.p < ALPHA:
        alone = f" (p {_equals(one.p)} alone but {p_text(one.holm_p)} corrected)"
    return f"{title_of(measure)} {ends}{alone}"


def _power(found: Compared) -> Iterator[str]:
    name = main_measure(found)
    one, measure = found.found[name], found.measures[name]
    seen = detectable(one)
    if seen is not None:
        yield (
            f"In {title_of(measure)} these pairs would show a true difference of "
            f"{figure(seen, measure)} in 8 of 10 such comparisons, {at_level(found)}; a smaller "
            "one is missed more often."
        )
    if one.settles.size and one.settles.clusters is not None and repeats_needed(one) != 1.0:
        yield (
            f"If the {figure(one.difference.value, measure)} observed in {title_of(measure)} were "
            f"the true difference, showing it would take {_settling(found, one)}."
        )


def _settling(found: Compared, one: Comparison) -> str:
    many = f"{clusters_needed(one):,} {cluster_of(found)}s in all, as many plays in each as now"
    factor = repeats_needed(one)
    if factor is not None:
        return f"{many}; or {times(factor)} times as many repeats of the present tasks"
    return f"{many} ({one.settles.note})" if one.settles.note else many


def _cautions(found: Compared) -> Iterator[str]:
    yield from failed_turns_told({"A": found.a.asked, "B": found.b.asked})
    clusters = [one.clusters for one in found.found.values() if one.pairs]
    if clusters and min(clusters) < FEW:
        yield (
            f"With {_few(clusters, cluster_of(found))}, intervals and p are rough, and what would "
            "settle a difference is a guess."
        )
    for name, (a, b) in found.untold.items():
        if a or b:
            yield _not_established(found, name, a, b)
    lost = {name: (a, b) for name, (a, b) in found.missing.items() if a or b}
    if lost:
        a, b = (max(counts[side] for counts in lost.values()) for side in (0, 1))
        yield (
            f"Matched plays without a value, in a measure up to: {a:,} of A, {b:,} of B. They are "
            "left out on both sides; if an agent fails where it is hard, that flatters it."
        )


def _not_established(found: Compared, name: str, a: int, b: int) -> str:
    told = (
        f"{title_of(found.measures[name])} could not be established in {plural(a, 'matched play')} "
        f"of A and {b:,} of B"
    )
    ends = found.bounds[name]
    if ends is None:
        return f"{told}: the difference could be of any size."
    sign = "could" if ends[0] < 0 < ends[1] else "would not"
    return (
        f"{told}. Whatever these came to, the difference lies within {bounds(found, name)}: it "
        f"{sign} turn round."
    )


def failed_turns_told(asked: Mapping[str, Asked]) -> Iterator[str]:
    """Who failed turns, and what share, in a sentence each."""
    for name, one in asked.items():
        if one.failed:
            yield (
                f"{name} failed {one.failed:,} of {plural(one.asked, 'turn')} "
                f"({in_words(share(*one))}). Its scores rest on the others."
            )


def _few(clusters: Sequence[int], of: str) -> str:
    """How many clusters the measures have, the fewest first."""
    least, most = min(clusters), max(clusters)
    return plural(least, of) if least == most else f"{least} to {most} {of}s, by measure"


def main_measure(found: Compared) -> str:
    """The world's main measure that has a difference to speak of, or the first measure."""
    usable = [name for name, one in found.found.items() if one.design.detectable is not None]
    mains = [name for name in layout_of(found.world).main if name in usable]
    return [*mains, *usable, *found.found][0]


def _significant(one: Comparison) -> bool:
    return one.holm_p is not None and one.holm_p < ALPHA


def _blind(one: Comparison, tested: int) -> bool:
    """Whether no result could have come out significant, Holm's correction for the smallest of
    `tested` p-values included."""
    smallest = one.permutation.smallest
    return smallest is not None and smallest * tested > ALPHA


def _titles(found: Compared, names: Sequence[str]) -> str:
    return titles(found.measures[name] for name in names)


def _equals(p: float | None) -> str:
    text = p_text(p)
    return text.replace("<", "< ") if text.startswith("<") else f"= {text}"
