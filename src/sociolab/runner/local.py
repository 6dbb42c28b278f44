"""Play a plan on this machine: many episodes at once, no barriers, everything on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sociolab.core.episode import Answered, Episode, Event, Moved, Trial
from sociolab.core.errors import BudgetSpent, Cause, ModelError, SociolabError
from sociolab.core.ports import Judge, Player, World
from sociolab.engine.drive import drive
from sociolab.runner.tally import TalliedReplies, Tally
from sociolab.store.sqlite import Store
from sociolab.store.trials import TrialRow


@dataclass(frozen=True, slots=True)
class Table:
    """All that is needed to play and judge the trials of one run.

    `players` are known by their agents' labels.
    """

    store: Store
    run: str
    world: World
    players: Mapping[str, Player]
    judges: Sequence[Judge]
    replies: TalliedReplies
    tally: Tally


@dataclass(slots=True)
class Stopped:
    """Why a run ended before its plan was done: the budget, or an error that would repeat."""

    error: ModelError | None = None


async def play_all(table: Table, rows: Sequence[TrialRow], episodes: int) -> Stopped:
    """Play and judge what is not done yet, at most `episodes` at once.

    A trial that fails is on record with its cause, and the others go on. A fatal error stops
    everything: what is under way stays as it is and resumes with the run's name. The same holds
    when this coroutine is cancelled.
    """
    stopped = Stopped()
    waiting = iter(rows)
    async with asyncio.TaskGroup() as group:
        workers = [
            group.create_task(_work(table, waiting, stopped))
            for _ in range(min(episodes, len(rows)))
        ]
        group.create_task(_stop_all(workers, stopped))
    return stopped


async def _stop_all(workers: list[asyncio.Task[None]], stopped: Stopped) -> None:
    """End all workers as soon as one has met an error that every further call would meet.

    A spent budget needs no such end: calls in flight are paid for and come back to be booked, and
    each worker meets the budget at its next call.
    """
    pending = set(workers)
    while pending:
        _, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        if stopped.error is not None and not isinstance(stopped.error, BudgetSpent):
            for worker in pending:
                worker.cancel()
            return


async def _work(table: Table, waiting: Iterator[TrialRow], stopped: Stopped) -> None:
    for row in waiting:
        if stopped.error is not None:
            return
        try:
            await _one(table, row)
        except ModelError as error:
            if error.fatal:
                stopped.error = stopped.error or error
                return
            _fail(table, row.trial, error.cause, str(error))
        except SociolabError as error:
            _fail(table, row.trial, "plugin", str(error))
        except Exception as error:  # noqa: BLE001  the one broad catch: a plugin's bug is one trial's
            _fail(table, row.trial, "plugin", f"{type(error).__name__}: {error}")
        table.tally.done += 1


async def _one(table: Table, row: TrialRow) -> None:
    """Play a trial to its end, or what is left of it, and have it judged."""
    trial, store = row.trial, table.store
    if row.status == "played":
        episode = Episode(trial, store.events(table.run, trial.id))
    else:
        episode = await _play(table, trial, resumed=row.status != "planned")
        store.set_status(table.run, trial.id, "played")
    again = row.status == "played"
    for judge in table.judges:
        if not (again and store.judged(table.run, judge.id, trial=trial.id)):
            verdicts = await judge.judge(episode)
            store.add_verdicts(table.run, judge.id, verdicts, trial=trial.id)
    table.replies.release(trial.id)


async def _play(table: Table, trial: Trial, *, resumed: bool) -> Episode:
    store, run = table.store, table.run
    journal = store.events(run, trial.id) if resumed else ()
    if not resumed:
        store.set_status(run, trial.id, "playing")

    def record(event: Event) -> None:
        table.tally.turns += isinstance(event, Moved)
        table.tally.answers += isinstance(event, Answered)
        store.append(run, trial.id, event)

    players = {member.seat: table.players[member.agent] for member in trial.cast}
    play = table.world.play(trial.task, trial.id, trial.seed)
    return Episode(trial, await drive(play, players, record, journal))


def _fail(table: Table, trial: Trial, cause: Cause, problem: str) -> None:
    table.tally.failed += 1
    table.store.set_status(table.run, trial.id, "failed", cause, problem)
    table.replies.release(trial.id)
