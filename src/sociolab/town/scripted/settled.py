"""What has become of a matter: who has said yes or no to it, as memories and notes tell."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from sociolab.town.scripted.task_reading import Task
from sociolab.town.scripted.verbs import plain
from sociolab.town.thoughts import Commitment, Me, Memory

Verdict: TypeAlias = Literal["yes", "no", "open"]

_LOOKED_BACK = 300
_NO = re.compile(
    r"\bdeclin|\b(?:will|would|could|can|is|was|does|did) ?not (?:be|come|join|make|help|able|free"
    r"|want|coming|going|attend)|\bcannot\b|\bcan't\b|won't|wouldn't|couldn't|said no\b|refused"
    r"|turned (?:it |me )?down|not interested|unable|has other plans|has to work|is busy"
)
_YES = re.compile(
    r"\bagreed\b|\baccepted\b|said yes|\b(?:will|would|is going to|promised to|wants to|is happy to"
    r"|is glad to) (?:gladly |love to |like to |probably )?(?:be there|come|join|attend|help|do it"
    r"|take part|meet)|\bis coming|\bis in\b|looks? forward|confirmed|see (?:me|you) (?:then|there)"
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True)
class Answers:
    """The names of those who have said yes, and no, and who were asked today without either."""

    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()

    @property
    def told(self) -> tuple[str, ...]:
        """Those who need not be asked again today."""
        return (*self.yes, *self.no, *self.undecided)


def talks(me: Me, shown: tuple[Memory, ...] = ()) -> tuple[Memory, ...]:
    """What one remembers of talks, the newest last; `shown` are the memories of the question."""
    found = [one for one in me.memory.latest(_LOOKED_BACK) if one.kind == "talk"]
    older = {one for one in shown if one.kind == "talk"}.difference(found)
    return (*sorted(older, key=lambda one: (one.when, one.text)), *found)


def same_matter(one: str, another: str) -> bool:
    """Whether two activities are the same by their words: "tasting" is "the bread tasting"."""
    first, second = plain(one), plain(another)
    if not first or not second:
        return False
    if first in second or second in first:
        return True
    mine, theirs = _words(first), _words(second)
    return bool(mine and theirs) and (mine <= theirs or theirs <= mine)


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in re.findall(r"[\w'-]+", text) if len(word) > 3)


def mark(task: Task) -> str:
    """The words by which a memo is known to be about the task."""
    return plain(task.chores[0].what if task.chores else task.activity)


def is_about(task: Task, text: str) -> bool:
    """Whether a text speaks of the task: its words, or all that are longer than three letters."""
    words = plain(text)
    return mark(task) in words or (bool(_words(mark(task))) and _words(mark(task)) <= _words(words))


def answers(
    me: Me, task: Task, known: Iterable[Memory], commitments: Iterable[Commitment]
) -> Answers:
    """Who has answered how to one's own task; the newest answer of each counts.

    Read from memories of talks in anybody's words, and from the commitments to the task.
    """
    found: dict[str, Verdict] = {}
    names = tuple(me.people.values())
    for one in commitments:
        if one.day == task.day and is_about(task, one.what):
            found.update({me.people[who]: "yes" for who in (*one.others, one.by)
                          if who in me.people})  # fmt: skip
    for memory in known:
        if not is_about(task, memory.text):
            continue
        for name, verdict in _verdicts(memory.text, names):
            if verdict != "open" or (memory.when.date() == me.now.date() and name not in found):
                found[name] = verdict
    said = {verdict: tuple(n for n, v in found.items() if v == verdict) for verdict in _ALL}
    return Answers(said["yes"], said["no"], said["open"])


_ALL: tuple[Verdict, ...] = ("yes", "no", "open")


@lru_cache(maxsize=8192)
def _verdicts(text: str, names: tuple[str, ...]) -> tuple[tuple[str, Verdict], ...]:
    """Each person in a memo, and what they said: one alone by the whole of it, several each by
    the last sentence that names them."""
    named = tuple(name for name in names if _is_named(name, text))
    if len(named) == 1:
        return ((named[0], _verdict(text)),)
    found: dict[str, Verdict] = {}
    for sentence in _SENTENCE.split(text):
        for name in named:
            if _is_named(name, sentence):
                found[name] = _verdict(sentence)
    return tuple(found.items())


def _is_named(name: str, text: str) -> bool:
    return name in text or re.search(rf"\b{re.escape(name.split()[0])}\b", text) is not None


def _verdict(text: str) -> Verdict:
    lower = text.lower()
    if _NO.search(lower):
        return "no"
    return "yes" if _YES.search(lower) else "open"
