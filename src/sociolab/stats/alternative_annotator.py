"""May a judge take the place of a person? The alternative annotator test.

Calderon, Reichart and Dror (arXiv 2501.10970, 2025): each rater in turn is left out; on each item
the judge, or that rater, is the nearer whose root mean squared distance from the remaining ratings
is smaller, and at a tie both are. The judge wins over a rater if it is nearer more often than the
rater is, with `epsilon` conceded because it is cheaper: t of (rater nearer - judge nearer -
epsilon), one-sided, with Benjamini and Yekutieli's correction over the raters. It may replace
people if it wins over at least half of them. Ours is that t is clustered by scenario, since items
of one are alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from sociolab.stats.intervals import mean

CROWD, EXPERTS = 0.1, 0.2
"""What the authors concede to a judge beside crowd workers, and beside experts."""

LEAST_ITEMS = 30
"""Items of a rater, rated by others too, below which the authors advise against the test."""

LEAST_TESTED = 3
"""Raters with so many items that the test takes, at least."""

_FALSE_DISCOVERIES = 0.05


@dataclass(frozen=True, slots=True)
class AlternativeTest:
    """Over `tested` of all `raters`: the shares over whom the judge wins, by what is conceded, and
    the mean share of a rater's items on which the judge is at least as near (`advantage`).

    Both None where fewer than `LEAST_TESTED` raters have `LEAST_ITEMS` items that others rated.
    """

    raters: int
    tested: int
    advantage: float | None
    wins: Mapping[float, float] | None

    def passes(self, epsilon: float) -> bool | None:
        """Whether the judge wins over at least half of the raters; None where not tested."""
        return None if self.wins is None else self.wins[epsilon] >= 0.5


def alternative_test(
    scores: Mapping[str, float],
    ratings: Mapping[str, Mapping[str, float]],
    clusters: Mapping[str, str],
) -> AlternativeTest:
    """The test of a judge's scores by item beside ratings by item and rater.

    >>> from sociolab.stats import alternative_test
    >>> people = {f"i{i}": {"ann": 5.0, "bob": 5.0, "cid": 9.0 * (i % 2)} for i in range(30)}
    >>> test = alternative_test({item: 5.0 for item in people}, people, {i: i for i in people})
    >>> test.tested, test.wins[0.1], test.passes(0.1)
    (3, 1.0, True)
    """
    raters = {name for given in ratings.values() for name in given}
    wins: dict[float, list[float]] = {CROWD: [], EXPERTS: []}
    nearer: list[float] = []
    for rater in sorted(raters):
        gaps, judge_nearer, homes = list[float](), list[float](), list[str]()
        for item, given in ratings.items():
            rest = [value for name, value in given.items() if name != rater]
            if rater in given and rest and item in scores:
                own, judge = (
                    fmean((value - each) ** 2 for each in rest)
                    for value in (given[rater], scores[item])
                )
                judge_nearer.append(float(judge <= own))
                gaps.append(float(own <= judge) - float(judge <= own))
                homes.append(clusters[item])
        if len(gaps) >= LEAST_ITEMS:
            nearer.append(fmean(judge_nearer))
            for epsilon, ps in wins.items():
                ps.append(_p_below(gaps, homes, epsilon))
    if len(nearer) < LEAST_TESTED:
        return AlternativeTest(len(raters), len(nearer), None, None)
    won = {epsilon: _share_rejected(ps) for epsilon, ps in wins.items()}
    return AlternativeTest(len(raters), len(nearer), fmean(nearer), won)


def _p_below(gaps: list[float], clusters: list[str], epsilon: float) -> float:
    """One-sided, of a mean at or above epsilon; 0 or 1 where clusters do not vary."""
    from scipy.special import stdtr

    found = mean(gaps, clusters)
    away = (found.value or 0.0) - epsilon
    if not found.error or found.freedom is None:
        return float(away >= 0 or found.clusters < 2)
    return float(stdtr(found.freedom, away / found.error))


def _share_rejected(ps: list[float]) -> float:
    from scipy.stats import false_discovery_control

    return float((false_discovery_control(ps, method="by") <= _FALSE_DISCOVERIES).mean())
