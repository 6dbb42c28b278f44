"""An address at which programs reach chat models by the APIs that they know.

OpenAI's chat completions and Responses, and Anthropic's Messages, with tools, schemas and streams.
Whatever a program asks for there is a call of the run, counted and stored as all others.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from sociolab.core.errors import Cause, ModelError, SociolabError
from sociolab.core.ports import ChatReply, Prompt
from sociolab.models.budget import estimate_tokens
from sociolab.protocols import chat_completions, messages, responses
from sociolab.protocols.request import ChatRequest, InvalidRequestError

if TYPE_CHECKING:  # loaded with the first program
    from aiohttp import web

Complete: TypeAlias = Callable[[str, Prompt], Awaitable[ChatReply]]
"""A call to the model of this name, on behalf of the request that a program works on."""

_HOST = "127.0.0.1"
_LARGEST_BODY = 64 * 2**20
_STATUS: dict[Cause, int] = {"context overflow": 400, "content filter": 400, "refused": 400}


class Gateway:
    """A server for the programs of a run; it begins to listen with the first of them.

    >>> from sociolab.agents import Gateway
    >>> Gateway().admit().startswith("sociolab-")
    True
    """

    def __init__(self) -> None:
        self.url = ""
        self._runner: web.ServerRunner | None = None
        self._starting = asyncio.Lock()
        self._at_work: dict[str, Complete | None] = {}

    async def start(self) -> None:
        """Listen on a free port of this machine, unless it does already."""
        from aiohttp import web

        async with self._starting:
            if self._runner is None:
                server = web.Server(self._handle, access_log=None, handler_cancellation=True)
                self._runner = web.ServerRunner(server, shutdown_timeout=0.05)
                await self._runner.setup()
                await web.TCPSite(self._runner, _HOST, 0).start()
                self.url = f"http://{_HOST}:{self._runner.addresses[0][1]}"

    async def close(self) -> None:
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    def admit(self) -> str:
        """A key for a new program."""
        key = f"sociolab-{secrets.token_hex(16)}"
        self._at_work[key] = None
        return key

    def dismiss(self, key: str) -> None:
        self._at_work.pop(key, None)

    @contextmanager
    def serving(self, key: str, complete: Complete) -> Iterator[None]:
        """While this is open, the program with this key may call models."""
        self._at_work[key] = complete
        try:
            yield
        finally:
            if key in self._at_work:
                self._at_work[key] = None

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        from aiohttp import web

        path = request.rel_url.path.removeprefix("/v1")
        as_message = path.startswith("/messages")
        try:
            complete = self._caller(request)
            if request.method == "GET" and path.startswith("/models"):
                name = path.removeprefix("/models").strip("/")
                row = {"id": name, "object": "model", "created": 0, "owned_by": "sociolab"}
                return web.json_response(row if name else {"object": "list", "data": []})
            if request.method != "POST" or path not in _READERS:
                raise _RefusedError(
                    404, f"there is no {request.method} {request.rel_url.path} here"
                )
            if (request.content_length or 0) > _LARGEST_BODY:
                raise _RefusedError(413, f"expected at most {_LARGEST_BODY:,} bytes")
            asked = _READERS[path](await request.content.read())
            if path == _COUNT:
                return web.json_response({"input_tokens": estimate_tokens(asked.prompt)})
            if complete is None:
                raise _RefusedError(
                    409, "models are called while an observation waits for its reply, not between"
                )
            reply = await complete(asked.model, asked.prompt)
        except InvalidRequestError as error:
            return _problem(400, f"{error.param}: {error}", as_message)
        except _RefusedError as error:
            return _problem(error.status, str(error), as_message)
        except ModelError as error:
            return _problem(_STATUS.get(error.cause, 502), str(error), as_message, error.cause)
        except SociolabError as error:
            return _problem(400, str(error), as_message)
        return await _respond(request, path, asked, reply)

    def _caller(self, request: web.BaseRequest) -> Complete | None:
        """The calls of the program that sent a request; a refusal where its key is unknown."""
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        key = request.headers.get("x-api-key", bearer)
        if key not in self._at_work:
            raise _RefusedError(401, "expected the key from OPENAI_API_KEY or ANTHROPIC_API_KEY")
        return self._at_work[key]


class _RefusedError(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


_CHAT, _RESPONSES, _MESSAGES = "/chat/completions", "/responses", "/messages"
_COUNT = "/messages/count_tokens"

_READERS: dict[str, Callable[[bytes], ChatRequest]] = {
    _CHAT: chat_completions.read,
    _RESPONSES: responses.read,
    _MESSAGES: messages.read,
    _COUNT: lambda raw: messages.read(raw, limited=False),
}


async def _respond(
    request: web.BaseRequest, path: str, asked: ChatRequest, reply: ChatReply
) -> web.StreamResponse:
    from aiohttp import web

    ident = secrets.token_hex(12)
    if not asked.stream:
        return web.json_response(_whole(path, asked, reply, ident))
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    for event in _events(path, asked, reply, ident):
        await response.write(event)
    await response.write_eof()
    return response


def _whole(path: str, asked: ChatRequest, reply: ChatReply, ident: str) -> dict[str, Any]:
    if path == _CHAT:
        return chat_completions.write(reply, asked.model, ident)
    if path == _RESPONSES:
        return responses.write(asked, reply, ident)
    return messages.write(reply, asked.model, ident)


def _events(path: str, asked: ChatRequest, reply: ChatReply, ident: str) -> Iterator[bytes]:
    if path == _CHAT:
        return chat_completions.stream(asked, reply, ident)
    if path == _RESPONSES:
        return responses.stream(asked, reply, ident)
    return messages.stream(asked, reply, ident)


def _problem(status: int, message: str, as_message: bool, cause: str = "") -> web.Response:
    """An error in the form of the API, which its clients do not send again: the run has done so."""
    from aiohttp import web

    error: dict[str, Any] = {"message": message, "type": "invalid_request_error"}
    body: dict[str, Any] = {"error": {**error, "param": None, "code": cause or None}}
    if as_message:
        body = {"type": "error", "error": error}
    return web.json_response(body, status=status, headers={"x-should-retry": "false"})
