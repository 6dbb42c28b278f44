"""Which instructions did a model get: the set that they are from, and what it is to the authors'
own text.

A judging says so in the judge's settings, "SETTINGS [STANDING, HASH]", so that it is known wherever
a score is. The name of the set is no part of it: the same texts make the same judge.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

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
_MARKED = re.compile(
    rf".* \[(?P<standing>{'|'.join(get_args(TextStanding))}), (?P<hash>[0-9a-f]+)\]", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Instructions:
    """A set of prompts, or the part of one that a judge or a rater got: `hash` is of its texts,
    `name` is "" where it is not known."""

    name: str
    standing: TextStanding
    hash: str

    @property
    def note(self) -> str:
        """What stands below a table: "instructions: paraphrased (not the authors' text)"."""
        return f"instructions: {_WORDS[self.standing]}"

    def __str__(self) -> str:
        return ", ".join(part for part in (self.name, self.standing, self.hash[:8]) if part)

    def marked(self, settings: str) -> str:
        """A judge's settings that tell of this set."""
        return f"{settings} [{self.standing}, {self.hash}]"

    def as_json(self) -> dict[str, Any]:
        """As a run or a study keeps it."""
        return {"name": self.name, "standing": self.standing, "hash": self.hash}


def instructions_in(settings: str) -> Instructions | None:
    """What a judge's settings tell of its set; None where they tell nothing."""
    found = _MARKED.fullmatch(settings)
    return Instructions("", found["standing"], found["hash"]) if found else None  # type: ignore[arg-type]


def instructions_from(stored: object) -> Instructions | None:
    """What `as_json` gave; None where it is none."""
    match stored:
        case {"name": str(name), "standing": str(standing), "hash": str(hash_)}:
            return Instructions(name, standing, hash_)  # type: ignore[arg-type]
    return None
