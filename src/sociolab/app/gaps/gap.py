"""The intention gap of runs that are stored, against real play that was imported (AntEval IEG)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from pydantic import Field

from sociolab.app.anywhere import run_anywhere
from sociolab.app.gaps.exchange import cast_of, information_of
from sociolab.app.gaps.real_play import SAMPLE, real_play
from sociolab.app.gaps.virtual_dms import Workshop
from sociolab.app.players.calling import CallsModels
from sociolab.app.players.models import Models
from sociolab.app.runs.kept_replies import kept_in_a_run
from sociolab.core.episode import Ended
from sociolab.core.errors import ConfigError
from sociolab.models.budget import Budget
from sociolab.runner.tally import TalliedReplies, Tally
from sociolab.store.place import store_path
from sociolab.store.sqlite import Store
from sociolab.worlds.anteval.gap.measure import GapSettings, measure_gap
from sociolab.worlds.anteval.gap.records import GapTable, Unusable
from sociolab.worlds.anteval.intention.examples import example_of
from sociolab.worlds.anteval.virtual_dm.example import Example
from sociolab.worlds.anteval.visibility import party_moved

_INTENTION = "anteval-intention"
_SPLITS = 10


class GapConfig(CallsModels):
    """What to compare with what, and by which virtual DM.

    `real` and `test` are imported data sets, files, or "sample"; without `test` a fifth of the
    real episodes is kept for it. `generated` and `information` are runs of the store. `splits`
    None: 10 for the linear DM, 0 for those whose training takes long or costs money.
    """

    real: str
    test: str | None = None
    generated: tuple[str, ...] = Field(min_length=1)
    information: tuple[str, ...] = ()
    dm: str = "linear"
    most: int = Field(default=1, ge=1)
    strict: bool = True
    matched: bool = True
    splits: int | None = Field(default=None, ge=0)
    seed: int = 0


@dataclass(frozen=True, slots=True)
class GapResult:
    """The table, and what to know of it; `play` says what the virtual DMs were tested on."""

    table: GapTable
    play: str
    notes: tuple[str, ...]


def gap(config: GapConfig, tell: Callable[[str], None]) -> GapResult:
    """Measure the gap; `tell` hears of slow steps. ConfigError where something is not there."""
    return run_anywhere(lambda: gap_async(config, tell))


async def gap_async(config: GapConfig, tell: Callable[[str], None]) -> GapResult:
    """As `gap`, to be awaited."""
    notes: list[str] = []
    real, test = real_play(config.real, config.test, notes)
    path = store_path(config.store)
    with Store.open(path, create=False) as store:
        generated = _generated(store, config, notes)
        seats = {row.name: (row.agent, row.npc) for row in generated}
        information = information_of(store, config.information, seats, notes)
        replies, budget = TalliedReplies(Tally()), Budget(config.budget)
        workshop = Workshop(Models(config), replies, budget, config.seed, tell)
        dms = workshop.dms(config.dm)
        settings = GapSettings(
            most=config.most,
            strict=config.strict,
            matched=config.matched,
            splits=_splits(config, notes),
            seed=config.seed,
        )
        about = {name: getattr(config, name) for name in ("dm", "real", "test", "base_url")}
        kept = kept_in_a_run(store, path, _INTENTION, ("gap", about), replies)
        with kept if dms.keeps else nullcontext() as run:
            if run:
                budget.carry_over(store.totals(run))
            try:
                table = await measure_gap(
                    real,
                    test,
                    {row.name: row.examples for row in generated},
                    dms.make,
                    untrained=dms.untuned,
                    information=information,
                    settings=settings,
                    tell=lambda step: tell(f"{dms.name}: {step}"),
                )
            finally:
                await workshop.close()
    notes.extend(_unusable(table.failures))
    play = "sample data" if SAMPLE in (config.real, config.test) else "real play"
    return GapResult(table, play, tuple(notes))


def _unusable(failures: Sequence[Unusable]) -> Iterator[str]:
    """What replies that were of no use do to the figures."""
    lost: Counter[str] = Counter()
    for one in failures:
        lost[one.what] += one.count
    for one in failures:
        means = "each counts as an empty prediction, so the F is too low, and G may be wrong"
        if lost[one.what] == one.of:
            means = "nothing was predicted, so there is no F and no G"
        yield (
            f"{one.what}: {one.count} of {one.of} replies of the virtual DM could not be used "
            f"({one.cause}); {means}"
        )


# ------------------------------------------------------------------ runs


@dataclass(frozen=True, slots=True)
class _Generated:
    """The play of one agent in one run: its name in the table, and its examples."""

    name: str
    agent: str
    npc: str
    examples: tuple[Example, ...]


def _generated(store: Store, config: GapConfig, notes: list[str]) -> tuple[_Generated, ...]:
    found: dict[tuple[str, str, str], list[Example]] = {}
    for run in dict.fromkeys(config.generated):
        row = store.run(run)
        if row.world != _INTENTION:
            raise ConfigError(
                f'--generated: expected a run of {_INTENTION}, found "{run}", a run of {row.world}'
            )
        left_out = row.trials - row.played
        failed_turns = 0
        for episode in store.episodes(run, "played"):
            if not party_moved(episode) or episode.ended is None or _broke_off(episode.ended):
                left_out += 1
                continue
            failed_turns += len(episode.failed_turns)
            found.setdefault((run, *cast_of(episode.trial)), []).append(example_of(episode))
        if left_out:
            notes.append(
                f"{run}: {left_out} of {row.trials} sessions are left out: not played to the end, "
                "or the players took no turn"
            )
        if failed_turns:
            notes.append(f"{run}: {failed_turns} turns failed in the sessions that are compared")
    if not found:
        raise ConfigError(f"--generated: no session was played in {', '.join(config.generated)}")
    names = Counter(_name(agent, npc) for _, agent, npc in found)
    rows = tuple(
        _Generated(
            _name(agent, npc) if names[_name(agent, npc)] == 1 else f"{_name(agent, npc)} ({run})",
            agent,
            npc,
            tuple(examples),
        )
        for (run, agent, npc), examples in found.items()
    )
    if any(row.agent == "scripted" for row in rows):
        notes.append("scripted: rule-based players, never to be set beside a paper's figures")
    return rows


def _broke_off(ended: Ended) -> bool:
    """Whether a session stopped because a turn failed."""
    return ended.reason == "failed turn"


def _name(agent: str, npc: str) -> str:
    return agent if agent == npc else f"{agent} (NPC: {npc})"


# ------------------------------------------------------------------ virtual DMs


def _splits(config: GapConfig, notes: list[str]) -> int:
    if config.splits is not None:
        return config.splits
    if config.dm == "linear":
        return _SPLITS
    notes.append(
        "no noise floor, so nothing tells these gaps from chance in what was learned from; it "
        "takes two more trainings a split: ask for it with --splits"
    )
    return 0
