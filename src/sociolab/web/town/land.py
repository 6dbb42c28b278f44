"""A town's map as numbers for the browser: runs of tiles, and where names have room."""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sociolab.core.episode import Json
from sociolab.report.words import sanitize
from sociolab.town.map import TownMap


@lru_cache(maxsize=8)
def land(town: TownMap) -> Json:
    """Ground and arenas as [value, tiles, value, tiles, ...], row by row; names and their room.

    `sectors`: [name, left, right, top] in tiles. `places`: [sector, name, x, y, width, height] of
    the largest rectangle in it, for its name. `things`: [place, name, x, y, x, y, ...].
    """
    number = {sector: n for n, sector in enumerate(town.sectors)}
    masks = [town.arena == n for n in range(len(town.places))]
    return {
        "name": sanitize(town.name),
        "width": town.width,
        "height": town.height,
        "ground": runs(town.ground),
        "arena": runs(town.arena),
        "sectors": [_sector(town, sector) for sector in town.sectors],
        "places": [
            [number[place.sector], sanitize(place.arena), *_room(mask)]
            for place, mask in zip(town.places, masks, strict=True)
        ],
        "things": [
            [n, sanitize(thing), *(at for tile in town.standing(place, thing) for at in tile)]
            for n, place in enumerate(town.places)
            for thing in town.objects(place)
        ],
    }


def runs(tiles: NDArray[Any]) -> Json:
    """A matrix row by row, as each value and how many tiles in a row have it."""
    flat: list[Json] = []
    for value, same in groupby(tiles.ravel().tolist()):
        flat += (value, len(list(same)))
    return flat


def _sector(town: TownMap, sector: str) -> Json:
    """Its name, and over which columns and row of tiles it is written."""
    tiles = [tile for place in town.sector_places(sector) for tile in town.tiles(place)]
    if not tiles:
        return [sanitize(sector), 0, 0, 0]
    left, right = min(x for x, _ in tiles), max(x for x, _ in tiles) + 1
    return [sanitize(sector), left, right, min(y for _, y in tiles)]


def _room(inside: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """x, y, width and height of the largest rectangle in a mask, in tiles.

    Since names are wider than high, of equal areas the wider is taken.
    """
    best, found = (0, 0), (0, 0, 0, 0)
    rows, columns = np.nonzero(inside)
    heights = np.zeros(inside.shape[1] + 1, dtype=np.int64)
    for y in range(int(rows.min()), int(rows.max()) + 1):
        heights[:-1] = np.where(inside[y], heights[:-1] + 1, 0)
        for x, width, height in _rectangles(heights.tolist(), int(columns.min())):
            if (width * height, width) > best:
                best, found = (width * height, width), (x, y - height + 1, width, height)
    return found


def _rectangles(heights: list[int], start: int) -> list[tuple[int, int, int]]:
    """x, width and height of the largest rectangles that stand on a row, under these heights."""
    found: list[tuple[int, int, int]] = []
    open_: list[tuple[int, int]] = []
    for x in range(start, len(heights)):
        begin = x
        while open_ and open_[-1][1] >= heights[x]:
            begin, height = open_.pop()
            found.append((begin, x - begin, height))
        open_.append((begin, heights[x]))
    return found


def arenas_of(town: TownMap, name: str) -> list[int]:
    """The numbers of the arena of this name, or of all arenas of the sector; none if neither."""
    place = town.place(name)
    found = town.sector_places(name) if place is None else (place,)
    return [town.places.index(one) for one in found]
