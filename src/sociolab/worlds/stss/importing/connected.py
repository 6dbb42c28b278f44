"""Ground that hangs together: the part of a map on which a town's life can take place."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sociolab.town.map import Tile


def town_ground(walkable: NDArray[np.bool_], inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The connected part of the walkable tiles that has the most tiles of arenas.

    Both [height, width]; steps are N, E, S, W. Of two parts alike, the more northern one. The
    public map has a strip around the town that is larger than the town itself, and closed yards.
    """
    left = walkable.copy()
    best = np.zeros_like(walkable)
    for y, x in np.argwhere(walkable & inside).tolist():
        if left[y, x]:
            part = _part(left, (x, y))
            if (part & inside).sum() > (best & inside).sum():
                best = part
    return best


def _part(left: NDArray[np.bool_], start: Tile) -> NDArray[np.bool_]:
    """The tiles connected to one, which are taken from what is left."""
    height, width = left.shape
    part = np.zeros_like(left)
    edge = [start]
    left[start[1], start[0]] = False
    while edge:
        x, y = edge.pop()
        part[y, x] = True
        for a, b in ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)):
            if 0 <= a < width and 0 <= b < height and left[b, a]:
                left[b, a] = False
                edge.append((a, b))
    return part
