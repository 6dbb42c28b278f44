"""The F-scores of a virtual DM: who makes a check, who makes which, and which skill.

The paper does not define its F-scores (AntEval section 4.2). Ours compare, example by example, the
set of what was predicted with the set of what is so: distinct characters (F_c), (character, skill)
tuples (F_o), distinct skills (F_s). Micro: 2 * sum of |P & G| / (sum of |P| + sum of |G|) over all
examples. Macro: the mean of the examples' own F1, where both sets empty count as 1. All lie in
0..1.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from sociolab.worlds.anteval.virtual_dm.example import Example, Label

NO_SKILL = ""
"""The skill of a prediction that names a character only: it is wrong in F_o and none in F_s."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """How far two sets agree, added up over examples: |P & G|, |P| and |G|."""

    both: int
    predicted: int
    real: int

    @property
    def f1(self) -> float:
        """2 * both / (predicted + real), 0..1; 1 where both sets are empty."""
        total = self.predicted + self.real
        return 2 * self.both / total if total else 1.0


@dataclass(frozen=True, slots=True)
class FScores:
    """F1 over characters, (character, skill) tuples and skills, 0..1; None without examples."""

    f_c: float | None
    f_o: float | None
    f_s: float | None


@dataclass(frozen=True, slots=True)
class Overlaps:
    """One example's agreement with its prediction, by what is compared."""

    characters: Overlap
    tuples: Overlap
    skills: Overlap


def overlaps(
    predicted: Sequence[AbstractSet[Label]], examples: Sequence[Example]
) -> tuple[Overlaps, ...]:
    """Compare each example's prediction with its labels. ValueError if the lengths differ."""
    if len(predicted) != len(examples):
        raise ValueError(
            f"each example needs its prediction, found {len(examples)} examples and "
            f"{len(predicted)} predictions"
        )
    return tuple(
        Overlaps(
            _overlap(_characters(guess), _characters(example.labels)),
            _overlap(guess, example.labels),
            _overlap(_skills(guess), _skills(example.labels)),
        )
        for guess, example in zip(predicted, examples, strict=True)
    )


def micro(rows: Sequence[Overlaps]) -> FScores:
    """F1 of all examples taken together: each tuple counts the same."""
    if not rows:
        return FScores(None, None, None)
    return FScores(
        _total([row.characters for row in rows]).f1,
        _total([row.tuples for row in rows]).f1,
        _total([row.skills for row in rows]).f1,
    )


def macro(rows: Sequence[Overlaps]) -> FScores:
    """The mean of the examples' F1: each example counts the same."""
    if not rows:
        return FScores(None, None, None)
    return FScores(
        sum(row.characters.f1 for row in rows) / len(rows),
        sum(row.tuples.f1 for row in rows) / len(rows),
        sum(row.skills.f1 for row in rows) / len(rows),
    )


def _overlap(predicted: AbstractSet[Hashable], real: AbstractSet[Hashable]) -> Overlap:
    return Overlap(len(predicted & real), len(predicted), len(real))


def _total(parts: Sequence[Overlap]) -> Overlap:
    return Overlap(
        sum(part.both for part in parts),
        sum(part.predicted for part in parts),
        sum(part.real for part in parts),
    )


def _characters(labels: AbstractSet[Label]) -> set[str]:
    return {label.character for label in labels}


def _skills(labels: AbstractSet[Label]) -> set[str]:
    return {label.skill for label in labels} - {NO_SKILL}
