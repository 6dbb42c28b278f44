"""What scoring a task says: figures, and for each resident what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from sociolab.town.trajectory import Intervals
from sociolab.worlds.stss.task import TaskType

Fate: TypeAlias = Literal[
    "took part",  # long enough at the right place and time, at the right action
    "left too soon",  # all of that, but not for long enough
    "without the performer",  # right place, time and action, but the performer was not
    "elsewhere",  # right time and action, in another place
    "another time",  # right place and action, at another time or date
    "doing something else",  # right place and time, at another action
    "another room",  # had noted it and was there, at another action or in another room of it
    "did not come",  # had noted it, and did not come
    "noted nothing",  # was told by the performer and noted no promise, whatever they answered
    "never told",  # heard of it from nobody
    "heard of it",  # heard of it, but not from the performer
    "same errand",  # help: was told and did an errand that somebody else's doing counts for
    "before asked",  # help: was at an errand, but only before being told
    "did not run it",  # help: was told of an errand, and was at none
    "was not asked",  # help: was at an errand, without a talk with the performer about it
]


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """How long taking part must last in minutes; `beside` are reported with it (0: one step)."""

    least: int = 5
    beside: tuple[int, ...] = (0, 15)

    @property
    def others(self) -> tuple[int, ...]:
        """What is reported with it that is not the same figure again."""
        return tuple(minutes for minutes in self.beside if minutes != self.least)


@dataclass(frozen=True, slots=True)
class Account:
    """What became of one resident: how long they took part, in words, and when.

    `near` is when somebody who did not take part came near to it, such as in another place.
    """

    who: str
    fate: Fate
    minutes: float
    when: Intervals
    words: str
    near: Intervals = ()


@dataclass(frozen=True, slots=True)
class ErrandDone:
    """One errand: who ran it, and the step at which it was done; "" and None if nobody did."""

    what: str
    who: str
    step: int | None


@dataclass(frozen=True, slots=True)
class SpokenTo:
    """Somebody with whom the performer spoke of the task in time: first when, and who began."""

    who: str
    when: datetime
    started: bool


@dataclass(frozen=True, slots=True)
class TaskScore:
    """How a task went (STSS section 5.1). `goal` is 0 to 1; `goals` holds it by least minutes.

    `participants` are the background residents who counted. `ratio` is talks that the performer
    started, about the task and before the event, with distinct residents, by the number expected
    (it may exceed 1; None for help); `ratio_both` counts those that others started, too.
    `host_absent`: a public activity was held without the performer at its place; `goal_any_host`
    is what its guests alone score (None for other types). For help
    `goal_any_helper` does without the condition that a helper was told, and `errands` says who
    ran them. `window` is when taking part counts, as steps. `least` is how many minutes of it are
    needed; `spoken_to` is what the ratios count, one for each resident, and another where the
    performer began a later talk with one who had begun the first.
    """

    type: TaskType
    goal: float
    goals: tuple[tuple[int, float], ...]
    expected: int
    window: tuple[int, int]
    participants: tuple[str, ...]
    accounts: tuple[Account, ...]
    ratio: float | None
    ratio_both: float | None
    goal_any_helper: float | None = None
    goal_any_host: float | None = None
    host_absent: bool = False
    errands: tuple[ErrandDone, ...] = ()
    least: int = 5
    spoken_to: tuple[SpokenTo, ...] = ()
