"""A fine-tuning job on record: a stopped program waits on, and nothing is paid for twice."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from sociolab.core.errors import ConfigError, ModelError
from sociolab.core.seeding import digest
from sociolab.models.finetuning import FineTuningClient
from sociolab.models.finetuning_wire import TuningJob, TuningOrder


class TunedJob(BaseModel):
    """What is known of a job, as its file holds it; `file_hash` is their `tuning_key`.

    `file` and `job` are the provider's ids, None until they are known; `tuned_model` is there when
    the job has succeeded.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str
    model: str
    order: TuningOrder
    file_hash: str
    file: str | None = None
    job: str | None = None
    status: str = ""
    tuned_model: str | None = None
    trained_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Patience:
    """How a job is waited for, in seconds: asked for every so often, given up after so long."""

    every_s: float
    within_s: float


PATIENT = Patience(20.0, 24 * 3600.0)
"""Jobs take minutes to hours, and some wait in a queue before."""


async def tuned(
    client: FineTuningClient,
    order: TuningOrder,
    content: bytes,
    record: Path,
    patience: Patience,
    tell: Callable[[str], None],
) -> TunedJob:
    """The finished job for this training file and order: found, waited for, or made.

    `record` is written after each step, and read first; where it is lost, file and job are known
    again at the provider by the hash in the file's name. A job that failed or was cancelled is a
    ModelError with the provider's reason, and the next time a new one is made. ConfigError where
    the record is of something else, or cannot be read or written.
    """
    state = _started(client, order, content, record)
    if state.tuned_model is not None:
        return state
    if state.file is None:
        uploaded = await client.upload(f"sociolab-{state.file_hash}.jsonl", content)
        state = _kept(record, state, file=uploaded.id)
    assert state.file is not None
    if state.job is None or state.status in ("failed", "cancelled"):
        job = await client.create(order, state.file)
        state = _kept(record, state, job=job.id, status=job.status)
    assert state.job is not None
    job = await client.watch(state.job, patience.every_s, patience.within_s, tell)
    state = _kept(
        record,
        state,
        status=job.status,
        tuned_model=None if job.lost else job.fine_tuned_model,
        trained_tokens=job.trained_tokens,
    )
    if state.tuned_model is None:
        raise _lost(client, job)
    return state


def tuning_key(client: FineTuningClient, order: TuningOrder, content: bytes) -> str:
    """What no two jobs share that differ in provider, base model, order or training file."""
    text = content.decode("utf-8", "surrogateescape")
    return digest(client.base_url, client.model, order.model_dump_json(), text, size=12)


def read_record(record: Path) -> TunedJob:
    """The record in a file; ConfigError if it is none."""
    try:
        return TunedJob.model_validate_json(record.read_bytes())
    except (OSError, ValidationError) as error:
        raise ConfigError(
            f"{record}: expected the record of a fine-tuning job, found "
            f"{type(error).__name__}; move the file away to begin anew"
        ) from error


def _started(
    client: FineTuningClient, order: TuningOrder, content: bytes, record: Path
) -> TunedJob:
    """What is on record; a fresh record where there is none."""
    fresh = TunedJob(
        base_url=client.base_url,
        model=client.model,
        order=order,
        file_hash=tuning_key(client, order, content),
    )
    if not record.exists():
        return fresh
    found = read_record(record)
    for name in ("base_url", "model", "file_hash"):
        if getattr(found, name) != getattr(fresh, name):
            raise ConfigError(
                f'{record}: expected a job with the {name} "{getattr(fresh, name)}", found '
                f'"{getattr(found, name)}"; name another folder'
            )
    return found


def _kept(record: Path, state: TunedJob, **news: str | int | None) -> TunedJob:
    """The record with what is new in it, written in one go."""
    state = state.model_copy(update=news)
    part = record.with_name(f"{record.name}.part")
    try:
        record.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(state.model_dump_json(indent=1) + "\n", "utf-8")
        os.replace(part, record)
    except OSError as error:
        raise ConfigError(
            f"{record}: the record of a fine-tuning job cannot be written ({error.strerror}); "
            "name another folder"
        ) from error
    return state


def _lost(client: FineTuningClient, job: TuningJob) -> ModelError:
    return ModelError(
        f'the fine-tuning job {job.id} of "{client.model}" at {client.base_url} was expected to '
        f"give a model, found it {job.status} without one ({client.reason(job)}); run the same "
        "command again to start a new job",
        cause="refused",
        fatal=True,
    )
