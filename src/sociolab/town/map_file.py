"""Reads a town from the files in which it is drawn; data/map/README.md describes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from sociolab.core.errors import ConfigError
from sociolab.core.reading import describe_problem, read_text, read_toml
from sociolab.town.map import (
    AROUND,
    GROUND_SIGNS,
    WALKED_ON,
    Ground,
    MapError,
    Place,
    Tile,
    TownMap,
    plain_name,
)


@cache
def own_map() -> TownMap:
    """Alderbrook, the town of this package.

    >>> from sociolab.town import own_map
    >>> town = own_map()
    >>> town.name, town.within_reach.shape == (town.height, town.width)
    ('Alderbrook', True)
    """
    return load_map(Path(__file__).parent / "data" / "map")


def load_map(folder: Path) -> TownMap:
    """Read the town of a folder: `town.toml` and `buildings/*.toml`, in the order of their names.

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
    ground = _read_ground(town)
    arena = np.full(ground.shape, -1, dtype=np.int16)
    owners: dict[Tile, Building] = {}
    places: dict[Place, Building] = {}
    for building in buildings:
        _put_on_ground(building, town, ground, owners)
        for place, tiles in building.floors.items():
            columns, rows = zip(*tiles, strict=True)
            arena[rows, columns] = len(places)
            places[place] = building
    result = _make_map(town, buildings, places, ground, arena)
    _check_floors(result, owners)
    return result


def _make_map(
    town: Drawing[TownFile],
    buildings: tuple[Building, ...],
    places: dict[Place, Building],
    ground: NDArray[np.uint8],
    arena: NDArray[np.int16],
) -> TownMap:
    """Make the map; its faults are reported with the file and line of their arena."""
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
    """Refuse rooms of which some corner is walled off from the rest of the town."""
    rows, columns = np.nonzero(town.walkable & (town.arena >= 0) & ~town.within_reach)
    for x, y in zip(columns.tolist(), rows.tolist(), strict=True):
        building = owners[x, y]
        left = building.drawing.content.at[0]
        raise ConfigError(
            f"{building.where_tile((x, y))}, column {x - left + 1}: this tile of "
            f"{str(town.place_at((x, y)))!r} cannot be reached from the outdoors: give it a door."
        )


def _check_sectors(buildings: tuple[Building, ...]) -> None:
    """Refuse two buildings of one name, in any spelling."""
    by_name: dict[str, Building] = {}
    for building in buildings:
        other = by_name.setdefault(plain_name(building.sector), building)
        if other is not building:
            raise ConfigError(
                f"{building.drawing.where('sector')}: {building.sector!r} is already drawn in "
                f"{other.drawing.path}: give this building another name."
            )


def _read_ground(town: Drawing[TownFile]) -> NDArray[np.uint8]:
    """The land before anything is built on it: [height, width] of `Ground`."""
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


def _put_on_ground(
    building: Building,
    town: Drawing[TownFile],
    ground: NDArray[np.uint8],
    owners: dict[Tile, Building],
) -> None:
    """Put a building on free grass; ConfigError where there is none."""
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


# ------------------------------------------------------------------ one building


LEFT_AS_IT_IS = "."
"""Where a plan has this sign (or nothing at all), the town's ground stays."""


@dataclass(frozen=True, slots=True)
class Building:
    """A building in its place; tiles are the town's, not the plan's.

    `ground` covers every tile of the building. `floors` holds the tiles of each arena, those with
    objects included. `objects` holds where the objects of each arena stand.
    """

    drawing: Drawing[BuildingFile]
    ground: dict[Tile, Ground]
    floors: dict[Place, tuple[Tile, ...]]
    objects: dict[Place, dict[str, tuple[Tile, ...]]]

    @property
    def sector(self) -> str:
        return self.drawing.content.sector

    def where(self, place: Place) -> str:
        """File and line in which an arena gets its letter."""
        arenas = self.drawing.content.arenas
        return self.drawing.where(next(sign for sign in arenas if arenas[sign] == place.arena))

    def where_tile(self, tile: Tile) -> str:
        """File and line in which a tile is drawn."""
        return self.drawing.where_row(tile[1] - self.drawing.content.at[1])


def read_building(path: Path) -> Building:
    """Read a building; ConfigError, naming file and line, where plan and legend disagree."""
    drawing = read_drawing(path, BuildingFile)
    left, top = drawing.content.at
    signs = {
        (left + x, top + y): sign
        for y, row in enumerate(drawing.rows)
        for x, sign in enumerate(row.rstrip())
        if sign != LEFT_AS_IT_IS
    }
    _check_legend(drawing, signs)
    rooms = _assign_rooms(drawing, signs)
    content = drawing.content
    places = {sign: Place(content.sector, arena) for sign, arena in content.arenas.items()}
    floors: dict[Place, list[Tile]] = {place: [] for place in places.values()}
    objects: dict[Place, dict[str, list[Tile]]] = {place: {} for place in places.values()}
    for tile, room in rooms.items():
        place = places[room]
        floors[place].append(tile)
        if signs[tile] in content.objects:
            objects[place].setdefault(content.objects[signs[tile]], []).append(tile)
    return Building(
        drawing=drawing,
        ground={tile: GROUND_SIGNS.get(sign, Ground.FLOOR) for tile, sign in signs.items()},
        floors={place: tuple(tiles) for place, tiles in floors.items()},
        objects={
            place: {thing: tuple(tiles) for thing, tiles in things.items()}
            for place, things in objects.items()
        },
    )


def _check_legend(drawing: Drawing[BuildingFile], signs: dict[Tile, str]) -> None:
    """Every sign in the plan is explained, every sign explained is drawn, every arena
    named once."""
    content = drawing.content
    left, top = content.at
    drawn = set(signs.values())
    explained = {*content.arenas, *content.objects, *GROUND_SIGNS}
    for (x, y), sign in signs.items() if drawn - explained else ():
        if sign not in explained:
            raise ConfigError(
                f"{drawing.where_row(y - top)}, column {x - left + 1}: the sign {sign!r} is not "
                "explained: add it to [arenas] (small letters) or [objects] (capitals and digits)."
            )
    for sign, name in (*content.arenas.items(), *content.objects.items()):
        if sign not in drawn:
            raise ConfigError(
                f"{drawing.where(sign)}: {sign} = {name!r} is not in the plan: draw it, or strike "
                "it off the legend."
            )
    for names in (content.arenas, content.objects):
        named: set[str] = set()
        for sign, name in names.items():
            if name in named:
                raise ConfigError(
                    f"{drawing.where(sign)}: {name!r} has two signs: keep one of them."
                )
            named.add(name)


def _assign_rooms(drawing: Drawing[BuildingFile], signs: dict[Tile, str]) -> dict[Tile, str]:
    """The letter of the arena of each floor and object tile, row by row.

    Objects that touch each other belong to the one arena whose floor they touch.
    """
    content = drawing.content
    rooms = {tile: sign for tile, sign in signs.items() if sign in content.arenas}
    waiting = {tile: None for tile, sign in signs.items() if sign in content.objects}
    letters = dict(rooms)
    while waiting:
        group = [next(iter(waiting))]
        for tile in group:  # grows while it is walked through
            group.extend(
                spot for spot in _neighbours(tile) if spot in waiting and spot not in group
            )
        beside = {rooms[spot] for tile in group for spot in _neighbours(tile) if spot in rooms}
        if len(beside) != 1:
            x, y = group[0]
            touched = " and ".join(repr(content.arenas[sign]) for sign in sorted(beside))
            raise ConfigError(
                f"{drawing.where_row(y - content.at[1])}, column {x - content.at[0] + 1}: the "
                f"{content.objects[signs[group[0]]]} touches the floor of {touched or 'no arena'}, "
                "but must touch that of exactly one: move it."
            )
        for tile in group:
            waiting.pop(tile, None)
        letters.update(dict.fromkeys(group, beside.pop()))
    return {tile: letters[tile] for tile in signs if tile in letters}


def _neighbours(tile: Tile) -> tuple[Tile, ...]:
    x, y = tile
    return tuple((x + a, y + b) for a, b in AROUND)


# ------------------------------------------------------------------ a drawing


Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
ArenaSign = Annotated[str, StringConstraints(pattern="^[a-z]$")]
ObjectSign = Annotated[str, StringConstraints(pattern="^[A-Z0-9]$")]


class Drawn(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    plan: str


class TownFile(Drawn):
    """`town.toml`: the land, one ground sign a tile."""

    name: Words


class BuildingFile(Drawn):
    """A file of `buildings`: one sector.

    `at`: column and row of the town for the plan's top left tile. `arenas`: a small letter for each
    arena. `objects`: a capital letter or digit for each kind of object.
    """

    sector: Words
    at: tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]]
    arenas: dict[ArenaSign, Words] = Field(min_length=1)
    objects: dict[ObjectSign, Words] = Field(default_factory=dict)


Content = TypeVar("Content", bound=Drawn)


@dataclass(frozen=True, slots=True)
class Drawing(Generic[Content]):
    """A parsed file: its content, the rows of its plan, and its text, in which lines are
    looked up."""

    path: Path
    content: Content
    rows: tuple[str, ...]
    text: str

    def where(self, key: str) -> str:
        """File and line of a key or table, for messages; the file alone where the key is
        missing."""
        name = re.escape(key)
        form = rf'^[ \t]*(?:"?{name}"?[ \t]*=|\[{name}\])'
        match = re.search(form, self.text, re.MULTILINE)
        return _file_and_line(
            self.path, self.text.count("\n", 0, match.start()) + 1 if match else None
        )

    def where_row(self, row: int) -> str:
        """File and line of a row of the plan, counted from 0."""
        match = re.search(r"^[ \t]*plan[ \t]*=[ \t]*['\"]{3}\n", self.text, re.MULTILINE)
        start = self.text.count("\n", 0, match.end()) + 1 if match else None
        return _file_and_line(self.path, start + row if start else None)


def read_drawing(path: Path, shape: type[Content]) -> Drawing[Content]:
    """Read a file with a plan; ConfigError with file and line where that fails."""
    text = read_text(path)
    try:
        content = shape.model_validate(read_toml(path))
    except ValidationError as error:
        raise ConfigError(_first_problem(path, text, error)) from error
    rows = tuple(content.plan.rstrip("\n").split("\n"))
    if not content.plan.strip():
        raise ConfigError(f"{path}: the plan is empty: draw at least one tile.")
    return Drawing(path, content, rows, text)


def _first_problem(path: Path, text: str, error: ValidationError) -> str:
    """Where, what was expected, and what was found, in one sentence."""
    item = error.errors(include_url=False)[0]
    keys = [str(part) for part in item["loc"] if part != "[key]"]
    drawing = Drawing(path, Drawn(plan=""), (), text)
    where = drawing.where(keys[-1])
    for key in reversed(keys):
        where = drawing.where(key)
        if where != str(path):
            break
    return f"{where}: {describe_problem(item)}."


def _file_and_line(path: Path, line: int | None) -> str:
    return str(path) if line is None else f"{path}, line {line}"
