"""The wire format of fine-tuning: uploads and orders out; files, jobs and events in."""

from __future__ import annotations

import json
from typing import Any, TypeVar

import pydantic_core
from pydantic import BaseModel, ConfigDict, ValidationError

from sociolab.core.errors import ModelError

SUFFIX = "sociolab"
"""A part of the name of every model that is tuned from here."""

Known = TypeVar("Known", bound=BaseModel)


class _Row(BaseModel):
    """A record of the API, of which only what is used here is read."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str


class UploadedFile(_Row):
    """A file as the provider knows it; `bytes` is its length."""

    filename: str
    bytes: int | None = None


class JobError(BaseModel):
    """Why a job failed, in the provider's words."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    code: str | None = None
    message: str | None = None


class TuningJob(_Row):
    """A job: its status is validating_files, queued, running, succeeded, failed or cancelled."""

    model: str
    training_file: str
    status: str
    fine_tuned_model: str | None = None
    trained_tokens: int | None = None
    error: JobError | None = None

    @property
    def ended(self) -> bool:
        """Whether it will not change any more."""
        return self.status == "succeeded" or self.lost

    @property
    def lost(self) -> bool:
        """Whether it ended without a model."""
        return self.status in ("failed", "cancelled")


class TuningEvent(_Row):
    """What a provider tells of a job under way."""

    message: str


class TuningOrder(BaseModel):
    """What is asked for, beside the base model; `epochs` None: as many as the provider likes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int = 0
    epochs: int | None = None


def order_body(model: str, order: TuningOrder, training_file: str) -> bytes:
    """The request that creates a job."""
    body: dict[str, Any] = {"model": model, "training_file": training_file}
    body |= {"suffix": SUFFIX, "seed": order.seed}
    if order.epochs is not None:
        body["hyperparameters"] = {"n_epochs": order.epochs}
    return json.dumps(body).encode()


def json_object(data: bytes) -> dict[str, Any]:
    """The object in a response body; ModelError (retryable) if there is none."""
    try:
        found = pydantic_core.from_json(data)  # json.loads breaks on deep nesting
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise _malformed(data[:80].decode(errors="replace"))
    return found


def typed(kind: type[Known], row: Any) -> Known:
    """A record of the API; ModelError (retryable) if it is none."""
    try:
        return kind.model_validate(row)
    except ValidationError as error:
        raise _malformed(json.dumps(row)[:80]) from error


def page_of(found: dict[str, Any], kind: type[Known]) -> list[Known]:
    """The rows on a page of a list; ModelError (retryable) if it is none."""
    rows = found.get("data")
    if not isinstance(rows, list):
        raise _malformed(json.dumps(found)[:80])
    return [typed(kind, row) for row in rows]


def _malformed(shown: str) -> ModelError:
    message = f"expected an answer of OpenAI's fine-tuning API, found {shown!r}"
    return ModelError(message, cause="malformed reply", retryable=True)
