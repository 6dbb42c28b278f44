"""Which tiles can be walked to from the outdoors, moving N, E, S or W."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def within_reach(walkable: NDArray[np.bool_], arena: NDArray[np.int16]) -> NDArray[np.bool_]:
    """The tiles joined to the outdoors: [height, width], True where one can walk to.

    Where the walkable tiles fall into several pieces, the town is the piece that has outdoor
    tiles and the most arenas, then the most outdoor tiles, then lies furthest north: the public
    map of Generative Agents has more land beyond its hedges than within.
    """
    height, width = walkable.shape
    # A border of walls, so that a step never leaves the map.
    padded = np.full((height + 2, width + 2), -2, dtype=np.int16)
    padded[1:-1, 1:-1] = np.where(walkable, arena, -2)
    numbers = padded.ravel()
    untouched = bytearray((numbers > -2).tobytes())
    best = (-1, -1)
    chosen: list[int] = []
    start = untouched.find(1)
    while start >= 0:
        piece = _piece(untouched, start, width + 2)
        size = _size(numbers[piece])
        if size > best:
            best, chosen = size, piece
        start = untouched.find(1, start)
    reached = np.zeros(numbers.size, dtype=np.bool_)
    reached[chosen] = True
    return reached.reshape(padded.shape)[1:-1, 1:-1]


def _size(numbers: NDArray[np.int16]) -> tuple[int, int]:
    """How many arenas a piece has, none counted where it has no outdoors, and outdoor tiles."""
    outdoors = int((numbers < 0).sum())
    return (int(np.unique(numbers[numbers >= 0]).size) if outdoors else 0, outdoors)


def _piece(untouched: bytearray, start: int, width: int) -> list[int]:
    """All tiles joined to `start`, which are struck off `untouched`."""
    untouched[start] = 0
    piece = [start]
    for tile in piece:  # grows while it is walked through
        for step in (-width, 1, width, -1):
            beside = tile + step
            if untouched[beside]:
                untouched[beside] = 0
                piece.append(beside)
    return piece
