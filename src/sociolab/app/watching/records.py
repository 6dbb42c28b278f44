"""Runs and episodes as JSON objects, for programs."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

from sociolab.app.finding.worlds import told
from sociolab.app.watching.episodes import Found, Listed
from sociolab.core.codec import encode_event
from sociolab.core.ports import Transcript
from sociolab.core.score import Score, ScoreFailure, Unscored, Verdict
from sociolab.report.episodes import kept_work
from sociolab.store.runs import RunRow
from sociolab.store.scores import JudgingRow
from sociolab.store.sqlite import Store
from sociolab.store.watching import place_of

SCHEMA = 1
"""Counts up with every change that a reader of these objects could trip over."""


def run_record(row: RunRow) -> dict[str, Any]:
    """A run in the list of runs; `created` in seconds since 1970 (UTC)."""
    return {
        "run": row.name,
        "world": row.world,
        "created": row.created,
        "seconds": row.seconds,
        "trials": row.trials,
        "planned": row.planned,
        "playing": row.playing,
        "played": row.played,
        "failed": row.failed,
        "keeps_replies_of": kept_work(row) or None,
    }


def list_record(run: str, found: Found) -> dict[str, Any]:
    """A page of the list of episodes."""
    scored = found.scored
    return {
        "schema": SCHEMA,
        "run": run,
        "episodes_of_run": found.all,
        "episodes_that_fit": found.of,
        "page": found.page,
        "pages": found.pages,
        "score": scored and {"judge": scored.label, "measure": scored.measure.name},
        "episodes": [_listed(one) for one in found.listed],
    }


def _listed(one: Listed) -> dict[str, Any]:
    row = asdict(one.row)
    row["cast"] = [{"seat": seat, "agent": agent} for seat, agent in one.row.cast]
    return row | {"scores": [{"seat": seat or None, "value": value} for seat, value in one.scores]}


def episode_record(store: Store, run: str, trial: str) -> dict[str, Any]:
    """An episode: what was planned, what happened, how it reads, what judges said of it."""
    episode, place = store.episode(run, trial), place_of(store, run, trial)
    planned = episode.trial
    return {
        "schema": SCHEMA,
        "run": run,
        "episode": planned.id,
        "world": planned.world,
        "status": place.status,
        "cause": place.cause or None,
        "problem": place.problem,
        "seed": planned.seed,
        "repeat": planned.repeat,
        "cast": [asdict(member) for member in planned.cast],
        "task": {
            "id": planned.task.id,
            "cluster": planned.task.cluster,
            "tags": list(planned.task.tags),
            "seats": list(planned.task.seats),
            "content": _json_or_text(planned.task.content),
        },
        "transcript": transcript_record(told(episode)),
        "scores": [_judging(row) for row in store.judgings(run, trial=trial)],
        "events": [json.loads(encode_event(event)) for event in episode.events],
    }


def transcript_record(read: Transcript) -> dict[str, Any]:
    """How an episode reads; turns count from 0."""
    return {
        "title": read.title,
        "scene": [{"heading": heading, "text": text} for heading, text in read.scene],
        "lines": [{"turn": line.turn, "who": line.who, "text": line.text} for line in read.lines],
        "notes": [asdict(note) for note in read.notes],
    }


def _judging(row: JudgingRow) -> dict[str, Any]:
    return {
        "judge": row.judge.name,
        "method": row.judge.method,
        "settings": row.judge.settings,
        "judging": row.judging,
        "verdicts": [_verdict(verdict) for verdict in row.verdicts],
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    measure = verdict.measure
    said: dict[str, Any] = {"measure": measure.name, "title": measure.title, "seat": verdict.seat}
    match verdict:
        case Score(value=value, reason=reason):
            return said | {"value": value, "reason": reason}
        case ScoreFailure(cause=cause, problem=problem, raw=raw, attempts=attempts):
            failed = {"cause": cause, "problem": problem, "raw": raw, "attempts": attempts}
            return said | {"value": None, "failure": failed}
        case Unscored(why=why, kind=kind):
            least, most = verdict.bounds
            bounds = None if math.isinf(most) else [least, most]
            return said | {"value": None, "unscored": why, "kind": kind, "bounds": bounds}


def _json_or_text(content: str) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content
