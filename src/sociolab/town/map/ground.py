"""Ground: what a tile looks like underfoot, and the signs it is drawn with in a plan."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class Ground(IntEnum):
    """What a tile is made of. Only the picture tells grass from street and water from trees."""

    GRASS = 0
    STREET = 1
    WATER = 2
    TREES = 3
    WALL = 4
    FLOOR = 5


GROUND_SIGNS = {
    ".": Ground.GRASS,
    "=": Ground.STREET,
    "~": Ground.WATER,
    "^": Ground.TREES,
    "#": Ground.WALL,
}
"""The signs of a plan that are neither an arena's letter nor an object's."""

WALKED_ON = (Ground.GRASS, Ground.STREET, Ground.FLOOR)


def plain_ground(walkable: NDArray[np.bool_], arena: NDArray[np.int16]) -> NDArray[np.uint8]:
    """Ground for a map that has none: floors in arenas, grass outdoors, walls for the rest."""
    outdoors = np.where(walkable, Ground.GRASS, Ground.WALL)
    return np.where(arena >= 0, Ground.FLOOR, outdoors).astype(np.uint8)
