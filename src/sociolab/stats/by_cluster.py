"""Values added up by the cluster (scenario, session, task) that they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.resample import Floats


@dataclass(frozen=True, slots=True)
class Groups:
    """One entry per cluster, clusters in the order of their names: how many values, their sum.

    `within` is the sum of squared deviations of all values from the mean of their own cluster.
    """

    sums: Floats
    sizes: Floats
    within: float

    @property
    def means(self) -> Floats:
        """The mean of each cluster."""
        return self.sums / self.sizes


def grouped(values: Sequence[float], clusters: Sequence[str]) -> Groups:
    """The values by cluster; `clusters[i]` holds `values[i]`. ValueError as in `finite`."""
    found = finite(values, clusters)
    index = numbered(clusters)
    sizes = np.bincount(index).astype(np.float64)
    sums = np.bincount(index, weights=found).astype(np.float64)  # integers where nothing is given
    deviations = found - (sums / sizes)[index]
    return Groups(sums, sizes, float((deviations**2).sum()))


def numbered(clusters: Sequence[str]) -> NDArray[np.intp]:
    """The number of each value's cluster: its place among the sorted names, from 0."""
    number = {name: i for i, name in enumerate(sorted(set(clusters)))}
    return np.array([number[name] for name in clusters], dtype=np.intp)


def finite(values: Sequence[float], clusters: Sequence[str]) -> Floats:
    """The values as an array; ValueError for lengths that differ and for nan or inf."""
    if len(values) != len(clusters):
        raise ValueError(
            f"each value needs its cluster, found {len(values)} values and {len(clusters)} clusters"
        )
    found = np.array(values, dtype=np.float64)
    if not np.isfinite(found).all():
        raise ValueError("values are finite numbers, found nan or inf")
    return found
