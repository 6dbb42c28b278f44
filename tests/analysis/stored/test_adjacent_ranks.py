"""Neighbours of a ranking, held against each other on the plays that both have."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from analysis.goal_runs import add_run, settings
from sociolab import result_of, values_of
from sociolab.analysis.adjacent_ranks import with_steps
from sociolab.report import Board, NeighbourTest, boards_section, make_boards
from sociolab.stats import KeyedValue, compare, holm
from sociolab.store import Store

P = "lab/p"
NEAR = (6, 7, 8, 6, 7, 8, 6, 7)
NEXT = (6, 7, 8, 6, 7, 8, 6, 6)  # one point on one of eight tasks
FAR = (1, 2, 1, 2, 1, 1, 2, 1)


def store_runs(folder: Path, **goals: Sequence[float]) -> Board:
    """A run for each name, its agent in ann's seat of eight tasks with the same partner."""
    with Store.open(folder / "s.db") as store:
        for name, values in goals.items():
            agent = f"lab/{name}"
            given = {**settings({agent: "a1"}), "partner": [P, "p1"]}
            first = 100 if name.startswith("elsewhere") else 0
            tasks = {f"t{first + i}": {(agent, P): [(v, 5.0)]} for i, v in enumerate(values)}
            add_run(store, name, tasks, given=given)
        results = [result_of(store, name) for name in goals]
        (board,) = with_steps(store, make_boards(results), partial(values_of, store))
        return board


def told(board: Board) -> list[str]:
    return [place.step.conclusion if place.step else "" for place in board.places]


def test_each_place_is_held_against_the_one_above(tmp_path: Path) -> None:
    board = store_runs(tmp_path, far=FAR, near=NEAR, next=NEXT)
    assert [place.agent for place in board.places] == ["lab/near", "lab/next", "lab/far"]
    first, second, third = board.places
    assert first.step is None
    # One task of eight differs, so the smallest p is 1; eight differ in the same sense: 2 / 2^8.
    assert second.step == NeighbourTest(8, 1 / 8, 1.0)
    assert third.step is not None
    assert third.step.p == pytest.approx(2 * 2 / 2**8)
    assert told(board) == ["", "not significant, p 1.000", "lower, p 0.016"]


def test_p_is_that_of_the_comparison_corrected_over_the_neighbours(tmp_path: Path) -> None:
    board = store_runs(tmp_path, far=FAR, near=NEAR, next=NEXT)
    alone = {
        name: compare({name: (rows(a), rows(b))})[name].p
        for name, a, b in (("one", NEAR, NEXT), ("two", NEXT, FAR))
    }
    corrected = holm(alone)
    assert [p.step and p.step.p for p in board.places] == [
        None,
        corrected["one"],
        corrected["two"],
    ]


def rows(values: Sequence[float]) -> list[KeyedValue]:
    return [KeyedValue(i, f"t{i}", value) for i, value in enumerate(values)]


def test_neighbours_without_a_task_in_common_are_said_to_have_none(tmp_path: Path) -> None:
    board = store_runs(tmp_path, near=NEAR, elsewhere=FAR)
    assert told(board) == ["", "no episode in common"]


def test_equal_neighbours_are_not_told_apart(tmp_path: Path) -> None:
    board = store_runs(tmp_path, near=NEAR, twin=NEAR)
    assert told(board) == ["", "no difference"]


def test_a_difference_the_other_way_on_common_tasks_is_said() -> None:
    """More elsewhere lifts the first above; where both played, it is the lower one."""
    assert NeighbourTest(8, -2.0, 0.01).conclusion == "higher on common episodes, p 0.010"


def test_the_table_says_it_beside_each_agent(tmp_path: Path) -> None:
    section = boards_section([store_runs(tmp_path, far=FAR, near=NEAR)])
    (table,) = section.tables
    place = table.columns.index("vs. the agent above")
    assert [row[place] for row in table.rows] == ["", "lower, p 0.008"]
    assert place in table.words
    assert "paired test on their common episodes" in " ".join(section.cautions)
