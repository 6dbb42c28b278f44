"""What the NPC alone knows: atomic facts, drawn from a grammar with invented names."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, get_args

from sociolab.core.seeding import stream
from sociolab.worlds.anteval.session import Fact, FactKind

KINDS: tuple[FactKind, ...] = get_args(FactKind)
NEGATIVE = 1 / 8
"""The share of facts that say that something is NOT so."""

_PARTS = ("onsets", "first_vowels", "middles", "second_vowels", "endings")
"""What an invented name is put together from: some two million names, in no dictionary."""


@dataclass(frozen=True, slots=True)
class _Attribute:
    values: str
    says: tuple[str, ...]
    denies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Kind:
    forms: tuple[str, ...]
    nouns: tuple[str, ...]
    attributes: tuple[_Attribute, ...]


def draw_knowledge(seed: int, session: str, count: int) -> tuple[Fact, ...]:
    """So many facts, ids "F1", "F2", ...; with five or more, every kind occurs.

    Names are invented, so that nothing can be known beforehand or guessed; no name comes twice in
    a session.
    """
    chance = stream(seed, "knowledge", session)
    names = _Names(chance)
    return tuple(
        Fact(id=f"F{number}", kind=kind, text=_text(kind, chance, names))
        for number, kind in enumerate(_kinds(count, chance), start=1)
    )


class _Names:
    """Invented names, each once."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._given: set[str] = set()

    def new(self) -> str:
        """A name that was not given before."""
        tables = _table("names.toml")
        name = ""
        while not name or name in self._given:
            name = "".join(self._chance.choice(tables[part]) for part in _PARTS).capitalize()
        self._given.add(name)
        return name


def _kinds(count: int, chance: Random) -> list[FactKind]:
    """Every kind once before any comes again, then shuffled."""
    drawn: list[FactKind] = []
    while len(drawn) < count:
        drawn += chance.sample(KINDS, len(KINDS))[: count - len(drawn)]
    chance.shuffle(drawn)
    return drawn


def _text(kind: FactKind, chance: Random, names: _Names) -> str:
    grammar = _grammar()[kind]
    form = chance.choice(grammar.forms)
    slots = {"name": names.new(), "noun": chance.choice(grammar.nouns)}
    if "{other}" in form:
        slots["other"] = names.new()
    subject = form.format_map(slots)
    attribute = chance.choice(grammar.attributes)
    value = _value(attribute.values, chance, names)
    wording = chance.choice(attribute.denies if chance.random() < NEGATIVE else attribute.says)
    return wording.format_map(
        {"s": subject, "S": _capital(subject), "v": value, "V": _capital(value)}
    )


def _value(table: str, chance: Random, names: _Names) -> str:
    made: dict[str, Callable[[], str]] = {
        "name": names.new,
        "place name": lambda: f"{names.new()} {chance.choice(('Bridge', 'Ford', 'Hill', 'Moor'))}",
        "word": lambda: f'"{names.new().casefold()}"',
        "number": lambda: str(chance.randrange(2, 20)),
        "count": lambda: str(chance.randrange(5, 100)),
        "crowns": lambda: (
            f"{chance.randrange(3, 98) * 10} {chance.choice(('silver', 'gold'))} crowns"
        ),
    }
    return made[table]() if table in made else chance.choice(_table("values.toml")[table])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


@cache
def _grammar() -> dict[str, _Kind]:
    kinds, subjects = _table("kinds.toml"), _table("subjects.toml")
    return {
        kind: _Kind(
            tuple(subjects[kind]["forms"]),
            tuple(subjects[kind]["nouns"]),
            tuple(
                _Attribute(row["values"], tuple(row["says"]), tuple(row["denies"]))
                for row in kinds[kind]
            ),
        )
        for kind in KINDS
    }


@cache
def _table(name: str) -> dict[str, Any]:
    folder = files("sociolab.worlds.anteval").joinpath("data", "knowledge")
    return tomllib.loads(folder.joinpath(name).read_text("utf-8"))
