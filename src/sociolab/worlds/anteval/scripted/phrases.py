"""Wording tables of the scripted players: several ways to say or do one thing, from our files."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random
from string import Formatter
from typing import Any


@dataclass(frozen=True, slots=True)
class Phrase:
    """One way, known by its longest stretch without a slot: `mark`."""

    text: str
    mark: str
    slots: frozenset[str]


@dataclass(frozen=True, slots=True)
class Table:
    """Several ways to say or do one thing."""

    phrases: tuple[Phrase, ...]

    def fresh(self, chance: Random, said: str, slots: Mapping[str, str]) -> str:
        """One way that was not used in `said` and whose slots are known; empty where none is."""
        start = int(chance.random() * len(self.phrases))
        for step in range(len(self.phrases)):
            phrase = self.phrases[(start + step) % len(self.phrases)]
            if phrase.mark not in said and all(slots.get(name) for name in phrase.slots):
                return phrase.text.format_map(slots) if phrase.slots else phrase.text
        return ""

    @property
    def texts(self) -> tuple[str, ...]:
        """All ways, their slots open."""
        return tuple(phrase.text for phrase in self.phrases)

    def used(self, text: str) -> bool:
        """Whether a text holds one of the phrases."""
        return any(phrase.mark in text for phrase in self.phrases)


def table(texts: Sequence[str]) -> Table:
    """A table of these texts."""
    return Table(tuple(_phrase(text) for text in texts))


@cache
def tables(name: str) -> dict[str, Table]:
    """The tables of a file of ours, by occasion."""
    return {key: table(texts) for key, texts in content(name).items() if isinstance(texts, list)}


@dataclass(frozen=True, slots=True)
class Talk:
    """A question that is no question for facts, and what may be answered."""

    ask: Phrase
    answers: Table


@cache
def talks() -> tuple[Talk, ...]:
    """The questions of talk.toml."""
    rows = content("talk")["talk"]
    return tuple(Talk(_phrase(row["ask"]), table(row["answers"])) for row in rows)


@cache
def asks() -> Table:
    """The questions of talk.toml, as ways to ask something."""
    return Table(tuple(talk.ask for talk in talks()))


@cache
def content(name: str) -> dict[str, Any]:
    """A file of ours as it stands."""
    folder = files("sociolab.worlds.anteval") / "data" / "scripted"
    return tomllib.loads((folder / f"{name}.toml").read_text("utf-8"))


def _phrase(text: str) -> Phrase:
    parts = list(Formatter().parse(text))
    mark = max((literal for literal, *_ in parts), key=len)
    return Phrase(text, mark, frozenset(name for _, name, *_ in parts if name))
