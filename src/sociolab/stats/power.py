"""The power of a paired design: its detectable difference, and the sample a difference needs.

A cluster's mean difference scatters for two reasons: clusters differ (one scenario suits one
agent), which only more clusters help against, and plays of one cluster differ, which repeats help
against too. One-way random effects tell them apart by the method of moments (Searle, Casella and
McCulloch, Variance Components, 1992, chapter 3): over N pairs in G clusters of n_g,

    within = SSW / (N - G)
    between = (SSB / (G - 1) - within) / n0, with n0 = (N - sum n_g^2 / N) / (G - 1)

and a negative `between` counts as 0. The test is the flip of whole clusters' signs
(`paired_tests.sign_flip`) at 0.05, or at a smaller level where several tests share it. Its p comes
in steps of 2^(1 - G), G the clusters that differ, so that the level it can use is k steps, k =
floor(alpha * 2^(G - 1)): none at all where k is 0. At that level it finds what the two-sided t-test
with G - 1 degrees of freedom on the clustered standard error finds, but for the coarse end: the
true difference must be about 1 + G / (60 k) times as large for the same power (simulated with
normal clusters, 6 to 14 of them, k from 1 to 100; with k = 1 all signs must be alike, and the exact
factor is within 2 %). The t-test's noncentral t distribution is integrated numerically, to 4 digits
or more: `scipy.special.nctdtr` (1.17) gives nan for the far tail from a shift of about 7 on. With
few clusters all of these are rough: the standard error itself is an estimate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from sociolab.stats.intervals import (
    NO_VARIATION,
    Floats,
    Groups,
    group_by_cluster,
    mean_error,
    t_quantile,
)

ALPHA = 0.05
POWER = 0.8

_NORMAL_FROM = 500  # clusters; from here the normal distribution is right to less than one cluster
_FINE = 40  # clusters; from here the steps of p are too small to matter
_erf = np.vectorize(math.erf, otypes=[np.float64])


@dataclass(frozen=True, slots=True)
class Design:
    """How precise a paired comparison is, in the units of the metric.

    `error` is the clustered standard error of the mean difference. `detectable` is the true
    difference that comes out significant in 8 of 10 such comparisons; None where so few clusters
    differ that none could. `between` and `within` are variances of single pairs' differences; both
    None where no cluster has 2 pairs, and all four None where `note` says why (as the notes of
    `intervals.Estimate`). `alpha` is the level at which it counts as significant.
    """

    pairs: int
    clusters: int
    error: float | None
    detectable: float | None
    between: float | None
    within: float | None
    note: str = ""
    alpha: float = ALPHA


_TOO_FEW_DIFFER = "too few clusters differ for any result to be significant"
"""The note where flipping signs cannot come out significant."""

NO_REPEATS = "repeats are never enough: clusters differ too much"
"""The note where no number of repeats would do."""

ONE_PAIR = "repeats cannot be told: each cluster has 1 pair"
"""The note where pairs of one cluster cannot be told from clusters."""


@dataclass(frozen=True, slots=True)
class Needed:
    """What would show a true difference of `size` in 8 of 10 comparisons, with p below `alpha`.

    `clusters`: how many in all, with as many pairs in each as now. `repeats`: how many times as
    many pairs in each of the present clusters, 1 where the present ones are enough. None where no
    number is enough or can be told; `note` says why. The pairs of one cluster count as
    independent repeats of each other, whatever else (seat, partner) they differ in.
    """

    size: float
    clusters: int | None
    repeats: float | None
    note: str = ""
    alpha: float = ALPHA


@dataclass(frozen=True, slots=True)
class OnAll:
    """What repeats can do if there are `clusters` and no more: how many times as many pairs in each
    as now would show the difference. `detectable` is what an unlimited number of them would show.
    Each is None where `note` says why."""

    clusters: int
    repeats: float | None
    detectable: float | None
    note: str = ""


def describe_design(gaps: Sequence[float], clusters: Sequence[str], alpha: float = ALPHA) -> Design:
    """The precision of paired differences; `gaps[i]` is the difference of a pair in `clusters[i]`.

    `detectable` is the true difference that is found with a power of 80 % at the level `alpha`, in
    the units of the metric. ValueError for lengths that differ, values that are not finite and an
    alpha outside (0, 1).

    >>> from sociolab.stats import describe_design
    >>> gaps = [3, 1, 1, 3, 2, 1, 0, 2]
    >>> found = describe_design(gaps, ["s", "t", "u", "v", "w", "x", "y", "z"])
    >>> found.pairs, found.clusters, round(found.error, 2), round(found.detectable, 2)
    (8, 8, 0.38, 1.29)
    """
    if not 0 < alpha < 1:
        raise ValueError(f"a level of significance lies between 0 and 1, found {alpha}")
    groups = group_by_cluster(gaps, clusters)
    pairs, count = len(gaps), len(groups.sums)
    deviations = groups.sums - groups.sizes * (math.fsum(gaps) / pairs if pairs else 0.0)
    problem = _problem(gaps, groups, deviations)
    if problem:
        return Design(pairs, count, None, None, None, None, problem, alpha)
    error, _ = mean_error(deviations, groups.sizes)
    between, within = _components(groups, deviations) if pairs > count else (None, None)
    usable = _attainable(count, alpha, differing(groups.sums, gaps) / count)
    if usable is None:
        return Design(pairs, count, error, None, between, within, _TOO_FEW_DIFFER, alpha)
    level, beyond = usable
    detectable = t_shift(count - 1, level) * beyond * error
    return Design(pairs, count, error, detectable, between, within, "", alpha)


def differing(sums: Floats, gaps: Sequence[float]) -> int:
    """In how many clusters the differences do not cancel to 0, but for rounding."""
    return int((np.abs(sums) > 1e-11 * max(map(abs, gaps), default=0.0)).sum())


def fewest_clusters(alpha: float) -> int:
    """With fewer clusters flipping their signs gives no p below `alpha`: of 5 the smallest is
    2^(1 - 5) = .0625."""
    return 2 + math.floor(-math.log2(alpha))


def needed_sample(
    gaps: Sequence[float], clusters: Sequence[str], size: float, alpha: float = ALPHA
) -> Needed:
    """The number of clusters, or of repeats in the present ones, to find a true difference of
    `size`.

    The power is 80 %, the level `alpha`; `gaps` are pilot differences, by cluster. The sign of
    `size` does not matter. With the observed difference as `size` the answer is as uncertain as
    that is. `clusters` and `repeats` are None where no number suffices or nothing can be told;
    `note` says why. Errors as in `describe_design`.

    >>> from sociolab.stats import needed_sample
    >>> gaps = [3, 1, -1, 3, 2, -2, 0, 2]
    >>> needed_sample(gaps, ["s", "t", "u", "v", "w", "x", "y", "z"], size=1.0).clusters
    29
    """
    size, observed = abs(size), describe_design(gaps, clusters, alpha)
    if observed.error is None:
        return Needed(size, None, None, observed.note, alpha)
    if size == 0:
        return Needed(size, None, None, "a difference of 0 is never settled", alpha)
    groups = group_by_cluster(gaps, clusters)
    share = differing(groups.sums, gaps) / observed.clusters
    enough = _enough_clusters(size / (observed.error * math.sqrt(observed.clusters)), alpha, share)
    if observed.detectable is None:
        return Needed(size, enough, None, observed.note, alpha)
    if size >= observed.detectable:
        return Needed(size, enough, 1.0, "", alpha)
    on_present = repeats_on_all(gaps, clusters, size, observed.clusters, alpha)
    return Needed(size, enough, on_present.repeats, on_present.note, alpha)


def repeats_on_all(
    gaps: Sequence[float], clusters: Sequence[str], size: float, count: int, alpha: float = ALPHA
) -> OnAll:
    """How many times as many pairs in each of `count` clusters find a true difference of `size`.

    `gaps` are pilot differences from some of these clusters, or all. Variance between clusters
    stays however often each is repeated, so that there may be no such number. Power, level and
    errors as in `needed_sample`.

    >>> from sociolab.stats import repeats_on_all
    >>> gaps, scenarios = [4, 2, 1, -1, 3, 3, -2, 0, 1, 3, 2, 0], list("aabbccddeeff")
    >>> found = repeats_on_all(gaps, scenarios, 1.0, 20)
    >>> round(found.repeats, 2), round(found.detectable, 2)
    (1.82, 0.89)
    >>> repeats_on_all(gaps, scenarios, 1.0, 12).note
    'repeats are never enough: clusters differ too much'
    """
    observed = describe_design(gaps, clusters, alpha)
    if observed.error is None:
        return OnAll(count, None, None, observed.note)
    groups = group_by_cluster(gaps, clusters)
    usable = _attainable(count, alpha, differing(groups.sums, gaps) / observed.clusters)
    if usable is None:
        return OnAll(count, None, None, _TOO_FEW_DIFFER)
    if observed.between is None or observed.within is None:
        return OnAll(count, None, None, ONE_PAIR)
    level, beyond = usable
    shift, fewer = t_shift(count - 1, level) * beyond, observed.clusters / count
    least = observed.between * float((groups.sizes**2).sum()) / observed.pairs**2 * fewer
    spare = (size / shift) ** 2 - least
    if spare <= 0:
        return OnAll(count, None, shift * math.sqrt(least), NO_REPEATS)
    repeats = max(1.0, observed.within / observed.pairs * fewer / spare)
    return OnAll(count, repeats, shift * math.sqrt(least))


def power(shift: float, freedom: float, alpha: float = ALPHA) -> float:
    """The chance that a two-sided t-test at `alpha` comes out significant; alpha to 1.

    `shift` is the true difference over its standard error, `freedom` at least 1. With s =
    sqrt(chi^2 / freedom), it is the mean over s of the normal probability beyond the critical t
    times s, on both sides.
    """
    edge = t_quantile(1 - alpha / 2, freedom)
    # Integrate over s: midpoints of 1,000 steps, out to 8 standard deviations.
    reach = 8 / math.sqrt(2 * freedom)
    edges = np.linspace(max(0.0, 1 - reach), 1 + reach, 1001)
    s = (edges[1:] + edges[:-1]) / 2
    log = (freedom - 1) * np.log(s) - freedom * s**2 / 2
    weights = np.exp(log - log.max())
    weights /= weights.sum()
    above, below = (_erf((end - edge * s) / math.sqrt(2)) for end in (shift, -shift))
    return float(weights @ (1 + (above + below) / 2))


def _problem(gaps: Sequence[float], groups: Groups, deviations: Floats) -> str:
    if not len(gaps):
        return "no values"
    if len(groups.sums) < 2:
        return "1 cluster"
    rounding = 1e-11 * max(abs(gap) for gap in gaps)
    if np.abs(deviations / groups.sizes).max() <= rounding:
        return NO_VARIATION
    return ""


def _components(groups: Groups, deviations: Floats) -> tuple[float, float]:
    """Variance of single pairs between clusters, at least 0, and within (module docstring)."""
    count, pairs = len(groups.sizes), groups.sizes.sum()
    within = groups.within / float(pairs - count)
    between = float((deviations**2 / groups.sizes).sum()) / (count - 1)
    usual = float(pairs - (groups.sizes**2).sum() / pairs) / (count - 1)
    return max(0.0, (between - within) / usual), within


def _attainable(count: int, alpha: float, share: float) -> tuple[float, float] | None:
    """The level that flips of `count` clusters, of which a share differs, can use, and by how much
    a difference must exceed what a t-test finds at it; None where they can use none."""
    flipped = min(round(count * share), _FINE)
    steps = math.floor(alpha * 2 ** (flipped - 1) * (1 + 1e-12)) if flipped else 0
    if not steps:
        return None
    return steps / 2 ** (flipped - 1), 1 + flipped / (60 * steps)


def _enough_clusters(ratio: float, alpha: float, share: float) -> int:
    """The fewest clusters for a true difference of `ratio` standard deviations of a cluster."""
    edge = NormalDist().inv_cdf(1 - alpha / 2)
    start = (edge + NormalDist().inv_cdf(POWER)) ** 2 / ratio**2
    if start > _NORMAL_FROM:  # plus what t costs more than the normal: z^2 / 2
        return math.ceil(start + edge**2 / 2)
    count = max(2, math.floor(start))
    while True:
        usable = _attainable(count, alpha, share)
        if usable is not None:
            level, beyond = usable
            if power(ratio * math.sqrt(count) / beyond, count - 1, level) >= POWER:
                return count
        count += 1


def t_shift(freedom: float, alpha: float) -> float:
    """The true difference, in standard errors, that a t-test finds with a power of 0.8."""
    low, high = 0.0, 4.0
    while power(high, freedom, alpha) < POWER:
        low, high = high, high * 2
    while high - low > 1e-7 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if power(middle, freedom, alpha) < POWER else (low, middle)
    return high
