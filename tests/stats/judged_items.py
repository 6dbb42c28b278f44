"""Items that a judge and people scored, and how far apart they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sociolab.stats import JudgeGaps, Spread, means, nan_to_none, rating_table


@dataclass(frozen=True)
class Judged:
    """An item's score by the judge, by one or more people, and the cluster it belongs to."""

    judge: float
    people: tuple[float, ...]
    cluster: str


def spread(items: Sequence[Judged]) -> Spread:
    """The judge against the people, with intervals; sorted, since rounding
    depends on the order."""
    ordered = sorted((each.cluster, each.judge, sorted(each.people)) for each in items)
    table = rating_table([people for _, _, people in ordered])
    gaps = JudgeGaps.from_scores(
        np.array([judge for _, judge, _ in ordered], dtype=np.float64), table
    )
    columns = {name: nan_to_none(column) for name, column in gaps.columns().items()}
    return gaps.spread(means(columns, [cluster for cluster, _, _ in ordered]))
