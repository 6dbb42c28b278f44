"""How often raters of the same item agree, and how far beyond chance (Randolph's kappa).

Agreement is measured per item: of all pairs of its ratings, the share that agree. The mean over
items counts each item the same, whatever the number of its raters: Fleiss (1971) for equal
numbers, and its usual generalisation (Gwet, Handbook of Inter-Rater Reliability) for unequal ones.
Items with fewer than two ratings have no pair; they are left out and counted.

Randolph (2005) takes as chance that each of k categories is as likely: kappa = (A - 1/k) /
(1 - 1/k), with A the agreement in bins. It is a straight line in A, so its interval is that of A
on another scale, and no second figure is free: SOTOPIA's kappa of .503 with five bins (appendix D)
means A = .602, and its "pairwise agreement" of .8485 must be some looser agreement, which the
paper does not define. So three are given here, each by its name: exact, near and binned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sociolab.stats.binning import Bins, numbers
from sociolab.stats.intervals import Estimate
from sociolab.stats.rating_table import RatingTable
from sociolab.stats.resample import Floats

NEAR = 1.0
"""Ratings this many points apart, or fewer, agree nearly."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of raters over some items; each share from 0 to 1, `n` counts items compared.

    `exact`: same value. `near`: at most one point apart. `binned`: same bin. `kappa`: Randolph's,
    of `binned`, from -1/(k - 1) to 1. `pairs`: pairs of ratings compared. `left_out`: items with
    fewer than two ratings. `missing`: ratings that are None.
    """

    exact: Estimate
    near: Estimate
    binned: Estimate
    kappa: Estimate
    pairs: int
    left_out: int
    missing: int


def pair_columns(table: RatingTable, bins: Bins | Sequence[Bins]) -> dict[str, Floats]:
    """Per item, its shares of pairs that agree: exact, near and binned; nan without a pair."""
    return {
        "exact": table.pair_shares(),
        "near": table.pair_shares(NEAR),
        "binned": replace(table, values=numbers(table.values, bins)).pair_shares(),
    }


def agreement_of(found: Mapping[str, Estimate], table: RatingTable, categories: int) -> Agreement:
    """The record of items whose `pair_columns` have these means."""
    sizes = table.sizes
    return Agreement(
        exact=found["exact"],
        near=found["near"],
        binned=found["binned"],
        kappa=_kappa(found["binned"], categories),
        pairs=int((sizes * (sizes - 1) // 2).sum()),
        left_out=int((sizes < 2).sum()),
        missing=int(table.missing.sum()),
    )


def free_marginal_kappa(share: float, categories: int) -> float:
    """Randolph's kappa of this share of agreeing pairs, with at least 2 `categories`."""
    if categories < 2:
        raise ValueError(f"kappa needs at least 2 categories, found {categories}")
    return (share - 1 / categories) / (1 - 1 / categories)


def _kappa(share: Estimate, categories: int) -> Estimate:
    value, low, high = (
        None if end is None else free_marginal_kappa(end, categories)
        for end in (share.value, share.low, share.high)
    )
    return replace(share, value=value, low=low, high=high)
