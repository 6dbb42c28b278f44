from __future__ import annotations

import os
import subprocess
import sys

import pytest

from sociolab.town.map import OUTDOORS, Place, TownMap
from sociolab.town.map_file import own_map
from tiled_town import tiled

THINGS = sorted({thing for place in own_map().places for thing in own_map().objects(place)})


def bedrooms(town: TownMap) -> list[Place]:
    names = ("bedroom", "small bedroom")
    shared = ("Student House: room", "Artists' House: room")
    return [p for p in town.places if p.arena in names or str(p).startswith(shared)]


def test_it_is_at_least_as_rich_as_smallville() -> None:
    # 19 sectors, 63 arenas, 46 kinds of object on 140 x 100 tiles.
    town = own_map()
    assert (town.width, town.height) == (140, 100)
    assert (len(town.sectors), len(town.places), len(THINGS)) == (24, 79, 112)


def test_every_walkable_tile_can_be_reached() -> None:
    town = own_map()
    assert (town.within_reach == town.walkable).all()


def test_every_arena_has_something_in_it_to_use() -> None:
    town = own_map()
    for place in town.places:
        assert town.objects(place), place
        for thing in town.objects(place):
            assert all(town.place_at(spot) == place for spot in town.spots(place, thing))


def test_twenty_five_residents_find_a_bed_in_their_bedrooms() -> None:
    town = own_map()
    beds = {p: [t for t in town.objects(p) if t in ("bed", "double bed")] for p in bedrooms(town)}
    assert all(len(kinds) == 1 for kinds in beds.values())
    assert sum(2 if kinds == ["double bed"] else 1 for kinds in beds.values()) >= 25


@pytest.mark.parametrize(
    ("place", "thing"),
    [
        ("Alder College: lecture hall", "lectern"),
        ("Alder College: music room", "grand piano"),
        ("Old Mill Studios: painting studio", "easel"),
        ("Old Mill Studios: pottery", "pottery wheel"),
        ("Lantern Cafe: kitchen", "stove"),
        ("Larkfield Bakery: bakehouse", "bread oven"),
    ],
)
def test_things_stand_where_they_are_used(place: str, thing: str) -> None:
    found = own_map().place(place)
    assert found is not None
    assert own_map().spots(found, thing)


def test_the_map_is_the_same_in_every_process() -> None:
    told = (
        "from sociolab.town.map_file import own_map; t = own_map(); "
        "print([(p, [(o, t.spots(p, o)) for o in t.objects(p)]) for p in t.places])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", told],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_a_tiled_town_has_every_house_as_often_and_all_connected() -> None:
    town = own_map()
    large = tiled(town, 2, 2)
    assert (large.width, large.height) == (283, 203)
    assert len(large.places) == 4 * len(town.places)
    assert (large.within_reach == large.walkable).all()
    stove = large.spots(Place("Lantern Cafe 4", "kitchen"), "stove")
    assert stove == tuple(
        (x + 143, y + 103) for x, y in town.spots(Place("Lantern Cafe", "kitchen"), "stove")
    )
    assert large.place_at(stove[0]) == Place("Lantern Cafe 4", "kitchen")
    assert large.place_at((141, 50)) == OUTDOORS


def test_the_first_copy_of_a_tiled_town_keeps_its_names_and_tiles() -> None:
    large = tiled(own_map(), 2, 1)
    for place in own_map().places:
        assert large.tiles(place) == own_map().tiles(place)
