"""Runs for comparisons: an agent with itself or a partner, goal scores written down by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from casts import seated
from declared_worlds import declared
from sociolab.core import Action, Ended, JudgeId, Measure, Moved, Score, Task, Trial, Verdict
from sociolab.store import Store

GOAL = Measure("goal", 0, 10, whole=True, title="GOAL")
JUDGE = JudgeId("openai/judge", "model", "j1")


def add_run(
    store: Store,
    name: str,
    agent: str,
    goals: Mapping[str, tuple[float, ...]],
    *,
    partner: str | None = None,
    seed: int = 0,
    measure: Measure = GOAL,
    judge: JudgeId = JUDGE,
    content: str = "{}",
    world: str = "sotopia",
    seats: tuple[str, str] = ("ann", "bob"),
    also: Sequence[Verdict] = (),
    **settings: Any,
) -> None:
    """A run of one seat's goal in each task, a value for each repeat; `also` is said of each."""
    trials = [
        (
            Trial(
                f"{name}-{task}-{repeat}",
                world,
                Task(task, seats, f"scene of {task}", content, ("bargain",)),
                (seated("ann", agent, f"s-{agent}"), seated("bob", partner or agent, "p")),
                repeat,
                seed,
            ),
            goal,
        )
        for task, some in goals.items()
        for repeat, goal in enumerate(some)
    ]
    kept: dict[str, Any] = {
        "data": ["by-hand", "1", "h1"],
        "agents": [[agent, f"s-{agent}"]],
        "partner": [partner, "p"] if partner else None,
        "seed": seed,
        **settings,
    }
    store.create_run(
        name,
        world,
        kept,
        [trial for trial, _ in trials],
        declared(world, [trial for trial, _ in trials]),
    )
    for trial, goal in trials:
        store.append(name, trial.id, Moved(0, "ann", (Action("leave"),)))
        store.append(name, trial.id, Ended("left", 0, "ann"))
        store.set_status(name, trial.id, "played")
        store.verdicts.add(name, judge, [Score(measure, "ann", goal), *also], trial=trial.id)
