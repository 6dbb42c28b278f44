"""Where everybody was and what they did: worked by hand, and against a walk step by step."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, strategies as st

from sociolab.core import ConfigError, WorldError
from sociolab.town import (
    HEADINGS,
    OUTDOORS,
    Did,
    Place,
    Record,
    Stood,
    TownMap,
    Trace,
    Trajectory,
    Walked,
)
from trace_cases import ROW, TWO_DAYS, Life, at, lived, talk

PARTY = "party".__eq__


def test_a_walk_moves_one_tile_a_step_and_stops_at_its_end() -> None:
    ann = lived(Life("ann").goes("mon 09:00", "Park: meadow", "read"))
    nine = at("mon 09:00")
    assert [ann.tile_at("ann", nine + i) for i in range(-4, 2)] == [
        (0, 0),
        (0, 0),
        (1, 0),
        (2, 0),
        (3, 0),
        (3, 0),
    ]
    assert ann.place_at("ann", nine) == Place("Park", "meadow")
    assert lived(Life("ann", "outdoors")).place_at("ann", 5) == OUTDOORS


def test_presence_is_half_open_and_a_sector_counts_with_all_its_arenas() -> None:
    ann = lived(Life("ann").goes("mon 09:00", "Park: meadow").goes("mon 10:00", "Home: room"))
    nine, ten = at("mon 09:00"), at("mon 10:00")
    assert ann.presence("ann", "Park: meadow") == ((nine, ten - 2),)
    assert ann.presence("ann", "cafe") == ((nine - 2, nine), (ten - 2, ten))
    assert ann.presence("ann", "Cafe:  Terrace") == ((nine - 1, nine), (ten - 2, ten - 1))
    assert ann.presence("ann", "Home: room") == ((0, nine - 2), (ten, TWO_DAYS))


def test_a_place_that_is_not_on_the_map_is_refused() -> None:
    with pytest.raises(ConfigError, match="Hobbs Coffee"):
        lived(Life("ann")).presence("ann", "Hobbs Coffee")


def test_acting_counts_at_it_alone_not_the_way_there_nor_sleep() -> None:
    ann = Life("ann").goes("mon 19:00", "Park: meadow", "party").does("mon 20:00", "rest")
    ann.does("mon 22:00", "party", state="asleep").does("mon 23:00", "rest")
    assert lived(ann).acting("ann", PARTY) == ((at("mon 19:00"), at("mon 20:00")),)


def test_a_talk_goes_on_with_the_action_that_it_interrupts() -> None:
    ann = Life("ann").goes("mon 19:00", "Park: meadow", "dance", "party")
    ann.does("mon 20:00", "rest")
    both = lived(ann, Life("bob"), talk("mon 19:10", "ann", "bob", "Hello", minutes=5))
    assert both.acting("ann", PARTY) == ((at("mon 19:00"), at("mon 20:00")),)
    assert both.action_at("ann", at("mon 19:11")).state == "talking"  # type: ignore[union-attr]


def test_a_talk_about_it_on_the_way_or_at_home_is_not_the_action() -> None:
    ann = Life("ann").does("mon 18:00", "party", state="walking").does("mon 20:00", "rest")
    bob = Life("bob")
    both = lived(ann, bob, talk("mon 19:00", "ann", "bob", "party", minutes=10))
    assert both.acting("ann", PARTY) == ()
    assert both.acting("bob", PARTY) == ()


def test_two_are_together_in_one_arena_and_never_outdoors() -> None:
    ann = Life("ann").goes("mon 09:00", "Cafe: terrace").goes("mon 11:00", "outdoors")
    bob = Life("bob", "outdoors").goes("mon 10:00", "Cafe: counter room")
    bob.goes("mon 10:30", "Cafe: terrace").goes("mon 12:00", "outdoors")
    both = lived(ann, bob)
    passed = at("mon 10:00") - 1  # bob crosses the terrace on his way to the counter
    left = at("mon 11:00") - 3  # a walk of four tiles, its first step takes ann outside
    assert both.together("ann", "bob") == (
        (passed, passed + 1),
        (at("mon 10:30"), left),
    )


def test_a_trace_that_was_cut_off_ends_where_it_ends() -> None:
    ann = Life("ann").goes("mon 09:00", "Park: meadow", "party")
    cut = lived(ann, steps=at("mon 09:30"))
    assert cut.acting("ann", PARTY) == ((at("mon 09:00"), at("mon 09:30")),)
    assert cut.presence("ann", "Park") == ((at("mon 09:00"), at("mon 09:30")),)
    assert cut.action_at("ann", at("mon 10:00")) is None


def test_who_left_no_record_was_nowhere() -> None:
    empty = Trajectory(Trace(date(2024, 5, 13), 10, 100, ("ann",), ()), ROW)
    assert empty.presence("ann", "Park") == ()
    assert empty.action_at("ann", 5) is None
    with pytest.raises(WorldError, match="ann"):
        empty.tile_at("ann", 5)


SQUARE = TownMap(
    "Square",
    ("A", "B"),
    (Place("A", "a"), Place("B", "b")),
    [[True] * 3] * 3,
    [[0, 0, -1], [1, 1, -1], [1, 0, 0]],
    {},
)


@given(st.lists(st.tuples(st.integers(0, 4), st.text("NESW", max_size=6)), max_size=6))
def test_runs_say_what_a_walk_step_by_step_says(plan: list[tuple[int, str]]) -> None:
    now, x, y = 0, 1, 1
    tiles, records = [(x, y)], list[Record]([Stood(0, "ann", 1, 1), Did(0, "ann", "walk")])
    for pause, letters in plan:
        tiles += [(x, y)] * pause
        now += pause
        path = ""
        for letter in letters:
            dx, dy = HEADINGS[letter]
            if 0 <= x + dx < 3 and 0 <= y + dy < 3:
                x, y, path = x + dx, y + dy, path + letter
                tiles.append((x, y))
        records.append(Walked(now, "ann", path))
        now += len(path)
    read = Trajectory(Trace(date(2024, 5, 13), 10, len(tiles), ("ann",), tuple(records)), SQUARE)
    assert [read.tile_at("ann", step) for step in range(len(tiles))] == tiles
    here = {s for start, end in read.presence("ann", "A") for s in range(start, end)}
    assert here == {step for step, (x, y) in enumerate(tiles) if SQUARE.arena[y, x] == 0}


def test_walks_that_leave_the_map_are_a_bug_of_the_town() -> None:
    records = (Stood(0, "ann", 0, 0), Walked(0, "ann", "W"))
    with pytest.raises(WorldError, match="leave the map"):
        Trajectory(Trace(date(2024, 5, 13), 10, 9, ("ann",), records), SQUARE).tile_at("ann", 1)
