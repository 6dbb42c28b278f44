"""What one has already said to a matter, and which matter a vague reference means."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime

from sociolab.town.scripted.activities import Shape
from sociolab.town.scripted.proposals import Proposal, followed
from sociolab.town.scripted.settled import same_matter, talks
from sociolab.town.scripted.understanding import read
from sociolab.town.scripted.where import town_of
from sociolab.town.thoughts import Commitment, Me, Memory, Summarise, Utter

NEWS = "take part in the "
"""How a commitment begins that others may hear of: an event that is open to all."""
DECLINED = "I have declined"
"""How a memo says that one has said no; the reason follows a colon."""
HOLDS = " that {host} holds"
"""How a memo says whose event it is of which somebody else has told."""

_MINE = re.compile(r"^I (?:told|asked|invited)\b")
_WHY = re.compile(rf"{DECLINED}: (.+)$")
_THEN = re.compile(r"\b(?:then|late|early)\b")


@dataclass(frozen=True, slots=True)
class Earlier:
    """One's own answer of an earlier talk: yes with what was noted, or no with the reason.

    `told_them` is whether it was given to the one who asks now.
    """

    yes: bool
    day: date | None = None
    start: str = ""
    place: str = ""
    why: str = ""
    hearsay: bool = False
    told_them: bool = False

    def changed_by(self, table: Proposal) -> str:
        """What makes a no worth thinking over, in words; "" if all is as it was."""
        if _THEN.search(self.why) and table.start and table.start != self.start:
            return f"At {table.start} it is different."
        if self.hearsay and not table.hearsay:
            return "Since you ask me yourself, I have thought it over."
        return ""


def earlier(question: Utter, table: Proposal) -> Earlier | None:
    """One's own earlier answer to what is on the table; None if it is new."""
    me = question.me
    for one in question.commitments:
        same_day = one.day == (table.day or one.day) and one.day >= me.now.date()
        if same_day and same_matter(table.activity, one.what):
            return Earlier(True, one.day, one.start, one.place)
    for memory in reversed(talks(me, question.memories)):
        why = _WHY.search(memory.text)
        if why is not None and same_matter(table.activity, _told(memory.text)):
            heard = read(memory.text, memory.when, town_of(me))
            hearsay = " holds" in memory.text
            theirs = is_with(memory, question.other.name)
            return Earlier(False, heard.day, heard.start, heard.place, why[1], hearsay, theirs)
    return None


def _told(memo: str) -> str:
    return memo.partition(DECLINED)[0]


def is_with(memory: Memory, name: str) -> bool:
    """Whether a memo is of a talk with this person, and does not only name them."""
    return (
        memory.text.startswith(name)
        or re.match(rf"I \w+ {re.escape(name)}\b", memory.text) is not None
    )


def on_table(question: Utter | Summarise, known: tuple[Memory, ...]) -> Proposal | None:
    """What is on the table; a vague reference ("can you come after all?") is to the last matter
    between the two."""
    me = question.me
    table = followed(question.lines, me.now, town_of(me), _last_matter(question, known))
    return table if table is None or table.by == me.resident.id else _completed(table, me, known)


def _completed(table: Proposal, me: Me, known: tuple[Memory, ...]) -> Proposal:
    """With what one remembers of the same matter where the other has left it open now."""
    if (table.day and table.start) or table.shape not in ("event", "companions"):
        return table
    for memory in reversed(known):
        if same_matter(table.activity, memory.text):
            heard = read(memory.text, memory.when, town_of(me))
            if heard.day is not None and heard.day >= me.now.date():
                day, start = table.day or heard.day, table.start or heard.start
                return replace(table, day=day, start=start, place=table.place or heard.place)
    return table


def _last_matter(question: Utter | Summarise, known: tuple[Memory, ...]) -> Proposal | None:
    me, other = question.me, question.other
    for memory in reversed(known):
        if is_with(memory, other.name) and (found := _proposed(memory, me, other.id)):
            return found
    today = me.now.date()
    noted = (c for c in question.commitments if other.id in (c.by, *c.others) and c.day >= today)
    return next((_noted(one, other.id) for one in noted), None)


def _proposed(memory: Memory, me: Me, other: str) -> Proposal | None:
    """The matter of a memo; None if it holds none or its day is past."""
    heard = read(memory.text, datetime.combine(memory.when.date(), memory.when.time()), town_of(me))
    if not heard.activity or (heard.day is not None and heard.day < me.now.date()):
        return None
    by = me.resident.id if _MINE.match(memory.text) else other
    base = Proposal(by, by, heard.shape, heard.activity, heard.chores, heard.online)
    place = heard.place if heard.shape != "errand" else ""
    return replace(base, day=heard.day, start=heard.start, place=place)


def _noted(one: Commitment, other: str) -> Proposal:
    what = one.what.removeprefix(NEWS)
    shape: Shape = "event" if one.what.startswith(NEWS) else "companions"
    return Proposal(other, other, shape, what, day=one.day, start=one.start, place=one.place)


def host_of(activity: str, known: tuple[Memory, ...], names: tuple[str, ...]) -> str:
    """Who holds an event, as one remembers having been told; "" if one does not know."""
    for memory in reversed(known):
        if activity.lower() not in memory.text.lower():
            continue
        for name in names:
            if HOLDS.format(host=name) in memory.text or memory.text.startswith(f"{name} invited"):
                return name
    return ""
