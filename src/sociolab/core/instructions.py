"""Which instructions did a model get: the set that they are from, and what it is to the authors'
own text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

TextStanding: TypeAlias = Literal["paraphrased", "verified original", "modified", "unverified"]
"""What a set is to the text of the paper's authors."""

INSTRUCTIONS = "instructions"
"""Among a run's settings: the set of prompts that it was played with."""

TAGS = "tags"
"""Among a run's settings: words to find it by."""

STAND_INS = "stand_ins"
"""Among a run's settings: the models whose replies the local stand-in endpoint made up."""

RATED_BY = "rated_by"
"""Among a study's settings: the set that the instructions of its raters are from."""

_WORDS: Mapping[str, str] = {
    "paraphrased": "paraphrased (not the authors' text)",
    "verified original": "verified original (the authors' text)",
    "modified": "modified (not the authors' text as it was)",
    "unverified": "unverified (not compared with the authors' text)",
}


@dataclass(frozen=True, slots=True)
class Prompts:
    """The texts that a judge or a rater got, by their hash. The name of the set is no part of it:
    the same texts make the same judge."""

    standing: TextStanding
    hash: str

    @property
    def note(self) -> str:
        """What stands below a table: "instructions: paraphrased (not the authors' text)"."""
        return f"instructions: {_WORDS[self.standing]}"

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.standing, self.hash[:8])))


@dataclass(frozen=True, slots=True)
class Instructions:
    """A set of prompts, or the part of one that somebody got: `hash` is of its texts."""

    name: str
    standing: TextStanding
    hash: str

    @property
    def prompts(self) -> Prompts:
        """The texts, whatever the set is called."""
        return Prompts(self.standing, self.hash)

    @property
    def note(self) -> str:
        """That of its texts."""
        return self.prompts.note

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.name, str(self.prompts))))

    def as_json(self) -> dict[str, Any]:
        """As a run or a study keeps it."""
        return {"name": self.name, "standing": self.standing, "hash": self.hash}


def instructions_from(stored: object) -> Instructions | None:
    """What `as_json` gave; None where it is none."""
    match stored:
        case {"name": str(name), "standing": str(standing), "hash": str(hash_)}:
            return Instructions(name, standing, hash_)  # type: ignore[arg-type]
    return None
