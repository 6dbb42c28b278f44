"""The client for OpenAI-compatible chat completions: the only door to the network."""

from __future__ import annotations

import asyncio
import random
import ssl
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any, NamedTuple

from sociolab import __version__
from sociolab.core.errors import ConfigError, ModelError
from sociolab.core.ports import CallKey, ChatReply, Prompt
from sociolab.models.address import Address
from sociolab.models.endpoints import EndpointSpec, key_of
from sociolab.models.http import BrokenConnectionError, Connections
from sociolab.models.limits import Gate
from sociolab.models.refusals import learn, read_error
from sociolab.models.wire import Quirks, body_of, read_reply

LONGEST_WAIT = 60.0
"""Seconds: no pause between two attempts is longer, whatever the server asks for."""

ATTEMPT_HEADER = b"x-sociolab-attempt"
"""Which attempt at the same call a request is, from 1: for the logs of a server of one's own."""

_HIDDEN = "[key]"
_SECRET_FROM = 8
"""Characters: a shorter key ("EMPTY", "none") guards nothing, and its letters are in any text."""


class Answer(NamedTuple):
    """What came back for one attempt; `pause` is the seconds that Retry-After asks for."""

    status: int
    body: bytes
    pause: float | None


class Endpoint:
    """One endpoint: connections to it, and its limits. Close it when done."""

    def __init__(self, spec: EndpointSpec) -> None:
        self.spec = spec
        self.url = spec.base_url.rstrip("/") + "/chat/completions"
        self.gate = Gate(spec.in_flight, spec.requests_per_minute)
        self._address = _address(self.url, spec)
        self._key = key_of(spec)
        self._connections = Connections(self._address, self._headers())

    async def __aenter__(self) -> Endpoint:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def model(self, name: str, options: Mapping[str, Any] | None = None) -> EndpointModel:
        """A model of this endpoint; `options` go into each of its requests as they are."""
        return EndpointModel(self, name, options)

    async def close(self) -> None:
        """Drop all connections; another call opens them again."""
        await self._connections.close()

    async def post(self, body: bytes, attempt: int, seconds: float) -> Answer:
        """One attempt, which ends after `seconds`. Redirects are not followed.

        ModelError (retryable) where the connection or the time limit ends it.
        """
        attempt_line = b"%b: %d\r\n" % (ATTEMPT_HEADER, attempt)
        try:
            reply = await self._connections.post(body, seconds, attempt_line)
        except TimeoutError as error:
            message = f"{self.url} gave no reply within {seconds:.3g} s"
            raise ModelError(message, cause="timeout", retryable=True) from error
        except (UnicodeError, ssl.SSLCertVerificationError) as error:
            message = f"{self.url} cannot be called ({error}); check the base URL"
            raise ModelError(message, cause="connection", fatal=True) from error
        except (BrokenConnectionError, OSError) as error:
            message = f"the connection to {self.url} broke ({type(error).__name__}: {error})"
            raise ModelError(message, cause="connection", retryable=True) from error
        data = reply.body if reply.status == 200 else self.without_key_bytes(reply.body)
        return Answer(reply.status, data, _retry_after(reply.headers.get("retry-after")))

    def without_key(self, text: str) -> str:
        """The text with the key blacked out: some servers repeat it in what they refuse."""
        if self._key is None or len(self._key) < _SECRET_FROM:
            return text
        # The second is how some servers write a slash in JSON.
        return text.replace(self._key, _HIDDEN).replace(self._key.replace("/", "\\/"), _HIDDEN)

    def without_key_bytes(self, data: bytes) -> bytes:
        """The same for a body, before a part of it is shown."""
        return self.without_key(data.decode("latin-1")).encode("latin-1")

    def _headers(self) -> dict[str, str]:
        headers = {"user-agent": f"sociolab/{__version__}", "content-type": "application/json"}
        return {**headers, "authorization": f"Bearer {self._key}"} if self._key else headers


class EndpointModel:
    """One model of an endpoint, as a ChatModel."""

    def __init__(
        self, endpoint: Endpoint, model: str, options: Mapping[str, Any] | None = None
    ) -> None:
        self.label = f"{endpoint.spec.name}/{model}"
        self._endpoint = endpoint
        self._model = model
        self._options = options
        self._quirks = Quirks(takes_schema=endpoint.spec.structured is not False)
        # Jitter only spreads retries over time: it changes no result, so it needs no seed.
        self._jitter = random.Random()

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        """One reply, with retries where they may help; ModelError with its cause otherwise.

        It always ends: no attempt outlasts `timeout_s`, and attempts and pauses together do not
        outlast `total_s`. Waiting for a place in flight is not counted.
        """
        spec = self._endpoint.spec
        spent = _Spent()
        tries = 1
        while True:
            try:
                answer = await self._attempt(prompt, tries, spent)
                return self._read(answer.body, prompt, spent.seconds, tries)
            except ModelError as error:
                error.args = (self._endpoint.without_key(str(error)),)
                error.tries = tries
                pause = self._pause(error, tries)
                late = spent.seconds + pause >= spec.total_s
                if not error.retryable or tries >= spec.tries or late:
                    raise
            await asyncio.sleep(pause)
            spent.seconds += pause
            tries += 1

    async def _attempt(self, prompt: Prompt, number: int, spent: _Spent) -> Answer:
        """One attempt; a refusal that teaches a quirk of the server is answered at once."""
        while True:
            quirks = self._quirks
            body = body_of(self._model, prompt, quirks, self._options)
            answer = await self._post(body, number, spent)
            if answer.status == 200:
                return answer
            learned = learn(quirks, answer.status, answer.body)
            if learned is None:
                error = read_error(
                    answer.status, answer.body, self._model, self._endpoint.url, self._options
                )
                error.pause = answer.pause
                raise error
            if self._quirks == quirks:  # else another call has learned meanwhile
                self._quirks = learned

    async def _post(self, body: bytes, number: int, spent: _Spent) -> Answer:
        spec = self._endpoint.spec
        async with self._endpoint.gate:
            began = time.perf_counter()
            left = max(spec.total_s - spent.seconds, 0.001)
            try:
                return await self._endpoint.post(body, number, min(spec.timeout_s, left))
            finally:
                spent.seconds += time.perf_counter() - began

    def _read(self, body: bytes, prompt: Prompt, seconds: float, tries: int) -> ChatReply:
        try:
            return read_reply(body, prompt, seconds, tries)
        except ModelError:
            body = self._endpoint.without_key_bytes(body)
        return read_reply(body, prompt, seconds, tries)

    def _pause(self, error: ModelError, tries: int) -> float:
        """Seconds until the next attempt: what the server asks for, else twice as long each time.

        Both with jitter, so that calls which failed together do not return together.
        """
        pause = 0.5 * 2 ** (tries - 1) if error.pause is None else error.pause
        return min(pause, LONGEST_WAIT) * self._jitter.uniform(1.0, 1.25)


class _Spent:
    """The seconds that a call has taken so far."""

    __slots__ = ("seconds",)

    def __init__(self) -> None:
        self.seconds = 0.0


def _address(url: str, spec: EndpointSpec) -> Address:
    try:
        return Address.of(url)
    except ValueError:
        raise ConfigError(
            f'endpoint "{spec.name}": expected a base URL such as http://127.0.0.1:8000/v1, '
            f'found "{spec.base_url}"'
        ) from None


def _retry_after(value: str | None) -> float | None:
    try:
        return None if value is None else max(0.0, float(value))
    except ValueError:
        return None  # an HTTP date: rare, and our own backoff serves as well
