"""Which of scenario, partner, repeat and judge the variance of scores comes from.

The model: value = mean + an effect of each factor's level + a residual, all independent and random.
The estimator is Henderson's method I (Henderson 1953; Searle, Casella and McCulloch, Variance
Components, 1992, chapter 5), for crossed, nested and unbalanced data: the sum of squares between
the levels of each factor, and the total one, are set equal to their expectations, which are linear
in the components. On balanced data it is the textbook's analysis of variance. It is unbiased; a
component below 0 is set to 0 and its note says so.

What two factors do only together (this partner is good in that scenario) goes to a factor named for
it, e.g. "pairing" within scenario and partner; without one it goes mostly to the factors nested in
both (the repeat) or to the residual.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.intervals import Floats

Codes = NDArray[np.intp]
Within = Mapping[str, Sequence[str]]

DEFAULT_NESTING: Within = {"repeat": ("scenario", "partner")}
"""Repeat 0 of one scenario and partner has nothing in common with repeat 0 of another."""

_ROUNDING = 1e-9


class LeveledScore(NamedTuple):
    """One score and the level of each factor that it was made at; None where not scored."""

    value: float | None
    levels: Mapping[str, Hashable]


@dataclass(frozen=True, slots=True)
class Component:
    """The variance that one factor adds, in squared points, and its share of the whole.

    None where the design cannot tell, and `note` says why. `levels` is how many levels it rests on:
    with fewer than about 10, the component may be off by half of itself or more.
    """

    factor: str
    variance: float | None
    share: float | None
    levels: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Advice:
    """The standard error of the mean over all values, and what each doubling would make of it.

    It speaks of scenarios, partners and judges at large, so it exceeds the error of an interval
    clustered by scenario, which holds the others fixed. Of the `fixed` factors the data have one
    level only: it speaks of that level. `doublings` has, by factor, the standard error with twice
    as many levels of it. An error is None where the design cannot tell.
    """

    error: float | None
    fixed: tuple[str, ...]
    doublings: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Components:
    """The components of each factor, in the order of `factors`, then that of the residual."""

    factors: tuple[Component, ...]
    residual: Component
    n: int
    missing: int
    advice: Advice
    _fit: _Fit = field(compare=False, repr=False)
    _within: Within = field(compare=False, repr=False)

    def error_with(self, times: Mapping[str, float]) -> float | None:
        """The standard error with so many times the levels of these factors (and of what lies
        within them); "residual": so many times the values. None where the design cannot tell."""
        names = [*(part.factor for part in self.factors), "residual"]
        return _error(self._fit, names, self._within, times)


def variance_components(
    rows: Iterable[LeveledScore],
    factors: Sequence[str],
    *,
    within: Within = DEFAULT_NESTING,
) -> Components:
    """Variance components: how much of the variance of scores comes from each factor (Henderson's
    method I).

    `within` maps a nested factor to those it is nested in: doubling one of these doubles it, too. A
    share is from 0 to 1, None where the design cannot tell. The order of rows does not matter.

    ValueError for no or repeated factors, a row without the level of a factor, a value that is not
    finite, and fewer than two values.

    >>> from sociolab.stats import LeveledScore, variance_components
    >>> rows = [LeveledScore(base + shift, {"scenario": name, "judging": shift})
    ...         for name, base in (("a", 3), ("b", 6), ("c", 9)) for shift in (0, 1)]
    >>> found = variance_components(rows, ["scenario", "judging"], within={})
    >>> [(part.factor, round(part.share, 2)) for part in found.factors]
    [('scenario', 0.95), ('judging', 0.05)]
    """
    rows = list(rows)
    _check(rows, factors, within)
    present = [row for row in rows if row.value is not None]
    if len(present) < 2:
        raise ValueError(f"variance needs at least two values, found {len(present)}")
    nested = {name: (*within.get(name, ()), name) for name in factors}
    codes = [
        _codes([tuple(row.levels[i] for i in nested[name]) for row in present]) for name in factors
    ]
    fit = _Fit.from_values(np.array([row.value for row in present], dtype=np.float64), codes)
    *estimated, residual = _components((*factors, "residual"), fit)
    advice = _advice(factors, within, fit)
    missing = len(rows) - len(present)
    return Components(tuple(estimated), residual, len(present), missing, advice, fit, within)


@dataclass(frozen=True, slots=True)
class _Fit:
    """The solved equations; the last column of each array is the residual.

    `estimable` spans what the design can tell: a weighted sum of components is estimable if its
    weights lie in it. `raw` is a solution before negative ones are cut. `weights` is how much of
    each component is in the variance of the mean, `levels` how many levels there are.
    """

    raw: Floats
    estimable: Floats
    weights: Floats
    levels: Codes

    @classmethod
    def from_values(cls, values: Floats, codes: Sequence[Codes]) -> _Fit:
        n = len(values)
        codes = [*codes, np.arange(n)]
        away = values - math.fsum(values) / n
        counts = [np.bincount(code).astype(np.float64) for code in codes]
        levels = np.array([len(count) for count in counts], dtype=np.intp)
        weights = np.array([float((count**2).sum()) for count in counts]) / n**2
        varied = np.flatnonzero(levels > 1)
        squares = [(np.bincount(codes[i], weights=away) ** 2 / counts[i]).sum() for i in varied]
        expected = [
            [
                _sum_overlaps(codes[i], codes[j], counts[i]) - n * weights[j]
                for j in range(len(codes))
            ]
            for i in varied
        ]
        # Divided by the degrees of freedom: mean squares, so that the equations are of one size.
        freedom = levels[varied] - 1
        matrix = np.array(expected) / freedom[:, None]
        _, sizes, rows = np.linalg.svd(matrix, full_matrices=False)
        estimable = rows[sizes > _ROUNDING * sizes[0]]
        mean_squares = np.array(squares) / freedom
        raw = np.linalg.pinv(matrix, rcond=_ROUNDING) @ mean_squares
        raw[np.abs(raw) <= _ROUNDING * mean_squares.max()] = 0
        return cls(raw, estimable, weights, levels)

    @property
    def variances(self) -> Floats:
        return np.maximum(self.raw, 0)

    def total(self, weights: Floats) -> float | None:
        """The weighted sum of the components, None where the design cannot tell it."""
        lost = weights - self.estimable.T @ (self.estimable @ weights)
        if np.abs(lost).max() > 1e-6 * np.abs(weights).max():
            return None
        return float(weights @ self.variances)


def _sum_overlaps(code: Codes, other: Codes, counts: Floats) -> float:
    """Sum over the levels of one factor of (rows that share a level of the other)^2 / rows."""
    pair, shared = np.unique(code * (other.max() + 1) + other, return_counts=True)
    return float((shared.astype(np.float64) ** 2 / counts[pair // (other.max() + 1)]).sum())


def _codes(levels: Sequence[Hashable]) -> Codes:
    number = {level: i for i, level in enumerate(dict.fromkeys(levels))}
    return np.array([number[level] for level in levels], dtype=np.intp)


def _components(names: Sequence[str], fit: _Fit) -> list[Component]:
    varied = (fit.levels > 1).astype(np.float64)
    total = fit.total(varied)
    parts = []
    for i, name in enumerate(names):
        variance = fit.total(np.eye(len(names))[i])
        share = variance / total if variance is not None and total else None
        note = _note(fit, i, variance)
        parts.append(Component(name, variance, share, int(fit.levels[i]), note))
    return parts


def _note(fit: _Fit, i: int, variance: float | None) -> str:
    if variance is not None:
        return "estimated below 0, set to 0" if fit.raw[i] < 0 else ""
    if fit.levels[i] == 1:
        return "1 level"
    return "the design cannot tell it from other components"


def _advice(factors: Sequence[str], within: Within, fit: _Fit) -> Advice:
    fixed = tuple(name for i, name in enumerate(factors) if fit.levels[i] == 1)
    names = [*factors, "residual"]
    doublings = {
        name: None if name in fixed else _error(fit, names, within, {name: 2, "residual": 2})
        for name in factors
    }
    return Advice(_error(fit, names, within, {}), fixed, doublings)


def _error(
    fit: _Fit, names: Sequence[str], within: Within, times: Mapping[str, float]
) -> float | None:
    """The standard error of the mean with so many times the levels, see `Components.error_with`."""
    more = [
        math.prod(n for factor, n in times.items() if factor in (name, *within.get(name, ())))
        for name in names
    ]
    variance = fit.total(np.where(fit.levels > 1, fit.weights, 0) / np.array(more))
    return None if variance is None else math.sqrt(variance)


def _check(rows: Sequence[LeveledScore], factors: Sequence[str], within: Within) -> None:
    if not factors or len(set(factors)) < len(factors):
        raise ValueError(f"expected different factors, at least one, found {list(factors)}")
    needed = {*factors, *(i for name in factors for i in within.get(name, ()))}
    for row in rows:
        if missing := needed - row.levels.keys():
            raise ValueError(f"each row has a level of {sorted(needed)}, found none of {missing}")
        if row.value is not None and not math.isfinite(row.value):
            raise ValueError(f"values are finite numbers, or None, found {row.value}")
