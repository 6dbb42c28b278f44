"""Commitments put into a day: agreed times win over routine, open ones take a free hour."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime

from sociolab.core.seeding import stream
from sociolab.town.scripted.earlier import NEWS
from sociolab.town.scripted.habits import Habits
from sociolab.town.scripted.settled import same_matter, talks
from sociolab.town.scripted.timeline import Slot, free_between, gap, laid
from sociolab.town.scripted.verbs import doing, plain
from sociolab.town.scripted.when import minutes_of
from sociolab.town.scripted.where import known_place
from sociolab.town.thoughts import Commitment, Me

LEAD = 15
"""Minutes that are left for the walk to an appointment."""
ERRAND = 35
"""Minutes for an errand without a time: the walk there, and what is done there."""
FORGETS = 1 / 12
"""How often an appointment is forgotten: a little, as people do."""
_ERRANDS = (
    "pick up", "fetch", "collect", "buy", "borrow", "deliver", "bring", "carry", "take the", "send",
    "hand", "drop off", "return", "ask for", "get",
)  # fmt: skip


def is_errand(what: str) -> bool:
    """Whether what was noted is something to fetch or to deliver."""
    return what.lower().startswith(_ERRANDS)


def kept(
    commitments: Iterable[Commitment], day: date, me: Me, seed: int, own: str = ""
) -> tuple[Commitment, ...]:
    """The commitments of a day, each once, without those that slip one's mind.

    One's own (`by` is "", or about the activity `own`) are never forgotten; the same one is
    forgotten all day long. Notes of one matter are one: a time beats none, and the latest counts.
    """
    found: dict[str, Commitment] = {}
    for one in commitments:
        if one.day == day and (_is_own(one, own) or not _forgotten(one, me, seed)):
            key = matter_of(one.what, me)
            found[key] = _completed(one, found.get(key))
    return tuple(found.values())


def matter_of(what: str, me: Me) -> str:
    """What was noted without whom it was agreed with: the matter may have several notes."""
    words = plain(doing(what))
    for name in me.people.values():
        words = words.removesuffix(f" with {plain(name)}")
    return words


def _completed(one: Commitment, before: Commitment | None) -> Commitment:
    if before is None:
        return one
    start = one.start or before.start
    return replace(one, start=start, place=one.place or before.place)


def _is_own(one: Commitment, own: str) -> bool:
    return not one.by or (bool(own) and plain(own) in plain(one.what))


def _forgotten(one: Commitment, me: Me, seed: int) -> bool:
    what = one.what.removeprefix(NEWS)
    if any(memory.when.date() == one.day and same_matter(what, memory.text)
           for memory in talks(me)):  # fmt: skip
        return False  # who has spoken about it today has it in mind
    key = ("forgets", me.resident.id, plain(one.what), one.day.isoformat())
    return stream(seed, *key).random() < FORGETS


def with_appointments(
    slots: tuple[Slot, ...], noted: tuple[Commitment, ...], me: Me, habits: Habits, earliest: int
) -> tuple[Slot, ...]:
    """The day with its commitments laid on it: those with a time, then errands in order.

    What has no time and is done with others is not begun on one's own: one has to ask first.
    """
    latest = max((slot.end for slot in slots), default=earliest)
    for one in noted:
        if one.start:
            start = minutes_of(one.start)
            begin = max(start - LEAD, earliest)
            slots = laid(slots, _slot(one, begin, start + one.minutes, me, habits))
    after = earliest
    for one in noted:
        if not one.start and is_errand(one.what):
            length = ERRAND
            # Shops and people are about from half past nine on.
            start = gap(slots, length, max(after, 9 * 60 + 30), latest)
            slots = laid(slots, _slot(one, start, start + length, me, habits))
            after = start + length
    return slots


def _slot(one: Commitment, start: int, end: int, me: Me, habits: Habits) -> Slot:
    place = known_place(one.place, me.places)
    if not place and "online" in one.what.lower():
        place = habits.parlour
    return Slot(start, max(end, start + LEAD), doing(one.what), place, fixed=True)


def is_over(day: date, start: str, minutes: int, now: datetime) -> bool:
    """Whether it began more than half its length ago: too late to come; unsaid, the day counts."""
    if day != now.date() or not start:
        return day < now.date()
    return minutes_of(start) + minutes // 2 < now.hour * 60 + now.minute


def busy_with(noted: Iterable[Commitment], day: date, start: str, minutes: int) -> bool:
    """Whether a commitment of that day overlaps these hours."""
    begin = minutes_of(start)
    slots = tuple(
        Slot(minutes_of(one.start), minutes_of(one.start) + one.minutes, one.what, fixed=True)
        for one in noted
        if one.day == day and one.start
    )
    return not free_between(slots, begin, begin + minutes)
