"""Fine-tuning by OpenAI's API, at any base URL: upload a file, create a job, poll it.

The provider's ids are recorded beside the training file, so that a stopped program resumes the same
job and nothing is paid for twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from sociolab.core.errors import ConfigError, ModelError
from sociolab.core.seeding import digest
from sociolab.core.user_files import atomic_file
from sociolab.models.budget import CHARACTERS_A_TOKEN
from sociolab.models.chat import Endpoint, RetriedCall
from sociolab.models.config import EndpointSpec
from sociolab.models.meaning import read_error

if TYPE_CHECKING:
    from aiohttp import MultipartWriter

JOBS = "/fine_tuning/jobs"
SUFFIX = "sociolab"
"""A part of the name of every model that is tuned through this client."""

Row = TypeVar("Row", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class TuningOrder:
    """Hyperparameters of a job; `epochs` None: the provider chooses."""

    seed: int = 0
    epochs: int | None = None


class UploadedFile(BaseModel):
    """The provider's record of a file."""

    id: str
    filename: str


class TuningJob(BaseModel):
    """The provider's record of a job.

    Its status is validating_files, queued, running, succeeded, failed or cancelled.
    """

    id: str
    training_file: str
    status: str
    fine_tuned_model: str | None = None
    error: dict[str, Any] | None = None

    @property
    def lost(self) -> bool:
        """Whether it ended without a model."""
        return self.status in ("failed", "cancelled") or (
            self.status == "succeeded" and self.fine_tuned_model is None
        )


class JobList(BaseModel):
    """The provider's list of an account's latest jobs."""

    data: tuple[TuningJob, ...]


class TuningRecord(BaseModel):
    """The provider's ids of a training file, its job and the tuned model, as far as they exist."""

    model_config = ConfigDict(extra="forbid")

    file: str
    job: str | None = None
    model: str | None = None


class FineTuningClient:
    """Fine-tunes one base model. Close it when done.

    Requests are retried like chat calls; ModelError where that does not help.
    """

    def __init__(self, spec: EndpointSpec, model: str) -> None:
        self.model = model
        self._endpoint = Endpoint(spec)
        self.base_url = self._endpoint.base_url
        self.aclose = self._endpoint.close

    async def tune(
        self,
        content: bytes,
        folder: Path,
        order: TuningOrder,
        tell: Callable[[str], None],
        every_s: float = 20.0,
        within_s: float = 24 * 3600.0,
    ) -> str:
        """Tune on a training file (JSON lines, one conversation each); the name of the new model.

        File and record lie in `folder`, named by a digest of provider, base model, order and
        content. The job is polled every `every_s` seconds; `tell` is called with each new status.
        ModelError where it ends without a model (the next call starts a new job), or has not ended
        after `within_s` seconds (the next call goes on waiting). ConfigError where a file cannot be
        read or written.
        """
        text = content.decode("utf-8", "surrogateescape")
        key = digest(self.base_url, self.model, json.dumps(asdict(order)), text, size=12)
        file, path = folder / f"{key}.jsonl", folder / f"{key}.job.json"
        _write(file, content)
        tokens = round(len(text) / CHARACTERS_A_TOKEN)
        tell(f"{file}: {len(content.splitlines())} examples, about {tokens} tokens per epoch")
        record = _read_record(path)
        if record is None:
            uploaded = await self.upload(f"sociolab-{file.name}", content)
            record = _write_record(path, TuningRecord(file=uploaded.id))
        if record.model is not None:
            return record.model
        if record.job is None:
            job = await self.create(order, record.file)
            record = _write_record(path, TuningRecord(file=record.file, job=job.id))
        assert record.job is not None
        job = await self.watch(record.job, tell, every_s, within_s)
        if job.lost:
            _write_record(path, TuningRecord(file=record.file))
            reason = (job.error or {}).get("message") or "no reason given"
            raise ModelError(
                f'the fine-tuning job {job.id} of "{self.model}" at {self.base_url} was expected '
                f"to give a model, found it {job.status} without one "
                f"({' '.join(str(reason).split())[:300]}); run the same command again to start a "
                "new job",
                cause="refused",
                fatal=True,
            )
        assert job.fine_tuned_model is not None
        _write_record(path, record.model_copy(update={"model": job.fine_tuned_model}))
        return job.fine_tuned_model

    async def upload(self, name: str, content: bytes) -> UploadedFile:
        """Upload a training file; a lost reply leaves an unused file at the provider."""

        async def attempt(call: RetriedCall) -> UploadedFile:
            form = _upload_form(name, content)
            return await self._send(call, "POST", "/files", UploadedFile, form)

        return await self._endpoint.call(attempt)

    async def create(self, order: TuningOrder, training_file: str) -> TuningJob:
        """Create the job for an uploaded file, or find the one that it has already.

        A file is for one job, so that a second attempt finds the job of the first even if the reply
        to that was lost. A job that ended without a model does not count.
        """
        body: dict[str, Any] = {"model": self.model, "training_file": training_file}
        body |= {"suffix": SUFFIX, "seed": order.seed}
        if order.epochs is not None:
            body["hyperparameters"] = {"n_epochs": order.epochs}

        async def attempt(call: RetriedCall) -> TuningJob:
            latest = await self._send(call, "GET", f"{JOBS}?limit=100", JobList)
            for job in latest.data:
                if job.training_file == training_file and not job.lost:
                    return job
            return await self._send(call, "POST", JOBS, TuningJob, json.dumps(body).encode())

        return await self._endpoint.call(attempt)

    async def watch(
        self, job_id: str, tell: Callable[[str], None], every_s: float, within_s: float
    ) -> TuningJob:
        """Poll a job until it has ended, successfully or not."""

        async def attempt(call: RetriedCall) -> TuningJob:
            return await self._send(call, "GET", f"{JOBS}/{job_id}", TuningJob)

        began, status = time.monotonic(), ""
        while True:
            job = await self._endpoint.call(attempt)
            if job.status != status:
                status = job.status
                tell(f"fine-tuning job {job_id}: {status}")
            if job.lost or job.status == "succeeded":
                return job
            if time.monotonic() - began + every_s > within_s:
                raise ModelError(
                    f"the fine-tuning job {job_id} at {self.base_url} was expected to end within "
                    f"{within_s:g} s, found it {job.status}; it continues there: run the same "
                    f"command again to keep waiting",
                    cause="timeout",
                )
            await asyncio.sleep(every_s)

    async def _send(
        self,
        call: RetriedCall,
        method: str,
        path: str,
        kind: type[Row],
        body: bytes | MultipartWriter | None = None,
    ) -> Row:
        content_type = "application/json" if isinstance(body, bytes) else None
        answer = await self._endpoint.send(call, method, path, body, content_type)
        if answer.status != 200:
            url = self.base_url + path
            raise read_error(answer.status, answer.headers, answer.body, self.model, url)
        try:
            row = kind.model_validate_json(answer.body)
        except ValidationError as error:
            excerpt = answer.body[:80].decode(errors="replace")
            message = f"expected an answer of OpenAI's fine-tuning API, found {excerpt!r}"
            raise ModelError(message, cause="malformed reply", retryable=True) from error
        call.record_success()
        return row


def _upload_form(name: str, content: bytes) -> MultipartWriter:
    """An upload as multipart form data; the same bytes for the same file."""
    from aiohttp import MultipartWriter

    boundary = "sociolab-" + hashlib.blake2b(content, digest_size=16).hexdigest()
    form = MultipartWriter("form-data", boundary)
    form.append("fine-tune").set_content_disposition("form-data", name="purpose")
    file = form.append(BytesIO(content), {"content-type": "application/jsonl"})
    file.set_content_disposition("form-data", name="file", filename=name)
    return form


def _read_record(path: Path) -> TuningRecord | None:
    try:
        return TuningRecord.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise ConfigError(
            f"{path}: expected the record of a fine-tuning job, found "
            f"{type(error).__name__}; move the file away to start over"
        ) from error


def _write_record(path: Path, record: TuningRecord) -> TuningRecord:
    _write(path, record.model_dump_json(indent=1).encode() + b"\n")
    return record


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(path) as part:
            part.write_bytes(content)
    except OSError as error:
        raise ConfigError(
            f"{path}: the files of a fine-tuning job cannot be written ({error.strerror}); "
            "name another folder"
        ) from error
