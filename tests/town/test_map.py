"""Which place is meant by a name in words, and of which places somebody is told."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st

from sociolab.core import ConfigError, WorldError
from sociolab.town import OUTDOORS, Place, Tile, TownMap, own_map
from sociolab.town.map import MapError, match_place, places_mentioned, within_reach
from tiled_town import tiled

SHOP = Place("Corner Shop", "shop floor")
STORE = Place("Corner Shop", "storeroom")
ROWS = (
    ".......",
    ".#####.",
    ".#a#b#.",
    ".#aabb.",
    ".#####.",
)


def town(
    rows: tuple[str, ...] = ROWS,
    objects: dict[Place, dict[str, tuple[Tile, ...]]] | None = None,
    places: tuple[Place, ...] = (SHOP, STORE),
) -> TownMap:
    return TownMap(
        name="Testing",
        sectors=("Corner Shop",),
        places=places,
        walkable=[[sign != "#" for sign in row] for row in rows],
        arena=[["ab".find(sign) for sign in row] for row in rows],
        objects=objects or {},
    )


def test_tiles_belong_to_their_arena_or_to_the_outdoors() -> None:
    shop = town()
    assert shop.place_at((2, 2)) == SHOP
    assert shop.place_at((5, 3)) == STORE
    assert shop.place_at((0, 0)) == shop.place_at((1, 1)) == OUTDOORS
    assert (shop.arena_at((2, 2)), shop.arena_at((0, 0))) == (0, -1)
    assert shop.tiles(SHOP) == ((2, 2), (2, 3), (3, 3))
    assert len(shop.tiles(OUTDOORS)) == 7 + 2 + 2 + 2 + 2
    assert not shop.objects(OUTDOORS)
    assert not shop.spots(OUTDOORS, "till")


def test_places_are_found_whatever_the_case_the_spaces_and_the_apostrophe() -> None:
    assert town().place(" corner  SHOP :Storeroom".replace(":S", ": S")) == STORE
    assert town().place("Corner Shop: attic") is None
    cafe = Place("Corner Shop", "Caf\u00e9")
    assert town(places=(SHOP, cafe)).place("corner shop: cafe\u0301") == cafe
    assert town().sector_places("corner shop") == (SHOP, STORE)
    assert town().sector_places("Nowhere") == ()


def test_a_thing_is_used_on_its_tile_if_that_is_walkable_else_from_beside_it() -> None:
    shop = town(objects={SHOP: {"till": ((2, 2),), "shelf": ((1, 3), (2, 3))}})
    assert shop.objects(SHOP) == ("till", "shelf")
    assert shop.spots(SHOP, "till") == ((2, 2),)
    assert shop.spots(SHOP, "shelf") == ((2, 3),)
    assert shop.standing(SHOP, "shelf") == ((1, 3), (2, 3))
    assert shop.spots(SHOP, "piano") == ()


def test_a_thing_that_can_only_be_reached_from_another_room_is_refused() -> None:
    with pytest.raises(MapError, match="The till of 'Corner Shop: shop floor' stands on no tile"):
        town(objects={SHOP: {"till": ((4, 2),)}})


def test_a_thing_off_the_map_is_refused() -> None:
    with pytest.raises(MapError, match="stands on no tile"):
        town(objects={SHOP: {"till": ((-5, 2),)}})


def test_a_room_without_a_door_is_refused_by_name() -> None:
    shut = (*ROWS[:3], ".#aab#.", ROWS[4])
    with pytest.raises(ConfigError, match="shop floor' cannot be reached from the outdoors") as got:
        town(shut)
    assert isinstance(got.value, MapError)
    assert got.value.place == SHOP


@pytest.mark.parametrize("turns", range(4))
def test_a_diagonal_gap_is_no_door(turns: int) -> None:
    drawn = np.array([list(row) for row in ("b....", ".###.", ".#a#.", ".##..", ".....")])
    with pytest.raises(MapError, match="shop floor' cannot be reached"):
        town(tuple("".join(row) for row in np.rot90(drawn, turns)))


def test_a_room_without_floor_is_refused() -> None:
    with pytest.raises(MapError, match="storeroom' has no tile to stand on"):
        town(("..a..",))


def test_names_given_twice_are_refused_even_in_another_case() -> None:
    with pytest.raises(MapError, match="arena 'corner shop: storeroom' is given twice"):
        town(places=(STORE, Place("Corner Shop", "Storeroom")))


def test_an_arena_of_an_unknown_sector_is_refused() -> None:
    with pytest.raises(MapError, match="is of no sector"):
        town(places=(SHOP, Place("Elsewhere", "attic")))


def test_matrices_of_two_shapes_and_unknown_arena_numbers_are_refused() -> None:
    with pytest.raises(MapError, match=r"walkable is \(1, 2\) and arena \(2, 1\)"):
        TownMap("T", (), (), [[True, True]], [[-1], [-1]], {})
    with pytest.raises(MapError, match="has 0 arenas"):
        TownMap("T", (), (), [[True, True]], [[-1, 3]], {})


def test_things_for_a_place_that_is_not_there_are_refused() -> None:
    attic = Place("Corner Shop", "attic")
    with pytest.raises(MapError, match="'Corner Shop: attic', which is not on the map"):
        town(objects={attic: {"chest": ((0, 0),)}})


def test_asking_about_an_unknown_place_says_so() -> None:
    with pytest.raises(WorldError, match="Testing has no place called 'Corner Shop: attic'"):
        town().tiles(Place("Corner Shop", "attic"))


def test_a_map_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        town().walkable[0, 0] = False


def test_a_pocket_that_nobody_can_reach_is_in_no_answer() -> None:
    walled = town(("a.b#a",))
    assert walled.tiles(SHOP) == ((0, 0),)


def test_the_town_is_where_the_arenas_are_not_where_most_land_is() -> None:
    within = town(("a.b#........",))
    assert within.tiles(OUTDOORS) == ((1, 0),)


@given(st.lists(st.lists(st.sampled_from("#.ab"), min_size=5, max_size=5), min_size=1, max_size=6))
def test_what_is_in_reach_is_walkable_and_closed_under_steps(rows: list[list[str]]) -> None:
    walkable = np.array([[sign != "#" for sign in row] for row in rows])
    arena = np.array([["ab".find(sign) for sign in row] for row in rows], dtype=np.int16)
    reached = within_reach(walkable, arena)
    assert not (reached & ~walkable).any()
    for axis in (0, 1):
        one, other = (reached, walkable) if axis == 0 else (reached.T, walkable.T)
        assert not (one[:-1] & other[1:] & ~one[1:]).any()
        assert not (one[1:] & other[:-1] & ~one[:-1]).any()
    assert reached.any() == walkable.any()


GYM = ("Riverside Gym: training room", "Riverside Gym: sports court")
PLACES = (
    *GYM,
    "Heron Park: meadow",
    "Student House: kitchen",
    "Student House: room 1",
    "Artists' House: kitchen",
    "Artists' House: room A",
    "Post Office: counter room",
    "Dorm for Oak Hill College: garden",
    "Oak Hill College: library",
    "The Rose and Crown Pub: pub",
)
COURT = GYM[1]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (COURT, COURT),
        ("riverside gym: sports court", COURT),
        (" riverside gym:sports  court", COURT),
        ("Riverside Gym sports court", COURT),
        ("Riverside Gym, the sports court", COURT),
        ("Riverside Gym (sports court)", COURT),
        ("sports court of Riverside Gym", COURT),
        ("on the sports court of Riverside Gym", COURT),
        ("the sports court at Riverside Gym", COURT),
        ("the sports court in the Riverside Gym.", COURT),
        ("Riverside Gym\u2019s sports court", COURT),
        ("sports court", COURT),
        ("on the Sports Court", COURT),
        ("Heron Park", "Heron Park: meadow"),
        ("the post office", "Post Office: counter room"),
        ("kitchen of the artists house", "Artists' House: kitchen"),
        ("Artist's House kitchen", "Artists' House: kitchen"),
        ("room A", "Artists' House: room A"),
        ("at the Rose and Crown Pub", "The Rose and Crown Pub: pub"),
        ("Oak Hill College", "Oak Hill College: library"),
    ],
)
def test_a_place_is_known_by_both_its_names_in_either_order_or_by_one_that_it_alone_has(
    text: str, place: str
) -> None:
    assert match_place(text, PLACES) == place


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the",
        "Riverside Gym",  # which room of it?
        "kitchen",  # whose?
        "Riverside Gym: cellar",
        "Post Office: cellar",
        "sports court of Student House",
        "sports court at Riverside Gym at six",
        "not on the sports court",
        "Riverside",
        "gym",
        "court",
        "room",
        "Oak Hill",
        "my place",
    ],
)
def test_a_name_of_no_place_or_of_several_means_none(text: str) -> None:
    assert match_place(text, PLACES) is None


def test_a_sector_alone_is_enough_where_one_arena_of_it_is_among_the_places() -> None:
    assert match_place("Riverside Gym", PLACES[1:]) == COURT


def test_every_place_of_our_town_is_understood_in_words() -> None:
    names = tuple(str(place) for place in own_map().places)
    for place in own_map().places:
        sector, arena = place.sector, place.arena
        for text in (f"the {arena} of {sector}", f"{sector}, {arena}", f"{sector}'s {arena}"):
            assert match_place(text.lower(), names) == str(place)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Come to the five-a-side match on the sports court of Riverside Gym at six!", [COURT]),
        ("We play at Riverside Gym. See you on the sports court.", GYM),
        ("Riverside Gym: sports court, then Heron Park: meadow.", [COURT, "Heron Park: meadow"]),
        ("Is the gym open? Then I go to the kitchen, and to my place.", []),
        ("The library!", []),
        ("I live in the garden of the Dorm for Oak Hill College.", [PLACES[8]]),
        ("From the post office to the Oak Hill College library.", [PLACES[7], PLACES[9]]),
        ("Good morning.", []),
        ("", []),
    ],
)
def test_who_hears_the_name_of_a_building_is_told_of_the_room_that_is_named_or_of_all(
    said: str, told: list[str]
) -> None:
    assert list(places_mentioned(said, PLACES)) == list(told)


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
