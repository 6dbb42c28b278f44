"""A scripted player who looks for a friend in common: describes, asks, narrows down, names."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from sociolab.core.episode import Action
from sociolab.worlds.sotopia.scenarios import FriendGoal
from sociolab.worlds.sotopia.scripted.circle import Circle, Told, circle, clause, told
from sociolab.worlds.sotopia.scripted.closing import close, part
from sociolab.worlds.sotopia.scripted.hearing import Heard, heard
from sociolab.worlds.sotopia.scripted.moment import Moment
from sociolab.worlds.sotopia.scripted.wording import friends as words

_SOMEBODY = re.compile(r"\b(?:know|friends?|anybody|anyone|somebody|someone|one|person)\b")
_THE_SAME = re.compile(r"\b(?:she|he|they|her|him|them)\b", re.IGNORECASE)


@dataclass(slots=True)
class _Talk:
    """What is known so far. `asked` and `guess` are from the last own words, `to_answer` and
    `their_name` from the partner's words since. `described` are the values of the friend whom the
    partner spoke of last, `strange` says that no own friend has them all. Indices count the lines
    of the history."""

    asked: tuple[str, ...] = ()
    guess: str | None = None
    spent: set[str] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)
    out: set[str] = field(default_factory=set)
    hints: Counter[str] = field(default_factory=Counter)
    to_answer: Told | None = None
    described: tuple[str, ...] = ()
    strange: bool = False
    their_name: str | None = None
    found: str | None = None
    settled: int = 0
    parted: int | None = None


def find_friend(moment: Moment, goal: FriendGoal) -> Action:
    """The next action of somebody who looks for a friend in common."""
    own = circle(goal.friends)
    talk = _talk(moment, own)
    if talk.found is not None:
        return close(moment, talk.settled, words.FOUND, {"friend": talk.found})
    if talk.their_name is not None:
        return moment.plainly(moment.word(words.CONFIRM, {"friend": talk.their_name}))
    if talk.parted is not None:
        return part(moment, talk.parted, words.NONE_FOUND)
    answer = _answer(moment, talk, own)
    open_still = [name for name in own.about if name not in talk.out]
    if not open_still or (moment.left <= 1 and not talk.hints):
        return moment.plainly(answer + moment.word(words.NONE_FOUND))
    guess = _candidate(moment, talk, open_still)
    if guess is not None:
        return moment.plainly(answer + moment.word(words.GUESS, {"friend": guess}))
    if not moment.quiet and not answer and moment.own > 1 and moment.chance.random() < 0.12:
        return moment.does(words.PONDER)
    return moment.plainly(_start(moment) + answer + _question(moment, talk, own.about, open_still))


def _start(moment: Moment) -> str:
    if moment.own:
        return ""
    opening = "" if moment.talk else moment.word(words.OPEN) + " "
    return moment.greeting() + opening


def _answer(moment: Moment, talk: _Talk, own: Circle) -> str:
    """The answer to the partner's question, true to the own list, with a space after it."""
    question = talk.to_answer
    if question is None:
        return ""
    if question.stranger is not None:
        return moment.word(words.DENY, {"friend": question.stranger}) + " "
    if not (_SOMEBODY.search(question.text) or _THE_SAME.search(question.text)):
        return ""
    fits = talk.described and not talk.strange and own.fitting(talk.described)
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
    known = [clause(k, v) for k, v in about[name].items() if v in talk.shared and k != key]
    told_before = ", ".join(known[:2]) + " and " if known else ""
    return moment.word(words.ASK, {"whom": told_before + clause(key, value)})


def _talk(moment: Moment, own: Circle) -> _Talk:
    talk = _Talk()
    for index, you, text in moment.talk:
        line = told(text, own)
        if you:
            _hear_self(talk, index, text, line)
        else:
            _hear_partner(talk, index, line, own)
    return talk


def _hear_self(talk: _Talk, index: int, text: str, line: Told) -> None:
    talk.spent.update(line.values)
    if talk.their_name and words.CONFIRM.spoke(text):
        talk.found, talk.settled = talk.their_name, index
    if talk.parted is None and words.NONE_FOUND.spoke(text):
        talk.parted = index
    guessed = "?" in text and line.names
    talk.guess = line.names[-1] if guessed else None
    talk.asked = () if guessed else line.values
    talk.to_answer = talk.their_name = None


def _hear_partner(talk: _Talk, index: int, line: Told, own: Circle) -> None:
    said = heard(line.text)
    _hear_answer(talk, index, said, line.names, own)
    if not said.no or said.asks:
        _hear_description(talk, line, own)
    named = [name for name in line.names if name != talk.guess]
    others = named if said.asks else [name for name in named if name not in talk.out]
    talk.their_name = others[-1] if others and talk.found is None else None
    talk.to_answer = line if said.asks and not others else None
    if talk.found is None and talk.parted is None and said.parts:
        talk.parted = index


def _hear_description(talk: _Talk, line: Told, own: Circle) -> None:
    """What the partner tells of a friend; "does she ...?" adds to what was told of that one."""
    if _SOMEBODY.search(line.text) or not _THE_SAME.search(line.text):
        talk.described, talk.strange = (), False
    talk.described = tuple(dict.fromkeys(talk.described + line.values))
    talk.strange = talk.strange or line.strange
    talk.shared.update(line.values)
    if talk.described and not talk.strange:
        for name in own.fitting(talk.described):
            talk.hints[name] += len(line.values)


def _hear_answer(talk: _Talk, index: int, said: Heard, names: tuple[str, ...], own: Circle) -> None:
    """What the partner's line says to the own question or guess before it."""
    if talk.guess is not None:
        if said.no:
            talk.out.add(talk.guess)
        elif talk.found is None and (said.yes or talk.guess in names):
            talk.found, talk.settled = talk.guess, index
    elif talk.asked:
        fitting = own.fitting(talk.asked)
        if said.no:
            talk.out.update(fitting)
        elif said.yes:
            talk.shared.update(talk.asked)
            for name in fitting:
                talk.hints[name] += len(talk.asked)
