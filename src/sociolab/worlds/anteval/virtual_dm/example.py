"""What a virtual DM learns from and is tested on: play, who was at the table, who checked what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

DM = "DM"
"""The speaker who is nobody's character: the game master, or in generated play the NPC."""


class Label(NamedTuple):
    """A character who makes a check, and the skill (one of the 18)."""

    character: str
    skill: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker said or did: a candidate's character name, `DM`, or somebody else."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Example:
    """A stretch of play and the checks that follow from it.

    `group` is what intervals cluster by and cross-validation splits by: the episode of real play,
    the session of generated play. `strict`: the skill is not named in the play itself.
    """

    id: str
    group: str
    turns: tuple[Turn, ...]
    candidates: tuple[str, ...]
    labels: frozenset[Label]
    strict: bool = True


class VirtualDM(Protocol):
    """Reads play and says who checks what (AntEval section 4.2)."""

    @property
    def name(self) -> str:
        """Shown in tables, such as "linear"."""
        ...

    def fit(self, examples: Sequence[Example]) -> None:
        """Learn from examples; what was learned before is forgotten."""
        ...

    def predict(self, examples: Sequence[Example], most: int = 1) -> tuple[frozenset[Label], ...]:
        """For each example, at most `most` labels: its best guesses, one unless said otherwise."""
        ...
