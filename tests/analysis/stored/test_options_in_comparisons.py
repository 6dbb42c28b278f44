"""One label that was set up in several ways is several agents wherever runs stand side by side."""

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
)
from sociolab.core import Action, Ended, Moved, Score, Task, Trial
from sociolab.store import Store

MODEL = "openai/x"
COOL, HOT = "1f2c" + "0" * 12, "91bc" + "0" * 12


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "s.db") as opened:
        yield opened


def played(
    store: Store, run: str, label: str, settings: str, options: str = "", world: str = "sotopia"
) -> None:
    """A run in which an agent met the scripted player, once in each of four tasks."""
    trials = [
        Trial(
            f"{run}-{number}",
            world,
            Task(f"t{number}", ("ann", "bob"), f"scene {number}", "{}", ("bargain",)),
            (seated("ann", label, settings), seated("bob", "scripted", "p")),
            0,
            0,
        )
        for number in range(4)
    ]
    kept = {
        "data": ["by-hand", "1", "h1"],
        "agents": [[label, settings]],
        "partner": ["scripted", "p"],
        "seed": 0,
        **({"options": {label: options}} if options else {}),
    }
    store.create_run(run, world, kept, trials, declared(world, trials))  # type: ignore[arg-type]
    for number, trial in enumerate(trials):
        store.append(run, trial.id, Moved(0, "ann", (Action("leave"),)))
        store.append(run, trial.id, Ended("left", 0, "ann"))
        store.set_status(run, trial.id, "played")
        store.verdicts.add(run, JUDGE, [Score(GOAL, "ann", float(number))], trial=trial.id)


def compared(store: Store, label: str = MODEL) -> Conclusions:
    played(store, "a", label, COOL, "temperature=0.2")
    played(store, "b", label, HOT)
    return compare_runs(store, CompareRequest(("a", "b")))


def words(found: Conclusions) -> str:
    document = found.document()
    return " ".join([*document["said"], *document["cautions"]])


def test_they_are_two_agents_and_what_is_known_of_their_options_is_said(store: Store) -> None:
    found = compared(store)
    assert found.comparison is not None
    assert (found.comparison.a.name, found.comparison.b.name) == (f"{MODEL}@1f2c", f"{MODEL}@91bc")
    assert (
        f"{MODEL} was not set up the same way from run to run (@1f2c in a: temperature=0.2, @91bc "
        "in b): its options in models.toml" in words(found)
    )


def test_they_are_two_rows_of_a_table_and_of_a_ranking(store: Store) -> None:
    compared(store)
    both = {f"{MODEL}@1f2c", f"{MODEL}@91bc"}
    assert {agent for one in across(store, ["a", "b"], {}).columns for agent in one.places} == both
    assert {one.model for one in rank_runs(store, ["a", "b"]).ratings.models} == both


def test_set_up_the_same_way_they_are_one(store: Store) -> None:
    for run in "ab":
        played(store, run, MODEL, COOL, "temperature=0.2")
    assert not agent_names(store, ["a", "b"]).renamed
    assert "set up" not in words(compare_runs(store, CompareRequest(("a", "b"))))


def test_people_play_as_ever_whatever_their_time_for_a_turn(store: Store) -> None:
    found = compared(store, "human")
    assert not agent_names(store, ["a", "b"]).renamed
    assert "human was not set up the same way in both runs" in words(found)


def test_each_world_has_a_temperature_of_its_own_that_makes_no_other_agent(store: Store) -> None:
    played(store, "a", MODEL, COOL)
    played(store, "b", MODEL, HOT, world="stss-talk")
    assert agent_names(store, ["a", "b"]).renamed == {}
    (column,) = across(store, ["a"], {}).columns
    assert set(column.places) == {MODEL}
    played(store, "c", MODEL, HOT)
    assert set(agent_names(store, ["a", "b", "c"]).renamed) == {"a", "c"}
