"""A server that does with each connection what a test says, byte by byte; it speaks no HTTP."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from sociolab.core import CallKey, Message, Prompt

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

PROMPT = Prompt((Message("user", "Hello."),), None, 0.0)
KEY = CallKey("trial", "agent", "ada", 0, "act", 1)


@asynccontextmanager
async def raw_server(serve: Serve, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """The port of a server that serves each connection so, and closes it then."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has gone
        finally:
            writer.close()

    listening = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    try:
        yield listening.sockets[0].getsockname()[1]
    finally:
        listening.close()
        await listening.wait_closed()


async def request(reader: asyncio.StreamReader) -> tuple[str, dict[str, str], bytes]:
    """First line, headers (names in lower case) and body of what a client sent."""
    line, *rest = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (one.split(": ", 1) for one in rest if one)
    headers = {name.lower(): value for name, value in pairs}
    return line, headers, await reader.readexactly(int(headers.get("content-length", 0)))


def completion(text: str = "Hi.", **more: Any) -> bytes:
    """A chat completion as JSON; `more` stands beside its choices."""
    choice = {"message": {"content": text}, "finish_reason": "stop"}
    return json.dumps({"choices": [choice], **more}).encode()


def http(body: bytes, *headers: str, status: str = "200 OK", length: object = None) -> bytes:
    """A whole reply; `length` is what its Content-Length says instead of the truth."""
    lines = (
        f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", *headers
    )  # fmt: skip
    return "\r\n".join((*lines, "", "")).encode("latin-1") + body
