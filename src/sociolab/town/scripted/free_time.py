"""What people do for pleasure, and where in town they do it."""

from __future__ import annotations

import random

from sociolab.town.scripted.habits import public_places

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


def pastime(
    places: tuple[str, ...], chance: random.Random, *, evening: bool
) -> tuple[str, str] | None:
    """Something pleasant that can be done at a known place; None if there is nowhere to go."""
    hours = ("evening", "both") if evening else ("day", "both")
    found = tuple(
        (what, place)
        for word, what, when in _PASTIMES
        if when in hours
        for place in public_places(places)
        if word in place.lower()
    )
    return chance.choice(found) if found else None


def meeting_points(places: tuple[str, ...]) -> tuple[str, ...]:
    """The public places where one finds most people, the busiest kind first."""
    public = public_places(places)
    words = ("cafe", "park", "pub", "market", "college", "hall", "library")
    ranked = tuple(place for word in words for place in public if word in place.lower())
    return tuple(dict.fromkeys((*ranked, *public)))
