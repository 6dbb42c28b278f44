"""A run as a file of JSON lines: complete, and readable without this package."""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TextIO, TypeAlias

from sociolab.core.codec import encode_event, encode_trial
from sociolab.core.episode import Task
from sociolab.core.errors import StoreError
from sociolab.store.sqlite import Store
from sociolab.store.surrogates import replaced

FORMAT = 1
"""The version of the format, see `lines`."""

_Line: TypeAlias = Mapping[str, Any]


def export_run(store: Store, name: str, file: Path) -> None:
    """Write a run to `file`, which appears when it is complete; compressed if its name ends in
    ".gz".

    Half a surrogate pair (from a reply that was cut) is written as U+FFFD. StoreError if there is
    no such run or the file cannot be written.
    """
    store.run_pk(name)
    part = file.with_name(f"{file.name}.part")
    try:
        with _opened(part, packed=file.suffix == ".gz") as out:
            count = 0
            for line in _lines(store, name):
                out.write(_text(line))
                count += 1
            out.write(_text({"line": "end", "lines": count + 1}))
        os.replace(part, file)
    except OSError as error:
        raise StoreError(
            f'run "{name}" cannot be written to {file} ({error.strerror}); name another file'
        ) from error
    finally:
        with suppress(OSError):  # gone already, or in a folder that is not there
            part.unlink()


@contextmanager
def _opened(part: Path, *, packed: bool) -> Iterator[TextIO]:
    """A text file to write; compressed, it holds no name and no time, so that the same run gives
    the same bytes."""
    if not packed:
        with part.open("w", encoding="utf-8", newline="\n") as out:
            yield out
        return
    with (
        part.open("wb") as raw,
        gzip.GzipFile("", "wb", 6, raw, 0) as zipped,
        io.TextIOWrapper(zipped, encoding="utf-8", newline="\n") as out,
    ):
        yield out


def _lines(store: Store, name: str) -> Iterator[_Line]:
    yield {"sociolab_export": FORMAT, "version": _version()}
    run = store.run(name)
    yield {
        "line": "run",
        "name": run.name,
        "world": run.world,
        "settings": run.settings,
        "declared": json.loads(run.declared.as_json()),
        "created": run.created,
        "seconds": run.seconds,
    }
    yield from _plan(store, name)
    for row in store.trials(name):
        for event in store.events(name, row.trial.id):
            yield {"line": "event", "trial": row.trial.id, "event": json.loads(encode_event(event))}
    for call, prompt in store.calls_with_prompts(name):
        line = {"line": "call", **_fields(call), "prompt": prompt}
        del line["pk"], line["prompt_hash"]
        yield line
    for failure in store.call_failures(name):
        yield {"line": "call_failure", **_fields(failure)}
    for judging in store.judgings(name):
        yield {"line": "judging", **_fields(judging)}
    yield from _attachments(store, name)


def _plan(store: Store, name: str) -> Iterator[_Line]:
    """The tasks and trials; a task comes just before the first trial that plays it."""
    numbers: dict[Task, int] = {}
    for row in store.trials(name):
        trial = json.loads(encode_trial(row.trial))
        task = trial.pop("task")
        if row.trial.task not in numbers:
            numbers[row.trial.task] = len(numbers)
            yield {"line": "task", "task": task}
        yield {
            "line": "trial",
            "status": row.status,
            "cause": row.cause,
            "problem": row.problem,
            "trial": {**trial, "task": numbers[row.trial.task]},
        }


def _attachments(store: Store, name: str) -> Iterator[_Line]:
    for row in store.trials(name):
        for title in store.attachments(name, row.trial.id):
            for piece in store.attachment(name, row.trial.id, title):
                data = base64.b64encode(piece).decode()
                yield {"line": "attachment", "trial": row.trial.id, "name": title, "data": data}


def _text(line: _Line) -> str:
    text = json.dumps(line, ensure_ascii=False, separators=(",", ":"), default=_fields)
    return replaced(text) + "\n"


def _fields(record: Any) -> dict[str, Any]:
    """The fields of a dataclass, one level deep."""
    return {field.name: getattr(record, field.name) for field in fields(record)}


def _version() -> str:
    try:
        return version("sociolab")
    except PackageNotFoundError:  # run from its sources
        return "unknown"
