"""What a resident has to tell another: its own task, or news of what is going on in town."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from sociolab.core.seeding import stream
from sociolab.town.scripted.appointments import busy_with
from sociolab.town.scripted.day import free_at
from sociolab.town.scripted.earlier import NEWS, host_of
from sociolab.town.scripted.free_time import suiting_points
from sociolab.town.scripted.settled import answers, same_matter
from sociolab.town.scripted.task_reading import Task, task_of
from sociolab.town.scripted.verbs import plain
from sociolab.town.scripted.when import minutes_of
from sociolab.town.thoughts import Commitment, Me, Memory, Other

_LATELY = 60
"""Memories looked through for whom one has seen."""
_TIMES = ("17:00", "16:00", "17:30", "18:00", "11:00", "15:00", "10:00", "14:00", "19:00", "12:00")


@dataclass(frozen=True, slots=True)
class News:
    """An event that somebody else holds, as far as one knows it; `teller` told of it last."""

    activity: str
    told: Commitment
    host: str
    teller: str


def open_task(
    me: Me, other: Other, known: tuple[Memory, ...], commitments: tuple[Commitment, ...]
) -> Task | None:
    """The task, if this other should still be asked: who has said yes or no is left in peace."""
    task = task_of(me)
    if (
        task is None
        or _is_over(task, task.start or noted_time(task, commitments), me.now)
        or not concerns(task, other)
    ):
        return None
    if task.kind != "help" and takes_part(me, other, task.activity):
        return None
    found = answers(me, task, known, commitments)
    if other.name in found.told or (task.kind in ("help", "appointment") and found.yes):
        return None
    return task


def takes_part(me: Me, other: Other, activity: str) -> bool:
    """Whether the other is seen taking part in it, or was seen today."""
    if same_matter(activity, other.doing):
        return True
    return any(
        one.kind == "seen"
        and one.when.date() == me.now.date()
        and one.text.startswith(other.name)
        and plain(activity) in plain(one.text)
        for one in me.memory.latest(_LATELY)
    )


def _is_over(task: Task, begins: str, now: datetime) -> bool:
    if not begins:
        return now.date() > task.day or (now.date() == task.day and now.hour >= 20)
    start = datetime.combine(task.day, time()) + timedelta(minutes=minutes_of(begins))
    return now >= start + timedelta(minutes=min(20, task.minutes // 2))


def concerns(task: Task, other: Other) -> bool:
    """Whether the other is one whom the task needs: an appointment's is with its partner alone."""
    if task.kind != "appointment" or not task.partner:
        return True
    return plain(task.partner) in plain(other.name) or plain(other.name) in plain(task.partner)


def news_for(
    me: Me, other: Other, commitments: tuple[Commitment, ...], known: tuple[Memory, ...]
) -> News | None:
    """An event to come that the other has not heard of from me; None if there is none."""
    task = task_of(me)
    for one in commitments:
        if not one.what.startswith(NEWS) or one.day < me.now.date() or one.by in ("", other.id):
            continue
        activity = one.what[len(NEWS) :]
        if task and same_matter(task.activity, activity):
            continue
        # Who does not know the time tells nobody to come: it may be over by now.
        over = not one.start or (one.day == me.now.date() and one.start <= f"{me.now:%H:%M}")
        heard = any(
            other.name in memory.text and same_matter(activity, memory.text) for memory in known
        )
        host = host_of(activity, known, tuple(me.people.values()))
        there = takes_part(me, other, activity)
        if not over and not heard and not there and host != other.name:
            return News(activity, one, host, me.people.get(one.by, ""))
    return None


def own_time(me: Me, task: Task, commitments: tuple[Commitment, ...], seed: int, key: str) -> str:
    """A time of the task's day at which one is free, for a task that leaves it open.

    The same for the same `key`: an organiser who is reminded keeps to one time for all.
    """
    free = tuple(
        clock
        for clock in _TIMES
        if free_at(me, task.day.weekday(), minutes_of(clock), task.minutes)
        and not busy_with(_others(commitments, task), task.day, clock, task.minutes)
    )
    chance = stream(seed, "own time", me.resident.id, task.activity, key)
    chosen = chance.choice(free[:3] or ("17:00",))
    soon = me.now + timedelta(minutes=45)
    if task.day > soon.date() or chosen > f"{soon:%H:%M}":
        return chosen
    return next((clock for clock in free if clock > f"{soon:%H:%M}"), chosen)


def time_to_come(
    me: Me, task: Task, commitments: tuple[Commitment, ...], seed: int, start: str
) -> str:
    """`start` while it is to come; one of one's own choice that is past by now gives way to the
    next at which one is free, "" if there is none."""
    if task.start or me.now.date() != task.day or not start or start > f"{me.now:%H:%M}":
        return start
    later = own_time(me, task, commitments, seed, "")
    return later if later > f"{me.now:%H:%M}" else ""


def _others(commitments: tuple[Commitment, ...], task: Task) -> tuple[Commitment, ...]:
    return tuple(one for one in commitments if plain(task.activity) not in plain(one.what))


def noted_time(task: Task, commitments: tuple[Commitment, ...]) -> str:
    """The time that was already agreed with somebody for the task; "" if none."""
    return next(
        (c.start for c in commitments if c.start and plain(task.activity) in plain(c.what)), ""
    )


def own_place(me: Me, task: Task, seed: int) -> str:
    """Where to meet, for a task that leaves it open: a public place one knows, or one's home."""
    points = suiting_points(me, task.activity)[:2]
    if not points:
        return me.places[0] if me.places else ""
    return stream(seed, "own place", me.resident.id, task.activity).choice(points)
