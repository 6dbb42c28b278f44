"""SOTOPIA-hard on a store: worked by hand, and what is said of it (section 7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.goal_runs import UNTOLD, Plays, add_run
from sociolab import values_of
from sociolab.analysis import pool_runs
from sociolab.analysis.hard_subset import Hard, hard, hard_document, hard_section, scores
from sociolab.core import ConfigError
from sociolab.store import Store

ANN, BEN, CAT, P = "lab/ann", "lab/ben", "lab/cat", "lab/p"

# The goal, 0 to 10; sample sd (n - 1). P is the partner of all, and left out.
#   easy:  ann 8 8 -> 8, sd 0: 8..8;  ben 7 8 9 -> 8, sd 1: 5..11, cut to 10;  cat 6 8 -> 7,
#          sd sqrt 2: cut to 10. For ann: 10 - 8 = 2.
#   hard:  ann 1 3 -> 2, sd sqrt 2 = 1.414: -2.24, cut to 0;  ben 5 5 5 -> 5..5;
#          cat 6 6.5 7 -> 6.5, sd 0.5: 5..8. For ann: 8 - 0 = 8.
#   level: ann 4 5 6 -> 5, sd 1: 2..8;  ben 3 3 -> 3..3;  cat 2 2.5 3 -> 2.5, sd 0.5: 1..4.
#          The target itself reaches furthest: 8 - 2 = 6.
# ann's third goal on "level" is of bob's seat, the others are repeats in ann's.
GOALS: dict[str, Plays] = {
    "easy": {
        (ANN, P): [(8, 5), (8, 5)],
        (BEN, P): [(7, 5), (8, 5), (9, 5)],
        (CAT, P): [(6, 5), (8, 5)],
    },
    "hard": {
        (ANN, P): [(1, 5), (3, 5)],
        (BEN, P): [(5, 5), (5, 5), (5, 5)],
        (CAT, P): [(6, 5), (6.5, 5), (7, 5)],
    },
    "level": {
        (ANN, P): [(4, 5), (5, 5)],
        (P, ANN): [(5, 6)],
        (BEN, P): [(3, 5), (3, 5)],
        (CAT, P): [(2, 5), (2.5, 5), (3, 5)],
    },
}


def found(folder: Path, goals: dict[str, Plays] = GOALS, target: str = ANN, most: int = 2) -> Hard:
    with Store.open(folder / "hard.db") as store:
        add_run(store, "r", goals)
        return hard(pool_runs([values_of(store, "r")], None, None), target, most=most, without=[P])


def test_gaps_worked_by_hand_over_partners_seats_and_repeats(tmp_path: Path) -> None:
    one = found(tmp_path)
    assert one.ids == ("hard", "level")
    assert [task.gap for task in one.difficulties.tasks] == pytest.approx([8, 6, 2])
    assert [task.best.model for task in one.difficulties.tasks] == [CAT, ANN, BEN]
    assert one.others() == {"easy"}
    assert one.agents == (ANN, BEN, CAT)


def test_the_target_on_hard_and_on_other_tasks(tmp_path: Path) -> None:
    one = found(tmp_path)
    # 1, 3 on "hard"; 4, 5, 6 on "level"; 8, 8 on "easy".
    assert scores(one, ANN, one.ids).value == pytest.approx(19 / 5)
    assert scores(one, ANN, one.others()).value == 8
    told = " ".join(hard_section(one, "hard-ann").sentences)
    assert "On these tasks lab/ann scored 3.80 on average, on the other 1 8.00." in told


def test_an_agent_that_is_not_left_out_needs_two_plays_as_well(tmp_path: Path) -> None:
    goals = GOALS | {"once": {(ANN, P): [(1, 5), (9, 5)], (BEN, P): [(5, 5)]}}
    one = found(tmp_path, goals)
    assert [(left.task, dict(left.plays)) for left in one.difficulties.left_out] == [
        ("once", {BEN: 1, CAT: 0})
    ]
    assert "Left out: 1 task " in " ".join(hard_section(one, "x").sentences)


def test_it_is_told_that_the_plays_that_chose_the_tasks_flatter_them(tmp_path: Path) -> None:
    cautions = " ".join(hard_section(found(tmp_path), "hard-ann").cautions)
    assert "chosen from these same episodes" in cautions
    assert "On 1 of them lab/ann itself" in cautions
    assert "based on 2 scores" in cautions


def test_a_target_without_rivals_is_told_so(tmp_path: Path) -> None:
    goals: dict[str, Plays] = {f"t{i}": {(ANN, P): [(i, 5), (i + 1, 5)]} for i in range(4)}
    cautions = " ".join(hard_section(found(tmp_path, goals), "x").cautions)
    assert "Only lab/ann played" in cautions


def test_a_list_of_all_tasks_is_no_choice(tmp_path: Path) -> None:
    one = found(tmp_path, most=20)
    section = hard_section(one, "x")
    assert "nothing was chosen" in section.cautions[0]
    assert len(section.figures) == 1


def test_all_ingredients_are_shown(tmp_path: Path) -> None:
    one = found(tmp_path)
    hardest, _, ingredients, *_ = hard_section(one, "x").tables
    assert hardest.rows[0] == ("1", "hard", "8.00", "8.00", CAT, "0.00", "2.00")
    assert ingredients.rows[0] == ("1", ANN, "2", "2.00", "1.41", "0.00", "6.24")
    assert len(ingredients.rows) == 6


def test_pairs_on_the_hard_tasks_are_means_with_their_number(tmp_path: Path) -> None:
    one = found(tmp_path)
    (table,) = hard_section(one, "x", [one.pool]).tables[3:]
    # ann with p on the two tasks: 1, 3, 4, 5, 6.
    assert table.rows[0] == (ANN, "3.80 (5)")


def test_no_task_with_two_plays_of_everybody_is_told_with_a_way_out(tmp_path: Path) -> None:
    goals: dict[str, Plays] = {"once": {(ANN, P): [(1, 5)], (BEN, P): [(2, 5)]}}
    with pytest.raises(ConfigError, match=r"two scored episodes of each of 2 agents.*lab/ann 1"):
        found(tmp_path, goals)


@pytest.mark.parametrize(("target", "told"), [("lab/x", "--target: .*lab/x"), (P, "is the target")])
def test_a_wrong_target_is_told(tmp_path: Path, target: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        found(tmp_path, target=target)


def test_its_document_holds_everything(tmp_path: Path) -> None:
    document = hard_document(found(tmp_path), "hard-ann")
    assert [task["task"] for task in document["hardest"]] == ["hard", "level"]
    assert document["hardest"][0]["best"]["model"] == CAT
    assert document["measure"] == {"measure": "goal", "low": 0, "high": 10}
    assert document["without"] == [P]


def test_tasks_that_the_judge_could_not_tell_are_counted(tmp_path: Path) -> None:
    untold = {
        (ANN, P): [(UNTOLD, 5.0), (UNTOLD, 5.0)],
        (BEN, P): [(UNTOLD, 5.0), (UNTOLD, 5.0)],
        (CAT, P): [(UNTOLD, 5.0), (UNTOLD, 5.0)],
    }
    partly = {pair: [*plays, (UNTOLD, 5.0)] for pair, plays in GOALS["easy"].items()}
    one = found(tmp_path, {**GOALS, "easy": partly, "riddle": untold})
    assert one.ids == ("hard", "level")
    # Six plays of "riddle", which nobody has a score on, and one of each agent on "easy".
    told = " ".join(hard_section(one, "x").sentences)
    assert "lab/judge could not give 9 scores of GOAL on 2 tasks; 1 of these tasks has no" in told
    document = hard_document(one, "x")
    assert document["untold"] == {"plays": 9, "tasks": ["riddle"]}
    assert document["left_out"] == []


def test_what_the_judge_told_needs_no_words(tmp_path: Path) -> None:
    one = found(tmp_path)
    assert "could not tell" not in " ".join(hard_section(one, "x").sentences)
    assert hard_document(one, "x")["untold"] == {"plays": 0, "tasks": []}


def test_figures_hold_whole_ids_and_name_every_agent(tmp_path: Path) -> None:
    long = "a-very-long-scenario-that-has-a-name.of-somebody-long.and-of-somebody-else-as-long"
    one = found(tmp_path, {**GOALS, long: GOALS["hard"]}, most=2)
    reaches, *_ = hard_section(one, "x").figures
    assert long in one.ids
    rows = reaches.chart.spec["data"]["values"]
    assert f"1. {long} (difficulty 8.00)" in {row["task"] for row in rows}
    assert {row["who"] for row in rows} == {ANN, BEN, CAT}
    # ann on "hard": 2, from 0 to 6.24; cat 6.5, from 5 to 8.
    assert "lab/ann 2.00 (0.00 to 6.24)" in reaches.chart.description
    assert "lab/cat 6.50 (5.00 to 8.00)" in reaches.chart.description


def test_agents_and_partners_on_these_tasks_are_a_table(tmp_path: Path) -> None:
    one = found(tmp_path)
    tables = hard_section(one, "x", [one.pool]).tables
    (met,) = [table for table in tables if "agent (row)" in table.heading]
    # ann with P on "hard" and "level": 1, 3, 4, 5 and 6; ben 5 5 5 3 3; cat 6 6.5 7 2 2.5 3.
    assert met.columns == ("agent", "lab/p")
    assert set(met.rows) == {
        ("lab/ann", "3.80 (5)"),
        ("lab/ben", "4.20 (5)"),
        ("lab/cat", "4.50 (6)"),
    }
