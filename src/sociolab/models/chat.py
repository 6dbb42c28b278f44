"""The HTTP client for chat models; every request to a model goes through it."""

from __future__ import annotations

import asyncio
import base64
import os
import random
import ssl
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import SplitResult, unquote, urlsplit

from sociolab.core import __version__
from sociolab.core.errors import Cause, ConfigError, ModelError
from sociolab.core.ports import CallKey, ChatReply, Prompt, Served
from sociolab.core.redaction import guard, redact, redact_bytes
from sociolab.core.seeding import derive_seed, digest
from sociolab.models.budget import FREE, Meter
from sociolab.models.config import EndpointSpec, headers_of, key_of, secrets_of
from sociolab.models.meaning import limit_pause, read_error
from sociolab.models.traffic import Traffic, backoff, extendable_timeout
from sociolab.models.wire import CHAT, Dialect, Quirks, quirks_of

if TYPE_CHECKING:  # loaded with the first request: it takes a tenth of a second
    import aiohttp

ATTEMPT_HEADER = "x-sociolab-attempt"
"""The number of the attempt at a call, from 1, for the logs of your own server."""

CALL_HEADER = "x-sociolab-call"
"""A digest of the call: the stand-in endpoint draws different replies to two calls with the same
prompt, as a model does."""

_JSON = "application/json"

_JITTER = random.Random()
"""Spreads retries over time; it changes no result, so it needs no seed."""

Result = TypeVar("Result")


class HttpAnswer(NamedTuple):
    """A response; names of headers are in lower case."""

    status: int
    body: bytes
    headers: Mapping[str, str]


class Limits(ABC):
    """The limits of all calls to an endpoint, however they are sent: concurrency, rate, time, and
    retries."""

    def __init__(self, spec: EndpointSpec, dialect: Dialect) -> None:
        self.spec = spec
        self.dialect = dialect
        self.base_url = spec.base_url.rstrip("/")
        self.traffic = Traffic(spec)

    def model(self, name: str, options: Mapping[str, Any] | None = None) -> EndpointModel:
        """A model of this endpoint; `options` go into each of its requests as they are.

        From a `seed` among them, each call derives its own. ConfigError for an option that the
        endpoint's API does not know.
        """
        for option, advice in self.dialect.lacks.items():
            if options and option in options and not isinstance(options[option], dict):
                raise ConfigError(f'"{self.spec.name}/{name}" takes no {option}: {advice}')
        return EndpointModel(self, name, options or {})

    @abstractmethod
    async def send(
        self, call: RetriedCall, method: str, path: str, body: bytes, kind: str
    ) -> HttpAnswer:
        """Send one request of a call when it has a slot; `kind` is the body's content type."""

    async def call(
        self,
        attempt: Callable[[RetriedCall], Awaitable[Result]],
        key: CallKey | None = None,
        model: str = "",
        meter: Meter = FREE,
    ) -> Result:
        """The result of an attempt, with retries where they may help; else ModelError.

        It always ends: a request may take `timeout_s` and, while others succeed, three times what
        they usually take; requests and the pauses after failures do not outlast `total_s`. Waiting
        for a slot in flight, or for a server that is busy or at its limit, does not count towards
        it, and uses up no try. A request is sent only while half of `timeout_s` is left for it: cut
        off, it would have to be paid for all the same.
        """
        return await RetriedCall(self, key, model, meter).run(attempt)

    def forget_waiters(self) -> None:
        """Reset, since the next call may be made in another event loop."""
        self.traffic.forget_waiters()


class Endpoint(Limits):
    """An HTTP endpoint: a session and its limits. For one event loop; close it when done.

    Proxies are those of the environment (HTTP_PROXY, HTTPS_PROXY, NO_PROXY). Redirects are not
    followed, so that neither the key nor a header reaches another host. ConfigError if the address,
    a key, a header, the certificates or the proxy cannot be used.
    """

    def __init__(self, spec: EndpointSpec, dialect: Dialect = CHAT) -> None:
        super().__init__(spec, dialect)
        address = _web_address(spec.base_url)
        if address is None:
            raise ConfigError(
                f'endpoint "{spec.name}": expected a base URL such as http://127.0.0.1:8000/v1, '
                f'found "{redact(spec.base_url, lookalikes=True)}"'
            )
        self._headers = {"user-agent": f"sociolab/{__version__}"}
        self._headers |= dialect.headers(key_of(spec))
        self._headers |= headers_of(spec)
        self._proxy = _proxy_for(address, spec)
        guard(*secrets_of(spec), *_credentials(self._proxy))
        uses_tls = "https" in (address.scheme, urlsplit(self._proxy or "").scheme)
        self._certificates = _certificates(spec) if uses_tls else None
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
        """End the session: requests under way fail. The next call opens a new one."""
        session, self._session = self._session, None
        self.forget_waiters()
        if session is not None:
            await session.close()

    async def request(
        self,
        method: str,
        path: str,
        body: bytes | aiohttp.MultipartWriter | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> HttpAnswer:
        """One request, without a timeout. ModelError where the connection fails or the reply is
        too large."""
        import aiohttp

        if self._session is None:
            self._session = self._open_session()
        url = self.base_url + path
        data = BytesIO(body) if isinstance(body, bytes) else body  # aiohttp sends it in pieces
        try:
            async with self._session.request(
                method, url, data=data, headers=headers, allow_redirects=False
            ) as response:
                if response.status == 407:
                    raise _proxy_error(url + self._via_proxy, 407, "")
                lowered = {name.lower(): value for name, value in response.headers.items()}
                return HttpAnswer(response.status, await self._read_body(response), lowered)
        except (aiohttp.ClientError, OSError, UnicodeError) as error:
            if isinstance(error, TimeoutError):
                raise
            failure = self._connection_error(url, error)
        # Not raised from aiohttp's error, which holds the request with its key.
        raise failure

    async def send(
        self,
        call: RetriedCall,
        method: str,
        path: str,
        body: bytes | aiohttp.MultipartWriter | None = None,
        kind: str | None = None,
    ) -> HttpAnswer:
        """As `Limits.send`; an upload sets its own content type, and a GET has no body."""
        headers = {ATTEMPT_HEADER: str(call.requests)}
        if call.identity:
            headers[CALL_HEADER] = call.identity
        if kind is not None:
            headers["content-type"] = kind
        return await call.send_timed(
            self.base_url + path + self._via_proxy,
            lambda: self.request(method, path, body, headers),
        )

    def _open_session(self) -> aiohttp.ClientSession:
        """A session without limits of its own and without cookies."""
        import aiohttp

        class CheckedRequest(aiohttp.ClientRequest):
            """Not sent over a connection with unread data, which aiohttp (as of 3.14, issue 13656)
            would take for the reply to it."""

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

    async def _read_body(self, response: aiohttp.ClientResponse) -> bytes:
        """The body, decompressed; ModelError where it is larger than `max_reply_mb`."""
        body = bytearray()
        async for part in response.content.iter_any():
            body += part
            if len(body) > self.spec.max_reply_mb * 1e6:
                raise ModelError(
                    f"{response.url}: expected a reply of at most {self.spec.max_reply_mb:g} MB, "
                    "found more; if that is right, set a larger max_reply_mb under "
                    f"[endpoints.{self.spec.name}] in models.toml",
                    cause="malformed reply",
                    may_be_billed=True,
                )
        return redact_bytes(bytes(body))  # some servers echo the request

    @property
    def _via_proxy(self) -> str:
        """A clause that names the proxy, if there is one."""
        if self._proxy is None:
            return ""
        parts = urlsplit(self._proxy)
        return f" through the proxy {parts.scheme}://{parts.netloc.rpartition('@')[2]}"

    def _connection_error(self, url: str, error: Exception) -> ModelError:
        """Describes why there is no complete reply."""
        import aiohttp

        where = f"{url}{self._via_proxy}"
        detail = getattr(error, "message", "") or str(error)
        detail = redact(" ".join(str(detail).split()))[:200]
        match error:
            case aiohttp.ClientConnectorCertificateError():
                reason = getattr(error.certificate_error, "verify_message", detail)
                return ModelError(
                    f"the certificate of {where} cannot be verified ({reason}); if you trust it, "
                    f"name the file of certificates (PEM) that signs it as ca_bundle of this "
                    f"endpoint in models.toml, or in the environment variable SSL_CERT_FILE",
                    cause="connection",
                    fatal=True,
                )
            case aiohttp.ClientHttpProxyError():
                return _proxy_error(where, error.status, detail)
            case aiohttp.InvalidURL() | UnicodeError():
                message = f"{where} cannot be called ({detail}); check the base URL"
                return ModelError(message, cause="connection", fatal=True)
            case aiohttp.ClientPayloadError() | aiohttp.ClientResponseError() if (
                "content-encoding" in detail
            ):
                message = f"{where} sent a body that cannot be decompressed ({detail})"
                return ModelError(
                    message, cause="malformed reply", retryable=True, may_be_billed=True
                )
            case aiohttp.ServerDisconnectedError() | aiohttp.ClientPayloadError():
                detail = "it closed before the reply was complete"
            case aiohttp.ClientResponseError():
                detail = f"what came over it is not HTTP: {detail}"
            case aiohttp.ClientConnectorSSLError():
                detail = f"{detail}; does the server speak TLS, as https:// requires?"
            case aiohttp.ClientConnectorError():
                refused = isinstance(error.os_error, ConnectionRefusedError)
                detail = "nothing listens there" if refused else str(error.os_error)
                message = (
                    f"{where} cannot be reached ({detail}); start the server, or correct base_url"
                )
                return ModelError(message, cause="connection", retryable=True)
            case _:
                detail = f"{type(error).__name__}: {detail}"
        message = f"the connection to {where} broke ({detail})"
        return ModelError(message, cause="connection", retryable=True, may_be_billed=True)


class RetriedCall:
    """One call: its attempts, and the seconds that they and the pauses between them took.

    `requests` counts all attempts, `tries` those that did not meet a busy server or a rate limit.
    `cap` is the token limit that is sent, `tokens` is the length of the reply: both are set by
    whoever sends and reads it.
    """

    def __init__(self, limits: Limits, key: CallKey | None, model: str, meter: Meter) -> None:
        self.tries = 1
        self.requests = 1
        self.seconds = 0.0
        self.cap: int | None = None
        self.tokens = 0
        self.meter = meter
        self.identity = digest(*(getattr(key, name) for name in key.__slots__)) if key else ""
        self._spec = limits.spec
        self._traffic = limits.traffic
        self._model = model
        self._kind = f"{key.role} {key.name}" if key else ""
        self._rank = self._traffic.rank(key.trial) if key else -1
        self._sent = 0.0
        self._full = False

    async def run(self, attempt: Callable[[RetriedCall], Awaitable[Result]]) -> Result:
        """See `Limits.call`."""
        while True:
            try:
                result = await attempt(self)
            except ModelError as error:
                self.requests += 1
                error.args = (redact(str(error)),)
                error.tries = self.tries
                await self._recover(error)
            else:
                self._traffic.record_reply(
                    self._model, self._kind, self._sent, self.tokens, full=self._full
                )
                return result

    def record_success(self) -> None:
        """Record that one of several requests of an attempt succeeded."""
        self._traffic.record_success(self._model)

    async def _recover(self, error: ModelError) -> None:
        """Wait until another attempt may help; raise the error where none would."""
        if error.weather:
            self._traffic.record_limit(error, self._sent)
            return
        if error.cause in _ABOUT_THE_PROMPT:
            self._traffic.record_success(self._model)
        if error.fatal or error.cause in _ABOUT_THE_PROMPT:
            raise error
        self._traffic.record_failure(error, self._model, self._sent)
        if not error.retryable or self.tries >= self._spec.tries:
            raise error
        # With jitter, so that calls that failed together do not return together.
        pause = backoff(self.tries, error.pause) * _JITTER.uniform(1.0, 1.25)
        if self.seconds + pause + self._least_s > self._spec.total_s:
            total = f"total_s = {self._spec.total_s:g} s"
            error.args = (f"{error}; not retried: too little of {total} is left",)
            raise error
        await asyncio.sleep(pause)
        self.seconds += pause
        self.tries += 1

    async def send_timed(
        self,
        where: str,
        send: Callable[[], Awaitable[HttpAnswer]],
    ) -> HttpAnswer:
        """The answer to a request that is sent when it has a slot.

        Its time counts towards `total_s`; its cost is held, to be booked by whoever reads it.
        """
        async with self._traffic.slot(self._rank) as self._full:
            remaining_s = self._spec.total_s - self.seconds
            if remaining_s < self._least_s:
                raise ModelError(
                    f"{where} was not retried: only {remaining_s:.3g} s of total_s = "
                    f"{self._spec.total_s:g} s are left, too little for a reply",
                    cause="timeout",
                )
            await self.meter.hold(self.cap)
            self._sent = self._traffic.now()
            self._traffic.rate.record_request(self._sent)
            limit = self._spec.timeout_s
            if self.tries == 1:
                limit = self._traffic.times.first_limit(self._kind)
            try:
                async with extendable_timeout(
                    min(limit, remaining_s),
                    lambda waited: self._traffic.times.extension(waited, self._traffic.now()),
                ):
                    return await send()
            except TimeoutError:
                waited = self._traffic.now() - self._sent
                message = f"{where} gave no reply within {round(waited, 1):g} s"
                failure = ModelError(message, cause="timeout", retryable=True, may_be_billed=True)
                self.meter.record_failure(failure.cause, may_be_billed=True)
            except ModelError as error:
                self.meter.record_failure(error.cause, may_be_billed=error.may_be_billed)
                raise
            except asyncio.CancelledError:
                self.meter.record_failure("interrupted", may_be_billed=True)
                raise
            finally:
                self.seconds += self._traffic.now() - self._sent
            raise failure

    @property
    def _least_s(self) -> float:
        """The seconds that must be left for a request to be sent."""
        return min(self._spec.timeout_s, self._spec.total_s) / 2


_ABOUT_THE_PROMPT: frozenset[Cause] = frozenset({"content filter", "context overflow"})
"""Refusals of one prompt, which say that the endpoint works."""


class EndpointModel:
    """One model of an endpoint, as a `ChatModel` and a `MeteredModel`."""

    def __init__(self, endpoint: Limits, model: str, options: Mapping[str, Any]) -> None:
        self.label = f"{endpoint.spec.name}/{model}"
        self._endpoint = endpoint
        self._model = model
        self._options = options
        self._dialect = endpoint.dialect
        self._quirks = quirks_of(endpoint.spec.refuses)
        self._accepted: set[str] = set()

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        """One reply; see `Limits.call` for retries and errors."""
        return await self.complete_metered(prompt, key, FREE)

    async def complete_metered(self, prompt: Prompt, key: CallKey, meter: Meter) -> ChatReply:
        """As `complete`; the meter holds and books the cost of each request."""
        options = self._call_options(key)

        async def attempt(call: RetriedCall) -> ChatReply:
            while True:
                answer, quirks = await self._send(prompt, options, call)
                reply = self._read_reply(answer.body, prompt, call)
                if reply.reasoned and not quirks.thinks:
                    self._quirks = replace(self._quirks, thinks=True)
                    if reply.finish == "length" and prompt.max_tokens is None:
                        meter.record_useless(reply.usage, "truncated")
                        continue  # the next request has room for its thoughts
                served = Served(
                    redact(reply.served.model),
                    redact(reply.served.fingerprint),
                    quirks.left_out,
                    call.cap,
                )
                # Again, now decoded: in JSON, a secret may hide behind escapes such as \\u002d.
                return replace(reply, text=redact(reply.text), served=served)

        return await self._endpoint.call(attempt, key, self._model, meter)

    def _read_reply(self, body: bytes, prompt: Prompt, call: RetriedCall) -> ChatReply:
        """The reply in a body; the cost of a body without one is booked."""
        try:
            reply = self._dialect.read_reply(body, prompt, call.seconds, call.tries)
        except ModelError as error:
            call.meter.record_useless(self._dialect.read_usage(body, prompt), error.cause)
            raise
        call.tokens = reply.usage.completion
        return reply

    def _call_options(self, key: CallKey) -> Mapping[str, Any]:
        """The options with a seed derived for this call alone, if there is one.

        With the same seed in each call, a server that heeds it would give all repeats of a task the
        same replies.
        """
        seed = self._options.get("seed")
        if seed is None:
            return self._options
        step = (key.turn, key.name, key.attempt, key.index)
        return {**self._options, "seed": derive_seed(seed, key.trial, key.role, key.seat, *step)}

    async def _send(
        self, prompt: Prompt, options: Mapping[str, Any], call: RetriedCall
    ) -> tuple[HttpAnswer, Quirks]:
        """The answer to one attempt, and the quirks with which its request was made.

        A request refused for an option is repeated at once, since in a routed pool only one server
        may refuse it. After a second refusal the option is left out: for good, unless this model
        has accepted it before.
        """
        path, url = self._dialect.path, self._endpoint.base_url + self._dialect.path
        quirks, lesson = self._quirks, None
        while True:
            body = self._dialect.body_of(self._model, prompt, quirks, options)
            call.cap = self._dialect.cap_of(prompt, quirks, options)
            answer = await self._endpoint.send(call, "POST", path, body, _JSON)
            if answer.status == 200:
                self._accepted |= _droppable_parts(prompt).difference(quirks.left_out)
                if pause := limit_pause(answer.headers):
                    self._endpoint.traffic.close_for(pause)
                return answer, quirks
            error = read_error(
                answer.status, answer.headers, answer.body, self._model, url, self._options
            )
            call.meter.record_failure(error.cause, may_be_billed=False)
            learned = self._dialect.learn(quirks, answer.status, answer.body)
            if learned is None:
                raise error
            if learned != lesson:
                lesson = learned
                continue
            if self._accepted.isdisjoint(learned.left_out):
                self._quirks = learned
            quirks, lesson = learned, None


def _droppable_parts(prompt: Prompt) -> set[str]:
    """The parts of a prompt that a model may refuse, by the names of `Quirks.left_out`."""
    present = {
        "temperature": prompt.temperature is not None,
        "schema": prompt.schema is not None,
        "system": any(message.role == "system" for message in prompt.messages),
        "penalties": prompt.penalties is not None,
    }
    return {name for name, is_there in present.items() if is_there}


def _proxy_for(address: SplitResult, spec: EndpointSpec) -> str | None:
    """The proxy that the environment sets for an address; ConfigError if it is no HTTP proxy."""
    from urllib.request import getproxies, proxy_bypass  # as late as aiohttp, which loads it, too

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
    """The parts of an http or https address; None for any other text."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # a port that is no number, an incomplete IPv6 address
        return None
    return parts if usable else None


def _credentials(proxy: str | None) -> set[str]:
    """The secrets of a proxy's address, name and password, as they are written and sent."""
    userinfo = urlsplit(proxy or "").netloc.rpartition("@")[0]
    plain = unquote(userinfo)
    sent = base64.b64encode(plain.encode()).decode()
    return {userinfo, plain, sent, plain.partition(":")[2], userinfo.partition(":")[2]}


def _certificates(spec: EndpointSpec) -> ssl.SSLContext:
    """Trusted certificates: `ca_bundle`, else SSL_CERT_FILE, REQUESTS_CA_BUNDLE or the system's.

    ConfigError if the file holds no certificate.
    """
    place, source = spec.ca_bundle, f'endpoint "{spec.name}": ca_bundle'
    if place is None and "SSL_CERT_FILE" not in os.environ:  # OpenSSL itself reads that one
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


def _proxy_error(where: str, status: int, reason: str) -> ModelError:
    message = f"{where} cannot be reached ({f'{status} {reason}'.strip()})"
    if status == 407:
        advice = "write user name and password into the proxy's address, http://NAME:PASSWORD@HOST"
        return ModelError(f"{message}; {advice}", cause="credentials", fatal=True)
    is_permanent = 400 <= status < 500 and status not in (408, 429)
    return ModelError(message, cause="connection", retryable=not is_permanent, fatal=is_permanent)
