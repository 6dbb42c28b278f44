"""What a scripted resident knows of social matters, and the lines in which it puts them."""

from __future__ import annotations

import random
import tomllib
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Literal, TypeAlias

from sociolab.core.seeding import stream
from sociolab.town.clock import minutes_of, spoken_date
from sociolab.town.questions import Heard, Matter, Me, Other, SpeechAct
from sociolab.town.scripted.routine import rhythm_of, usual_habits

Key: TypeAlias = tuple[str, str]
"""Whose matter, and what: the same matter whoever speaks of it."""

EVENTS = ("public activity", "online activity")
"""What everybody may come to, so that word of it gets about."""

ALONE = ("appointment", "asking for help")
"""What one yes is enough for."""

_HOURS = ("10:00", "11:00", "14:00", "15:00", "16:00", "17:00", "17:30", "18:00", "19:00")
_EVENING_FIRST = ("17:00", "17:30", "18:00", "18:30", "16:00", "19:00")
"""When companions are asked to come: most people are free by then."""


def matter_key(matter: Matter) -> Key:
    """What makes two matters the same."""
    return matter.host, matter.what


def merge_matters(old: Matter, new: Matter) -> Matter:
    """The matter as last stated; what was left open this time stays as before."""
    stated = {name: getattr(new, name) for name in ("day", "start", "place") if getattr(new, name)}
    places = {chore.what: chore.place for chore in old.chores}
    chores = tuple(
        chore.model_copy(update={"place": chore.place or places.get(chore.what, "")})
        for chore in new.chores or old.chores
    )
    return old.model_copy(update={**stated, "chores": chores})


def without_place(matter: Matter) -> Matter:
    chores = tuple(chore.model_copy(update={"place": ""}) for chore in matter.chores)
    return matter.model_copy(update={"place": "", "chores": chores})


@dataclass(slots=True)
class Standing:
    """A matter as far as one knows it, and who has said yes or no to it, by id.

    `invited` holds when one last asked whom; `by_host` whether one was ever asked by the host.
    """

    matter: Matter
    answers: dict[str, Literal["accept", "decline"]] = field(default_factory=dict)
    invited: dict[str, date] = field(default_factory=dict)
    informed: set[str] = field(default_factory=set)
    by_host: bool = False

    def update(self, me: str, item: Heard) -> None:
        """Update it with one more act."""
        act = item.act
        assert act.matter is not None
        self.matter = merge_matters(self.matter, act.matter)
        self.informed.add(item.other)
        if act.kind in ("accept", "decline"):
            who = act.by
            if who == act.matter.host:  # who confirms another's proposal says yes for them
                who = item.other if who == me else me
            self.answers[who] = "accept" if act.kind == "accept" else "decline"
        if act.by == me:
            self.invited[item.other] = item.when.date()
        elif act.by == act.matter.host and act.kind == "invite":
            self.by_host = True

    def said_yes(self, me: str) -> bool:
        """Whether it is on: one has agreed or, to one's own matter, somebody has."""
        if self.matter.host == me:
            return "accept" in self.answers.values()
        return self.answers.get(me) == "accept"


def standings(me: Me) -> dict[Key, Standing]:
    """All matters that one has heard or spoken of in earlier talks."""
    by_key: dict[Key, Standing] = {}
    for item in me.heard:
        matter = item.act.matter
        if matter is not None:
            by_key.setdefault(matter_key(matter), Standing(matter)).update(me.resident.id, item)
    return by_key


def task_for(me: Me, other: Other) -> Matter | None:
    """One's own task, if this other should still be asked; whoever has answered is left in
    peace."""
    task = me.task
    if task is None or other.id == me.resident.id:
        return None
    if task.kind == "appointment" and task.partner not in ("", other.id):
        return None
    standing = standings(me).get(matter_key(task))
    matter = (
        merge_matters(standing.matter, task)
        if standing is not None and standing.said_yes(task.host)
        else task
    )
    if is_over(matter, me.now):
        return None
    if standing is not None:
        if other.id in standing.answers or standing.invited.get(other.id) == me.now.date():
            return None
        if task.kind in ALONE and standing.said_yes(task.host):
            return None
    return matter


def news_for(me: Me, other: Other) -> Matter | None:
    """Another's event that one will attend, and that this other has not heard of from one."""
    for standing in standings(me).values():
        matter = standing.matter
        if (
            matter.kind in EVENTS
            and matter.start
            and matter.host not in (me.resident.id, other.id)
            and standing.said_yes(me.resident.id)
            and other.id not in standing.informed
            and not is_over(matter, me.now)
        ):
            return matter
    return None


def gossip_for(me: Me, other: Other) -> Matter | None:
    """What a neighbour is busy with, and this other has not heard from one: without day,
    hour or place, so that nobody promises anything."""
    for standing in standings(me).values():
        matter = standing.matter
        if (
            matter.host not in (me.resident.id, other.id)
            and other.id not in standing.informed
            and not is_over(matter, me.now)
        ):
            return without_place(matter.model_copy(update={"day": "", "start": ""}))
    return None


def is_over(matter: Matter, now: datetime) -> bool:
    """Whether it is too late to come: half of it is over; without an hour, the day nearly is."""
    if not matter.day or matter.day != now.date().isoformat():
        return bool(matter.day) and matter.day < now.date().isoformat()
    minute = now.hour * 60 + now.minute
    return minute > (minutes_of(matter.start) + matter.minutes // 2 if matter.start else 20 * 60)


def agreed_matters(me: Me, day: date) -> list[Matter]:
    """What one has agreed to for a day, in the order in which one heard of it."""
    iso = day.isoformat()
    return [
        standing.matter
        for standing in standings(me).values()
        if standing.matter.day == iso and standing.said_yes(me.resident.id)
    ]


def describe_taking_part(matter: Matter, me: Me, texts: dict[str, str]) -> str:
    """What one is seen doing when one takes part in it."""
    own = matter.host == me.resident.id
    if matter.kind == "appointment":
        partner = me.people.get(matter.partner if own else matter.host, "somebody")
        return texts["appointment"].format(partner=partner, what=matter.what)[:200]
    role = "host" if own and matter.kind in EVENTS else "guest"
    return texts[role].format(what=matter.what)[:200]


def is_free(me: Me, day: date, start: str, minutes: int, but: Key | None = None) -> bool:
    """Whether one is awake, with neither work nor anything agreed in these minutes."""
    begin, rhythm = minutes_of(start), rhythm_of(me.resident)
    end, bed = begin + minutes, minutes_of(rhythm.bed)
    if begin < minutes_of(rhythm.wake) + 30 or (bed > 12 * 60 and end > bed):
        return False
    busy = [(minutes_of(h.start), minutes_of(h.end)) for h in usual_habits(me) if h.work]
    busy += [
        (minutes_of(matter.start), minutes_of(matter.start) + matter.minutes)
        for matter in agreed_matters(me, day)
        if matter.start and matter_key(matter) != but
    ]
    return all(last <= begin or first >= end for first, last in busy)


def free_hours(me: Me, matter: Matter) -> tuple[str, ...]:
    """Hours of the matter's day, still to come, at which one is free for it."""
    day = date.fromisoformat(matter.day) if matter.day else me.now.date()
    hours = _HOURS if matter.kind == "appointment" else _EVENING_FIRST
    return tuple(
        clock
        for clock in hours
        if is_free(me, day, clock, matter.minutes, matter_key(matter))
        and (day > me.now.date() or minutes_of(clock) > me.now.hour * 60 + me.now.minute + 30)
    )


def fill_choices(matter: Matter, me: Me, seed: int, key: str, points: tuple[str, ...]) -> Matter:
    """One's own matter with an hour and, for an appointment, a place, where these are open.

    The same for the same `key`: an organiser with a reminder keeps to one time for all.
    """
    if matter.kind == "asking for help":
        return matter
    changes: dict[str, str] = {}
    if not matter.start:
        hours = free_hours(me, matter)[:3] or ("17:00",)
        changes["start"] = stream(seed, "own time", matter.host, matter.what, key).choice(hours)
    if matter.kind == "appointment" and not matter.place:
        chance = stream(seed, "own place", matter.host, matter.what)
        changes["place"] = chance.choice(points[:2]) if points else me.resident.living_area
    return matter.model_copy(update=changes)


def make_act(kind: str, me: Me, matter: Matter | None = None, asks: str = "") -> SpeechAct:
    return SpeechAct.model_validate(
        {"kind": kind, "by": me.resident.id, "matter": matter, "asks": asks}
    )


# ------------------------------------------------------------------ in words


@cache
def lines() -> dict[str, Any]:
    return _read_table("lines.toml")


@cache
def everyday() -> dict[str, Any]:
    """What is done step by step, and what residents talk about, in words."""
    return _read_table("everyday.toml")


def _read_table(name: str) -> dict[str, Any]:
    return tomllib.loads(files("sociolab.town.scripted").joinpath(name).read_text("utf-8"))


def line_values(matter: Matter) -> dict[str, str]:
    """What a line may say of a matter; "" for what is left open."""
    jobs = [f"{chore.what}{_format_place(chore.place)}" for chore in matter.chores]
    chores = f"first {jobs[0]}, then {', then '.join(jobs[1:])}" if jobs[1:] else "".join(jobs)
    what = chores or f"the {matter.what}"
    about = f"some errands: {chores}" if chores else what
    when = f" on {spoken_date(date.fromisoformat(matter.day))}" if matter.day else ""
    when += f" at {matter.start}" if matter.start else ""
    return {"what": what, "about": about, "when": when, "where": _format_place(matter.place)}


def fill_line(options: list[str], chance: random.Random, before: str = "", **words: str) -> str:
    """One of several lines, filled in; if possible one that does not occur in `before`."""
    texts = [option.format(**words) for option in options]
    return chance.choice([text for text in texts if text not in before] or texts)


def join_things(things: tuple[str, ...]) -> str:
    """Such as "A, B and C"; "" for none."""
    return " and ".join(filter(None, (", ".join(things[:-1]), things[-1]))) if things else ""


@lru_cache
def places_like(places: tuple[str, ...], kind: str) -> tuple[str, ...]:
    """The places whose names contain a word of this kind, in the order of the words."""
    words = lines()["places"][kind]
    matches = (place for word in words for place in places if word in place)
    return tuple(dict.fromkeys(matches))


def _format_place(place: str) -> str:
    return f" at {place}" if place else ""
