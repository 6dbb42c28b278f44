"""Runs made by hand from the goals of both seats: task, cast, repeats, judgings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from casts import seated
from declared_worlds import declared
from sociolab.core import (
    Action,
    Ended,
    JudgeId,
    Measure,
    Moved,
    Score,
    ScoreFailure,
    Task,
    Trial,
    Unscored,
    Verdict,
)
from sociolab.store import Store

MODEL = JudgeId("lab/judge", "model", "j1")
GOAL = Measure("goal", 0, 10, title="GOAL")
UNTOLD = -1.0
"""A goal that the judge cannot tell."""
DATA = ("by-hand", "1", "0123abcd")

Goal = float | None | Unscored
Goals = tuple[Goal, Goal]
Plays = Mapping[tuple[str, str], Sequence[Goals | Sequence[Goals]]]
"""By the agents of ann and bob: for each repeat the goals of both, or those of each judging."""


def settings(agents: Mapping[str, str], data: tuple[str, str, str] = DATA) -> dict[str, Any]:
    """What a run's settings say of its data, and of its agents by label and hash."""
    return {
        "data": list(data),
        "agents": [[label, hash_] for label, hash_ in agents.items()],
        "partner": None,
        "repeats": 1,
    }


def add_run(
    store: Store,
    name: str,
    goals: Mapping[str, Plays],
    *,
    judges: Sequence[JudgeId] = (MODEL,),
    measure: Measure = GOAL,
    clusters: Mapping[str, str] | None = None,
    given: dict[str, Any] | None = None,
) -> None:
    """Store a run that was played and judged so; every judge says the same.

    Each task is a cluster of its own, unless `clusters` says otherwise. A goal that is None
    failed.
    """
    labels = {agent for plays in goals.values() for cast in plays for agent in cast}
    given = given or settings(dict.fromkeys(labels, "a1"))
    hashes = dict(given["agents"])
    rows = [
        (_trial(name, task, (clusters or {}).get(task, f"of {task}"), cast, i, hashes), said)
        for task, plays in goals.items()
        for cast, repeats in plays.items()
        for i, said in enumerate(repeats)
    ]
    store.create_run(
        name,
        "sotopia",
        given,
        [trial for trial, _ in rows],
        declared("sotopia", [trial for trial, _ in rows]),
    )
    for trial, said in rows:
        store.append(name, trial.id, Moved(0, SEATS[0], (Action("leave"),)))
        store.append(name, trial.id, Ended("left", 0, SEATS[0]))
        store.set_status(name, trial.id, "played")
        for judge in judges:
            for number, pair in enumerate(_judgings(said)):
                verdicts = [_verdict(measure, s, v) for s, v in zip(SEATS, pair, strict=True)]
                store.verdicts.add(name, judge, verdicts, trial=trial.id, judging=number)


SEATS = ("ann", "bob")


def _trial(
    run: str,
    task: str,
    cluster: str,
    cast: tuple[str, str],
    repeat: int,
    hashes: Mapping[str, str],
) -> Trial:
    members = tuple(
        seated(seat, one, hashes.get(one, "a1")) for seat, one in zip(SEATS, cast, strict=True)
    )
    key = f"{run}-{task}-{cast[0]}-{cast[1]}-{repeat}".replace("/", "_")
    return Trial(key, "sotopia", Task(task, SEATS, cluster, "{}", ("norms",)), members, repeat, 0)


def _judgings(said: Goals | Sequence[Goals]) -> Sequence[Goals]:
    first = said[0]
    return said if isinstance(first, tuple) else [said]  # type: ignore


def _verdict(measure: Measure, seat: str, value: Goal) -> Verdict:
    if isinstance(value, Unscored):
        return replace(value, measure=measure, seat=seat)
    if value is None:
        return ScoreFailure(measure, seat, "unreadable", "no number", "hm", 1)
    return Unscored(measure, seat, "no rule") if value == UNTOLD else Score(measure, seat, value)
