"""What a prompt gives a reply to choose from in words, where its schema says no more than "a text".

A mock reply can then name an id, a character or a passage that its reader accepts. The forms are
those in which prompts list things: "f1: a fact" with `fact` as "its id", "1. Ann: a turn" to be
quoted "word for word", "The skills are: ..." for "one of the skills".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

FEWEST_WORDS = 3
"""Of a passage that proves anything."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Words that can be quoted; `speaker` is "" where no name precedes them."""

    speaker: str
    text: str


@dataclass(slots=True)
class NamedChoices:
    """The choices of one reply: what was taken is not given again.

    `ids` are the texts by id, for each list in the order of the prompt; `id_fields` the fields that
    hold an id; `names` the values of other fields, by field; `numbers` those of turns, by field.
    `turns`, number and text, are those that can be cited, None where the prompt has none. `quotes`
    says whether other quotes must be from `passages`, and `speakers`, for a field of the reply,
    whose: those of a speaker or, if the flag is False, of all others.
    """

    ids: Sequence[Mapping[str, str]] = ()
    id_fields: frozenset[str] = frozenset()
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    numbers: Mapping[str, Sequence[int]] = field(default_factory=dict)
    quotes: bool = False
    speakers: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    turns: Sequence[tuple[int, str]] | None = None
    passages: list[Passage] = field(default_factory=list)
    _lists: dict[tuple[str, str], list[tuple[str, str]]] = field(default_factory=dict)

    def list_of(self, place: str, name: str) -> list[tuple[str, str]]:
        """The ids with their texts that are left for a field, in this place of the reply: each
        place has the next list of the prompt."""
        key = (place, name)
        if key not in self._lists:
            at = len(self._lists)
            self._lists[key] = [*self.ids[at].items()] if at < len(self.ids) else []
        return self._lists[key]

    def count_passages(self, place: str) -> int:
        return sum(1 for _ in self._quotable(place))

    def take_passage(self, place: str, random: Random) -> str:
        """A passage for this place of the reply; "" if none is left."""
        left = [*self._quotable(place)]
        if not left:
            return ""
        chosen = random.choice(left)
        self.passages.remove(chosen)
        return chosen.text

    def _quotable(self, place: str) -> Iterator[Passage]:
        if place not in self.speakers:
            return iter(self.passages)
        who, only = self.speakers[place]
        return (passage for passage in self.passages if (passage.speaker == who) == only)


def read_choices(texts: Sequence[str]) -> NamedChoices:
    """The choices in a prompt of these messages: what the last one lists that lists anything, since
    a complaint about a reply may follow it."""
    head, body = "\n".join(texts), next(filter(_LISTS.search, reversed(texts)), "")
    lists: dict[str, dict[str, str]] = {mark: {} for mark in _MARKS.findall(head)}
    for mark, number, text in _LISTED.findall(body) if lists else ():
        if mark in lists:
            lists[mark][mark + number] = text
    section = _HEADING.split(body)[-1]
    turns = _TURN.findall(section)
    quotes = _TO_QUOTE.search(head) is not None
    return NamedChoices(
        [listed for listed in lists.values() if listed],
        frozenset(_ID_FIELD.findall(head)),
        dict(_read_names(head, body)),
        {a or b: [int(number) for number, *_ in turns] for a, b in _NUMBERS.findall(head)},
        quotes,
        dict(_read_speakers(head)) if quotes else {},
        [(int(n), text) for n, who, text in _TURN.findall(body) if who] or None,
        [*_read_passages(section, turns)] if quotes else [],
    )


_LISTS = re.compile(r"^(?:\d+\.|[a-z]\d+:) |\A[^:\n]+: .+\n\n|^# ", re.MULTILINE)
_MARKS = re.compile(r"\(([a-z])1, (?:\1)2, \.\.\.\)")
_LISTED = re.compile(r"^([a-z])(\d+): (.+)$", re.MULTILINE)
_ID_FIELD = re.compile(r"`(\w+)`\s+is\s+(?:its\s+id|the\s+id\s+of)")
_NUMBERS = re.compile(
    r"^(?:- (\w+): |In (\w+) give )the numbers of the (?:turn|line)s", re.MULTILINE
)
_HEADING = re.compile(r"^# .*\n", re.MULTILINE)
_TURN = re.compile(r"^(\d+)\. (?:([^:\n]{1,60}): )?(.+)$", re.MULTILINE)
_TO_QUOTE = re.compile(r"copied\s+word\s+for\s+word")
_EXAMPLE_VALUE = re.compile(r'"(\w+)": ?"(?:one of the (\w+)|an? \w+ of those given)"')
_BULLET = re.compile(r"^- (\w+): (.+(?:\n(?!- )\S.*)*)", re.MULTILINE)
_OWN_TURN = re.compile(r"word\s+for\s+word\s+from\s+one\s+turn\s+of\s+(\w+)")


def _read_names(head: str, body: str) -> Iterator[tuple[str, Sequence[str]]]:
    """The values of fields whose example says where they are listed."""
    for name, listed in _EXAMPLE_VALUE.findall(head):
        place = rf"\bThe {listed} are: (.+)\.$" if listed else r"\A[^:\n]+: (.+)$"
        if found := re.search(place, head if listed else body, re.MULTILINE):
            yield name, found[1].split(", ")


def _read_speakers(head: str) -> Iterator[tuple[str, tuple[str, bool]]]:
    """Whose turns are quoted in a field. A field of the same form has the rule of the one before;
    what "one of the others" did is in no turn of that speaker."""
    who = ""
    for name, rule in _BULLET.findall(head):
        if own := _OWN_TURN.search(rule):
            who = own[1]
        if who:
            yield name, (who, "one of the others" not in rule)


def _read_passages(section: str, turns: Sequence[tuple[str, str, str]]) -> Iterator[Passage]:
    """The turns of a section or, if there are none, its sentences; none that is a part of another,
    which would be quoted along with it."""
    found = [Passage(speaker.partition(" (")[0], text) for _, speaker, text in turns]
    found = found or [Passage("", text) for text in re.split(r"(?<=[.!?])\s+", section.strip())]
    plain = [passage.text.rstrip(".!?").casefold() for passage in found]
    for at, passage in enumerate(found):
        others = plain[:at] + plain[at + 1 :]
        if len(passage.text.split()) >= FEWEST_WORDS and not any(plain[at] in o for o in others):
            yield passage
