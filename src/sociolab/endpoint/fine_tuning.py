"""OpenAI's fine-tuning API on the local endpoint: files, jobs, and models that look answers up."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
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
LEAST_EXAMPLES = 10
"""OpenAI refuses to train on fewer."""

_WORD = re.compile(r"\w+")


class FineTuning:
    """The files, jobs and tuned models of an endpoint, as long as it runs.

    A job is queued, then running, and done when it was polled `tuning_polls` times. A tuned model
    replies with the answer of the training example whose user message shares the most words with
    that of the request: deterministic, and good enough for tests on what was trained.
    """

    def __init__(self, settings: EndpointSettings) -> None:
        self.files: dict[str, Upload] = {}
        self.jobs: dict[str, Job] = {}
        self._settings = settings
        self._models: dict[str, tuple[Lesson, ...]] = {}

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self._models)

    def answer(self, method: str, path: str, content_type: str, raw: bytes) -> dict[str, Any]:
        """The API's answer; `path` begins after "/v1". RefusalError for what it refuses."""
        place, _, name = path.removeprefix("/fine_tuning").removeprefix("/").partition("/")
        match method, place, name:
            case "POST", "files", "":
                return self._upload(content_type, raw)
            case "POST", "jobs", "":
                return self._create(raw)
            case "GET", "jobs", "":
                newest = reversed(self.jobs.values())
                return {"object": "list", "data": [job.row for job in newest], "has_more": False}
            case "GET", "jobs", _ if name in self.jobs:
                return self._poll(self.jobs[name]).row
            case "GET", "jobs", _ if "/" not in name:
                raise RefusalError(404, f"Could not find fine tune: {name}", param="fine_tune_id")
            case _, _, "":
                raise wrong_method(method, path)
        raise unknown_url(method, path)

    def reply(self, chat: ChatBody) -> str | None:
        """The reply of a tuned model; None for any other model."""
        lessons = self._models.get(chat.model)
        if lessons is None:
            return None
        question = next((m.text for m in reversed(chat.messages) if m.role == "user"), "")
        words = word_set(question)
        return max(lessons, key=lambda lesson: similarity(words, lesson[0]))[1]

    def _upload(self, content_type: str, raw: bytes) -> dict[str, Any]:
        fields = _read_form(content_type, raw)
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
        try:
            fields = json.loads(raw)
        except ValueError:
            fields = None
        if not isinstance(fields, dict):
            raise bad_request("We could not parse the JSON body of your request.")
        model, file = fields.get("model"), fields.get("training_file")
        if not isinstance(model, str) or not model:
            raise bad_request("Missing required parameter: 'model'.", param="model")
        if self._settings.models and model not in (*self._settings.models, *self._models):
            raise unknown_model(model)
        if not isinstance(file, str) or file not in self.files:
            raise bad_request(f"invalid training_file: {file}", param="training_file")
        number = f"ftjob-{len(self.jobs) + 1:04d}"
        self.jobs[number] = Job(number, model, self.files[file], fields)
        return self.jobs[number].row

    def _poll(self, job: Job) -> Job:
        job.polls += 1
        if job.status in ("succeeded", "failed"):
            return job
        lessons, problem = read_lessons(job.file.content)
        if problem:
            job.problem = f"The job failed due to an invalid training file. {problem}"
            job.status = "failed"
        elif job.polls >= self._settings.tuning_polls:
            suffix = job.settings.get("suffix") or ""
            job.tuned = f"ft:{job.model}:local:{suffix}:{job.id.removeprefix('ftjob-')}"
            self._models[job.tuned] = lessons
            job.status = "succeeded"
        elif job.status == "queued":
            job.status = "running"
        return job


def is_tuning(path: str) -> bool:
    """Whether a path belongs to the fine-tuning API."""
    return any(path == place or path.startswith(f"{place}/") for place in (FILES, JOBS))


@dataclass(frozen=True, slots=True)
class Upload:
    id: str
    name: str
    content: bytes

    @property
    def row(self) -> dict[str, Any]:
        """The file in the API's form."""
        return {"id": self.id, "object": "file", "bytes": len(self.content), "filename": self.name}


@dataclass(slots=True)
class Job:
    """A job and its state; `polls` counts how often the client asked for it."""

    id: str
    model: str
    file: Upload
    settings: Mapping[str, Any]
    status: Literal["queued", "running", "succeeded", "failed"] = "queued"
    polls: int = 0
    tuned: str | None = None
    problem: str = ""

    @property
    def row(self) -> dict[str, Any]:
        """The job in the API's form, with the fields that clients here read."""
        error = {"code": "invalid_training_file", "message": self.problem}
        return {
            "object": "fine_tuning.job",
            "id": self.id,
            "model": self.model,
            "fine_tuned_model": self.tuned,
            "status": self.status,
            "training_file": self.file.id,
            "error": error if self.problem else None,
        }


Lesson: TypeAlias = tuple[frozenset[str], str]
"""A training example of a tuned model: the words of the question, and the answer."""


def read_lessons(content: bytes) -> tuple[tuple[Lesson, ...], str]:
    """The lessons of a training file and ""; or none, and what is wrong with the file."""
    lessons = []
    lines = [line for line in content.decode(errors="replace").split("\n") if line.strip()]
    for number, line in enumerate(lines, start=1):
        lesson = _read_lesson(line)
        if lesson is None:
            return (), f"Invalid file format. Example {number} is not in the chat format."
        lessons.append(lesson)
    if len(lessons) < LEAST_EXAMPLES:
        problem = f"Training file has {len(lessons)} example(s)"
        return (), f"{problem}, but must have at least {LEAST_EXAMPLES} examples."
    return tuple(lessons), ""


def _read_lesson(line: str) -> Lesson | None:
    try:
        messages = [(row["role"], row["content"]) for row in json.loads(line)["messages"]]
    except (ValueError, KeyError, TypeError):
        return None
    if not all(role in ROLES and isinstance(text, str) for role, text in messages):
        return None
    if not messages or messages[-1][0] != "assistant":
        return None
    question = next((text for role, text in reversed(messages) if role == "user"), "")
    return word_set(question), messages[-1][1]


def word_set(text: str) -> frozenset[str]:
    """The distinct words of a text, ignoring case."""
    return frozenset(_WORD.findall(text.casefold()))


def similarity(words: frozenset[str], other: frozenset[str]) -> float:
    """The Jaccard similarity of two sets of words, 0 to 1."""
    shared = len(words & other)
    return shared / max(len(words) + len(other) - shared, 1)


def _read_form(content_type: str, raw: bytes) -> dict[str, tuple[str, bytes]]:
    """The fields of a multipart form: file name ("" if it is not a file) and content."""
    message = message_from_bytes(b"Content-Type: %b\r\n\r\n" % content_type.encode() + raw)
    if not message.is_multipart():
        raise bad_request("Expected a multipart form with the fields purpose and file.")
    fields = {}
    for part in message.walk():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(content, bytes):
            fields[name] = (part.get_filename() or "", content)
    return fields
