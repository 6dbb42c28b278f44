"""One building: which tiles its arenas and objects take up, read off its plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sociolab.core.errors import ConfigError
from sociolab.town.map.drawing import BuildingFile, Drawing, read_drawing
from sociolab.town.map.ground import GROUND_SIGNS, Ground
from sociolab.town.map.town_map import AROUND
from sociolab.town.places import Place, Tile

LEFT_AS_IT_IS = "."
"""Where a plan has this sign (or nothing at all), the town's ground stays."""


@dataclass(frozen=True, slots=True)
class Building:
    """A sector put in its place; all tiles are the town's, not the plan's.

    `ground`: of every tile that it takes up. `floors`: the tiles of each arena, those with
    objects on them included. `objects`: where the objects of each arena stand.
    """

    drawing: Drawing[BuildingFile]
    ground: dict[Tile, Ground]
    floors: dict[Place, tuple[Tile, ...]]
    objects: dict[Place, dict[str, tuple[Tile, ...]]]

    @property
    def sector(self) -> str:
        """Its name."""
        return self.drawing.content.sector

    def where(self, place: Place) -> str:
        """File and line in which an arena gets its letter."""
        arenas = self.drawing.content.arenas
        return self.drawing.where(next(sign for sign in arenas if arenas[sign] == place.arena))

    def where_tile(self, tile: Tile) -> str:
        """File and line in which a tile is drawn."""
        return self.drawing.where_row(tile[1] - self.drawing.content.at[1])


def read_building(path: Path) -> Building:
    """A building; ConfigError, naming file and line, where its plan and legend disagree."""
    drawing = read_drawing(path, BuildingFile)
    signs = dict(_signs(drawing))
    _check_legend(drawing, signs)
    rooms = _rooms(drawing, signs)
    content = drawing.content
    of = {sign: Place(content.sector, arena) for sign, arena in content.arenas.items()}
    floors: dict[Place, list[Tile]] = {place: [] for place in of.values()}
    objects: dict[Place, dict[str, list[Tile]]] = {place: {} for place in of.values()}
    for tile, room in rooms.items():
        floors[of[room]].append(tile)
        if signs[tile] in content.objects:
            objects[of[room]].setdefault(content.objects[signs[tile]], []).append(tile)
    return Building(
        drawing=drawing,
        ground={tile: GROUND_SIGNS.get(sign, Ground.FLOOR) for tile, sign in signs.items()},
        floors={place: tuple(tiles) for place, tiles in floors.items()},
        objects={
            place: {thing: tuple(tiles) for thing, tiles in things.items()}
            for place, things in objects.items()
        },
    )


def _signs(drawing: Drawing[BuildingFile]) -> Iterator[tuple[Tile, str]]:
    """The signs of a plan by the town's tiles, row by row, those left as they are left out."""
    left, top = drawing.content.at
    for y, row in enumerate(drawing.rows):
        for x, sign in enumerate(row.rstrip()):
            if sign != LEFT_AS_IT_IS:
                yield (left + x, top + y), sign


def _check_legend(drawing: Drawing[BuildingFile], signs: dict[Tile, str]) -> None:
    """Every sign is explained, every explained sign is drawn, every arena named once."""
    content = drawing.content
    left, top = content.at
    drawn = set(signs.values())
    known = {*content.arenas, *content.objects, *GROUND_SIGNS}
    for (x, y), sign in signs.items() if drawn - known else ():
        if sign not in known:
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
        seen: set[str] = set()
        for sign, name in names.items():
            if name in seen:
                raise ConfigError(
                    f"{drawing.where(sign)}: {name!r} has two signs: keep one of them."
                )
            seen.add(name)


def _rooms(drawing: Drawing[BuildingFile], signs: dict[Tile, str]) -> dict[Tile, str]:
    """The letter of the arena of each floor and object tile, row by row.

    Objects that touch each other belong to the one arena whose floor they touch.
    """
    content = drawing.content
    rooms = {tile: sign for tile, sign in signs.items() if sign in content.arenas}
    waiting = {tile: None for tile, sign in signs.items() if sign in content.objects}
    found = dict(rooms)
    while waiting:
        group = _group(next(iter(waiting)), waiting)
        beside = {rooms[spot] for tile in group for spot in _around(tile) if spot in rooms}
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
        found.update(dict.fromkeys(group, beside.pop()))
    return {tile: found[tile] for tile in signs if tile in found}


def _group(start: Tile, waiting: dict[Tile, None]) -> list[Tile]:
    """The objects that touch each other, from one on."""
    group = [start]
    for tile in group:  # grows while it is walked through
        group.extend(spot for spot in _around(tile) if spot in waiting and spot not in group)
    return group


def _around(tile: Tile) -> tuple[Tile, ...]:
    x, y = tile
    return tuple((x + a, y + b) for a, b in AROUND)
