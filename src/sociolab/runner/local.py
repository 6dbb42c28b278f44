"""Play a plan on this machine: many episodes at once, no barriers, everything on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sociolab.core.episode import Answered, Ended, Episode, Event, Happened, Moved, Trial
from sociolab.core.errors import BudgetSpent, Cause, ModelError, SociolabError, StorageError
from sociolab.core.ports import Judge, Player, World
from sociolab.core.tracebacks import describe_error
from sociolab.engine.drive import drive
from sociolab.runner.guard import ForeignPlayer, interruptible
from sociolab.runner.judging import Jury
from sociolab.runner.progress import TalliedReplies, Tally
from sociolab.store.store import Store, TrialRow


@dataclass(frozen=True, slots=True)
class RunContext:
    """All that is needed to play and judge the trials of one run.

    `players` are known by their agents' labels. A trial in which a seat failed more than
    `max_failed_turns` of its turns (0 to 1) has failed. `foreign` names the players that are not
    ours, with the seconds that each may take to reply (None: as long as it likes).
    """

    store: Store
    run: str
    world: World
    players: Mapping[str, Player]
    judges: Sequence[Judge]
    replies: TalliedReplies
    tally: Tally
    max_failed_turns: float
    foreign: Mapping[str, float | None] = field(default_factory=dict)

    def player(self, trial: Trial, label: str) -> Player:
        """Who plays a seat of a trial; somebody's own player is kept in bounds."""
        player = self.players[label]
        if label not in self.foreign:
            return player
        seconds = self.foreign[label]
        return ForeignPlayer(player, label, trial.task.id, seconds, self.tally.waits)


@dataclass(slots=True)
class Stopped:
    """Why a run ended before its plan was done: the budget, an error that would repeat, or no room
    for what would be played next."""

    error: ModelError | StorageError | None = None


async def play_all(table: RunContext, rows: Sequence[TrialRow], episodes: int) -> Stopped:
    """Play and judge what is not done yet, at most `episodes` at once.

    A trial that fails is on record with its cause, and the others go on; so is a judge that breaks,
    in each of its scores, and the trial stays played. A fatal error stops everything: what is under
    way stays as it is and resumes with the run's name. The same holds when this coroutine is
    cancelled, as it is where the store fails (see `Database.failing_fast`).
    """
    stopped = Stopped()
    waiting = iter(rows)
    waits, this = table.tally.waits, asyncio.current_task()
    jury = Jury(table.store, table.run, waits)
    try:
        with interruptible(lambda: waits.is_blocked(this)):
            async with asyncio.TaskGroup() as group:
                workers = [
                    group.create_task(_work(table, jury, waiting, stopped))
                    for _ in range(min(episodes, len(rows)))
                ]
                group.create_task(_stop_all(workers, stopped))
    finally:
        jury.settle()
    return stopped


async def _stop_all(workers: list[asyncio.Task[None]], stopped: Stopped) -> None:
    """End all workers as soon as one has met an error that every further call would meet.

    A spent budget and a disk that is nearly full need no such end: calls in flight are paid for and
    come back to be stored, and each worker meets the same at its next call.
    """
    pending = set(workers)
    while pending:
        _, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        if stopped.error is not None and not isinstance(stopped.error, BudgetSpent | StorageError):
            for worker in pending:
                worker.cancel()
            return


async def _work(
    table: RunContext, jury: Jury, waiting: Iterator[TrialRow], stopped: Stopped
) -> None:
    for row in waiting:
        if stopped.error is not None:
            return
        try:
            table.store.check_room()
            await _one(table, jury, row)
        except StorageError as error:
            stopped.error = stopped.error or error
            return
        except ModelError as error:
            if error.fatal:
                stopped.error = stopped.error or error
                return
            _fail(table, row.trial, error.cause, str(error))
        except SociolabError as error:
            _fail(table, row.trial, "plugin", str(error))
        except Exception as error:  # noqa: BLE001  the one broad catch: a plugin's bug is one trial's
            # Players and judges are caught where they are asked.
            _fail(
                table, row.trial, "plugin", f"the world {table.world.name}: {describe_error(error)}"
            )
        table.tally.one_done(row.trial.id)


async def _one(table: RunContext, jury: Jury, row: TrialRow) -> None:
    """Play a trial to its end, or what is left of it, and have it judged."""
    trial, store = row.trial, table.store
    if row.status == "played":
        episode = Episode(trial, store.events(table.run, trial.id))
    else:
        episode = await _play(table, trial, _journal(table, row))
        if problem := spoiled(episode, table.max_failed_turns):
            _fail(table, trial, "failed turns", problem)
            return
        store.set_status(table.run, trial.id, "played")
    again = row.status == "played"
    for judge in table.judges:
        if not (again and store.verdicts.judged(table.run, judge.id, trial=trial.id)):
            await jury.judge(judge, episode)
    table.replies.release(trial.id)


def spoiled(episode: Episode, limit: float) -> str:
    """Which seat failed more than this share of its turns (see `Episode.asked`), in a sentence
    without a full stop; "" if none did, and where the limit is 1.

    Exactly the limit is not more. It hangs on what is on record alone, so that a trial that is
    resumed comes to the same, and no call is made for it.
    """
    over = {seat: one for seat, one in episode.asked.items() if one.failed / one.asked > limit}
    if not over:
        return ""
    seat, worst = max(over.items(), key=lambda item: item[1].failed / item[1].asked)
    what = "turn" if episode.moves or episode.failed_turns else "question"
    others = len(over) - 1
    too = f", and {'another seat' if others == 1 else f'{others} more seats'} too many"
    return (
        f"{seat} ({episode.trial.agent(seat)}) failed {worst.failed:,} of {worst.asked:,} "
        f"{what}{'' if worst.asked == 1 else 's'}{too if others else ''} "
        f"(limit: {_limit_words(limit)})"
    )


def _limit_words(limit: float) -> str:
    return {0.5: "one half", 0.0: "none"}.get(limit, f"{100 * limit:.3g} %")


def _journal(table: RunContext, row: TrialRow) -> tuple[Event, ...]:
    """What was played of a trial before, to go on from there.

    Nothing where a plugin's error ended it: what was wrong is mended since, and an episode is not
    to be half by the broken code and half by the mended. Replies that were paid for are kept.
    """
    store, trial = table.store, row.trial.id
    if row.status == "planned":
        store.set_status(table.run, trial, "playing")
        return ()
    events = store.events(table.run, trial)
    if (row.status, row.cause) != ("failed", "plugin") or not events:
        return events
    if isinstance(events[-1], Ended):  # it was played: only a judge broke
        return events
    table.tally.anew += 1
    store.play_anew(table.run, trial)
    return ()


async def _play(table: RunContext, trial: Trial, journal: Sequence[Event]) -> Episode:
    def record(event: Event) -> None:
        table.tally.turns += isinstance(event, Moved)
        table.tally.answers += isinstance(event, Answered)
        if (course := table.tally.course) is not None:
            if isinstance(event, Happened):
                course.reached(trial.id, event.turn)
            elif course.per == 1 and isinstance(event, Moved | Answered):
                course.reached(trial.id, event.turn + 1)
        table.store.append(table.run, trial.id, event)

    players = {member.seat: table.player(trial, member.agent) for member in trial.cast}
    play = table.world.play(trial.task, trial.id, trial.seed)
    return Episode(trial, await drive(play, players, record, journal))


def _fail(table: RunContext, trial: Trial, cause: Cause, problem: str) -> None:
    table.tally.failed += 1
    table.store.set_status(table.run, trial.id, "failed", cause, problem)
    table.replies.release(trial.id)
