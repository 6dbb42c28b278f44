"""Scores, turns and calls of a run as flat rows, for tables and Parquet files.

The columns are documented in docs/export.md, as they are here; each field of a Parquet file has the
meaning of its column as metadata.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from sociolab.core.episode import Answered, Ended, Event, Moved, Trial, Unusable
from sociolab.core.errors import StoreError, missing_extra
from sociolab.core.ports import Usage
from sociolab.core.user_files import atomic_file
from sociolab.store.checking import verify_runs
from sociolab.store.database import replace_surrogates
from sociolab.store.store import Store

Row: TypeAlias = Mapping[str, Any]
"""Values by column; a column that does not apply is missing."""


class TableColumn(NamedTuple):
    """The type of a column (str, int, float, bool or messages), and what it holds: its unit, and
    what null means, if it can be null."""

    type: str
    meaning: str


_TRIAL = {
    "run": TableColumn("str", "the run's name"),
    "trial": TableColumn(
        "str", "id of the episode; null: a score of a cell of the plan, or of the run"
    ),
    "task": TableColumn("str", "id of its task; null if trial is"),
    "cluster": TableColumn(
        "str", "what its task is clustered by, such as the scenario; null if trial is"
    ),
    "repeat": TableColumn("int", "repeat of the task with these agents, from 0; null if trial is"),
}
_SEAT = {
    "seat": TableColumn("str", "seat id; null: the whole episode"),
    "agent": TableColumn("str", "label of the agent in the seat; null if seat is"),
}

SCORES = {
    **_TRIAL,
    "cell": TableColumn(
        "str", "JSON; the cell of the plan that was scored; null: an episode, or the run"
    ),
    "judge": TableColumn("str", "label of the judge"),
    "method": TableColumn("str", "how it scores: model, people, formula, rules, heuristic, ..."),
    "judge_settings": TableColumn("str", "hash of its settings"),
    "judging": TableColumn("int", "index among repeated judgings of one target, from 0"),
    "role": TableColumn("str", "judge, reader or sheet"),
    "model": TableColumn("str", "name of the model, class or set of ratings"),
    "sheet": TableColumn("str", "the behaviour sheet that it filled in; empty: none"),
    "code": TableColumn("str", "fingerprint of a Python class; null: not a class"),
    "prompts": TableColumn("str", "hash of the texts that the judge got; null: none"),
    "measure": TableColumn("str", "name of the metric"),
    "low": TableColumn("float", "the lowest value of the metric, in its unit"),
    "high": TableColumn("float", "the highest value, in its unit; inf: no limit"),
    **_SEAT,
    "kind": TableColumn("str", "score, failure or unscored"),
    "value": TableColumn("float", "the score, between low and high; null: none was given"),
    "text": TableColumn("str", "the reason, what went wrong, or why there is no score"),
    "cause": TableColumn("str", "why it failed; null: no failure"),
    "attempts": TableColumn(
        "int", "how often the judge was asked before it failed; null: no failure"
    ),
    "unscored": TableColumn(
        "str", "why there is no score: cannot tell, disputed, unconfirmed, ...; null: other kind"
    ),
    "least": TableColumn("float", "if unscored, the lowest possible value; null: other kind"),
    "most": TableColumn("float", "if unscored, the highest possible value; null: other kind"),
    "rater": TableColumn("str", "pseudonym of the person who rated; null: no rating"),
    "seconds": TableColumn("float", "seconds that the person took; null: no rating, or not known"),
    "when": TableColumn(
        "str", "when it was rated, UTC, as ISO 8601; null: no rating, or not known"
    ),
}

TURNS = {
    **{
        name: TableColumn(kind, text.partition("; null")[0])
        for name, (kind, text) in _TRIAL.items()
    },
    "n": TableColumn(
        "int", "index of the event in its episode, from 0; a turn of two actions has two rows"
    ),
    "event": TableColumn("str", "moved, answered, unusable or ended"),
    "turn": TableColumn("int", "from 0"),
    **_SEAT,
    "name": TableColumn("str", "the kind of action, the question, or why it ended"),
    "text": TableColumn("str", "the words, the answer as JSON, or the raw reply; null: the end"),
    "to": TableColumn(
        "str", "seats that it was for, joined by commas; empty: all; null: no action"
    ),
    "attempt": TableColumn("int", "attempt number of the reply, from 1; null: the end"),
    "cause": TableColumn("str", "why a reply could not be used; null: it could"),
    "problem": TableColumn("str", "the same in words; null: it could be used"),
    "final": TableColumn("bool", "whether no further attempt was made; null: it could be used"),
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

_CALL = {
    "run": TableColumn("str", "the run's name"),
    "trial": TableColumn("str", "id of the episode, or the name of other work, such as a judging"),
    "role": TableColumn("str", "who asked: agent, partner, background, judge, ..."),
    "seat": TableColumn("str", "for which seat; empty: none"),
    "turn": TableColumn("int", "from 0"),
    "name": TableColumn("str", "what was asked: act, a question, or a judge's name"),
    "attempt": TableColumn(
        "int", "attempt of the player or judge, from 1: unusable replies are asked for again"
    ),
    "index": TableColumn(
        "int", "index among calls for one purpose, from 0; for a judge, the judging"
    ),
    "model": TableColumn("str", "as it was requested"),
}
_USAGE = {
    "prompt_tokens": TableColumn("int", "tokens"),
    "completion_tokens": TableColumn("int", "tokens"),
    "cached_tokens": TableColumn("int", "tokens, a part of prompt_tokens"),
}

CALLS = {
    **_CALL,
    "prompt_hash": TableColumn("str", "hash of the rendered messages and the schema, hexadecimal"),
    "prompt_bytes": TableColumn("int", "bytes in UTF-8, the schema included"),
    "messages": TableColumn("messages", "what was sent: a list of role and content"),
    "schema": TableColumn("str", "the JSON schema that the reply was to follow; null: none"),
    "temperature": TableColumn("float", "null: the server's own"),
    **_USAGE,
    "estimated": TableColumn("bool", "whether tokens and usd are estimates"),
    "usd": TableColumn("float", "US dollars; null: no price known"),
    "seconds": TableColumn("float", "s, of the whole call with its retries"),
    "tries": TableColumn("int", "requests until the reply came"),
    "finish": TableColumn("str", "why the reply ended, as the server says"),
    "fault": TableColumn("str", "what was wrong with a reply that was used; empty: nothing"),
    "served_model": TableColumn("str", "as the server returned it; empty: it did not"),
    "fingerprint": TableColumn("str", "as the server returned it; empty: it did not"),
    "left_out": TableColumn("str", "options that were not sent, joined by commas"),
    "cap": TableColumn("int", "the limit that was sent, in tokens; null: none"),
    "reasoned": TableColumn("bool", "whether tokens were spent on reasoning outside the text"),
    "reply": TableColumn("str", "the text of the reply, with the tools that it asks for"),
    "at": TableColumn("float", "s since 1970, UTC, when the reply was stored"),
}

LEDGER = {
    **_CALL,
    "number": TableColumn("int", "number of the request in its call, from 1"),
    "cause": TableColumn("str", "why it failed; null: it succeeded"),
    "billed": TableColumn("str", "told, estimated, possible or no"),
    **_USAGE,
    "usd": TableColumn("float", "US dollars charged; null: no price known"),
    "seconds": TableColumn("float", "s; if it succeeded, of the whole call"),
    "at": TableColumn("float", "s since 1970, UTC, when it was stored"),
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
        _write(folder / "calls.parquet", CALLS, _call_rows(store, name))
        _write(folder / "ledger.parquet", LEDGER, _ledger_rows(store, name))
    except OSError as error:
        raise StoreError(
            f'run "{name}" cannot be written to {folder} ({error}); name another folder'
        ) from error


def _write(file: Path, columns: Mapping[str, TableColumn], rows: Iterable[Row]) -> None:
    pa, parquet = _pyarrow()
    types = {
        "str": pa.string(),
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
        "messages": pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())])),
    }
    schema = pa.schema(
        pa.field(name, types[column.type], metadata={"meaning": column.meaning})
        for name, column in columns.items()
    )
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
                {"role": message.role, "content": replace_surrogates(message.shown)}
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
            "reply": reply.shown,
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
