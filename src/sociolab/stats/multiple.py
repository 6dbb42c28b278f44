"""Several tests at once: Holm's correction."""

from __future__ import annotations

from collections.abc import Mapping


def holm(ps: Mapping[str, float | None]) -> dict[str, float | None]:
    """Adjusted p-values, to be held against .05: the chance of any false alarm stays below it.

    The smallest of m is multiplied by m, the next by m - 1 and so on; none falls below the one
    before, none exceeds 1. Valid however the tests depend on each other. A measure without a p
    (None) stays None and does not count in m. ValueError for a p outside [0, 1].
    Source: Holm, Scandinavian Journal of Statistics 6 (1979), 65-70.
    """
    for name, p in ps.items():
        if p is not None and not 0 <= p <= 1:
            raise ValueError(f"{name}: a p-value lies between 0 and 1, found {p}")
    given = sorted((p, name) for name, p in ps.items() if p is not None)
    adjusted: dict[str, float] = {}
    floor = 0.0
    for place, (p, name) in enumerate(given):
        floor = max(floor, min(1.0, (len(given) - place) * p))
        adjusted[name] = floor
    return {name: adjusted.get(name) for name in ps}
