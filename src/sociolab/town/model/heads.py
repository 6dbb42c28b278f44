"""The head of a resident's prompts, written once for as long as it stays the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from sociolab.prompting.templates import prompt
from sociolab.town.model.wording import LONGEST_FIELD, one_line
from sociolab.town.residents import Resident
from sociolab.town.thoughts import Me

PACKAGE = "sociolab.town.model"

Pairs = tuple[tuple[str, str], ...]


class _Same:
    """A resident that is equal to itself only: its fields are many, and none of them changes."""

    __slots__ = ("resident",)

    def __init__(self, resident: Resident) -> None:
        self.resident = resident

    def __hash__(self) -> int:
        return id(self.resident)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.resident is other.resident


def head_of(me: Me, *, plain: bool = False) -> str:
    """What every prompt to this resident begins with; `plain`: no forms are told."""
    objects = tuple([tuple(me.objects.get(place, ())) for place in me.places])
    people, known_as = tuple(me.people.items()), tuple(me.known_as.items())
    return _head(_Same(me.resident), me.places, objects, people, known_as, plain)


@lru_cache(maxsize=1024)
def _head(
    who: _Same,
    places: tuple[str, ...],
    objects: tuple[tuple[str, ...], ...],
    people: Pairs,
    known_as: Pairs,
    plain: bool,
) -> str:
    furnished = tuple(zip(places, objects, strict=True))
    values = _about(who.resident, furnished, people, dict(known_as))
    return prompt(PACKAGE, "head").render(values | {"plain": plain})


def _about(
    who: Resident,
    places: Iterable[tuple[str, tuple[str, ...]]],
    people: Iterable[tuple[str, str]],
    known_as: Mapping[str, str],
) -> dict[str, Any]:
    """Who the resident is, and which people and furnished places it knows: for `head.md`.

    Nothing of the moment: it is the same for all questions until another place becomes known.
    """
    lifestyle, routine = who.ordinary_day
    return {
        "name": one_line(who.name),
        "age": who.age,
        "innate": one_line(who.innate, LONGEST_FIELD),
        "learned": one_line(who.learned, LONGEST_FIELD),
        "currently": one_line(who.currently, LONGEST_FIELD),
        "lifestyle": one_line(lifestyle, LONGEST_FIELD),
        "routine": one_line(routine, LONGEST_FIELD),
        "home": one_line(who.living_area),
        "people": _people(who, people, known_as),
        "places": [_furnished(place, objects) for place, objects in places],
    }


def _furnished(place: str, objects: tuple[str, ...]) -> str:
    names = ", ".join(one_line(name) for name in objects)
    return f"{one_line(place)} ({names})" if names else one_line(place)


def _people(
    me: Resident, people: Iterable[tuple[str, str]], known_as: Mapping[str, str]
) -> list[str]:
    """Those who live in this simulation, what everybody knows of them, and what they are to one."""
    found = []
    for who, name in people:
        known = known_as.get(who, "")
        tie = me.ties.get(name, "")
        told = f"{one_line(name)}, {one_line(known)}" if known else one_line(name)
        found.append(f"{told}: your {one_line(tie)}" if tie else told)
    return found
