"""A town as its residents find it: sectors, arenas, what stands there, where one can walk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sociolab.core.errors import ConfigError, WorldError
from sociolab.town.map.ground import plain_ground
from sociolab.town.map.walk import within_reach
from sociolab.town.places import OUTDOORS, Place, Tile

Scalar = TypeVar("Scalar", bound=np.generic)

AROUND: tuple[Tile, ...] = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""The four tiles next to one: N, E, S, W."""


class MapError(ConfigError):
    """A map on which nobody could live; `place` is the arena at fault, None if none is."""

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        self.place = place


class TownMap:
    """Who lives by names meets tiles here (the environment tree of Generative Agents, section 5.1).

    `walkable` is [height, width]; `arena` is [height, width], an index into `places`, -1 outdoors
    and on walls; `ground` is [height, width] of `Ground`, for pictures. `objects` says on which
    tiles the things of an arena stand: on a walkable tile one uses a thing standing on it, else
    from a walkable tile of the arena N, E, S or W of it. Tiles that cannot be reached from the
    outdoors are in no answer. Nothing of a map changes once it is made.
    MapError (a ConfigError) where an arena or an object cannot be reached.
    """

    def __init__(
        self,
        name: str,
        sectors: tuple[str, ...],
        places: tuple[Place, ...],
        walkable: ArrayLike,
        arena: ArrayLike,
        objects: Mapping[Place, Mapping[str, tuple[Tile, ...]]],
        ground: ArrayLike | None = None,
    ) -> None:
        self.name = name
        self.sectors = sectors
        self.places = places
        self.walkable = _fixed(np.array(walkable, dtype=np.bool_))
        self.arena = _fixed(np.array(arena, dtype=np.int16))
        self._check_names()
        self._check_shapes()
        self.height, self.width = self.arena.shape
        known = plain_ground(self.walkable, self.arena) if ground is None else ground
        self.ground = _fixed(np.array(known, dtype=np.uint8))
        self.within_reach = _fixed(within_reach(self.walkable, self.arena))
        self._number = {place: number for number, place in enumerate(places)}
        self._by_name = {plain_name(str(place)): place for place in places}
        self._by_sector = self._places_by_sector()
        self._tiles = self._tiles_of_all()
        self._standing = {place: dict(objects.get(place, {})) for place in places}
        self._spots = self._spots_of_all(objects)

    def place_at(self, tile: Tile) -> Place:
        """The arena of a tile; OUTDOORS where there is none."""
        number = self.arena_at(tile)
        return OUTDOORS if number < 0 else self.places[number]

    def arena_at(self, tile: Tile) -> int:
        """The number of a tile's arena; -1 outdoors and on walls."""
        return self.arena.item(tile[1], tile[0])

    def place(self, name: str) -> Place | None:
        """The arena called "Sector: arena", ignoring case and spaces; None if there is none."""
        return self._by_name.get(plain_name(name))

    def sector_places(self, sector: str) -> tuple[Place, ...]:
        """The arenas of a sector, ignoring case and spaces; none if there is no such sector."""
        return self._by_sector.get(plain_name(sector), ())

    def _places_by_sector(self) -> dict[str, tuple[Place, ...]]:
        found: dict[str, tuple[Place, ...]] = {}
        for place in self.places:
            key = plain_name(place.sector)
            found[key] = (*found.get(key, ()), place)
        return found

    def objects(self, place: Place) -> tuple[str, ...]:
        """The kinds of object in an arena, in the order in which they were given."""
        return () if place == OUTDOORS else tuple(self._standing[self._known(place)])

    def standing(self, place: Place, thing: str) -> tuple[Tile, ...]:
        """The tiles on which an object stands, walkable or not; none if it is not there."""
        return () if place == OUTDOORS else self._standing[self._known(place)].get(thing, ())

    def spots(self, place: Place, thing: str) -> tuple[Tile, ...]:
        """The walkable tiles at which an object is used, of every copy; none if it is not there."""
        return () if place == OUTDOORS else self._spots[self._known(place)].get(thing, ())

    def tiles(self, place: Place) -> tuple[Tile, ...]:
        """The walkable tiles of an arena, or of the outdoors, row by row from the north."""
        return self._tiles[-1 if place == OUTDOORS else self._number[self._known(place)]]

    def _known(self, place: Place) -> Place:
        if place not in self._number:
            raise WorldError(
                f"{self.name} has no place called {str(place)!r}: ask `place()` for places by name."
            )
        return place

    def _check_names(self) -> None:
        for names, what in ((self.sectors, "sector"), (self.places, "arena")):
            for name, times in Counter(plain_name(str(name)) for name in names).items():
                if times > 1:
                    raise MapError(f"The {what} {name!r} is given twice: rename one of them.")
        sectors = frozenset(self.sectors)
        for place in self.places:
            if place.sector not in sectors:
                raise MapError(f"The arena {str(place)!r} is of no sector of {self.name}.", place)

    def _check_shapes(self) -> None:
        if self.walkable.ndim != 2 or self.walkable.shape != self.arena.shape:
            raise MapError(
                f"The map of {self.name} needs two matrices of one shape, but walkable is "
                f"{self.walkable.shape} and arena {self.arena.shape}: make them [height, width]."
            )
        if self.arena.size and not -1 <= self.arena.min() <= self.arena.max() < len(self.places):
            raise MapError(
                f"The map of {self.name} has {len(self.places)} arenas, numbered from 0, and -1 "
                f"for none, but its tiles say {self.arena.min()} to {self.arena.max()}: renumber."
            )

    def _tiles_of_all(self) -> tuple[tuple[Tile, ...], ...]:
        """The tiles in reach of each arena by number, the outdoors last."""
        rows, columns = np.nonzero(self.within_reach)
        numbers = self.arena[rows, columns]
        order = np.argsort(numbers, kind="stable")
        tiles = tuple(zip(columns[order].tolist(), rows[order].tolist(), strict=True))
        starts = np.searchsorted(numbers[order], np.arange(len(self.places) + 1)).tolist()
        inside = tuple(tiles[start:end] for start, end in pairwise(starts))
        outdoors = tiles[: starts[0]]
        for place, own in zip(self.places, inside, strict=True):
            if not own:
                raise MapError(self._why_no_tiles(place), place)
        return (*inside, outdoors)

    def _why_no_tiles(self, place: Place) -> str:
        if not (self.walkable & (self.arena == self._number[place])).any():
            return f"The arena {str(place)!r} has no tile to stand on: give it some floor."
        return f"The arena {str(place)!r} cannot be reached from the outdoors: give it a door."

    def _spots_of_all(
        self, objects: Mapping[Place, Mapping[str, tuple[Tile, ...]]]
    ) -> dict[Place, dict[str, tuple[Tile, ...]]]:
        for place in objects:
            if place not in self._number:
                raise MapError(f"Objects are given for {str(place)!r}, which is not on the map.")
        return {
            place: {thing: self._spots_of(place, thing) for thing in things}
            for place, things in self._standing.items()
        }

    def _spots_of(self, place: Place, thing: str) -> tuple[Tile, ...]:
        """Where an object is used from, each tile once."""
        number = self._number[place]
        found: dict[Tile, None] = {}
        for tile in self._standing[place][thing]:
            if self._stood_on(number, tile):
                found[tile] = None
                continue
            beside = ((tile[0] + a, tile[1] + b) for a, b in AROUND)
            found.update((spot, None) for spot in beside if self._stood_on(number, spot))
        if not found:
            raise MapError(
                f"The {thing} of {str(place)!r} stands on no tile of that arena that can be walked "
                "to, nor next to one: move it.",
                place,
            )
        return tuple(found)

    def _stood_on(self, number: int, tile: Tile) -> bool:
        """Whether a tile is of this arena and in reach."""
        x, y = tile
        if not (0 <= x < self.width and 0 <= y < self.height):
            return False
        return self.arena.item(y, x) == number and self.within_reach.item(y, x)


def plain_name(name: str) -> str:
    """A name as it is compared: no capitals, single spaces, none before a colon."""
    return " ".join(name.replace("\u2019", "'").casefold().split()).replace(" :", ":")


def _fixed(matrix: NDArray[Scalar]) -> NDArray[Scalar]:
    matrix.setflags(write=False)
    return matrix
