"""A talk followed line by line: what is proposed, by whom, and what has become of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import lru_cache
from typing import Literal, TypeAlias

from sociolab.town.scripted.activities import Chore, Shape
from sociolab.town.scripted.small_talk import WHAT_FOR
from sociolab.town.scripted.understanding import Heard, read
from sociolab.town.scripted.verbs import plain
from sociolab.town.scripted.when import minutes_of
from sociolab.town.thoughts import Line

Status: TypeAlias = Literal["open", "accepted", "declined"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something that one of the two in a talk has named, with all that was said of it since.

    `by` is who named it; `turn` who made the last offer of it, which the other one answers.
    `invited` is whether the hearer was asked to come, or it was only spoken of; `hearsay` whether
    it is somebody else's affair, and `host` whose if that was said. `again` is whether the matter
    itself was not named but is known from an earlier talk.
    """

    by: str
    turn: str
    shape: Shape
    activity: str
    chores: tuple[Chore, ...] = ()
    online: bool = False
    invited: bool = False
    hearsay: bool = False
    host: str = ""
    again: bool = False
    day: date | None = None
    start: str = ""
    minutes: int = 60
    place: str = ""
    status: Status = "open"


def followed(
    lines: tuple[Line, ...],
    now: datetime,
    places: tuple[str, ...],
    last: Proposal | None = None,
) -> Proposal | None:
    """What is on the table after these lines; None if nothing was proposed.

    `last` is the last matter between the two, which words may refer to without naming it.
    """
    return _followed(tuple((line.who, line.text) for line in lines), now.date(), places, last)


@lru_cache(maxsize=4096)
def _followed(
    lines: tuple[tuple[str, str], ...],
    today: date,
    places: tuple[str, ...],
    last: Proposal | None,
) -> Proposal | None:
    if not lines:
        return None
    so_far = _followed(lines[:-1], today, places, last)
    who, text = lines[-1]
    now = datetime(today.year, today.month, today.day)
    heard = read(text, now, places)
    if so_far is None and len(lines) > 2 and WHAT_FOR in lines[-2][1]:
        # What it is for, with the day and time that were said before it.
        said = _IT_IS.sub("", text)
        heard = read(f"You are invited to {said} {lines[-3][1]}", now, places)
    if so_far is None and last is not None and _means(heard, last):
        again = replace(last, turn=who, status="open", invited=True, again=True)
        return _merged(again, who, heard)
    return _after(so_far, who, heard)


_IT_IS = re.compile(r"^(?:oh,? |well,? )?(?:it is|it's|that is|that's|for|to) ", re.IGNORECASE)


def _means(heard: Heard, last: Proposal) -> bool:
    """Whether words that name no activity are about the last matter."""
    same_day = not heard.days or last.day is None or last.day in heard.days
    return heard.refers and not heard.activity and same_day


def _after(table: Proposal | None, who: str, heard: Heard) -> Proposal | None:
    answers = table is not None and who != table.turn and (heard.accepts or heard.declines)
    if heard.activity and not answers and _is_new(table, heard):
        return _merged(_named(who, heard), who, heard)
    if table is None:
        return None
    asks_only = heard.invites and not (heard.accepts or heard.declines)
    if asks_only and who != table.by and table.hearsay and table.status == "open":
        # The one who was told the news holds the event, and invites in turn.
        return replace(table, by=who, turn=who, hearsay=False, invited=True)
    if heard.invites and who == table.by and not table.invited:
        table = replace(table, invited=True, status="open")
    table = _merged(table, who, heard)
    if who == table.turn or (heard.counters and not heard.accepts):
        return table
    if heard.declines:
        return replace(table, status="declined")
    return replace(table, status="accepted") if heard.accepts else table


def _is_new(table: Proposal | None, heard: Heard) -> bool:
    """Another activity than that on the table; a mere mention does not displace an invitation.

    What is settled is displaced only by an invitation that says when or where.
    """
    if table is None:
        return True
    if table.status != "open" and not (
        heard.invites and (heard.days or heard.starts or heard.places)
    ):
        return False
    old, new = plain(table.activity), plain(heard.activity)
    return old not in new and new not in old and (heard.invites or not table.invited)


def _named(who: str, heard: Heard) -> Proposal:
    return Proposal(
        by=who,
        turn=who,
        shape=heard.shape,
        activity=heard.activity,
        chores=heard.chores,
        online=heard.online,
        invited=heard.invites,
        hearsay=heard.hearsay,
        host=heard.host,
    )


def _merged(table: Proposal, who: str, heard: Heard) -> Proposal:
    """Details said now: whose turn it is may change them, the other only fills in or counters."""
    place = heard.place if table.shape != "errand" else ""
    if heard.counters and who != table.turn and not heard.accepts:
        table = replace(table, turn=who, status="open")
    if who == table.turn:
        table = replace(
            table,
            day=heard.day or table.day,
            start=heard.start or table.start,
            place=place or table.place,
        )
    else:
        table = replace(
            table,
            day=table.day or heard.day,
            start=table.start or heard.start,
            place=table.place or place,
        )
    if len(heard.starts) > 1:
        length = (minutes_of(heard.starts[1]) - minutes_of(heard.starts[0])) % 1440
        table = replace(table, minutes=length if 5 <= length <= 480 else table.minutes)
    return replace(table, chores=_placed(table.chores, heard), online=table.online or heard.online)


def _placed(chores: tuple[Chore, ...], heard: Heard) -> tuple[Chore, ...]:
    """An errand's steps with places that were said later, in the order of the steps."""
    if heard.chores:
        again = {chore.what: chore.place for chore in heard.chores}
        return tuple(replace(one, place=one.place or again.get(one.what, "")) for one in chores)
    if not heard.places:
        return chores
    missing = [chore for chore in chores if not chore.place]
    found = dict(zip(missing, heard.places[-len(missing) :] if missing else (), strict=False))
    return tuple(replace(one, place=found[one]) if one in found else one for one in chores)
