"""Play and judge a plan on this machine: many episodes at once, without barriers, each step stored
as it happens. `work_all` also serves other work on many episodes at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from sociolab.core.episode import Answered, Ended, Episode, Event, Happened, Moved, Trial
from sociolab.core.errors import (
    Cause,
    ModelError,
    SociolabError,
    StorageError,
    WorldError,
    cause_of,
    stops_all,
)
from sociolab.core.ports import Judge, Player, World
from sociolab.core.tracebacks import describe_error
from sociolab.engine.driver import drive
from sociolab.models.budget import Budget
from sociolab.runner.allowance import Allowance
from sociolab.runner.guard import ForeignPlayer, interruptible
from sociolab.runner.judging import Jury
from sociolab.runner.progress import TalliedReplies, Tally, Waits
from sociolab.store.store import Store, TrialRow


async def _hold_nothing(trial: str) -> None:
    """Nothing is held for a trial."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """All that is needed to play and judge the trials of one run.

    `players` are keyed by their agents' labels. A trial in which a seat failed more than
    `max_failed_turns` of its turns (0 to 1) has failed. `foreign` holds the labels of players
    written by users, with the seconds that each may take to reply (None: no limit). `allowance`
    decides whether there is money to begin another episode. `release` is awaited once a trial is
    over, or is stopped.
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
    allowance: Allowance | None = None
    release: Callable[[str], Awaitable[None]] = _hold_nothing

    def player(self, trial: Trial, label: str) -> Player:
        """The player with this label; one written by a user is guarded by `ForeignPlayer`."""
        player = self.players[label]
        if label not in self.foreign:
            return player
        seconds = self.foreign[label]
        return ForeignPlayer(player, label, trial.task.id, seconds, self.tally.waits)


Item = TypeVar("Item")


async def work_all(
    items: Sequence[Item], work: Callable[[Item], Awaitable[object]], at_once: int, waits: Waits
) -> ModelError | StorageError | None:
    """Do this work on each item, on at most `at_once` of them at a time; returns the error that
    ended it early, if one did.

    A ModelError or StorageError of the work ends it. One that is fatal cancels what is under way,
    except for a spent budget or a full disk: calls in flight are paid for, and come back to be
    stored. Any other error cancels what is under way, and reaches the caller. Ctrl-C reaches a
    player or judge that blocks, too.
    """
    waiting = iter(items)
    errors: list[ModelError | StorageError] = []
    workers: list[asyncio.Task[None]] = []

    async def worker() -> None:
        for item in waiting:
            if errors:
                return
            try:
                await work(item)
            except (ModelError, StorageError) as error:
                errors.append(error)
                if isinstance(error, ModelError) and error.fatal and error.cause != "budget":
                    for other in {*workers} - {asyncio.current_task()}:
                        other.cancel()

    try:
        with interruptible(waits):
            async with asyncio.TaskGroup() as group:
                workers += [group.create_task(worker()) for _ in range(min(at_once, len(items)))]
    except BaseExceptionGroup as group_of:  # the group's wrapper: callers await the work's error
        raise group_of.exceptions[0] from None
    return errors[0] if errors else None


async def play_all(
    context: RunContext, rows: Sequence[TrialRow], episodes: int
) -> ModelError | StorageError | None:
    """Play and judge what is not done yet, at most `episodes` at once, those under way first.

    Returns the error that ended it before the plan was done, if one did: a spent budget, an error
    that would repeat, or no room on the disk. A trial that fails is stored with its cause, and the
    others go on; a judge that breaks fails in each of its scores, and the trial stays played. A
    fatal error stops everything: what is under way stays as it is and resumes with the run's name.
    The same holds when this coroutine is cancelled, as it is where the store fails (see
    `Database.failing_fast`).
    """
    jury = Jury(context.store, context.run, context.tally.waits)
    allowance = context.allowance or Allowance(Budget())

    async def work(row: TrialRow) -> None:
        trial = row.trial.id
        context.store.check_room()
        if row.status in _BEGUN:
            allowance.resume(trial)
        else:
            await allowance.begin(trial)
        finished = False
        try:
            await _play_and_judge(context, jury, row)
            finished = True
        except SociolabError as error:
            if stops_all(error):
                raise
            _fail(context, row.trial, cause_of(error), str(error))
        finally:
            allowance.end(trial, finished=finished)
            await context.release(trial)
        context.tally.finish(trial)

    in_order = sorted(rows, key=lambda row: row.status not in _BEGUN)
    try:
        return await work_all(in_order, work, episodes, context.tally.waits)
    finally:
        jury.settle()


_BEGUN = ("playing", "played")
"""Statuses of a trial that was begun earlier, and has cost something already."""


async def _play_and_judge(context: RunContext, jury: Jury, row: TrialRow) -> None:
    """Play a trial, or the rest of it, and have it judged."""
    trial, store = row.trial, context.store
    if row.status == "played":
        episode = Episode(trial, store.events(context.run, trial.id))
    else:
        episode = await _play(context, trial, _journal(context, row))
        if problem := spoiled(episode, context.max_failed_turns):
            _fail(context, trial, "failed turns", problem)
            return
        store.set_status(context.run, trial.id, "played")
    again = row.status == "played"
    for judge in context.judges:
        if not (again and store.verdicts.judged(context.run, judge.id, trial=trial.id)):
            await jury.judge(judge, episode)
    context.replies.release(trial.id)


def spoiled(episode: Episode, limit: float) -> str:
    """Which seat failed more than this share of its turns (see `Episode.turns_by_seat`), as a
    sentence without a full stop; "" if none did, and always where the limit is 1.

    A share equal to the limit is within it. The result depends on the record alone, so that a
    resumed trial gets the same one without a call.
    """
    over = {
        seat: turns
        for seat, turns in episode.turns_by_seat.items()
        if turns.failed / turns.total > limit
    }
    if not over:
        return ""
    seat, worst = max(over.items(), key=lambda item: item[1].failed / item[1].total)
    what = "turn" if episode.moves or episode.failed_turns else "question"
    rest = len(over) - 1
    too = f", and {'another seat' if rest == 1 else f'{rest} more seats'} failed too many"
    limit_text = {0.5: "one half", 0.0: "none"}.get(limit, f"{100 * limit:.3g} %")
    return (
        f"{seat} ({episode.trial.agent(seat)}) failed {worst.failed:,} of {worst.total:,} "
        f"{what}{'' if worst.total == 1 else 's'}{too if rest else ''} (limit: {limit_text})"
    )


def _journal(context: RunContext, row: TrialRow) -> tuple[Event, ...]:
    """The recorded events of a trial, to resume from.

    None where a plugin's error ended it: an episode is not to be played by the broken code in one
    half and by the fixed code in the other. Replies that were paid for stay cached.
    """
    store, trial = context.store, row.trial.id
    if row.status == "planned":
        store.set_status(context.run, trial, "playing")
        return ()
    events = store.events(context.run, trial)
    if (row.status, row.cause) != ("failed", "plugin") or not events:
        return events
    if isinstance(events[-1], Ended):  # it was played: only a judge broke
        return events
    context.tally.anew += 1
    store.play_anew(context.run, trial)
    return ()


def count_event(tally: Tally, trial: str, event: Event) -> None:
    """Count an event of a trial. An answer counts as a turn in a world that only asks questions."""
    tally.turns += isinstance(event, Moved)
    tally.answers += isinstance(event, Answered)
    if (course := tally.course) is None:
        return
    answered = isinstance(event, Answered) and not event.optional and not tally.turns
    if isinstance(event, Happened):
        course.advance(trial, event.turn)
    elif course.per == 1 and (isinstance(event, Moved) or answered):
        course.advance(trial, event.turn + 1)


async def _play(context: RunContext, trial: Trial, journal: Sequence[Event]) -> Episode:
    def record(event: Event) -> None:
        count_event(context.tally, trial.id, event)
        context.store.append(context.run, trial.id, event)

    players = {member.seat: context.player(trial, member.agent) for member in trial.cast}
    try:
        play = context.world.play(trial.task, trial.id, trial.seed)
        return Episode(trial, await drive(play, players, record, journal))
    except SociolabError:
        raise
    except Exception as error:  # a plugin's bug is one trial's; players are caught where asked
        raise WorldError(f"the world {context.world.name}: {describe_error(error)}") from error


def _fail(context: RunContext, trial: Trial, cause: Cause, problem: str) -> None:
    context.tally.failed += 1
    context.store.set_status(context.run, trial.id, "failed", cause, problem)
    context.replies.release(trial.id)
