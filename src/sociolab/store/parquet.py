"""A run as three Parquet tables: scores, turns and calls; docs/training.md tells their columns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from sociolab.core.errors import ConfigError, StoreError
from sociolab.store.flat_rows import SCORES, TURNS, Row, score_rows, turn_rows
from sociolab.store.sqlite import Store
from sociolab.store.surrogates import replaced

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
    "reply": "str",
    "at": "float",
}


def export_parquet(store: Store, name: str, folder: Path) -> None:
    """Write `scores.parquet`, `turns.parquet` and `calls.parquet` of a run into `folder`.

    A table appears when it is complete. ConfigError if pyarrow is missing; StoreError if there is
    no such run, or the folder cannot be written.
    """
    _pyarrow()
    trials = {row.trial.id: row.trial for row in store.trials(name)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / "scores.parquet", SCORES, score_rows(store, name, trials))
        _write(folder / "turns.parquet", TURNS, turn_rows(store, name, trials))
        _write(folder / "calls.parquet", _CALLS, _calls(store, name))
    except OSError as error:
        raise StoreError(
            f'run "{name}" cannot be written to {folder} ({error}); name another folder'
        ) from error


def _write(file: Path, columns: Mapping[str, str], rows: Iterable[Row]) -> None:
    pa, parquet = _pyarrow()
    schema = pa.schema([(column, kind) for column, kind in _types(pa, columns).items()])
    left = iter(rows)
    part = file.with_name(f"{file.name}.part")
    try:
        # zstd, since each prompt holds most of the one before: a third of what snappy makes of it.
        with parquet.ParquetWriter(part, schema, compression="zstd") as writer:
            while batch := list(islice(left, _BATCH)):
                values = [[_plain(row.get(column)) for row in batch] for column in columns]
                writer.write_batch(pa.record_batch(values, schema))
        os.replace(part, file)
    finally:
        part.unlink(missing_ok=True)


def _types(pa: Any, columns: Mapping[str, str]) -> Mapping[str, Any]:
    message = pa.struct([("role", pa.string()), ("content", pa.string())])
    types = {
        "str": pa.string(),
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
        "messages": pa.list_(message),
    }
    return {column: types[kind] for column, kind in columns.items()}


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa  # here because it takes half a second, and is an extra
        from pyarrow import parquet
    except ImportError as error:
        raise ConfigError(
            'Parquet needs pyarrow, which is not installed; run: pip install "sociolab[parquet]"'
        ) from error
    return pa, parquet


def _plain(value: Any) -> Any:
    return replaced(value) if isinstance(value, str) else value


def _calls(store: Store, name: str) -> Iterator[Row]:
    for row, prompt in store.calls_with_prompts(name):
        call, reply = row.call, row.reply
        yield {
            "run": name,
            "trial": call.trial,
            "role": call.role,
            "seat": call.seat,
            "turn": call.turn,
            "name": call.name,
            "attempt": call.attempt,
            "index": call.index,
            "model": row.model,
            "prompt_hash": row.prompt_hash,
            "messages": [
                {"role": message.role, "content": replaced(message.text)}
                for message in prompt.messages
            ],
            "schema": prompt.schema.text if prompt.schema else None,
            "temperature": prompt.temperature,
            "prompt_tokens": reply.usage.prompt,
            "completion_tokens": reply.usage.completion,
            "cached_tokens": reply.usage.cached,
            "estimated": reply.usage.estimated,
            "usd": reply.usd,
            "seconds": reply.seconds,
            "tries": reply.tries,
            "finish": reply.finish,
            "fault": reply.fault,
            "reply": reply.text,
            "at": row.at,
        }
