"""Two agents compared on the plays that both have: all that can be said of each measure.

The measures share one set of resampled clusters and one set of flips, and Holm's correction is
over all that can be tested. Where no cluster differs, every flip gives the same sum, so that p is 1
whatever there is to find: a test that cannot reject can raise no false alarm, and to correct the
others for it would only hide differences (Tarone, Biometrics 46, 1990, 515-522).

What a design could show, and what would settle a difference, is told for the level .05 / m over the
m measures tested: Holm's correction asks that of the smallest p, and accepts it of any other,
whatever the other measures come to.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from sociolab.stats.effect import Effect, effect
from sociolab.stats.intervals import Estimate, means
from sociolab.stats.multiple import holm
from sociolab.stats.pairs import KeyedValue, Pairs, paired
from sociolab.stats.permutation import SignFlip, sign_flip
from sociolab.stats.power import ALPHA, Design, Needed, design, needed
from sociolab.stats.t_test import TTest, paired_t

RESAMPLES = 10_000
"""Of the clusters of the pairs."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One measure: a minus b over matched pairs.

    `only_a` and `only_b` count the rows of each side that found no match. The two means are over
    the pairs, so that their difference is `difference.value`; None without pairs. `p` is by
    flipping whole clusters, `holm_p` the same corrected for all measures that could be tested; None
    for one that could not. `design` says which true difference these pairs could have shown,
    `settles` what it would take to show one as large as that observed. `t_test` is the paired one
    that takes plays as independent.
    """

    only_a: int
    only_b: int
    mean_a: float | None
    mean_b: float | None
    difference: Estimate
    permutation: SignFlip
    holm_p: float | None
    effect: Effect
    design: Design
    settles: Needed
    t_test: TTest

    @property
    def pairs(self) -> int:
        """How many pairs the comparison rests on."""
        return self.difference.n

    @property
    def clusters(self) -> int:
        """How many clusters they lie in."""
        return self.difference.clusters

    @property
    def p(self) -> float | None:
        """The uncorrected p-value of the permutation."""
        return self.permutation.p


def compare(
    measures: Mapping[str, tuple[Sequence[KeyedValue], Sequence[KeyedValue]]],
) -> dict[str, Comparison]:
    """For each measure its rows of agent a and of agent b, matched by key and compared.

    Keys and clusters mean the same in all measures. The order of the rows does not matter. The
    result is in the order of `measures`; a measure without pairs has a record with notes.
    ValueError as in `pairs.paired`, for a key in different clusters in two measures, and for
    values that are not finite.
    """
    pairs = {name: paired(a, b) for name, (a, b) in measures.items()}
    keys = {name: _keys(a, b) for name, (a, b) in measures.items()}
    gaps = {name: _gaps(found) for name, found in pairs.items()}
    home = _homes(keys, pairs)
    columns = {name: _column(home, keys[name], gaps[name]) for name in pairs}
    clusters = list(home.values())
    differences = means(columns, clusters, resamples=RESAMPLES)
    flipped = sign_flip(columns, clusters)
    corrected = holm({name: one.p if one.differing else None for name, one in flipped.items()})
    tested = sum(p is not None for p in corrected.values())
    return {
        name: _comparison(
            found,
            gaps[name],
            differences[name],
            flipped[name],
            corrected[name],
            ALPHA / max(tested, 1),
        )
        for name, found in pairs.items()
    }


def _comparison(
    pairs: Pairs,
    gaps: list[float],
    difference: Estimate,
    flipped: SignFlip,
    holm_p: float | None,
    alpha: float,
) -> Comparison:
    return Comparison(
        only_a=pairs.only_a,
        only_b=pairs.only_b,
        mean_a=_mean(pairs.a),
        mean_b=_mean(pairs.b),
        difference=difference,
        permutation=flipped,
        holm_p=holm_p,
        effect=effect(pairs.a, pairs.b, pairs.clusters),
        design=design(gaps, pairs.clusters, alpha),
        settles=needed(gaps, pairs.clusters, difference.value or 0.0, alpha),
        t_test=paired_t(pairs.a, pairs.b),
    )


def _keys(a: Sequence[KeyedValue], b: Sequence[KeyedValue]) -> list[Hashable]:
    """The keys of the pairs, in the order of `paired`: that of the first side."""
    theirs = {row.key for row in b}
    return [row.key for row in a if row.key in theirs]


def _gaps(pairs: Pairs) -> list[float]:
    """a - b; sides that are equal but for rounding do not differ."""
    return [
        0.0 if abs(x - y) <= 1e-11 * max(abs(x), abs(y)) else x - y
        for x, y in zip(pairs.a, pairs.b, strict=True)
    ]


def _homes(
    keys: Mapping[str, Sequence[Hashable]], pairs: Mapping[str, Pairs]
) -> dict[Hashable, str]:
    """The cluster of each key that any measure has."""
    home: dict[Hashable, str] = {}
    for name, found in pairs.items():
        for key, cluster in zip(keys[name], found.clusters, strict=True):
            if home.setdefault(key, cluster) != cluster:
                raise ValueError(
                    f"{name}: a key belongs to one cluster in all measures, "
                    f"found {key!r} in {home[key]!r} and {cluster!r}"
                )
    return home


def _column(
    home: Mapping[Hashable, str], keys: Sequence[Hashable], gaps: Sequence[float]
) -> list[float | None]:
    given = dict(zip(keys, gaps, strict=True))
    return [given.get(key) for key in home]


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
