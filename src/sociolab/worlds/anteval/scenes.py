"""Typed scenes: what a party walks into, the question that it asks, and the facts that answer it.

A scene's facts are of three sorts. Two are about people: who is suspected, and why it was done. Of
each other kind of thing one says what the deed took, and one clears a suspect by it, so that these
ten leave one suspect. All further ones are particulars, which contradict none of them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, get_args

from sociolab.core.seeding import stream
from sociolab.report.words import join_names
from sociolab.worlds.anteval.session import (
    PACKAGE,
    Fact,
    FactKind,
    Mystery,
    PartyMember,
    Reserve,
    Trust,
)

KINDS: tuple[FactKind, ...] = get_args(FactKind)
MOST_FACTS = 40
"""A scene offers ten facts, and six particulars of each of the five kinds."""


@dataclass(frozen=True, slots=True)
class SceneAtStake:
    """A row of scenes.toml, which says what the fields hold.

    `things` are by kind, all but people: the name's template, what the deed took, and how that
    clears a suspect. `knows` is by the NPC's background.
    """

    places: tuple[str, ...]
    stakes: str
    question: str
    suspects: tuple[str, ...]
    circle: str
    motive: str
    things: Mapping[FactKind, tuple[str, str, str]]
    trust: Trust
    knows: Mapping[str, str]


def draw_scene(seed: int, number: int) -> SceneAtStake:
    """The scene of the session of this number; none comes again before all have come."""
    rows = scenes()
    order = stream(seed, "scenes").sample(range(len(rows)), len(rows))
    return rows[order[number % len(rows)]]


@cache
def scenes() -> tuple[SceneAtStake, ...]:
    """All scenes, in the order of their file."""
    return tuple(
        SceneAtStake(
            places=tuple(row["places"]),
            stakes=row["stakes"],
            question=row["question"],
            suspects=tuple(row["suspects"]),
            circle=row["circle"],
            motive=row["motive"],
            things={kind: tuple(row[kind]) for kind in KINDS if kind != "person"},
            trust=Trust.model_validate(row["wants"]),
            knows=row["knows"],
        )
        for row in _table("situations", "scenes")["scene"]
    )


# ------------------------------------------------------------------ what the party walks into

_STANDING = (
    "Their eyes fall on {a}, then on {b}.",
    "First they see {a}, then {b}.",
    "Before them are {a} and {b}.",
    "They make out {a} and, half hidden, {b}.",
    "Close by they find {a} and, a few steps on, {b}.",
    "{A}: that is all they see, until somebody points out {b}.",
)


def draw_situation(
    seed: int, session: str, scene: SceneAtStake, characters: Sequence[PartyMember]
) -> str:
    """The opening that all players read: 60 to 130 words that name the NPC and no fact."""
    chance = stream(seed, "situation", session)
    place = _places()[chance.choice(scene.places)]
    light = chance.choice(_table("situations", "lights")[place["group"]])
    a, b = chance.sample(place["stands"], 2)
    standing = chance.choice(_STANDING).format(a=a, b=b, A=_capital(a))
    npc = characters[-1]
    knows = scene.knows[npc.background].format(npc=npc.name, first=npc.first_name)
    arrival = f"The party {place['enter']}."
    return " ".join((arrival, light, standing, scene.stakes, knows, scene.question))


@cache
def _places() -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in _table("situations", "places")["place"]}


# ------------------------------------------------------------------ what the NPC knows


def draw_knowledge(
    seed: int, session: str, scene: SceneAtStake, count: int, *, reserve: bool = False
) -> tuple[Mystery, tuple[Fact, ...]]:
    """Who did it, and so many facts, ids "F1", "F2", ..., at most `MOST_FACTS`.

    All names are invented, so that nothing can be known beforehand or guessed. First come the five
    facts that a question about the scene leads to, one of each kind; then what follows from them;
    then particulars, kind by kind. From ten on, the facts clear every suspect but one. With
    `reserve` the same facts are told when each of them says, without at any question.
    """
    chance = stream(seed, "knowledge", session)
    names = _Names(chance)
    things = {kind: _Subject(names.new(), thing[0]) for kind, thing in scene.things.items()}
    people = [_Subject(names.new(), f"{role} {{name}}") for role in scene.suspects]
    *cleared, culprit = chance.sample(people, len(people))
    drafts: dict[FactKind, list[_Draft]] = {}
    for kind in KINDS:
        subjects = people if kind == "person" else [things[kind]]
        attributes = chance.sample(_attributes()[kind], len(_attributes()[kind]))
        drafts[kind] = [
            *(
                _about_people(scene, people)
                if kind == "person"
                else _about_thing(kind, scene.things[kind], things[kind], cleared.pop(), culprit)
            ),
            *(_particular(kind, chance.choice(subjects), row, chance, names) for row in attributes),
        ]
    rounds = [chance.sample(KINDS, len(KINDS)) for _ in range(0, count, len(KINDS))]
    kinds = [kind for kinds_once in rounds for kind in kinds_once][:count]
    reserves = _reserves(kinds, stream(seed, "reserve", session))
    suspects = tuple(person.text for person in people)
    return Mystery(question=scene.question, suspects=suspects, culprit=culprit.text), tuple(
        drafts[kind].pop(0).fact(f"F{number}", own if reserve else "any question")
        for number, (kind, own) in enumerate(zip(kinds, reserves, strict=True), start=1)
    )


_CLEARING: tuple[Reserve, ...] = ("its name", "its name", "trust", "falsely")
_TEN: tuple[Reserve, ...] = ("any question",) * 2 + ("its kind",) * 3 + (*_CLEARING, "trust")


def _reserves(kinds: Sequence[FactKind], chance: Random) -> list[Reserve]:
    """The reserve of facts of these kinds, in the order in which they are drawn.

    Of the first five, two are told at any question, the suspects among them, and three at one about
    their kind. What clears a suspect takes a name or trust, or is told falsely; the motive takes
    trust.
    """
    told = {"person", chance.choice([kind for kind in KINDS if kind != "person"])}
    clearing = iter(chance.sample(_CLEARING, len(_CLEARING)))
    reserves: list[Reserve] = [
        *("any question" if kind in told else "its kind" for kind in kinds[:5]),
        *("trust" if kind == "person" else next(clearing) for kind in kinds[5:10]),
    ]
    return [*reserves, *draw_reserves(len(kinds) - len(reserves), chance)]


def draw_reserves(count: int, chance: Random) -> list[Reserve]:
    """The reserve of so many facts of which nothing is known: of ten, two told at any question,
    three when asked for their kind, two by name, two on trust, and one falsely."""
    reserves: list[Reserve] = []
    while len(reserves) < count:
        reserves += chance.sample(_TEN, len(_TEN))
    return reserves[: max(count, 0)]


@dataclass(frozen=True, slots=True)
class _Subject:
    """A thing or a person: its invented name, and a template of what it is called."""

    name: str
    template: str

    @property
    def text(self) -> str:
        return self.template.format(name=self.name)


@dataclass(frozen=True, slots=True)
class _Draft:
    """A fact before it is known when it is told; `falsehood` is what could be said instead."""

    kind: FactKind
    text: str
    names: tuple[str, ...]
    falsehood: str = ""
    clears: str = ""

    def fact(self, id: str, reserve: Reserve) -> Fact:
        """The fact; a falsehood is about another suspect, so that only the thing leads to it."""
        falsely = reserve == "falsely"
        return Fact(
            id=id,
            kind=self.kind,
            text=self.text,
            reserve=reserve,
            names=self.names[:1] if falsely else self.names,
            falsehood=self.falsehood if falsely else "",
            clears=self.clears,
        )


def _about_people(scene: SceneAtStake, people: Sequence[_Subject]) -> tuple[_Draft, ...]:
    """Who is suspected, and why it was done."""
    everybody = join_names([person.text for person in people])
    circle = scene.circle.format(all=everybody)
    names = tuple(person.name for person in people)
    return _Draft("person", circle, names), _Draft("person", scene.motive, ())


def _about_thing(
    kind: FactKind,
    texts: tuple[str, str, str],
    thing: _Subject,
    cleared: _Subject,
    culprit: _Subject,
) -> tuple[_Draft, ...]:
    """What the deed took, and whom that clears; the falsehood clears the culprit instead."""
    _, took, clears = texts
    names = (thing.name, cleared.name)
    return _Draft(kind, _fill(took, s=thing.text), (thing.name,)), _Draft(
        kind,
        _fill(clears, s=thing.text, who=cleared.text),
        names,
        _fill(clears, s=thing.text, who=culprit.text),
        cleared.text,
    )


def _particular(
    kind: FactKind, subject: _Subject, attribute: _Attribute, chance: Random, names: _Names
) -> _Draft:
    """What else is known of a thing or a suspect, and the same with another value."""
    value = other = _value(attribute.values, chance, names)
    while other == value:
        other = _value(attribute.values, chance, names)
    says = chance.choice(attribute.says)
    true, false = (_fill(says, s=subject.text, v=each) for each in (value, other))
    return _Draft(kind, true, (subject.name,), false)


@dataclass(frozen=True, slots=True)
class _Attribute:
    values: str
    says: tuple[str, ...]


_PARTS = ("onsets", "first_vowels", "middles", "second_vowels", "endings")
"""What an invented name is put together from: some two million names, in no dictionary."""


class _Names:
    """Invented names, each once, and no two that begin with the same three letters."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._begun: set[str] = set()

    def new(self) -> str:
        tables = _table("knowledge", "names")
        name = ""
        while not name or name[:3] in self._begun:
            name = "".join(self._chance.choice(tables[part]) for part in _PARTS).capitalize()
        self._begun.add(name[:3])
        return name


def _value(table: str, chance: Random, names: _Names) -> str:
    generators: dict[str, Callable[[], str]] = {
        "name": names.new,
        "place name": lambda: f"{names.new()} {chance.choice(('Bridge', 'Ford', 'Hill', 'Moor'))}",
        "word": lambda: f'"{names.new().casefold()}"',
        "count": lambda: str(chance.randrange(5, 100)),
        "crowns": lambda: (
            f"{chance.randrange(3, 98) * 10} {chance.choice(('silver', 'gold'))} crowns"
        ),
    }
    if table in generators:
        return generators[table]()
    values: Sequence[str] = _table("knowledge", "values")[table]
    return chance.choice(values)


def _fill(template: str, **slots: str) -> str:
    """The template with its slots filled; a slot whose name is a capital begins a sentence."""
    capitals = {name.capitalize(): _capital(text) for name, text in slots.items()}
    return template.format_map(slots | capitals)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


@cache
def _attributes() -> dict[FactKind, tuple[_Attribute, ...]]:
    kinds = _table("knowledge", "kinds")
    return {
        kind: tuple(_Attribute(row["values"], tuple(row["says"])) for row in kinds[kind])
        for kind in KINDS
    }


@cache
def _table(folder: str, name: str) -> dict[str, Any]:
    file = files(PACKAGE).joinpath("data", folder, f"{name}.toml")
    return tomllib.loads(file.read_text("utf-8"))
