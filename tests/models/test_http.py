"""Posts over connections that are kept: what servers send, and what they fail to send."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sociolab.core.errors import ModelError
from sociolab.core.ports import CallKey, Message, Prompt
from sociolab.models import http
from sociolab.models.address import Address
from sociolab.models.chat import Endpoint
from sociolab.models.endpoints import EndpointSpec
from sociolab.models.http import BrokenConnectionError, Connections, Reply

FIVE = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def server(serve: Serve, headers: dict[str, str] | None = None) -> AsyncIterator[Connections]:
    """Connections to a server that does with each connection what the test says."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has gone
        finally:
            writer.close()

    listening = await asyncio.start_server(connected, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    connections = Connections(Address.of(f"http://127.0.0.1:{port}/v1?a=b"), headers or {})
    try:
        yield connections
    finally:
        await connections.close()
        listening.close()
        await listening.wait_closed()


async def request(reader: asyncio.StreamReader) -> tuple[str, dict[str, str], bytes]:
    """First line, headers and body of what a client sent."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii").split("\r\n")
    headers = dict(line.split(": ", 1) for line in head[1:] if line)
    return head[0], headers, await reader.readexactly(int(headers["content-length"]))


def answering(*parts: bytes, close: bool = False) -> Serve:
    """A server that sends these parts one by one for every request."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await request(reader)
            for part in parts:
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(0)
            if close:
                return

    return serve


def posted(serve: Serve, posts: int = 1, seconds: float = 20.0) -> list[Reply]:
    """What comes of posts one after another."""

    async def go() -> list[Reply]:
        async with server(serve) as connections:
            return [await connections.post(b"{}", seconds) for _ in range(posts)]

    return asyncio.run(go())


def broken(serve: Serve, seconds: float = 20.0) -> Exception:
    with pytest.raises((BrokenConnectionError, OSError)) as caught:
        posted(serve, seconds=seconds)
    return caught.value


# ---------------------------------------------------------------- what is sent


def test_a_request_holds_its_address_headers_length_and_body() -> None:
    seen: list[tuple[str, dict[str, str], bytes]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await request(reader))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")

    async def go() -> None:
        async with server(serve, {"authorization": "Bearer x"}) as connections:
            await connections.post(b'{"a": 1}', 20.0, b"x-one: 1\r\n")

    asyncio.run(go())
    (line, headers, body) = seen[0]
    assert (line, body) == ("POST /v1?a=b HTTP/1.1", b'{"a": 1}')
    assert headers.pop("host").startswith("127.0.0.1:")
    assert headers == {
        "authorization": "Bearer x",
        "accept-encoding": "identity",
        "content-length": "8",
        "x-one": "1",
    }


def test_a_body_of_megabytes_is_sent_whole() -> None:
    sizes: list[int] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        sizes.append(len((await request(reader))[2]))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")

    async def go() -> None:
        async with server(serve) as connections:
            await connections.post(b"x" * 5_000_000, 20.0)

    asyncio.run(go())
    assert sizes == [5_000_000]


# ---------------------------------------------------------------- replies in every shape


@pytest.mark.parametrize(
    "parts",
    [
        (FIVE + b"hello",),
        (b"HTTP/1.1 200 OK\r\ncontent-le", b"ngth: 5\r\n\r", b"\nhe", b"llo"),
        (CHUNKED + b"2\r\nhe\r\n3\r\nl", b"lo\r\n0\r\n\r\n"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + FIVE + b"hello",),
        (b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n", FIVE, b"hello"),
    ],
    ids=["whole", "in pieces", "chunked", "after 100", "after 103"],
)
def test_a_reply_is_read_however_it_comes_and_its_connection_used_again(
    parts: tuple[bytes, ...],
) -> None:
    served = 0

    async def counted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal served
        served += 1
        await answering(*parts)(reader, writer)

    replies = posted(counted, posts=3)
    assert [(reply.status, reply.body) for reply in replies] == [(200, b"hello")] * 3
    assert served == 1


def test_a_reply_without_a_length_ends_with_its_connection() -> None:
    serve = answering(b"HTTP/1.1 200 OK\r\n\r\nhel", b"lo", close=True)
    assert [reply.body for reply in posted(serve, posts=2)] == [b"hello", b"hello"]


def test_a_connection_that_the_server_closes_is_not_used_again() -> None:
    serve = answering(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok")
    assert [reply.body for reply in posted(serve, posts=3)] == [b"ok"] * 3


def test_headers_are_found_by_their_names_in_lower_case() -> None:
    (reply,) = posted(answering(b"HTTP/1.1 429 No\r\nReTry-After: 7\r\ncontent-length: 0\r\n\r\n"))
    assert (reply.status, reply.headers["retry-after"], reply.body) == (429, "7", b"")


# ---------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize(
    "parts",
    [
        (),
        (b"HTTP/1.1 200 OK\r\ncontent-le",),
        (FIVE + b"hel",),
        (CHUNKED + b"9\r\nhel",),
    ],
    ids=["nothing", "half a head", "half a body", "half a chunk"],
)
def test_a_reply_that_is_cut_is_no_reply(parts: tuple[bytes, ...]) -> None:
    assert "closed before the reply was whole" in str(broken(answering(*parts, close=True)))


@pytest.mark.parametrize(
    "data",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: five\r\n\r\nhello",
        b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nhello",
    ],
    ids=["another protocol", "no number", "upgrade"],
)
def test_what_is_not_http_is_no_reply(data: bytes) -> None:
    assert "not HTTP/1.1" in str(broken(answering(data)))


def test_a_reply_that_takes_too_long_is_not_waited_for_and_never_taken_for_another() -> None:
    numbers = iter(range(10))

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await request(reader)
            number = next(numbers)
            if number == 0:
                await asyncio.sleep(0.2)
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n%d" % number)

    async def go() -> None:
        async with server(serve) as connections:
            with pytest.raises(TimeoutError):
                await connections.post(b"{}", 0.05)
            await asyncio.sleep(0.3)
            assert (await connections.post(b"{}", 20.0)).body == b"1"

    asyncio.run(go())


def test_a_cancelled_post_leaves_no_reply_behind() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        body = (await request(reader))[2]
        asked.set()
        await asyncio.sleep(0.05)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))
        await reader.read()

    asked = asyncio.Event()

    async def go() -> None:
        async with server(serve) as connections:
            first = asyncio.ensure_future(connections.post(b"first", 20.0))
            await asked.wait()
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            assert (await connections.post(b"second", 20.0)).body == b"second"

    asyncio.run(go())


def test_what_comes_unasked_ends_the_connection() -> None:
    once = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n"

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        writer.write(once + b"ok" + once + b"no")
        await reader.read()

    assert [reply.body for reply in posted(serve, posts=3)] == [b"ok"] * 3


def test_a_connection_that_was_idle_for_long_is_not_used_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http, "KEEP_IDLE", 0.0)
    served = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal served
        served += 1
        await answering(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")(reader, writer)

    posted(serve, posts=3)
    assert served == 3


@pytest.mark.parametrize("cancelled", [True, False])
def test_a_post_that_is_given_up_closes_its_connection(*, cancelled: bool) -> None:
    async def serve(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await request(reader)
        asked.set()
        assert await reader.read() == b""
        gone.set()

    asked, gone = asyncio.Event(), asyncio.Event()

    async def go() -> None:
        async with server(serve) as connections, asyncio.timeout(20):
            waiting = asyncio.ensure_future(connections.post(b"{}", 20.0 if cancelled else 0.05))
            await asked.wait()
            if cancelled:
                waiting.cancel()
            with pytest.raises((asyncio.CancelledError, TimeoutError)):
                await waiting
            await gone.wait()

    asyncio.run(go())


def test_closing_ends_the_posts_that_wait() -> None:
    async def serve(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await request(reader)
        asked.set()
        await reader.read()

    asked = asyncio.Event()

    async def go() -> None:
        async with server(serve) as connections:
            waiting = asyncio.ensure_future(connections.post(b"{}", 20.0))
            await asked.wait()
            await connections.close()
            with pytest.raises(BrokenConnectionError):
                await waiting

    asyncio.run(go())


def test_many_posts_at_once_each_get_their_own_reply() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            body = (await request(reader))[2]
            await asyncio.sleep(int(body) % 3 / 1000)
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))

    async def go() -> None:
        async with server(serve) as connections:
            bodies = [b"%d" % number for number in range(200)]
            replies = await asyncio.gather(*(connections.post(each, 20.0) for each in bodies))
            assert [reply.body for reply in replies] == bodies

    asyncio.run(go())


# ---------------------------------------------------------------- addresses


@pytest.mark.parametrize(
    ("url", "authority", "target"),
    [
        ("http://localhost/v1", "localhost", "/v1"),
        ("http://localhost:8000/v1", "localhost:8000", "/v1"),
        ("https://api.example.com:443/v1", "api.example.com", "/v1"),
        ("https://api.example.com:80", "api.example.com:80", "/"),
        ("http://[::1]:8000/v1", "[::1]:8000", "/v1"),
        ("https://b\xfccher.example/v1", "xn--bcher-kva.example", "/v1"),
        ("http://h/a b/\xe9/%41?q=1 2", "h", "/a%20b/%C3%A9/%41?q=1%202"),
    ],
)
def test_an_address_is_sent_as_http_wants_it(url: str, authority: str, target: str) -> None:
    address = Address.of(url)
    assert (address.authority, address.target) == (authority, target)


@pytest.mark.parametrize(
    "url", ["", "h/v1", "ftp://h", "http://", "http://h:port", "http://h:70000", "http://[::1"]
)
def test_what_is_no_address_of_a_web_server_is_refused(url: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - Python's own words differ
        Address.of(url)


# ---------------------------------------------------------------- TLS


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
@pytest.mark.parametrize("trusted", [True, False])
def test_a_certificate_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, trusted: bool
) -> None:
    pem, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    made += ["-keyout", str(key), "-out", str(pem), "-subj", "/CN=localhost"]
    subprocess.run(
        [*made, "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True
    )
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(pem))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(pem, key)
    message = b'{"choices": [{"message": {"content": "Hi."}, "finish_reason": "stop"}]}'
    reply = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(message), message)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        writer.write(reply)

    async def go() -> str:
        listening = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context)
        port = listening.sockets[0].getsockname()[1]
        async with (
            listening,
            Endpoint(EndpointSpec(name="x", base_url=f"https://127.0.0.1:{port}")) as endpoint,
        ):
            key = CallKey("trial", "agent", "ada", 0, "act", 1)
            prompt = Prompt((Message("user", "Hello."),), None, 0.0)
            return (await endpoint.model("m").complete(prompt, key)).text

    if trusted:
        assert asyncio.run(go()) == "Hi."
        return
    with pytest.raises(ModelError, match=r"cannot be called .*check the base URL") as caught:
        asyncio.run(go())
    assert caught.value.fatal
