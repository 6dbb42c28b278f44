"""The formula of the intention gap, the samples behind it, and its intervals.

A figure depends on two draws: of the play that the virtual DMs learned from, and of the test rows.
A study makes each once. Their shares of the variance of G (and of F) are estimated separately:

    V_train  the variance of G between B refits, each of virtual DMs that learned from play drawn
             anew (whole episodes of real play and whole sessions of generated play, with
             replacement, as many examples as in the study), scored on the test rows as they are
    V_test   the variance of G between resamples of the test groups (drawn whole, with replacement),
             the virtual DMs as they are; the mean over the study's own and the refitted ones

    interval    G +- t(df) sqrt(V_train + V_test), within the range of G
    df          (V_train + V_test)^2 / (V_train^2 / (B - 1) + V_test^2 / (groups - 1))

with df after Satterthwaite (Biometrics Bulletin 2, 1946), rounded down. The interaction of
training and test rows is in both parts, so that the interval is rather wide. It is one for the mean
of signed G over trainings on as much other play, tested on all rows that might have been drawn.

A virtual DM that is too costly to be refitted has V_test alone: its interval is the expanded
percentile one over test groups (Hesterberg, What Teachers Should Know About the Bootstrap, 2015,
section 4.2), and a table says that the play learned from is not in it.

Every virtual DM is scored on the same test draws, and sets of generated play of the same sessions
are redrawn alike, so that what is hard for both cancels out in a gap and in a difference of gaps.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sociolab.core.seeding import stream
from sociolab.stats.intervals import t_quantile, two_sided_p
from sociolab.worlds.anteval.virtual_dm.example import (
    Example,
    FScores,
    Overlap,
    Overlaps,
    macro,
)

# ------------------------------------------------------------------ the formula


def signed_gap(fr: ArrayLike, fg: ArrayLike) -> Floats:
    """(fr - fg) / (fr + fg) x 100 of each pair, -100..100; NaN where both scores are 0.

    Positive where real play trains the better DM; the paper prints its absolute value. Scores may
    be in 0..1 or in percent: G is the same.
    """
    real, generated = np.asarray(fr, np.float64), np.asarray(fg, np.float64)
    total = real + generated
    none = np.full_like(total, np.nan)
    return np.divide((real - generated) * 100, total, out=none, where=total > 0)


# ------------------------------------------------------------------ samples to train on


def count_labels(examples: Iterable[Example]) -> int:
    return sum(len(example.labels) for example in examples)


def sample_groups(examples: Sequence[Example], labels: int, seed: int) -> tuple[Example, ...]:
    """Examples with so many labels, whole groups in an order drawn by `seed`; the last may be cut.

    All examples in their own order, if they hold no more labels than that. The groups' order in
    `examples` does not matter.
    """
    if count_labels(examples) <= labels:
        return tuple(examples)
    return _first(chain.from_iterable(_drawn_groups(examples, seed)), labels)


def halves(
    examples: Sequence[Example], seed: int
) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """Two parts that share no group, with about as many labels each."""
    first: list[Example] = []
    second: list[Example] = []
    for group in _drawn_groups(examples, seed):
        (first if count_labels(first) <= count_labels(second) else second).extend(group)
    return tuple(first), tuple(second)


def redrawn(
    examples: Sequence[Example], labels: int, seed: int, number: int
) -> tuple[Example, ...]:
    """Examples with so many labels for refit `number`: groups drawn with replacement; the last may
    be cut.

    Sets of the same groups are drawn alike.
    """
    groups = _groups(examples)
    names, chance = sorted(groups), stream(seed, "gap", "refit", number)
    drawn = (example for _ in count() for example in groups[chance.choice(names)])
    return _first(drawn, labels)


def _first(examples: Iterable[Example], labels: int) -> tuple[Example, ...]:
    """The first of them, until there are so many labels."""
    taken: list[Example] = []
    for example in examples:
        if labels <= 0:
            break
        taken.append(example)
        labels -= len(example.labels)
    return tuple(taken)


def _drawn_groups(examples: Sequence[Example], seed: int) -> list[list[Example]]:
    groups = _groups(examples)
    names = sorted(groups)
    stream(seed, "gap", "sample").shuffle(names)
    return [groups[name] for name in names]


def _groups(examples: Sequence[Example]) -> dict[str, list[Example]]:
    groups: defaultdict[str, list[Example]] = defaultdict(list)
    for example in examples:
        groups[example.group].append(example)
    return groups


# ------------------------------------------------------------------ figures


@dataclass(frozen=True, slots=True)
class GapFigure:
    """A figure with its 95 % interval.

    `value` is None where it is not defined, the interval where there are too few groups or no
    variation between them.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class DMScores:
    """How well a virtual DM reads the test rows: micro F1 with intervals, macro F1; all 0..1.

    `failed` of its replies could not be used: each was an empty prediction. Where none could, there
    is nothing to score, and no figure has a value.
    """

    f_c: GapFigure
    f_o: GapFigure
    f_s: GapFigure
    macro: FScores
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Gap:
    """G in percent, as the paper prints it (0..100), and signed (positive: real trains better)."""

    printed: GapFigure
    signed: GapFigure


@dataclass(frozen=True, slots=True)
class GapDifference:
    """Signed G of one set of generated play less that of another, over the same sessions.

    In points of percent, -200..200; positive: play of `other` teaches a virtual DM more. `p` is
    two-sided by Student's t with the df of the interval, None where no refits were made.
    """

    one: str
    other: str
    g_c: GapFigure
    g_o: GapFigure
    p_c: float | None
    p_o: float | None


@dataclass(frozen=True, slots=True)
class ScoredDM:
    """What a virtual DM predicted of the test rows; `failed` of its replies could not be used."""

    rows: tuple[Overlaps, ...]
    failed: int

    @property
    def silent(self) -> bool:
        """Whether no reply could be used, so that nothing was predicted."""
        return self.failed == len(self.rows)


@dataclass(frozen=True, slots=True)
class Trained:
    """The virtual DM of a study, and those refitted to redrawn play."""

    own: ScoredDM
    refits: tuple[ScoredDM, ...] = ()

    @property
    def all(self) -> tuple[ScoredDM, ...]:
        """The study's own virtual DM, then its refits."""
        return (self.own, *self.refits)


# ------------------------------------------------------------------ intervals


Floats: TypeAlias = NDArray[np.float64]
Part: TypeAlias = Callable[[Overlaps], Overlap]

RESAMPLES = 5000
LEVEL = 0.95

FEWEST_GROUPS = 5
"""Fewer give no interval: even the whole range of resamples of 2, 3 or 4 groups holds the truth in
at most 50, 75 or 88 of 100 studies."""

_ROUNDING = 1e-9


class Draws:
    """How often each group of the test rows comes in each resample; the same for every DM."""

    def __init__(self, test: Sequence[Example], seed: int) -> None:
        number = {name: place for place, name in enumerate(sorted({row.group for row in test}))}
        self.groups = len(number)
        self._index = np.array([number[row.group] for row in test], dtype=np.intp)
        random = np.random.default_rng(stream(seed, "gap", "draws").getrandbits(64))
        even = np.full(self.groups, 1 / self.groups)
        drawn = random.multinomial(self.groups, even, RESAMPLES)
        # The rows as they are come first.
        self._counts: Floats = np.vstack([np.ones(self.groups), drawn])

    def scores(self, trained: Trained) -> DMScores:
        """The F-scores of a virtual DM, without values where it was silent."""

        def figure(part: Part) -> GapFigure:
            return self._figure([self._f1(dm, part) for dm in trained.all], (0, 1))[0]

        return DMScores(
            figure(_characters),
            figure(_tuples),
            figure(lambda row: row.skills),
            FScores(None, None, None) if trained.own.silent else macro(trained.own.rows),
            trained.own.failed,
        )

    def gaps(self, real: Trained, generated: Trained) -> tuple[Gap, Gap]:
        """G_c and G_o, without values where one of the two virtual DMs was silent."""
        signed = [self._signed(real, generated, part) for part in (_characters, _tuples)]
        c, o = (self._figure(studies, (-100, 100))[0] for studies in signed)
        return Gap(_without_sign(c), c), Gap(_without_sign(o), o)

    def differences(
        self, real: Trained, first: Trained, second: Trained
    ) -> tuple[tuple[GapFigure, float | None], tuple[GapFigure, float | None]]:
        """Signed G of `first` less that of `second`, over characters and tuples, each with p."""
        c, o = (
            self._figure(
                [
                    first_gaps - second_gaps
                    for first_gaps, second_gaps in zip(
                        self._signed(real, first, part),
                        self._signed(real, second, part),
                        strict=True,
                    )
                ],
                (-200, 200),
            )
            for part in (_characters, _tuples)
        )
        return c, o

    def _signed(self, real: Trained, generated: Trained, part: Part) -> list[Floats]:
        """Signed G of the study and of each refit, in the test rows and each of their resamples;
        NaN where it is not defined."""
        return [
            signed_gap(self._f1(fr, part), self._f1(fg, part))
            for fr, fg in zip(real.all, generated.all, strict=True)
        ]

    def _f1(self, dm: ScoredDM, part: Part) -> Floats:
        """F1 in the test rows and each of their resamples; NaN where the DM was silent."""
        if dm.silent:
            return np.full(len(self._counts), np.nan)
        parts = [part(row) for row in dm.rows]
        shared = self._sums([overlap.both for overlap in parts])
        total = self._sums([overlap.predicted + overlap.real for overlap in parts])
        return np.divide(2 * shared, total, out=np.ones_like(total), where=total > 0)

    def _sums(self, values: Sequence[int]) -> Floats:
        by_group = np.bincount(self._index, weights=values, minlength=self.groups)
        return np.asarray(self._counts @ by_group)

    def _figure(
        self, studies: Sequence[Floats], ends: tuple[float, float]
    ) -> tuple[GapFigure, float | None]:
        """The figure of the first study, the others being its refits, and p against 0."""
        value = float(studies[0][0])
        if math.isnan(value):
            return GapFigure(None), None
        defined = [study[~np.isnan(study)] for study in studies if not math.isnan(study[0])]
        tests = [study[1:] for study in defined]
        refits = [study[0] for study in defined[1:]]
        if self.groups < FEWEST_GROUPS or (len(studies) > 1 and len(refits) < 2):
            return GapFigure(value), None
        test = float(np.mean([np.var(resamples, ddof=1) for resamples in tests]))
        train = float(np.var(refits, ddof=1)) if refits else 0.0
        # Without variation the interval would have no width, and claim what nobody can know.
        if math.sqrt(train + test) < _ROUNDING:
            return GapFigure(value), None
        if not refits:
            low, high = np.quantile(tests[0], _tails(self.groups))
            return GapFigure(value, float(low), float(high)), None
        freedom = (train + test) ** 2 / (train**2 / (len(refits) - 1) + test**2 / (self.groups - 1))
        error, df = math.sqrt(train + test), max(1, int(freedom + _ROUNDING))
        reach = t_quantile((1 + LEVEL) / 2, df) * error
        interval = GapFigure(value, max(ends[0], value - reach), min(ends[1], value + reach))
        return interval, two_sided_p(value / error, df)


def _characters(row: Overlaps) -> Overlap:
    return row.characters


def _tuples(row: Overlaps) -> Overlap:
    return row.tuples


def _tails(groups: int) -> tuple[float, float]:
    """The percentiles of the expanded interval: the fewer groups, the further out."""
    t = t_quantile((1 + LEVEL) / 2, groups - 1)
    below = NormalDist().cdf(-math.sqrt(groups / (groups - 1)) * t)
    return below, 1 - below


def _without_sign(signed: GapFigure) -> GapFigure:
    """The printed G with its interval: from 0 where that of the signed one reaches across it."""
    if signed.value is None or signed.low is None or signed.high is None:
        return replace(signed, value=None if signed.value is None else abs(signed.value))
    ends = sorted((abs(signed.low), abs(signed.high)))
    across = signed.low <= 0 <= signed.high
    return GapFigure(abs(signed.value), 0.0 if across else ends[0], ends[1])
