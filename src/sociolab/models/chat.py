"""The client for chat models over HTTP: the only door to the network."""

from __future__ import annotations

import asyncio
import base64
import math
import os
import random
import ssl
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import astuple, replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import SplitResult, unquote, urlsplit

from sociolab.core import __version__
from sociolab.core.errors import ConfigError, ModelError
from sociolab.core.ports import CallKey, ChatReply, Prompt
from sociolab.core.redaction import guard, redacted, redacted_bytes
from sociolab.core.seeding import digest, seed_of
from sociolab.models.config import EndpointSpec, headers_of, key_of, secrets_of
from sociolab.models.wire import CHAT, Dialect, quirks_of, read_error

if TYPE_CHECKING:  # loaded with the first request: it takes a tenth of a second
    import aiohttp

LONGEST_WAIT = 60.0
"""Seconds: no pause between two attempts is longer, whatever the server asks for."""

ATTEMPT_HEADER = "x-sociolab-attempt"
"""Which attempt at the same call a request is, from 1: for the logs of a server of one's own."""

CALL_HEADER = "x-sociolab-call"
"""Which call a request belongs to, as a digest: a stand-in draws another reply for another call,
as a model does, where the prompts are the same."""

_JSON = "application/json"

_JITTER = random.Random()
"""Spreads retries over time: it changes no result, so it needs no seed."""

Result = TypeVar("Result")


class HttpAnswer(NamedTuple):
    """What came back for one request; `pause` is the seconds that Retry-After asks for."""

    status: int
    body: bytes
    pause: float | None


class Limits(ABC):
    """What holds for all calls to an endpoint, however they are sent: how many in flight and in a
    minute, how long, how often again."""

    def __init__(self, spec: EndpointSpec, dialect: Dialect) -> None:
        self.spec = spec
        self.dialect = dialect
        self.base_url = spec.base_url.rstrip("/")
        self._room = asyncio.Semaphore(spec.in_flight)
        self._next = 0.0

    def model(self, name: str, options: Mapping[str, Any] | None = None) -> EndpointModel:
        """A model of this endpoint; `options` go into each of its requests as they are, but for a
        `seed`, from which each call gets one of its own. ConfigError for one that is unknown there.
        """
        for option, instead in self.dialect.lacks.items():
            if options and option in options and not isinstance(options[option], dict):
                raise ConfigError(f'"{self.spec.name}/{name}" takes no {option}: {instead}')
        return EndpointModel(self, name, options or {})

    @abstractmethod
    async def send(
        self, call: RetriedCall, method: str, path: str, body: bytes, kind: str
    ) -> HttpAnswer:
        """One request of a call, in its place and its time; `kind` is the body's content type."""

    async def call(self, attempt: Callable[[RetriedCall], Awaitable[Result]]) -> Result:
        """What an attempt gives, with retries where they may help; ModelError otherwise.

        It always ends: no request outlasts `timeout_s`, and requests and pauses together do not
        outlast `total_s`. Waiting for a place in flight is not counted. A request is sent only
        while a fair time is left for it, half of `timeout_s`: cut off, it would be paid for all
        the same.
        """
        return await RetriedCall(self).retried(attempt)

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """A place in flight, in its minute; first come, first served."""
        async with self._room:
            if self.spec.requests_per_minute:
                now = time.monotonic()
                wait = self._next - now
                self._next = max(self._next, now) + 60.0 / self.spec.requests_per_minute
                await asyncio.sleep(max(wait, 0.0))
            yield

    def for_another_loop(self) -> None:
        """Forget who waits: the next call may be made in another event loop."""
        self._room = asyncio.Semaphore(self.spec.in_flight)


class Endpoint(Limits):
    """One endpoint: a session with it, and its limits. For one event loop; close it when done.

    Proxies are those of the environment (HTTP_PROXY, HTTPS_PROXY, NO_PROXY). Redirects are not
    followed, so that neither the key nor a header reaches another host. ConfigError if the address,
    a key, a header, the certificates or the proxy cannot be used.
    """

    def __init__(self, spec: EndpointSpec, dialect: Dialect = CHAT) -> None:
        super().__init__(spec, dialect)
        address = _address(spec)
        self._headers = {"user-agent": f"sociolab/{__version__}"}
        self._headers |= dialect.headers(key_of(spec))
        self._headers |= headers_of(spec)
        self._proxy = _proxy_for(address, spec)
        guard(*secrets_of(spec), *_credentials(self._proxy))
        secure = "https" in (address.scheme, urlsplit(self._proxy or "").scheme)
        self._certificates = _certificates(spec) if secure else None
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Endpoint:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End the session: requests that wait for their replies fail. The next call opens one."""
        session, self._session = self._session, None
        self.for_another_loop()
        if session is not None:
            await session.close()

    async def request(
        self,
        method: str,
        path: str,
        seconds: float,
        body: bytes | aiohttp.MultipartWriter | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> HttpAnswer:
        """One request, which ends after `seconds`.

        ModelError where the connection, the time limit or the size of the reply ends it.
        """
        import aiohttp

        if self._session is None:
            self._session = self._opened()
        url = self.base_url + path
        data = BytesIO(body) if isinstance(body, bytes) else body  # sent in pieces
        try:
            async with (
                asyncio.timeout(seconds),
                self._session.request(
                    method,
                    url,
                    data=data,
                    headers=headers,
                    allow_redirects=False,
                ) as response,
            ):
                if response.status == 407:
                    raise _refused_by_proxy(url + self._through, 407, "")
                pause = _retry_after(response.headers)
                return HttpAnswer(response.status, await self._body(response), pause)
        except TimeoutError:
            message = f"{url} gave no reply within {seconds:.3g} s{self._through}"
            failure = ModelError(message, cause="timeout", retryable=True)
        except (aiohttp.ClientError, OSError, UnicodeError) as error:
            failure = self._failure(url, error)
        # Not raised from aiohttp's error, which holds what was sent, the key among it.
        raise failure

    async def send(
        self,
        call: RetriedCall,
        method: str,
        path: str,
        body: bytes | aiohttp.MultipartWriter | None = None,
        kind: str | None = None,
    ) -> HttpAnswer:
        """As `Limits.send` says; an upload or a question has no body or no kind of its own."""
        headers = {ATTEMPT_HEADER: str(call.tries)}
        if call.identity:
            headers[CALL_HEADER] = call.identity
        if kind is not None:
            headers["content-type"] = kind
        return await call.timed(
            self.base_url + path,
            lambda seconds: self.request(method, path, seconds, body, headers),
        )

    def _opened(self) -> aiohttp.ClientSession:
        """A session that leaves limits to us, and keeps no cookies."""
        import aiohttp

        class CheckedRequest(aiohttp.ClientRequest):
            """Not sent over a connection on which something came unasked, which aiohttp (as of
            3.14, issue 13656) would take for the reply to it."""

            async def send(self, conn: Any) -> aiohttp.ClientResponse:
                if conn.protocol.should_close:
                    raise aiohttp.ClientConnectionError("a reply came without a request")
                return await super().send(conn)

        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=self._certificates or True),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=self._headers,
            request_class=CheckedRequest,
            proxy=self._proxy,
            timeout=aiohttp.ClientTimeout(total=None),
        )

    async def _body(self, response: aiohttp.ClientResponse) -> bytes:
        """The body, decompressed; ModelError where it is larger than it may be."""
        body = bytearray()
        async for part in response.content.iter_any():
            body += part
            if len(body) > self.spec.max_reply_mb * 1e6:
                raise ModelError(
                    f"{response.url}: expected a reply of at most {self.spec.max_reply_mb:g} MB, "
                    "found more; if that is right, set a larger max_reply_mb under "
                    f"[endpoints.{self.spec.name}] in models.toml",
                    cause="malformed reply",
                )
        return redacted_bytes(bytes(body))  # some servers repeat what they were sent

    @property
    def _through(self) -> str:
        """The proxy that requests go through, as a clause."""
        if self._proxy is None:
            return ""
        parts = urlsplit(self._proxy)
        return f" through the proxy {parts.scheme}://{parts.netloc.rpartition('@')[2]}"

    def _failure(self, url: str, error: Exception) -> ModelError:
        """Why there is no whole reply."""
        import aiohttp

        where = f"{url}{self._through}"
        said = getattr(error, "message", "") or str(error)
        said = redacted(" ".join(str(said).split()))[:200]
        match error:
            case aiohttp.ClientConnectorCertificateError():
                reason = getattr(error.certificate_error, "verify_message", said)
                return ModelError(
                    f"the certificate of {where} cannot be verified ({reason}); if you trust it, "
                    f"name the file of certificates (PEM) that signs it as ca_bundle of this "
                    f"endpoint in models.toml, or in the environment variable SSL_CERT_FILE",
                    cause="connection",
                    fatal=True,
                )
            case aiohttp.ClientHttpProxyError():
                return _refused_by_proxy(where, error.status, said)
            case aiohttp.InvalidURL() | UnicodeError():
                message = f"{where} cannot be called ({said}); check the base URL"
                return ModelError(message, cause="connection", fatal=True)
            case aiohttp.ClientPayloadError() | aiohttp.ClientResponseError() if (
                "content-encoding" in said
            ):
                message = f"{where} sent a body that cannot be decompressed ({said})"
                return ModelError(message, cause="malformed reply", retryable=True)
            case aiohttp.ServerDisconnectedError() | aiohttp.ClientPayloadError():
                said = "it closed before the reply was complete"
            case aiohttp.ClientResponseError():
                said = f"what came over it is not HTTP: {said}"
            case aiohttp.ClientConnectorSSLError():
                said = f"{said}; does the server speak TLS, as https:// requires?"
            case aiohttp.ClientConnectorError():
                refused = isinstance(error.os_error, ConnectionRefusedError)
                said = "nothing listens there" if refused else str(error.os_error)
                message = (
                    f"{where} cannot be reached ({said}); start the server, or correct base_url"
                )
                return ModelError(message, cause="connection", retryable=True)
            case _:
                said = f"{type(error).__name__}: {said}"
        message = f"the connection to {where} broke ({said})"
        return ModelError(message, cause="connection", retryable=True)


class RetriedCall:
    """One call: its attempts, and the seconds that they and the pauses between them took."""

    def __init__(self, limits: Limits) -> None:
        self.tries = 1
        self.seconds = 0.0
        self.identity = ""
        self._limits = limits
        self._spec = limits.spec

    async def retried(self, attempt: Callable[[RetriedCall], Awaitable[Result]]) -> Result:
        """What `Limits.call` promises."""
        spec = self._spec
        while True:
            try:
                return await attempt(self)
            except ModelError as error:
                said = redacted(str(error))
                error.tries = self.tries
                pause = self._pause(error)
                again = error.retryable and self.tries < spec.tries
                if again and self.seconds + pause + self._fair > spec.total_s:
                    again = False
                    said += f"; not retried: too little of total_s = {spec.total_s:g} s is left"
                error.args = (said,)
                if not again:
                    raise
            await asyncio.sleep(pause)
            self.seconds += pause
            self.tries += 1

    async def timed(self, where: str, send: Callable[[float], Awaitable[Result]]) -> Result:
        """What is sent in its place in flight, and given so many seconds; their time is counted."""
        async with self._limits.place():
            left = self._spec.total_s - self.seconds
            if left < self._fair:
                raise ModelError(
                    f"{where} was not retried: only {left:.3g} s of total_s = "
                    f"{self._spec.total_s:g} s are left, too little for a reply",
                    cause="timeout",
                )
            began = time.perf_counter()
            try:
                return await send(min(self._spec.timeout_s, left))
            finally:
                self.seconds += time.perf_counter() - began

    @property
    def _fair(self) -> float:
        """The seconds that must be left for a request."""
        return min(self._spec.timeout_s, self._spec.total_s) / 2

    def _pause(self, error: ModelError) -> float:
        """Seconds until the next attempt: what the server asks for, else twice as long each time.

        Both with jitter, so that calls which failed together do not return together.
        """
        pause = 0.5 * 2 ** (self.tries - 1) if error.pause is None else error.pause
        return min(pause, LONGEST_WAIT) * _JITTER.uniform(1.0, 1.25)


class EndpointModel:
    """One model of an endpoint, as a ChatModel."""

    def __init__(self, endpoint: Limits, model: str, options: Mapping[str, Any]) -> None:
        self.label = f"{endpoint.spec.name}/{model}"
        self._endpoint = endpoint
        self._model = model
        self._options = options
        self._dialect = endpoint.dialect
        self._quirks = quirks_of(endpoint.spec.refuses)

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        """One reply, as `Endpoint.call` makes it; ModelError with its cause otherwise."""
        options = self._options_of(key)

        async def attempt(call: RetriedCall) -> ChatReply:
            call.identity = digest(*astuple(key))
            answer = await self._answer(prompt, options, call)
            reply = self._dialect.read_reply(answer.body, prompt, call.seconds, call.tries)
            return replace(reply, text=redacted(reply.text))  # JSON may hide it as \\u002d

        return await self._endpoint.call(attempt)

    def _options_of(self, key: CallKey) -> Mapping[str, Any]:
        """The options of a call: from a seed is made one for this call alone, or repeats of a task
        would be the same words wherever a server heeds it."""
        seed = self._options.get("seed")
        if seed is None:
            return self._options
        step = (key.turn, key.name, key.attempt, key.index)
        return {**self._options, "seed": seed_of(seed, key.trial, key.role, key.seat, *step)}

    async def _answer(
        self, prompt: Prompt, options: Mapping[str, Any], call: RetriedCall
    ) -> HttpAnswer:
        """One attempt; a refusal that teaches a quirk of the server is answered at once."""
        path = self._dialect.path
        while True:
            quirks = self._quirks
            body = self._dialect.body_of(self._model, prompt, quirks, options)
            answer = await self._endpoint.send(call, "POST", path, body, _JSON)
            if answer.status == 200:
                return answer
            learned = self._dialect.learn(quirks, answer.status, answer.body)
            if learned is None:
                url = self._endpoint.base_url + path
                error = read_error(answer.status, answer.body, self._model, url, self._options)
                error.pause = answer.pause
                raise error
            if self._quirks == quirks:  # else another call has learned meanwhile
                self._quirks = learned


def _address(spec: EndpointSpec) -> SplitResult:
    parts = _web_address(spec.base_url)
    if parts is None:
        raise ConfigError(
            f'endpoint "{spec.name}": expected a base URL such as http://127.0.0.1:8000/v1, '
            f'found "{redacted(spec.base_url, lookalikes=True)}"'
        )
    return parts


def _proxy_for(address: SplitResult, spec: EndpointSpec) -> str | None:
    """The proxy that the environment names for an address; ConfigError if it is no HTTP proxy."""
    from urllib.request import getproxies, proxy_bypass  # aiohttp loads it, too

    host, port = address.hostname or "", address.port or {"http": 80, "https": 443}[address.scheme]
    proxy = getproxies().get(address.scheme)
    if not proxy or proxy_bypass(host) or proxy_bypass(f"{host}:{port}"):
        return None
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    if _web_address(proxy) is None:
        raise ConfigError(
            f"{address.scheme.upper()}_PROXY: expected an HTTP proxy such as http://proxy:3128, "
            f'found something else; endpoint "{spec.name}" is called through it unless NO_PROXY '
            "names its host"
        )
    return proxy


def _web_address(url: str) -> SplitResult | None:
    """The parts of an http(s) address; None if it is none."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # a port that is no number, half an IPv6 address
        return None
    return parts if usable else None


def _credentials(proxy: str | None) -> set[str]:
    """What must not be shown of a proxy: name and password, as they stand and as they are sent."""
    given = urlsplit(proxy or "").netloc.rpartition("@")[0]
    plain = unquote(given)
    sent = base64.b64encode(plain.encode()).decode()
    return {given, plain, sent, plain.partition(":")[2], given.partition(":")[2]}


def _certificates(spec: EndpointSpec) -> ssl.SSLContext:
    """Whom to trust: `ca_bundle`, else SSL_CERT_FILE, REQUESTS_CA_BUNDLE or the system's own.

    ConfigError if a file that is named holds no certificate.
    """
    place, source = spec.ca_bundle, f'endpoint "{spec.name}": ca_bundle'
    if place is None and "SSL_CERT_FILE" not in os.environ:  # that one OpenSSL reads
        source = "REQUESTS_CA_BUNDLE"
        place = Path(os.environ[source]) if os.environ.get(source) else None
    try:
        if place is not None and place.is_dir():
            return ssl.create_default_context(capath=place)
        return ssl.create_default_context(cafile=place)
    except OSError as error:  # an SSLError is one
        raise ConfigError(
            f"{source}: expected a file of certificates (PEM), found {place} "
            f"({error.strerror or error})"
        ) from error


def _refused_by_proxy(where: str, status: int, reason: str) -> ModelError:
    message = f"{where} cannot be reached ({f'{status} {reason}'.strip()})"
    if status == 407:
        advice = "write user name and password into the proxy's address, http://NAME:PASSWORD@HOST"
        return ModelError(f"{message}; {advice}", cause="credentials", fatal=True)
    lasts = 400 <= status < 500 and status not in (408, 429)
    return ModelError(message, cause="connection", retryable=not lasts, fatal=lasts)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a server asks for; without Retry-After, those until a limit of Anthropic's
    that is used up is set back."""
    value = headers.get("retry-after") or _until_reset(headers)
    try:
        pause = float(value or "nan")
    except ValueError:
        return None  # an HTTP date: rare, and our own backoff serves as well
    return max(0.0, pause) if math.isfinite(pause) else None


def _until_reset(headers: Mapping[str, str]) -> str | None:
    resets = [
        value
        for name, value in headers.items()
        if (limit := name.lower().removesuffix("-reset")) != name.lower()
        and limit.startswith("anthropic-ratelimit-")
        and headers.get(f"{limit}-remaining") == "0"
    ]
    with suppress(ValueError, TypeError):  # no time, or one without a zone
        last = max(map(datetime.fromisoformat, resets))  # none at all: a ValueError, too
        return str((last - datetime.now(UTC)).total_seconds())
    return None
