"""What changes in a sentence from clause to clause: contrast, negation, conditions, asides."""

from __future__ import annotations

from typing import Generic, TypeVar

from sociolab.worlds.sotopia.checks.acts import Act, Assent, Found, Level, Sign, Take
from sociolab.worlds.sotopia.checks.cues import Cue
from sociolab.worlds.sotopia.checks.phrases import Mark
from sociolab.worlds.sotopia.checks.words import word_set

V = TypeVar("V")

INFORMATIVE = frozenset({Cue.PAST, Cue.DELTA, Cue.BOUND, Cue.REFUSING})
"""Cues of which a value that follows is no stand."""

_GOING_ON = word_set("and you your that which who so")
_MEETING = word_set(", - us we i then just so and can could will would")
_BUT = Cue.BUT


class Clauses(Generic[V]):
    """The state of a sentence that is read from left to right."""

    left: Cue | None = None  # the last cue for a value to come, and where it ends
    left_end = 0
    negated = False  # from a "not" to the end of the clause
    echo = False  # from "I understand that you" to the end of the clause
    echo_from = 0
    either = False  # from an "or" to the next value
    if_from = if_to = -1
    yes_end = -9
    wavers = confirming = False
    another_time = False
    shaping = strictly_tied = ironic = logistics = opens_with_but = False

    def __init__(
        self, words: list[str], asked: bool, marks: list[Mark[Cue]], found: list[Found[V]]
    ) -> None:
        self.words = words
        self.asked = asked
        self.marks = marks
        self.acts: list[tuple[int, Act[V]]] = []
        self.values: dict[int, Found[V]] = {}
        if found:
            places = [at for at, word in enumerate(words) if word == "#"]
            self.values = dict(zip(places, found, strict=True))

    def _comma(self, start: int, end: int, cue: Cue) -> None:
        self.negated = False
        if self.left in INFORMATIVE:
            self.left = None
        if self.echo:
            self.echo = end < len(self.words) and self.words[end] in _GOING_ON
        if self.if_from >= 0 and self.if_to < 0:
            self.if_to = start

    def _break(self, start: int, end: int, cue: Cue) -> None:
        self.left, self.negated, self.echo = None, False, False
        if cue is _BUT:
            self.opens_with_but = self.opens_with_but or start == 0
            self.acts = [(at, halved(act)) for at, act in self.acts]

    def _echo(self, start: int, end: int, cue: Cue) -> None:
        self.echo, self.echo_from = True, start

    def _not(self, start: int, end: int, cue: Cue) -> None:
        self.negated = True

    def _or(self, start: int, end: int, cue: Cue) -> None:
        self.either = True

    def _if(self, start: int, end: int, cue: Cue) -> None:
        self.if_from = start

    def _under_condition(self) -> list[Act[V]]:
        """A value inside the if-clause is asked for; whatever else is said hangs on it."""
        end = self.if_to if self.if_to >= 0 else len(self.words)
        acts: list[Act[V]] = []
        for at, act in self.acts:
            if isinstance(act, Take) and self.if_from < at < end:
                act = act._replace(asked=True)
            elif isinstance(act, (Take, Assent)):
                act = act._replace(tied=True)
            acts.append(act)
        if any(isinstance(act, Take) for act in acts):
            return [act for act in acts if not isinstance(act, Assent)]
        return acts

    # -------------------------------------------------------------- flags

    def _only_if(self, start: int, end: int, cue: Cue) -> None:
        self.shaping = self.strictly_tied = True

    def _confirm(self, start: int, end: int, cue: Cue) -> None:
        self.confirming = True

    def _logistics(self, start: int, end: int, cue: Cue) -> None:
        self.shaping = self.logistics = True

    def _irony(self, start: int, end: int, cue: Cue) -> None:
        self.shaping = self.ironic = True

    def _waver(self, start: int, end: int, cue: Cue) -> None:
        self.wavers = True

    def _another_time(self, start: int, end: int, cue: Cue) -> None:
        self.another_time = True

    def _middle(self, start: int, end: int, cue: Cue) -> None:
        before = self.words[start - 1] if start else ","
        if not self.negated and self.if_from < 0 and before in _MEETING:
            self.acts.append((start, Sign.MIDDLE))

    def _nothing(self, start: int, end: int, cue: Cue) -> None:
        """A phrase that only looks like another one."""


def halved(act: Act[V]) -> Act[V]:
    """A yes before a "but" is half a yes, unless a stand follows."""
    if isinstance(act, Assent) and act.level < Level.DEAL:
        return act._replace(doubt="yes, but")
    return act
