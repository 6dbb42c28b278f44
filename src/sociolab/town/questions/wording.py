"""How moments, memories, plans and talks are written in prompts: one line each, never broken."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from functools import lru_cache

from sociolab.town.clock import spoken_date
from sociolab.town.map import OUTDOORS
from sociolab.town.questions.base import Block, Me, Memory, Other, Utterance

_LONGEST = 400
"""Characters of an entry or a name in a prompt: what is longer is cut."""
_LONGEST_WORDS = 2000
LONGEST_FIELD = 2000
"""Of a resident's own description, a memory, a goal or a reminder."""


# A talk shows the same memories, plans and words at each utterance: lines are kept.


@lru_cache(maxsize=8192)
def one_line(text: str, longest: int = _LONGEST) -> str:
    """A text on one line, so that what somebody said cannot pass for a part of the prompt."""
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"


@lru_cache(maxsize=256)
def dated(day: date) -> str:
    """Such as "Tuesday 14 May 2024 (2024-05-14)"."""
    return f"{spoken_date(day)} ({day.isoformat()})"


def now_line(moment: datetime) -> str:
    """The line that every question about a moment begins with."""
    return f"It is {dated(moment.date())}, {moment:%H:%M}."


def place_or(place: str, otherwise: str = "no place in particular") -> str:
    """A place's name; `otherwise` where there is none."""
    return one_line(place) or otherwise


def where(block: Block) -> str:
    """Where a block is done."""
    return "outdoors" if block.place == str(OUTDOORS) else place_or(block.place)


def here(me: Me) -> str:
    """What one is doing, as others see it, and where."""
    doing = one_line(me.doing)
    spot = f"at {one_line(me.place)}" if me.place else "outdoors"
    if doing.startswith("on the way to"):
        return f"{doing}, now {spot}"
    return f"{doing}, {spot}" if doing else spot


def named(other: Other) -> str:
    """Name and tie."""
    return f"{one_line(other.name)} ({one_line(other.tie)})" if other.tie else one_line(other.name)


def first_name(other: Other) -> str:
    """What one calls them."""
    return one_line((other.name.split() or [other.id])[0])


def doing_of(other: Other) -> str:
    """What one sees them do."""
    return one_line(other.doing) or "doing nothing in particular"


def memory_lines(memories: Iterable[Memory]) -> str:
    """One memory a line, with its moment."""
    return _listed([_remembered(memory) for memory in memories])


def plan_lines(blocks: Iterable[Block]) -> str:
    """One block a line: from when to when, what and where."""
    return _listed([_planned(block) for block in blocks])


def talk_lines(me: Me, lines: Iterable[Utterance]) -> str:
    """One utterance a line; one's own are marked "You"."""
    mine = me.resident.id
    return _listed(
        [
            f"{'You' if line.who == mine else one_line(line.name)}: "
            f"{one_line(line.text, _LONGEST_WORDS)}"
            for line in lines
        ]
    )


def text_lines(texts: Iterable[str]) -> str:
    """One text a line."""
    return _listed([one_line(text, LONGEST_FIELD) for text in texts])


def numbered(texts: Iterable[str]) -> str:
    """One text a line, numbered from 1."""
    return "\n".join(f"{number}. {one_line(text)}" for number, text in enumerate(texts, 1))


@lru_cache(maxsize=8192)
def _remembered(memory: Memory) -> str:
    return f"{memory.when:%Y-%m-%d %H:%M}: {one_line(memory.text, LONGEST_FIELD)}"


@lru_cache(maxsize=8192)
def _planned(block: Block) -> str:
    hours = f"{block.start:%H:%M} to {block.end:%H:%M}"
    return f"{hours}: {one_line(block.what)}, {place_or(block.place)}"


def _listed(lines: list[str]) -> str:
    return "- " + "\n- ".join(lines) if lines else ""
