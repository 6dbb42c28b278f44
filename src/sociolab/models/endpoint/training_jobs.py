"""Training files and fine-tuning jobs of the local endpoint, and what a tuned model knows."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sociolab.models.endpoint.chat import ROLES

LEAST_EXAMPLES = 10
"""A provider refuses to train on fewer."""

Status = Literal["queued", "running", "succeeded", "failed", "cancelled"]
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
    status: Status = "queued"
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

    def move(self, status: Status, event: str) -> None:
        """Reach another status."""
        self.status = status
        self.events.append(event)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A training example as a tuned model knows it: the words of the question, and the answer."""

    words: frozenset[str]
    answer: str


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
    return Lesson(words_in(asked), messages[-1][1])


def words_in(text: str) -> frozenset[str]:
    """The different words of a text, without capitals."""
    return frozenset(_WORD.findall(text.casefold()))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of the words of both that they have in common, 0 to 1."""
    shared = len(one & other)
    return shared / max(len(one) + len(other) - shared, 1)
