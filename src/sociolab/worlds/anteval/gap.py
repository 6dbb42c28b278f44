"""The intention gap (AntEval section 4.2): G = |fr - fg| / (fr + fg) x 100.

`fr` is the F-score of a virtual DM that learned from real play, `fg` of one that learned from
generated play; both are tested on real play. The intervals are those of `gap_intervals`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sociolab.core.errors import Cause, ConfigError
from sociolab.report.words import plural
from sociolab.stats.intervals import Estimate
from sociolab.worlds.anteval.gap_intervals import (
    DMScores,
    Draws,
    Gap,
    ScoredDM,
    Trained,
    count_labels,
    redrawn,
    sample_groups,
)
from sociolab.worlds.anteval.gap_ladder import CutPlay, Ladder, measure_ladder
from sociolab.worlds.anteval.virtual_dm.example import (
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

    The DM of `fg` learned from so many `examples` with so many `labels`, that of `fr` from
    `real_examples`. `information` is the agent's IEP, where it was measured.
    """

    name: str
    examples: int
    labels: int
    real_examples: int
    fr: DMScores
    fg: DMScores
    g_c: Gap
    g_o: Gap
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
    are real play in the format of whole sessions, a row for each number of examples. `ladder` is
    the headline: G_o of play cut at its checks, None without refits or such play. `unmarked` names
    the sets of generated play without any. `failures` are the replies that could not be used.
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
    ladder: Ladder | None
    baselines: tuple[BaselineRow, ...]
    failures: tuple[UnusableReplies, ...] = ()
    unmarked: tuple[str, ...] = ()

    @property
    def measured_on(self) -> str:
        """Such as "measured on 120 strict rows, 14 groups"."""
        kind = "strict rows" if self.strict else "rows"
        return f"measured on {self.test_rows} {kind}, {self.test_groups} groups"


# ------------------------------------------------------------------ how it is measured


@dataclass(frozen=True, slots=True)
class GapSettings:
    """How the gap is measured.

    `most`: labels predicted a row. `strict`: test only on rows where the skill is not named.
    `matched`: real and generated play are cut to the same number of labels. `refits`: trainings on
    play drawn anew behind each interval; 0 for a DM whose training costs money.
    """

    most: int = 1
    strict: bool = True
    matched: bool = True
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
    cut: Mapping[str, CutPlay] | None = None,
    settings: GapSettings | None = None,
    tell: Callable[[str], object] | None = None,
) -> GapTable:
    """Train a virtual DM on real play and on each set of generated play; test on `test`.

    `generated` are whole sessions, as in the paper; `cut` is the same play cut at its checks, by
    the same names, for the headline. `make` gives a virtual DM that has learned nothing, a new one
    each time; `untrained` is the DM of f0, where there is one. `information` holds the IEP by the
    name of the generated set. `control` is real play in the format of whole sessions, from the
    episodes of `real`. `tell` is called before each training. Examples without a label are left out
    of training. ConfigError for empty sets, for episodes that are in both `real` and `test`, and
    for a single real episode, of which no headline can be made.
    """
    chosen = settings or GapSettings()
    # Not every virtual DM can learn from play without a check, and all are to learn from the same.
    generated = {name: labelled(examples) for name, examples in generated.items()}
    real = labelled(real)
    rows = tuple(row for row in test if row.strict or not chosen.strict)
    marked = {name: play for name, play in (cut or {}).items() if play.examples}
    cut = marked if chosen.refits else {}
    _check(real, rows, generated, chosen, halved=bool(cut))
    bench = Bench(tuple(real), rows, make, chosen, tell or (lambda step: None))
    f0 = None
    if untrained is not None:
        f0 = bench.draws.scores(Trained(await bench.tested(untrained, "f0")))
    ladder = await measure_ladder(bench.study, bench.draws, real, cut, chosen.seed)
    table = [
        await bench.row(name, examples, (information or {}).get(name))
        for name, examples in generated.items()
    ]
    sizes = dict.fromkeys(min(row.labels, count_labels(control)) for row in table)
    controls = [
        await bench.row(IN_FORMAT, sample_groups(control, size, chosen.seed))
        for size in sizes
        if size
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
        ladder=ladder,
        baselines=await bench.baselines(),
        failures=bench.unusable,
        unmarked=tuple(name for name in generated if name not in marked),
    )


IN_FORMAT = "real play in this format"
"""The name of the control: what the format of whole sessions alone does to G."""


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
        self.draws = Draws(test, settings.seed)
        self._asked: Counter[str] = Counter()
        self._failures: Counter[tuple[str, Cause]] = Counter()

    @property
    def unusable(self) -> tuple[UnusableReplies, ...]:
        counted = sorted(self._failures.items())
        return tuple(UnusableReplies(what, why, n, self._asked[what]) for (what, why), n in counted)

    async def row(
        self, name: str, generated: Sequence[Example], information: Estimate | None = None
    ) -> GapRow:
        """Train on a generated set and on real play, and compare the two virtual DMs."""
        labels = real_labels = min(count_labels(self._real), count_labels(generated))
        if not self._settings.matched:
            labels, real_labels = count_labels(generated), count_labels(self._real)
        # First, as whole sessions are longest: what is too long shows before hours are spent.
        fg = await self.study(generated, labels, name)
        if real_labels not in self._on_real:
            self._on_real[real_labels] = await self.study(self._real, real_labels, "real play")
        fr = self._on_real[real_labels]
        g_c, g_o = self.draws.gaps(fr, fg)
        return GapRow(
            name=name,
            examples=len(self._sample(generated, labels)),
            labels=labels,
            real_examples=len(self._sample(self._real, real_labels)),
            fr=self.draws.scores(fr),
            fg=self.draws.scores(fg),
            g_c=g_c,
            g_o=g_o,
            information=information,
        )

    async def trained_on_all(self) -> ScoredDM:
        """The virtual DM that learned from all real examples, without refits."""
        if (trained := self._on_real.get(count_labels(self._real))) is not None:
            return trained.own
        self._tell(f"training on all {plural(len(self._real), 'example')} of real play")
        return await self._trained(self._real, "real play")

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

    async def study(self, every: Sequence[Example], labels: int, what: str) -> Trained:
        """The DM that learned from so many labels of a set, and those refitted to as many of its
        groups drawn anew."""
        training = self._sample(every, labels)
        self._tell(f"training on {plural(len(training), 'example')} of {what}")
        own = await self._trained(training, what)
        refits = [
            await self._trained(redrawn(every, labels, self._settings.seed, number), "refits")
            for number in range(self._settings.refits)
        ]
        return Trained(own, tuple(refits))

    def _sample(self, every: Sequence[Example], labels: int) -> tuple[Example, ...]:
        return sample_groups(every, labels, self._settings.seed)

    async def _trained(self, examples: Sequence[Example], what: str) -> ScoredDM:
        dm = self._make()
        await dm.fit_async(examples)
        return await self.tested(dm, what)


def _check(
    real: Sequence[Example],
    test: Sequence[Example],
    generated: Mapping[str, Sequence[Example]],
    settings: GapSettings,
    *,
    halved: bool,
) -> None:
    if settings.most < 1 or settings.refits < 0 or settings.refits == 1:
        raise ConfigError(
            "the gap: expected at least 1 label per row and 0 or at least 2 refits, found "
            f"{settings.most} and {settings.refits}"
        )
    if not test:
        kind = "a strict test row" if settings.strict else "a test row"
        raise ConfigError(f"the gap: expected at least {kind}, found none; give more real play")
    for name, examples in (("real play", real), *generated.items()):
        if not examples:
            raise ConfigError(f"the gap: expected examples to train on in {name}, found none")
    if halved and len({example.group for example in real}) < 2:
        raise ConfigError(
            "the gap: expected at least 2 real episodes to train on, as half of them are the "
            "people whom agents are compared with, found 1; give more real play"
        )
    groups = {row.group for row in test}
    shared = groups.intersection(example.group for example in real)
    if shared:
        raise ConfigError(
            f'the gap: "{min(shared)}" is in the real play to train on and in the test rows; '
            "leave each episode in one of them"
        )
