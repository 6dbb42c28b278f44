"""When taking part counts: on the task's date, from its start for as long as it lasts."""

from __future__ import annotations

from datetime import datetime, time, timedelta

from sociolab.town.clock import Clock, clock_time
from sociolab.town.trajectory import Interval, Trajectory
from sociolab.worlds.stss.task import SocialTask


def event_window(task: SocialTask, clock: Clock) -> Interval:
    """The steps of the event, half-open; without a start the whole date, midnight to midnight.

    The date counts: the reference scorer compares times of day alone, so that a party held a day
    early scores in full. An event that goes on past midnight goes on.
    """
    midnight = datetime.combine(task.day, time())
    if not task.start:
        begins = clock.step(midnight)
        return begins, begins + clock.a_day
    start = datetime.combine(task.day, clock_time(task.start))
    return clock.step(start), clock.step(start + timedelta(minutes=task.minutes))


def was_lived(task: SocialTask, trajectory: Trajectory) -> bool:
    """Whether the simulation reached the end of the event, or of its date if that is sooner."""
    clock = trajectory.clock
    midnight = clock.step(datetime.combine(task.day, time())) + clock.a_day
    _, end = event_window(task, clock)
    return task.day >= clock.first and trajectory.trace.steps >= min(end, midnight)
