"""The intention gap (AntEval section 4.2): G = |fr - fg| / (fr + fg) x 100.

`fr` is the F-score of a virtual DM that learned from real play, `fg` of one that learned from
generated play; both are tested on real play. In order: what is found (records), how it is measured,
the formula, samples to train on, figures of one virtual DM, and the intervals.

Intervals draw test groups (episodes, sessions), not rows. Every virtual DM is scored on the same
draws, so that what makes an episode hard for all of them cancels out in a gap. The interval is the
expanded percentile one: as the percentiles of a bootstrap are too close together with few groups,
they are taken further out by what Student's t asks for (Hesterberg, What Teachers Should Know About
the Bootstrap, 2015, section 4.2).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sociolab.core.errors import Cause, ConfigError
from sociolab.core.seeding import stream
from sociolab.report.words import plural
from sociolab.stats.intervals import Estimate, t_quantile
from sociolab.worlds.anteval.virtual_dm.example import (
    AsyncVirtualDM,
    Example,
    FScores,
    LastSpeaker,
    LastSpeakerMajority,
    LocalDM,
    Overlap,
    Overlaps,
    VirtualDM,
    macro,
    micro,
    overlaps,
)

# ------------------------------------------------------------------ what is found


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
class NoiseFloor:
    """The printed G between two virtual DMs that both learned from real play: chance alone.

    `values` holds one G a split; `size` is how many examples each of the two learned from.
    """

    size: int
    values: tuple[float, ...]
    mean: float | None
    q95: float | None


@dataclass(frozen=True, slots=True)
class GapRow:
    """One set of generated play beside real play.

    `examples` is what the DM of `fg` learned from, `real_examples` that of `fr`. `information` is
    the agent's IEP, where it was measured.
    """

    name: str
    examples: int
    real_examples: int
    fr: DMScores
    fg: DMScores
    g_c: Gap
    g_o: Gap
    floor_c: NoiseFloor | None
    floor_o: NoiseFloor | None
    information: Estimate | None = None

    @property
    def above_floor_c(self) -> bool | None:
        """Whether G_c is larger than 95 % of those between real samples; None if unknown."""
        return _above(self.g_c, self.floor_c)

    @property
    def above_floor_o(self) -> bool | None:
        """Whether G_o is larger than 95 % of those between real samples; None if unknown."""
        return _above(self.g_o, self.floor_o)


@dataclass(frozen=True, slots=True)
class BaselineRow:
    """A virtual DM that learns little or nothing, on the same test rows.

    `names_skills` is False where it guesses characters only, so that just its F_c means anything.
    """

    name: str
    scores: DMScores
    names_skills: bool = True


@dataclass(frozen=True, slots=True)
class UnusableReplies:
    """So many (`count`) of the replies (`of`) of a virtual DM could not be used, for one cause.

    `what` says which DM: f0, fr and its size, "noise floor" (all of them), or a set's name.
    """

    what: str
    cause: Cause
    count: int
    of: int


@dataclass(frozen=True, slots=True)
class GapTable:
    """The paper's Tables 1 and 2 for one virtual DM: a row per set of generated play.

    Measured on `test_rows` rows of `test_groups` groups, `strict` or all, with at most `most`
    labels predicted a row. `f0` is the untrained DM, None where there is none (linear); `fr` is
    the DM that learned from all `real_examples`. `failures` are the replies that could not be used.
    """

    virtual_dm: str
    test_rows: int
    test_groups: int
    strict: bool
    most: int
    matched: bool
    real_examples: int
    f0: DMScores | None
    fr: DMScores
    rows: tuple[GapRow, ...]
    baselines: tuple[BaselineRow, ...]
    failures: tuple[UnusableReplies, ...] = ()

    @property
    def measured_on(self) -> str:
        """What the figures rest on, in words."""
        kind = "strict rows" if self.strict else "rows"
        return f"measured on {self.test_rows} {kind}, {self.test_groups} groups"


def _above(gap: Gap, floor: NoiseFloor | None) -> bool | None:
    if floor is None or floor.q95 is None or gap.printed.value is None:
        return None
    return gap.printed.value > floor.q95


# ------------------------------------------------------------------ how it is measured


@dataclass(frozen=True, slots=True)
class GapSettings:
    """How the gap is measured.

    `most`: labels predicted a row. `strict`: test only on rows where the skill is not named.
    `matched`: real and generated play are cut to the same number of examples. `splits`: pairs of
    disjoint real samples behind the noise floor, 0 for none (a DM whose training costs money).
    """

    most: int = 1
    strict: bool = True
    matched: bool = True
    splits: int = 10
    seed: int = 0


async def measure_gap(
    real: Sequence[Example],
    test: Sequence[Example],
    generated: Mapping[str, Sequence[Example]],
    make: Callable[[], AsyncVirtualDM],
    *,
    untrained: AsyncVirtualDM | None = None,
    information: Mapping[str, Estimate] | None = None,
    settings: GapSettings | None = None,
    tell: Callable[[str], object] | None = None,
) -> GapTable:
    """Train a virtual DM on real play and on each set of generated play; test on `test`.

    `make` gives a virtual DM that has learned nothing, a new one each time; `untrained` is the DM
    of f0, where there is one. `information` holds the IEP by the name of the generated set; `tell`
    hears of each training before it begins.
    Examples without a label are left out of training. ConfigError for empty sets, and for episodes
    that are in both `real` and `test`.
    """
    chosen = settings or GapSettings()
    # Not every virtual DM can learn from play without a check, and all are to learn from the same.
    generated = {name: labelled(examples) for name, examples in generated.items()}
    real = labelled(real)
    rows = tuple(row for row in test if row.strict or not chosen.strict)
    _check(real, rows, generated, chosen)
    bench = _Bench(tuple(real), rows, make, chosen, tell or _unheard)
    f0 = None if untrained is None else scores_of(bench.draws, await bench.tested(untrained, "f0"))
    table = [
        await bench.row(name, examples, (information or {}).get(name))
        for name, examples in generated.items()
    ]
    fr = scores_of(bench.draws, await bench.trained_on_real(len(real)))
    return GapTable(
        virtual_dm=make().name,
        test_rows=len(rows),
        test_groups=bench.draws.groups,
        strict=chosen.strict,
        most=chosen.most,
        matched=chosen.matched,
        real_examples=len(real),
        f0=f0,
        fr=fr,
        rows=tuple(table),
        baselines=await bench.baselines(),
        failures=bench.unusable,
    )


def _unheard(step: str) -> None:
    """Where nobody wants to hear of the trainings."""


def labelled(examples: Sequence[Example]) -> tuple[Example, ...]:
    """The examples from which somebody makes a check."""
    return tuple(example for example in examples if example.labels)


class _Bench:
    """The test rows, and the virtual DMs that were trained so far, by what they learned from."""

    def __init__(
        self,
        real: tuple[Example, ...],
        test: tuple[Example, ...],
        make: Callable[[], AsyncVirtualDM],
        settings: GapSettings,
        tell: Callable[[str], object],
    ) -> None:
        self._real = real
        self._test = test
        self._make = make
        self._settings = settings
        self._tell = tell
        self._on_real: dict[int, TestedDM] = {}
        self._floors: dict[int, tuple[NoiseFloor, NoiseFloor]] = {}
        self.draws = Draws(test, settings.seed)
        self._asked: Counter[str] = Counter()
        self._failures: Counter[tuple[str, Cause]] = Counter()

    @property
    def unusable(self) -> tuple[UnusableReplies, ...]:
        """The replies that could not be used, by DM and cause."""
        counted = sorted(self._failures.items())
        return tuple(UnusableReplies(what, why, n, self._asked[what]) for (what, why), n in counted)

    async def row(
        self, name: str, generated: Sequence[Example], information: Estimate | None
    ) -> GapRow:
        """One set of generated play beside real play."""
        size = min(len(self._real), len(generated))
        mine = sample(generated, size, self._settings.seed) if self._settings.matched else generated
        real_size = size if self._settings.matched else len(self._real)
        # First, as whole sessions are longest: what is too long shows before hours are spent.
        self._tell(f"training on {plural(len(mine), 'example')} of {name}")
        fg = await self._trained(mine, name)
        fr = await self.trained_on_real(real_size)
        g_c, g_o = gaps_of(self.draws, fr, fg)
        floors = await self._floor(real_size) if self._settings.splits else (None, None)
        return GapRow(
            name=name,
            examples=len(mine),
            real_examples=real_size,
            fr=scores_of(self.draws, fr),
            fg=scores_of(self.draws, fg),
            g_c=g_c,
            g_o=g_o,
            floor_c=floors[0],
            floor_o=floors[1],
            information=information,
        )

    async def trained_on_real(self, size: int) -> TestedDM:
        """How a DM does that learned from so many real examples."""
        if size not in self._on_real:
            examples = sample(self._real, size, self._settings.seed)
            self._tell(f"training on {plural(size, 'real example')}")
            self._on_real[size] = await self._trained(examples, f"fr, {size} examples")
        return self._on_real[size]

    async def tested(self, dm: AsyncVirtualDM, what: str) -> TestedDM:
        """How a DM does as it is; its failures are counted under `what`."""
        predicted = await dm.predict_async(self._test, self._settings.most)
        self._asked[what] += len(self._test)
        self._failures.update({(what, cause): count for cause, count in dm.failures.items()})
        return TestedDM(overlaps(predicted, self._test), dm.failures.total())

    async def baselines(self) -> tuple[BaselineRow, ...]:
        """What can be had without reading."""
        known: tuple[tuple[VirtualDM, bool], ...] = (
            (LastSpeaker(), False),
            (LastSpeakerMajority(), True),
        )
        rows = []
        for dm, names_skills in known:
            dm.fit(self._real)
            scores = scores_of(self.draws, await self.tested(LocalDM(dm), dm.name))
            rows.append(BaselineRow(dm.name, scores, names_skills))
        return tuple(rows)

    async def _trained(self, examples: Sequence[Example], what: str) -> TestedDM:
        dm = self._make()
        await dm.fit_async(examples)
        return await self.tested(dm, what)

    async def _floor(self, size: int) -> tuple[NoiseFloor, NoiseFloor]:
        """G_c and G_o between DMs that learned from disjoint real samples of this size."""
        if size not in self._floors:
            self._tell(
                f"noise floor: training on {plural(self._settings.splits, 'pair')} of real samples"
            )
            found: list[tuple[Gap, Gap]] = []
            used = 0
            for split in range(self._settings.splits):
                one, other = disjoint(self._real, size, self._settings.seed + split)
                if not one:
                    continue
                used = len(one)
                left = await self._trained(one, "noise floor")
                right = await self._trained(other, "noise floor")
                found.append(gaps_of(self.draws, left, right))
            self._floors[size] = (
                floor_of(used, [gap for gap, _ in found]),
                floor_of(used, [gap for _, gap in found]),
            )
        return self._floors[size]


def _check(
    real: Sequence[Example],
    test: Sequence[Example],
    generated: Mapping[str, Sequence[Example]],
    settings: GapSettings,
) -> None:
    if settings.most < 1 or settings.splits < 0:
        raise ConfigError(
            "the gap: expected at least 1 label per row and 0 or more splits, found "
            f"{settings.most} and {settings.splits}"
        )
    if not test:
        kind = "a strict test row" if settings.strict else "a test row"
        raise ConfigError(f"the gap: expected at least {kind}, found none; give more real play")
    for name, examples in (("real play", real), *generated.items()):
        if not examples:
            raise ConfigError(f"the gap: expected examples to train on in {name}, found none")
    groups = {row.group for row in test}
    shared = groups.intersection(example.group for example in real)
    if shared:
        raise ConfigError(
            f'the gap: "{min(shared)}" is in the real play to train on and in the test rows; '
            "leave each episode in one of them"
        )


# ------------------------------------------------------------------ the formula


def printed_gap(fr: float, fg: float) -> float | None:
    """G as the paper prints it, 0..100: 0 is no gap. None where both scores are 0.

    Both may be in 0..1 or in percent: G is the same.
    """
    signed = signed_gap(fr, fg)
    return None if signed is None else abs(signed)


def signed_gap(fr: float, fg: float) -> float | None:
    """(fr - fg) / (fr + fg) x 100, -100..100: positive where real play trains the better DM.

    None where both scores are 0.
    """
    return (fr - fg) / (fr + fg) * 100 if fr + fg else None


# ------------------------------------------------------------------ samples to train on


def sample(examples: Sequence[Example], size: int, seed: int) -> tuple[Example, ...]:
    """So many examples, group by group in an order drawn by seed; the last group may be cut.

    All of them, in their own order, where no more are there. The groups' order in `examples` does
    not matter.
    """
    if len(examples) <= size:
        return tuple(examples)
    drawn: list[Example] = []
    for group in _drawn_groups(examples, seed):
        drawn += group
        if len(drawn) >= size:
            break
    return tuple(drawn[:size])


def disjoint(
    examples: Sequence[Example], size: int, seed: int
) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """Two samples equally large that share no group: of `size` each, or less if there are fewer."""
    one: list[Example] = []
    other: list[Example] = []
    half = min(size, len(examples) // 2)
    for group in _drawn_groups(examples, seed):
        (one if len(one) < half else other).extend(group)
    equal = min(half, len(one), len(other))
    return tuple(one[:equal]), tuple(other[:equal])


def _drawn_groups(examples: Sequence[Example], seed: int) -> list[list[Example]]:
    groups: defaultdict[str, list[Example]] = defaultdict(list)
    for example in examples:
        groups[example.group].append(example)
    names = sorted(groups)
    stream(seed, "gap", "sample").shuffle(names)
    return [groups[name] for name in names]


# ------------------------------------------------------------------ figures of one virtual DM


@dataclass(frozen=True, slots=True)
class TestedDM:
    """What a virtual DM predicted of the test rows; `failed` of its replies were of no use."""

    rows: tuple[Overlaps, ...]
    failed: int

    @property
    def silent(self) -> bool:
        """Whether not one reply could be used: then nothing was predicted, rightly or wrongly."""
        return self.failed == len(self.rows)


def scores_of(draws: Draws, tested: TestedDM) -> DMScores:
    """The F-scores of a virtual DM, without values where it was silent."""
    if tested.silent:
        nothing = GapFigure(None)
        return DMScores(nothing, nothing, nothing, FScores(None, None, None), tested.failed)
    return replace(draws.scores(tested.rows), failed=tested.failed)


def gaps_of(draws: Draws, real: TestedDM, generated: TestedDM) -> tuple[Gap, Gap]:
    """G_c and G_o, without values where one of the two virtual DMs was silent."""
    if real.silent or generated.silent:
        nothing = Gap(GapFigure(None), GapFigure(None))
        return nothing, nothing
    sides = real.rows, generated.rows
    return draws.gap_c(*sides), draws.gap_o(*sides)


def floor_of(size: int, gaps: Sequence[Gap]) -> NoiseFloor:
    """The noise floor that these gaps between real samples of a size make."""
    values = tuple(gap.printed.value for gap in gaps if gap.printed.value is not None)
    if not values:
        return NoiseFloor(size, (), None, None)
    return NoiseFloor(size, values, float(np.mean(values)), float(np.quantile(values, 0.95)))


# ------------------------------------------------------------------ intervals


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

    def scores(self, rows: Sequence[Overlaps]) -> DMScores:
        """F-scores of a virtual DM with their intervals."""
        found = micro(rows)
        return DMScores(
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
            return Gap(GapFigure(None), GapFigure(None))
        signed = self._figure(signed_gap(fr, fg), many)
        return Gap(_without_sign(printed_gap(fr, fg), signed), signed)

    def _figure(self, value: float | None, many: Floats) -> GapFigure:
        # Without variation the interval would have no width, and claim what nobody can know.
        few = self.groups < FEWEST_GROUPS
        if value is None or few or not len(many) or np.ptp(many) < _ROUNDING:
            return GapFigure(value)
        low, high = np.quantile(many, _tails(self.groups))
        return GapFigure(value, float(low), float(high))


def _tails(groups: int) -> tuple[float, float]:
    """The percentiles to take, further out the fewer groups there are."""
    t = t_quantile((1 + LEVEL) / 2, groups - 1)
    below = NormalDist().cdf(-math.sqrt(groups / (groups - 1)) * t)
    return below, 1 - below


def _without_sign(printed: float | None, signed: GapFigure) -> GapFigure:
    """The printed G with its interval: from 0 where that of the signed one reaches across it."""
    if signed.low is None or signed.high is None:
        return GapFigure(printed)
    ends = sorted((abs(signed.low), abs(signed.high)))
    across = signed.low <= 0 <= signed.high
    return GapFigure(printed, 0.0 if across else ends[0], ends[1])
