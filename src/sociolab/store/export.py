"""Export a run to a file of JSON lines that is readable without this package, and import one.

The first line is the header `{"sociolab_export": 1, "version": ...}`; then come the run, its tasks
and trials, the events, the calls with their full prompts, the failed calls, the attempts that
brought no reply, the judgings, the attachments, the notes, and last a line with the number of
lines, which reveals a truncated file. Events and trials are written as in `core.codec`; a trial
refers to its task by its number in the file, from 0.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal, TextIO, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from sociolab.core import __version__
from sociolab.core.codec import decode_event, decode_trial, encode_event, encode_trial
from sociolab.core.episode import Json, Task, Trial
from sociolab.core.errors import Cause, ModelError, SociolabError, StoreError
from sociolab.core.metrics import parse_declared
from sociolab.core.ports import Attempt, CallKey, ChatReply, Prompt
from sociolab.core.reading import first_problem
from sociolab.core.score import JudgeId, Verdict
from sociolab.core.unpacking import MOST_UNPACKED, open_unpacked
from sociolab.core.user_files import atomic_file
from sociolab.store.calls import RunReplies
from sociolab.store.checking import verify_runs
from sociolab.store.database import replace_surrogates
from sociolab.store.store import Status, Store

FORMAT = 2
_MOST_BYTES = 64 << 30
"""Of an unpacked file, which is read line by line; a line has at most `MOST_UNPACKED`."""


def export_run(store: Store, name: str, file: Path) -> None:
    """Write a run to `file`, which appears only when complete; gzipped if its name ends in
    ".gz".

    A lone surrogate (from a truncated reply) is written as U+FFFD. StoreError if there is no such
    run, a row of it is damaged, or the file cannot be written.
    """
    verify_runs(store, name)
    try:
        with (
            atomic_file(file) as part,
            _open_to_write(part, packed=file.suffix == ".gz") as out,
        ):
            count = 0
            for line in _run_lines(store, name):
                out.write(_encode_line(line))
                count += 1
            out.write(_encode_line({"line": "end", "lines": count + 1}))
    except OSError as error:
        raise StoreError(
            f'run "{name}" cannot be written to {file} ({error.strerror}); name another file'
        ) from error


def import_run(store: Store, file: Path, name: str | None = None, *, replace: bool = False) -> str:
    """Import a file that `export_run` wrote, gzipped or not; returns the run's name.

    All or nothing. StoreError, with the line, where the file is damaged or a run of that name
    exists and `replace` is not set.
    """
    number = 0
    try:
        with open_unpacked(file, _MOST_BYTES) as lines, store.transaction():
            target = _Import(store, name, replace=replace)
            for number, line in enumerate(iter(lambda: lines.readline(MOST_UNPACKED), b""), 1):
                target.take(number, line)
            target.finish()
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise StoreError(
            f"{file}, after line {number}: it cannot be unpacked ({error}); export the run again"
        ) from error
    except OSError as error:
        raise StoreError(f"{file} cannot be read ({error.strerror}); name another file") from error
    except ValidationError as error:
        raise StoreError(f"{file}, line {number}: {first_problem(error)}") from error
    except (SociolabError, ValueError) as error:
        raise StoreError(f"{file}, line {number}: {error}") from error
    return target.name


def delete_for_replacement(store: Store, name: str) -> None:
    """Delete the run of this name, if there is one, so that another can take its place.

    StoreError if it is being played, or if a study with people uses it: those episodes and ratings
    could not be imported again.
    """
    if not store.has_run(name):
        return
    studies = [study.name for study in store.studies.all() if study.run == name]
    if studies:
        raise StoreError(
            f'the run "{name}" belongs to the study {", ".join(studies)} and is not replaced; '
            "choose another name"
        )
    store.delete_run(name)


_Line: TypeAlias = Mapping[str, Any]


@contextmanager
def _open_to_write(part: Path, *, packed: bool) -> Iterator[TextIO]:
    """A text file; if `packed`, gzipped without name and time: equal runs give equal bytes."""
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


def _run_lines(store: Store, name: str) -> Iterator[_Line]:
    yield {"sociolab_export": FORMAT, "version": __version__}
    run = store.run(name)
    yield {
        "line": "run",
        "name": run.name,
        "world": run.world,
        "settings": run.settings,
        "declared": json.loads(run.declared.as_json()),
        "keeps": run.keeps,
        "created": run.created,
        "seconds": run.seconds,
    }
    yield from _plan(store, name)
    for row in store.trials(name):
        for event in store.events(name, row.trial.id):
            yield {"line": "event", "trial": row.trial.id, "event": json.loads(encode_event(event))}
    for call, prompt in store.calls.with_prompts(name):
        line = {"line": "call", **_fields(call), "prompt": prompt}
        del line["pk"], line["prompt_hash"], line["prompt_bytes"]
        yield line
    for failure in store.calls.failures(name):
        yield {"line": "call_failure", **_fields(failure)}
    for entry in store.calls.ledger(name):
        if entry.attempt.cause is not None:
            yield {"line": "attempt", **_fields(entry)}
    for judging in store.verdicts.judgings(name):
        yield {"line": "judging", **_fields(judging)}
    for row in store.trials(name):
        for title in store.attachments(name, row.trial.id):
            for piece in store.attachment(name, row.trial.id, title):
                data = base64.b64encode(piece).decode()
                yield {"line": "attachment", "trial": row.trial.id, "name": title, "data": data}
    for note in store.notes.of(name):
        other = note.run if note.other == name else note.other
        yield {"line": "note", "text": note.text, "at": note.at, "other": other}


def _plan(store: Store, name: str) -> Iterator[_Line]:
    """The tasks and trials; each task comes just before the first trial that uses it."""
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


def _encode_line(line: _Line) -> str:
    text = json.dumps(line, ensure_ascii=False, separators=(",", ":"), default=_fields)
    return replace_surrogates(text) + "\n"


def _fields(record: Any) -> dict[str, Any]:
    """The fields of a dataclass, one level deep."""
    return {field.name: getattr(record, field.name) for field in fields(record)}


class _Import:
    """A run being imported: its plan is collected, then stored, then filled."""

    def __init__(self, store: Store, name: str | None, *, replace: bool) -> None:
        self.name = name or ""
        self._store = store
        self._replace = replace
        self._run: RunLine | None = None
        self._tasks: list[Json] = []
        self._trials: list[tuple[TrialLine, Trial]] = []
        self._replies: RunReplies | None = None
        self._ended = False

    def take(self, number: int, text: bytes) -> None:
        if number == 1:
            _check_header(text)
            return
        line = ANY_LINE.validate_json(text)
        if self._ended:
            raise StoreError("this line comes after the end; export the run again")
        match line:
            case RunLine() | TaskLine() | TrialLine() if self._replies is not None:
                raise StoreError(f'a "{line.line}" line comes too late; export the run again')
            case RunLine():
                self._run = line
                self.name = self.name or line.name
            case TaskLine():
                self._tasks.append(line.task)
            case TrialLine():
                self._trials.append((line, self._decode_trial(line)))
            case EndLine():
                self._store_plan()
                self._ended = True
                if line.lines != number:
                    raise StoreError(
                        f"expected {line.lines} lines, found {number}; export the run again"
                    )
            case _:
                self._fill(line, self._store_plan())

    def finish(self) -> None:
        """StoreError if the last line was not the end line."""
        if not self._ended:
            raise StoreError("the file ends here, before its last line; export the run again")

    def _store_plan(self) -> RunReplies:
        """Store the plan, unless it is stored already."""
        if self._replies is None:
            if self._run is None:
                raise StoreError("a run line was expected before this one; export the run again")
            run = self._run
            plan = tuple(trial for _, trial in self._trials)
            if self._replace:
                delete_for_replacement(self._store, self.name)
            elif self._store.has_run(self.name):
                raise StoreError(
                    f'there is a run "{self.name}" already; choose another --name, or add --replace'
                )
            self._store.create_run(
                self.name,
                run.world,
                run.settings,
                plan,
                parse_declared(json.dumps(run.declared)),
                keeps=run.keeps,
                created=run.created,
                seconds=run.seconds,
            )
            for line, trial in self._trials:
                self._store.set_status(self.name, trial.id, line.status, line.cause, line.problem)
            self._replies = RunReplies(self._store, self.name)
        return self._replies

    def _decode_trial(self, line: TrialLine) -> Trial:
        number = line.trial.get("task")
        if not isinstance(number, int) or not 0 <= number < len(self._tasks):
            raise StoreError(f"the trial names task {number}, after {len(self._tasks)} tasks")
        return decode_trial(json.dumps({**line.trial, "task": self._tasks[number]}))

    def _fill(self, line: AnyLine, replies: RunReplies) -> None:
        store, run = self._store, self.name
        match line:
            case EventLine():
                store.append(run, line.trial, decode_event(json.dumps(line.event)))
            case CallLine():
                replies.keep(line.key, line.call, line.model, line.prompt, line.reply, line.at)
            case CallFailureLine():
                error = ModelError(line.problem, cause=line.cause, tries=line.tries)
                replies.keep_failure(line.call, line.model, error, line.seconds, line.at)
            case AttemptLine():
                replies.keep_attempt(line.call, line.model, line.attempt, line.at)
            case JudgingLine():
                store.verdicts.add(
                    run,
                    line.judge,
                    line.verdicts,
                    trial=line.trial,
                    cell=line.cell,
                    judging=line.judging,
                )
            case AttachmentLine():
                data = base64.b64decode(line.data, validate=True)
                store.attach(run, line.trial, line.name, data)
            case NoteLine() if line.other is None or store.has_run(line.other):
                store.notes.add(run, line.text, line.other, at=line.at)


def _check_header(text: bytes) -> None:
    try:
        header = HeaderLine.model_validate_json(text)
    except ValidationError as error:
        raise StoreError("this is not an exported run; name a file that `export` wrote") from error
    if header.sociolab_export != FORMAT:
        raise StoreError(
            f"the file has format {header.sociolab_export} and this sociolab reads {FORMAT}; "
            f"use the version that wrote it, {header.version}"
        )


class ExportLine(BaseModel):
    """The base of all lines; an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class HeaderLine(ExportLine):
    """The first line: the format, and the version of sociolab that wrote it."""

    sociolab_export: int
    version: str


class RunLine(ExportLine):
    """A run. Times are in seconds, `created` since 1970 (UTC)."""

    line: Literal["run"]
    name: str
    world: str
    settings: JsonValue
    declared: JsonValue
    keeps: str = ""
    created: float
    seconds: float


class TaskLine(ExportLine):
    line: Literal["task"]
    task: dict[str, JsonValue]


class TrialLine(ExportLine):
    """A trial as in `core.codec`, with the number of its task instead of the task."""

    line: Literal["trial"]
    status: Status
    cause: Cause | None
    problem: str
    trial: dict[str, JsonValue]


class EventLine(ExportLine):
    line: Literal["event"]
    trial: str
    event: list[JsonValue]


class CallLine(ExportLine):
    line: Literal["call"]
    key: str
    call: CallKey
    model: str
    prompt: Prompt
    reply: ChatReply
    at: float


class CallFailureLine(ExportLine):
    line: Literal["call_failure"]
    call: CallKey
    model: str
    cause: Cause
    problem: str
    tries: int
    seconds: float
    at: float


class AttemptLine(ExportLine):
    line: Literal["attempt"]
    call: CallKey
    model: str
    attempt: Attempt
    at: float


class JudgingLine(ExportLine):
    line: Literal["judging"]
    trial: str | None
    cell: JsonValue
    judge: JudgeId
    judging: int
    verdicts: tuple[Verdict, ...]


class AttachmentLine(ExportLine):
    """A piece of an attachment, in base 64."""

    line: Literal["attachment"]
    trial: str
    name: str
    data: str


class NoteLine(ExportLine):
    """A note on the run, or on its comparison with the run `other`: the file of that has it, too,
    and whichever comes in second brings it."""

    line: Literal["note"]
    text: str
    at: float
    other: str | None = None


class EndLine(ExportLine):
    """`lines` counts all lines of the file, this one included."""

    line: Literal["end"]
    lines: int


AnyLine: TypeAlias = (
    RunLine
    | TaskLine
    | TrialLine
    | EventLine
    | CallLine
    | CallFailureLine
    | AttemptLine
    | JudgingLine
    | AttachmentLine
    | NoteLine
    | EndLine
)

ANY_LINE: TypeAdapter[AnyLine] = TypeAdapter(Annotated[AnyLine, Field(discriminator="line")])
