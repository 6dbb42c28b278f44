"""Fine-tuning as OpenAI's API offers it: files, jobs, and models that look their answers up."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email import message_from_bytes
from typing import Any, Literal, TypeAlias

from sociolab.endpoint.chat import (
    ChatBody,
    RefusalError,
    bad_request,
    unknown_model,
    unknown_url,
    wrong_method,
)
from sociolab.endpoint.settings import EndpointSettings
from sociolab.prompting.prefixes import ROLES

FILES = "/files"

JOBS = "/fine_tuning/jobs"


@dataclass(frozen=True, slots=True)
class TuningRequest:
    """A request about files or jobs; `path` begins behind "/v1"."""

    method: str
    path: str
    query: Mapping[str, str]
    content_type: str
    raw: bytes


class FineTuning:
    """The files, the jobs and the tuned models of an endpoint, as long as it runs.

    A job is queued, then running, and done when it was asked for `tuning_polls` times. The model
    answers as the training example does whose user message shares most words with that of the
    request: deterministic, and better than no training where tests ask for what was trained.
    """

    def __init__(self, settings: EndpointSettings) -> None:
        self.files: dict[str, Upload] = {}
        self.jobs: dict[str, Job] = {}
        self._settings = settings
        self._models: dict[str, tuple[Lesson, ...]] = {}

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models that came of jobs."""
        return tuple(self._models)

    def answer(self, call: TuningRequest) -> dict[str, Any]:
        """What the API answers; RefusalError for what it does not take."""
        parts = call.path.removeprefix(JOBS if call.path.startswith(JOBS) else FILES).split("/")[1:]
        place = "files" if call.path.startswith(FILES) else "jobs"
        match place, call.method, parts:
            case "files", "POST", []:
                return self._upload(call)
            case "files", "GET", []:
                return _page([file.row for file in self.files.values()], call.query, 10_000)
            case "files", "GET", [name]:
                if name not in self.files:
                    raise RefusalError(404, f"No such File object: {name}", param="id")
                return self.files[name].row
            case "jobs", "POST", []:
                return self._create(call.raw)
            case "jobs", "GET", []:
                return _page([job.row for job in self.jobs.values()], call.query, 20)
            case "jobs", "GET", [name]:
                return self._poll(self._job(name)).row
            case "jobs", "GET", [name, "events"]:
                return _page(_event_rows(self._job(name)), call.query, 20)
            case "jobs", "POST", [name, "cancel"]:
                return self._cancel(self._job(name)).row
            case _ if len(parts) < 2:
                raise wrong_method(call.method, call.path)
        raise unknown_url(call.method, call.path)

    def reply(self, chat: ChatBody) -> str | None:
        """The answer of a tuned model; None if the model is no such one."""
        lessons = self._models.get(chat.model)
        if lessons is None:
            return None
        asked = next((m.text for m in reversed(chat.messages) if m.role == "user"), "")
        words = words_in(asked)
        return max(lessons, key=lambda lesson: likeness(words, lesson[0]))[1]

    def _upload(self, call: TuningRequest) -> dict[str, Any]:
        fields = _form(call)
        if fields.get("purpose", ("", b""))[1] != b"fine-tune":
            raise bad_request("'purpose' must be fine-tune here.", param="purpose")
        name, content = fields.get("file", ("", b""))
        if not name.endswith(".jsonl"):
            raise bad_request("Invalid file format. Must be a .jsonl file.", param="file")
        if not content.strip():
            raise bad_request("File is empty.", param="file")
        file = Upload(f"file-{len(self.files) + 1:04d}", name, content)
        self.files[file.id] = file
        return file.row

    def _create(self, raw: bytes) -> dict[str, Any]:
        wanted = _object(raw)
        model, file = wanted.get("model"), wanted.get("training_file")
        if not isinstance(model, str) or not model:
            raise bad_request("Missing required parameter: 'model'.", param="model")
        if self._settings.models and model not in (*self._settings.models, *self._models):
            raise unknown_model(model)
        if not isinstance(file, str) or file not in self.files:
            raise bad_request(f"invalid training_file: {file}", param="training_file")
        number = f"ftjob-{len(self.jobs) + 1:04d}"
        job = Job(number, model, self.files[file], _epochs(wanted), wanted)
        job.events.append(f"Created fine-tuning job: {number}")
        self.jobs[number] = job
        return job.row

    def _poll(self, job: Job) -> Job:
        job.polls += 1
        if job.status in ENDED:
            return job
        lessons, problem = lessons_of(job.file.content)
        if problem:
            job.problem = f"The job failed due to an invalid training file. {problem}"
            job.move("failed", job.problem)
        elif job.polls >= self._settings.tuning_polls:
            suffix = job.settings.get("suffix") or ""
            job.tuned = f"ft:{job.model}:local:{suffix}:{job.id.removeprefix('ftjob-')}"
            job.tokens = len(job.file.content) // 4 * job.epochs
            self._models[job.tuned] = lessons
            job.move("succeeded", "The job has successfully completed")
        elif job.status == "queued":
            job.move("running", "Fine-tuning job started")
        return job

    def _cancel(self, job: Job) -> Job:
        if job.status in ENDED:
            raise bad_request(f"Job {job.id} has already ended: {job.status}.")
        job.move("cancelled", "The job was cancelled")
        return job

    def _job(self, name: str) -> Job:
        if name not in self.jobs:
            raise RefusalError(404, f"Could not find fine tune: {name}", param="fine_tune_id")
        return self.jobs[name]


def is_tuning(path: str) -> bool:
    """Whether an address is one of files or jobs."""
    return any(path == place or path.startswith(f"{place}/") for place in (FILES, JOBS))


LEAST_EXAMPLES = 10
"""A provider refuses to train on fewer."""

JobStatus = Literal["queued", "running", "succeeded", "failed", "cancelled"]

ENDED = ("succeeded", "failed", "cancelled")

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was uploaded."""

    id: str
    name: str
    content: bytes

    @property
    def row(self) -> dict[str, Any]:
        """As the API shows it."""
        size = len(self.content)
        known = {"id": self.id, "object": "file", "bytes": size, "filename": self.name}
        return known | {"created_at": 0, "purpose": "fine-tune", "status": "processed"}


@dataclass(slots=True)
class Job:
    """A job and how far it is; `polls` counts how often it was asked for."""

    id: str
    model: str
    file: Upload
    epochs: int
    settings: Mapping[str, Any]
    status: JobStatus = "queued"
    polls: int = 0
    tuned: str | None = None
    problem: str = ""
    tokens: int | None = None
    events: list[str] = field(default_factory=list)

    @property
    def row(self) -> dict[str, Any]:
        """As the API shows it."""
        error = {"code": "invalid_training_file", "param": "training_file", "message": self.problem}
        return {
            "object": "fine_tuning.job",
            "id": self.id,
            "model": self.model,
            "created_at": 0,
            "finished_at": 0 if self.status in ENDED else None,
            "fine_tuned_model": self.tuned,
            "hyperparameters": {"n_epochs": self.epochs},
            "result_files": [],
            "status": self.status,
            "training_file": self.file.id,
            "validation_file": None,
            "trained_tokens": self.tokens,
            "error": error if self.problem else None,
            "seed": self.settings.get("seed", 0),
            "user_provided_suffix": self.settings.get("suffix"),
        }

    def move(self, status: JobStatus, event: str) -> None:
        """Reach another status."""
        self.status = status
        self.events.append(event)


Lesson: TypeAlias = tuple[frozenset[str], str]
"""A training example as a tuned model knows it: the words of the question, and the answer."""


def lessons_of(content: bytes) -> tuple[tuple[Lesson, ...], str]:
    """What a training file teaches; or nothing, and what is wrong with it."""
    lessons = []
    lines = [line for line in content.decode(errors="replace").split("\n") if line.strip()]
    for number, line in enumerate(lines, start=1):
        lesson = _lesson(line)
        if lesson is None:
            return (), f"Invalid file format. Example {number} is not in the chat format."
        lessons.append(lesson)
    if len(lessons) < LEAST_EXAMPLES:
        found = f"Training file has {len(lessons)} example(s)"
        return (), f"{found}, but must have at least {LEAST_EXAMPLES} examples."
    return tuple(lessons), ""


def _lesson(line: str) -> Lesson | None:
    try:
        messages = [(row["role"], row["content"]) for row in json.loads(line)["messages"]]
    except (ValueError, KeyError, TypeError):
        return None
    if not all(role in ROLES and isinstance(text, str) for role, text in messages):
        return None
    if not messages or messages[-1][0] != "assistant":
        return None
    asked = next((text for role, text in reversed(messages) if role == "user"), "")
    return words_in(asked), messages[-1][1]


def words_in(text: str) -> frozenset[str]:
    """The different words of a text, without capitals."""
    return frozenset(_WORD.findall(text.casefold()))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of the words of both that they have in common, 0 to 1."""
    shared = len(one & other)
    return shared / max(len(one) + len(other) - shared, 1)


_EPOCHS = 3

# ------------------------------------------------------------------ what comes in


def _form(call: TuningRequest) -> dict[str, tuple[str, bytes]]:
    """The fields of a multipart form: file name ("" if it is no file) and content."""
    head = b"Content-Type: %b\r\n\r\n" % call.content_type.encode()
    message = message_from_bytes(head + call.raw)
    if not message.is_multipart():
        raise bad_request("Expected a multipart form with the fields purpose and file.")
    fields = {}
    for part in message.walk():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(content, bytes):
            fields[name] = (part.get_filename() or "", content)
    return fields


def _object(raw: bytes) -> dict[str, Any]:
    try:
        found = json.loads(raw)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise bad_request("We could not parse the JSON body of your request.")
    return found


def _epochs(wanted: Mapping[str, Any]) -> int:
    given = (wanted.get("hyperparameters") or {}).get("n_epochs", "auto")
    if given == "auto":
        return _EPOCHS
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= 50:
        name = "hyperparameters.n_epochs"
        raise bad_request(f"Invalid value for '{name}': expected 1 to 50.", param=name)
    return given


# ------------------------------------------------------------------ what goes out


def _event_rows(job: Job) -> list[dict[str, Any]]:
    return [
        {"object": "fine_tuning.job.event", "id": f"{job.id}-{number}", "created_at": 0}
        | {"level": "info", "type": "message", "message": event}
        for number, event in enumerate(job.events, start=1)
    ]


def _page(rows: Sequence[dict[str, Any]], query: Mapping[str, str], limit: int) -> dict[str, Any]:
    """The newest rows first, so many as are asked for, from behind the row `after`."""
    newest = list(reversed(rows))
    ids = [row["id"] for row in newest]
    first = ids.index(query["after"]) + 1 if query.get("after") in ids else 0
    given = query.get("limit", "")
    last = first + (int(given) if given.isdecimal() else limit)
    return {"object": "list", "data": newest[first:last], "has_more": last < len(newest)}
