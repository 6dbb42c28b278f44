"""The intention gap (AntEval section 4.2): G = |fr - fg| / (fr + fg) x 100.

`fr` is the F-score of a virtual DM that learned from real play, `fg` of one that learned from
generated play; both are tested on real play. The intervals are those of `gap_intervals`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sociolab.core.errors import Cause, ConfigError
from sociolab.report.words import plural
from sociolab.stats.intervals import Estimate
from sociolab.worlds.anteval.gap_intervals import (
    DMScores,
    Draws,
    Gap,
    GapDifference,
    NoiseFloor,
    ScoredDM,
    Trained,
    disjoint,
    floor_of,
    redrawn,
    sample_groups,
)
from sociolab.worlds.anteval.virtual_dm.example import (
    WINDOW,
    AsyncVirtualDM,
    Example,
    LastSpeaker,
    LastSpeakerMajority,
    LocalDM,
    VirtualDM,
    count_overlaps,
)

# ------------------------------------------------------------------ results


@dataclass(frozen=True, slots=True)
class GapRow:
    """One set of generated play compared with real play.

    `examples` is what the DM of `fg` learned from, `real_examples` that of `fr`. The floors are
    between two samples of real play, and (`own_floor`) between two halves of this very set.
    `information` is the agent's IEP, where it was measured.
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
    own_floor_c: NoiseFloor | None = None
    own_floor_o: NoiseFloor | None = None
    information: Estimate | None = None


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
    labels predicted a row. `refits` are behind the intervals of `rows` and `controls`; without any
    they hold the test rows alone, as those of all other figures do. `f0` is the untrained DM, None
    where there is none (linear); `fr` is the DM that learned from all `real_examples`. `controls`
    are real play in the format of generated play, a row for each number of examples. `failures` are
    the replies that could not be used.
    """

    virtual_dm: str
    test_rows: int
    test_groups: int
    strict: bool
    most: int
    matched: bool
    real_examples: int
    refits: int
    f0: DMScores | None
    fr: DMScores
    rows: tuple[GapRow, ...]
    controls: tuple[GapRow, ...]
    difference: GapDifference | None
    baselines: tuple[BaselineRow, ...]
    failures: tuple[UnusableReplies, ...] = ()

    @property
    def measured_on(self) -> str:
        """Such as "measured on 120 strict rows, 14 groups"."""
        kind = "strict rows" if self.strict else "rows"
        return f"measured on {self.test_rows} {kind}, {self.test_groups} groups"


def against_floor(
    gap: Gap, floor: NoiseFloor | None
) -> Literal["above", "within", "undecided"] | None:
    """Whether G is larger than 95 % of those of the floor; undecided where its signed interval
    holds 0, None without a floor or G."""
    if floor is None or floor.q95 is None or gap.printed.value is None:
        return None
    low, high = gap.signed.low, gap.signed.high
    if low is not None and high is not None and low <= 0 <= high:
        return "undecided"
    return "above" if gap.printed.value > floor.q95 else "within"


# ------------------------------------------------------------------ how it is measured


@dataclass(frozen=True, slots=True)
class GapSettings:
    """How the gap is measured.

    `most`: labels predicted a row. `strict`: test only on rows where the skill is not named.
    `matched`: real and generated play are cut to the same number of examples. `splits`: pairs of
    disjoint samples behind each noise floor; `refits`: trainings on play drawn anew behind each
    interval; both 0 for a DM whose training costs money.
    """

    most: int = 1
    strict: bool = True
    matched: bool = True
    splits: int = 10
    refits: int = 12
    seed: int = 0


async def measure_gap(
    real: Sequence[Example],
    test: Sequence[Example],
    generated: Mapping[str, Sequence[Example]],
    make: Callable[[], AsyncVirtualDM],
    *,
    untrained: AsyncVirtualDM | None = None,
    information: Mapping[str, Estimate] | None = None,
    control: Sequence[Example] = (),
    uncut: Mapping[str, Set[str]] | None = None,
    compared: tuple[str, str] | None = None,
    settings: GapSettings | None = None,
    tell: Callable[[str], object] | None = None,
) -> GapTable:
    """Train a virtual DM on real play and on each set of generated play; test on `test`.

    `make` gives a virtual DM that has learned nothing, a new one each time; `untrained` is the DM
    of f0, where there is one. `information` holds the IEP by the name of the generated set.
    `control` is real play in the format of whole sessions, from the episodes of `real`; `uncut` has
    by set the ids of the examples that are whole sessions (default: all), while the others end at
    their checks as real ones do. `compared` names two of the sets, which hold the same groups: as
    many examples of each are learned from. `tell` is called before each training. Examples
    without a label are left out of training. ConfigError for empty sets, and for episodes that are
    in both `real` and `test`.
    """
    chosen = settings or GapSettings()
    # Not every virtual DM can learn from play without a check, and all are to learn from the same.
    generated = {name: labelled(examples) for name, examples in generated.items()}
    real = labelled(real)
    rows = tuple(row for row in test if row.strict or not chosen.strict)
    _check(real, rows, generated, chosen)
    bench = Bench(tuple(real), rows, make, chosen, tell or (lambda step: None))
    f0 = None
    if untrained is not None:
        f0 = bench.draws.scores(Trained(await bench.tested(untrained, "f0")))
    pair = [generated[name] for name in compared or ()]
    for name, examples in zip(compared or (), pair, strict=True):
        generated[name] = sample_groups(examples, min(map(len, pair)), chosen.seed)
    table = [
        await bench.row(name, examples, (information or {}).get(name))
        for name, examples in generated.items()
    ]
    difference = None if compared is None else bench.difference(*compared)
    used = [sample_groups(generated[row.name], row.examples, chosen.seed) for row in table]
    wholes = [
        len(some) if uncut is None else sum(example.id in uncut[row.name] for example in some)
        for row, some in zip(table, used, strict=True)
    ]
    formats = [(n, len(some) - n) for n, some in zip(wholes, used, strict=True) if n]
    controls = [
        await bench.row(name, examples, floors=False)
        for name, examples in _controls(control, real, formats, chosen.seed)
    ]
    fr = bench.draws.scores(Trained(await bench.trained_on_all()))
    return GapTable(
        virtual_dm=make().name,
        test_rows=len(rows),
        test_groups=bench.draws.groups,
        strict=chosen.strict,
        most=chosen.most,
        matched=chosen.matched,
        real_examples=len(real),
        refits=chosen.refits,
        f0=f0,
        fr=fr,
        rows=tuple(table),
        controls=tuple(controls),
        difference=difference,
        baselines=await bench.baselines(),
        failures=bench.unusable,
    )


IN_FORMAT = "real play in this format"
"""The name of the control: what the format of generated play alone does to G."""


def _controls(
    windows: Sequence[Example],
    real: Sequence[Example],
    formats: Iterable[tuple[int, int]],
    seed: int,
) -> Iterator[tuple[str, tuple[Example, ...]]]:
    """A control for each number of whole sessions and of cut examples, in this proportion where
    there are fewer windows."""
    proportions: dict[tuple[int, int], None] = {}
    for n_whole, n_cut in formats:
        if fits := min(n_whole, len(windows)):
            proportions[fits, round(n_cut * fits / n_whole)] = None
    for n_whole, n_cut in proportions:
        moved = sample_groups(windows, n_whole, seed)
        ids = {example.id.removesuffix(WINDOW) for example in moved}
        ends = sample_groups([example for example in real if example.id not in ids], n_cut, seed)
        name = f"{IN_FORMAT}, {n_whole} of {n_whole + len(ends)} whole" if ends else IN_FORMAT
        yield name, (*moved, *ends)


def labelled(examples: Sequence[Example]) -> tuple[Example, ...]:
    return tuple(example for example in examples if example.labels)


class Bench:
    """Trains virtual DMs, each once for what it learns from, and scores them on the test rows.

    `tell` is called before each training.
    """

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
        self._on_real: dict[int, Trained] = {}
        self._on_generated: dict[str, tuple[int, Trained]] = {}
        self._real_floors: dict[int, _Floors] = {}
        self.draws = Draws(test, settings.seed)
        self._asked: Counter[str] = Counter()
        self._failures: Counter[tuple[str, Cause]] = Counter()

    @property
    def unusable(self) -> tuple[UnusableReplies, ...]:
        counted = sorted(self._failures.items())
        return tuple(UnusableReplies(what, why, n, self._asked[what]) for (what, why), n in counted)

    async def row(
        self,
        name: str,
        generated: Sequence[Example],
        information: Estimate | None = None,
        *,
        floors: bool = True,
    ) -> GapRow:
        """Train on a generated set and on real play, and compare the two virtual DMs."""
        size = min(len(self._real), len(generated))
        training = (
            sample_groups(generated, size, self._settings.seed)
            if self._settings.matched
            else generated
        )
        real_size = size if self._settings.matched else len(self._real)
        # First, as whole sessions are longest: what is too long shows before hours are spent.
        self._tell(f"training on {plural(len(training), 'example')} of {name}")
        fg = await self.study(generated, training, name)
        fr = await self.trained_on_real(real_size)
        self._on_generated[name] = real_size, fg
        g_c, g_o = self.draws.gaps(fr, fg)
        with_floors = floors and self._settings.splits
        between: _Floors = (None, None)
        own: _Floors = (None, None)
        if with_floors:
            if real_size not in self._real_floors:
                self._real_floors[real_size] = await self._floor(self._real, real_size, "real")
            between = self._real_floors[real_size]
            own = await self._floor(generated, len(training), name)
        return GapRow(
            name=name,
            examples=len(training),
            real_examples=real_size,
            fr=self.draws.scores(fr),
            fg=self.draws.scores(fg),
            g_c=g_c,
            g_o=g_o,
            floor_c=between[0],
            floor_o=between[1],
            own_floor_c=own[0],
            own_floor_o=own[1],
            information=information,
        )

    def difference(self, first: str, second: str) -> GapDifference:
        """The difference of the gaps of two sets, after `row` for each; both of the same groups."""
        (size, first_dm), (_, second_dm) = self._on_generated[first], self._on_generated[second]
        (g_c, p_c), (g_o, p_o) = self.draws.differences(self._on_real[size], first_dm, second_dm)
        return GapDifference(first, second, g_c, g_o, p_c, p_o)

    async def trained_on_real(self, size: int) -> Trained:
        """The virtual DM that learned from `size` real examples, and its refits."""
        if size not in self._on_real:
            examples = sample_groups(self._real, size, self._settings.seed)
            self._tell(f"training on {plural(size, 'real example')}")
            name = f"fr, {size} examples"
            self._on_real[size] = await self.study(self._real, examples, name)
        return self._on_real[size]

    async def trained_on_all(self) -> ScoredDM:
        """The virtual DM that learned from all real examples, without refits."""
        if len(self._real) in self._on_real:
            return self._on_real[len(self._real)].own
        self._tell(f"training on {plural(len(self._real), 'real example')}")
        return await self._trained(self._real, f"fr, {len(self._real)} examples")

    async def tested(self, dm: AsyncVirtualDM, what: str) -> ScoredDM:
        """Score a virtual DM, without training it; its failures are counted under `what`."""
        predicted = await dm.predict_async(self._test, self._settings.most)
        self._asked[what] += len(self._test)
        self._failures.update({(what, cause): count for cause, count in dm.failures.items()})
        return ScoredDM(count_overlaps(predicted, self._test), dm.failures.total())

    async def baselines(self) -> tuple[BaselineRow, ...]:
        """DMs that do not read the text: who spoke last, and the most frequent skill."""
        dms: tuple[tuple[VirtualDM, bool], ...] = (
            (LastSpeaker(), False),
            (LastSpeakerMajority(), True),
        )
        rows = []
        for dm, names_skills in dms:
            dm.fit(self._real)
            scores = self.draws.scores(Trained(await self.tested(LocalDM(dm), dm.name)))
            rows.append(BaselineRow(dm.name, scores, names_skills))
        return tuple(rows)

    async def study(
        self, every: Sequence[Example], training: Sequence[Example], what: str
    ) -> Trained:
        """The DM that learned from `training`, and those refitted to as many drawn from `every`."""
        own = await self._trained(training, what)
        refits = [
            await self._trained(
                redrawn(every, len(training), self._settings.seed, number), "refits"
            )
            for number in range(self._settings.refits)
        ]
        return Trained(own, tuple(refits))

    async def _trained(self, examples: Sequence[Example], what: str) -> ScoredDM:
        dm = self._make()
        await dm.fit_async(examples)
        return await self.tested(dm, what)

    async def _floor(self, examples: Sequence[Example], size: int, what: str) -> _Floors:
        """G_c and G_o between DMs that learned from disjoint samples of this size, or less."""
        pairs = plural(self._settings.splits, "pair")
        self._tell(f"noise floor: training on {pairs} of samples of {what} play")
        gaps: list[tuple[Gap, Gap]] = []
        used = 0
        for split in range(self._settings.splits):
            first, second = disjoint(examples, size, self._settings.seed + split)
            if not first:
                continue
            used = len(first)
            first_dm = Trained(await self._trained(first, "noise floor"))
            second_dm = Trained(await self._trained(second, "noise floor"))
            gaps.append(self.draws.gaps(first_dm, second_dm))
        return floor_of(used, [c for c, _ in gaps]), floor_of(used, [o for _, o in gaps])


_Floors: TypeAlias = tuple[NoiseFloor | None, NoiseFloor | None]
"""Of G_c and of G_o."""


def _check(
    real: Sequence[Example],
    test: Sequence[Example],
    generated: Mapping[str, Sequence[Example]],
    settings: GapSettings,
) -> None:
    if settings.most < 1 or settings.splits < 0 or settings.refits < 0 or settings.refits == 1:
        raise ConfigError(
            "the gap: expected at least 1 label per row, 0 or more splits and 0 or at least 2 "
            f"refits, found {settings.most}, {settings.splits} and {settings.refits}"
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
