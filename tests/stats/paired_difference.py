"""The mean difference of matched pairs, as a comparison works it out."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.stats import Estimate, mean


def difference(a: Sequence[float], b: Sequence[float], clusters: Sequence[str]) -> Estimate:
    """Of a - b, position by position."""
    return mean([x - y for x, y in zip(a, b, strict=True)], clusters)
