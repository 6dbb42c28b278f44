"""A social task: one record from which text, filter, place and expected number are derived."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from math import ceil
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from sociolab.town.answers import Chore, Matter, TimeOfDay
from sociolab.town.clock import clock_time
from sociolab.town.residents import Resident

TaskType: TypeAlias = Literal[
    "public activity", "appointment", "inviting companions", "online activity", "asking for help"
]
TASK_TYPES: tuple[TaskType, ...] = (
    "public activity",
    "appointment",
    "inviting companions",
    "online activity",
    "asking for help",
)
"""In the order of Table 4's columns."""


class Frozen(BaseModel):
    """Read from files: nothing is changed later, nothing unknown is passed over."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Errand(Frozen):
    """One of the two subtasks of asking for help: what somebody else does, and where.

    `keywords`: any of them in the current action, ignoring case, is the errand being done.
    """

    what: str
    keywords: tuple[str, ...] = Field(min_length=1)
    place: str
    minutes: int = Field(default=5, ge=0)


class SocialTask(Frozen):
    """One task with everybody in it (STSS section 3.1 and Table 2).

    `goal` is the text that the performer is given; it names date, time and place as the fields
    do. `keywords`: any of them in the current action, ignoring case, is taking part. `place` is
    "Sector: arena", or a sector whose every arena counts; "" where the type leaves it open.
    `start` is "" where the type leaves the time open; then the whole `day` counts. `minutes` is
    how long the event lasts from `start`. `partner` is the appointment's. `days` are the dates
    that are lived, `day` one of them.
    """

    id: str
    type: TaskType
    title: str
    goal: str
    performer: str
    background: tuple[str, ...] = Field(min_length=1)
    days: tuple[date, ...] = Field(min_length=1)
    day: date
    activity: str
    keywords: tuple[str, ...] = Field(default=())
    place: str = ""
    start: Literal[""] | TimeOfDay = ""
    minutes: int = Field(default=60, ge=1)
    partner: str = ""
    errands: tuple[Errand, ...] = ()

    @property
    def places(self) -> tuple[str, ...]:
        """The places that the goal names: the event's, or the errands' in order."""
        return tuple(filter(None, (self.place, *(errand.place for errand in self.errands))))

    @property
    def matter(self) -> Matter:
        """The task in typed form, as scripted minds are given it."""
        return Matter(
            kind=self.type,
            host=self.performer,
            what=self.activity[:200],
            day=self.day.isoformat(),
            start=self.start,
            minutes=min(self.minutes, 24 * 60),
            place=self.place,
            partner=self.partner,
            chores=tuple(Chore(what=one.what[:200], place=one.place) for one in self.errands),
        )

    def given_to(self, performer: Resident) -> Resident:
        """The performer from the start: the goal is on their mind, and they know its places."""
        return performer.model_copy(
            update={
                "currently": f"{performer.currently} {self.goal}".strip(),
                "knows": tuple(dict.fromkeys((*performer.knows, *self.places))),
            }
        )

    @property
    def ends(self) -> datetime:
        """When the event is over: after its minutes, or with its day where the time is open."""
        if not self.start:
            return datetime.combine(self.day, time()) + timedelta(days=1)
        return datetime.combine(self.day, clock_time(self.start)) + timedelta(minutes=self.minutes)

    @property
    def expected(self) -> int:
        """How many background residents should take part (STSS section 5.1).

        Half of them, rounded up, for public and online activities; a third for companions; one
        for an appointment and for help.
        """
        present = len(self.background)
        match self.type:
            case "public activity" | "online activity":
                return ceil(present / 2)
            case "inviting companions":
                return ceil(present / 3)
            case _:
                return 1
