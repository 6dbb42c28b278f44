"""What the NPC alone knows: atomic facts, drawn from a grammar with invented names."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, get_args

from sociolab.core.seeding import stream
from sociolab.worlds.anteval.information.invented_names import session_names
from sociolab.worlds.anteval.information.lexicon import ONES, TENS
from sociolab.worlds.anteval.session import Fact, FactKind

KINDS: tuple[FactKind, ...] = get_args(FactKind)
NEGATIVE = 1 / 8
"""The share of facts that say that something is NOT so."""


@dataclass(frozen=True, slots=True)
class _Attribute:
    name: str
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

    Subjects are invented: different within a session, and between sessions whose ids end in
    different numbers. ConfigError where `count` is more than the names of a session allow.
    """
    chance = stream(seed, "knowledge", session)
    names = session_names(seed, session, "knowledge")
    return tuple(
        _drawn(f"F{number}", kind, chance, names)
        for number, kind in enumerate(_kinds(count, chance), start=1)
    )


def draw_guesses(seed: int, session: str, count: int) -> tuple[str, ...]:
    """What somebody would say who knows the genre only: the same attributes, other names."""
    chance = stream(seed, "guesses", session)
    names = session_names(seed, session, "guesses")
    return tuple(_drawn("", kind, chance, names).text for kind in _kinds(count, chance))


def _kinds(count: int, chance: Random) -> list[FactKind]:
    """Every kind once before any comes again, then shuffled."""
    drawn: list[FactKind] = []
    while len(drawn) < count:
        drawn += chance.sample(KINDS, len(KINDS))[: count - len(drawn)]
    chance.shuffle(drawn)
    return drawn


def _drawn(id_: str, kind: FactKind, chance: Random, names: Iterator[str]) -> Fact:
    grammar = _grammar()[kind]
    form = chance.choice(grammar.forms)
    slots = {"name": next(names), "noun": chance.choice(grammar.nouns)}
    if "{other}" in form:
        slots["other"] = next(names)
    subject = form.format_map(slots)
    attribute = chance.choice(grammar.attributes)
    value = _value(attribute.values, chance, names)
    holds = chance.random() >= NEGATIVE
    wording = chance.choice(attribute.says if holds else attribute.denies)
    filled = {"s": subject, "S": _capital(subject), "v": value, "V": _capital(value)}
    return Fact(
        id=id_,
        kind=kind,
        subject=subject,
        attribute=attribute.name,
        value=value,
        text=wording.format_map(filled),
        holds=holds,
    )


def _value(table: str, chance: Random, names: Iterator[str]) -> str:
    made: dict[str, Callable[[], str]] = {
        "name": lambda: next(names),
        "place name": lambda: f"{next(names)} {chance.choice(('Bridge', 'Ford', 'Hill', 'Moor'))}",
        "word": lambda: f'"{next(names).casefold()}"',
        "number": lambda: _in_words(chance.randrange(2, 20)),
        "count": lambda: _in_words(chance.randrange(5, 100)),
        "crowns": lambda: (
            f"{chance.randrange(3, 98) * 10} {chance.choice(('silver', 'gold'))} crowns"
        ),
    }
    return made[table]() if table in made else chance.choice(_values()[table])


def _in_words(number: int) -> str:
    """A number below 100, such as "forty-one"."""
    if number < len(ONES):
        return ONES[number]
    tens, rest = divmod(number, 10)
    return TENS[tens - 2] + (f"-{ONES[rest]}" if rest else "")


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
                _Attribute(
                    row["attribute"], row["values"], tuple(row["says"]), tuple(row["denies"])
                )
                for row in kinds[kind]
            ),
        )
        for kind in KINDS
    }


@cache
def _values() -> dict[str, tuple[str, ...]]:
    return {name: tuple(values) for name, values in _table("values.toml").items()}


def _table(name: str) -> dict[str, Any]:
    folder = files("sociolab.worlds.anteval").joinpath("data", "knowledge")
    return tomllib.loads(folder.joinpath(name).read_text("utf-8"))
