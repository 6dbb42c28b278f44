from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, strategies as st

from sociolab.core import WorldError
from sociolab.town import HEADINGS, Paths, Tile, paths


@dataclass(frozen=True)
class Drawn:
    """A map as letters: "#" is a wall, "." outdoors, a digit a tile of that arena."""

    rows: tuple[str, ...]

    @property
    def height(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        return len(self.rows[0])

    @property
    def walkable(self) -> npt.NDArray[np.bool_]:
        return np.array([[c != "#" for c in row] for row in self.rows])

    @property
    def arena(self) -> npt.NDArray[np.int16]:
        return np.array(
            [[int(c) if c.isdigit() else -1 for c in row] for row in self.rows], np.int16
        )

    def tiles(self, letters: str) -> list[Tile]:
        return [(x, y) for y, r in enumerate(self.rows) for x, c in enumerate(r) if c in letters]


def paths_of(town: Drawn) -> Paths:
    return Paths(town.walkable, town.arena)


@st.composite
def drawn(draw: st.DrawFn, most: int = 12) -> Drawn:
    width, height = draw(st.integers(1, most)), draw(st.integers(1, most))
    row = st.text(alphabet="..#01", min_size=width, max_size=width)
    return Drawn(tuple(draw(row) for _ in range(height)))


def searched(town: Drawn, goals: list[Tile]) -> dict[Tile, int]:
    """A plain breadth-first search over tiles."""
    free = set(town.tiles(".01"))
    steps = dict.fromkeys(goals, 0)
    queue = deque(goals)
    while queue:
        x, y = queue.popleft()
        for dx, dy in HEADINGS.values():
            near = (x + dx, y + dy)
            if near in free and near not in steps:
                steps[near] = steps[x, y] + 1
                queue.append(near)
    return steps


def walked(start: Tile, path: str) -> list[Tile]:
    x, y = start
    tiles = [start]
    for heading in path:
        x, y = x + HEADINGS[heading][0], y + HEADINGS[heading][1]
        tiles.append((x, y))
    return tiles


@pytest.fixture(params=(1, 4, paths.DETOUR), autouse=True)
def detour(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """How far a search first goes: on a small map, everywhere at once, or by steps."""
    monkeypatch.setattr(paths, "DETOUR", request.param)


@given(drawn(), st.data())
def test_a_path_is_walkable_leads_to_the_goal_and_is_as_short_as_can_be(
    town: Drawn, data: st.DataObject
) -> None:
    free = town.tiles(".01")
    if not free:
        return
    goal, start = data.draw(st.sampled_from(free)), data.draw(st.sampled_from(free))
    steps, ways = searched(town, [goal]), paths_of(town)
    if start not in steps:
        with pytest.raises(WorldError, match="expected a path"):
            ways.path(start, goal)
        return
    tiles = walked(start, ways.path(start, goal))
    assert tiles[-1] == goal
    assert set(tiles) <= set(free)
    assert len(tiles) - 1 == steps[start] == ways.distance(start, goal)


@given(drawn(), st.data())
def test_a_path_takes_the_first_heading_in_compass_order_that_leads_nearer(
    town: Drawn, data: st.DataObject
) -> None:
    free = town.tiles(".01")
    if not free:
        return
    goal = data.draw(st.sampled_from(free))
    steps, ways = searched(town, [goal]), paths_of(town)
    start = data.draw(st.sampled_from(sorted(steps)))
    path = ways.path(start, goal)
    for (x, y), heading in zip(walked(start, path), path, strict=False):
        nearer = [
            h for h, (dx, dy) in HEADINGS.items() if steps.get((x + dx, y + dy)) == steps[x, y] - 1
        ]
        assert heading == nearer[0]


@given(drawn(), st.sampled_from([-1, 0, 1]))
def test_reach_is_the_distance_to_the_nearest_tile_of_an_arena(town: Drawn, place: int) -> None:
    steps = searched(town, town.tiles("." if place < 0 else str(place)))
    table = paths_of(town).reach(place)
    assert table.shape == (town.height, town.width)
    for y in range(town.height):
        for x in range(town.width):
            assert table[y, x] == steps.get((x, y), 10**9)


@given(drawn(), st.randoms(use_true_random=False))
def test_a_path_does_not_depend_on_what_was_asked_before(town: Drawn, order: Random) -> None:
    free = town.tiles(".01")
    pairs = [(a, b) for a in free[::3] for b in searched(town, [a])][:200]
    fresh = {pair: paths_of(town).path(*pair) for pair in pairs[:20]}
    order.shuffle(pairs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "KEPT", 2)
        ways = paths_of(town)
        assert {pair: ways.path(*pair) for pair in pairs if pair in fresh} == fresh


def test_a_path_by_hand_goes_through_the_door() -> None:
    town = Drawn(("....", ".##.", ".0#.", "...."))
    ways = paths_of(town)
    assert ways.path((3, 0), (1, 2)) == "SSSWWN"
    assert ways.path((1, 2), (3, 0)) == "SEENNN"
    assert ways.distance((3, 0), (1, 2)) == 6
    assert ways.reach(0)[0].tolist() == [3, 4, 5, 6]


def test_nobody_walks_off_one_side_of_the_map_and_on_at_the_other() -> None:
    ways = paths_of(Drawn((".#.", ".#.", "...")))
    assert ways.path((0, 0), (2, 0)) == "SSEENN"


def test_a_way_much_longer_than_the_bird_flies_is_found() -> None:
    rows = [("." * 40)] + [
        ("#" * 39 + "." if i % 2 else "." + "#" * 39) if j else "." * 40
        for i in range(1, 8)
        for j in (1, 0)
    ]
    town = Drawn(tuple(rows))
    ways = paths_of(town)
    goal = (0, town.height - 1)
    assert ways.distance((0, 0), goal) == searched(town, [goal])[0, 0] > 200


def test_a_way_within_the_first_window_is_not_taken_where_a_shorter_one_leaves_it() -> None:
    town = Drawn(
        (
            ".........",
            ".......#.",
            ".......#.",
            ".......#.",
            ".......#.",
            ".#######.",
            ".#...#...",
            ".#...#.#.",
            ".#.....#.",
            ".........",  # four tiles around the goal do not hold this row, on which the way goes
        )
    )
    start, goal = (4, 6), (4, 4)
    assert paths_of(town).distance(start, goal) == searched(town, [goal])[start] == 16


def test_a_resident_who_stands_at_the_goal_walks_no_step() -> None:
    assert paths_of(Drawn(("..",))).path((1, 0), (1, 0)) == ""
    assert paths_of(Drawn(("..",))).distance((1, 0), (1, 0)) == 0


@pytest.mark.parametrize("tile", [(1, 0), (3, 0), (0, -1), (0, 2)])
def test_walls_and_tiles_off_the_map_are_refused_by_name(tile: Tile) -> None:
    ways = paths_of(Drawn((".#.", "...")))
    ways.path((0, 1), (0, 0))
    with pytest.raises(WorldError, match=rf"\({tile[0]}, {tile[1]}\) is a wall or off the map"):
        ways.path(tile, (0, 0))
    with pytest.raises(WorldError, match="is a wall or off the map"):
        ways.distance((0, 0), tile)


def test_distances_beyond_sixteen_bits_are_counted() -> None:
    digits = [0b1, *[0] * 15, 0b10]
    assert paths._numbers(digits, 3).tolist() == [1, 2**16, 0]


def test_a_table_that_others_share_cannot_be_written_to() -> None:
    table = paths_of(Drawn(("..",))).reach(-1)
    with pytest.raises(ValueError, match="read-only"):
        table[0, 0] = 5
