"""Runs and episodes as JSON, for programs."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import JSONResponse, Response

from sociolab.app.episode_list import EpisodeFilter, EpisodePage, list_page
from sociolab.app.transcripts import transcript_of
from sociolab.core.codec import encode_event
from sociolab.core.ports import Transcript
from sociolab.core.score import Score, ScoreFailure, Unscored, Verdict
from sociolab.store.overview import trial_place
from sociolab.store.store import RunRow, Store
from sociolab.store.verdicts import JudgingRow
from sociolab.web.site import store_of
from sociolab.web.watch.parameters import (
    PageNumber,
    RunName,
    TrialId,
    episode_filter,
    json_answer,
    require_run,
    require_trial,
)
from sociolab.web.watch.runs import run_result

SCHEMA = 1
"""Rises with every change that could break a reader of these objects."""


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
        "keeps_replies_of": row.work or None,
    }


def list_record(run: str, listing: EpisodePage) -> dict[str, Any]:
    scored = listing.scored
    return {
        "schema": SCHEMA,
        "run": run,
        "episodes_of_run": listing.all,
        "episodes_that_fit": listing.of,
        "page": listing.page,
        "pages": listing.pages,
        "score": scored and {"judge": scored.label, "measure": scored.measure.name},
        "episodes": [
            asdict(entry.row)
            | {
                "cast": [{"seat": seat, "agent": agent} for seat, agent in entry.row.cast],
                "scores": [{"seat": seat or None, "value": value} for seat, value in entry.scores],
            }
            for entry in listing.episodes
        ],
    }


def episode_record(store: Store, run: str, trial: str) -> dict[str, Any]:
    """An episode: plan, events, transcript and scores."""
    episode, place = store.episode(run, trial), trial_place(store, run, trial)
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
        "transcript": transcript_record(transcript_of(episode)),
        "scores": [_judging_record(row) for row in store.verdicts.judgings(run, trial=trial)],
        "events": [json.loads(encode_event(event)) for event in episode.events],
    }


def transcript_record(read: Transcript) -> dict[str, Any]:
    """The transcript of an episode; turns count from 0."""
    return {
        "title": read.title,
        "scene": [{"heading": heading, "text": text} for heading, text in read.scene],
        "lines": [{"turn": line.turn, "who": line.who, "text": line.text} for line in read.lines],
        "notes": [asdict(note) for note in read.notes],
    }


def _judging_record(row: JudgingRow) -> dict[str, Any]:
    return {
        "judge": row.judge.label,
        "settings": row.judge.settings,
        **row.judge.as_json(),
        "judging": row.judging,
        "verdicts": [_score_record(verdict) for verdict in row.verdicts],
    }


def _score_record(verdict: Verdict) -> dict[str, Any]:
    measure = verdict.measure
    record: dict[str, Any] = {"measure": measure.name, "title": measure.title, "seat": verdict.seat}
    match verdict:
        case Score(value=value, reason=reason):
            return record | {"value": value, "reason": reason, **_rated_by(verdict)}
        case ScoreFailure(cause=cause, problem=problem, raw=raw, attempts=attempts):
            failed = {"cause": cause, "problem": problem, "raw": raw, "attempts": attempts}
            return record | {"value": None, "failure": failed}
        case Unscored(why=why, kind=kind):
            least, most = verdict.bounds
            bounds = None if math.isinf(most) else [least, most]
            unscored = {"value": None, "unscored": why, "kind": kind, "bounds": bounds}
            return record | unscored | _rated_by(verdict)


def _rated_by(verdict: Score | Unscored) -> dict[str, Any]:
    return asdict(verdict.rated_by) if verdict.rated_by else {}


def _json_or_text(content: str) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content


router = APIRouter(tags=["api"], prefix="/api", default_response_class=JSONResponse)


@router.get("/runs")
def runs(request: Request) -> Response:
    """All runs, the oldest first; those that only keep model replies say whose."""
    rows = store_of(request).runs()
    return json_answer({"schema": SCHEMA, "runs": [run_record(row) for row in rows]})


@router.get("/runs/{run}")
def one_run(request: Request, run: RunName) -> Response:
    """The result of a run, as `sociolab report --json` prints it."""
    store = store_of(request)
    require_run(store, run)
    return json_answer(run_result(store, run).model_dump(by_alias=True))


@router.get("/runs/{run}/episodes")
def episodes(
    request: Request,
    run: RunName,
    filtered: Annotated[EpisodeFilter, Depends(episode_filter)],
    number: Annotated[PageNumber, Query(alias="page")] = 1,
    size: Annotated[int, Query(ge=1, le=1000, description="Episodes on a page.")] = 50,
) -> Response:
    """A page of a run's episodes, filtered and sorted."""
    store = store_of(request)
    require_run(store, run)
    return json_answer(list_record(run, list_page(store, run, filtered, number, size)))


@router.get("/runs/{run}/episodes/{trial}")
def episode(request: Request, run: RunName, trial: TrialId) -> Response:
    """An episode: what was planned, what happened, how it reads, what judges said of it."""
    store = store_of(request)
    require_trial(store, run, trial)
    return json_answer(episode_record(store, run, trial))
