"""The map of the public files as a town."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sociolab.town import OUTDOORS, Place, TownMap
from sociolab.town.map import Ground
from sociolab.worlds import stss
from worlds.stss.importing.small_village import WIDTH, write_clone

BAR, LOFT, YARD = (
    Place("Duck Inn", "bar"),
    Place("Mill House", "loft"),
    Place("Mill House", "yard"),
)


def read(folder: Path) -> stss.Ville:
    return stss.read_ville(stss.find_files(folder))


def test_sectors_arenas_and_walls_are_those_of_the_matrices(village: Path) -> None:
    town = read(village).town
    assert town.name == "Tinyburg"
    assert town.sectors == ("Duck Inn", "Mill House")
    assert town.places == (BAR, LOFT, YARD)
    assert [town.place_at(tile) for tile in ((2, 2), (6, 3), (7, 5), (3, 4))] == [
        *town.places,
        OUTDOORS,
    ]
    assert town.walkable[4].tolist() == [c == "." for c in "~##.####.##~"]


def test_closed_tiles_are_hedges_walls_or_what_stands_in_a_room(village: Path) -> None:
    hedge, wall_of_the_loft, thing_in_the_loft, street = (1, 1), (8, 3), (8, 2), (3, 4)
    _say_wall(village, wall_of_the_loft)
    ground = read(village).town.ground
    kinds = [
        Ground(ground[y, x]).name for x, y in (hedge, wall_of_the_loft, thing_in_the_loft, street)
    ]
    assert kinds == ["HEDGE", "WALL", "FLOOR", "GRASS"]


def _say_wall(village: Path, tile: tuple[int, int]) -> None:
    """Make it a closed tile of the second sector, and of no arena."""
    at = tile[1] * WIDTH + tile[0]
    for what, number in (("collision", "9"), ("sector", "12"), ("arena", "0")):
        path = village / "map" / "maze" / f"{what}_maze.csv"
        cells = path.read_text().split(", ")
        cells[at] = number
        path.write_text(", ".join(cells))


def test_a_thing_is_used_where_it_stands_or_from_beside_or_from_the_nearest_floor(
    village: Path,
) -> None:
    town = read(village).town
    assert town.spots(BAR, "counter") == ((4, 2),)
    assert set(town.spots(LOFT, "wardrobe")) == {(7, 2), (8, 3)}
    assert town.spots(LOFT, "bell") == ((7, 2),)
    assert town.spots(YARD, "well") == ((8, 5),)


def test_ground_around_the_town_is_closed_although_it_is_larger(village: Path) -> None:
    found = read(village)
    assert not found.town.walkable[0].any()
    assert found.defects == (
        stss.Defect(stss.DefectKind.CUT_OFF, "map", "collision_maze", "36 tiles", "closed", 36),
    )


def test_an_arena_without_floor_is_left_out(village: Path) -> None:
    blocks = village / "map" / "special_blocks" / "arena_blocks.csv"
    blocks.write_text(blocks.read_text() + "\n24, Tinyburg, Duck Inn, cellar\n")
    found = read(village)
    assert found.town.places == (BAR, LOFT, YARD)
    lost = found.defects[0]
    assert (lost.kind, lost.found) == (stss.DefectKind.UNKNOWN_PLACE, "Duck Inn: cellar")


def test_a_matrix_may_come_in_rows(village: Path) -> None:
    before = read(village).town
    path = village / "map" / "maze" / "arena_maze.csv"
    cells = path.read_text().split(", ")
    rows = [",".join(cells[start : start + 12]) for start in range(0, len(cells), 12)]
    path.write_text("\n".join(rows) + "\n")
    assert np.array_equal(read(village).town.arena, before.arena)


def test_a_clone_gives_the_same_map(village: Path, tmp_path: Path) -> None:
    ours, theirs = read(village).town, read(write_clone(tmp_path / "clone")).town
    assert np.array_equal(ours.arena, theirs.arena)
    assert ours.places == theirs.places


def test_names_are_found_however_they_are_spelled(village: Path) -> None:
    names = stss.PlaceNames(read(village).town)
    for written in ("Mill House:yard", "mill house : YARD", "Tinyburg:Mill  House:yard"):
        assert names.resolve(written) == "Mill House: yard"
    assert names.resolve("DUCK inn") == "Duck Inn"
    assert names.resolve("Duck Inn:yard") == ""
    assert names.resolve("N/A") == ""


def test_a_slip_is_taken_for_the_name_it_is_most_like(village: Path) -> None:
    names = stss.PlaceNames(read(village).town)
    assert names.nearest("Duck In") == "Duck Inn"
    assert names.nearest("Mil House:yard") == "Mill House: yard"
    assert names.nearest("Mil House:attic") == "Mill House"
    assert names.nearest("Lighthouse Point") == ""


def test_of_two_names_in_each_other_the_longer_is_found() -> None:
    floor = np.ones((1, 5), dtype=bool)
    sectors = ("Mill", "Mill House", "Old Mill")
    places = tuple(Place(sector, "hall") for sector in sectors)
    names = stss.PlaceNames(TownMap("T", sectors, places, floor, [[0, -1, 1, -1, 2]], {}))
    assert names.mentioned("from the old mill to mill house, not Millford, and the Mill") == (
        "Old Mill",
        "Mill House",
        "Mill",
    )
