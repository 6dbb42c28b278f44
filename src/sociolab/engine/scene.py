"""What the engine needs to play a scene: seats, kinds of action, order, limit, observations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from sociolab.core.episode import ACT, ActionSpace, Moved
from sociolab.core.errors import WorldError
from sociolab.core.ports import NoReply, Observation, Question, Request

Order: TypeAlias = Literal["round-robin", "simultaneous"]


class Witness(Protocol):
    """What one seat knows so far, built up from the moves that it may see."""

    def see(self, move: Moved) -> None:
        """Take in a move that this seat may see, its own included."""
        ...

    def observe(self, turn: int) -> Observation:
        """What this seat is shown with a request at this turn."""
        ...

    def seat_called(self, name: str) -> str | None:
        """The seat that this seat knows by a name; None if it knows nobody of that name."""
        ...


@dataclass(frozen=True, slots=True)
class Poll:
    """A question put to some seats in private; it never enters the history.

    It is put after `at` turns (or rounds), 0 being before the first, and not if the episode is over
    sooner. None: after the end, then also to seats that have left. Of several polls that are due
    with the same question (by its name), a seat gets one.

    >>> from pydantic import BaseModel
    >>> import sociolab.plugin.api as lab
    >>> from sociolab.testing import AnyPlayer, StockScene, play_scene
    >>> class Mood(BaseModel):
    ...     happy: bool
    >>> poll = lab.Poll(None, ("first",), lab.Question("mood", "Are you happy?", Mood))
    >>> players = {"first": AnyPlayer(leave_rate=0), "second": AnyPlayer(leave_rate=0)}
    >>> events = play_scene(StockScene(limit=2, polls=(poll,)), players)
    >>> [type(event).__name__ for event in events], events[2].question
    (['Moved', 'Moved', 'Answered', 'Ended'], 'mood')
    """

    at: int | None
    seats: tuple[str, ...]
    question: Question


@runtime_checkable
class SeatSpaces(Protocol):
    """A scene in which not every seat can do the same in every turn."""

    def space_of(self, seat: str, turn: int) -> ActionSpace:
        """What this seat can do in this turn: some of the kinds of the scene's `space`."""
        ...


class Scene(Protocol):
    """A scene of N >= 2 seats. `limit` counts turns (round-robin) or rounds (simultaneous)."""

    @property
    def seats(self) -> tuple[str, ...]:
        """The seats in the order in which they act, no two alike."""
        ...

    @property
    def space(self) -> ActionSpace:
        """All kinds of action of the scene."""
        ...

    @property
    def order(self) -> Order: ...

    @property
    def limit(self) -> int:
        """Turns or rounds, at least 1."""
        ...

    @property
    def polls(self) -> Sequence[Poll]:
        """The private questions, in the order in which a seat gets those due at once."""
        ...

    def witness(self, seat: str) -> Witness:
        """A new witness that has seen nothing."""
        ...


def check_scene(scene: Scene) -> None:
    """WorldError where a scene cannot be played: seats, limit or polls are wrong."""
    seats = scene.seats
    if len(set(seats)) != len(seats) or len(seats) < 2:
        raise WorldError(f"a scene needs at least 2 different seats, found {list(seats)}")
    if scene.limit < 1:
        raise WorldError(f"a scene needs a limit of at least 1, found {scene.limit}")
    for poll in scene.polls:
        if poll.question.name == ACT:
            raise WorldError(f'a question cannot be called "{ACT}": that is what a turn is called')
        for seat in poll.seats:
            if seat not in seats:
                raise WorldError(
                    f'the question "{poll.question.name}" is for the seat "{seat}", expected one '
                    f"of {list(seats)}"
                )


@dataclass(frozen=True, slots=True)
class FailurePolicy:
    """How many attempts a turn has, and what happens to the episode when they have all failed.

    "skip": the turn stays empty, is recorded as failed, and the episode goes on. "stop": it ends.

    >>> from sociolab.engine import FailurePolicy
    >>> from sociolab.testing import SilentPlayer, StockScene, play_scene
    >>> silent = {"first": SilentPlayer(), "second": SilentPlayer()}
    >>> events = play_scene(StockScene(), silent, policy=FailurePolicy(attempts=1, then="stop"))
    >>> [type(event).__name__ for event in events], events[-1].reason
    (['Unusable', 'Ended'], 'failed turn')
    """

    attempts: int = 3
    then: Literal["skip", "stop"] = "skip"

    def is_final(self, request: Request, failed: NoReply) -> bool:
        """Whether there is no further attempt: a model cut off twice writes no shorter replies."""
        cut_twice = failed.cause == request.cause == "truncated"
        return not failed.again or cut_twice or request.attempt >= self.attempts
