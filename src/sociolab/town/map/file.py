"""Loading a town from the files in which it is drawn; data/map/README.md describes them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sociolab.core.errors import ConfigError
from sociolab.town.map.building import Building, read_building
from sociolab.town.map.drawing import Drawing, TownFile, read_drawing
from sociolab.town.map.ground import GROUND_SIGNS, WALKED_ON, Ground
from sociolab.town.map.town_map import MapError, TownMap, plain_name
from sociolab.town.places import Place, Tile


@cache
def own_map() -> TownMap:
    """Alderbrook, the town of this package."""
    return load_map(Path(__file__).parent.parent / "data" / "map")


def load_map(folder: Path) -> TownMap:
    """The town of a folder: `town.toml` and `buildings/*.toml`, in the order of their names.

    ConfigError, naming file and line, where a file is broken or nobody could live in the town.
    """
    town = read_drawing(folder / "town.toml", TownFile)
    buildings = tuple(read_building(path) for path in sorted((folder / "buildings").glob("*.toml")))
    if not buildings:
        raise ConfigError(
            f"{folder} needs a folder `buildings` with a .toml file for each building, but none is "
            "there: add one as its README describes."
        )
    _check_sectors(buildings)
    ground = _ground(town)
    arena = np.full(ground.shape, -1, dtype=np.int16)
    owners: dict[Tile, Building] = {}
    places: dict[Place, Building] = {}
    for building in buildings:
        _build(building, town, ground, owners)
        for place, tiles in building.floors.items():
            columns, rows = zip(*tiles, strict=True)
            arena[rows, columns] = len(places)
            places[place] = building
    result = _town(town, buildings, places, ground, arena)
    _check_floors(result, owners)
    return result


def _town(
    town: Drawing[TownFile],
    buildings: tuple[Building, ...],
    places: dict[Place, Building],
    ground: NDArray[np.uint8],
    arena: NDArray[np.int16],
) -> TownMap:
    """What was drawn as a map; its faults get the file and line of the arena they are about."""
    try:
        return TownMap(
            name=town.content.name,
            sectors=tuple(building.sector for building in buildings),
            places=tuple(places),
            walkable=np.isin(ground, WALKED_ON),
            arena=arena,
            objects={place: building.objects[place] for place, building in places.items()},
            ground=ground,
        )
    except MapError as fault:
        where = places[fault.place].where(fault.place) if fault.place in places else town.path
        raise ConfigError(f"{where}: {fault}") from fault


def _check_floors(town: TownMap, owners: dict[Tile, Building]) -> None:
    """No corner of a room is walled off from the rest of the town."""
    rows, columns = np.nonzero(town.walkable & (town.arena >= 0) & ~town.within_reach)
    for x, y in zip(columns.tolist(), rows.tolist(), strict=True):
        building = owners[x, y]
        left = building.drawing.content.at[0]
        raise ConfigError(
            f"{building.where_tile((x, y))}, column {x - left + 1}: this tile of "
            f"{str(town.place_at((x, y)))!r} cannot be reached from the outdoors: give it a door."
        )


def _check_sectors(buildings: tuple[Building, ...]) -> None:
    """No two buildings have one name, however it is written."""
    seen: dict[str, Building] = {}
    for building in buildings:
        other = seen.setdefault(plain_name(building.sector), building)
        if other is not building:
            raise ConfigError(
                f"{building.drawing.where('sector')}: {building.sector!r} is already drawn in "
                f"{other.drawing.path}: give this building another name."
            )


def _ground(town: Drawing[TownFile]) -> NDArray[np.uint8]:
    """The land before anything is built on it, [height, width] of `Ground`."""
    width = len(town.rows[0])
    for y, row in enumerate(town.rows):
        if len(row) != width:
            raise ConfigError(
                f"{town.where_row(y)}: this row of the plan has {len(row)} tiles, but the first "
                f"has {width}: make all rows equally long."
            )
        for x, sign in enumerate(row):
            if sign not in GROUND_SIGNS:
                raise ConfigError(
                    f"{town.where_row(y)}, column {x + 1}: {sign!r} is no sign of the ground; use "
                    f"one of {' '.join(GROUND_SIGNS)}"
                )
    return np.array([[GROUND_SIGNS[sign] for sign in row] for row in town.rows], dtype=np.uint8)


def _build(
    building: Building,
    town: Drawing[TownFile],
    ground: NDArray[np.uint8],
    owners: dict[Tile, Building],
) -> None:
    """Puts a building on free grass; ConfigError where there is none."""
    height, width = ground.shape
    for (x, y), kind in building.ground.items():
        if not (0 <= x < width and 0 <= y < height):
            problem = (
                f"reaches column {x}, row {y}, outside the town of {width} x {height} tiles: "
                "change `at`."
            )
        elif (x, y) in owners:
            other = owners[x, y].sector
            problem = f"overlaps {other} in column {x}, row {y}: change `at` of one of them."
        elif ground.item(y, x) != Ground.GRASS:
            land = Ground(ground.item(y, x)).name.lower()
            problem = (
                f"stands on {land} in column {x}, row {y}, not on grass: change `at`, or the plan "
                f"in {town.path}."
            )
        else:
            owners[x, y] = building
            ground[y, x] = kind
            continue
        raise ConfigError(f"{building.where_tile((x, y))}: {building.sector} {problem}")
