"""The tables that characters are drawn from, read from `data/party/*.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from random import Random
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from sociolab.worlds.anteval.party.phrases import Phrase, phrase
from sociolab.worlds.anteval.session import Record

Entry = TypeVar("Entry")


def pick(entries: Sequence[Entry], chance: Random) -> Entry:
    """One entry, each as likely as another."""
    # A third of the time of Random.choice, which matters where a character takes fifty of these.
    return entries[int(chance.random() * len(entries))]


def _compiled(value: Any) -> Any:
    return phrase(value) if isinstance(value, str) else value


class _Table(BaseModel):
    """A table of phrases: frozen, and nothing in it that is not known."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


Line = Annotated[Phrase, BeforeValidator(_compiled)]
Lines = Annotated[tuple[Line, ...], Field(min_length=1)]
Trait = Annotated[tuple[Line, ...], Field(min_length=2)]
"""One trait, worded in two ways or more; the first is what the record of a character holds."""
Traits = Annotated[tuple[Trait, ...], Field(min_length=6)]


class Race(_Table):
    """How people of this race look, and how they may have grown up."""

    name: str
    build: tuple[str, ...]
    feature: tuple[str, ...]
    upbringing: Lines


class Class(_Table):
    """What a class does best, what it wears, and how one comes to it."""

    name: str
    best: tuple[str, str]
    dress: tuple[str, ...]
    training: Lines


class Background(_Table):
    """What such a person did, carries and knows, and what such people are like.

    `ideals` are by the word of an alignment that each suits ("good", "lawful", ...), or "any".
    `learned`: one who gets to know things; the NPC is drawn from these more often.
    """

    name: str
    learned: bool = False
    did: Lines
    carries: Lines
    knows: Lines
    personality: Traits
    ideals: dict[str, tuple[Trait, ...]]
    bonds: Traits
    flaws: Traits


class Alignment(_Table):
    """An alignment, how often it is drawn, and what it looks like in life."""

    name: str
    weight: int
    attitude: Lines


class Ability(_Table):
    """How an ability shows when it is the strongest of the six, or the weakest."""

    strong: Lines
    weak: Lines


class Leads(_Table):
    """What may stand before a trait: `that` only where its subject comes first."""

    any: Lines
    that: Lines


class Frames(_Table):
    """The sentences that hold a description together."""

    identity: Lines
    abilities: Lines
    carries: Lines
    knows: Lines
    leads: dict[str, Leads]
    look: Lines
    bearing: Lines


class Syllables(Record):
    """A name is a start, perhaps a middle, and an end."""

    start: tuple[str, ...]
    middle: tuple[str, ...] = ("",)
    end: tuple[str, ...]


class Names(Record):
    """The grammars of names: first and second by race, of friends, of towns."""

    first: dict[str, Syllables]
    second: dict[str, Syllables]
    friends: Syllables
    towns: Syllables


class _Goals(_Table):
    goals: Lines
    frames: Lines


class _Races(_Table):
    races: tuple[Race, ...]


class _Classes(_Table):
    classes: tuple[Class, ...]


class _Nature(_Table):
    alignments: tuple[Alignment, ...]
    abilities: dict[str, Ability]


@dataclass(frozen=True, slots=True)
class Tables:
    """Everything that a character is drawn from. `goals` go on after "wants to"."""

    races: tuple[Race, ...]
    classes: tuple[Class, ...]
    backgrounds: tuple[Background, ...]
    alignments: tuple[Alignment, ...]
    abilities: dict[str, Ability]
    goals: tuple[Phrase, ...]
    goal_frames: tuple[Phrase, ...]
    frames: Frames
    names: Names


@cache
def tables() -> Tables:
    """The tables of this package, read once a process; backgrounds in the order of their names."""
    folder = files("sociolab.worlds.anteval").joinpath("data", "party")
    nature = _Nature.model_validate(_read(folder.joinpath("nature.toml")))
    goals = _Goals.model_validate(_read(folder.joinpath("goals.toml")))
    backgrounds = [
        Background.model_validate(_read(file))
        for file in folder.joinpath("backgrounds").iterdir()
        if file.name.endswith(".toml")
    ]
    return Tables(
        races=_Races.model_validate(_read(folder.joinpath("races.toml"))).races,
        classes=_Classes.model_validate(_read(folder.joinpath("classes.toml"))).classes,
        backgrounds=tuple(sorted(backgrounds, key=lambda background: background.name)),
        alignments=nature.alignments,
        abilities=nature.abilities,
        goals=goals.goals,
        goal_frames=goals.frames,
        frames=Frames.model_validate(_read(folder.joinpath("frames.toml"))),
        names=Names.model_validate(_read(folder.joinpath("names.toml"))),
    )


def _read(file: Traversable) -> dict[str, Any]:
    return tomllib.loads(file.read_text("utf-8"))
