"""What the encoder reads of an example: the last tokens of play, each with the seat it belongs to.

Nobody is called by name, so that nothing is learned about two casts: a candidate is called by a
number, counted from who spoke last, in the speaker's mark and wherever the play names them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

from sociolab.worlds.anteval.virtual_dm.example import DM, Example
from sociolab.worlds.anteval.virtual_dm.linear import candidate_features


@dataclass(frozen=True, slots=True)
class Manner:
    """The features that were met in training, each with its deviation there (1 if it was 0)."""

    deviations: dict[str, float]

    def rows(self, example: Example, names: Sequence[str]) -> list[list[float]]:
        """A row for each of these candidates, a column per feature, in deviations."""
        of = dict(zip(example.candidates, candidate_features(example), strict=True))
        return [
            [of[name].get(feature, 0.0) / size for feature, size in self.deviations.items()]
            for name in names
        ]


def manner_in(examples: Sequence[Example]) -> Manner:
    """The features of all candidates of some examples."""
    rows = [row for example in examples for row in candidate_features(example)]
    totals: dict[str, tuple[float, float]] = {}
    for row in rows:
        for feature, value in row.items():
            once, squared = totals.get(feature, (0.0, 0.0))
            totals[feature] = (once + value, squared + value * value)
    return Manner(
        {
            feature: sqrt(max(0.0, squared / len(rows) - (once / len(rows)) ** 2)) or 1.0
            for feature, (once, squared) in sorted(totals.items())
        }
    )


NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
"""What candidates are called; those beyond share the last number."""

MASTER, OTHER = "master", "guest"

MASTER_SEAT, OTHER_SEAT, FIRST_SEAT = 0, 1, 2
"""The game master, whoever is no candidate, and the candidate who spoke last."""

SHORTEST_START = 4
"""Letters that the start of a name needs to be taken for the name."""

_WORD = re.compile(r"[A-Z][\w'\u2019]*")


@dataclass(frozen=True, slots=True)
class EncoderReading:
    """Token ids of the end of an example, the seat of each, and the candidates in seat order.

    Candidate i of `seated` has the seat `FIRST_SEAT + i`.
    """

    tokens: tuple[int, ...]
    seats: tuple[int, ...]
    seated: tuple[str, ...]


def reading(
    example: Example, ids_of: Callable[[str], Sequence[int]], longest: int
) -> EncoderReading:
    """The last `longest` tokens of an example; the oldest turn that fits in part loses its start.

    `ids_of` makes token ids of a text, without any that mark its ends.
    """
    seated = seated_candidates(example)
    called = _called(seated)
    names = names_in_play(example.candidates)
    tokens: list[int] = []
    seats: list[int] = []
    for turn in reversed(example.turns):
        seat = _seat(turn.speaker, seated)
        mark = ids_of(f"{_mark(turn.speaker, called)} :")
        room = longest - len(tokens) - len(mark)
        if room <= 0:
            break
        said = ids_of(masked(turn.text, names, called))[-room:]
        tokens[:0] = [*mark, *said]
        seats[:0] = [seat] * (len(mark) + len(said))
    return EncoderReading(tuple(tokens), tuple(seats), seated)


def masked_texts(examples: Sequence[Example]) -> Iterator[str]:
    """All that `reading` can make tokens of: every turn's text and every mark, names masked."""
    yield from (f"{mark} :" for mark in (MASTER, OTHER, *NUMBERS))
    for example in examples:
        called, names = _called(seated_candidates(example)), names_in_play(example.candidates)
        yield from (masked(turn.text, names, called) for turn in example.turns)


def seated_candidates(example: Example) -> tuple[str, ...]:
    """The candidates, whoever spoke last first; the silent ones last, in their given order."""
    last = {turn.speaker: place for place, turn in enumerate(example.turns)}
    return tuple(sorted(example.candidates, key=lambda name: -last.get(name, -1)))


def names_in_play(candidates: Sequence[str]) -> dict[str, str]:
    """Whom a name means: a word or a part of one candidate's name only, or the start of one.

    Keys are in lower case: "vex'ahlia", "vex" and "ahli" for Vex'ahlia, unless two share them.
    """
    meant: dict[str, set[str]] = {}
    for name in candidates:
        for word in re.findall(r"[\w'\u2019]+", name.lower()):
            meant.setdefault(word, set()).add(name)
            for part in re.findall(r"\w{3,}", word):
                for end in range(min(SHORTEST_START, len(part)), len(part) + 1):
                    meant.setdefault(part[:end], set()).add(name)
    return {word: owners.pop() for word, owners in meant.items() if len(owners) == 1}


def masked(text: str, names: dict[str, str], called: dict[str, str]) -> str:
    """The text with every capitalised name in play replaced by what its owner is called."""

    def number(found: re.Match[str]) -> str:
        word = re.sub(r"['\u2019]s?$", "", found[0].lower())
        return called[names[word]] if word in names else found[0]

    return _WORD.sub(number, text)


def _seat(speaker: str, seated: tuple[str, ...]) -> int:
    if speaker == DM:
        return MASTER_SEAT
    return FIRST_SEAT + seated.index(speaker) if speaker in seated else OTHER_SEAT


def _called(seated: Sequence[str]) -> dict[str, str]:
    return {name: NUMBERS[min(i, len(NUMBERS) - 1)] for i, name in enumerate(seated)}


def _mark(speaker: str, called: dict[str, str]) -> str:
    if speaker == DM:
        return MASTER
    return called.get(speaker, OTHER)
