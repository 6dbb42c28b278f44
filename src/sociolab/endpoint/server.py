"""The local endpoint over HTTP, in the running event loop, a thread, a process, or forever."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import os
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import asynccontextmanager, contextmanager, suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

from aiohttp import hdrs, web

import sociolab
from sociolab.core.errors import ConfigError
from sociolab.core.ports import ChatReply, Prompt
from sociolab.endpoint.chat import (
    ChatBody,
    RefusalError,
    bad_request,
    count_usage,
    read_chat,
    read_embeddings,
    unknown_model,
    unknown_url,
    write_embeddings,
    wrong_method,
)
from sociolab.endpoint.counters import Counters
from sociolab.endpoint.faults import (
    HANG_SECONDS,
    Chance,
    add_fence,
    add_thinking,
    corrupt_json,
    draw_fault,
    drop_choices,
    latency_seconds,
    make_malformed_body,
    refuse_unsupported,
    truncate_text,
)
from sociolab.endpoint.fine_tuning import FineTuning, is_tuning
from sociolab.endpoint.messages import message_refusal, read_message
from sociolab.endpoint.replies import ByHand, Replies
from sociolab.endpoint.responses import read_response
from sociolab.endpoint.settings import EndpointSettings, Fault, settings_as_json
from sociolab.endpoint.weather import LONGEST_LOOP, RequestBucket, cut_history, endless_reply
from sociolab.models.meaning import Finish
from sociolab.prompting.made_up import prose
from sociolab.prompting.prefixes import PromptPrefixes
from sociolab.protocols import chat_completions, messages, responses
from sociolab.protocols.request import ChatRequest, InvalidRequestError

ATTEMPT_HEADER = "x-sociolab-attempt"
"""The number of the attempt at a call, from 1."""
CALL_HEADER = "x-sociolab-call"
"""A digest of the call that a request belongs to."""

_BODY_FAULTS: tuple[Fault, ...] = (
    "rate_limited",
    "server_error",
    "dropped",
    "hang",
    "truncated_body",
    "malformed_body",
)
"""The faults that do not need a text, for embeddings and fine-tuning."""

_CHAT, _RESPONSES, _MESSAGES, _EMBEDDINGS = (
    "/chat/completions",
    "/responses",
    "/messages",
    "/embeddings",
)
_COUNTED = (_CHAT, _RESPONSES, _MESSAGES, _EMBEDDINGS)
_READERS = {_CHAT: read_chat, _RESPONSES: read_response, _MESSAGES: read_message}
_COUNT_TOKENS = "/messages/count_tokens"
_MOST_SEEN = 100_000
_JSON = "application/json"
_EVENTS = "text/event-stream"
_FINISHES: dict[str, Finish] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content filter",
}
_LIMITS = web.RequestKey("limits", dict[str, str])
"""The rate-limit headers for the reply to a request."""


class EndpointServer:
    """Answers requests as its settings say, and counts them. `serve` gives it an address."""

    def __init__(
        self, settings: EndpointSettings, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.settings = settings
        self.url = ""
        limit = settings.requests_per_minute
        burst = settings.burst or max(1, int((limit or 0) / 8))
        self._bucket = None if limit is None else RequestBucket(limit, burst, clock)
        self._counters = Counters()
        self._prefixes = PromptPrefixes()
        self._replies = Replies(settings)
        self._by_hand = None if settings.by_hand is None else ByHand(settings.by_hand)
        self.tuning = FineTuning(settings)
        self._seen: dict[bytes, int] = {}

    @property
    def counters(self) -> Counters:
        """The counts as of now."""
        return deepcopy(self._counters)

    def reset(self) -> None:
        """Start counting again, and forget all prompts and attempts.

        Requests in flight, training files, jobs and tuned models stay.
        """
        waiting = self._counters.in_flight
        self._counters = Counters(in_flight=waiting, most_in_flight=waiting)
        self._prefixes = PromptPrefixes()
        self._seen.clear()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        path = request.rel_url.raw_path.removeprefix("/v1")
        if path in _COUNTED and request.method == hdrs.METH_POST:
            return await self._count_and_answer(request, path)
        try:
            if path == _COUNT_TOKENS and request.method == hdrs.METH_POST:
                return await self._count_tokens(request)
            if is_tuning(path):
                return await self._tune(request, path) or _without_reply(request)
            return self._answer_other(request, path)
        except RefusalError as refusal:
            return _refused(refusal)

    # -------------------------------------------------------------- chat completions, messages

    async def _count_and_answer(self, request: web.BaseRequest, path: str) -> web.StreamResponse:
        self._counters.record_arrival()
        outcome: int | str = 500  # as aiohttp answers where a responder fails
        try:
            raw = await request.content.read()  # unlike request.read(), of any length
            self._authorize(request)
            if self._bucket is not None:
                request[_LIMITS] = self._bucket.take()
            if path == _EMBEDDINGS:
                response = await self._embed(request, raw)
            else:
                response = await self._answer(request, raw, path)
            outcome = "no reply" if response is None else response.status
        except RefusalError as refusal:
            response = _refused(message_refusal(refusal) if path == _MESSAGES else refusal)
            outcome = response.status
        except asyncio.CancelledError:
            outcome = "client gone"
            raise
        finally:
            self._counters.record_end(outcome)
        if response is None:
            return _without_reply(request)
        if not response.prepared:
            response.headers.update(request.get(_LIMITS, {}))
        return response

    async def _answer(
        self, request: web.BaseRequest, raw: bytes, path: str
    ) -> web.StreamResponse | None:
        """The response to a request for a reply, by any of the three APIs; None for no response."""
        call = request.headers.get(CALL_HEADER, "")
        try:
            chat = _READERS[path](raw, self.settings.seed, call)
        except InvalidRequestError as error:
            message = f"Invalid value for '{error.param}': {error}."
            raise bad_request(message, param=error.param) from error
        refuse_unsupported(self.settings, chat, self.tuning.models)
        attempt = self._count_attempt(request, chat.key)
        characters, window = chat.prompt_characters, self.settings.context_tokens
        if window is not None and characters > 4 * window:
            self._counters.record_fault("cut")
            chat, characters = cut_history(chat, window), 4 * window
        repeated = min(self._prefixes.repeated(chat.schema, chat.messages), characters)
        self._counters.prompt_characters += characters
        self._counters.repeated_characters += repeated
        self._counters.retries += attempt > 1
        chance = Chance(chat.key, attempt)
        fault = draw_fault(self.settings, chance)

        async def answer() -> bytes:
            calls = () if fault or self._by_hand else self._replies.calls(chat)
            text, finish = ("", "stop") if calls else await self._text(chat, chance, fault)
            written = text + "".join(one.arguments for one in calls)
            usage = count_usage(characters, repeated, written)
            self._counters.record_reply(written, usage)
            if chat.cap is None and fault is None and finish == "length":
                await asyncio.sleep(HANG_SECONDS)  # a loop without a cap never ends
            reply = ChatReply(text, _FINISHES[finish], usage, calls=calls)
            if chat.stream:
                return b"".join(_stream(path, chat, reply))
            row = _whole(path, chat, reply)
            if self.settings.usage:
                row["usage"] = json.loads(self.settings.usage)
            if chat.fields.get("thinks"):
                thought = prose(chance.stream("thought"), 200)
                block = {"type": "thinking", "thinking": thought, "signature": "s"}
                row["content"].insert(0, block)
            return json.dumps(row).encode()

        kind = _EVENTS if chat.stream else _JSON
        return await self._with_fault(request, chance, fault, answer, chat.model, kind)

    async def _with_fault(
        self,
        request: web.BaseRequest,
        chance: Chance,
        fault: Fault | None,
        answer: Callable[[], Awaitable[bytes]],
        what: str,
        kind: str = _JSON,
    ) -> web.StreamResponse | None:
        """The answer with its latency and fault; None for no response.

        A rate limit and a server error come before the request is processed. Other faults, and a
        client that does not wait, come after, when it has had its effect.
        """
        if fault is not None:
            self._counters.record_fault(fault)
        if fault == "rate_limited":
            after = f"{self.settings.retry_after:g}"
            message = f"Rate limit reached for {what}. Please try again in {after}s."
            raise RefusalError(
                429,
                message,
                kind="requests",
                code="rate_limit_exceeded",
                headers={hdrs.RETRY_AFTER: after},
            )
        body = b"" if fault == "server_error" else await answer()
        if seconds := latency_seconds(self.settings, chance):
            await asyncio.sleep(seconds)
        if fault == "server_error":
            message = "The server had an error while processing your request."
            raise RefusalError(500, message, kind="server_error")
        if fault == "hang":
            await asyncio.sleep(HANG_SECONDS)
        if fault in ("hang", "dropped"):
            return None
        as_message = request.rel_url.path.endswith(_MESSAGES)
        if fault == "malformed_body":
            body, other = make_malformed_body(chance, as_message)
            return web.Response(body=body, headers={hdrs.CONTENT_TYPE: other})
        if fault == "truncated_body":
            return await _send_half(request, body)
        if fault == "no_choices" and kind == _JSON:
            body = drop_choices(body, as_message)
        return web.Response(body=body, headers={hdrs.CONTENT_TYPE: kind})

    async def _text(self, chat: ChatBody, chance: Chance, fault: Fault | None) -> tuple[str, str]:
        """The text of a reply and its finish_reason; a cap cuts all but a person's."""
        text, finish_reason = await self._uncapped_text(chat, chance, fault)
        if chat.cap is None or self._by_hand is not None or len(text) <= 4 * chat.cap:
            return text, finish_reason
        return text[: 4 * chat.cap], "length"

    async def _uncapped_text(
        self, chat: ChatBody, chance: Chance, fault: Fault | None
    ) -> tuple[str, str]:
        """The text of a reply before a cap, and its finish_reason."""
        match fault:
            case "content_filter":
                return "", "content_filter"
            case "empty":
                return "", "stop"
            case "ignores_schema":
                return self._replies.invalid(chat, chance), "stop"
        text = await self._valid_text(chat)
        if fault == "truncated_text":
            return truncate_text(text, chance), "length"
        if fault == "malformed_json":
            return corrupt_json(text, chance), "stop"
        if self.settings.loops and chance.stream("loop").random() < self.settings.loops:
            self._counters.record_fault("loop")
            return endless_reply(text, chat.cap or LONGEST_LOOP), "length"
        return self._add_quirks(text, chance), "stop"

    async def _valid_text(self, chat: ChatBody) -> str:
        tuned = self.tuning.reply(chat)
        if tuned is not None:
            return tuned
        if self._by_hand is not None:
            return await self._by_hand.reply(chat)
        return (self.settings.responder or self._replies.valid)(chat)

    def _add_quirks(self, text: str, chance: Chance) -> str:
        settings = self.settings
        if settings.fenced and chance.stream("fenced").random() < settings.fenced:
            self._counters.record_fault("fenced")
            text = add_fence(text)
        if settings.think and chance.stream("think").random() < settings.think:
            self._counters.record_fault("think")
            text = add_thinking(text, prose(chance.stream("thought"), 200))
        return text

    def _count_attempt(self, request: web.BaseRequest, key: bytes) -> int:
        """The number of this attempt: the client's, else how often this body came."""
        header = request.headers.get(ATTEMPT_HEADER, "")
        if header.isdecimal() and 0 < len(header) < 10:
            return int(header)
        attempt = self._seen.pop(key, 0) + 1
        self._seen[key] = attempt
        if len(self._seen) > _MOST_SEEN:
            del self._seen[next(iter(self._seen))]
        return attempt

    # -------------------------------------------------------------- embeddings

    async def _embed(self, request: web.BaseRequest, raw: bytes) -> web.StreamResponse | None:
        """The response to a request for embeddings; None for no response.

        It has the faults of a chat call, except for those of texts.
        """
        body = read_embeddings(raw, self.settings.seed)
        if self.settings.models and body.model not in self.settings.models:
            raise unknown_model(body.model)
        attempt = self._count_attempt(request, body.key)
        characters = sum(map(len, body.texts))
        self._counters.prompt_characters += characters
        self._counters.retries += attempt > 1
        chance = Chance(body.key, attempt)
        fault = draw_fault(self.settings, chance)

        async def answer() -> bytes:
            usage = count_usage(characters, 0, "")
            self._counters.record_reply("", usage)
            return write_embeddings(body, usage)

        body_fault = fault if fault in _BODY_FAULTS else None
        return await self._with_fault(request, chance, body_fault, answer, body.model)

    # -------------------------------------------------------------- fine-tuning

    async def _tune(self, request: web.BaseRequest, path: str) -> web.StreamResponse | None:
        """The response to a call about training files or jobs; None for no response.

        It has the faults of a chat call, except for those of texts: a dropped reply leaves a job
        that the client does not know of.
        """
        raw = await request.content.read()
        self._authorize(request)
        salt = str(self.settings.seed).encode()
        content = f"{request.method} {request.raw_path}\n".encode() + raw
        key = hashlib.blake2b(content, digest_size=16, key=salt).digest()
        chance = Chance(key, self._count_attempt(request, key))
        fault = draw_fault(self.settings, chance)
        kind = request.headers.get(hdrs.CONTENT_TYPE, "")

        async def answer() -> bytes:
            return json.dumps(self.tuning.answer(request.method, path, kind, raw)).encode()

        body_fault = fault if fault in _BODY_FAULTS else None
        return await self._with_fault(request, chance, body_fault, answer, "fine-tuning")

    # -------------------------------------------------------------- everything else

    def _answer_other(self, request: web.BaseRequest, path: str) -> web.Response:
        method = request.method
        if path == "/counters/reset" and method == hdrs.METH_POST:
            self.reset()
            return _json_response(self.counters.as_json())
        if path in (*_COUNTED, "/counters/reset"):
            raise wrong_method(method, path)
        if path not in ("/counters", "/models") and not path.startswith("/models/"):
            raise unknown_url(method, path)
        if method != hdrs.METH_GET:
            raise wrong_method(method, path)
        if path == "/counters":
            return _json_response(self.counters.as_json())
        self._authorize(request)
        if path == "/models":
            names = (*(self.settings.models or ("any",)), *self.tuning.models)
            rows = [_model_row(model) for model in names]
            return _json_response({"object": "list", "data": rows})
        name = request.path.partition("/models/")[2]
        if self.settings.models and name not in (*self.settings.models, *self.tuning.models):
            raise unknown_model(name)
        return _json_response(_model_row(name))

    async def _count_tokens(self, request: web.BaseRequest) -> web.Response:
        raw = await request.content.read()
        self._authorize(request)
        try:
            prompt = messages.read(raw, limited=False).prompt
        except InvalidRequestError as error:
            raise message_refusal(bad_request(f"{error.param}: {error}")) from error
        return _json_response({"input_tokens": -(-sum(map(len, prompt.texts)) // 4)})

    def _authorize(self, request: web.BaseRequest) -> None:
        key = self.settings.api_key
        if key is None:
            return
        bearer = request.headers.get(hdrs.AUTHORIZATION, "").removeprefix("Bearer ")
        supplied = request.headers.get("x-api-key", bearer)
        if not hmac.compare_digest(supplied.encode(), key.encode()):
            raise RefusalError(401, "Incorrect API key provided.", code="invalid_api_key")


def _whole(path: str, chat: ChatBody, reply: ChatReply) -> dict[str, Any]:
    """A reply without a time, so that the same request gives the same bytes."""
    if path == _CHAT:
        return chat_completions.write(reply, chat.model, chat.key.hex())
    if path == _MESSAGES:
        return messages.write(reply, chat.model, chat.key.hex())
    return responses.write(_as_request(chat), reply, chat.key.hex())


def _stream(path: str, chat: ChatBody, reply: ChatReply) -> Iterator[bytes]:
    write = {_CHAT: chat_completions.stream, _MESSAGES: messages.stream}.get(path, responses.stream)
    return write(_as_request(chat), reply, chat.key.hex())


def _as_request(chat: ChatBody) -> ChatRequest:
    usage = (chat.fields.get("stream_options") or {}).get("include_usage", False)
    prompt = Prompt((), max_tokens=chat.cap, tools=chat.tools, tool_choice=chat.tool_choice)
    return ChatRequest(chat.model, prompt, chat.stream, bool(usage))


def _model_row(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "sociolab"}


def _json_response(row: dict[str, Any]) -> web.Response:
    return web.Response(body=json.dumps(row).encode(), headers={hdrs.CONTENT_TYPE: _JSON})


def _refused(refusal: RefusalError) -> web.Response:
    headers = {hdrs.CONTENT_TYPE: _JSON, **refusal.headers}
    return web.Response(body=refusal.body, status=refusal.status, headers=headers)


def _without_reply(request: web.BaseRequest) -> web.Response:
    """Close the connection; the returned response can no longer be sent."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


async def _send_half(request: web.BaseRequest, body: bytes) -> web.StreamResponse:
    """Announce the full length, send half of the body, and close the connection."""
    response = web.StreamResponse(headers={hdrs.CONTENT_TYPE: _JSON, **request.get(_LIMITS, {})})
    response.content_length = len(body)
    response.force_close()
    with suppress(ConnectionError):
        await response.prepare(request)
        await response.write(body[: len(body) // 2])
    return response


LOOPBACK = "127.0.0.1"
_GRACE_SECONDS = 0.05  # for replies that are being written when it is stopped
_PATIENCE_SECONDS = 30.0


@asynccontextmanager
async def serve(
    settings: EndpointSettings,
    host: str = LOOPBACK,
    port: int = 0,
    clock: Callable[[], float] = time.monotonic,
) -> AsyncIterator[EndpointServer]:
    """An endpoint in the running event loop; port 0 takes any free one. ConfigError if it cannot
    listen."""
    endpoint = EndpointServer(settings, clock)
    # Without cancellation a request that hangs would outlive its client.
    server = web.Server(endpoint.handle, access_log=None, handler_cancellation=True)
    runner = web.ServerRunner(server, shutdown_timeout=_GRACE_SECONDS)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port, backlog=2048).start()
        except (OSError, OverflowError) as error:
            number = isinstance(error, OSError) and error.errno
            why = os.strerror(number) if number else error
            raise ConfigError(
                f"cannot listen on {host}, port {port} ({why}); name another --port, or 0 for any"
            ) from error
        bound = runner.addresses[0][1]
        endpoint.url = f"http://{f'[{host}]' if ':' in host else host}:{bound}/v1"
        yield endpoint
    finally:
        await runner.cleanup()


def run_forever(
    settings: EndpointSettings,
    host: str = LOOPBACK,
    port: int = 0,
    announce: Callable[[str], None] = print,
    until: Callable[[], Awaitable[object]] | None = None,
) -> Counters:
    """Serve until Ctrl-C, or until `until` returns, and return the counts.

    `announce` is called with the URL once the endpoint listens.
    """
    endpoint: EndpointServer | None = None

    async def main() -> None:
        nonlocal endpoint
        async with serve(settings, host, port) as endpoint:
            announce(endpoint.url)
            await (until or asyncio.Event().wait)()

    with suppress(KeyboardInterrupt):
        asyncio.run(main())
    return Counters() if endpoint is None else endpoint.counters


async def stdin_closed() -> None:
    """Wait until the parent process closes this one's standard input, or has ended."""
    loop = asyncio.get_running_loop()
    closed = asyncio.Event()

    def watch() -> None:
        # os.read holds no lock that the interpreter would wait for on exit.
        while os.read(0, 1024):
            pass
        with suppress(RuntimeError):  # the loop may be closed already
            loop.call_soon_threadsafe(closed.set)

    threading.Thread(target=watch, daemon=True).start()
    await closed.wait()


@contextmanager
def start_in_thread(settings: EndpointSettings, port: int = 0) -> Iterator[EndpointServer]:
    """An endpoint in its own thread, for code without an event loop; stopped at the end.

    Port 0 takes any free one. ConfigError if it cannot listen.

    >>> from sociolab import RunConfig, run
    >>> from sociolab.endpoint import EndpointSettings, start_in_thread
    >>> settings = EndpointSettings(responder=lambda chat: '{"action": "leave", "text": ""}')
    >>> with start_in_thread(settings) as endpoint:
    ...     talk = run(RunConfig(agents="openai/m", partner="scripted", judges="none", limit=1,
    ...                          base_url=endpoint.url, name="first", store=f"{folder}/lab.db"))
    >>> talk.result.ends, talk.result.calls
    ({'left': 2}, 2)
    """
    ready: Future[tuple[EndpointServer, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def main() -> None:
        stop = asyncio.Event()
        async with serve(settings, port=port) as endpoint:
            ready.set_result((endpoint, asyncio.get_running_loop(), stop))
            await stop.wait()

    with ThreadPoolExecutor(1, thread_name_prefix="endpoint") as executor:
        serving = executor.submit(lambda: asyncio.run(main()))
        futures: tuple[Future[Any], ...] = (ready, serving)
        wait(futures, return_when=FIRST_COMPLETED)
        if serving.done():
            serving.result()  # raises what kept it from starting
        endpoint, loop, stop = ready.result()
        try:
            yield endpoint
        finally:
            loop.call_soon_threadsafe(stop.set)


class EndpointProcess:
    """A handle of an endpoint in another process."""

    def __init__(self, url: str, pid: int) -> None:
        self.url = url
        self.pid = pid

    @property
    def counters(self) -> Counters:
        """The counts as of now, by a blocking HTTP request."""
        return self._request("GET", "/counters")

    def reset(self) -> None:
        """As `EndpointServer.reset`, by a blocking HTTP request."""
        self._request("POST", "/counters/reset")

    def _request(self, method: str, path: str) -> Counters:
        request = urllib.request.Request(self.url + path, method=method)
        # Without the environment's proxies, which are for other machines.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=_PATIENCE_SECONDS) as response:
            return Counters.from_json(json.loads(response.read()))


@contextmanager
def start_in_process(settings: EndpointSettings) -> Iterator[EndpointProcess]:
    """An endpoint in a child process, so that its CPU time is not that of its clients.

    It stops at the end, or when this process has ended. ConfigError if it does not start, or if
    the settings hold a responder.

    >>> from sociolab.endpoint import EndpointSettings, start_in_process
    >>> with start_in_process(EndpointSettings(models=("m",))) as endpoint:
    ...     endpoint.url.startswith("http://127.0.0.1:")
    True
    """
    source = str(Path(sociolab.__path__[0]).parent)
    paths = [source, *filter(None, [os.environ.get("PYTHONPATH")])]
    command = [sys.executable, "-m", "sociolab.endpoint"]
    child = subprocess.Popen(
        [*command, "--json-settings", settings_as_json(settings)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        text=True,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        url = child.stdout.readline().strip()
        if not url:
            raise ConfigError("The endpoint's process did not start: see its error output.")
        yield EndpointProcess(url, child.pid)
    finally:
        child.stdin.close()
        child.wait()
        child.stdout.close()
