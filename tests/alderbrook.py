"""A flat town with given places, one tile each along a street, for tests about people."""

from __future__ import annotations

import numpy as np

from sociolab.town import Place, TownMap


def flat_town(*names: str, called: str = "Flatby") -> TownMap:
    """The places "Sector: arena" as a row of tiles north of a street; a chair in each."""
    places = tuple(Place(*name.split(": ")) for name in names)
    arena = np.full((2, len(places)), -1, dtype=np.int16)
    arena[0] = np.arange(len(places))
    sectors = tuple(dict.fromkeys(place.sector for place in places))
    objects = {place: {"chair": ((x, 0),)} for x, place in enumerate(places)}
    return TownMap(called, sectors, places, np.ones((2, len(places)), dtype=bool), arena, objects)
