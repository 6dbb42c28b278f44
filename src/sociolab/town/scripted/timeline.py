"""A day as slots of minutes, where what is laid on later covers what was there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sociolab.town.answers import Entry
from sociolab.town.scripted.when import clock_of

SLIVER = 20
"""Minutes below which what is left of a slot is not worth starting."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Something to do from minute to minute of the day (past 1440 for the hours after midnight)."""

    start: int
    end: int
    what: str
    place: str = ""
    fixed: bool = False


def laid(slots: tuple[Slot, ...], new: Slot) -> tuple[Slot, ...]:
    """The slots with a new one on top: what it covers is cut, split or dropped."""
    if new.end <= new.start:
        return slots
    kept: list[Slot] = []
    for slot in slots:
        if slot.end <= new.start or slot.start >= new.end:
            kept.append(slot)
            continue
        if slot.start < new.start:
            kept.append(replace(slot, end=new.start))
        if slot.end > new.end:
            kept.append(replace(slot, start=new.end))
    return tuple(sorted((*kept, new), key=lambda slot: slot.start))


def within(slots: Iterable[Slot], start: int, end: int) -> tuple[Slot, ...]:
    """What of the slots lies between two minutes."""
    cut = (replace(one, start=max(one.start, start), end=min(one.end, end)) for one in slots)
    return tuple(one for one in cut if one.end > one.start)


def free_between(slots: tuple[Slot, ...], start: int, end: int) -> bool:
    """Whether nothing fixed lies between two minutes."""
    return not any(one.fixed and one.start < end and start < one.end for one in slots)


def gap(slots: tuple[Slot, ...], minutes: int, earliest: int, latest: int) -> int:
    """The first quarter of an hour from which so many minutes hold nothing fixed.

    `earliest` where there is none: what was promised goes before what is planned.
    """
    first = -(-earliest // 15) * 15
    for start in range(first, latest - minutes + 1, 15):
        if free_between(slots, start, start + minutes):
            return start
    return earliest


def entries(slots: tuple[Slot, ...]) -> tuple[Entry, ...]:
    """The slots as a plan's entries: slivers and repetitions join what comes before them.

    What would start after midnight is left out, so that times of day stay in order.
    """
    made: list[Slot] = []
    for slot in slots:
        if made and slot.end - slot.start < SLIVER and not slot.fixed:
            continue
        if made and (made[-1].what, made[-1].place) == (slot.what, slot.place):
            continue
        if made and slot.start >= 1440 > made[0].start:
            continue
        made.append(slot)
    return tuple(
        Entry(start=clock_of(s.start), what=s.what[:200], place=s.place) for s in made[:40]
    )
