"""What people do for pleasure, and where in town they do it."""

from __future__ import annotations

import random
import re

from sociolab.town.scripted.habits import public_places
from sociolab.town.thoughts import Me

# A word of a place's name, what one does there, and whether in the evening, by day or both.
_PASTIMES = (
    ("cafe", "having a coffee", "day"),
    ("park", "taking a walk", "day"),
    ("pub", "having a drink", "evening"),
    ("bar", "having a drink", "evening"),
    ("library", "reading", "day"),
    ("college", "reading", "day"),
    ("market", "shopping for groceries", "day"),
    ("grocery", "shopping for groceries", "day"),
    ("bakery", "buying bread", "day"),
    ("gym", "exercising", "both"),
    ("gallery", "looking at pictures", "day"),
    ("hall", "chatting with neighbours", "evening"),
)

_OPEN_AIR = re.compile(
    r"\b(?:walk|run|jog|hik|picnic|kite|football|tennis|match|sport|swim|rowing|fishing|bird"
    r"|garden|outdoor|open air)"
)
_OUTSIDE = re.compile(r"park|meadow|pond|garden|terrace|courtyard|playground|bandstand")


def pastime(
    places: tuple[str, ...], chance: random.Random, *, evening: bool, shops: bool = True
) -> tuple[str, str] | None:
    """Something pleasant that can be done at a known place; None if there is nowhere to go.

    Without `shops` nothing is bought: the day has enough of it.
    """
    hours = ("evening", "both") if evening else ("day", "both")
    found = tuple(
        (what, place)
        for word, what, when in _PASTIMES
        if when in hours and (shops or not is_shopping(what))
        for place in public_places(places)
        if word in place.lower()
    )
    return chance.choice(found) if found else None


def is_shopping(what: str) -> bool:
    """Whether something is bought."""
    return what.startswith(("buying", "shopping"))


def suiting_points(me: Me, activity: str) -> tuple[str, ...]:
    """Where to meet for something: indoors at a table, but for what is done in the open air."""
    points = meeting_points(me.places)
    if _OPEN_AIR.search(activity.lower()):
        return points
    inside = tuple(one for one in points if not _OUTSIDE.search(one.lower()))
    seated = tuple(
        one for one in inside if any("table" in thing.lower() for thing in me.objects.get(one, ()))
    )
    return seated or inside or points


def meeting_points(places: tuple[str, ...]) -> tuple[str, ...]:
    """The public places where one finds most people, the busiest kind first."""
    public = public_places(places)
    words = ("cafe", "park", "pub", "market", "college", "hall", "library")
    ranked = tuple(place for word in words for place in public if word in place.lower())
    return tuple(dict.fromkeys((*ranked, *public)))
