"""Town time: steps counted from the first midnight, dates, and times of day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Annotated, TypeAlias

from pydantic import Field

from sociolab.core.errors import WorldError

TimeOfDay: TypeAlias = Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]
"""Such as "07:30"."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Converts between steps of a simulation and moments of town time.

    Step 0 is midnight before the day `first`; a step lasts `seconds`, 10 in Generative Agents.
    WorldError for steps that do not divide an hour.

    >>> from datetime import date, datetime
    >>> from sociolab.town import Clock
    >>> clock = Clock(date(2024, 5, 13))
    >>> noon = clock.step(datetime(2024, 5, 14, 12))
    >>> noon, clock.day(noon), clock.at(noon).isoformat(), clock.minutes(90)
    (12960, 1, '2024-05-14T12:00:00', 540)
    """

    first: date
    seconds: int = 10

    def __post_init__(self) -> None:
        if self.seconds < 1 or 3600 % self.seconds:
            raise WorldError(
                f"a step must divide an hour into whole parts, found {self.seconds} s; such as 10"
            )

    @property
    def steps_per_day(self) -> int:
        return 86_400 // self.seconds

    def at(self, step: int) -> datetime:
        """The moment at which a step begins."""
        return datetime.combine(self.first, time()) + timedelta(seconds=step * self.seconds)

    def step(self, moment: datetime) -> int:
        """The first step that begins at or after this moment."""
        elapsed = moment - datetime.combine(self.first, time())
        return -(-int(elapsed.total_seconds()) // self.seconds)

    def midnight(self, day: int) -> int:
        """The step at which a day begins; days count from 0."""
        return day * self.steps_per_day

    def day(self, step: int) -> int:
        """The day to which a step belongs, counted from 0."""
        return step // self.steps_per_day

    def date(self, step: int) -> date:
        return self.first + timedelta(days=self.day(step))

    def minutes(self, minutes: float) -> int:
        """This many minutes in steps, rounded; at least 1."""
        return max(1, round(minutes * 60 / self.seconds))


def parse_time(text: str) -> time:
    """Read "HH:MM"; ValueError where that is no time of day."""
    hours, _, minutes = text.partition(":")
    return time(int(hours), int(minutes))


def minutes_of(clock: str) -> int:
    """Minutes after midnight of "HH:MM"."""
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes)


def clock_of(minutes: int) -> str:
    """The time of day of so many minutes after midnight; past 1440 those of the next day."""
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


@lru_cache(maxsize=1024)
def spoken_date(day: date) -> str:
    """A date in words.

    >>> from datetime import date
    >>> from sociolab.town import spoken_date
    >>> spoken_date(date(2024, 5, 14))
    'Tuesday 14 May 2024'
    """
    return f"{day:%A} {day.day} {day:%B %Y}"
