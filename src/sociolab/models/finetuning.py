"""Fine-tuning as OpenAI's API offers it, at any base URL.

The client, what goes over the wire, and a job on record, so that a stopped program waits on and
nothing is paid for twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

import pydantic_core
from pydantic import BaseModel, ConfigDict, ValidationError

from sociolab.core.errors import ConfigError, ModelError
from sociolab.core.seeding import digest
from sociolab.core.user_files import write_whole
from sociolab.models.chat import Endpoint, RetriedCall
from sociolab.models.config import EndpointSpec
from sociolab.models.meaning import read_error

if TYPE_CHECKING:
    from aiohttp import MultipartWriter


class FineTuningClient:
    """Tunes one base model: uploads, creates, watches, cancels, lists. Close it when done.

    Each call is retried as chat calls are, and ends with ModelError where that does not help. What
    would leave something behind twice (an upload, a job) looks for the first one before it tries
    again: a reply that was lost does not mean that nothing was done.
    """

    def __init__(self, spec: EndpointSpec, model: str) -> None:
        self.model = model
        self._endpoint = Endpoint(spec)
        self.base_url = self._endpoint.base_url

    async def __aenter__(self) -> FineTuningClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End the session."""
        await self._endpoint.close()

    async def upload(self, name: str, content: bytes) -> UploadedFile:
        """The training file with this name and length, uploaded unless it is there already.

        So the name must stand for the content: hold its hash.
        """

        async def attempt(call: RetriedCall) -> UploadedFile:
            for file in await self._list(call, _FILES, UploadedFile):
                if file.filename == name and file.bytes in (None, len(content)):
                    return file
            return typed(UploadedFile, await self._send(call, "POST", _FILES, _form(name, content)))

        return await self._endpoint.call(attempt)

    async def create(self, order: TuningOrder, training_file: str) -> TuningJob:
        """The job for a training file, unless one that was not lost is there already.

        A file is for one order only: its id is how the job is known again.
        """
        body = order_body(self.model, order, training_file)

        async def attempt(call: RetriedCall) -> TuningJob:
            for job in await self._list(call, JOBS, TuningJob):
                if job.training_file == training_file and not job.lost:
                    return job
            return typed(TuningJob, await self._send(call, "POST", JOBS, body))

        return await self._endpoint.call(attempt)

    async def job(self, name: str) -> TuningJob:
        """How a job stands."""
        return await self._endpoint.call(
            lambda call: self._asked(call, "GET", f"{JOBS}/{name}", TuningJob)
        )

    async def jobs(self) -> tuple[TuningJob, ...]:
        """All jobs of the account, the newest first."""
        return tuple(await self._endpoint.call(lambda call: self._list(call, JOBS, TuningJob)))

    async def events(self, name: str) -> tuple[TuningEvent, ...]:
        """The latest things that a provider told of a job, the oldest of them first."""
        rows = await self._endpoint.call(
            lambda call: self._latest(call, f"{JOBS}/{name}/events", TuningEvent)
        )
        return tuple(reversed(rows))

    async def cancel(self, name: str) -> TuningJob:
        """Stop a job; ModelError where it has ended otherwise."""

        async def attempt(call: RetriedCall) -> TuningJob:
            job = await self._asked(call, "GET", f"{JOBS}/{name}", TuningJob)
            if job.status == "cancelled":
                return job
            return await self._asked(call, "POST", f"{JOBS}/{name}/cancel", TuningJob)

        return await self._endpoint.call(attempt)

    async def watch(
        self, name: str, every_s: float, within_s: float, tell: Callable[[str], None]
    ) -> TuningJob:
        """Wait until a job has ended, and return it, succeeded or not.

        It is asked for every `every_s` seconds; `tell` hears each new event. ModelError (timeout)
        after `within_s` seconds: the job goes on without us, and can be watched again.
        """
        began = time.monotonic()
        told: set[str] = set()
        while True:
            job = await self.job(name)
            for event in await self.events(name):
                if event.id not in told:
                    told.add(event.id)
                    tell(event.message)
            if job.ended:
                return job
            if time.monotonic() - began + every_s > within_s:
                raise ModelError(
                    f"the fine-tuning job {name} at {self.base_url} was expected to end within "
                    f"{within_s:g} s, found it {job.status}; it continues there: run the same "
                    f"command again to keep waiting",
                    cause="timeout",
                )
            await asyncio.sleep(every_s)

    def reason(self, job: TuningJob) -> str:
        """Why a job was lost, in the provider's words."""
        said = (job.error.message or job.error.code) if job.error else None
        return " ".join((said or "no reason given").split())[:300]

    async def _list(self, call: RetriedCall, path: str, kind: type[Known]) -> list[Known]:
        """All rows of a list, page by page; not retried."""
        rows: list[Known] = []
        after = ""
        while True:
            found = await self._send(call, "GET", f"{path}?limit={_PAGE}{after}")
            page = page_of(found, kind)
            rows += page
            if not page or not found.get("has_more"):
                return rows
            after = f"&after={found['data'][-1]['id']}"

    async def _latest(self, call: RetriedCall, path: str, kind: type[Known]) -> list[Known]:
        return page_of(await self._send(call, "GET", f"{path}?limit={_PAGE}"), kind)

    async def _asked(self, call: RetriedCall, method: str, path: str, kind: type[Known]) -> Known:
        return typed(kind, await self._send(call, method, path))

    async def _send(
        self, call: RetriedCall, method: str, path: str, body: bytes | MultipartWriter | None = None
    ) -> dict[str, Any]:
        """One request; its JSON object, or ModelError."""
        kind = "application/json" if isinstance(body, bytes) else None  # a form names its own
        answer = await self._endpoint.send(call, method, path, body, kind)
        if answer.status != 200:
            url = self.base_url + path
            raise read_error(answer.status, answer.headers, answer.body, self.model, url)
        document = json_object(answer.body)
        call.works()
        return document


SUFFIX = "sociolab"
"""A part of the name of every model that is tuned from here."""

JOBS = "/fine_tuning/jobs"

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
        return self.status in ("failed", "cancelled") or (
            self.status == "succeeded" and self.fine_tuned_model is None
        )


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


_FILES = "/files"

_PAGE = 100


def _form(name: str, content: bytes) -> MultipartWriter:
    """An upload; the same for the same file, byte by byte."""
    from aiohttp import MultipartWriter

    border = "sociolab-" + hashlib.blake2b(content, digest_size=16).hexdigest()
    form = MultipartWriter("form-data", border)
    form.append("fine-tune").set_content_disposition("form-data", name="purpose")
    file = form.append(BytesIO(content), {"content-type": "application/jsonl"})
    file.set_content_disposition("form-data", name="file", filename=name)
    return form


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
    if state.job is None or state.status in ("failed", "cancelled", "succeeded"):
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
            f"{type(error).__name__}; move the file away to start over"
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
    try:
        record.parent.mkdir(parents=True, exist_ok=True)
        write_whole(record, state.model_dump_json(indent=1) + "\n")
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
