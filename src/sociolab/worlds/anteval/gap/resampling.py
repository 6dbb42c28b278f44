"""Intervals of F-scores and gaps: test groups (episodes, sessions) are drawn, not rows.

Every virtual DM is scored on the same draws, so that what makes an episode hard for all of them
cancels out in a gap. The interval is the expanded percentile one: as the percentiles of a bootstrap
are too close together with few groups, they are taken further out by what Student's t asks for
(Hesterberg, What Teachers Should Know About the Bootstrap, 2015, section 4.2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sociolab.core.seeding import stream
from sociolab.stats.intervals import t_quantile
from sociolab.worlds.anteval.gap.formula import printed_gap, signed_gap
from sociolab.worlds.anteval.gap.records import Figure, Gap, Scores
from sociolab.worlds.anteval.virtual_dm.example import Example
from sociolab.worlds.anteval.virtual_dm.scoring import Overlap, Overlaps, macro, micro

Floats: TypeAlias = NDArray[np.float64]

RESAMPLES = 5000
LEVEL = 0.95

FEWEST_GROUPS = 5
"""From fewer there is no interval: even the whole range of what can be drawn from 2, 3 or 4 groups
holds the truth in 50, 75 or 88 of 100 studies at best."""

_ROUNDING = 1e-9


class Draws:
    """How often each group of the test rows comes in each resample; the same for every DM."""

    def __init__(self, test: Sequence[Example], seed: int) -> None:
        number = {name: place for place, name in enumerate(sorted({row.group for row in test}))}
        self.groups = len(number)
        self._index = np.array([number[row.group] for row in test], dtype=np.intp)
        random = np.random.default_rng(stream(seed, "gap", "draws").getrandbits(64))
        even = np.full(self.groups, 1 / self.groups)
        self._counts: Floats = random.multinomial(self.groups, even, RESAMPLES).astype(np.float64)

    def scores(self, rows: Sequence[Overlaps]) -> Scores:
        """F-scores of a virtual DM with their intervals."""
        found = micro(rows)
        return Scores(
            self._figure(found.f_c, self._f1([row.characters for row in rows])),
            self._figure(found.f_o, self._f1([row.tuples for row in rows])),
            self._figure(found.f_s, self._f1([row.skills for row in rows])),
            macro(rows),
        )

    def gap_c(self, real: Sequence[Overlaps], generated: Sequence[Overlaps]) -> Gap:
        """The gap in who makes a check."""
        fr, fg = micro(real).f_c, micro(generated).f_c
        return self._gap(
            (fr, self._f1([row.characters for row in real])),
            (fg, self._f1([row.characters for row in generated])),
        )

    def gap_o(self, real: Sequence[Overlaps], generated: Sequence[Overlaps]) -> Gap:
        """The gap in who makes which check."""
        fr, fg = micro(real).f_o, micro(generated).f_o
        return self._gap(
            (fr, self._f1([row.tuples for row in real])),
            (fg, self._f1([row.tuples for row in generated])),
        )

    def _f1(self, parts: Sequence[Overlap]) -> Floats:
        """F1 in each resample."""
        both = self._sums([part.both for part in parts])
        total = self._sums([part.predicted + part.real for part in parts])
        return np.divide(2 * both, total, out=np.ones_like(total), where=total > 0)

    def _sums(self, values: Sequence[int]) -> Floats:
        by_group = np.bincount(self._index, weights=values, minlength=self.groups)
        return np.asarray(self._counts @ by_group)

    def _gap(
        self, real: tuple[float | None, Floats], generated: tuple[float | None, Floats]
    ) -> Gap:
        (fr, many_fr), (fg, many_fg) = real, generated
        total = many_fr + many_fg
        many = (many_fr - many_fg)[total > 0] / total[total > 0] * 100
        if fr is None or fg is None:
            return Gap(Figure(None), Figure(None))
        signed = self._figure(signed_gap(fr, fg), many)
        return Gap(_without_sign(printed_gap(fr, fg), signed), signed)

    def _figure(self, value: float | None, many: Floats) -> Figure:
        # Without variation the interval would have no width, and claim what nobody can know.
        few = self.groups < FEWEST_GROUPS
        if value is None or few or not len(many) or np.ptp(many) < _ROUNDING:
            return Figure(value)
        low, high = np.quantile(many, _tails(self.groups))
        return Figure(value, float(low), float(high))


def _tails(groups: int) -> tuple[float, float]:
    """The percentiles to take, further out the fewer groups there are."""
    t = t_quantile((1 + LEVEL) / 2, groups - 1)
    below = NormalDist().cdf(-math.sqrt(groups / (groups - 1)) * t)
    return below, 1 - below


def _without_sign(printed: float | None, signed: Figure) -> Figure:
    """The printed G with its interval: from 0 where that of the signed one reaches across it."""
    if signed.low is None or signed.high is None:
        return Figure(printed)
    ends = sorted((abs(signed.low), abs(signed.high)))
    across = signed.low <= 0 <= signed.high
    return Figure(printed, 0.0 if across else ends[0], ends[1])
