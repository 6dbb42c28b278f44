"""Maps drawn in Tiled, in each of its forms; the one of docs/towns.md is what is drawn there."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import shutil
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sociolab.core import ConfigError
from sociolab.town import Place, TownMap, load_map, load_tiled

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLE = DOCS / "examples" / "orchard"
WIDTH, HEIGHT = 24, 10
Encode = Callable[[list[int]], tuple[str, str]]


def base64_of(pack: Callable[[bytes], bytes]) -> Callable[[list[int]], str]:
    return lambda tiles: base64.b64encode(pack(np.array(tiles, "<u4").tobytes())).decode()


ENCODINGS: dict[str, tuple[str, Callable[[list[int]], str]]] = {
    "csv": ('encoding="csv"', lambda tiles: ",".join(map(str, tiles))),
    "one by one": ("", lambda tiles: "".join(f'<tile gid="{n}"/>' for n in tiles)),
    "base64": ('encoding="base64"', base64_of(bytes)),
    "gzip": ('encoding="base64" compression="gzip"', base64_of(gzip.compress)),
    "zlib": ('encoding="base64" compression="zlib"', base64_of(zlib.compress)),
}


def written_as(encoding: str, *, infinite: bool = False) -> str:
    """The example with its layers in another encoding; infinite, in chunks of 8 x 5 that begin
    16 tiles further west and 5 further north."""
    attributes, encode = ENCODINGS[encoding]

    def rewrite(match: re.Match[str]) -> str:
        tiles = np.array([int(n) for n in match[1].split(",")]).reshape(HEIGHT, WIDTH)
        if not infinite:
            return f"<data {attributes}>{encode(tiles.ravel().tolist())}</data>"
        chunks = "".join(
            f'<chunk x="{x - 16}" y="{y - 5}" width="8" height="5">'
            f"{encode(tiles[y : y + 5, x : x + 8].ravel().tolist())}</chunk>"
            for y in range(0, HEIGHT, 5)
            for x in range(0, WIDTH, 8)
        )
        return f"<data {attributes}>{chunks}</data>"

    text = (EXAMPLE / "map.tmx").read_text("utf-8")
    text = re.sub(r'<data encoding="csv">([^<]*)</data>', rewrite, text)
    if infinite:
        text = text.replace('infinite="0"', 'infinite="1"')
        text = re.sub(r' x="(\d+)" y="(\d+)"( width="\d+" height="\d+"/)', moved, text)
    return text


def moved(match: re.Match[str]) -> str:
    return f' x="{int(match[1]) - 16 * 16}" y="{int(match[2]) - 5 * 16}"{match[3]}'


def folder_with(path: Path, text: str) -> Path:
    shutil.copy(EXAMPLE / "tiles.tsx", path.parent)
    path.write_text(text, "utf-8")
    return path


def drawn_by_hand(folder: Path) -> TownMap:
    page = (DOCS / "towns.md").read_text("utf-8")
    for name, text in re.findall(r"```toml\n# map/(.*?)\n(.*?)```", page, re.DOTALL):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return load_map(folder)


def assert_same(one: TownMap, other: TownMap) -> None:
    assert one.name == other.name
    assert set(one.places) == set(other.places)
    for matrix in ("walkable", "ground", "within_reach"):
        assert np.array_equal(getattr(one, matrix), getattr(other, matrix)), matrix
    for place in one.places:
        assert one.tiles(place) == other.tiles(place)
        assert sorted(one.objects(place)) == sorted(other.objects(place))
        for thing in one.objects(place):
            assert one.standing(place, thing) == other.standing(place, thing)


def test_the_example_is_the_town_that_the_page_draws_in_text(tmp_path: Path) -> None:
    town, remarks = load_tiled(EXAMPLE / "map.tmx")
    assert remarks == ()
    assert_same(town, drawn_by_hand(tmp_path))


@pytest.mark.parametrize("infinite", [False, True])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_each_encoding_of_tiles_gives_the_same_town(
    tmp_path: Path, encoding: str, infinite: bool
) -> None:
    path = folder_with(tmp_path / "map.tmx", written_as(encoding, infinite=infinite))
    assert_same(load_tiled(path)[0], load_tiled(EXAMPLE / "map.tmx")[0])


TILED = shutil.which("tiled")


@pytest.mark.skipif(TILED is None, reason="Tiled is not installed")
@pytest.mark.parametrize("infinite", [False, True])
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("embedded", [False, True])
def test_what_tiled_itself_writes_gives_the_same_town(
    tmp_path: Path, encoding: str, infinite: bool, embedded: bool
) -> None:
    source = folder_with(tmp_path / "source.tmx", written_as(encoding, infinite=infinite))
    example, _ = load_tiled(EXAMPLE / "map.tmx")
    flags = ["--embed-tilesets"] if embedded else []
    for form, ending in (("tmx", "tmx"), ("json", "tmj")):
        tileset = ("tsx", "tsx") if form == "tmx" else ("json", "tsj")
        run_tiled("--export-map", *flags, form, str(source), str(tmp_path / f"map.{ending}"))
        run_tiled(
            "--export-tileset", tileset[0], str(tmp_path / "tiles.tsx"),
            str(tmp_path / f"own.{tileset[1]}"),
        )  # fmt: skip
        written = tmp_path / f"map.{ending}"
        text = written.read_text("utf-8").replace("tiles.tsx", f"own.{tileset[1]}")
        written.write_text(text, "utf-8")
        town, _ = load_tiled(written)
        assert_same(town, example)


def run_tiled(*words: str) -> None:
    assert TILED is not None
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    subprocess.run([TILED, *words], env=env, check=True, capture_output=True, timeout=60)


# ------------------------------------------------------------------ a map by hand

GRASS, WALL, BRIDGE, HEDGE, CHAIR = 1, 2, 3, 4, 5
TILESET: dict[str, Any] = {
    "firstgid": 1,
    "name": "own",
    "tiles": [
        {"id": 0, "class": "grass"},
        {"id": 1, "type": "wall"},
        {"id": 2, "properties": [{"name": "walkable", "type": "bool", "value": True}]},
        {"id": 3, "objectgroup": {"objects": [{"id": 1, "x": 0, "y": 0}]}},
        {"id": 4, "class": "thing", "properties": [{"name": "name", "value": "chair"}]},
    ],
}
PLAN = """\
.......
.####..
.#..#..
.#..-..
.####.h
"""


def tile_layer(name: str, plan: str, signs: dict[str, int], **more: object) -> dict[str, Any]:
    rows = plan.splitlines()
    data = [signs.get(sign, 0) for row in rows for sign in row]
    size = {"width": len(rows[0]), "height": len(rows)}
    return {"type": "tilelayer", "name": name, "data": data, **size, **more}


def box(kind: str, name: str, x: float, y: float, w: float, h: float, **more: object) -> Any:
    size = {"x": x * 16, "y": y * 16, "width": w * 16, "height": h * 16}
    return {"id": 1, "type": kind, "name": name, **size, **more}


def objects(*items: Any, name: str = "Drawn", **more: object) -> dict[str, Any]:
    return {"type": "objectgroup", "name": name, "objects": list(items), **more}


HOUSE = box("sector", "House", 1, 1, 4, 4)
ROOM = box("room", "parlour", 2, 2, 2.9, 2)


def drawing(*layers: Any, **more: object) -> dict[str, Any]:
    """A house with a wall, whose doorway is a bridge over the wall, and a hedge outside."""
    ground = tile_layer("Ground", PLAN, dict.fromkeys(".#-h", GRASS))
    walls = tile_layer("Walls", PLAN, {"#": WALL, "-": WALL, "h": HEDGE})
    doors = tile_layer("Doors", PLAN, {"-": BRIDGE})
    return {
        "type": "map",
        "orientation": "orthogonal",
        "width": 7,
        "height": 5,
        "tilewidth": 16,
        "tileheight": 16,
        "infinite": False,
        "tilesets": [TILESET],
        "layers": [ground, walls, doors, *(layers or [objects(HOUSE, ROOM)])],
    } | more


def load(folder: Path, fields: dict[str, Any]) -> tuple[TownMap, tuple[str, ...]]:
    path = folder / "hamlet.tmj"
    path.write_text(json.dumps(fields), "utf-8")
    return load_tiled(path)


def problem(folder: Path, fields: dict[str, Any]) -> str:
    with pytest.raises(ConfigError) as got:
        load(folder, fields)
    assert "\n" not in str(got.value)
    return str(got.value).removeprefix(f"{folder / 'hamlet.tmj'}: ")


def test_the_topmost_tile_that_says_so_decides_what_can_be_walked_on(tmp_path: Path) -> None:
    town, _ = load(tmp_path, drawing())
    rows = ["".join("#."[free] for free in row) for row in town.walkable.tolist()]
    assert rows == [".......", ".####..", ".#..#..", ".#.....", ".####.#"]
    assert town.name == "hamlet"
    assert town.places == (Place("House", "parlour"),)
    assert town.tiles(town.places[0]) == ((2, 2), (3, 2), (2, 3), (3, 3), (4, 3))


def test_a_collision_layer_closes_whatever_lies_below(tmp_path: Path) -> None:
    closed = tile_layer("Collisions", PLAN, {"#": WALL}, visible=False)
    fields = drawing(objects(HOUSE, ROOM), closed)
    fields["layers"] = [fields["layers"][0], *fields["layers"][3:]]
    town, _ = load(tmp_path, fields)
    assert not town.walkable[1, 1]
    assert town.walkable[3, 4]


def test_where_no_tile_is_drawn_nobody_walks(tmp_path: Path) -> None:
    fields = drawing()
    fields["layers"][0]["data"][0] = 0
    assert not load(tmp_path, fields)[0].walkable[0, 0]


def test_things_come_as_rectangles_points_and_tiles_and_belong_to_their_room(
    tmp_path: Path,
) -> None:
    things = objects(
        box("", "table", 2, 2, 1, 1),
        {"id": 2, "name": "lamp", "x": 60.0, "y": 40.0, "point": True},
        {"id": 3, "gid": CHAIR + 0x80000000, "x": 32, "y": 64, "width": 16, "height": 16},
        name="Things",
    )
    town, _ = load(tmp_path, drawing(objects(HOUSE, ROOM), things))
    parlour = town.places[0]
    standing = {thing: town.standing(parlour, thing) for thing in town.objects(parlour)}
    assert standing == {"table": ((2, 2),), "lamp": ((3, 2),), "chair": ((2, 3),)}


def test_layers_in_groups_are_moved_with_them_and_several_shapes_make_one_room(
    tmp_path: Path,
) -> None:
    west, east = box("", "parlour", 1, 2, 1, 2), box("", "parlour", 2, 2, 2, 2)
    rooms = objects(west, east, name="Arenas", offsetx=16)
    group = {"type": "group", "name": "Town", "layers": [objects(HOUSE, name="Sectors"), rooms]}
    town, _ = load(tmp_path, drawing(group))
    assert town.tiles(town.places[0]) == ((2, 2), (3, 2), (2, 3), (3, 3), (4, 3))


def test_a_room_may_name_its_sector_itself(tmp_path: Path) -> None:
    room = {**ROOM, "name": "Mill: parlour"}
    town, _ = load(tmp_path, drawing(objects(room)))
    assert (town.sectors, town.places) == (("Mill",), (Place("Mill", "parlour"),))


def test_what_is_probably_not_meant_is_remarked(tmp_path: Path) -> None:
    fields = drawing(objects(HOUSE, ROOM, box("spawn", "", 0, 0, 1, 1)))
    fields["layers"][1]["data"][5] = WALL  # the way from the west
    _, remarks = load(tmp_path, fields)
    assert [remark.partition(": ")[2] for remark in remarks] == [
        "9 tiles cannot be reached from the outdoors; nobody will walk there",
        'left out objects that are no sector, room or thing: 1 of class "spawn"',
    ]
    open_plan = drawing()
    del open_plan["layers"][1]
    assert "every tile can be walked on" in load(tmp_path, open_plan)[1][0]


THERE: dict[str, tuple[dict[str, Any], str]] = {
    "no rooms": (drawing(objects(HOUSE)), "expected rooms, found none"),
    "outside": (
        drawing(objects(HOUSE, {**ROOM, "width": 999})),
        'the room "parlour" (object 1 of the layer "Drawn") reaches outside',
    ),
    "overlap": (
        drawing(objects(HOUSE, ROOM, box("room", "den", 2, 2, 1, 1))),
        'the room "den" (object 1 of the layer "Drawn") overlaps "House: parlour"',
    ),
    "walled in": (
        drawing(objects(HOUSE, box("room", "parlour", 2, 2, 2, 2)), tile_layer(
            "Collision", PLAN, {"-": WALL})),
        "The arena 'House: parlour' cannot be reached from the outdoors: give it a door.",
    ),
    "no sector": (drawing(objects(ROOM)), "lies in no sector"),
    "two sectors": (
        drawing(objects(HOUSE, {**HOUSE, "name": "Barn"}, ROOM)), "lies in House and in Barn"
    ),
    "empty sector": (
        drawing(objects(HOUSE, ROOM, box("sector", "Park", 5, 0, 1, 1))), '"Park" holds no room'
    ),
    "thing outdoors": (
        drawing(objects(HOUSE, ROOM, box("thing", "bin", 0, 0, 1, 1))), "exactly one room"
    ),
    "nameless": (drawing(objects(HOUSE, {**ROOM, "name": " "})), "needs a name"),
    "turned": (drawing(objects(HOUSE, {**ROOM, "rotation": 45})), "expected a rectangle"),
    "template": (
        drawing(objects(HOUSE, {"x": 1, "template": "a.tx"}, name="Rooms")), "no template"
    ),
    "hexagonal": (drawing(orientation="hexagonal"), "expected an orthogonal map, found hexagonal"),
    "isometric": (drawing(orientation="isometric"), "expected an orthogonal map, found isometric"),
    "too large": (drawing(width=100_000, height=100_000), "found 100,000 x 100,000"),
    "no tileset": (drawing(tilesets=[{"source": "lost.tsx"}]), "there is no such file"),
    "a tileset elsewhere": (
        drawing(tilesets=[{"source": "../../mine/lost.tsx"}]), "in the folder of the map or below"
    ),
    "zstd": (
        drawing(tile_layer("Roof", PLAN, {}, encoding="base64", compression="zstd")), "found zstd"
    ),
    "layer of another size": (
        drawing(tile_layer("Roof", "." * 40, {})), 'layer "Roof": expected 7 x 5 tile numbers'
    ),
    "short": (drawing({"type": "tilelayer", "name": "Roof", "width": 7, "height": 5}), "7 x 5"),
}  # fmt: skip


@pytest.mark.parametrize("case", THERE)
def test_a_bad_map_is_refused_in_a_sentence(tmp_path: Path, case: str) -> None:
    fields, sentence = THERE[case]
    assert sentence in problem(tmp_path, fields)


def test_a_small_layer_that_unpacks_to_much_is_refused(tmp_path: Path) -> None:
    bomb = base64.b64encode(zlib.compress(bytes(50_000_000), 9)).decode()
    roof = tile_layer("Roof", PLAN, {}, encoding="base64", compression="zlib")
    assert "expected 7 x 5 tile numbers" in problem(tmp_path, drawing({**roof, "data": bomb}))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('<!DOCTYPE map [<!ENTITY a "aa">]><map>&a;</map>', "expected no DTD"),
        ("<map><layer></map>", "expected XML as Tiled writes it"),
        ("<tileset/>", "expected a map of Tiled"),
        ("<map/>", "orientation"),
        ("<group>" * 100_000, "expected XML as Tiled writes it"),
    ],
)
def test_a_bad_xml_file_is_refused_in_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "map.tmx"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=sentence):
        load_tiled(path)
