"""Which prompt set a model was given, and how it relates to the text of the paper's authors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

TextStanding: TypeAlias = Literal[
    "paraphrased", "verified original", "modified", "unverified", "own"
]
"""How a prompt set relates to the text of the paper's authors; "own": the world is in no paper."""

INSTRUCTIONS = "instructions"
"""Key of a run's settings: the prompt set that it was played with."""

TAGS = "tags"
"""Key of a run's settings: words to find it by."""

STAND_INS = "stand_ins"
"""Key of a run's settings: the models that the local stand-in endpoint answered for."""

ADDRESSES = "addresses"
"""Key of a run's settings: by model, without options, hashes of the addresses that served it; the
stand-in endpoint has other ones than a server at the same address."""

RATED_BY = "rated_by"
"""Key of a study's settings: the set that its raters' instructions are from."""

_WORDS: Mapping[str, str] = {
    "paraphrased": "paraphrased (not the authors' text)",
    "verified original": "verified original (the authors' text)",
    "modified": "modified (not the authors' text as it was)",
    "own": "sociolab's own (the world is in no paper)",
    "unverified": "unverified (not compared with the authors' text)",
}


@dataclass(frozen=True, slots=True)
class Prompts:
    """The texts that a judge or a rater was given, by their hash.

    Without the name of the set: the same texts make the same judge.
    """

    standing: TextStanding
    hash: str

    @property
    def note(self) -> str:
        """A footnote for tables: "instructions: paraphrased (not the authors' text)"."""
        return f"instructions: {_WORDS[self.standing]}"

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.standing, self.hash[:8])))


@dataclass(frozen=True, slots=True)
class Instructions:
    """A prompt set, or the part of one that somebody was given; `hash` is of those texts."""

    name: str
    standing: TextStanding
    hash: str

    @property
    def prompts(self) -> Prompts:
        """Its texts without the name of the set."""
        return Prompts(self.standing, self.hash)

    @property
    def note(self) -> str:
        return self.prompts.note

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.name, str(self.prompts))))

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "standing": self.standing, "hash": self.hash}


def parse_instructions(stored: object) -> Instructions | None:
    """The inverse of `Instructions.as_json`; None for anything else."""
    match stored:
        case {"name": str(name), "standing": str(standing), "hash": str(hash_)}:
            return Instructions(name, standing, hash_)  # type: ignore[arg-type]
    return None
