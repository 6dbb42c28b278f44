"""Old and new code of one label are two agents wherever runs stand side by side."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis.stored.comparing_runs import GOAL, JUDGE
from casts import seated
from declared_worlds import declared
from sociolab.analysis import (
    CompareRequest,
    Conclusions,
    across,
    agent_names,
    compare_runs,
    rank_runs,
    run_variances,
)
from sociolab.core import Action, Ended, Moved, Score, Task, Trial
from sociolab.store import Store

MINE = "python:mine:Mine"
OLD, NEW = "3f2a" + "0" * 12, "91bc" + "0" * 12
SAME = "Both sides are the same agent with the same settings"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "s.db") as opened:
        yield opened


def played(store: Store, run: str, code: str, goals: tuple[float, ...]) -> None:
    """A run in which my class met the scripted player, once in each task."""
    trials = [
        Trial(
            f"{run}-{number}",
            "sotopia",
            Task(f"t{number}", ("ann", "bob"), f"scene {number}", "{}", ("bargain",)),
            (seated("ann", MINE, "s", code), seated("bob", "scripted", "p")),
            0,
            0,
        )
        for number in range(len(goals))
    ]
    kept = {
        "data": ["by-hand", "1", "h1"],
        "agents": [[MINE, "s"]],
        "partner": ["scripted", "p"],
        "seed": 0,
    }
    store.create_run(run, "sotopia", kept, trials, declared("sotopia", trials))  # type: ignore[arg-type]
    for trial, goal in zip(trials, goals, strict=True):
        store.append(run, trial.id, Moved(0, "ann", (Action("leave"),)))
        store.append(run, trial.id, Ended("left", 0, "ann"))
        store.set_status(run, trial.id, "played")
        store.verdicts.add(run, JUDGE, [Score(GOAL, "ann", goal)], trial=trial.id)


def compared(store: Store, first: str, second: str) -> Conclusions:
    played(store, "a", first, (3, 4, 5, 6))
    played(store, "b", second, (5, 6, 7, 9))
    return compare_runs(store, CompareRequest(("a", "b")))


def words(found: Conclusions) -> str:
    document = found.document()
    return " ".join([*document["said"], *document["cautions"]])


def test_the_same_code_is_the_same_agent(store: Store) -> None:
    found = compared(store, OLD, OLD)
    assert SAME in words(found)
    assert "@" not in words(found)


def test_other_code_is_another_agent_that_shares_the_label(store: Store) -> None:
    found = compared(store, OLD, NEW)
    assert SAME not in words(found)
    assert f"{MINE} ran other code from run to run (@3f2a in a, @91bc in b)" in words(found)
    assert found.comparison is not None
    assert (found.comparison.a.name, found.comparison.b.name) == (f"{MINE}@3f2a", f"{MINE}@91bc")


def test_they_are_found_by_their_label_and_by_their_name(store: Store) -> None:
    compared(store, OLD, NEW)
    for agent in (MINE, f"{MINE}@3f2a"):
        found = compare_runs(store, CompareRequest(("a", "b"), agent=agent)).comparison
        assert found is not None
        assert found.a.agent == f"{MINE}@3f2a"


def test_code_that_imports_other_modules_is_another_agent(store: Store) -> None:
    compared(store, f"{OLD}+{'1' * 16}", f"{OLD}+{'2' * 16}")
    shown = agent_names(store, ["a", "b"]).renamed
    assert len({names[MINE] for names in shown.values()}) == 2


@pytest.mark.parametrize(
    ("first", "second"), [("unknown code", "unknown code"), (OLD, "unknown code")]
)
def test_of_unknown_code_nothing_is_said_to_be_the_same(
    store: Store, first: str, second: str
) -> None:
    found = compared(store, first, second)
    assert SAME not in words(found)
    assert f"Nobody can tell whether {MINE} was the same agent" in words(found)


def test_one_run_alone_needs_no_mark(store: Store) -> None:
    played(store, "a", "unknown code", (3, 4))
    assert not agent_names(store, ["a"]).renamed


def test_both_codes_are_ranked(store: Store) -> None:
    compared(store, OLD, NEW)
    found = rank_runs(store, ["a", "b"])
    assert [one.model for one in found.ratings.models] == [f"{MINE}@91bc", f"{MINE}@3f2a"]
    assert any("share a label" in note for note in found.pool.notes)


def test_runs_of_one_code_are_one_agent_in_a_ranking(store: Store) -> None:
    compared(store, OLD, NEW)
    played(store, "c", OLD, (3, 4, 5, 6))
    found = rank_runs(store, ["a", "b", "c"])
    assert found.plays == {f"{MINE}@3f2a": 8, f"{MINE}@91bc": 4}


def test_they_are_two_rows_of_a_table(store: Store) -> None:
    compared(store, OLD, NEW)
    found = across(store, ["a", "b"], {})
    agents = {agent for column in found.columns for agent in column.places}
    assert agents == {f"{MINE}@3f2a", f"{MINE}@91bc"}
    assert any("share a label" in caution for caution in found.document()["cautions"])


def test_they_vary_each_for_itself(store: Store) -> None:
    compared(store, OLD, NEW)
    found = run_variances(store, ["a", "b"])
    assert {f"{MINE}@3f2a", f"{MINE}@91bc"} <= {one.agent for one in found.agents}
