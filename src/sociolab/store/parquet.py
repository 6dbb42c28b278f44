"""Scores, turns and calls of a run as flat rows, for tables and Parquet files.

The columns are documented in docs/python.md and docs/training.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from sociolab.core.episode import Answered, Ended, Event, Moved, Trial, Unusable
from sociolab.core.errors import StoreError, missing_extra
from sociolab.core.ports import Usage
from sociolab.core.user_files import atomic_file
from sociolab.store.checking import verify_runs
from sociolab.store.database import replace_surrogates
from sociolab.store.store import Store

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
    "role": "str",  # judge, reader or sheet
    "model": "str",  # or class, or set of ratings
    "sheet": "str",
    "code": "str",  # the fingerprint of a Python class
    "prompts": "str",  # the hash of the texts that the judge got
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
    "unscored": "str",  # cannot tell, disputed, unconfirmed, not applicable
    "least": "float",  # of an unscored verdict, the least and the most that its value could be
    "most": "float",
    "rater": "str",  # of a rating by a person, as are seconds and when (UTC)
    "seconds": "float",
    "when": "str",
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
    for row in store.verdicts.scores(name):
        measure = row.measure
        least, most = row.bounds if row.kind == "unscored" else (None, None)
        yield {
            "run": name,
            **(_trial_columns(trials[row.trial], row.seat) if row.trial else {}),
            "cell": None if row.cell is None else json.dumps(row.cell, ensure_ascii=False),
            "judge": row.judge.label,
            "judge_settings": row.judge.settings,
            **row.judge.as_json(),
            "prompts": row.judge.prompts and row.judge.prompts.hash,
            "judging": row.judging,
            "measure": measure.name,
            "low": measure.low,
            "high": measure.high,
            "kind": row.kind,
            "value": row.value,
            "text": row.text,
            "cause": row.cause,
            "attempts": row.attempts,
            "unscored": row.unscored,
            "least": least,
            "most": most,
            **(asdict(row.rated_by) if row.rated_by else {}),
        }


def turn_rows(store: Store, name: str, trials: Mapping[str, Trial]) -> Iterator[Row]:
    """A row for each action and each other event of a run, in plan order."""
    for trial in trials.values():
        for n, event in enumerate(store.events(name, trial.id)):
            shared = {"run": name, "n": n, "turn": event.turn, **_trial_columns(trial, event.seat)}
            for row in _event_rows(event):
                yield {**shared, **row}


def _event_rows(event: Event) -> Iterator[Row]:
    match event:
        case Moved():
            for action in event.actions:
                fields = {"name": action.kind, "text": action.text, "to": ",".join(action.to)}
                fields["fields"] = json.dumps(dict(action.fields), ensure_ascii=False)
                yield {"event": "moved", "attempt": event.attempt, **fields}
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


def _trial_columns(trial: Trial, seat: str | None) -> Row:
    agents = {member.seat: member.agent for member in trial.cast}
    return {
        "trial": trial.id,
        "task": trial.task.id,
        "cluster": trial.task.cluster,
        "repeat": trial.repeat,
        "seat": seat,
        "agent": None if seat is None else agents.get(seat),
    }


_BATCH = 5000
"""Rows in memory at a time."""

_CALLS = {
    "run": "str",
    "trial": "str",
    "role": "str",
    "seat": "str",
    "turn": "int",
    "name": "str",
    "attempt": "int",
    "index": "int",
    "model": "str",
    "prompt_hash": "str",
    "prompt_bytes": "int",  # UTF-8, the schema included
    "messages": "messages",  # what was sent, as chat messages
    "schema": "str",  # the JSON schema that the reply was to follow, or null
    "temperature": "float",
    "prompt_tokens": "int",
    "completion_tokens": "int",
    "cached_tokens": "int",
    "estimated": "bool",  # whether tokens and usd are an estimate
    "usd": "float",
    "seconds": "float",
    "tries": "int",
    "finish": "str",
    "fault": "str",  # what was wrong with a reply that was used, or ""
    "served_model": "str",  # as the server returned it, as is the fingerprint
    "fingerprint": "str",
    "left_out": "str",  # options that were not sent, joined by commas
    "cap": "int",  # the token limit that was sent
    "reasoned": "bool",
    "reply": "str",
    "at": "float",
}

_LEDGER = {
    "run": "str",
    "trial": "str",
    "role": "str",
    "seat": "str",
    "turn": "int",
    "name": "str",
    "attempt": "int",  # of the player
    "index": "int",
    "model": "str",
    "number": "int",  # of the request, from 1 in each call
    "cause": "str",  # null where it brought the reply
    "billed": "str",  # told, estimated, possible or no
    "prompt_tokens": "int",
    "completion_tokens": "int",
    "cached_tokens": "int",
    "usd": "float",
    "seconds": "float",  # where it brought the reply, of the whole call
    "at": "float",
}


def export_parquet(store: Store, name: str, folder: Path) -> None:
    """Write `scores.parquet`, `turns.parquet`, `calls.parquet` and `ledger.parquet` (each
    attempt of each call) of a run into `folder`.

    Each file appears only when complete. ConfigError if pyarrow is missing; StoreError if there is
    no such run, a row of it is damaged, or the folder cannot be written.
    """
    _pyarrow()
    verify_runs(store, name)
    trials = {row.trial.id: row.trial for row in store.trials(name)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / "scores.parquet", SCORES, score_rows(store, name, trials))
        _write(folder / "turns.parquet", TURNS, turn_rows(store, name, trials))
        _write(folder / "calls.parquet", _CALLS, _call_rows(store, name))
        _write(folder / "ledger.parquet", _LEDGER, _ledger_rows(store, name))
    except OSError as error:
        raise StoreError(
            f'run "{name}" cannot be written to {folder} ({error}); name another folder'
        ) from error


def _write(file: Path, columns: Mapping[str, str], rows: Iterable[Row]) -> None:
    pa, parquet = _pyarrow()
    types = {
        "str": pa.string(),
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
        "messages": pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())])),
    }
    schema = pa.schema([(column, types[kind]) for column, kind in columns.items()])
    remaining = iter(rows)
    # zstd, since each prompt holds most of the one before: a third of what snappy makes of it.
    with (
        atomic_file(file) as part,
        parquet.ParquetWriter(part, schema, compression="zstd") as writer,
    ):
        while batch := list(islice(remaining, _BATCH)):
            values = [[_plain(row.get(column)) for row in batch] for column in columns]
            writer.write_batch(pa.record_batch(values, schema))


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa  # here because it takes half a second, and is an extra
        from pyarrow import parquet
    except ImportError as error:
        raise missing_extra("Parquet needs", "parquet", "pyarrow") from error
    return pa, parquet


def _plain(value: Any) -> Any:
    return replace_surrogates(value) if isinstance(value, str) else value


def _call_rows(store: Store, name: str) -> Iterator[Row]:
    for row, prompt in store.calls.with_prompts(name):
        reply, served = row.reply, row.reply.served
        yield {
            "run": name,
            **asdict(row.call),
            "model": row.model,
            "prompt_hash": row.prompt_hash,
            "prompt_bytes": row.prompt_bytes,
            "messages": [
                {"role": message.role, "content": replace_surrogates(message.text)}
                for message in prompt.messages
            ],
            "schema": prompt.schema.text if prompt.schema else None,
            "temperature": prompt.temperature,
            **_tokens(reply.usage),
            "estimated": reply.usage.estimated,
            "usd": reply.usd,
            "seconds": reply.seconds,
            "tries": reply.tries,
            "finish": reply.finish,
            "fault": reply.fault,
            "served_model": served.model,
            "fingerprint": served.fingerprint,
            "left_out": ",".join(served.left_out),
            "cap": served.cap,
            "reasoned": reply.reasoned,
            "reply": reply.text,
            "at": row.at,
        }


def _ledger_rows(store: Store, name: str) -> Iterator[Row]:
    for row in store.calls.ledger(name):
        attempt = row.attempt
        yield {
            "run": name,
            **asdict(row.call),
            "model": row.model,
            "number": attempt.number,
            "cause": attempt.cause,
            "billed": attempt.billed,
            **_tokens(attempt.usage),
            "usd": attempt.usd,
            "seconds": attempt.seconds,
            "at": row.at,
        }


def _tokens(usage: Usage) -> Row:
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "cached_tokens": usage.cached,
    }
