"""What the ends of a measure's scale say of a mean, beside or in place of its interval.

Student's interval knows nothing of a scale, and with 2 to 4 clusters it mostly passes its ends. The
true mean lies on the scale, so that to cut the interval there takes away nothing that could be
true: it holds the true mean exactly as often as before. (An interval on a transformed scale would
also end inside, but has no finite end where a cluster lies at an end itself, as most do in pass^k.)

Where all clusters lie at one end there is no scatter to make an interval of, yet the mean has a
bound. The chance that a cluster lies at the top is at most the mean m, on a scale from 0 to 1
(Markov's inequality), so that G independent clusters all do with a chance of at most m^G. Any m
below (1 - level)^(1/G) is therefore refuted at that level: the "rule of three" (Hanley and
Lippman-Hand, JAMA 249, 1983, 1743-1745), taken by cluster.
"""

from __future__ import annotations

import math
from dataclasses import replace

from sociolab.stats.intervals import NO_VARIATION, Estimate

CUT = "cut at the end of the scale"


def on_scale(estimate: Estimate, low: float, high: float) -> Estimate:
    """The estimate with the part of its interval that lies from `low` to `high`.

    Its note says so where something was cut. Its values lie on the scale.
    """
    if estimate.low is None or estimate.high is None:
        return estimate
    if low <= estimate.low and estimate.high <= high:
        return estimate
    return replace(estimate, low=max(low, estimate.low), high=min(high, estimate.high), note=CUT)


def bound(estimate: Estimate, low: float, high: float) -> float | None:
    """Where all clusters lie at one end of the scale, how far from it the true mean may be.

    One-sided, at the estimate's level: a lower bound of a mean at `high`, an upper one of a mean at
    `low`. Clusters count as independent and as of equal weight. None for any other estimate, and
    for less than 2 clusters.
    """
    if estimate.note != NO_VARIATION or estimate.value not in (low, high):
        return None
    reach = (high - low) * math.pow(1 - estimate.level, 1 / estimate.clusters)
    return low + reach if estimate.value == high else high - reach
