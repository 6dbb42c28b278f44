"""One mixed model for scores that raters, judges, scenarios and episodes cross: REML.

    value = fixed effects + an effect of the level of each random factor + a residual

with all effects independent and normal. The variances of the factors and of the residual maximise
the restricted likelihood (Patterson and Thompson, Biometrika 58, 1971), found with Henderson's
mixed model equations: of Q = (Z X), the random and the fixed columns, and R, the residual with the
factor of the most levels,

    log|V| + log|X'V^-1 X| = log|R| + log|Q'R^-1 Q + D|
    P = R^-1 - R^-1 Q (Q'R^-1 Q + D)^-1 Q'R^-1

where P is V^-1 less what the fixed effects take, and D holds the inverse variances, and 0 for
fixed columns. R is inverted in closed form, so that the work grows with the levels of the other
factors alone, however many episodes there are.

For an estimate that weighs the values by w, the error is sqrt(w'Vw), and its degrees of freedom are
Satterthwaite's (Giesbrecht and Burns, Biometrics 41, 1985): 2 (w'Vw)^2 over the variance of w'Vw,
from the expected information of the variances, as in Kenward and Roger (Biometrics 53, 1997). Tests
hold all of it against statsmodels, lme4 and pbkrtest.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sociolab.stats.intervals import Counts, Floats

RESIDUAL = "residual"

_LEAST, _MOST = 1e-7, 1e4
"""The ends of the ratio of a factor's variance to the residual's: at the low one it is none, beyond
the high one the residual is."""


_ROUNDING = 1e-14
"""What is left of the values' squares where the model fits them."""


class Weighted(NamedTuple):
    """A weighted sum of the values, its standard error and its degrees of freedom."""

    value: float
    error: float
    freedom: float


@dataclass(frozen=True, slots=True)
class CrossedModel:
    """A fitted model: `fixed` effects, and `variances` by factor, the residual's last.

    A factor with one level, with one value a level or with the same levels as an earlier one is
    left out: the design cannot tell its variance.
    """

    fixed: Floats
    variances: Mapping[str, float]
    _values: Floats
    _codes: tuple[Counts, ...]
    _loads: tuple[Floats, ...]
    _information: Floats
    _weights: Floats

    def estimate(self, contrast: Sequence[float] | Floats) -> Weighted:
        """The best linear unbiased estimate of a sum of the fixed effects, so weighted."""
        return self.weigh(self._weights @ np.asarray(contrast, dtype=np.float64))

    def weigh(self, weights: Floats) -> Weighted:
        """The sum of the values by these weights; its error is that about its expected value."""
        phi = np.array([*self.variances.values()])
        slopes = np.array(
            [
                (np.bincount(codes, weights=weights * loads) ** 2).sum()
                for codes, loads in zip(self._codes, self._loads, strict=True)
            ]
        )
        variance = float(phi @ slopes)
        spread = float(slopes @ np.linalg.pinv(self._information, hermitian=True) @ slopes)
        freedom = 2 * variance**2 / spread if spread > 0 else math.inf
        return Weighted(float(weights @ self._values), math.sqrt(variance), freedom)


def fit_crossed(
    values: Floats,
    fixed: Floats,
    factors: Mapping[str, Counts],
    scale: Floats | None = None,
    scaled: Collection[str] = (),
) -> CrossedModel:
    """Fit the model by REML to n values: n x p fixed columns of full rank, n codes a factor.

    `scale`: by how much the standard deviations of the residual and of the factors named in
    `scaled` are larger at each value; those of the other factors are the same everywhere.
    """
    from scipy.optimize import minimize

    n = len(values)
    ones = np.ones(n)
    scale = ones if scale is None else scale
    chosen = _separable(factors, n)
    if not (scale == 1).all():  # only a factor of loads 1 can be eliminated
        chosen = dict(sorted(chosen.items(), key=lambda each: each[0] in scaled))
    loads = [ones if name in scaled else 1 / scale for name in chosen]
    codes = [*chosen.values()]
    if not chosen or not (loads[-1] == 1).all():
        codes, loads = [*codes, np.arange(n)], [*loads, ones]
    equations = _Equations.build(values / scale, fixed / scale[:, None], codes, loads)
    most = [_MOST] * len(chosen) + [0.0] * (len(codes) - len(chosen))
    ratios = np.zeros(len(codes))
    if chosen:
        # A factor and one within it ("rater by side") may each be the likelier without the other.
        bounds = [(min(_LEAST, end), end) for end in most]
        fits = [
            minimize(
                equations.deviance,
                start,
                jac=True,
                method="L-BFGS-B",
                bounds=bounds,
                options={"ftol": 1e-12, "gtol": 1e-6},
            )
            for start in (np.minimum(0.5, most), np.minimum(5 * 0.2 ** np.arange(len(most)), most))
        ]
        ratios = min(fits, key=lambda fit: fit.fun).x
    at = _Solution.of(equations, ratios)
    unit = at.rest / at.freedom
    shares = unit * np.where(ratios > _LEAST, ratios, 0)
    variances = dict(zip([*chosen, RESIDUAL], [*shares[: len(chosen)], unit], strict=True))
    information = at.information() / (2 * unit**2)
    present = [*range(len(chosen)), len(codes)]
    weights = at.weights() / scale[:, None]
    own = [load * scale for load in loads[: len(chosen)]]
    return CrossedModel(
        weights.T @ values,
        variances,
        values,
        (*codes[: len(chosen)], np.arange(n)),
        (*own, scale),
        information[np.ix_(present, present)],
        weights,
    )


def _separable(factors: Mapping[str, Counts], n: int) -> dict[str, Counts]:
    """The factors whose variance the design can tell, that of the most levels last."""
    chosen: dict[str, Counts] = {}
    for name, codes in factors.items():
        _, codes = np.unique(codes, return_inverse=True)
        levels = int(codes.max()) + 1
        both = [len({*zip(codes, other, strict=True)}) for other in chosen.values()]
        same = any(
            pairs == levels == other.max() + 1
            for pairs, other in zip(both, chosen.values(), strict=True)
        )
        if 1 < levels < n and not same:
            chosen[name] = codes
    return dict(sorted(chosen.items(), key=lambda each: int(each[1].max())))


@dataclass(frozen=True, slots=True)
class _Equations:
    """Cross-products of the columns of Q and of the values y: over all values, and (`grams`) of
    their sums over each level of the last factor, by how many values it has, and how many such
    levels there are.

    `owner` says which factor each column of Q is of; those of fixed effects are of none (-1).
    """

    values: Floats
    design: Floats
    owner: Counts
    codes: tuple[Counts, ...]
    products: Floats
    grams: tuple[tuple[float, int, Floats], ...]

    @classmethod
    def build(
        cls, values: Floats, fixed: Floats, codes: Sequence[Counts], loads: Sequence[Floats]
    ) -> _Equations:
        from scipy.sparse import csr_array, hstack

        places = np.arange(len(values))
        *blocks, last = (
            csr_array((load, (places, each))) for each, load in zip(codes, loads, strict=True)
        )
        design = hstack([*blocks, csr_array(fixed)], format="csr")
        widths = [*(block.shape[1] for block in blocks), fixed.shape[1]]
        owner = np.repeat([*range(len(blocks)), -1], widths)
        columns = hstack([design, csr_array(values[:, None])], format="csr")
        sizes, sums = np.bincount(codes[-1]), (last.T @ columns).tocsr()
        grams = tuple(
            (float(size), int(where.sum()), (sums[where].T @ sums[where]).toarray())
            for size in np.unique(sizes)
            for where in [sizes == size]
        )
        products = (columns.T @ columns).toarray()
        return cls(values, design, owner, tuple(codes), products, grams)

    def deviance(self, ratios: Floats) -> tuple[float, Floats]:
        """-2 log restricted likelihood, profiled over the residual's variance, and its slopes."""
        at = _Solution.of(self, ratios)
        return (
            at.freedom * math.log(at.rest) + at.log_determinant,
            at.traces - at.freedom * at.squares / at.rest,
        )


@dataclass(frozen=True, slots=True)
class _Solution:
    """The equations solved for given ratios of each factor's variance to the residual's.

    `inverse` is that of Q'R^-1 Q + D; `rest` is y'Py, `squares` y'PZZ'Py and `traces` tr Z'PZ by
    factor, all for a residual variance of 1.
    """

    equations: _Equations
    ratios: Floats
    inner: Floats
    inverse: Floats
    log_determinant: float
    rest: float
    squares: Floats
    traces: Floats
    outer: Floats

    @property
    def freedom(self) -> int:
        return len(self.equations.values) - int((self.equations.owner < 0).sum())

    @classmethod
    def of(cls, equations: _Equations, ratios: Floats) -> _Solution:
        from scipy.linalg.lapack import dpotri

        owner, last = equations.owner, float(ratios[-1])
        inner, outer = equations.products.copy(), np.zeros_like(equations.products)
        log_r = trace = 0.0
        for size, count, gram in equations.grams:
            grown = 1 + last * size
            inner -= last / grown * gram
            outer += gram / grown**2
            log_r += count * math.log(grown)
            trace += count * size / grown
        scale = np.sqrt(np.append(ratios[:-1], 1.0))[owner]
        left = inner[:-1, :-1]
        system = scale[:, None] * left * scale + np.diag((owner >= 0).astype(np.float64))
        root = np.linalg.cholesky(system)
        lower, _ = dpotri(root, lower=1)
        whole = np.tril(lower) + np.tril(lower, -1).T
        inverse = scale[:, None] * whole * scale
        away = np.append(-inverse @ inner[:-1, -1], 1.0)  # y less what is fitted, in columns
        slopes = (inner[:-1] @ away) ** 2
        own = owner[:, None] == np.arange(len(ratios) - 1)
        last_trace = trace - float((inverse * outer[:-1, :-1]).sum())
        return cls(
            equations,
            ratios,
            inner,
            inverse,
            log_r + 2 * float(np.log(np.diag(root)).sum()),
            max(float(inner[-1] @ away), _ROUNDING * float(equations.products[-1, -1])),
            np.append(slopes @ own, away @ outer @ away),
            np.append((1 - np.diag(whole)) @ own / ratios[:-1], last_trace),
            outer[:-1, :-1],
        )

    def information(self) -> Floats:
        """Twice the expected information of the variances, for a residual variance of 1."""
        equations, left = self.equations, self.inner[:-1, :-1]
        own = (equations.owner[:, None] == np.arange(len(self.ratios) - 1)).astype(np.float64)
        kept = np.eye(len(left)) - self.inverse @ left
        products = own.T @ (left @ kept) ** 2 @ own
        with_last = np.diag(kept.T @ self.outer @ kept) @ own
        last, square = float(self.ratios[-1]), 0.0
        for size, count, gram in equations.grams:
            grown = 1 + last * size
            square += count * (size / grown) ** 2
            square -= 2 * size / grown**3 * float((self.inverse * gram[:-1, :-1]).sum())
        both = self.inverse @ self.outer
        square += float((both * both.T).sum())
        factors = np.block([[products, with_last[:, None]], [with_last[None, :], square]])
        # By P V P = P the residual's follow from those of the factors.
        beside = self.traces - factors @ self.ratios
        whole = self.freedom - self.ratios @ self.traces - self.ratios @ beside
        return np.block([[factors, beside[:, None]], [beside[None, :], whole]])

    def weights(self) -> Floats:
        """What each value weighs in each fixed effect: an array of n x p."""
        fitted = self.equations.design @ self.inverse[:, self.equations.owner < 0]
        codes, last = self.equations.codes[-1], float(self.ratios[-1])
        sizes = np.bincount(codes)
        sums = np.zeros((len(sizes), fitted.shape[1]))
        np.add.at(sums, codes, fitted)
        return fitted - (last / (1 + last * sizes))[codes, None] * sums[codes]
