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


def test_few_dialogues_and_dialogues_that_are_all_alike_give_no_interval() -> None:
    few = beside_people(rows("a", "1", 3, 5), rows("a", "1", 2, 4), exceeds)
    assert (few.value, few.low, few.note) == (75, None, "2 dialogues, at least 5 needed")
    alike = beside_people(rows("a", "1", *[3] * 9), rows("a", "1", 2, 2), exceeds)
    assert (alike.value, alike.low) == (100, None)
    # The lower limit of a share when 9 of 9 are above: its 9th power is .025.
    assert on_scale(alike, 0, 100).low == pytest.approx(100 * 0.025 ** (1 / 9))


def test_an_interval_is_of_the_dialogues_of_both() -> None:
    """Of the agent alone: 9 above and 7 below the single person, so the rank of a draw is that of a
    binomial with 16 trials and 9/16, sd 12.4 points; expanded by t (15) 2.131 x sqrt(16 / 15)."""
    own = [row for i in range(16) for row in rows(f"t{i}", "1", 1 if i < 9 else -1)]
    people = [row for i in range(16) for row in rows(f"t{i}", "1", 0)]
    found = beside_people(own, people, exceeds)
    assert (found.value, found.n, found.clusters, found.method) == (56.25, 16, 16, "bootstrap")
    # P(Bin(16, 9/16) <= 4) = .011 < .0140 < P(<= 5) = .037, and likewise from above.
    assert (found.low, found.high) == (31.25, 81.25)
    assert beside_people(own, people, exceeds) == found
    # Of people alone: the mean of 4 drawn of 0 and 1 twice, within the one task.
    same = rows("a", "1", *[0] * 5)
    other = beside_people(same, rows("a", "1", 0, 0, 1, 1), difference)
    assert (other.value, other.low, other.high) == (-0.5, -1, 0)


def test_a_dialogue_is_drawn_with_both_its_seats() -> None:
    """The two seats of each dialogue add up to nothing, whichever dialogues are drawn."""
    gains = (4, 1, 3, 7, 2, 5)
    own = [*rows("a", "1", *gains), *rows("a", "2", *(-gain for gain in gains))]
    people = [*rows("a", "1", 0), *rows("a", "2", 0)]
    found = beside_people(own, people, difference)
    assert (found.value, found.low, found.method) == (0, None, "none")


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
