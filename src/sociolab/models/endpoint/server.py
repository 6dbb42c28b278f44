"""The endpoint itself: requests in over HTTP, replies and faults out."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from contextlib import suppress
from typing import Any

from aiohttp import hdrs, web

from sociolab.models.endpoint.by_hand import ByHand
from sociolab.models.endpoint.chance import Chance, latency_seconds
from sociolab.models.endpoint.chat import ChatBody, ChatReader
from sociolab.models.endpoint.completion import completion, usage_json, usage_of
from sociolab.models.endpoint.counters import Counters, Tally
from sociolab.models.endpoint.faults import (
    HANG_SECONDS,
    FaultTable,
    after_thinking,
    in_a_fence,
    malformed_body,
    nearly_json,
    truncated,
)
from sociolab.models.endpoint.fine_tuning import Call, FineTuning, is_tuning
from sociolab.models.endpoint.refusals import (
    RefusalError,
    rate_limited,
    server_error,
    unknown_model,
    unknown_url,
    wrong_key,
    wrong_method,
)
from sociolab.models.endpoint.replies import Replies
from sociolab.models.endpoint.sentences import prose
from sociolab.models.endpoint.server_quirks import refuse_what_is_unsupported
from sociolab.models.endpoint.settings import EndpointSettings, Fault

ATTEMPT_HEADER = "x-sociolab-attempt"
"""Which attempt at the same call a request is, from 1."""

_BODY_FAULTS: tuple[Fault, ...] = (
    "rate_limited",
    "server_error",
    "dropped",
    "hang",
    "truncated_body",
    "malformed_body",
)
"""The faults that can befall a call without a text."""

_MOST_SEEN = 100_000
_JSON = "application/json"


class Endpoint:
    """Answers requests as its settings say, and counts them. `running` gives it an address."""

    def __init__(self, settings: EndpointSettings) -> None:
        self.settings = settings
        self.url = ""
        self._reader = ChatReader(settings.seed)
        self._tally = Tally()
        self._faults = FaultTable(settings)
        self._replies = Replies(settings)
        self._by_hand = None if settings.by_hand is None else ByHand(settings.by_hand)
        self.tuning = FineTuning(settings)
        self._seen: dict[bytes, int] = {}

    @property
    def counters(self) -> Counters:
        """The counts as of now."""
        return self._tally.counters

    def reset(self) -> None:
        """Start counting again, and forget all prompts and which requests were seen before.

        Training files, jobs and the models that came of them stay.
        """
        self._tally.reset()
        self._seen.clear()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one HTTP request."""
        path = request.rel_url.raw_path.removeprefix("/v1")
        if path == "/chat/completions" and request.method == hdrs.METH_POST:
            return await self._count_and_answer(request)
        try:
            if is_tuning(path):
                return await self._tune(request, path) or _without_reply(request)
            return self._other(request, path)
        except RefusalError as refusal:
            return _refused(refusal)

    # -------------------------------------------------------------- chat completions

    async def _count_and_answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self._tally.arrived()
        outcome: int | str = 500  # as aiohttp answers where a responder fails
        try:
            response = await self._answer(request)
            outcome = "no reply" if response is None else response.status
        except RefusalError as refusal:
            response = _refused(refusal)
            outcome = refusal.status
        except asyncio.CancelledError:
            outcome = "client gone"
            raise
        finally:
            self._tally.left(outcome)
        return _without_reply(request) if response is None else response

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse | None:
        """The response; None if there is to be none."""
        raw = await request.content.read()  # unlike request.read(), of any length
        self._authorize(request)
        chat = self._reader.read(raw)
        refuse_what_is_unsupported(self.settings, chat, self.tuning.models)
        attempt = self._attempt(request, chat.key)
        characters, repeated = self._tally.read(chat, attempt)
        chance = Chance(chat.key, attempt)
        fault = self._faults.drawn(chance)
        if fault is not None:
            self._tally.happened(fault)
        if fault == "rate_limited":
            refusal = rate_limited(chat.model, self.settings.retry_after)
            return _refused(refusal, {hdrs.RETRY_AFTER: f"{self.settings.retry_after:g}"})
        if seconds := latency_seconds(self.settings, chance):
            await asyncio.sleep(seconds)
        if fault == "server_error":
            raise server_error()
        if fault == "hang":
            await asyncio.sleep(HANG_SECONDS)
        if fault in ("hang", "dropped"):
            return None
        if fault == "malformed_body":
            body, kind = malformed_body(chance)
            return web.Response(body=body, headers={hdrs.CONTENT_TYPE: kind})
        text, finish_reason = await self._text(chat, chance, fault)
        usage = usage_of(characters, repeated, text)
        self._tally.replied(text, usage)
        body = completion(chat, text, finish_reason, self.settings.usage or usage_json(usage))
        if fault == "truncated_body":
            return await _cut_short(request, body)
        return web.Response(body=body, headers={hdrs.CONTENT_TYPE: _JSON})

    async def _text(self, chat: ChatBody, chance: Chance, fault: Fault | None) -> tuple[str, str]:
        """The text of a reply, and its finish_reason."""
        match fault:
            case "content_filter":
                return "", "content_filter"
            case "empty":
                return "", "stop"
            case "ignores_schema":
                return self._replies.stray(chat, chance), "stop"
        text = await self._good_text(chat)
        if fault == "truncated_text":
            return truncated(text, chance), "length"
        if fault == "malformed_json":
            return nearly_json(text, chance), "stop"
        return self._with_quirks(text, chance), "stop"

    async def _good_text(self, chat: ChatBody) -> str:
        tuned = self.tuning.reply(chat)
        if tuned is not None:
            return tuned
        if self._by_hand is not None:
            return await self._by_hand.reply(chat)
        return (self.settings.responder or self._replies.good)(chat)

    def _with_quirks(self, text: str, chance: Chance) -> str:
        settings = self.settings
        if settings.fenced and chance.fraction("fenced") < settings.fenced:
            self._tally.happened("fenced")
            text = in_a_fence(text)
        if settings.think and chance.fraction("think") < settings.think:
            self._tally.happened("think")
            text = after_thinking(text, prose(chance.stream("thought"), 200))
        return text

    def _attempt(self, request: web.BaseRequest, key: bytes) -> int:
        header = request.headers.get(ATTEMPT_HEADER, "")
        if header.isdecimal() and 0 < len(header) < 10:
            return int(header)
        attempt = self._seen.pop(key, 0) + 1
        self._seen[key] = attempt
        if len(self._seen) > _MOST_SEEN:
            del self._seen[next(iter(self._seen))]
        return attempt

    # -------------------------------------------------------------- fine-tuning

    async def _tune(self, request: web.BaseRequest, path: str) -> web.StreamResponse | None:
        """A call about training files or jobs; None if there is to be no response.

        It meets the same faults as a chat call, but for those of texts. What spoils or drops the
        reply comes after the deed: the job is there, and the client does not know it.
        """
        raw = await request.content.read()
        self._authorize(request)
        salt = str(self.settings.seed).encode()
        named = f"{request.method} {request.raw_path}\n".encode() + raw
        key = hashlib.blake2b(named, digest_size=16, key=salt).digest()
        chance = Chance(key, self._attempt(request, key))
        fault = self._faults.drawn(chance)
        if fault in _BODY_FAULTS:
            self._tally.happened(fault)
        if seconds := latency_seconds(self.settings, chance):
            await asyncio.sleep(seconds)
        if fault == "rate_limited":
            refusal = rate_limited("fine-tuning", self.settings.retry_after)
            return _refused(refusal, {hdrs.RETRY_AFTER: f"{self.settings.retry_after:g}"})
        if fault == "server_error":
            raise server_error()
        kind = request.headers.get(hdrs.CONTENT_TYPE, "")
        row = self.tuning.answer(Call(request.method, path, request.query, kind, raw))
        if fault == "hang":
            await asyncio.sleep(HANG_SECONDS)
        if fault in ("hang", "dropped"):
            return None
        if fault == "malformed_body":
            body, kind = malformed_body(chance)
            return web.Response(body=body, headers={hdrs.CONTENT_TYPE: kind})
        if fault == "truncated_body":
            return await _cut_short(request, json.dumps(row).encode())
        return _json_response(row)

    # -------------------------------------------------------------- everything else

    def _other(self, request: web.BaseRequest, path: str) -> web.Response:
        method = request.method
        if path == "/counters/reset" and method == hdrs.METH_POST:
            self.reset()
            return _json_response(self.counters.as_json())
        if path in ("/chat/completions", "/counters/reset"):
            raise wrong_method(method, path)
        if path not in ("/counters", "/models") and not path.startswith("/models/"):
            raise unknown_url(method, path)
        if method != hdrs.METH_GET:
            raise wrong_method(method, path)
        if path == "/counters":
            return _json_response(self.counters.as_json())
        self._authorize(request)
        if path == "/models":
            names = (*self.settings.models, *self.tuning.models)
            rows = [_model_row(model) for model in names]
            return _json_response({"object": "list", "data": rows})
        return _json_response(self._model(request.path.partition("/models/")[2]))

    def _model(self, name: str) -> dict[str, Any]:
        if self.settings.models and name not in (*self.settings.models, *self.tuning.models):
            raise unknown_model(name)
        return _model_row(name)

    def _authorize(self, request: web.BaseRequest) -> None:
        key = self.settings.api_key
        if key is None:
            return
        given = request.headers.get(hdrs.AUTHORIZATION, "")
        if not hmac.compare_digest(given.encode(), f"Bearer {key}".encode()):
            raise wrong_key()


def _model_row(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "sociolab"}


def _json_response(row: dict[str, Any]) -> web.Response:
    return web.Response(body=json.dumps(row).encode(), headers={hdrs.CONTENT_TYPE: _JSON})


def _refused(refusal: RefusalError, extra: dict[str, str] | None = None) -> web.Response:
    headers = {hdrs.CONTENT_TYPE: _JSON, **(extra or {})}
    return web.Response(body=refusal.body, status=refusal.status, headers=headers)


def _without_reply(request: web.BaseRequest) -> web.Response:
    """Close the connection; what is returned can no longer be sent."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


async def _cut_short(request: web.BaseRequest, body: bytes) -> web.StreamResponse:
    """Announce the whole body, send half of it, close the connection."""
    response = web.StreamResponse(headers={hdrs.CONTENT_TYPE: _JSON})
    response.content_length = len(body)
    response.force_close()
    with suppress(ConnectionError):
        await response.prepare(request)
        await response.write(body[: len(body) // 2])
    return response
