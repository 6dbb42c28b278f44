"""A world of two seats that say a word each, four turns in all, and runs of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from casts import seated
from sociolab.core import (
    Action,
    ActionKind,
    ActionSpace,
    DataId,
    Episode,
    Json,
    Judge,
    JudgeId,
    Measure,
    ModelError,
    Moved,
    NoReply,
    Observation,
    Play,
    Player,
    Reply,
    Request,
    Score,
    StorageError,
    Task,
    Transcript,
    Trial,
    Verdict,
)
from sociolab.engine import FailurePolicy, Order, Poll, play
from sociolab.runner import RunContext, TalliedReplies, Tally, play_all
from sociolab.store import RunReplies, Store

RUN = "r"
SPACE = ActionSpace((ActionKind("speak", spoken=True),))


class Witness:
    def __init__(self, seat: str) -> None:
        self.seat = seat

    def see(self, move: Moved) -> None:
        pass

    def observe(self, turn: int) -> Observation:
        return Observation(self.seat, self.seat, turn, 4, "", (), "", (), None)

    def seat_called(self, name: str) -> str | None:
        return name


@dataclass
class Scene:
    seats: tuple[str, ...] = ("x", "y")
    space: ActionSpace = SPACE
    order: Order = "round-robin"
    limit: int = 4
    polls: Sequence[Poll] = ()

    def witness(self, seat: str) -> Witness:
        return Witness(seat)


class World:
    name = "tiny"
    data = DataId("d", "1", "h")

    def tasks(self) -> Sequence[Task]:
        return ()

    def play(self, task: Task, trial: str, seed: int) -> Play:
        return play(Scene(), trial=trial, seed=seed, policy=FailurePolicy(attempts=2))

    def transcript(self, episode: Episode, seat: str | None = None) -> Transcript:
        return Transcript("", (), ())


@dataclass
class Speaker:
    """Says its turn; `before` may fail or wait first. Counts how often it is asked."""

    before: Callable[[Request], None] = lambda request: None
    asked: list[tuple[str, int]] = field(default_factory=list)

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        await asyncio.sleep(0)
        self.before(request)
        self.asked.append((request.trial, request.turn))
        return Reply((Action("speak", f"{request.seat}{request.turn}"),))


class CountingJudge:
    id = JudgeId("count", "rules")

    def __init__(self) -> None:
        self.judged: list[str] = []

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        self.judged.append(episode.trial.id)
        return (Score(Measure("turns", 0, 100), None, len(episode.moves)),)


def trial(number: int) -> Trial:
    task = Task(f"task{number}", ("x", "y"), "c", "{}")
    return Trial(f"t{number}", "tiny", task, (seated("x", "a"), seated("y", "a")), 0, 0)


def table(
    store: Store,
    player: Player,
    *judges: Judge,
    foreign: Mapping[str, float | None] | None = None,
) -> RunContext:
    tally = Tally()
    replies = TalliedReplies(tally)
    replies.keep_in(RunReplies(store, RUN))
    return RunContext(
        store, RUN, World(), {"a": player}, judges, replies, tally, 0.5, foreign or {}
    )


def play_run(table: RunContext, episodes: int = 3) -> ModelError | StorageError | None:
    rows = [row for row in table.store.trials(RUN) if row.status != "played"]
    return asyncio.run(play_all(table, rows, episodes))


def statuses(store: Store) -> list[str]:
    return [row.status for row in store.trials(RUN)]
