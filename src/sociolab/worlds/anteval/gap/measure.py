"""Measures the intention gap: train on real and on generated play, test both on real play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sociolab.core.errors import Cause, ConfigError
from sociolab.stats.intervals import Estimate
from sociolab.worlds.anteval.gap.records import BaselineRow, Floor, Gap, GapRow, GapTable, Unusable
from sociolab.worlds.anteval.gap.resampling import Draws
from sociolab.worlds.anteval.gap.samples import disjoint, sample
from sociolab.worlds.anteval.gap.tested import Tested, floor_of, gaps_of, scores_of
from sociolab.worlds.anteval.virtual_dm.baselines import LastSpeaker, LastSpeakerMajority
from sociolab.worlds.anteval.virtual_dm.example import Example, Label, VirtualDM
from sociolab.worlds.anteval.virtual_dm.prompting import AsyncVirtualDM
from sociolab.worlds.anteval.virtual_dm.scoring import overlaps


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


class AtOnce:
    """A virtual DM on this machine, as one to be awaited; it holds everything up as it works."""

    def __init__(self, dm: VirtualDM) -> None:
        self._dm = dm
        self.failures: Counter[Cause] = Counter()

    @property
    def name(self) -> str:
        """Its own."""
        return self._dm.name

    async def fit_async(self, examples: Sequence[Example]) -> None:
        """Learn from examples."""
        self._dm.fit(examples)

    async def predict_async(
        self, examples: Sequence[Example], most: int = 1
    ) -> tuple[frozenset[Label], ...]:
        """For each example, at most `most` labels."""
        return self._dm.predict(examples, most)


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
        self._on_real: dict[int, Tested] = {}
        self._floors: dict[int, tuple[Floor, Floor]] = {}
        self.draws = Draws(test, settings.seed)
        self._asked: Counter[str] = Counter()
        self._failures: Counter[tuple[str, Cause]] = Counter()

    @property
    def unusable(self) -> tuple[Unusable, ...]:
        """The replies that could not be used, by DM and cause."""
        counted = sorted(self._failures.items())
        return tuple(Unusable(what, why, n, self._asked[what]) for (what, why), n in counted)

    async def row(
        self, name: str, generated: Sequence[Example], information: Estimate | None
    ) -> GapRow:
        """One set of generated play beside real play."""
        size = min(len(self._real), len(generated))
        mine = sample(generated, size, self._settings.seed) if self._settings.matched else generated
        real_size = size if self._settings.matched else len(self._real)
        # First, as whole sessions are longest: what is too long shows before hours are spent.
        self._tell(f"learning from {len(mine)} examples of {name}")
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

    async def trained_on_real(self, size: int) -> Tested:
        """How a DM does that learned from so many real examples."""
        if size not in self._on_real:
            examples = sample(self._real, size, self._settings.seed)
            self._tell(f"learning from {size} real examples")
            self._on_real[size] = await self._trained(examples, f"fr, {size} examples")
        return self._on_real[size]

    async def tested(self, dm: AsyncVirtualDM, what: str) -> Tested:
        """How a DM does as it is; its failures are counted under `what`."""
        predicted = await dm.predict_async(self._test, self._settings.most)
        self._asked[what] += len(self._test)
        self._failures.update({(what, cause): count for cause, count in dm.failures.items()})
        return Tested(overlaps(predicted, self._test), dm.failures.total())

    async def baselines(self) -> tuple[BaselineRow, ...]:
        """What can be had without reading."""
        known: tuple[tuple[VirtualDM, bool], ...] = (
            (LastSpeaker(), False),
            (LastSpeakerMajority(), True),
        )
        rows = []
        for dm, names_skills in known:
            dm.fit(self._real)
            scores = scores_of(self.draws, await self.tested(AtOnce(dm), dm.name))
            rows.append(BaselineRow(dm.name, scores, names_skills))
        return tuple(rows)

    async def _trained(self, examples: Sequence[Example], what: str) -> Tested:
        dm = self._make()
        await dm.fit_async(examples)
        return await self.tested(dm, what)

    async def _floor(self, size: int) -> tuple[Floor, Floor]:
        """G_c and G_o between DMs that learned from disjoint real samples of this size."""
        if size not in self._floors:
            self._tell(f"noise floor: learning from {self._settings.splits} pairs of real samples")
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
            "the gap: expected at least 1 label a row and 0 splits or more, found "
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
