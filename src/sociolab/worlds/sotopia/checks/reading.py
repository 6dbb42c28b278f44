"""One turn of talk as acts: sentence by sentence, cue by cue."""

from __future__ import annotations

from typing import Generic, TypeVar

from sociolab.worlds.sotopia.checks.acts import (
    Act,
    Assent,
    Found,
    Level,
    Named,
    Reading,
    Sign,
    Take,
)
from sociolab.worlds.sotopia.checks.clauses import halved
from sociolab.worlds.sotopia.checks.cues import Cue
from sociolab.worlds.sotopia.checks.phrases import Phrases
from sociolab.worlds.sotopia.checks.sentence import Sentence
from sociolab.worlds.sotopia.checks.words import BREAKS, word_set

V = TypeVar("V")

_QUESTION_STARTS = word_set(
    "when where how what which who do does did can could shall is are would should will may"
)
_CHATTY = 8  # words in a turn; "great!" in a longer one may be said of anything


def read(cues: Phrases[Cue], words: list[str], found: list[Found[V]]) -> Reading[V]:
    """The acts of one turn, whose values are marked by "#" in `words` and listed in `found`."""
    turn: _Turn[V] = _Turn()
    at = 0
    for sentence, asked in _sentences(words):
        marks = cues.marks(sentence)
        if not marks:
            turn.asks_else = turn.asks_else or asked
            continue
        count = sentence.count("#")
        turn.add(Sentence(sentence, asked, marks, found[at : at + count]))
        at += count
    return turn.reading(len(words))


def _sentences(words: list[str]) -> list[tuple[list[str], bool]]:
    """The sentences and whether they ask; "220 it is, when can I come?" are two."""
    found: list[tuple[list[str], bool]] = []
    start = 0
    for at, word in enumerate(words):
        if word in BREAKS:
            if at > start:
                found += _parts(words[start:at], word == "?")
            start = at + 1
    if start < len(words):
        found.append((words[start:], False))
    return found


def _parts(sentence: list[str], asked: bool) -> list[tuple[list[str], bool]]:
    if asked and sentence[0] not in _QUESTION_STARTS:
        for at in range(1, len(sentence) - 1):
            if sentence[at] in (",", "and", "-") and sentence[at + 1] in _QUESTION_STARTS:
                return [(sentence[:at], False), (sentence[at + 1 :], True)]
    return [(sentence, asked)]


class _Turn(Generic[V]):
    """What the sentences of a turn add up to."""

    strictly_tied = ironic = asks_else = logistics = False

    def __init__(self) -> None:
        self.acts: list[Act[V]] = []

    def add(self, sentence: Sentence[V]) -> None:
        """Take in the next sentence."""
        acts = sentence.read()
        if sentence.opens_with_but:
            self.acts = [halved(act) for act in self.acts]
        if sentence.shaping:
            self.strictly_tied = self.strictly_tied or sentence.strictly_tied
            self.ironic = self.ironic or sentence.ironic
            self.logistics = self.logistics or sentence.logistics
        if sentence.asked:
            self.asks_else = not sentence.about_values
            if sentence.confirming and not any(type(act) is not Named for act in acts):
                acts = [Sign.INSIST]
        elif self.asks_else and any(isinstance(act, Take) for act in acts):
            self.asks_else = False
        self.acts += acts

    def reading(self, length: int) -> Reading[V]:
        """The acts of the whole turn, `length` words long."""
        acts = self.acts
        readable = stances = sure = False
        for act in acts:
            if isinstance(act, Take):
                stances = True
                readable = readable or bool(act.values)
            elif isinstance(act, Assent):
                stances = True
                sure = sure or act.level >= Level.FINE
        if readable:
            acts = [act for act in acts if not isinstance(act, Take) or act.values]
        if self.strictly_tied and not stances:
            acts = [*acts, Assent(Level.YES)]
            stances = True
        if stances:
            acts = [self._shaped(act, length, sure) for act in acts]
        return Reading(tuple(acts), self.asks_else)

    def _shaped(self, act: Act[V], length: int, sure: bool) -> Act[V]:
        """An act in the light of the whole turn."""
        if not isinstance(act, (Take, Assent)):
            return act
        if self.strictly_tied:
            act = act._replace(tied=True)
        if isinstance(act, Take):
            return act._replace(mention=True) if self.ironic else act
        if self.ironic:
            return act._replace(doubt="it may be meant ironically")
        if act.level <= Level.YES and not (sure or act.doubt):
            if act.level > Level.CLOSE and self.asks_else and not self.logistics:
                return act._replace(doubt="a yes with another question")
            if act.level is Level.NICE and length > _CHATTY:
                return act._replace(doubt="praise that may be meant for anything")
        return act
