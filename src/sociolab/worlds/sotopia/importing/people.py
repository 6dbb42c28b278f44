"""Characters of imported episodes: the profile of that name, or what an episode tells of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from sociolab.core.errors import ConfigError
from sociolab.worlds.sotopia.importing.profiles import gender
from sociolab.worlds.sotopia.importing.quirks import Quirk, Quirks
from sociolab.worlds.sotopia.importing.reading import record
from sociolab.worlds.sotopia.profiles import Character

_BACKGROUND = re.compile(
    r".+? is an? (?P<age>\d+)-year-old (?P<gender>[\w-]+) (?P<occupation>.+?)\. "
    r"(?P<pronouns>\w+/\w+) pronouns\.(?P<rest>.*)",
    re.DOTALL,
)
_REST = re.compile(r"Personality and values description:|\b[\w'\u2019-]+'s secrets:")


def people(
    told: Iterable[tuple[str, str, str]], profiles: Mapping[str, Character], quirks: Quirks
) -> dict[str, Character]:
    """Characters by name, from (place, name, background) of all episodes.

    Some episodes have lost a part of a background, or its beginning: without a profile of that
    name the fullest one is taken. ConfigError where none can be read.
    """
    found = {profile.name: profile for profile in profiles.values()}
    backgrounds: dict[str, list[str]] = {}
    places: dict[str, str] = {}
    for place, name, background in told:
        if name not in found:
            backgrounds.setdefault(name, []).append(background)
            places.setdefault(name, place)
    for name, several in backgrounds.items():
        readable = [text for text in several if _BACKGROUND.fullmatch(text)]
        if not readable:
            raise ConfigError(
                f"{places[name]}: the background of {name} cannot be read, and there is no "
                f"profile of that name; put the profile files beside the episodes"
            )
        quirks[Quirk.REBUILT_CHARACTER] += 1
        found[name] = rebuilt(places[name], name, max(readable, key=len))
    return found


def rebuilt(place: str, name: str, background: str) -> Character:
    """A character from a background as the judge's prompt words it."""
    match = _BACKGROUND.fullmatch(background)
    if match is None:
        raise ConfigError(f"{place}: the background of {name} cannot be read: {background[:80]!r}")
    labels = [label.split()[0] for label in _REST.findall(match["rest"])]
    public, *others = (part.strip() for part in _REST.split(match["rest"]))
    about = {
        ("personality" if label == "Personality" else "secret"): text
        for label, text in zip(labels, others, strict=True)
    }
    first, _, last = name.partition(" ")
    return record(
        place,
        Character,
        {
            "id": re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-"),
            "first_name": first,
            "last_name": last,
            "gender": gender(match["gender"]),
            "pronouns": match["pronouns"].lower(),
            "age": int(match["age"]),
            "occupation": match["occupation"],
            "public_info": public,
            **about,
        },
    )
