"""How is a town's map written as JSON, and packed into a task's content?"""

from __future__ import annotations

import base64
import binascii
import zlib
from functools import lru_cache
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from sociolab.core.errors import ConfigError, StoreError
from sociolab.town.map import Place, Tile, TownMap
from sociolab.worlds.stss.task import Frozen


class MapRecord(Frozen):
    """A map in texts. `places` are "Sector: arena", numbered from 0 in their order.

    `walkable` is a row of tiles each, "." where one can walk and "#" where not; `ground` likewise,
    in the numbers of `Ground`. `arena` is a row each in runs, such as "-1*12 4*5" for twelve tiles
    of no arena and five of place 4. `objects` are by place and kind, on tiles such as "3,4 5,4".
    """

    name: str
    sectors: tuple[str, ...]
    places: tuple[str, ...]
    walkable: tuple[str, ...]
    arena: tuple[str, ...]
    ground: tuple[str, ...]
    objects: dict[str, dict[str, str]]


def map_text(town: TownMap) -> str:
    """The map as JSON, indented; the same map gives the same text."""
    record = MapRecord(
        name=town.name,
        sectors=town.sectors,
        places=tuple(str(place) for place in town.places),
        walkable=tuple("".join(".#"[not free] for free in row) for row in town.walkable.tolist()),
        arena=tuple(_runs(row) for row in town.arena.tolist()),
        ground=tuple("".join(str(kind) for kind in row) for row in town.ground.tolist()),
        objects={str(place): _objects(town, place) for place in town.places},
    )
    return record.model_dump_json(indent=1) + "\n"


def map_from(text: str | bytes, source: str) -> TownMap:
    """The map that `map_text` wrote; ConfigError with the source where it is none."""
    try:
        record = MapRecord.model_validate_json(text)
        return TownMap(
            name=record.name,
            sectors=record.sectors,
            places=tuple(_place(name) for name in record.places),
            walkable=_matrix([[sign == "." for sign in row] for row in record.walkable]),
            arena=_matrix([_unrun(row) for row in record.arena]),
            objects={
                _place(name): {kind: _tiles(tiles) for kind, tiles in things.items()}
                for name, things in record.objects.items()
            },
            ground=_matrix([[int(sign) for sign in row] for row in record.ground]),
        )
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from error
    except ValidationError as error:
        item = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in item["loc"]) or "the file"
        raise ConfigError(f"{source}: {where}: {item['msg']}") from error
    except ValueError as error:
        raise ConfigError(
            f"{source}: expected rows of tiles as a map is written, but {error}; write it anew"
        ) from error


@lru_cache(maxsize=8)
def packed(town: TownMap) -> str:
    """The map's JSON, compressed, as text: about 10 KB for a town of 140 x 100 tiles."""
    return base64.b85encode(zlib.compress(map_text(town).encode(), 9)).decode()


@lru_cache(maxsize=8)
def unpacked(text: str) -> TownMap:
    """The map that was packed; StoreError if this is none."""
    try:
        return map_from(zlib.decompress(base64.b85decode(text)), "the map in the store")
    except (ValueError, zlib.error, binascii.Error) as error:
        raise StoreError(f"the map of a stored task cannot be read ({error})") from error


def _objects(town: TownMap, place: Place) -> dict[str, str]:
    return {
        kind: " ".join(f"{x},{y}" for x, y in town.standing(place, kind))
        for kind in town.objects(place)
    }


def _place(name: str) -> Place:
    sector, colon, arena = name.partition(": ")
    if not colon:
        raise ValueError(f'"{name}" is not of the form "Sector: arena"')
    return Place(sector, arena)


def _tiles(text: str) -> tuple[Tile, ...]:
    pairs = (pair.split(",") for pair in text.split())
    return tuple((int(x), int(y)) for x, y in pairs)


def _runs(row: list[int]) -> str:
    return " ".join(f"{number}*{len(list(run))}" for number, run in groupby(row))


def _unrun(text: str) -> list[int]:
    pairs = (run.split("*") for run in text.split())
    return [int(number) for number, length in pairs for _ in range(int(length))]


def _matrix(rows: list[list[bool]] | list[list[int]]) -> NDArray[np.int16]:
    if len({len(row) for row in rows}) != 1:
        raise ValueError("the rows are of different lengths")
    return np.array(rows, dtype=np.int16)
