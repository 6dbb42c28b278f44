"""Reads a town from a map drawn in Tiled; docs/towns.md says how it is drawn.

The formats are those of Tiled's manual: .tmx and .tsx (XML), .tmj and .tsj (JSON).
"""

from __future__ import annotations

import base64
import math
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray
from pydantic import AliasChoices, Field, FiniteFloat

from sociolab.core.errors import ConfigError
from sociolab.core.reading import ForeignRecord, json_file, read_text, record
from sociolab.town.map import WALKED_ON, Ground, Place, Tile, TownMap, plain_ground

MOST_TILES = 1_000_000
"""Tiles of a map: what its layers are unpacked to is known before."""
NUMBER = 0x0FFFFFFF
"""The bits of a tile's number that do not say how it is mirrored and turned."""
KINDS = {"sector": "sector", "room": "room", "arena": "room", "thing": "thing", "object": "thing"}


def load_tiled(path: Path) -> tuple[TownMap, tuple[str, ...]]:
    """Read the town of a Tiled map (.tmx, .tmj), and remarks on what is probably not meant.

    Its name is the map's property `name`, else that of the file. ConfigError where the file cannot
    be read, is not orthogonal, or nobody could live in the town.
    """
    drawn = record(str(path), _Map, _read_fields(path, "map"))
    tiles = _read_tilesets(drawn, path)
    try:
        if drawn.orientation != "orthogonal":
            raise ConfigError(f"expected an orthogonal map, found {drawn.orientation}; redraw it")
        layers = tuple(_flatten(drawn.layers))
        grid = _make_grid(drawn, layers)
        walkable, ground = _read_ground(grid, tiles)
        shapes, others = _read_shapes(drawn, layers, grid, tiles)
        sectors, rooms = _read_rooms(shapes)
        arena = np.full(walkable.shape, -1, dtype=np.int16)
        for number, room in enumerate(rooms.values()):
            for x, y in room.tiles:
                arena[y, x] = number
        arena[~walkable] = -1
        # what is walked on looks like it, also where a collision layer or a bridge says otherwise
        fits = (ground >= 0) & (np.isin(ground, WALKED_ON) == walkable)
        town = TownMap(
            name=drawn.value("name") or path.stem,
            sectors=sectors,
            places=tuple(rooms),
            walkable=walkable,
            arena=arena,
            objects={
                place: {thing: tuple(tiles) for thing, tiles in room.things.items()}
                for place, room in rooms.items()
            },
            ground=np.where(fits, ground, plain_ground(walkable, arena)),
        )
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error
    return town, tuple(f"{path}: {remark}" for remark in _remarks(town, others))


def _remarks(town: TownMap, others: Mapping[str, int]) -> Iterator[str]:
    if town.walkable.all():
        yield "every tile can be walked on: no collision layer and no class of a tile closes any"
    if closed := int((town.walkable & ~town.within_reach).sum()):
        yield f"{closed:,} tiles cannot be reached from the outdoors; nobody will walk there"
    if others:
        counts = ", ".join(f"{count} of {word}" for word, count in others.items())
        yield f"left out objects that are no sector, room or thing: {counts}"


# ------------------------------------------------------------------ rooms and things


@dataclass(frozen=True, slots=True)
class _Shape:
    """An object that is part of the town, and the tiles it covers."""

    kind: str
    name: str
    tiles: tuple[Tile, ...]
    where: str


@dataclass(frozen=True, slots=True)
class _Room:
    """The tiles of a room, and those on which its things stand, by name."""

    tiles: list[Tile]
    things: dict[str, list[Tile]]


def _read_shapes(
    drawn: _Map, layers: Sequence[_Layer], grid: _Grid, tiles: Mapping[int, _TilesetTile]
) -> tuple[tuple[_Shape, ...], Counter[str]]:
    """What is part of the town, and how many other objects there are of each class."""
    shapes = []
    others: Counter[str] = Counter()
    for layer in layers:
        for item in layer.objects:
            facts = tiles.get(item.gid & NUMBER, _TilesetTile())
            own = item.kind or facts.kind
            words = (own,) if own else (layer.kind, layer.name)
            singular = (word.strip().casefold().removesuffix("s") for word in words)
            kind = next((KINDS[word] for word in singular if word in KINDS), None)
            if kind is None:
                others[f'class "{own}"' if own else f'no class in the layer "{layer.name}"'] += 1
                continue
            name = " ".join((item.name or item.value("name") or facts.value("name")).split())
            where = f'the {kind} "{name}" (object {item.id} of the layer "{layer.name}")'
            if item.template or item.polygon or item.polyline or item.ellipse or item.rotation:
                raise ConfigError(
                    f"{where}: expected a rectangle, point or tile that is not turned and of no "
                    "template; draw several rectangles of one name for another shape"
                )
            if not name or (kind == "sector" and ": " in name):
                raise ConfigError(f"{where} needs a name{' without a colon' if name else ''}")
            box = item.box(layer, drawn)
            shapes.append(_Shape(kind, name, grid.tiles_in(box, where), where))
    return tuple(shapes), others


def _read_rooms(shapes: Sequence[_Shape]) -> tuple[tuple[str, ...], dict[Place, _Room]]:
    """The sectors and rooms in the order of the map; shapes of one name are one place."""
    sectors: dict[str, set[Tile]] = {}
    for shape in shapes:
        if shape.kind == "sector":
            sectors.setdefault(shape.name, set()).update(shape.tiles)
    rooms: dict[Place, _Room] = {}
    owners: dict[Tile, Place] = {}
    for shape in shapes:
        if shape.kind == "room":
            place = _find_place(shape, sectors)
            for tile in shape.tiles:
                if (other := owners.setdefault(tile, place)) != place:
                    raise ConfigError(f'{shape.where} overlaps "{other}"; draw them apart')
            rooms.setdefault(place, _Room([], {})).tiles.extend(shape.tiles)
    if not rooms:
        raise ConfigError(
            "expected rooms, found none; draw rectangles in an object layer called Rooms, or of "
            "the class room"
        )
    for shape in shapes:
        if shape.kind == "thing":
            owner, *more = {owners.get(tile) for tile in shape.tiles}
            if owner is None or more:
                raise ConfigError(f"{shape.where} must be in exactly one room; move it")
            rooms[owner].things.setdefault(shape.name, []).extend(shape.tiles)
    in_use = dict.fromkeys(place.sector for place in rooms)
    if empty := [sector for sector in sectors if sector not in in_use]:
        raise ConfigError(f'the sector "{empty[0]}" holds no room; draw one in it')
    return tuple(in_use), rooms


def _find_place(room: _Shape, sectors: Mapping[str, set[Tile]]) -> Place:
    """The place that a room is: of the sector before its colon, else of the one it lies in."""
    sector, colon, arena = room.name.partition(": ")
    if colon:
        return Place(sector, arena)
    around = [name for name, tiles in sectors.items() if not tiles.isdisjoint(room.tiles)]
    if len(around) != 1:
        raise ConfigError(
            f"{room.where} lies in {' and in '.join(around) or 'no sector'}; draw one object of "
            f'the class sector around it, or call it "SECTOR: {room.name}"'
        )
    return Place(around[0], room.name)


# ------------------------------------------------------------------ the ground


@dataclass(frozen=True, slots=True)
class _Grid:
    """The tile layers from the bottom, [height, width] of tile numbers (0 is empty); `left` and
    `top` are what Tiled calls the first column and row."""

    left: int
    top: int
    width: int
    height: int
    layers: tuple[tuple[_Layer, NDArray[np.int64]], ...]

    def tiles_in(self, box: tuple[float, float, float, float], where: str) -> tuple[Tile, ...]:
        """The tiles whose centres a rectangle covers; of one too small for that the nearest."""
        x, y, width, height = box
        columns, rows = (
            range(math.ceil(start - 0.5), math.ceil(start + size - 0.5))
            or range(math.floor(start + size / 2), math.floor(start + size / 2) + 1)
            for start, size in ((x - self.left, width), (y - self.top, height))
        )
        if min(columns[0], rows[0]) < 0 or columns[-1] >= self.width or rows[-1] >= self.height:
            raise ConfigError(f"{where} reaches outside the tiles of the map; move it")
        return tuple((column, row) for row in rows for column in columns)


def _make_grid(drawn: _Map, layers: Sequence[_Layer]) -> _Grid:
    """The tile layers in one frame: the map's; that of all chunks where it is infinite."""
    of_tiles = [layer for layer in layers if layer.type == "tilelayer"]
    chunks = [chunk for layer in of_tiles for chunk in layer.chunks]
    frame = chunks if drawn.infinite and chunks else [drawn]
    left, top = min(patch.x for patch in frame), min(patch.y for patch in frame)
    width = max(patch.x + patch.width for patch in frame) - left
    height = max(patch.y + patch.height for patch in frame) - top
    if not 0 < width * height <= MOST_TILES:
        raise ConfigError(
            f"expected 1 to {MOST_TILES:,} tiles, found {width:,} x {height:,}; draw a smaller map"
        )
    found = []
    for layer in of_tiles:
        numbers = np.zeros((height, width), dtype=np.int64)
        whole = _Patch(width=width, height=height, data=layer.data)
        for patch in layer.chunks if drawn.infinite else (whole,):
            x, y = patch.x - left, patch.y - top
            numbers[y : y + patch.height, x : x + patch.width] = layer.decode(patch)
        found.append((layer, numbers))
    used = sum((numbers for _, numbers in found), np.zeros((height, width), dtype=np.int64))
    if drawn.infinite and used.any():  # chunks are larger than what is drawn
        rows, columns = np.nonzero(used)
        inside = np.s_[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
        left, top = left + int(columns.min()), top + int(rows.min())
        height, width = used[inside].shape
        found = [(layer, numbers[inside]) for layer, numbers in found]
    return _Grid(left, top, width, height, tuple(found))


def _read_ground(
    grid: _Grid, tiles: Mapping[int, _TilesetTile]
) -> tuple[NDArray[np.bool_], NDArray[np.int16]]:
    """Where one can walk, and what the ground is (of `Ground`; -1 where no tile says so).

    Of the tiles on a spot the topmost that says so decides. Where no tile is drawn, nobody walks,
    unless the map has no tile layer but those of collisions.
    """
    shape = (grid.height, grid.width)
    blocked, opened = np.zeros(shape, dtype=np.bool_), np.ones(shape, dtype=np.bool_)
    covered = np.full(shape, all(layer.is_collision for layer, _ in grid.layers))
    ground = np.full(shape, -1, dtype=np.int16)
    for layer, numbers in grid.layers:
        if layer.is_collision:
            blocked |= numbers > 0
            continue
        covered |= numbers > 0
        for number in np.unique(numbers).tolist():
            tile = tiles.get(number, _TilesetTile())
            if tile.ground is not None:
                ground[numbers == number] = tile.ground
            if tile.can_be_walked_on is not None:
                opened[numbers == number] = tile.can_be_walked_on
    return covered & opened & ~blocked, ground


# ------------------------------------------------------------------ the files


class _Property(ForeignRecord):
    name: str
    value: object = ""


class _Described(ForeignRecord):
    """Whatever may have properties of the user's."""

    properties: tuple[_Property, ...] = ()

    def value(self, name: str) -> str:
        """A property as text; "" where it is not given."""
        return next((str(each.value) for each in self.properties if each.name == name), "")

    @property
    def walkable(self) -> bool | None:
        """What the properties `walkable`, and `collides` as game engines call it, say."""
        walkable, collides = (self.value(name).casefold() for name in ("walkable", "collides"))
        return walkable == "true" if walkable else collides != "true" if collides else None


class _Object(_Described):
    id: int = 0
    name: str = ""
    kind: str = Field("", validation_alias=AliasChoices("class", "type"))
    x: FiniteFloat = 0
    y: FiniteFloat = 0
    width: FiniteFloat = Field(0, ge=0)
    height: FiniteFloat = Field(0, ge=0)
    rotation: float = 0
    gid: int = 0
    ellipse: bool = False
    polygon: object = None
    polyline: object = None
    template: str = ""

    def box(self, layer: _Layer, drawn: _Map) -> tuple[float, float, float, float]:
        """Left, top, width and height in tiles; a tile object stands on its position."""
        x, y = self.x + layer.offsetx, self.y + layer.offsety - (self.height if self.gid else 0)
        across, down = drawn.tilewidth, drawn.tileheight
        return x / across, y / down, self.width / across, self.height / down


class _Patch(ForeignRecord):
    """A part of a layer: a chunk of an infinite map, or all of it."""

    x: int = 0
    y: int = 0
    width: int = Field(0, ge=0)
    height: int = Field(0, ge=0)
    data: str | tuple[int, ...] = ()


class _Layer(_Patch, _Described):
    type: str
    name: str = ""
    kind: str = Field("", alias="class")
    offsetx: FiniteFloat = 0
    offsety: FiniteFloat = 0
    encoding: str = "csv"
    compression: str = ""
    chunks: tuple[_Patch, ...] = ()
    objects: tuple[_Object, ...] = ()
    layers: tuple[_Layer, ...] = ()

    @property
    def is_collision(self) -> bool:
        """Whether all its tiles are closed."""
        named = any(word.casefold().startswith("collision") for word in (self.kind, self.name))
        return named or self.walkable is False

    def decode(self, patch: _Patch) -> NDArray[np.int64]:
        """The tile numbers of the layer or of one of its chunks, [height, width]; 0 is empty."""
        if self.compression not in ("", "gzip", "zlib"):
            raise ConfigError(
                f'layer "{self.name}": expected a Tile Layer Format (in Map Properties) without '
                f"compression, or gzip or zlib, found {self.compression}; choose CSV"
            )
        size = 4 * patch.width * patch.height
        try:
            if isinstance(patch.data, str) and self.encoding == "base64":
                packed = base64.b64decode(patch.data)
                if self.compression:
                    packed = zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(packed, size + 1)
                numbers = np.frombuffer(packed, dtype="<u4").astype(np.int64)
            else:
                words = patch.data.split(",") if isinstance(patch.data, str) else patch.data
                numbers = np.array([int(word) for word in words], dtype=np.int64)
            return (numbers & NUMBER).reshape(patch.height, patch.width)
        except (ValueError, OverflowError, zlib.error) as error:
            raise ConfigError(
                f'layer "{self.name}": expected {patch.width} x {patch.height} tile numbers, found '
                f"something else ({error}); save the map anew"
            ) from error


class _TilesetTile(_Described):
    """What a tileset says of a tile; None and "" where it says nothing."""

    id: int = 0
    kind: str = Field("", validation_alias=AliasChoices("class", "type"))
    objectgroup: dict[str, object] = Field(default_factory=dict)

    @property
    def ground(self) -> Ground | None:
        return next((g for g in Ground if g.name.casefold() == self.kind.strip().casefold()), None)

    @property
    def can_be_walked_on(self) -> bool | None:
        """What its properties say, else its shapes in Tiled's collision editor, else its class."""
        by_class = None if self.ground is None else self.ground in WALKED_ON
        by_shape = False if self.objectgroup.get("objects") else by_class
        return by_shape if self.walkable is None else self.walkable


class _Tileset(ForeignRecord):
    firstgid: int = 1
    source: str = ""
    tiles: tuple[_TilesetTile, ...] = ()


class _Map(_Patch, _Described):
    orientation: str
    tilewidth: int = Field(ge=1)
    tileheight: int = Field(ge=1)
    infinite: bool = False
    tilesets: tuple[_Tileset, ...] = ()
    layers: tuple[_Layer, ...] = ()


def _flatten(layers: Sequence[_Layer], x: float = 0, y: float = 0) -> Iterator[_Layer]:
    """The layers from the bottom, those in groups included, moved as their groups are."""
    for layer in layers:
        moved = {"offsetx": layer.offsetx + x, "offsety": layer.offsety + y}
        yield layer.model_copy(update=moved)
        yield from _flatten(layer.layers, *moved.values())


def _read_tilesets(drawn: _Map, path: Path) -> dict[int, _TilesetTile]:
    """What tilesets say, by the number of the tile on the map."""
    tiles = {}
    for entry in drawn.tilesets:
        file = path.parent / entry.source
        if not file.resolve().is_relative_to(path.parent.resolve()):
            raise ConfigError(
                f"{path}: expected tilesets in the folder of the map or below, found "
                f'"{entry.source}"; move it there, or embed it in the map'
            )
        fields = _read_fields(file, "tileset") if entry.source else entry
        for tile in record(str(file), _Tileset, fields).tiles:
            tiles[entry.firstgid + tile.id] = tile
    return tiles


def _read_fields(path: Path, root: str) -> dict[str, object]:
    """The fields of a map or tileset in the form that they have in JSON."""
    fields = _parse_xml(path) if path.suffix in (".tmx", ".tsx") else json_file(path)
    if not isinstance(fields, dict) or fields.get("type", root) != root:
        raise ConfigError(f"{path}: expected a {root} of Tiled, found something else")
    return fields


def _parse_xml(path: Path) -> dict[str, object]:
    text = read_text(path)
    if "<!DOCTYPE" in text:  # the only place for entities, which can be made to expand for ever
        raise ConfigError(f"{path}: expected no DTD, which Tiled never writes; remove it")
    try:
        element = ElementTree.fromstring(text)
        return {**_to_fields(element), "type": element.tag}
    except (ElementTree.ParseError, RecursionError) as error:
        raise ConfigError(f"{path}: expected XML as Tiled writes it ({error})") from error


_LAYERS = {"layer": "tilelayer", "objectgroup": "objectgroup", "group": "group"}
_LISTS = {"object": "objects", "tileset": "tilesets", "tile": "tiles"}


def _to_fields(element: ElementTree.Element) -> dict[str, object]:
    """An element with what it holds, as Tiled writes it in JSON."""
    fields: dict[str, object] = dict(element.attrib)
    lists: dict[str, list[object]] = {}
    for child in element:
        match child.tag:
            case "properties":
                fields["properties"] = [
                    {"name": each.get("name"), "value": each.get("value", each.text or "")}
                    for each in child
                ]
            case "data":
                chunks = [
                    {**chunk.attrib, "data": _to_data(chunk)} for chunk in child.iter("chunk")
                ]
                fields |= {**child.attrib, "data": _to_data(child), "chunks": chunks}
            case "polygon" | "polyline" | "ellipse":
                fields[child.tag] = True
            case "objectgroup" if element.tag == "tile":
                fields["objectgroup"] = _to_fields(child)
            case tag if tag in _LAYERS:
                layer = {**_to_fields(child), "type": _LAYERS[tag]}
                lists.setdefault("layers", []).append(layer)
            case tag if tag in _LISTS:
                lists.setdefault(_LISTS[tag], []).append(_to_fields(child))
    return fields | lists


def _to_data(element: ElementTree.Element) -> object:
    """The tile numbers, as text or one by one."""
    return [tile.get("gid", 0) for tile in element.findall("tile")] or element.text or ""
