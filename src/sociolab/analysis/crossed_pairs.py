"""Differences between two agents in people's scores, with errors for other raters, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sociolab.analysis.values import Value
from sociolab.stats.crossed import RatedPlay, crossed, for_raters
from sociolab.stats.intervals import two_sided_p
from sociolab.stats.paired import Comparison, holm

IN_RATERS = (
    "People's scores: intervals and p are by Student's t, clustered by scenario and by rater, so "
    "that they hold for other raters, too; the sign flip would hold the raters fixed."
)
ONE_PERSON = "One person rated all of these episodes: intervals and p hold for this rater only."


def rated_pairs(pairs: Sequence[tuple[Value, Value]]) -> list[RatedPlay]:
    """The plays of both sides where both have a rating."""
    return [
        play
        for a, b in pairs
        if a.given and b.given
        for play in (RatedPlay(a.cluster, a.given), RatedPlay(b.cluster, b.given, -1))
    ]


def with_raters(
    found: Mapping[str, Comparison], pairs: Mapping[str, Sequence[tuple[Value, Value]]]
) -> dict[str, Comparison]:
    """The comparisons with interval and p clustered both ways; of one rater they stay."""
    made = {}
    for name, one in found.items():
        plays = rated_pairs(pairs.get(name, ()))
        both = crossed(plays)
        if both is None or both.error is None or one.permutation.p is None:
            made[name] = one
            continue
        freedom = min(both.clusters, both.raters) - 1
        p = two_sided_p(both.value / both.error, freedom)
        spread = for_raters(replace(one.difference, n=len(plays)), plays)
        difference = replace(spread, n=one.difference.n)
        flipped = replace(one.permutation, p=p, smallest=0.0, exact=False, note="")
        made[name] = replace(one, difference=difference, permutation=flipped)
    corrected = holm({n: one.p if one.permutation.differing else None for n, one in made.items()})
    return {name: replace(one, holm_p=corrected[name]) for name, one in made.items()}
