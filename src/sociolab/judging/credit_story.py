"""An episode as a judge of single turns reads it: lines, whose they are, who has what at stake."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sociolab.core.ports import Line, Transcript
from sociolab.judging.credit_record import MEASURES, CreditMeasure

_MARKS: Mapping[CreditMeasure, tuple[str, ...]] = {
    "goal": ("Goal:", "Intention:"),
    "secret": ("Secret:",),
}
"""How a paragraph of the scene tells what somebody has at stake, see `core.ports.Transcript`."""


@dataclass(frozen=True, slots=True)
class Person:
    """A seat that took a turn: what the lines call it, and which measures it has a stake in."""

    seat: str
    name: str
    measures: tuple[CreditMeasure, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """A transcript, the seat of each of its lines ("" where that cannot be told), and the people.

    A seat that took no turn is not among the people: nothing says what the scene calls it.
    """

    transcript: Transcript
    by: tuple[str, ...]
    people: tuple[Person, ...]

    @property
    def asked(self) -> tuple[Person, ...]:
        """Those who have something at stake."""
        return tuple(person for person in self.people if person.measures)


def story_of(
    whole: Transcript, seen: Mapping[str, Transcript], measures: Collection[CreditMeasure]
) -> Story:
    """The story in `whole`; `seen` is the transcript of each seat, which knows its own turns."""
    own = {seat: {line.turn for line in one.lines if line.you} for seat, one in seen.items()}
    names = {seat: _name(whole, turns) for seat, turns in own.items()}
    people = tuple(
        Person(
            seat, name, tuple(m for m in MEASURES if m in measures and _at_stake(whole, name, m))
        )
        for seat, name in names.items()
        if name
    )
    return Story(whole, tuple(_speaker(line, own, names) for line in whole.lines), people)


def words_of(line: Line) -> str:
    """What was said and done in a line, on one line and without the name before it."""
    return without_name(" ".join(line.text.split()), line.who)


def without_name(text: str, who: str) -> str:
    """A text without the name that it begins with; as it is where it begins otherwise."""
    name = re.escape(" ".join(who.split()))
    return re.sub(rf"^{name}(?!\w)[: ]*", "", text)


def _name(whole: Transcript, turns: Collection[int]) -> str:
    """What the lines call the one whose turns these are; "" if none of them is here."""
    called = Counter(line.who for line in whole.lines if line.turn in turns)
    return called.most_common(1)[0][0] if called else ""


def _speaker(line: Line, own: Mapping[str, Collection[int]], names: Mapping[str, str]) -> str:
    found = (s for s, turns in own.items() if line.turn in turns and names[s] == line.who)
    return next(found, "")


def _at_stake(whole: Transcript, name: str, measure: CreditMeasure) -> bool:
    """Whether the paragraph on this person tells of a goal, or of a secret."""
    about = (text for head, text in whole.scene if head == name or head.startswith(f"{name} "))
    return any(line.startswith(_MARKS[measure]) for text in about for line in text.splitlines())
