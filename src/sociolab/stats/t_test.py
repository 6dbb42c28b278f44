"""Student's t-test, as SOTOPIA compares GPT-4 with people (arXiv 2310.11667, section 7, Table 3).

Plays are taken as independent, which plays of one scenario are not: p comes out too small where
they are alike. It stands beside the clustered comparison so that it can be held against published
tests.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from sociolab.stats.student import two_sided_p

_ROUNDING = 1e-11


@dataclass(frozen=True, slots=True)
class TTest:
    """t, its degrees of freedom and the two-sided p; all None where `note` says why."""

    t: float | None
    freedom: float | None
    p: float | None
    note: str = ""


def paired_t(a: Sequence[float], b: Sequence[float]) -> TTest:
    """Is the mean of a - b over matched pairs 0? Position i of both is one pair; n - 1 degrees.

    No test for fewer than 2 pairs, or where all differences are equal. ValueError for lengths
    that differ and values that are not finite.
    """
    if len(a) != len(b):
        raise ValueError(f"pairs need as many values on both sides, found {len(a)} and {len(b)}")
    _check(a, b)
    if len(a) < 2:
        return TTest(None, None, None, "fewer than 2 pairs")
    gaps = [x - y for x, y in zip(a, b, strict=True)]
    error = math.sqrt(variance(gaps) / len(gaps))
    if error <= _rounding(a, b):
        return TTest(None, None, None, "no variation between pairs")
    return _test(fmean(gaps) / error, len(gaps) - 1)


def _test(t: float, freedom: float) -> TTest:
    return TTest(t, float(freedom), two_sided_p(t, freedom))


def _check(a: Sequence[float], b: Sequence[float]) -> None:
    if not all(math.isfinite(value) for side in (a, b) for value in side):
        raise ValueError("values are finite numbers, found nan or inf")


def _rounding(a: Sequence[float], b: Sequence[float]) -> float:
    return _ROUNDING * max(abs(value) for side in (a, b) for value in side)
