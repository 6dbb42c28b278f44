"""A larger town made of copies of one, for benchmarks with many residents."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sociolab.town import Place, Tile, TownMap
from sociolab.town.map import Ground

STREET_WIDTH = 3
"""Tiles between two copies."""


def tiled(town: TownMap, across: int, down: int) -> TownMap:
    """`across` x `down` copies with streets between them, so that all is connected.

    The first copy keeps its names, so that its residents can live there; the sectors of copy n
    (counted row by row) are called "Lantern Cafe n". MapError if no way leads out of the town.
    """
    corners = tuple(
        (column * (town.width + STREET_WIDTH), row * (town.height + STREET_WIDTH))
        for row in range(down)
        for column in range(across)
    )
    shape = (
        down * (town.height + STREET_WIDTH) - STREET_WIDTH,
        across * (town.width + STREET_WIDTH) - STREET_WIDTH,
    )
    walkable = np.ones(shape, dtype=np.bool_)
    ground = np.full(shape, Ground.STREET, dtype=np.uint8)
    arena = np.full(shape, -1, dtype=np.int16)
    for number, corner in enumerate(corners):
        _stamp(walkable, town.walkable, corner)
        _stamp(ground, town.ground, corner)
        moved = np.where(town.arena < 0, -1, town.arena + number * len(town.places))
        _stamp(arena, moved, corner)
    return TownMap(
        name=f"{town.name}, {across} by {down}",
        sectors=tuple(
            _name(sector, copy) for copy in range(len(corners)) for sector in town.sectors
        ),
        places=tuple(_place(place, copy) for copy in range(len(corners)) for place in town.places),
        walkable=walkable,
        arena=arena,
        objects={
            _place(place, copy): {
                thing: _moved(town.standing(place, thing), corner) for thing in town.objects(place)
            }
            for copy, corner in enumerate(corners)
            for place in town.places
        },
        ground=ground,
    )


def _stamp(whole: NDArray[np.generic], part: ArrayLike, corner: Tile) -> None:
    """Copies a matrix into a larger one, its top left at `corner`."""
    x, y = corner
    height, width = np.shape(part)
    whole[y : y + height, x : x + width] = part


def _moved(tiles: tuple[Tile, ...], corner: Tile) -> tuple[Tile, ...]:
    return tuple((x + corner[0], y + corner[1]) for x, y in tiles)


def _name(sector: str, copy: int) -> str:
    return sector if copy == 0 else f"{sector} {copy + 1}"


def _place(place: Place, copy: int) -> Place:
    return Place(_name(place.sector, copy), place.arena)
