"""What a seat has heard at the table: news, the names in it, and what was asked."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from sociolab.core.ports import Line
from sociolab.worlds.anteval.scripted.phrases import tables, talks
from sociolab.worlds.anteval.telling import SPEAK

KINDS = ("magic item", "weapon", "place", "person", "danger")

_SENTENCE = re.compile(r"(?<=[.!?])[\"')]*\s+")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][a-z]+(?:['-][A-Z]?[a-z]+)*(?: [A-Z][a-z]+)*\b")
_SLOT = re.compile(r"\{[a-z]+\}")
_FEWEST_WORDS = 5
_SHORTEST_MARK = 12
_CUES = {
    "magic item": (
        "magic",
        "enchant",
        "charm",
        "relic",
        "spell",
        "trinket",
        "artefact",
        "artifact",
    ),
    "weapon": ("weapon", "blade", "sword", "axe", "spear", "bow", "armour", "steel"),
    "place": ("place", "where", "room", "way out", "hide", "behind", "lead", "lies"),
    "person": ("who", "person", "people", "somebody", "anyone", "friend", "whom"),
    "danger": ("danger", "trap", "afraid", "beast", "kill", "safe", "warn", "monster"),
}
"""For questions that are not in our own words."""


@dataclass(frozen=True, slots=True)
class News:
    """A sentence that says something about the world, who said it, and whether all heard it."""

    sentence: str
    who: str
    turn: int
    aside: bool


def spoken(lines: Sequence[Line]) -> Iterator[tuple[Line, str, bool]]:
    """The words of each line that has any, and whether they were meant for some only."""
    for line in lines:
        for action in line.actions:
            if action.kind == SPEAK:
                yield line, action.text, bool(action.to)


def news(lines: Sequence[Line], people: Collection[str], teller: str) -> tuple[News, ...]:
    """What was said about the world, in order: by the teller, or passed on by others.

    A sentence counts if it is none of the phrases that fill a talk, and has a name in it that is
    nobody's at the table or comes from the teller; questions never count.
    """
    known = frozenset(people)
    return tuple(
        News(sentence, line.who, line.turn, aside)
        for line, text, aside in spoken(lines)
        for sentence in _telling(text)
        if (line.who == teller or names_in(sentence, known)) and not _filler(sentence)
    )


@lru_cache(maxsize=65536)
def _telling(text: str) -> tuple[str, ...]:
    """The sentences of a text that may tell something, without the words that lead up to them."""
    return tuple(
        _without_lead(sentence)
        for sentence in _SENTENCE.split(" ".join(text.split()))
        if not sentence.endswith("?") and len(sentence.split()) >= _FEWEST_WORDS
    )


def _without_lead(sentence: str) -> str:
    """ "So, if I have that right: the axe is old." becomes "The axe is old." """
    before, colon, rest = sentence.partition(": ")
    if colon and len(rest.split()) >= _FEWEST_WORDS and len(before.split()) <= 12:
        return rest[:1].upper() + rest[1:]
    return sentence


@lru_cache(maxsize=65536)
def names_in(sentence: str, people: frozenset[str]) -> tuple[str, ...]:
    """Names in a sentence that nobody at the table has, in order."""
    words = {word for name in people for word in name.split()}
    found: dict[str, None] = {}
    for match in _NAME.finditer(sentence):
        if not words.intersection(match[0].split()) and len(match[0]) > 2:
            found[match[0]] = None
    return tuple(found)


def topic_of(text: str) -> str | None:
    """What a question is about: one of the kinds of fact, "open" for anything, or None."""
    return _topic(text) if "?" in text or tables("party")["ask_person"].used(text) else None


@lru_cache(maxsize=65536)
def _topic(text: str) -> str | None:
    party = tables("party")
    for kind in KINDS:
        if party["ask_" + kind.replace(" ", "_")].used(text):
            return kind
    if party["ask_open"].used(text):
        return "open"
    lowered = text.casefold()
    for kind, cues in _CUES.items():
        if any(cue in lowered for cue in cues):
            return kind
    return "open"


@lru_cache(maxsize=65536)
def _filler(sentence: str) -> bool:
    """Whether a sentence is one of the phrases that fill a talk."""
    return any(mark in sentence for mark in _marks())


@cache
def _marks() -> tuple[str, ...]:
    """The longest stretch without a slot of each sentence of our phrases."""
    texts = [
        phrase.text
        for name in ("npc", "party")
        for one in tables(name).values()
        for phrase in one.phrases
    ]
    texts += [text for talk in talks() for text in (talk.ask.text, *talk.answers.texts)]
    stretches = (
        max(_SLOT.split(sentence), key=len) for text in texts for sentence in _SENTENCE.split(text)
    )
    return tuple(dict.fromkeys(one for one in stretches if len(one) > _SHORTEST_MARK))
