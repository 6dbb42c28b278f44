"""A scripted player who looks for a friend in common: describes, asks, narrows down, names."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from sociolab.core.episode import Action
from sociolab.worlds.sotopia.scenarios import FriendGoal
from sociolab.worlds.sotopia.scripted.closing import close, part
from sociolab.worlds.sotopia.scripted.hearing import Heard, heard
from sociolab.worlds.sotopia.scripted.moment import Moment
from sociolab.worlds.sotopia.scripted.wording import friends as words

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
}
_ASKS_FOR_NAME = re.compile(
    r"(?:\b(?:be|it|mean|know|of|about|called|mind:)|\bIs) "
    r"(?!I\b)([A-Z]\w+)\b(?! (?:School|Road))[^.!?]*\?"
)
_SCHOOL = re.compile(r"\b(?:School|College|University|Institute|Academy)\b")
_ABOUT_PEOPLE = re.compile(r"\b(?:know|friends?|anybody|anyone|somebody|someone|one|person)\b")


@dataclass(slots=True)
class _Talk:
    """What is known so far. `asked` and `guess` are from the last own words; `to_answer`,
    `their_values` and `their_name` from the partner's words since. Indices count the lines of the
    history."""

    asked: tuple[str, ...] = ()
    guess: str | None = None
    spent: set[str] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)
    out: set[str] = field(default_factory=set)
    hints: Counter[str] = field(default_factory=Counter)
    to_answer: str = ""
    their_values: tuple[str, ...] = ()
    their_name: str | None = None
    found: str | None = None
    settled: int = 0
    parted: int | None = None


class _Circle:
    """The own friends, ready to be looked up: `having` maps a name to the values of its
    attributes, `values` a value to its lower case."""

    def __init__(self, friends: _Key) -> None:
        self.about = {name: dict(about) for name, about in friends}
        self.having = {name: frozenset(about.values()) for name, about in self.about.items()}
        self.values = {value: value.lower() for _, about in friends for _, value in about}


_Key: TypeAlias = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


@lru_cache(maxsize=64)
def _circle(friends: _Key) -> _Circle:
    return _Circle(friends)


@lru_cache(maxsize=4096)
def _fitting(circle: _Circle, values: tuple[str, ...]) -> tuple[str, ...]:
    """The friends that have all of these."""
    return tuple(name for name, having in circle.having.items() if having.issuperset(values))


@lru_cache(maxsize=4096)
def _named(text: str, circle: _Circle) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The own friends that a text names, and the values that it tells of them."""
    names = tuple(name for name in circle.about if name in text)
    lowered = text.lower()
    return names, tuple(value for value, low in circle.values.items() if low in lowered)


def find_friend(moment: Moment, goal: FriendGoal) -> Action:
    """The next action of somebody who looks for a friend in common."""
    circle = _circle(tuple((one.name, tuple(one.about.items())) for one in goal.friends))
    talk = _talk(moment, circle)
    if talk.found is not None:
        return close(moment, talk.settled, words.FOUND, {"friend": talk.found})
    if talk.their_name is not None:
        return moment.plainly(moment.word(words.CONFIRM, {"friend": talk.their_name}))
    if talk.parted is not None:
        return part(moment, talk.parted, words.NONE_FOUND)
    answer = _answer(moment, talk, circle)
    open_still = [name for name in circle.about if name not in talk.out]
    if not open_still or (moment.left <= 1 and not talk.hints):
        return moment.plainly(answer + moment.word(words.NONE_FOUND))
    guess = _candidate(moment, talk, open_still)
    if guess is not None:
        return moment.plainly(answer + moment.word(words.GUESS, {"friend": guess}))
    if not moment.quiet and not answer and moment.own > 1 and moment.chance.random() < 0.12:
        return moment.does(words.PONDER)
    return moment.plainly(
        _start(moment) + answer + _question(moment, talk, circle.about, open_still)
    )


def _start(moment: Moment) -> str:
    if moment.own:
        return ""
    opening = "" if moment.talk else moment.word(words.OPEN) + " "
    return moment.greeting() + opening


def _answer(moment: Moment, talk: _Talk, circle: _Circle) -> str:
    """The answer to the partner's question, true to the own list, with a space after it."""
    unknown = _ASKS_FOR_NAME.search(talk.to_answer)
    if unknown and unknown[1] not in circle.about:
        return moment.word(words.DENY, {"friend": unknown[1]}) + " "
    if not _ABOUT_PEOPLE.search(talk.to_answer):
        return ""
    fits = talk.their_values and _fitting(circle, talk.their_values)
    return moment.word(words.YES if fits else words.NO) + " "


def _candidate(moment: Moment, talk: _Talk, open_still: list[str]) -> str | None:
    """The friend to name now: the last one left, or one with enough hints, or a bold guess."""
    if len(open_still) == 1:
        return open_still[0]
    ranked = sorted(open_still, key=lambda name: -talk.hints[name])
    first, second = talk.hints[ranked[0]], talk.hints[ranked[1]]
    if moment.left <= 2:
        return ranked[0]
    if first < 2 and moment.left > 4:
        return None
    sure = 0.25 * (first - 1) + 0.25 * (first > second) + 0.3 * moment.temper.talk
    return ranked[0] if first and moment.chance.random() < sure else None


def _question(
    moment: Moment, talk: _Talk, about: dict[str, dict[str, str]], open_still: list[str]
) -> str:
    """Ask for somebody like the likeliest friend: for one attribute, or for a new one beside
    those that the partner is known to have in a friend."""
    top = max(talk.hints[name] for name in open_still)
    likely = [name for name in open_still if talk.hints[name] == top]
    fresh = [
        (name, key, value)
        for name in likely
        for key, value in about[name].items()
        if value not in talk.spent and value not in talk.shared
    ]
    if not fresh:
        name = likely[int(moment.chance.random() * len(likely))]
        return moment.word(words.GUESS, {"friend": name})
    name, key, value = fresh[int(moment.chance.random() * len(fresh))]
    known = [_clause(k, v) for k, v in about[name].items() if v in talk.shared and k != key]
    clause = ", ".join(known[:2]) + " and " if known else ""
    return moment.word(words.ASK, {"whom": clause + _clause(key, value)})


def _clause(attribute: str, value: str) -> str:
    """ "works at Kite Radio"."""
    kind = attribute.strip().lower()
    if kind == "school" and not _SCHOOL.search(value):
        return f"went to {value} School"
    pattern = _CLAUSES.get(kind)
    return pattern.format(value=value) if pattern else f"has {attribute} {value}"


def _talk(moment: Moment, circle: _Circle) -> _Talk:
    talk = _Talk()
    for index, own, text in moment.talk:
        names, told = _named(text, circle)
        if own:
            talk.spent.update(told)
            _hear_self(talk, index, text, told, names)
        else:
            _hear_partner(talk, index, text, told, names, circle)
    return talk


def _hear_self(
    talk: _Talk, index: int, text: str, told: tuple[str, ...], names: tuple[str, ...]
) -> None:
    if talk.their_name and words.CONFIRM.spoke(text):
        talk.found, talk.settled = talk.their_name, index
    if talk.parted is None and words.NONE_FOUND.spoke(text):
        talk.parted = index
    guessed = "?" in text and names
    talk.guess = names[-1] if guessed else None
    talk.asked = () if guessed else told
    talk.to_answer, talk.their_name, talk.their_values = "", None, ()


def _hear_partner(
    talk: _Talk,
    index: int,
    text: str,
    told: tuple[str, ...],
    names: tuple[str, ...],
    circle: _Circle,
) -> None:
    said = heard(text)
    _hear_answer(talk, index, said, names, circle)
    talk.their_values = tuple(value for value in told if value not in talk.asked) or told
    if not said.no or said.asks:
        talk.shared.update(talk.their_values)
        for name in _fitting(circle, talk.their_values) if talk.their_values else ():
            talk.hints[name] += len(talk.their_values)
    others = [name for name in names if name not in talk.out and name != talk.guess]
    talk.their_name = others[-1] if others and talk.found is None else None
    talk.to_answer = text if said.asks and not others else ""
    if talk.found is None and talk.parted is None and said.parts:
        talk.parted = index


def _hear_answer(
    talk: _Talk, index: int, said: Heard, names: tuple[str, ...], circle: _Circle
) -> None:
    """What the partner's line says to the own question or guess before it."""
    if talk.guess is not None:
        if said.no:
            talk.out.add(talk.guess)
        elif talk.found is None and (said.yes or talk.guess in names):
            talk.found, talk.settled = talk.guess, index
    elif talk.asked:
        fitting = _fitting(circle, talk.asked)
        if said.no:
            talk.out.update(fitting)
        elif said.yes:
            talk.shared.update(talk.asked)
            for name in fitting:
                talk.hints[name] += len(talk.asked)
