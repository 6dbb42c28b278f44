"""Values beside those of people in the same place, and people beside people."""

from __future__ import annotations

import pytest

from sociolab.stats import Placed, beside_people, difference, exceeds, halves_floor, on_scale


def rows(task: str, seat: str, *points: float) -> list[Placed]:
    """A dialogue for each value, numbered within its task."""
    return [Placed((task, seat), task, f"{task}-{i}", value) for i, value in enumerate(points)]


def test_a_percentile_rank_counts_those_below_and_half_of_the_equal() -> None:
    people = rows("a", "1", 2, 4, 4, 8)
    for value, rank in ((1, 0), (2, 12.5), (4, 50), (5, 75), (8, 87.5), (9, 100)):
        assert beside_people(rows("a", "1", value), people, exceeds).value == rank


def test_each_value_meets_people_of_its_own_task_and_seat_alone() -> None:
    people = [*rows("a", "1", 2, 4), *rows("a", "2", 9, 9), *rows("b", "1", 0, 10)]
    own = [*rows("a", "1", 5), *rows("a", "2", 5), *rows("b", "1", 5), *rows("c", "1", 5)]
    found = beside_people(own, people, exceeds)
    assert (found.value, found.n, found.clusters) == ((100 + 0 + 50) / 3, 3, 2)
    # 5 - 3, 5 - 9 and 5 - 5: people's means are 3, 9 and 5; nobody played task c.
    assert beside_people(own, people, difference).value == pytest.approx((2 - 4 + 0) / 3)


def test_one_task_gives_no_interval_and_several_give_one() -> None:
    alone = beside_people(rows("a", "1", 3, 5), rows("a", "1", 2, 4), exceeds)
    assert (alone.low, alone.note) == (None, "1 cluster")
    tasks = "abcdef"
    own = [row for i, task in enumerate(tasks) for row in rows(task, "1", 3 + i % 2)]
    people = [row for task in tasks for row in rows(task, "1", 2, 3, 4)]
    found = on_scale(beside_people(own, people, exceeds), 0, 100)
    # Ranks are 50 and 83.3 by turns: mean 66.7, sd 18.3, t (5) 2.571 x 18.3 / sqrt(6) = 19.2.
    assert found.value == pytest.approx(66.667, abs=1e-3)
    assert (found.low, found.high) == pytest.approx((47.50, 85.83), abs=0.05)


def test_half_of_the_people_are_at_the_median_of_the_other_half() -> None:
    people = [row for task in "abcdefgh" for row in rows(task, "1", *range(12))]
    low, high = halves_floor(people, exceeds) or (0, 0)
    # Of 6 among 6 the rank has the standard deviation of Mann and Whitney's U / 36,
    # sqrt(13 / (12 x 36)) = 17.3 %; of the mean over 8 tasks 6.13 %, times 1.96: 12.0.
    assert (low, high) == pytest.approx((38, 62), abs=1.5)
    assert halves_floor(people, exceeds) == (low, high)


def test_halves_of_people_who_do_all_the_same_do_not_differ() -> None:
    people = [row for task in "abc" for row in rows(task, "1", 5, 5, 5)]
    assert halves_floor(people, difference) == (0, 0)
    assert halves_floor(people, exceeds) == (50, 50)


def test_more_people_make_a_narrower_floor() -> None:
    few, many = (
        [row for task in "abcdefgh" for row in rows(task, "1", *range(n))] for n in (4, 40)
    )
    widths = [
        high - low for low, high in (halves_floor(some, exceeds) or (0, 0) for some in (few, many))
    ]
    assert widths[1] < widths[0] / 2


def test_a_dialogue_goes_to_one_half_with_both_seats() -> None:
    # Both seats of a dialogue have the same value. Split apart, two dialogues would meet themselves
    # and differ by less than 4; held together, one half is always 4 above the other.
    people = [*rows("a", "1", 1, 5), *rows("a", "2", 1, 5)]
    assert halves_floor(people, difference) == (-4, 4)


def test_without_a_second_dialogue_there_is_no_floor() -> None:
    assert halves_floor([*rows("a", "1", 3), *rows("b", "1", 4)], exceeds) is None
