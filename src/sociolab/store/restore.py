"""An exported run put back into a store."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from sociolab.core.codec import decode_event, decode_trial
from sociolab.core.episode import Json, Trial
from sociolab.core.errors import ModelError, SociolabError, StoreError
from sociolab.core.metrics import declared_from
from sociolab.store.export import FORMAT
from sociolab.store.lines import (
    ANY_LINE,
    AnyLine,
    AttachmentLine,
    CallFailureLine,
    CallLine,
    EndLine,
    EventLine,
    HeaderLine,
    JudgingLine,
    RunLine,
    TaskLine,
    TrialLine,
)
from sociolab.store.replies import RunReplies
from sociolab.store.sqlite import Store

_GZIP = b"\x1f\x8b"


def import_run(store: Store, file: Path, name: str | None = None, *, replace: bool = False) -> str:
    """Read a file that `export_run` wrote; the name of the run, which is `name` if given.

    All or nothing; compressed or not, whatever its name. StoreError, with the line, where the file
    is not as it was written, and if there is a run of that name, unless it is to be replaced.
    """
    number = 0
    try:
        with _opened(file) as lines, store.transaction():
            target = _Import(store, name, replace=replace)
            for number, line in enumerate(lines, 1):
                target.take(number, line)
            target.finish()
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise StoreError(
            f"{file}, after line {number}: it cannot be unpacked ({error}); export the run again"
        ) from error
    except OSError as error:
        raise StoreError(f"{file} cannot be read ({error.strerror}); name another file") from error
    except (SociolabError, ValueError) as error:
        raise StoreError(f"{file}, line {number}: {_why(error)}") from error
    return target.name


def make_room(store: Store, name: str) -> None:
    """Delete a run, if there is one of this name, for another in its place.

    StoreError if it is being played, or people's plays or ratings in a study belong to it: these
    nobody can import again.
    """
    if not store.has_run(name):
        return
    studies = [study.name for study in store.studies() if study.run == name]
    if studies:
        raise StoreError(
            f'the run "{name}" belongs to the study {", ".join(studies)} and is not replaced; '
            "choose another name"
        )
    store.delete_run(name)


def _opened(file: Path) -> IO[bytes]:
    """The file's lines, unpacked where they are compressed."""
    with file.open("rb") as begun:
        packed = begun.read(len(_GZIP)) == _GZIP
    return gzip.open(file, "rb") if packed else file.open("rb")  # type: ignore[return-value]


def _why(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]


class _Import:
    """A run on its way in: its plan is gathered, then written, then filled."""

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
        """Take in the next line of the file."""
        if number == 1:
            _check_header(text)
            return
        line = ANY_LINE.validate_json(text)
        if self._ended:
            raise StoreError("this line comes after the end; export the run again")
        match line:
            case RunLine() | TaskLine() | TrialLine() if self._replies is not None:
                raise StoreError(f'a "{line.line}" line stands too late; export the run again')
            case RunLine():
                self._run = line
                self.name = self.name or line.name
            case TaskLine():
                self._tasks.append(line.task)
            case TrialLine():
                self._trials.append((line, self._planned(line)))
            case EndLine():
                self._filling()
                self._ended = True
                if line.lines != number:
                    raise StoreError(
                        f"{line.lines} lines were written and {number} are left; "
                        "export the run again"
                    )
            case _:
                self._fill(line, self._filling())

    def finish(self) -> None:
        """StoreError if the last line was not the end."""
        if not self._ended:
            raise StoreError("the file ends here, before its last line; export the run again")

    def _filling(self) -> RunReplies:
        """Write the plan, if that was not done yet; from then on the run can be filled."""
        if self._replies is None:
            if self._run is None:
                raise StoreError("a run line was expected before this one; export the run again")
            run = self._run
            plan = tuple(trial for _, trial in self._trials)
            if self._replace:
                make_room(self._store, self.name)
            elif self._store.has_run(self.name):
                raise StoreError(
                    f'there is a run "{self.name}" already; choose another --name, or add --replace'
                )
            self._store.create_run(
                self.name,
                run.world,
                run.settings,
                plan,
                declared_from(json.dumps(run.declared)),
                created=run.created,
                seconds=run.seconds,
            )
            for line, trial in self._trials:
                self._store.set_status(self.name, trial.id, line.status, line.cause, line.problem)
            self._replies = RunReplies(self._store, self.name)
        return self._replies

    def _planned(self, line: TrialLine) -> Trial:
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
            case JudgingLine():
                store.add_verdicts(
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


def _check_header(text: bytes) -> None:
    try:
        header = HeaderLine.model_validate_json(text)
    except ValidationError as error:
        raise StoreError("this is no exported run; name a file that `export` wrote") from error
    if header.sociolab_export != FORMAT:
        raise StoreError(
            f"the file has format {header.sociolab_export} and this sociolab reads {FORMAT}; "
            f"use the version that wrote it, {header.version}"
        )
