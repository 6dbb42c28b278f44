"""Unpaired comparison of two agents: the difference of their means, clustered.

With d_g = the sum in cluster g of a's deviations from a's mean over a's number of plays, less the
same of b's, each side scaled by sqrt(G / (G - 1)) of its own G clusters, the squared error is the
sum of all d_g^2: a cluster that both sides played counts once, with what they share taken out
(Miller, arXiv 2411.00640, section 3). Degrees of freedom are Welch's, of the two sides' own errors;
the interval is corrected for skewness as that of a mean is (`stats.intervals`), p is that of
Student's t. With a play in each cluster and none shared it is Welch's test.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from sociolab.stats.intervals import (
    NO_VARIATION,
    Estimate,
    Floats,
    group_by_cluster,
    skewed_limits,
    two_sided_p,
)
from sociolab.stats.paired_tests import (
    Comparison,
    EffectSize,
    KeyedValue,
    SignFlip,
    TTest,
    holm,
    holm_levels,
)
from sociolab.stats.power import Design, Needed, t_shift

Rows = tuple[Sequence[KeyedValue], Sequence[KeyedValue]]

UNMATCHED = "plays are not matched"
"""Why there is nothing that needs pairs."""


def compare_unpaired(
    metrics: Mapping[str, Rows], looks: int = 1, first: str | None = None
) -> dict[str, Comparison]:
    """For each metric the rows of agent a and of agent b compared as they are; keys say nothing.

    `n` of a difference counts the plays of both sides, `clusters` those that either played. What
    only pairs have (flips, effect sizes by pair, what more of them would settle) is None.
    """
    tests = {name: _Unpaired(a, b) for name, (a, b) in metrics.items()}
    ps = {name: test.p for name, test in tests.items()}
    corrected, levels = holm(ps, looks, first), holm_levels(ps, looks, first)
    return {name: test.comparison(corrected[name], levels[name]) for name, test in tests.items()}


class _Unpaired:
    """The test of one metric: the difference, its error and its degrees of freedom."""

    def __init__(self, a: Sequence[KeyedValue], b: Sequence[KeyedValue]) -> None:
        self._values = [[row.value for row in side] for side in (a, b)]
        self._homes = [[row.cluster for row in side] for side in (a, b)]
        self._clusters = sorted({*self._homes[0], *self._homes[1]})
        sides = [self._residuals(i) for i in (0, 1)]
        self.residuals = sides[0] - sides[1]
        parts = [float((side**2).sum()) for side in sides]
        self.error = math.sqrt(float((self.residuals**2).sum()))
        counts = [len({*homes}) for homes in self._homes]
        self.problem = self._problem(counts)
        self.freedom, self.p = 0.0, None
        if not self.problem:
            self.freedom = sum(parts) ** 2 / sum(
                part**2 / (count - 1) for part, count in zip(parts, counts, strict=True)
            )
            self.p = two_sided_p((self.difference or 0.0) / self.error, self.freedom)

    def _residuals(self, side: int) -> Floats:
        """By cluster: deviations from the side's mean over its plays, scaled for few clusters."""
        values, homes = self._values[side], self._homes[side]
        residuals = np.zeros(len(self._clusters))
        if not values:
            return residuals
        groups = group_by_cluster(
            [value - math.fsum(values) / len(values) for value in values], homes
        )
        count = len(groups.sums)
        place = np.searchsorted(self._clusters, sorted({*homes}))
        residuals[place] = groups.sums / len(values) * math.sqrt(count / max(count - 1, 1))
        return residuals

    def _problem(self, counts: Sequence[int]) -> str:
        if not all(self._values):
            return "no values"
        if min(counts) < 2:
            return "1 cluster"
        largest = max(abs(value) for side in self._values for value in side)
        return NO_VARIATION if self.error <= 1e-11 * largest else ""

    @property
    def means(self) -> list[float | None]:
        return [math.fsum(side) / len(side) if side else None for side in self._values]

    @property
    def difference(self) -> float | None:
        a, b = self.means
        return None if a is None or b is None else a - b

    def comparison(self, holm_p: float | None, level: float) -> Comparison:
        value, plays = self.difference, sum(map(len, self._values))
        clusters = len(self._clusters)
        estimate = Estimate(value, plays, clusters, None, None, "none", note=self.problem)
        design = Design(plays, clusters, None, None, None, None, self.problem, level)
        if value is not None and not self.problem:
            below, above = skewed_limits(self.residuals, self.error, self.freedom)
            estimate = Estimate(
                value, plays, clusters, value + below, value + above, "t",
                error=self.error, freedom=self.freedom,
            )  # fmt: skip
            detectable = t_shift(self.freedom, level) * self.error
            design = Design(plays, clusters, self.error, detectable, None, None, "", level)
        a, b = self.means
        return Comparison(
            only_a=0,
            only_b=0,
            mean_a=a,
            mean_b=b,
            difference=estimate,
            permutation=SignFlip(self.p, clusters, clusters, None, exact=False, note=UNMATCHED),
            holm_p=holm_p,
            effect=EffectSize(value, None, None, 0, 0, 0),
            design=design,
            settles=Needed(abs(value or 0.0), None, None, UNMATCHED, level),
            t_test=TTest(None, None, None, UNMATCHED),
        )
