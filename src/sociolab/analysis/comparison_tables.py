"""The tables of a comparison: differences, where they lie, what the design could have shown."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sociolab.analysis.comparing import Compared
from sociolab.analysis.figures import NOTHING, figure, p_text, span, title_of, titles
from sociolab.core.score import Measure
from sociolab.report.layout import layout_of
from sociolab.report.section import TextTable
from sociolab.report.words import failed_of, first_digits, minus, plural
from sociolab.stats.comparison import Comparison
from sociolab.stats.power import ALPHA
from sociolab.stats.scale import CUT


def differences(found: Compared) -> TextTable:
    """Both means, their difference, its interval and p; what plays without a score could make of
    it, where there are any."""
    open_ = any(found.is_open(name) for name in found.found)
    rows = tuple(
        (
            title_of(found.measures[name]),
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
    heads = ("measure", "A", "B", "A \N{MINUS SIGN} B", "95 % interval", "p", "Holm p")
    return TextTable(
        f"Differences · judge: {found.judge} ({found.judge_id.method})",
        (*heads, *(["bounds"] if open_ else [])),
        rows,
        (
            "means over the pairs; higher is better only where the measure means it so",
            f"95 % interval clustered by {cluster_of(found)}: {_methods(found)}{_cut(found)}",
            f"p: flipping the signs of whole {cluster_of(found)}s at random (all flips up to 16); "
            f"Holm p: corrected for the {plural(tested(found), 'measure')} that can be tested",
            *(
                [
                    "bounds: the difference over all matched plays if those without a score had "
                    "the lowest that they could for A and the highest for B, and the other way "
                    "round"
                ]
                if open_
                else []
            ),
            *_failed_turns(found),
            *_left_out(found),
            *_no_interval(found),
        ),
    )


def bounds(found: Compared, name: str) -> str:
    """Between what the difference lies, as in "[-3.21, 4.11]"; empty where all plays have a score,
    and where it could be of any size."""
    ends, measure = found.bounds[name], found.measures[name]
    if ends is None or not found.is_open(name):
        return ""
    return f"[{figure(ends[0], measure)}, {figure(ends[1], measure)}]"


def _failed_turns(found: Compared) -> Iterator[str]:
    """What share of its turns each side failed, where one did."""
    sides = {"A": found.a.asked, "B": found.b.asked}
    if any(one.failed for one in sides.values()):
        told = ", ".join(f"{name} {failed_of(one) or 'none'}" for name, one in sides.items())
        yield f"failed turns, over all plays of a side: {told}"


def basis(found: Compared) -> TextTable:
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
        "How large the difference is, and where it lies",
        ("measure", "pairs", "alone", f"{cluster}s", "A higher", "equal", "A lower", "d_z"),
        rows,
        (
            "pairs: plays with a value on both sides; alone: with a value of A / of B only; where "
            "the judge cannot tell there is none",
            f"A higher, equal, A lower: {cluster}s by their mean difference",
            "d_z: the mean difference over the standard deviation of single pairs' differences",
        ),
    )


def design(found: Compared) -> TextTable:
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
    notes = {
        f"{title_of(found.measures[name])}: {one.settles.note}"
        for name, one in found.found.items()
        if one.settles.note.startswith("repeats")
    }
    return TextTable(
        "What these pairs could have shown, and what would settle it",
        ("measure", "observed", "could be seen", f"{cluster}s to settle", "repeats", "least p"),
        rows,
        (
            "could be seen: the true difference that comes out significant in 8 of 10 such "
            f"comparisons (power .8), {at_level(found)}",
            f"to settle: how many {cluster}s in all (at least {fewest(level(found))}), or how many "
            "times the repeats of the present ones, show the observed difference in 8 of 10 "
            f"comparisons if it is the true one, {at_level(found)}",
            "least p: the smallest that was possible with these pairs",
            *sorted(notes),
        ),
    )


def _settled(one: Comparison) -> tuple[str, str]:
    clusters, factor = clusters_needed(one), repeats_needed(one)
    many = NOTHING if factor is None else f"{times(factor)} times"
    return NOTHING if clusters is None else f"{clusters:,}", "enough" if factor == 1.0 else many


def students(found: Compared) -> TextTable:
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
        ("measure", "t", "df", "p"),
        rows,
        (
            f"takes plays as independent; those of one {cluster_of(found)} are not, so p is mostly "
            "too small. Not corrected for several measures. Conclude from the tables above.",
        ),
    )


def tested(found: Compared) -> int:
    """How many measures Holm's correction is over."""
    return sum(one.holm_p is not None for one in found.found.values())


def level(found: Compared) -> float:
    """The p that shows a measure's difference whatever the other measures come to."""
    return ALPHA / max(tested(found), 1)


def at_level(found: Compared) -> str:
    """At which level a difference counts as shown here, in words."""
    count = tested(found)
    if count < 2:
        return "at p below .05"
    return (
        f"at p below .05 / {count} = {level(found):.2g}, which Holm's correction accepts of any of "
        f"{count} measures"
    )


def fewest(alpha: float) -> int:
    """With fewer clusters flipping their signs gives no p below `alpha`: of 5 the smallest is
    2^(1 - 5) = .0625."""
    return 2 + math.floor(-math.log2(alpha))


def _left_out(found: Compared) -> Iterator[str]:
    """The measures with pairs that no flip can tell apart."""
    idle = [
        found.measures[name]
        for name, one in found.found.items()
        if one.pairs and one.holm_p is None
    ]
    if idle:
        yield (
            f"not counted in Holm's correction, since no {cluster_of(found)} differs and no test "
            f"could reject: {titles(idle)}"
        )


def _methods(found: Compared) -> str:
    names = {"t": "Student's t", "bca": "BCa bootstrap"}
    used = {one.difference.method for one in found.found.values()} - {"none"}
    if len(used) == 1:
        return names[used.pop()]
    return "Student's t below 40, BCa bootstrap from 40" if used else "none"


def _cut(found: Compared) -> str:
    cut = any(one.difference.note == CUT for one in found.found.values())
    return "; one that would pass what the scale allows is cut there" if cut else ""


def _no_interval(found: Compared) -> Iterator[str]:
    whys: dict[str, list[Measure]] = {}
    for name, one in found.found.items():
        if one.difference.low is None:
            whys.setdefault(one.difference.note, []).append(found.measures[name])
    for why, measures in whys.items():
        yield f"no interval: {why} ({titles(measures)})"


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


def cluster_of(found: Compared) -> str:
    """What one independent observation is: a scenario, a session, a task."""
    return layout_of(found.world).clusters


def times(factor: float) -> str:
    """A factor with one decimal, large ones with none."""
    return f"{factor:.1f}" if factor < 1000 else first_digits(factor).split(".")[0]
