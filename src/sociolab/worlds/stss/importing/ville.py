"""The public map as a town: walls, arenas, and the things that stand in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sociolab.core.errors import ConfigError
from sociolab.town.map import Ground, Place, Tile, TownMap, plain_ground
from sociolab.worlds.stss.importing.connected import town_ground
from sociolab.worlds.stss.importing.defects import Defect, Kind
from sociolab.worlds.stss.importing.files import SourceFiles
from sociolab.worlds.stss.importing.matrices import (
    EMPTY,
    Block,
    read_blocks,
    read_matrix,
    read_shape,
)


@dataclass(frozen=True, slots=True)
class Ville:
    """The map that was read, what the whole world is called, and what was wrong with it."""

    town: TownMap
    world: str
    defects: tuple[Defect, ...]


@dataclass(frozen=True, slots=True)
class _Tiles:
    """What the files say of each tile, [height, width] each."""

    open: NDArray[np.bool_]
    sector: NDArray[np.int32]
    arena: NDArray[np.int32]
    thing: NDArray[np.int32]


def read_ville(files: SourceFiles) -> Ville:
    """The map of the public files; ConfigError with file and line or tile where they are wrong.

    Ground that cannot be walked to from the town is closed, and arenas without a tile to stand on
    are left out; both are reported.
    """
    shape = read_shape(files.shape)
    (world,) = read_blocks(files.world, 1).values() or (None,)
    if world is None:
        raise ConfigError(f"{files.world}: expected the world's block, found none; fetch it again")
    sectors = read_blocks(files.blocks["sector"], 2)
    arenas = read_blocks(files.blocks["arena"], 3)
    things = read_blocks(files.blocks["game_object"], 3)
    _check_names(sectors, arenas)
    tiles = _Tiles(
        read_matrix(files.matrices["collision"], shape, None) == EMPTY,
        read_matrix(files.matrices["sector"], shape, sectors),
        read_matrix(files.matrices["arena"], shape, arenas),
        read_matrix(files.matrices["game_object"], shape, things),
    )
    _check_agreement(files, tiles, sectors, arenas)
    try:
        return _ville(world.names[0], tiles, sectors, arenas, things)
    except ConfigError as fault:
        raise ConfigError(f"{files.shape.parent}: {fault}") from fault


def _ville(
    world: str,
    tiles: _Tiles,
    sectors: Mapping[int, Block],
    arenas: Mapping[int, Block],
    things: Mapping[int, Block],
) -> Ville:
    walkable = town_ground(tiles.open, tiles.arena != EMPTY)
    lived_in = [number for number in arenas if (walkable & (tiles.arena == number)).any()]
    places = tuple(_place(arenas[number]) for number in lived_in)
    arena = np.full(walkable.shape, -1, dtype=np.int16)
    for index, number in enumerate(lived_in):
        arena[walkable & (tiles.arena == number)] = index
    ground = plain_ground(walkable, arena)
    ground[tiles.open & ~walkable] = Ground.GRASS
    town = TownMap(
        world,
        tuple(block.names[1] for block in sectors.values()),
        places,
        walkable,
        arena,
        {
            place: _objects(tiles, number, arena == index, things)
            for index, (number, place) in enumerate(zip(lived_in, places, strict=True))
        },
        ground,
    )
    return Ville(town, world, _defects(tiles, walkable, arenas, lived_in))


def _place(block: Block) -> Place:
    return Place(block.names[1], block.names[2])


def _objects(
    tiles: _Tiles, number: int, inside: NDArray[np.bool_], things: Mapping[int, Block]
) -> dict[str, tuple[Tile, ...]]:
    """The things of an arena, and the tiles on which they stand, row by row."""
    found: dict[str, list[Tile]] = {}
    for y, x in np.argwhere((tiles.arena == number) & (tiles.thing != EMPTY)).tolist():
        name = things[int(tiles.thing[y, x])].names[2]
        found.setdefault(name, []).append(_at_hand((x, y), inside))
    return {name: tuple(dict.fromkeys(stand)) for name, stand in found.items()}


def _at_hand(tile: Tile, inside: NDArray[np.bool_]) -> Tile:
    """The tile itself, or the arena's nearest walkable one where it cannot be used from beside."""
    rows, columns = np.nonzero(inside)
    steps = np.abs(columns - tile[0]) + np.abs(rows - tile[1])
    nearest = int(steps.argmin())
    return tile if steps[nearest] <= 1 else (int(columns[nearest]), int(rows[nearest]))


def _check_names(sectors: Mapping[int, Block], arenas: Mapping[int, Block]) -> None:
    """Every name once, and every arena in a sector that there is."""
    known = {block.names[1] for block in sectors.values()}
    for block in arenas.values():
        if block.names[1] not in known:
            raise ConfigError(
                f"{block.place}: the arena {block.names[2]!r} is in the sector {block.names[1]!r}, "
                "which is none of the known ones; mend it"
            )
    for blocks in (sectors, arenas):
        met: set[tuple[str, ...]] = set()
        for block in blocks.values():
            if block.names in met:
                name = ": ".join(block.names[1:])
                raise ConfigError(f"{block.place}: {name!r} comes a second time; rename one")
            met.add(block.names)


def _check_agreement(
    files: SourceFiles, tiles: _Tiles, sectors: Mapping[int, Block], arenas: Mapping[int, Block]
) -> None:
    """Both matrices must see a tile in the same sector."""
    for y, x in np.argwhere(tiles.arena != EMPTY).tolist():
        arena = arenas[int(tiles.arena[y, x])].names[1]
        number = int(tiles.sector[y, x])
        sector = sectors[number].names[1] if number != EMPTY else "no sector"
        if arena != sector:
            raise ConfigError(
                f"{files.matrices['sector']}: column {x}, row {y} is in {sector!r}, but "
                f"{files.matrices['arena']} has an arena of {arena!r} there; mend one of them"
            )


def _defects(
    tiles: _Tiles,
    walkable: NDArray[np.bool_],
    arenas: Mapping[int, Block],
    lived_in: list[int],
) -> tuple[Defect, ...]:
    cut_off = int((tiles.open & ~walkable).sum())
    found = [
        Defect(Kind.UNKNOWN_PLACE, "map", "arena_blocks", str(_place(block)), "left out")
        for number, block in arenas.items()
        if number not in lived_in
    ]
    if cut_off:
        found.append(
            Defect(Kind.CUT_OFF, "map", "collision_maze", f"{cut_off} tiles", "closed", cut_off)
        )
    return tuple(found)
