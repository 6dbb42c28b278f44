"""SOTOPIA-hard: a worked example by hand, what is left out, and properties."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, strategies as st

from sociolab.stats import Difficulties, ScoredPlay, TaskLeftOut, estimate_difficulties

# The goal, 0 to 10. Sample sd (n - 1).
#   easy:  ann 8 8 -> 8, sd 0: 8..8;  bob 7 8 9 -> 8, sd 1: 5..11, cut to 10;  cat 6 8 -> 7,
#          sd sqrt 2: 2.757..11.243, cut to 10. For ann: 10 - 8 = 2 (best is bob, first by name).
#   hard:  ann 1 3 -> 2, sd sqrt 2 = 1.414: -2.24, cut to 0, .. 6.243;  bob 5 5 5 -> 5..5;
#          cat 6 6.5 7 -> 6.5, sd 0.5: 5..8. For ann: 8 - 0 = 8.
#   level: ann 4 5 6 -> 5, sd 1: 2..8;  bob 3 3 -> 3..3;  cat 2 2.5 3 -> 2.5, sd 0.5: 1..4.
#          The target itself reaches furthest: 8 - 2 = 6.
TABLE: dict[str, dict[str, list[float]]] = {
    "easy": {"ann": [8, 8], "bob": [7, 8, 9], "cat": [6, 8]},
    "hard": {"ann": [1, 3], "bob": [5, 5, 5], "cat": [6, 6.5, 7]},
    "level": {"ann": [4, 5, 6], "bob": [3, 3], "cat": [2, 2.5, 3]},
}
PLAYS = [
    ScoredPlay(task, model, value)
    for task, models in TABLE.items()
    for model, values in models.items()
    for value in values
]

plays = st.lists(
    st.builds(ScoredPlay, st.sampled_from("stuv"), st.sampled_from("abc"), st.integers(-5, 10)),
    min_size=1,
    max_size=60,
).map(lambda rows: [*rows, ScoredPlay("s", "a", 0)])


def goal(rows: list[ScoredPlay], target: str = "ann") -> Difficulties:
    return estimate_difficulties(rows, target, lower=0, upper=10)


def test_gaps_of_three_tasks_worked_by_hand() -> None:
    found = goal(PLAYS)
    assert [task.task for task in found.tasks] == ["hard", "level", "easy"]
    assert [task.gap for task in found.tasks] == pytest.approx([8, 6, 2])
    assert [task.best.model for task in found.tasks] == ["cat", "ann", "bob"]
    assert (found.left_out, found.missing) == ((), 0)


def test_ingredients_worked_by_hand() -> None:
    hard = goal(PLAYS).tasks[0]
    ann, bob, cat = hard.models
    assert (ann.n, ann.mean, ann.low) == (2, 2, 0)
    assert (ann.sd, ann.high) == pytest.approx((2**0.5, 6.242641), abs=1e-6)
    assert (bob.n, bob.mean, bob.sd, bob.low, bob.high) == (3, 5, 0, 5, 5)
    assert (cat.sd, cat.low, cat.high) == pytest.approx((0.5, 5, 8))
    assert (hard.target, hard.best) == (ann, cat)


def test_another_target_has_other_gaps() -> None:
    # bob: hard 8 - 5 = 3; level 8 - 3 = 5; easy 10 - 5 = 5, and bob's mean is lower on "level".
    found = goal(PLAYS, "bob").tasks
    assert [task.task for task in found] == ["level", "easy", "hard"]
    assert [task.gap for task in found] == pytest.approx([5, 5, 3])


def test_bounds_come_from_the_measure() -> None:
    found = estimate_difficulties(PLAYS, "ann", lower=-10, upper=20)
    assert {task.task: task.gap for task in found.tasks}["hard"] == pytest.approx(8 + 2.242641)


def test_a_task_that_a_model_played_once_is_left_out_and_listed() -> None:
    rows = [
        *PLAYS,
        ScoredPlay("once", "ann", 5),
        ScoredPlay("once", "ann", 6),
        ScoredPlay("once", "bob", 5),
    ]
    found = goal(rows)
    assert found.left_out == (TaskLeftOut("once", (("bob", 1), ("cat", 0))),)
    assert found.tasks == goal(PLAYS).tasks


def test_missing_values_are_counted_and_are_no_plays() -> None:
    rows = [*PLAYS, ScoredPlay("new", "ann", None), ScoredPlay("easy", "ann", None)]
    found = goal(rows)
    assert found.missing == 2
    assert found.left_out == (TaskLeftOut("new", (("ann", 0), ("bob", 0), ("cat", 0))),)
    assert found.tasks == goal(PLAYS).tasks


def test_the_hardest_are_the_first_and_ties_at_the_cut_are_counted() -> None:
    rows = [ScoredPlay(f"t{i}", "ann", value) for i in range(5) for value in (0, 10)]
    rows += [ScoredPlay("flat", "ann", 5), ScoredPlay("flat", "ann", 5)]
    found = goal(rows)
    assert [task.task for task in found.hardest(3)] == ["t0", "t1", "t2"]
    assert (found.tied_out(3), found.tied_out(5), found.tied_out(20)) == (2, 0, 0)
    assert len(found.hardest()) == 6


def test_a_target_that_never_played_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'dan' played none.*ann, bob, cat"):
        goal(PLAYS, "dan")


@pytest.mark.parametrize("bad", [-0.1, 10.1, float("nan")])
def test_values_outside_the_bounds_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="easy, ann"):
        goal([*PLAYS, ScoredPlay("easy", "ann", bad)])


def test_bounds_the_wrong_way_round_are_refused() -> None:
    with pytest.raises(ValueError, match="bound"):
        estimate_difficulties(PLAYS, "ann", lower=10, upper=0)


@given(plays, st.integers(0, 9))
def test_order_of_the_plays_does_not_matter(rows: list[ScoredPlay], seed: int) -> None:
    shuffled = random.Random(seed).sample(rows, len(rows))
    assert estimate_difficulties(shuffled, "a", lower=-5, upper=10) == estimate_difficulties(
        rows, "a", lower=-5, upper=10
    )


@given(plays)
def test_a_gap_lies_between_zero_and_the_width_of_the_scale(rows: list[ScoredPlay]) -> None:
    found = estimate_difficulties(rows, "a", lower=-5, upper=10)
    gaps = [task.gap for task in found.tasks]
    assert all(0 <= gap <= 15 for gap in gaps)
    assert gaps == sorted(gaps, reverse=True)
    assert len(gaps) + len(found.left_out) == len({row.task for row in rows})


@given(plays)
def test_another_model_can_only_make_tasks_harder(rows: list[ScoredPlay]) -> None:
    more = estimate_difficulties(rows, "a", lower=-5, upper=10)
    fewer = estimate_difficulties(
        [row for row in rows if row.model != "b"], "a", lower=-5, upper=10
    )
    before = {task.task: task.gap for task in fewer.tasks}
    assert all(task.gap >= before[task.task] for task in more.tasks)
