"""The client for fine-tuning as OpenAI's API offers it, at any base URL: files, jobs, events."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, TypeVar

import aiohttp

from sociolab.core.errors import ModelError
from sociolab.models.chat import LONGEST_WAIT, Endpoint
from sociolab.models.endpoints import EndpointSpec, key_of
from sociolab.models.finetuning_wire import (
    Known,
    TuningEvent,
    TuningJob,
    TuningOrder,
    UploadedFile,
    json_object,
    multipart,
    order_body,
    page_of,
    typed,
)
from sociolab.models.refusals import read_error

JOBS = "/fine_tuning/jobs"
_FILES = "/files"
_PAGE = 100

Result = TypeVar("Result")


class FineTuningClient:
    """Tunes one base model: uploads, creates, watches, cancels, lists. Close it when done.

    Each call is retried as chat calls are, and ends with ModelError where that does not help. What
    would leave something behind twice (an upload, a job) looks for the first one before it tries
    again: a reply that was lost does not mean that nothing was done.
    """

    def __init__(self, spec: EndpointSpec, model: str) -> None:
        self.base_url = spec.base_url.rstrip("/")
        self.model = model
        self._spec = spec
        self._guard = Endpoint(spec)  # checks the address, and knows the key to black it out
        self._headers = {"authorization": f"Bearer {key}"} if (key := key_of(spec)) else {}
        self._session: aiohttp.ClientSession | None = None
        self._jitter = random.Random()  # spreads retries over time: it changes no result

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
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def upload(self, name: str, content: bytes) -> UploadedFile:
        """The training file with this name and length, uploaded unless it is there already.

        So the name must stand for the content: hold its hash.
        """
        kind, body = multipart(name, content)

        async def attempt() -> UploadedFile:
            for file in await self._list(_FILES, UploadedFile):
                if file.filename == name and file.bytes in (None, len(content)):
                    return file
            return typed(UploadedFile, await self._send("POST", _FILES, body, kind))

        return await self._retried(attempt)

    async def create(self, order: TuningOrder, training_file: str) -> TuningJob:
        """The job for a training file, unless one that was not lost is there already.

        A file is for one order only: its id is how the job is known again.
        """
        body = order_body(self.model, order, training_file)

        async def attempt() -> TuningJob:
            for job in await self._list(JOBS, TuningJob):
                if job.training_file == training_file and not job.lost:
                    return job
            return typed(TuningJob, await self._send("POST", JOBS, body, "application/json"))

        return await self._retried(attempt)

    async def job(self, name: str) -> TuningJob:
        """How a job stands."""
        return await self._retried(lambda: self._asked("GET", f"{JOBS}/{name}", TuningJob))

    async def jobs(self) -> tuple[TuningJob, ...]:
        """All jobs of the account, the newest first."""
        return tuple(await self._retried(lambda: self._list(JOBS, TuningJob)))

    async def events(self, name: str) -> tuple[TuningEvent, ...]:
        """The latest things that a provider told of a job, the oldest of them first."""
        rows = await self._retried(lambda: self._latest(f"{JOBS}/{name}/events", TuningEvent))
        return tuple(reversed(rows))

    async def cancel(self, name: str) -> TuningJob:
        """Stop a job; ModelError where it has ended otherwise."""

        async def attempt() -> TuningJob:
            job = await self._asked("GET", f"{JOBS}/{name}", TuningJob)
            if job.status == "cancelled":
                return job
            return await self._asked("POST", f"{JOBS}/{name}/cancel", TuningJob)

        return await self._retried(attempt)

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
                    tell(self._guard.without_key(event.message))
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
        return self._guard.without_key(" ".join((said or "no reason given").split())[:300])

    async def _list(self, path: str, kind: type[Known]) -> list[Known]:
        """All rows of a list, page by page; not retried."""
        rows: list[Known] = []
        after = ""
        while True:
            found = await self._send("GET", f"{path}?limit={_PAGE}{after}")
            page = page_of(found, kind)
            rows += page
            if not page or not found.get("has_more"):
                return rows
            after = f"&after={found['data'][-1]['id']}"

    async def _latest(self, path: str, kind: type[Known]) -> list[Known]:
        return page_of(await self._send("GET", f"{path}?limit={_PAGE}"), kind)

    async def _asked(self, method: str, path: str, kind: type[Known]) -> Known:
        return typed(kind, await self._send(method, path))

    async def _retried(self, attempt: Callable[[], Awaitable[Result]]) -> Result:
        """What an attempt gives; tried again where it failed in a way that may pass."""
        spec, began, tries = self._spec, time.monotonic(), 1
        while True:
            try:
                return await attempt()
            except ModelError as error:
                error.args = (self._guard.without_key(str(error)),)
                error.tries = tries
                pause = 0.5 * 2 ** (tries - 1) if error.pause is None else error.pause
                pause = min(pause, LONGEST_WAIT) * self._jitter.uniform(1.0, 1.25)
                late = time.monotonic() - began + pause >= spec.total_s
                if not error.retryable or tries >= spec.tries or late:
                    raise
            await asyncio.sleep(pause)
            tries += 1

    async def _send(
        self, method: str, path: str, body: bytes | None = None, kind: str | None = None
    ) -> dict[str, Any]:
        """One request; its JSON object, or ModelError."""
        url = self.base_url + path
        session = self._session or self._open_session()
        headers = {"content-type": kind} if kind else {}
        try:
            async with (
                asyncio.timeout(self._spec.timeout_s),
                session.request(
                    method, url, data=body, headers=headers, allow_redirects=False
                ) as response,
            ):
                data = await response.read()
        except TimeoutError as error:
            message = f"{url} gave no reply within {self._spec.timeout_s:.3g} s"
            raise ModelError(message, cause="timeout", retryable=True) from error
        except (aiohttp.InvalidURL, aiohttp.ClientConnectorCertificateError) as error:
            message = f"{url} cannot be called ({error}); check the base URL"
            raise ModelError(message, cause="connection", fatal=True) from error
        except (aiohttp.ClientError, OSError) as error:
            message = f"the connection to {url} broke ({type(error).__name__}: {error})"
            raise ModelError(message, cause="connection", retryable=True) from error
        if response.status != 200:
            data = self._guard.without_key_bytes(data)
            refusal = read_error(response.status, data, self.model, url)
            refusal.pause = _seconds(response.headers.get("Retry-After"))
            raise refusal
        return json_object(self._guard.without_key_bytes(data))

    def _open_session(self) -> aiohttp.ClientSession:
        self._session = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=None),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=self._headers,
        )
        return self._session


def _seconds(value: str | None) -> float | None:
    try:
        return None if value is None else max(0.0, float(value))
    except ValueError:
        return None  # an HTTP date
