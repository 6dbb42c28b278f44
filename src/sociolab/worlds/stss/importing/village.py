"""The public map as a town, the files that it is read from, and their defects."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from sociolab.core.errors import ConfigError
from sociolab.core.names import fold_name
from sociolab.core.reading import ForeignRecord, json_file, read_text, record
from sociolab.town.map import Ground, Place, Tile, TownMap, plain_ground, within_reach

BASES = ("clipped_the_ville_n25", "base_the_ville_n25")
"""Folders of personas, the preferred first: STSS starts from the clipped one."""

MATRICES = ("collision", "sector", "arena", "game_object")
BLOCKS = ("sector", "arena", "game_object")
CLOSE = 0.75
"""The similarity (difflib's ratio, 0 to 1) from which a name may stand for one on the map."""

EMPTY = 0
"""Nothing of this kind is on the tile."""


@dataclass(frozen=True, slots=True)
class Ville:
    """The imported map, the name of its world, and the defects of the files."""

    town: TownMap
    world: str
    defects: tuple[Defect, ...]


def read_ville(files: SourceFiles) -> Ville:
    """Read the map of the public files; ConfigError with file and line or tile where they are
    wrong.

    The files only say where one cannot walk. Closed tiles outside all sectors are hedges or fences,
    those of a sector alone are walls, and those of an arena are floor on which something stands; of
    water they know nothing. Walkable ground that cannot be reached from the town is closed, and
    arenas without a tile to stand on are left out; both are reported.
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
        return _build_ville(world.names[0], tiles, sectors, arenas, things)
    except ConfigError as fault:
        raise ConfigError(f"{files.shape.parent}: {fault}") from fault


@dataclass(frozen=True, slots=True)
class _Tiles:
    """What the files say of each tile, [height, width] each."""

    open: NDArray[np.bool_]
    sector: NDArray[np.int32]
    arena: NDArray[np.int32]
    thing: NDArray[np.int32]


def _build_ville(
    world: str,
    tiles: _Tiles,
    sectors: Mapping[int, MatrixBlock],
    arenas: Mapping[int, MatrixBlock],
    things: Mapping[int, MatrixBlock],
) -> Ville:
    numbers = np.where(tiles.arena == EMPTY, -1, tiles.arena).astype(np.int16)
    walkable = within_reach(tiles.open, numbers)
    reachable = [number for number in arenas if (walkable & (tiles.arena == number)).any()]
    places = tuple(_to_place(arenas[number]) for number in reachable)
    arena = np.full(walkable.shape, -1, dtype=np.int16)
    for index, number in enumerate(reachable):
        arena[walkable & (tiles.arena == number)] = index
    ground = plain_ground(walkable, arena)
    ground[tiles.open & ~walkable] = Ground.GRASS
    ground[~tiles.open & (tiles.sector == EMPTY)] = Ground.HEDGE
    ground[~tiles.open & (tiles.arena != EMPTY)] = Ground.FLOOR
    town = TownMap(
        world,
        tuple(block.names[1] for block in sectors.values()),
        places,
        walkable,
        arena,
        {
            place: _objects(tiles, number, arena == index, things)
            for index, (number, place) in enumerate(zip(reachable, places, strict=True))
        },
        ground,
    )
    return Ville(town, world, _map_defects(tiles, walkable, arenas, reachable))


def _to_place(block: MatrixBlock) -> Place:
    return Place(block.names[1], block.names[2])


def _objects(
    tiles: _Tiles, number: int, inside: NDArray[np.bool_], things: Mapping[int, MatrixBlock]
) -> dict[str, tuple[Tile, ...]]:
    """The objects of an arena, and the tiles on which they stand, row by row."""
    stands: dict[str, list[Tile]] = {}
    for y, x in np.argwhere((tiles.arena == number) & (tiles.thing != EMPTY)).tolist():
        name = things[int(tiles.thing[y, x])].names[2]
        stands.setdefault(name, []).append(_reachable_tile((x, y), inside))
    return {name: tuple(dict.fromkeys(stand)) for name, stand in stands.items()}


def _reachable_tile(tile: Tile, inside: NDArray[np.bool_]) -> Tile:
    """The tile if the arena has a walkable one on or next to it, else the nearest walkable one."""
    rows, columns = np.nonzero(inside)
    steps = np.abs(columns - tile[0]) + np.abs(rows - tile[1])
    nearest = int(steps.argmin())
    return tile if steps[nearest] <= 1 else (int(columns[nearest]), int(rows[nearest]))


def _check_names(sectors: Mapping[int, MatrixBlock], arenas: Mapping[int, MatrixBlock]) -> None:
    """Every name is unique, and every arena is in a sector that exists."""
    sector_names = {block.names[1] for block in sectors.values()}
    for block in arenas.values():
        if block.names[1] not in sector_names:
            raise ConfigError(
                f"{block.place}: the arena {block.names[2]!r} is in the sector {block.names[1]!r}, "
                "which is none of the known ones; mend it"
            )
    for blocks in (sectors, arenas):
        names: set[tuple[str, ...]] = set()
        for block in blocks.values():
            if block.names in names:
                name = ": ".join(block.names[1:])
                raise ConfigError(f"{block.place}: {name!r} comes a second time; rename one")
            names.add(block.names)


def _check_agreement(
    files: SourceFiles,
    tiles: _Tiles,
    sectors: Mapping[int, MatrixBlock],
    arenas: Mapping[int, MatrixBlock],
) -> None:
    """Both matrices must put a tile in the same sector."""
    for y, x in np.argwhere(tiles.arena != EMPTY).tolist():
        arena = arenas[int(tiles.arena[y, x])].names[1]
        number = int(tiles.sector[y, x])
        sector = sectors[number].names[1] if number != EMPTY else "no sector"
        if arena != sector:
            raise ConfigError(
                f"{files.matrices['sector']}: column {x}, row {y} is in {sector!r}, but "
                f"{files.matrices['arena']} has an arena of {arena!r} there; mend one of them"
            )


def _map_defects(
    tiles: _Tiles,
    walkable: NDArray[np.bool_],
    arenas: Mapping[int, MatrixBlock],
    reachable: list[int],
) -> tuple[Defect, ...]:
    cut_off = int((tiles.open & ~walkable).sum())
    defects = [
        Defect(DefectKind.UNKNOWN_PLACE, "map", "arena_blocks", str(_to_place(block)), "left out")
        for number, block in arenas.items()
        if number not in reachable
    ]
    if cut_off:
        defects.append(
            Defect(
                DefectKind.CUT_OFF, "map", "collision_maze", f"{cut_off} tiles", "closed", cut_off
            )
        )
    return tuple(defects)


# ------------------------------------------------------------------ matrices: one number per tile


class MapSize(ForeignRecord):
    maze_width: int = Field(ge=1, le=10_000)
    maze_height: int = Field(ge=1, le=10_000)


@dataclass(frozen=True, slots=True)
class MatrixBlock:
    """A number of a matrix, and the names it stands for: world, sector, arena, object."""

    number: int
    names: tuple[str, ...]
    place: str
    """File and line."""


def read_shape(path: Path) -> MapSize:
    """The size in `maze_meta_info.json`; ConfigError where it gives none."""
    return record(str(path), MapSize, json_file(path))


def read_blocks(path: Path, names: int) -> dict[int, MatrixBlock]:
    """Blocks by number, each with this many names; spaces around names are stripped.

    ConfigError with file and line for a malformed line, or a number that occurs twice.
    """
    blocks: dict[int, MatrixBlock] = {}
    for line, text in enumerate(read_text(path).splitlines(), start=1):
        if not text.strip():
            continue
        number, *rest = (part.strip() for part in text.split(","))
        place = f"{path}, line {line}"
        if not number.isdecimal() or len(rest) != names or not all(rest):
            raise ConfigError(
                f"{place}: expected a number and {names} names, found {text.strip()[:60]!r}; "
                "mend it"
            )
        if int(number) in blocks:
            raise ConfigError(
                f"{place}: the block {number} comes a second time; remove one of them"
            )
        blocks[int(number)] = MatrixBlock(int(number), tuple(rest), place)
    return blocks


def read_matrix(path: Path, shape: MapSize, numbers: Collection[int] | None) -> NDArray[np.int32]:
    """A matrix as [height, width], from one row of numbers or from many; EMPTY where nothing is.

    `numbers`: the known ones; None if all are allowed. ConfigError with file and
    tile for something that is no number, an unknown number, or too many or few of them.
    """
    words = read_text(path).replace("\n", ",").split(",")
    cells = [word.strip() for word in words if word.strip()]
    size = shape.maze_width * shape.maze_height
    if len(cells) != size:
        raise ConfigError(
            f"{path}: expected {shape.maze_width} x {shape.maze_height} = {size} numbers, found "
            f"{len(cells)}; fetch the file again"
        )
    for index, cell in enumerate(cells):
        where = f"{path}, number {index + 1} (column {index % shape.maze_width}, row "
        where += f"{index // shape.maze_width})"
        if not cell.isdecimal():
            raise ConfigError(f"{where}: expected a block's number, found {cell[:20]!r}; mend it")
        if numbers is not None and int(cell) != EMPTY and int(cell) not in numbers:
            raise ConfigError(
                f"{where}: the number {int(cell)} is none of the known blocks; mend it, or add it "
                "to the list of blocks"
            )
    return np.array(cells, dtype=np.int32).reshape(shape.maze_height, shape.maze_width)


# ------------------------------------------------------------------ names of places


class PlaceNames:
    """Finds places of a map by name: "Sector", "Sector:arena", or with the world before them."""

    def __init__(self, town: TownMap) -> None:
        self.town = town
        self._sectors = {_plain(sector): sector for sector in town.sectors}
        # the longest first: one name may begin with another
        longest = sorted(self._sectors, key=lambda name: (-len(name), name))
        self._in_text = re.compile("|".join(rf"(?<!\w){re.escape(n)}(?!\w)" for n in longest))

    def resolve(self, written: str) -> str:
        """ "Sector: arena" or a sector in the map's spelling; "" if it has no such place."""
        parts = [part.strip() for part in written.split(":")]
        if len(parts) == 1:
            return self._sectors.get(_plain(parts[0]), "")
        place = self.town.place(f"{parts[-2]}: {parts[-1]}")
        return "" if place is None else str(place)

    def nearest(self, written: str) -> str:
        """The place that a wrong name probably means; "" where none is similar."""
        sector, *arena = (part.strip() for part in written.split(":"))
        close = get_close_matches(_plain(sector), self._sectors, n=1, cutoff=CLOSE)
        if not close:
            return ""
        right = self._sectors[close[0]]
        return self.resolve(": ".join((right, *arena))) or right

    def mentioned(self, text: str) -> tuple[str, ...]:
        """The sectors that a text names, in order, each once."""
        sectors = (self._sectors[match.group()] for match in self._in_text.finditer(_plain(text)))
        return tuple(dict.fromkeys(sectors))


def sector_of(place: str) -> str:
    return place.partition(": ")[0]


def _plain(name: str) -> str:
    return " ".join(fold_name(name.replace("\u2019", "'")).split())


def slug(name: str) -> str:
    """Lower case, without accents, a hyphen for whatever is no letter or digit; may be empty.

    >>> slug("Zoë O'Hara")
    'zoe-o-hara'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.casefold()).strip("-")


# ------------------------------------------------------------------ what is wrong with the data


class DefectKind(StrEnum):
    """A way in which a record contradicts the map, the people, the rule or itself."""

    UNKNOWN_PLACE = "places that are not on the map"
    FOREIGN_FILTER = "filters that look for another activity than the text tells of"
    WRONG_NUMBER = "expected numbers that disagree with the rule"
    PROMISED_NUMBER = "texts that promise another number than the rule scores"
    PROMISED_PLACE = "texts that name another place than is scored"
    OTHER_EVENT = "goals that call the event otherwise than the performer's text"
    OTHER_ACTIVITY = "descriptions of another activity than the filter looks for"
    OTHER_PERFORMER = "performers who are none of the choices"
    NO_NUMBER = "texts that tell no number where one is scored"
    ORDINARY_FILTER = "filters that an ordinary day passes, so that a mute performer may score"
    MISSED_FORM = "filters that miss other forms of their own words"
    CUT_OFF = "walkable tiles that cannot be reached from the town"
    UNKNOWN_KNOWLEDGE = "known places that are not on the map"
    HOME_UNKNOWN = "residents who do not know where they sleep"
    MISSPELT_NAME = "seed memories that spell a resident's name otherwise"
    NOBODYS_HISTORY = "seed memories of nobody who lives there"
    DATED_MEMORY = "seed memories of an event at a stated time"


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect of the data.

    `where`: "task 12" (counted over both files of tasks, from 1), a resident's name, or "map".
    `correction`: what is corrected, and how; "" where nothing can be done. `count`: how many
    occurrences it stands for.
    """

    kind: DefectKind
    where: str
    field: str
    found: str
    correction: str
    count: int = 1

    def __str__(self) -> str:
        """One line: where, what is wrong, what was found, what is done about it."""
        remedy = self.correction or "cannot be corrected"
        return f"{self.where}: {self.field}: {self.found} ({self.kind}): {remedy}"

    def as_fields(self) -> dict[str, object]:
        return {**asdict(self), "kind": str(self.kind)}


def describe_defects(defects: Iterable[Defect]) -> tuple[str, ...]:
    """One line for each kind that occurred, with how often and where, in the order of
    `DefectKind`."""
    by_kind: dict[DefectKind, list[Defect]] = {kind: [] for kind in DefectKind}
    for defect in defects:
        by_kind[defect.kind].append(defect)
    return tuple(
        f"{kind}: {sum(d.count for d in group)} ({_join_places(group)})"
        for kind, group in by_kind.items()
        if group
    )


def _join_places(defects: list[Defect]) -> str:
    """ "task 7, 8", each once."""
    wheres = list(dict.fromkeys(defect.where for defect in defects))
    numbers = [where.removeprefix("task ") for where in wheres if where.startswith("task ")]
    rest = [where for where in wheres if not where.startswith("task ")]
    tasks = [f"task {', '.join(numbers)}"] if numbers else []
    return "; ".join([*tasks, *rest])


# ------------------------------------------------------------------ the files


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """The files that an import reads.

    `matrices` and `blocks` by kind, such as "arena". `personas`: a folder for each resident, which
    holds (itself or in its `bootstrap_memory`) the two files of a persona. `history`: the file of
    seed memories, if there is one.
    """

    shape: Path
    world: Path
    matrices: Mapping[str, Path]
    blocks: Mapping[str, Path]
    people: Path
    personas: Path
    tasks: tuple[Path, ...]
    history: Path | None

    @property
    def read(self) -> tuple[Path, ...]:
        """All files of the data set, in a fixed order."""
        of_people = sorted(self.personas.rglob("*.json"))
        of_map = (self.shape, self.world, *self.matrices.values(), *self.blocks.values())
        history = () if self.history is None else (self.history,)
        return (*of_map, self.people, *of_people, *self.tasks, *history)


def find_files(source: Path) -> SourceFiles:
    """Look for the public files below a folder; of several with a name the shallowest is taken.

    ConfigError where the folder or one of the files is missing.
    """
    if not source.is_dir():
        raise ConfigError(f"expected a folder with the public files of STSS, found no {source}")
    index = _index_files(source)
    people = _find_people(source, index)
    return SourceFiles(
        shape=_find_file(source, index, "maze_meta_info.json"),
        world=_find_file(source, index, "world_blocks.csv"),
        matrices={what: _find_file(source, index, f"{what}_maze.csv") for what in MATRICES},
        blocks={what: _find_file(source, index, f"{what}_blocks.csv") for what in BLOCKS},
        people=people,
        # In a clone personas have a folder of their own beside `reverie`.
        personas=(
            people.parents[1] / "personas" if people.parent.name == "reverie" else people.parent
        ),
        tasks=(
            _find_file(source, index, "tasks.json"),
            _find_file(source, index, "tasks_dlc.json"),
        ),
        history=next(iter(index.get("agent_history_init_n25.csv", ())), None),
    )


def _index_files(source: Path) -> dict[str, list[Path]]:
    """Files below the folder by name, the shallowest first; hidden folders are skipped."""
    index: dict[str, list[Path]] = {}
    for folder, inside, names in os.walk(source):
        inside[:] = sorted(name for name in inside if not name.startswith("."))
        for name in sorted(names):
            index.setdefault(name, []).append(Path(folder) / name)
    for paths in index.values():
        paths.sort(key=lambda path: (len(path.parts), str(path)))
    return index


def _find_file(source: Path, index: Mapping[str, list[Path]], name: str) -> Path:
    paths = index.get(name)
    if not paths:
        raise ConfigError(
            f"expected a file {name} somewhere in {source}, and there is none; name the folder of "
            "a whole clone of the public repository"
        )
    return paths[0]


def _find_people(source: Path, index: Mapping[str, list[Path]]) -> Path:
    """The meta.json of the personas' folder, which lists who lives in the town."""
    for base in BASES:
        for path in index.get("meta.json", []):
            if base in path.relative_to(source).parts:
                return path
    raise ConfigError(
        f"expected {BASES[0]}/meta.json (or reverie/meta.json there) somewhere in {source}, and "
        "there is none; name the folder of a whole clone of the public repository"
    )
