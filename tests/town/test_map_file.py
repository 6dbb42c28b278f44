from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from shutil import copytree

import pytest

from sociolab.core import ConfigError
from sociolab.town import Place, TownMap, load_map

OWN = Path(str(files("sociolab.town").joinpath("data", "map")))
LAND = """\
name = "Smalltown"

plan = '''
==========
..........
..........
..........
......~...
'''
"""
KIOSK = """\
sector = "Kiosk"
at = [1, 1]

plan = '''
####
#kCs
####
'''

[arenas]
k = "counter room"
s = "stall"

[objects]
C = "counter"
"""


def load(folder: Path, land: str = LAND, **buildings: str) -> TownMap:
    (folder / "town.toml").write_text(land, "utf-8")
    (folder / "buildings").mkdir()
    for name, text in buildings.items():
        (folder / "buildings" / f"{name}.toml").write_text(text, "utf-8")
    return load_map(folder)


def problem(folder: Path, land: str = LAND, **buildings: str) -> str:
    with pytest.raises(ConfigError) as got:
        load(folder, land, **buildings)
    return str(got.value).removeprefix(str(folder / "buildings") + "/")


def kiosk(*changes: tuple[str, str]) -> str:
    text = KIOSK.replace("#kCs", "#kks").replace("#kks", "#Cks")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def test_a_drawn_building_stands_where_it_was_put(tmp_path: Path) -> None:
    town = load(tmp_path, kiosk=kiosk())
    room, stall = Place("Kiosk", "counter room"), Place("Kiosk", "stall")
    assert (town.name, town.width, town.height) == ("Smalltown", 10, 5)
    assert town.tiles(room) == ((2, 2), (3, 2))
    assert town.spots(room, "counter") == ((2, 2),)
    assert town.tiles(stall) == ((4, 2),)
    assert not town.walkable[4, 6], "water"
    assert not town.walkable[1, 1], "wall"


def test_a_thing_between_two_rooms_is_refused(tmp_path: Path) -> None:
    told = problem(tmp_path, kiosk=KIOSK)
    assert told.startswith("kiosk.toml, line 6, column 3: the counter touches the floor of")
    assert "'counter room' and 'stall'" in told


def test_a_thing_in_no_room_is_refused(tmp_path: Path) -> None:
    told = problem(tmp_path, kiosk=kiosk(("####\n'''", "####..C\n'''")))
    assert told.startswith("kiosk.toml, line 7, column 7: the counter touches the floor of no aren")


def test_a_sign_that_is_not_explained_is_named_with_its_line(tmp_path: Path) -> None:
    told = problem(tmp_path, kiosk=kiosk(("#Cks", "#Zks")))
    assert told.startswith("kiosk.toml, line 6, column 2: the sign 'Z' is not explained")


def test_a_legend_entry_that_is_not_drawn_is_named_with_its_line(tmp_path: Path) -> None:
    told = problem(tmp_path, kiosk=kiosk(("C =", 'P = "piano"\nC =')))
    assert told.startswith("kiosk.toml, line 15: P = 'piano' is not in the plan")


def test_an_arena_with_two_letters_is_refused(tmp_path: Path) -> None:
    told = problem(tmp_path, kiosk=kiosk(('"stall"', '"counter room"')))
    assert told.startswith("kiosk.toml, line 12: 'counter room' has two signs")


def test_a_sealed_room_is_named_with_the_line_of_its_letter(tmp_path: Path) -> None:
    told = problem(tmp_path, kiosk=kiosk(("#Cks", "#C##s")).replace("#C##s", "#kC#s"))
    assert told.startswith("kiosk.toml, line 11: The arena 'Kiosk: counter room' cannot be reached")


def test_a_sealed_corner_of_a_room_is_named_with_its_line(tmp_path: Path) -> None:
    told = problem(tmp_path, kiosk=kiosk(("#Cks", "#k#Cks")))
    assert told.startswith("kiosk.toml, line 6, column 2: this tile of 'Kiosk: counter room'")


def test_buildings_that_overlap_are_both_named(tmp_path: Path) -> None:
    other = kiosk(('"Kiosk"', '"Booth"'), ("[1, 1]", "[4, 2]"))
    told = problem(tmp_path, booth=kiosk(), kiosk=other)
    assert told.startswith("kiosk.toml, line 5: Booth overlaps Kiosk in column 4, row 2")


@pytest.mark.parametrize(
    ("at", "told"),
    [
        ("[8, 1]", "line 5: Kiosk reaches column 10, row 1, outside the town of 10 x 5 tiles"),
        ("[1, 0]", "line 5: Kiosk stands on street in column 1, row 0, not on grass"),
        ("[4, 2]", "line 7: Kiosk stands on water in column 6, row 4, not on grass"),
        ("[-1, 1]", "line 2: at.0: expected at least 0, found -1"),
    ],
)
def test_a_building_on_no_free_grass_is_refused(tmp_path: Path, at: str, told: str) -> None:
    assert f"kiosk.toml, {told}" in problem(tmp_path, kiosk=kiosk(("[1, 1]", at)))


def test_two_buildings_of_one_name_are_refused(tmp_path: Path) -> None:
    other = kiosk(('"Kiosk"', '"KIOSK"'), ("[1, 1]", "[6, 1]"))
    told = problem(tmp_path, a=kiosk(), b=other)
    assert told.startswith("b.toml, line 1: 'KIOSK' is already drawn in")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("at =", "att =", "kiosk.toml: at is missing"),
        ('k = "', 'K = "', "line 11: arenas.K: string should match pattern"),
        ('C = "', 'c = "', "line 15: objects.c: string should match pattern"),
        ("[objects]", "[things]", 'line 14: unknown field "things"'),
        ("plan = '''", "plan = ''", "kiosk.toml is not valid TOML"),
        ('"counter room"', "7", "line 11: arenas.k: expected a string, found 7"),
    ],
)
def test_a_file_that_is_no_building_is_refused(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    assert told in problem(tmp_path, kiosk=kiosk((old, new)))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("==========", "=====", "town.toml, line 5: this row of the plan has 10 tiles"),
        ("~", "w", "town.toml, line 8, column 7: 'w' is no sign of the ground"),
        (LAND, 'name = "X"\nplan = ""', "town.toml: the plan is empty"),
    ],
)
def test_land_that_is_not_well_drawn_is_refused(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    assert told in problem(tmp_path, LAND.replace(old, new), kiosk=kiosk())


def test_a_folder_without_a_town_or_without_buildings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"town\.toml cannot be read: there is no such file"):
        load_map(tmp_path)
    assert "needs a folder `buildings`" in problem(tmp_path)


def test_the_house_of_the_readme_can_be_added_to_our_town(tmp_path: Path) -> None:
    house = (OWN / "README.md").read_text("utf-8").split("```toml\n")[1].split("```")[0]
    copytree(OWN, tmp_path / "map")
    (tmp_path / "map" / "buildings" / "10_brook_street.toml").write_text(house, "utf-8")
    town = load_map(tmp_path / "map")
    assert tomllib.loads(house)["sector"] in town.sectors
    assert town.objects(Place("10 Brook Street", "living room")) == (
        "sofa",
        "table",
        "bookshelf",
        "bed",
    )
