"""The conversation ratio: with how many residents the performer spoke of the task in time."""

from __future__ import annotations

from dataclasses import dataclass

from sociolab.town.trajectory import Intervals
from sociolab.worlds.stss.scoring.evidence import Evidence, partner_of
from sociolab.worlds.stss.scoring.result import SpokenTo


@dataclass(frozen=True, slots=True)
class Ratio:
    """Distinct residents by the number expected: talks the performer started, and all."""

    started: float
    both: float
    spoken_to: tuple[SpokenTo, ...] = ()


def conversation_ratio(seen: Evidence, attended: dict[str, Intervals]) -> Ratio:
    """Talks about the task that began before the event, with distinct residents, by expected.

    The event begins at its start; where the time is open, when somebody first took part, or else
    when its date is over. For an appointment only the talks with the partner count, and 1 is
    expected. It may exceed 1 (STSS section 5.1).
    """
    task, begins = seen.task, _begins(seen, attended)
    wanted = {task.partner} if task.type == "appointment" else set(task.background)
    found: dict[tuple[str, bool], SpokenTo] = {}
    for talk in seen.talks:
        other = partner_of(talk, task.performer)
        if talk.step < begins and other in wanted:
            began = talk.who == task.performer
            when = seen.trajectory.clock.at(talk.step)
            found.setdefault((other, began), SpokenTo(other, when, began))
    started = sum(began for _, began in found)
    both = len({other for other, _ in found})
    return Ratio(started / task.expected, both / task.expected, tuple(found.values()))


def _begins(seen: Evidence, attended: dict[str, Intervals]) -> int:
    start, end = seen.window
    if seen.task.start:
        return start
    return min((when[0][0] for when in attended.values() if when), default=end)
