"""What scoring a task says: figures, and for each resident what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from sociolab.town.trace.intervals import Intervals
from sociolab.worlds.stss.task import TaskType

Fate: TypeAlias = Literal[
    "took part",  # long enough at the right place and time, at the right action
    "left too soon",  # all of that, but not for long enough
    "without the performer",  # right place, time and action, but the performer was not
    "elsewhere",  # right time and action, in another place
    "another time",  # right place and action, at another time or date
    "doing something else",  # right place and time, at another action
    "did not come",  # had noted it, and did not come
    "declined",  # was told by the performer and noted nothing
    "never told",  # heard of it from nobody
    "heard of it",  # heard of it, but not from the performer
    "did not run it",  # help: was asked, and was at no errand
    "was not asked",  # help: was at an errand, without a talk with the performer about it
]


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """How long taking part must last in minutes; `beside` are reported with it (0: one step)."""

    least: int = 5
    beside: tuple[int, ...] = (0, 15)


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
class TaskScore:
    """How a task went (STSS section 5.1). `goal` is 0 to 1; `goals` holds it by least minutes.

    `participants` are the background residents who counted. `ratio` is talks that the performer
    started, about the task and before the event, with distinct residents, by the number expected
    (it may exceed 1; None for help); `ratio_both` counts those that others started, too. For help
    `goal_any_helper` does without the condition that a helper was told, and `errands` says who
    ran them. `window` is when taking part counts, as steps.
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
    errands: tuple[ErrandDone, ...] = ()

    def goal_at(self, least: int) -> float:
        """The goal's score if taking part had to last so many minutes."""
        return dict(self.goals)[least]
