"""Means over all partners name who met whom, where agents met different ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from casts import seated
from declared_worlds import declared
from sociolab import result_of
from sociolab.core import Action, Ended, Json, JudgeId, Measure, Moved, Score, Task, Trial
from sociolab.report import agent_grids
from sociolab.store import Store

GOAL = Measure("goal", 0, 10, title="GOAL")
JUDGE = JudgeId("j", "model")


def notes(path: Path, met: Mapping[str, Sequence[str]]) -> str:
    """Below the table of a run in which each agent met these partners, once each."""
    trials = [
        Trial(
            f"{agent}-{partner}", "sotopia", Task("t", ("ann", "bob"), "scene", "{}", ("x",)),
            (seated("ann", agent, agent), seated("bob", partner, partner)), 0, 0,
        )
        for agent, partners in met.items()
        for partner in partners
    ]  # fmt: skip
    settings: Json = {
        "data": ["by-hand", "1", "h"], "agents": [[one, one] for one in met], "seed": 0,
        "partner": None,
    }  # fmt: skip
    with Store.open(path) as store:
        store.create_run("r", "sotopia", settings, trials, declared("sotopia", trials))
        for trial in trials:
            store.append("r", trial.id, Moved(0, "ann", (Action("speak", "Hello."),)))
            store.append("r", trial.id, Ended("turn limit", 0))
            store.verdicts.add("r", JUDGE, [Score(GOAL, "ann", 5)], trial=trial.id)
        grid = agent_grids(result_of(store, "r"))[0]
    return " ".join(grid.notes)


def test_agents_that_met_different_partners_are_named_with_them(tmp_path: Path) -> None:
    told = notes(tmp_path / "s.db", {"a": ("p", "q"), "b": ("p",)})
    assert (
        "the agents met different partners, who are part of these means: a met p, q; b met p"
        in (told)
    )


def test_agents_that_met_the_same_partners_need_no_note(tmp_path: Path) -> None:
    for name, met in (
        ("same", {"a": ("p",), "b": ("p",)}),
        ("each-other", {"a": ("a", "b"), "b": ("a", "b")}),
        ("themselves", {"a": ("a",), "b": ("b",)}),
    ):
        assert "different partners" not in notes(tmp_path / f"{name}.db", met)
