"""Scores and turns as flat rows: of runs, for tables and for files; docs/python.md tells them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from sociolab.core.episode import Answered, Ended, Event, Moved, Trial, Unusable
from sociolab.core.score import Score, ScoreFailure, Unscored, Verdict
from sociolab.store.sqlite import Store

Row: TypeAlias = Mapping[str, Any]
"""Values by column; a column that does not apply is missing."""

_TRIAL = {"run": "str", "trial": "str", "task": "str", "cluster": "str", "repeat": "int"}

SCORES = {
    **_TRIAL,
    "cell": "str",  # JSON
    "judge": "str",
    "method": "str",
    "judge_settings": "str",
    "judging": "int",
    "measure": "str",
    "low": "float",
    "high": "float",
    "seat": "str",
    "agent": "str",
    "kind": "str",  # score, failure or unscored
    "value": "float",
    "text": "str",  # the reason, the problem, or why not
    "cause": "str",
    "attempts": "int",
    "unscored": "str",  # cannot tell, disputed or unconfirmed
    "least": "float",  # of an unscored verdict, the least and the most that its value could be
    "most": "float",
}

TURNS = {
    **_TRIAL,
    "n": "int",  # of the event in its trial, from 0; a turn with two actions has two rows
    "event": "str",  # moved, answered, unusable or ended
    "turn": "int",
    "seat": "str",
    "agent": "str",
    "name": "str",  # the kind of action, the question, or why it ended
    "text": "str",  # the words, the answer as JSON, or the raw reply
    "to": "str",  # seats, joined by commas
    "attempt": "int",
    "cause": "str",
    "problem": "str",
    "final": "bool",
}


def score_rows(store: Store, name: str, trials: Mapping[str, Trial]) -> Iterator[Row]:
    """A row for each verdict of a run, in the order of `judgings`."""
    for row in store.verdicts(name):
        verdict = row.verdict
        measure = verdict.measure
        yield {
            "run": name,
            **(_of_trial(trials[row.trial], verdict.seat) if row.trial else {}),
            "cell": None if row.cell is None else json.dumps(row.cell, ensure_ascii=False),
            "judge": row.judge.name,
            "method": row.judge.method,
            "judge_settings": row.judge.settings,
            "judging": row.judging,
            "measure": measure.name,
            "low": measure.low,
            "high": measure.high,
            **_of_verdict(verdict),
        }


def _of_verdict(verdict: Verdict) -> Row:
    match verdict:
        case Score():
            return {"kind": "score", "value": verdict.value, "text": verdict.reason}
        case ScoreFailure(cause=cause, problem=problem, attempts=attempts):
            return {"kind": "failure", "text": problem, "cause": cause, "attempts": attempts}
        case Unscored():
            least, most = verdict.bounds
            bounds = {"least": least, "most": most}
            return {"kind": "unscored", "text": verdict.why, "unscored": verdict.kind, **bounds}


def turn_rows(store: Store, name: str, trials: Mapping[str, Trial]) -> Iterator[Row]:
    """A row for each action and every other event of a run, in the order of the plan."""
    for trial in trials.values():
        for n, event in enumerate(store.events(name, trial.id)):
            shared = {"run": name, "n": n, "turn": event.turn, **_of_trial(trial, event.seat)}
            for row in _of_event(event):
                yield {**shared, **row}


def _of_event(event: Event) -> Iterator[Row]:
    match event:
        case Moved():
            for action in event.actions:
                said = {"name": action.kind, "text": action.text, "to": ",".join(action.to)}
                yield {"event": "moved", "attempt": event.attempt, **said}
        case Answered(question=question, attempt=attempt):
            value = json.dumps(event.value, ensure_ascii=False)
            yield {"event": "answered", "name": question, "text": value, "attempt": attempt}
        case Unusable():
            yield {
                "event": "unusable",
                "name": event.name,
                "text": event.raw,
                "attempt": event.attempt,
                "cause": event.cause,
                "problem": event.problem,
                "final": event.final,
            }
        case Ended():
            yield {"event": "ended", "name": event.reason}


def _of_trial(trial: Trial, seat: str | None) -> Row:
    agents = {member.seat: member.agent for member in trial.cast}
    return {
        "trial": trial.id,
        "task": trial.task.id,
        "cluster": trial.task.cluster,
        "repeat": trial.repeat,
        "seat": seat,
        "agent": None if seat is None else agents.get(seat),
    }
