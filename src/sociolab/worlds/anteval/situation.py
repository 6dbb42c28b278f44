"""The opening situation: where the party is, what stands there, what is at stake, who is there."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from sociolab.core.seeding import stream
from sociolab.worlds.anteval.session import Character

_STANDING = (
    "Their eyes fall on {a}, then on {b}.",
    "First they see {a}; then {b}.",
    "Before them: {a}, {b}.",
    "They make out {a} and, half hidden, {b}.",
    "Close by they find {a}, and a few steps on {b}.",
    "{A}: that is all, until somebody points out {b}.",
)
_ALL = "all"


@dataclass(frozen=True, slots=True)
class Situation:
    """An opening situation: `text` is told to all and reveals no fact."""

    text: str


@dataclass(frozen=True, slots=True)
class _Place:
    group: str
    enter: str
    stands: tuple[str, ...]


def draw_situation(seed: int, session: str, characters: Sequence[Character]) -> Situation:
    """A situation of 50 to 110 words that names the NPC, the last of the characters."""
    chance = stream(seed, "situation", session)
    place = chance.choice(_places())
    npc = characters[-1]

    def drawn(table: str) -> str:
        lines = _lines(table)
        return chance.choice((*lines.get(_ALL, ()), *lines[place.group]))

    a, b = chance.sample(place.stands, 2)
    standing = chance.choice(_STANDING).format(a=a, b=b, A=a[:1].upper() + a[1:])
    present = drawn("presence").format(npc=npc.name, first=npc.first_name)
    sentences = (f"The party {place.enter}.", drawn("lights"), standing, drawn("stakes"), present)
    return Situation(" ".join(sentences))


@cache
def _places() -> tuple[_Place, ...]:
    return tuple(
        _Place(row["group"], row["enter"], tuple(row["stands"]))
        for row in _table("places")["place"]
    )


@cache
def _lines(table: str) -> dict[str, tuple[str, ...]]:
    return {group: tuple(lines) for group, lines in _table(table).items()}


def _table(name: str) -> dict[str, Any]:
    folder = files("sociolab.worlds.anteval").joinpath("data", "situations")
    return tomllib.loads(folder.joinpath(f"{name}.toml").read_text("utf-8"))
