from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.town.map import Tile
from sociolab.town.perception import Attention, Whereabouts, sees

TILES = st.tuples(st.integers(0, 25), st.integers(0, 25))
ARENAS = st.integers(-1, 2)
MOVES = st.lists(st.tuples(st.integers(0, 12), st.none() | st.tuples(TILES, ARENAS)), max_size=60)


def test_radius_eight_reaches_eight_tiles_in_each_direction_and_no_farther() -> None:
    assert sees((10, 10), -1, (18, 2), -1)
    assert not sees((10, 10), -1, (19, 10), -1)
    assert not sees((10, 10), -1, (10, 1), -1)
    assert sees((10, 10), 4, (13, 10), 4, radius=3)
    assert not sees((10, 10), 4, (13, 10), 4, radius=2)


def test_nobody_is_seen_through_a_wall() -> None:
    assert not sees((10, 10), 3, (11, 10), 4)
    assert not sees((10, 10), -1, (11, 10), 0)


@given(TILES, ARENAS, TILES, ARENAS, st.integers(0, 9))
def test_who_sees_is_seen(a: Tile, at: int, b: Tile, there: int, radius: int) -> None:
    assert sees(a, at, b, there, radius) == sees(b, there, a, at, radius)


@given(MOVES, st.integers(0, 9))
def test_those_near_are_those_who_are_seen_by_distance_then_number(
    moves: list[tuple[int, tuple[Tile, int] | None]], radius: int
) -> None:
    where: dict[int, tuple[Tile, int]] = {}
    index = Whereabouts(radius)
    for who, to in moves:
        if to is not None:
            where[who] = to
            index.put(who, *to)
        elif where.pop(who, None):
            index.remove(who)
    for who, (tile, arena) in where.items():
        near = [
            ((tile[0] - x) ** 2 + (tile[1] - y) ** 2, other)
            for other, ((x, y), its) in where.items()
            if other != who and sees(tile, arena, (x, y), its, radius)
        ]
        assert index.near(who) == [other for _, other in sorted(near)]


@pytest.mark.parametrize("x", range(20, 29))
@pytest.mark.parametrize("y", range(20, 29))
def test_all_directions_are_looked_into_from_wherever_one_stands(x: int, y: int) -> None:
    index = Whereabouts(8)
    index.put(0, (x, y), -1)
    around = [(dx, dy) for dx in (-9, -8, 0, 8, 9) for dy in (-9, -8, 0, 8, 9)]
    for who, (dx, dy) in enumerate(around, start=1):
        index.put(who, (x + dx, y + dy), -1)
    seen = {around[who - 1] for who in index.near(0)}
    assert seen == {(dx, dy) for dx, dy in around if 9 not in (abs(dx), abs(dy))}


def test_the_nearest_comes_first_and_the_lower_number_of_two_as_near() -> None:
    index = Whereabouts(8)
    for who, tile in ((0, (20, 20)), (7, (21, 20)), (3, (20, 19)), (5, (20, 28)), (4, (17, 16))):
        index.put(who, tile, -1)
    assert index.near(0) == [3, 7, 4, 5]
    index.remove(3)
    assert index.near(0) == [7, 4, 5]
    index.put(7, (21, 20), 2)
    assert index.near(0) == [4, 5]
    assert index.near(7) == []


def test_one_who_was_never_put_anywhere_is_an_error() -> None:
    index = Whereabouts()
    with pytest.raises(KeyError):
        index.near(1)
    with pytest.raises(KeyError):
        index.remove(1)


def test_the_same_sight_is_noticed_once() -> None:
    attention = Attention()
    assert attention.attend([(1, "reading"), (2, "cooking")]) == [(1, "reading"), (2, "cooking")]
    assert attention.attend([(2, "cooking"), (1, "reading")]) == []
    assert attention.attend([(1, "sleeping"), (2, "cooking")]) == [(1, "sleeping")]


def test_only_the_nearest_within_the_bandwidth_are_attended_to() -> None:
    crowd = [(who, "dancing") for who in range(12)]
    attention = Attention(bandwidth=8)
    assert attention.attend(crowd) == crowd[:8]
    assert attention.attend(crowd) == []
    assert attention.attend(crowd[8:]) == crowd[8:]


def test_what_was_noticed_longer_ago_than_the_retention_is_new_again() -> None:
    attention = Attention(retention=2)
    for who in (1, 2, 3):
        assert attention.attend([(who, "passing")]) == [(who, "passing")]
    assert attention.attend([(2, "passing"), (3, "passing")]) == []
    assert attention.attend([(1, "passing")]) == [(1, "passing")]


def test_what_is_known_stays_known_while_all_around_it_is_new() -> None:
    attention = Attention(retention=2)
    attention.attend([(1, "reading"), (2, "cooking")])
    assert attention.attend([(3, "singing"), (4, "singing"), (1, "reading")]) == [
        (3, "singing"),
        (4, "singing"),
    ]


def test_a_resident_without_retention_never_gets_used_to_anything() -> None:
    attention = Attention(retention=0)
    assert [attention.attend([(1, "reading")]) for _ in range(2)] == [[(1, "reading")]] * 2
