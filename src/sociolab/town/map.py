"""The map of a town: its places and objects, where one can walk, and which place a name means."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from itertools import chain, pairwise
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sociolab.core.errors import ConfigError, WorldError
from sociolab.core.names import fold_name

Tile: TypeAlias = tuple[int, int]
"""Column x (0 is west) and row y (0 is north)."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """An arena of a sector: a room, a garden, a shop floor.

    Written "Sector: arena", as in prompts, plans and traces.
    """

    sector: str
    arena: str

    def __str__(self) -> str:
        return f"{self.sector}: {self.arena}"


OUTDOORS = Place("", "")
"""All tiles without an arena: streets and meadows."""

Scalar = TypeVar("Scalar", bound=np.generic)
AROUND: tuple[Tile, ...] = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""Steps to the four neighbours of a tile: N, E, S, W."""


class MapError(ConfigError):
    """A map that cannot be used; `place` is the arena at fault, None for the whole map."""

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        self.place = place


class TownMap:
    """The environment tree of Generative Agents (section 5.1): named places, and the tiles they
    cover.

    `walkable` is [height, width]; `arena` is [height, width], an index into `places`, -1 outdoors
    and on walls; `ground` is [height, width] of `Ground`, for pictures. `objects` gives the tiles
    on which the objects of an arena stand: one on a walkable tile is used from there, any other
    from a walkable tile of the arena N, E, S or W of it. Tiles that cannot be reached from the
    outdoors are never returned. A map never changes.

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
        self.walkable = _freeze(np.array(walkable, dtype=np.bool_))
        self.arena = _freeze(np.array(arena, dtype=np.int16))
        self._check_names()
        self._check_shapes()
        self.height, self.width = self.arena.shape
        kinds = plain_ground(self.walkable, self.arena) if ground is None else ground
        self.ground = _freeze(np.array(kinds, dtype=np.uint8))
        self.within_reach = _freeze(within_reach(self.walkable, self.arena))
        self._number = {place: number for number, place in enumerate(places)}
        self._by_name = {plain_name(str(place)): place for place in places}
        self._by_sector: dict[str, tuple[Place, ...]] = {}
        for place in places:
            key = plain_name(place.sector)
            self._by_sector[key] = (*self._by_sector.get(key, ()), place)
        self._tiles = self._place_tiles()
        self._standing = {place: dict(objects.get(place, {})) for place in places}
        self._spots = self._object_spots(objects)

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

    def objects(self, place: Place) -> tuple[str, ...]:
        """The kinds of object in an arena, in the order of the map's data."""
        return () if place == OUTDOORS else tuple(self._standing[self._check_place(place)])

    def standing(self, place: Place, thing: str) -> tuple[Tile, ...]:
        """The tiles on which an object stands, walkable or not; none if it is not there."""
        return () if place == OUTDOORS else self._standing[self._check_place(place)].get(thing, ())

    def spots(self, place: Place, thing: str) -> tuple[Tile, ...]:
        """The walkable tiles from which any copy of an object is used; none if it is not there."""
        return () if place == OUTDOORS else self._spots[self._check_place(place)].get(thing, ())

    def tiles(self, place: Place) -> tuple[Tile, ...]:
        """The walkable tiles of an arena, or of the outdoors, row by row from the north."""
        return self._tiles[-1 if place == OUTDOORS else self._number[self._check_place(place)]]

    def _check_place(self, place: Place) -> Place:
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

    def _place_tiles(self) -> tuple[tuple[Tile, ...], ...]:
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
                has_floor = (self.walkable & (self.arena == self._number[place])).any()
                problem = (
                    "cannot be reached from the outdoors: give it a door."
                    if has_floor
                    else "has no tile to stand on: give it some floor."
                )
                raise MapError(f"The arena {str(place)!r} {problem}", place)
        return (*inside, outdoors)

    def _object_spots(
        self, objects: Mapping[Place, Mapping[str, tuple[Tile, ...]]]
    ) -> dict[Place, dict[str, tuple[Tile, ...]]]:
        for place in objects:
            if place not in self._number:
                raise MapError(f"Objects are given for {str(place)!r}, which is not on the map.")
        return {
            place: {thing: self._spots_of_object(place, thing) for thing in things}
            for place, things in self._standing.items()
        }

    def _spots_of_object(self, place: Place, thing: str) -> tuple[Tile, ...]:
        """The tiles from which an object is used, each once."""
        number = self._number[place]
        spots: dict[Tile, None] = {}
        for tile in self._standing[place][thing]:
            if self._can_stand_on(number, tile):
                spots[tile] = None
                continue
            beside = ((tile[0] + a, tile[1] + b) for a, b in AROUND)
            spots.update((spot, None) for spot in beside if self._can_stand_on(number, spot))
        if not spots:
            raise MapError(
                f"The {thing} of {str(place)!r} stands on no tile of that arena that can be walked "
                "to, nor next to one: move it.",
                place,
            )
        return tuple(spots)

    def _can_stand_on(self, number: int, tile: Tile) -> bool:
        x, y = tile
        if not (0 <= x < self.width and 0 <= y < self.height):
            return False
        return self.arena.item(y, x) == number and self.within_reach.item(y, x)


def plain_name(name: str) -> str:
    """A name as it is compared: lower case, single spaces, none before a colon."""
    return " ".join(fold_name(name.replace("\u2019", "'")).split()).replace(" :", ":")


def _freeze(matrix: NDArray[Scalar]) -> NDArray[Scalar]:
    matrix.setflags(write=False)
    return matrix


# ------------------------------------------------------------------ ground


class Ground(IntEnum):
    """What a tile is made of; only pictures tell grass from street and water from trees.

    HEDGE is a hedge or a fence: what closes land off without being part of a building.
    """

    GRASS = 0
    STREET = 1
    WATER = 2
    TREES = 3
    WALL = 4
    FLOOR = 5
    HEDGE = 6


GROUND_SIGNS = {
    ".": Ground.GRASS,
    "=": Ground.STREET,
    "~": Ground.WATER,
    "^": Ground.TREES,
    "#": Ground.WALL,
    "+": Ground.HEDGE,
}
"""The signs of a plan that are neither an arena's letter nor an object's."""

WALKED_ON = (Ground.GRASS, Ground.STREET, Ground.FLOOR)


def plain_ground(walkable: NDArray[np.bool_], arena: NDArray[np.int16]) -> NDArray[np.uint8]:
    """Ground for a map without any: floors in arenas, grass outdoors, walls elsewhere."""
    outdoors = np.where(walkable, Ground.GRASS, Ground.WALL)
    return np.where(arena >= 0, Ground.FLOOR, outdoors).astype(np.uint8)


# ------------------------------------------------------------------ what can be reached


def within_reach(walkable: NDArray[np.bool_], arena: NDArray[np.int16]) -> NDArray[np.bool_]:
    """The tiles that can be reached from the outdoors: [height, width].

    Where the walkable tiles fall into several pieces, the town is the piece that has outdoor tiles
    and the most arenas, then the most outdoor tiles, then lies furthest north: the public map of
    Generative Agents has more land beyond its hedges than within.
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
        piece = _take_piece(untouched, start, width + 2)
        arenas = numbers[piece]
        outdoors = int((arenas < 0).sum())
        size = (int(np.unique(arenas[arenas >= 0]).size) if outdoors else 0, outdoors)
        if size > best:
            best, chosen = size, piece
        start = untouched.find(1, start)
    reached = np.zeros(numbers.size, dtype=np.bool_)
    reached[chosen] = True
    return reached.reshape(padded.shape)[1:-1, 1:-1]


def _take_piece(untouched: bytearray, start: int, width: int) -> list[int]:
    """All tiles connected with `start`; they are removed from `untouched`."""
    untouched[start] = 0
    piece = [start]
    for tile in piece:  # grows while it is walked through
        for step in (-width, 1, width, -1):
            beside = tile + step
            if untouched[beside]:
                untouched[beside] = 0
                piece.append(beside)
    return piece


# ------------------------------------------------------------------ places by name

# Only here does the town interpret text: which place an answer means, and which places a resident
# learns of in a conversation. Neither decides a score; models and people write no acts to take it
# from.


_SMALL = frozenset(["the", "at", "by", "in", "inside", "of", "on", "to"])


def _normalise(text: str) -> str:
    """The words of a text without what does not distinguish names: capitals, punctuation, small
    words, and a final s ("the Gym's", "Artists' House")."""
    words = re.findall(r"\w+", re.sub(r"['\u2019]", "", text).casefold())
    return " ".join(word.rstrip("s") for word in words if word not in _SMALL)


@lru_cache(maxsize=64)
def _sectors(places: tuple[str, ...]) -> dict[str, list[tuple[str, str]]]:
    """The normalised name of each sector, with the names of its arenas and their places.

    Longest sector first, since one name may be part of another.
    """
    sectors: dict[str, list[tuple[str, str]]] = {}
    for place in places:
        sector, _, arena = place.partition(": ")
        sectors.setdefault(_normalise(sector), []).append((_normalise(arena), place))
    return dict(sorted(sectors.items(), key=lambda item: -len(item[0])))


def match_place(text: str, places: tuple[str, ...]) -> str | None:
    """The place that a phrase means; None if it means none of `places`, or several.

    `places` are written "Sector: arena". Sector and arena may come in either order, with small
    words between them; one of the two is enough if no other of these places shares it.

    >>> match_place("on the court of Riverside Gym", ("Riverside Gym: court", "Park: court"))
    'Riverside Gym: court'
    """
    name = _normalise(text)
    named = [(sector, *arena) for sector, inside in _sectors(places).items() for arena in inside]
    exact = [place for s, a, place in named if name in (f"{s} {a}", f"{a} {s}")]
    matches = exact or [place for s, a, place in named if name in (s, a)]
    return matches[0] if len(matches) == 1 else None


def places_mentioned(text: str, places: tuple[str, ...]) -> tuple[str, ...]:
    """The places that whoever hears these words learns of, in the order of `places`.

    Those are the arenas named together with their sector, in either order, and all arenas of a
    sector named alone: whoever can find a building can find its rooms. An arena named alone ("the
    kitchen") reveals no place.
    """
    plain = f" {_normalise(text)} "
    sectors, by_first_word, learned = _sectors(places), _by_first_word(places), set[str]()
    for _, s in sorted(chain.from_iterable(by_first_word.get(w, ()) for w in {*plain.split(" ")})):
        if f" {s} " in plain:
            inside = sectors[s]
            named = [place for a, place in inside if f" {s} {a} " in plain or f" {a} {s} " in plain]
            learned.update(named or [place for _, place in inside])
            plain = plain.replace(f" {s} ", " | ")
    return tuple(place for place in places if place in learned) if learned else ()


@lru_cache(maxsize=64)
def _by_first_word(places: tuple[str, ...]) -> dict[str, list[tuple[int, str]]]:
    """The names of sectors by their first word, each with its number in `_sectors`."""
    sectors: dict[str, list[tuple[int, str]]] = {}
    for number, sector in enumerate(_sectors(places)):
        sectors.setdefault(sector.partition(" ")[0], []).append((number, sector))
    return sectors
