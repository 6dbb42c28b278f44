"""HTTP/1.1 as model calls need it: posts to one address, over connections that stay open.

One request at a time on a connection, no redirects, cookies or proxies. `httptools` parses the
replies. Decision 016 says why this is no HTTP library's session.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple, cast

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from sociolab.models.address import Address

KEEP_IDLE = 30.0
"""Seconds that an idle connection is kept: many servers close theirs after a minute or so."""

_SECOND_FAMILY = 0.25
"""Seconds before IPv4 is tried beside an IPv6 address that does not answer (RFC 8305)."""


class Reply(NamedTuple):
    """A whole reply; names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class BrokenConnectionError(Exception):
    """The connection ended, or what came over it is not HTTP, before the reply was whole."""


class Connections:
    """Posts to one address. Connections are opened as they are needed, and used again.

    `headers` go with every request. For use within one event loop; `close` it when done.
    """

    def __init__(self, address: Address, headers: Mapping[str, str]) -> None:
        self._address = address
        self._head = address.head({**headers, "accept-encoding": "identity"})
        self._tls: ssl.SSLContext | None = None
        self._open: set[_Connection] = set()
        self._idle: list[_Connection] = []

    async def post(self, body: bytes, seconds: float, extra: bytes = b"") -> Reply:
        """The reply to one request with this body; `extra` is header lines of its own.

        TimeoutError if it is not there, whole, after `seconds`. BrokenConnectionError or OSError
        where the connection fails, ValueError if the host's name is none.
        """
        until = asyncio.get_running_loop().time() + seconds
        connection = self._kept() or await self._opened(seconds)
        try:
            reply = await connection.exchange(
                b"%bcontent-length: %d\r\n%b\r\n%b" % (self._head, len(body), extra, body), until
            )
        except BaseException:  # cancelled, too: what may still come is nobody's reply
            connection.abort()
            raise
        if connection.usable:
            self._idle.append(connection)
        return reply

    async def close(self) -> None:
        """Drop all connections. Posts that wait for their replies fail."""
        for connection in self._open:
            connection.abort()
        self._idle.clear()
        await asyncio.sleep(0)  # sockets are closed by the loop's next round

    def _kept(self) -> _Connection | None:
        """The idle connection that was used last, unless its server may have given it up."""
        while self._idle:
            connection = self._idle.pop()
            if connection.usable and connection.idle_for() < KEEP_IDLE:
                return connection
            connection.abort()
        return None

    async def _opened(self, seconds: float) -> _Connection:
        loop = asyncio.get_running_loop()
        connect = loop.create_connection
        if isinstance(loop, asyncio.BaseEventLoop):  # uvloop tries one family after the other
            connect = partial(connect, happy_eyeballs_delay=_SECOND_FAMILY)
        async with asyncio.timeout(seconds):
            _, connection = await connect(
                lambda: _Connection(loop, self._open),
                self._address.host,
                self._address.port,
                ssl=self._context() if self._address.secure else None,
            )
        return connection

    def _context(self) -> ssl.SSLContext:
        """Made at the first secure connection: reading the certificates takes a while."""
        if self._tls is None:
            self._tls = ssl.create_default_context()
        return self._tls


class _Connection(asyncio.Protocol):
    """One connection, and the reply that it waits for. It is in `register` while it is open."""

    def __init__(self, loop: asyncio.AbstractEventLoop, register: set[_Connection]) -> None:
        self._loop = loop
        self._register = register
        self._parser = HttpResponseParser(self)
        self._waiting: asyncio.Future[Reply] | None = None
        self._used = loop.time()
        self._headers: dict[str, str] = {}
        self._body: list[bytes] = []
        self._in_body = False
        self.usable = True

    async def exchange(self, request: bytes, until: float) -> Reply:
        """Send a request; the reply to it, or TimeoutError at `until` by the loop's clock."""
        waiting: asyncio.Future[Reply] = self._loop.create_future()
        self._waiting = waiting
        limit = self._loop.call_at(until, self._fail, TimeoutError())
        self._transport.write(request)
        try:
            return await waiting
        finally:
            limit.cancel()

    def idle_for(self) -> float:
        """Seconds since the last reply."""
        return self._loop.time() - self._used

    def abort(self) -> None:
        """Close it at once."""
        self.usable = False
        self._transport.abort()

    # ------------------------------------------------------------ called by the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # not by its type with uvloop
        self._register.add(self)

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade) as error:
            self._fail(BrokenConnectionError(f"what came is not HTTP/1.1: {error}"))

    def connection_lost(self, error: Exception | None) -> None:
        self.usable = False
        self._register.discard(self)
        if self._in_body and error is None and self._ends_with_connection():
            self._done()
        else:
            self._fail(error or BrokenConnectionError("closed before the reply was whole"))

    # ------------------------------------------------------------ called by the parser

    def on_message_begin(self) -> None:
        if self._waiting is None:  # nothing was asked
            self.abort()
        self._headers, self._body, self._in_body = {}, [], False

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        self._in_body = True

    def on_body(self, data: bytes) -> None:
        self._body.append(data)

    def on_message_complete(self) -> None:
        if self._parser.get_status_code() >= 200:  # else "100 Continue" and the like: more comes
            self.usable = self.usable and self._parser.should_keep_alive()
            self._done()

    # ------------------------------------------------------------

    def _ends_with_connection(self) -> bool:
        return not ({"content-length", "transfer-encoding"} & self._headers.keys())

    def _done(self) -> None:
        waiting, self._waiting = self._waiting, None
        self._in_body = False
        self._used = self._loop.time()
        if waiting is not None and not waiting.done():
            body = b"".join(self._body)
            waiting.set_result(Reply(self._parser.get_status_code(), self._headers, body))
        if not self.usable:
            self._transport.abort()

    def _fail(self, error: Exception) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_exception(error)
        self.abort()
