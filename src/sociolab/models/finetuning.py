"""The client for fine-tuning as OpenAI's API offers it, at any base URL: files, jobs, events."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable
from io import BytesIO
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sociolab.core.errors import ModelError
from sociolab.models.chat import Call, Endpoint
from sociolab.models.endpoints import EndpointSpec
from sociolab.models.finetuning_wire import (
    Known,
    TuningEvent,
    TuningJob,
    TuningOrder,
    UploadedFile,
    json_object,
    order_body,
    page_of,
    typed,
)
from sociolab.models.refusals import read_error

JOBS = "/fine_tuning/jobs"
_FILES = "/files"
_PAGE = 100

if TYPE_CHECKING:  # loaded with the first request
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

        async def attempt(call: Call) -> UploadedFile:
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

        async def attempt(call: Call) -> TuningJob:
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

        async def attempt(call: Call) -> TuningJob:
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
                    f"{within_s:g} s, found it {job.status}; it goes on there: run the same "
                    "command again to wait on",
                    cause="timeout",
                )
            await asyncio.sleep(every_s)

    def reason(self, job: TuningJob) -> str:
        """Why a job was lost, in the provider's words."""
        said = (job.error.message or job.error.code) if job.error else None
        return " ".join((said or "no reason given").split())[:300]

    async def _list(self, call: Call, path: str, kind: type[Known]) -> list[Known]:
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

    async def _latest(self, call: Call, path: str, kind: type[Known]) -> list[Known]:
        return page_of(await self._send(call, "GET", f"{path}?limit={_PAGE}"), kind)

    async def _asked(self, call: Call, method: str, path: str, kind: type[Known]) -> Known:
        return typed(kind, await self._send(call, method, path))

    async def _send(
        self, call: Call, method: str, path: str, body: bytes | MultipartWriter | None = None
    ) -> dict[str, Any]:
        """One request; its JSON object, or ModelError."""
        kind = "application/json" if isinstance(body, bytes) else None  # a form names its own
        answer = await call.send(method, path, body, kind)
        if answer.status != 200:
            refusal = read_error(answer.status, answer.body, self.model, self.base_url + path)
            refusal.pause = answer.pause
            raise refusal
        return json_object(answer.body)


def _form(name: str, content: bytes) -> MultipartWriter:
    """An upload; the same for the same file, byte by byte."""
    from aiohttp import MultipartWriter

    border = "sociolab-" + hashlib.blake2b(content, digest_size=16).hexdigest()
    form = MultipartWriter("form-data", border)
    form.append("fine-tune").set_content_disposition("form-data", name="purpose")
    file = form.append(BytesIO(content), {"content-type": "application/jsonl"})
    file.set_content_disposition("form-data", name="file", filename=name)
    return form
