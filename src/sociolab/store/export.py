"""Export a run as a bundle, which another store imports, and import one.

A bundle has one part for each kind of line: the run, its tasks and trials, the events, the calls
with their full prompts, the failed calls, the attempts that brought no reply, the judgings, the
attachments and the notes; then the same of the exams that the run's judges sat. Events and trials
are written as in `core.codec`; a trial refers to its task by its number, from 0.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from sociolab.core.codec import decode_event, decode_trial, encode_event, encode_trial
from sociolab.core.episode import Json, Task, Trial
from sociolab.core.errors import Cause, ModelError, SociolabError, StoreError
from sociolab.core.metrics import parse_declared
from sociolab.core.ports import Attempt, CallKey, ChatReply, Prompt
from sociolab.core.reading import first_problem
from sociolab.core.score import JudgeId, Verdict
from sociolab.store.bundle import BundleError, bundle_lines, check_bundle, write_bundle
from sociolab.store.calls import RunReplies
from sociolab.store.checking import verify_runs
from sociolab.store.database import replace_surrogates
from sociolab.store.store import RunRow, Status, Store

_EXAM = "exam"
"""The `keeps` of an exam's run."""


def export_run(store: Store, name: str, file: Path) -> None:
    """Write a run to `file`, a bundle, which appears only when complete.

    A lone surrogate (from a truncated reply) is written as U+FFFD. StoreError if there is no such
    run, a row of it is damaged, or the file cannot be written.
    """
    verify_runs(store, name)
    run = store.run(name)
    try:
        write_bundle(file, _about(run), _all_parts(store, run))
    except OSError as error:
        raise StoreError(
            f'run "{name}" cannot be written to {file} ({error.strerror}); name another file'
        ) from error


def import_run(store: Store, file: Path, name: str | None = None, *, replace: bool = False) -> str:
    """Import a file that `export_run` wrote, after comparing all hashes; returns the run's name.

    All or nothing. StoreError, with part and line, where the file is damaged or a run of that name
    exists and `replace` is not set.
    """
    target, place = _Import(store, name or "", replace=replace), _Place(file)
    try:
        parts = check_bundle(file, _PARTS).parts
        with store.transaction():
            _import_bundle(target, place, parts)
    except BundleError:
        raise
    except OSError as error:
        raise StoreError(f"{file} cannot be read ({error.strerror}); name another file") from error
    except ValidationError as error:
        raise StoreError(f"{place}: {first_problem(error)}") from error
    except (SociolabError, ValueError) as error:
        raise StoreError(f"{place}: {error}") from error
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


def _about(run: RunRow) -> dict[str, JsonValue]:
    """What a bundle says of its run in the manifest."""
    settings = run.settings if isinstance(run.settings, dict) else {}
    return {
        "run": run.name,
        "world": run.world,
        "created": datetime.fromtimestamp(int(run.created), UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "trials": run.trials,
        "played": run.played,
        "failed": run.failed,
        **{key: settings.get(key) for key in ("data", "instructions", "made_with")},
    }


def _all_parts(store: Store, run: RunRow) -> Iterator[tuple[str, Iterator[str]]]:
    """The parts of a run, then those of the exams that its judges sat, which its report shows."""
    for part in _PARTS:
        yield part, map(_encode_line, _lines(part, store, run.name))
    judges = {*store.verdicts.judges(run.name)}
    for exam in store.runs_keeping(_EXAM, run.world):
        if own := judges & {*store.verdicts.judges(exam)}:
            for part in _PARTS:
                lines = filter(partial(_of_judges, own), _lines(part, store, exam))
                yield f"exams/{exam}/{part}", map(_encode_line, lines)


def _of_judges(judges: Collection[JudgeId], line: _Line) -> bool:
    """Whether a line is of these judges, or of none: others that sat the exam are not of the
    run."""
    if "judge" in line:
        return line["judge"] in judges
    return "model" not in line or any(judge.name == line["model"] for judge in judges)


def _run(store: Store, name: str) -> Iterator[_Line]:
    run = store.run(name)
    kept = ("name", "world", "settings", "keeps", "created", "seconds")
    declared = json.loads(run.declared.as_json())
    yield {**{field: getattr(run, field) for field in kept}, "declared": declared}


def _tasks(store: Store, name: str) -> dict[Task, int]:
    """The tasks of a run, numbered from 0 as its trials use them."""
    tasks = dict.fromkeys(row.trial.task for row in store.trials(name))
    return {task: number for number, task in enumerate(tasks)}


def _trials(store: Store, name: str) -> Iterator[_Line]:
    numbers = _tasks(store, name)
    for row in store.trials(name):
        trial = {**json.loads(encode_trial(row.trial)), "task": numbers[row.trial.task]}
        yield {"status": row.status, "cause": row.cause, "problem": row.problem, "trial": trial}


def _events(store: Store, name: str) -> Iterator[_Line]:
    for trial in store.trial_ids(name):
        for event in store.events(name, trial):
            yield {"trial": trial, "event": json.loads(encode_event(event))}


def _calls(store: Store, name: str) -> Iterator[_Line]:
    for call, prompt in store.calls.with_prompts(name):
        stored = {"pk", "prompt_bytes"}
        kept = {field: value for field, value in _fields(call).items() if field not in stored}
        yield {**kept, "prompt": prompt}


def _attachments(store: Store, name: str) -> Iterator[_Line]:
    for trial in store.trial_ids(name):
        for title in store.attachments(name, trial):
            for piece in store.attachment(name, trial, title):
                yield {"trial": trial, "name": title, "data": base64.b64encode(piece).decode()}


def _notes(store: Store, name: str) -> Iterator[_Line]:
    for note in store.notes.of(name):
        other = note.run if note.other == name else note.other
        yield {"text": note.text, "at": note.at, "other": other}


_PARTS: Mapping[str, Callable[[Store, str], Iterable[Any]]] = {
    "run.jsonl": _run,
    "tasks.jsonl": lambda store, name: ({"task": _fields(task)} for task in _tasks(store, name)),
    "trials.jsonl": _trials,
    "events.jsonl": _events,
    "calls.jsonl": _calls,
    "call_failures.jsonl": lambda store, name: store.calls.failures(name),
    "attempts.jsonl": lambda store, name: (
        entry for entry in store.calls.ledger(name) if entry.attempt.cause is not None
    ),
    "judgings.jsonl": lambda store, name: store.verdicts.judgings(name),
    "attachments.jsonl": _attachments,
    "notes.jsonl": _notes,
}
"""The parts of a bundle in the order in which they are imported, and the records of each."""


def _lines(part: str, store: Store, name: str) -> Iterator[_Line]:
    """The lines of a part of a run, each with its kind."""
    kind = part.removesuffix(".jsonl").removesuffix("s")
    for record in _PARTS[part](store, name):
        yield {"line": kind, **(record if isinstance(record, dict) else _fields(record))}


def _encode_line(line: _Line) -> str:
    text = json.dumps(line, ensure_ascii=False, separators=(",", ":"), default=_used_fields)
    return replace_surrogates(text)


def _fields(record: Any) -> dict[str, Any]:
    """The fields of a dataclass, one level deep."""
    return {field.name: getattr(record, field.name) for field in fields(record)}


def _used_fields(record: Any) -> dict[str, Any]:
    """The fields of a dataclass; those about tools only where they are used, as in few prompts."""
    return {
        field.name: value
        for field in fields(record)
        if (value := getattr(record, field.name)) != field.default or field.name not in _ABOUT_TOOLS
    }


_ABOUT_TOOLS = {"tools", "tool_choice", "options", "calls", "answers"}


@dataclass(slots=True)
class _Place:
    """Where an import is in its file."""

    file: Path
    part: str = ""
    line: int = 0

    def __str__(self) -> str:
        where = [self.part, f"line {self.line}" if self.line else ""]
        return ", ".join([str(self.file), *filter(None, where)])


def _import_bundle(target: _Import, place: _Place, parts: Iterable[str]) -> None:
    runs = {"": target}
    for name in parts:
        place.part = name
        run = runs.setdefault(name.rpartition("/")[0], _Import(target.store, joins=True))
        for number, text in enumerate(bundle_lines(place.file, name), 1):
            place.line = number
            run.take(ANY_LINE.validate_json(text))
        place.line = 0
    for run in runs.values():
        run.finish()
        target.store.verdicts.derive_outcomes(run.name)


class _Import:
    """A run being imported: its plan is collected, then stored, then filled.

    An exam `joins` one of the same cases in the store: what judges did there stays, others are
    added.
    """

    def __init__(
        self, store: Store, name: str = "", *, replace: bool = False, joins: bool = False
    ) -> None:
        self.name = name
        self.store = store
        self._replace = replace
        self._joins = joins
        self._run: RunLine | None = None
        self._tasks: list[Json] = []
        self._trials: list[tuple[TrialLine, Trial]] = []
        self._replies: RunReplies | None = None

    def take(self, line: AnyLine) -> None:
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
            case _:
                replies = self.finish()
                if not (self._joins and self._present(line, replies)):
                    self._fill(line, replies)

    def finish(self) -> RunReplies:
        """Store the plan, unless it is stored already."""
        if self._replies is None:
            if self._run is None:
                raise StoreError("a run line was expected before this one; export the run again")
            self._joins = self._joins and self.store.has_run(self.name)
            if not self._joins:
                self._store_plan(self._run)
            self._replies = RunReplies(self.store, self.name)
        return self._replies

    def _store_plan(self, run: RunLine) -> None:
        if self._replace:
            delete_for_replacement(self.store, self.name)
        elif self.store.has_run(self.name):
            raise StoreError(
                f'there is a run "{self.name}" already; choose another --name, or add --replace'
            )
        self.store.create_run(
            self.name,
            run.world,
            run.settings,
            tuple(trial for _, trial in self._trials),
            parse_declared(json.dumps(run.declared)),
            keeps=run.keeps,
            created=run.created,
            seconds=run.seconds,
        )
        for line, trial in self._trials:
            self.store.set_status(self.name, trial.id, line.status, line.cause, line.problem)

    def _present(self, line: AnyLine, replies: RunReplies) -> bool:
        """Whether the run that this one joins has what the line says."""
        match line:
            case CallLine():
                return replies.find(line.key) is not None
            case JudgingLine():
                return self.store.verdicts.judged(
                    self.name, line.judge, trial=line.trial, cell=line.cell, judging=line.judging
                )
        return True

    def _decode_trial(self, line: TrialLine) -> Trial:
        number = line.trial.get("task")
        if not isinstance(number, int) or not 0 <= number < len(self._tasks):
            raise StoreError(f"the trial names task {number}, after {len(self._tasks)} tasks")
        return decode_trial(json.dumps({**line.trial, "task": self._tasks[number]}))

    def _fill(self, line: AnyLine, replies: RunReplies) -> None:
        store, run = self.store, self.name
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


class ExportLine(BaseModel):
    """The base of all lines; an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


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
    prompt_hash: str = ""
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
)

ANY_LINE: TypeAdapter[AnyLine] = TypeAdapter(Annotated[AnyLine, Field(discriminator="line")])
