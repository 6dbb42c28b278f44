"""How scripted residents put things: the lines of lines.toml, with the matter's facts filled in."""

from __future__ import annotations

import random
import tomllib
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any

from sociolab.town.answers import Matter
from sociolab.town.clock import spoken_date


@cache
def lines() -> dict[str, Any]:
    """All lines, by what they are for."""
    text = files("sociolab.town.scripted").joinpath("lines.toml").read_text("utf-8")
    return tomllib.loads(text)


def facts(matter: Matter) -> dict[str, str]:
    """What a line may say of a matter: "" for what is left open."""
    chores = _chores(matter)
    what = chores or f"the {matter.what}"
    about = f"some errands: {chores}" if chores else what
    return {"what": what, "about": about, "when": _when(matter), "where": _where(matter.place)}


def told(options: list[str], chance: random.Random, before: str = "", **words: str) -> str:
    """One of several lines, filled in; one that is not among the words `before` if there is any."""
    texts = [option.format(**words) for option in options]
    return chance.choice([text for text in texts if text not in before] or texts)


def listed(things: tuple[str, ...]) -> str:
    """Such as "A, B and C"; "" for none."""
    return " and ".join(filter(None, (", ".join(things[:-1]), things[-1]))) if things else ""


def places_like(places: tuple[str, ...], kind: str) -> tuple[str, ...]:
    """The places whose names hold a word of this kind, in the order of the words."""
    words = lines()["places"][kind]
    found = (place for word in words for place in places if word in place)
    return tuple(dict.fromkeys(found))


def _when(matter: Matter) -> str:
    day = f" on {spoken_date(date.fromisoformat(matter.day))}" if matter.day else ""
    return f"{day} at {matter.start}" if matter.start else day


def _where(place: str) -> str:
    return f" at {place}" if place else ""


def _chores(matter: Matter) -> str:
    told = [f"{chore.what}{_where(chore.place)}" for chore in matter.chores]
    return f"first {told[0]}, then {', then '.join(told[1:])}" if len(told) > 1 else "".join(told)
