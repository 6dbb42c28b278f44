from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.core.errors import ConfigError, WorldError
from sociolab.town.map import OUTDOORS, MapError, Place, Tile, TownMap, within_reach

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
