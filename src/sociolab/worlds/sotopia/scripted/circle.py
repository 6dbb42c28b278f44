"""The own circle of friends, and what a line of talk tells of somebody in it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import TypeAlias

from sociolab.worlds.sotopia.scenarios import Friend
from sociolab.worlds.sotopia.scripted.hearing import heard

_Key: TypeAlias = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]

_CLAUSES = {
    "school": "went to {value}",
    "employer": "works at {value}",
    "company": "works at {value}",
    "work": "works at {value}",
    "workplace": "works at {value}",
    "hobby": "is into {value}",
    "neighbourhood": "lives in {value}",
    "neighborhood": "lives in {value}",
    "city": "lives in {value}",
    "location": "lives in {value}",
    "hometown": "comes from {value}",
    "major": "studied {value}",
    "job": "works as a {value}",
    "occupation": "works as a {value}",
    "time preference": "likes the {value}",
    "location preference": "likes {value} places",
}
_SCHOOL = re.compile(r"\b(?:School|College|University|Institute|Academy)\b")
_VERBS = (
    r"(?:went to|goes to|works? (?:at|for(?! me\b)|as an?)|(?:(?:is|are) )?into|lives? in"
    r"|comes? from|from(?= [A-Z])|stud(?:ied|ies|y)|likes|loves|enjoys|plays"
    r"|has(?! (?:an?|the|to|got|been)\b))"
)
_VERB = re.compile(rf"(?<!\bI )(?<!\bwe )(?<!\byou )\b{_VERBS} ")
_LINK = re.compile(r",?(?: and)?(?: who)? $")
_END = r"(?<!\bSt)(?<!\b[A-Z])[.?!;]"  # but not in "St. John's" and "J. M. Rook"
_STOP = re.compile(rf",? who |{_END}(?=\s+[A-Z]|\s*$)")
_GREETING = re.compile(
    r"(?:(?:(?:oh, |right, |yes, )?(?:hello|hi|hey)|good day|(?:i'm|i am) (?!afraid)\w+"
    r"|my name|the name is|so you are|nice to|lovely to|it's a pleasure|a pleasure|\w+\. hello)\b"
    r"[^.!?]*[.!]\s+)+",
    re.IGNORECASE,
)
_SENTENCE = re.compile(rf"{_END}\s+(?=[A-Z])")
_WORD = re.compile(r"[\w-]")
_LONGER = re.compile(r" at [A-Z]| of [A-Z]| (?!School\b)[A-Z]")
_FIRST = re.compile(r"[^.!?]*[.!]\s+")
_ASKS_FOR_NAME = re.compile(
    r"(?:\b(?:be|it|mean|know|of|about|called|mind:)|\bIs) "
    r"(?!I\b)([A-Z]\w+)\b(?! (?:School|Road))[^.!?]*\?"
)


class Circle:
    """The own friends, ready to be looked up: `about` maps a name to its attributes, `values` the
    lower case of a value to the value."""

    def __init__(self, friends: _Key) -> None:
        self.about = {name: dict(about) for name, about in friends}
        self._having = {name: frozenset(about.values()) for name, about in self.about.items()}
        self.values = {v.lower(): v for _, about in friends for _, v in about if v}

    def fitting(self, values: tuple[str, ...]) -> tuple[str, ...]:
        """The friends that have all of these."""
        return tuple(name for name, having in self._having.items() if having.issuperset(values))

    def names_in(self, text: str) -> list[str]:
        """The own friends that a text names, in the order of the text."""
        found = [name for name in self.about if name and name in text and _at(text, name)]
        return sorted(found, key=text.find)

    def values_in(self, text: str) -> list[str]:
        """The values of own friends that a text tells, and not only as a part of a longer name:
        "University of Texas" does not tell "Texas"."""
        lowered = text.lower()
        hits = [low for low in self.values if low in lowered]
        whole = [low for low in hits if (at := _at(lowered, low)) and not _goes_on(text, *at)]
        return [
            self.values[low]
            for low in whole
            if not any(low in longer and low != longer for longer in whole)
        ]


@dataclass(frozen=True, slots=True)
class Told:
    """What a line tells of somebody.

    `names` are own friends in the order of the line, `values` those of own friends' attributes.
    `strange` says that something is told that is true of no own friend; `stranger` is a name that
    it asks for and that is none of an own friend. `text` is the line without its greeting.
    """

    names: tuple[str, ...]
    values: tuple[str, ...]
    strange: bool
    stranger: str | None
    text: str


def circle(friends: Iterable[Friend]) -> Circle:
    """The circle of these friends; the same friends give the same one."""
    return _circle(tuple((one.name, tuple(one.about.items())) for one in friends))


@lru_cache(maxsize=64)
def _circle(friends: _Key) -> Circle:
    return Circle(friends)


@lru_cache(maxsize=4096)
def told(text: str, own: Circle) -> Told:
    """What a line tells of somebody, as this circle can understand it.

    An answer that comes before a question only repeats what was asked, and is left out.
    """
    said, before, clauses, rest = _parts(text)
    known = [_known(clause, own) for clause in clauses]
    values = [value for found in known for value in found]
    loose = own.values_in(rest)
    asked = _asked_name(rest)
    if asked in own.about or any(asked in value.split() for value in own.values.values()):
        asked = None
    return Told(
        names=tuple(own.names_in(before + rest)),
        values=tuple(dict.fromkeys(values + loose)),
        strange=not all(known),
        stranger=asked,
        text=said,
    )


@lru_cache(maxsize=4096)
def _parts(text: str) -> tuple[str, str, tuple[str, ...], str]:
    """A line without its greeting, what stands before the description of somebody, the clauses
    of the description, and the rest. A question that describes somebody does so alone: "My cousin
    works in Upland. Do you know anybody into chess?"."""
    greeting = _GREETING.match(text)
    said = text[greeting.end() :] if greeting else text
    question = said
    if "?" in said and (heard(said).yes or heard(said).no):
        question = _FIRST.sub("", said, count=1)
    verbs = list(_VERB.finditer(question))
    start = 0
    for sentence in _SENTENCE.finditer(question, 0, max(0, question.rfind("?"))):
        start = sentence.end() if verbs and verbs[-1].start() >= sentence.end() else start
    verbs = [verb for verb in verbs if verb.start() >= start]
    clauses, rest, at = [], "", start
    for verb, after in zip_longest(verbs, verbs[1:]):
        rest += question[at : verb.start()]
        piece = question[verb.end() : after.start() if after else None]
        stop = _STOP.search(piece)
        end = stop.start() if stop else len(piece)
        clauses.append(_LINK.sub("", piece[:end]))
        at = verb.end() + end
    return said, question[:start], tuple(clauses), rest + question[at:]


def _asked_name(text: str) -> str | None:
    found = _ASKS_FOR_NAME.search(text) if "?" in text else None
    return found[1] if found else None


def clause(attribute: str, value: str) -> str:
    """What is told of somebody in one attribute: "works at Kite Radio"."""
    kind = attribute.strip().lower()
    if kind == "school" and not _SCHOOL.search(value):
        return f"went to {value} School"
    pattern = _CLAUSES.get(kind)
    if pattern is None:
        return f"has {attribute} {value}"
    if pattern.endswith(" a {value}") and value[:1].lower() in "aeiou":
        pattern = pattern.replace(" a ", " an ")
    return pattern.format(value=value)


def _known(clause: str, own: Circle) -> list[str]:
    """The values of own friends that a clause tells: all of it, or parts of it."""
    lowered = clause.lower()
    exact = own.values.get(lowered) or own.values.get(lowered.removesuffix(" school"))
    if exact is not None:
        return [exact]
    return own.values_in(clause)


def _at(text: str, part: str) -> tuple[int, int] | None:
    """Where a text first holds this part as whole words."""
    start = text.find(part)
    while start >= 0:
        end = start + len(part)
        if not (_WORD.match(text[start - 1 : start]) or _WORD.match(text, end)):
            return start, end
        start = text.find(part, start + 1)
    return None


def _goes_on(text: str, start: int, end: int) -> bool:
    """Whether a longer name goes on before or after this part of a text."""
    if not text[start : start + 1].isupper():
        return False
    return text[:start].endswith(("of ", "of the ")) or _LONGER.match(text, end) is not None
