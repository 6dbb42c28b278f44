"""Calls over connections that are kept: what servers send, and what they fail to send."""

from __future__ import annotations

import asyncio
import gzip
import time
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from raw_server import KEY, PROMPT, Serve, completion, http, raw_server, request
from sociolab.core import CallKey, Cause, ChatReply, Message, ModelError, Prompt
from sociolab.models import (
    Budget,
    CachedModel,
    Endpoint,
    EndpointModel,
    EndpointSpec,
    NullReplyStore,
    chat,
    traffic,
)

HI = completion("Hi.")
CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "LONGEST_PAUSE", 0.001)


@asynccontextmanager
async def connected(serve: Serve, **spec: Any) -> AsyncIterator[EndpointModel]:
    """A model of a client for such a server."""
    async with raw_server(serve) as port:
        options = {"name": "raw", "base_url": f"http://127.0.0.1:{port}/v1", "tries": 1} | spec
        async with asyncio.timeout(60), Endpoint(EndpointSpec(**options)) as endpoint:
            yield endpoint.model("m")


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


def asked(serve: Serve, calls: int = 1) -> list[str]:
    """What comes of calls one after another."""

    async def go() -> list[str]:
        async with connected(serve) as model:
            return [(await model.complete(PROMPT, KEY)).text for _ in range(calls)]

    return asyncio.run(go())


# ---------------------------------------------------------------- replies in every shape


@pytest.mark.parametrize(
    "parts",
    [
        (http(HI),),
        (http(HI)[:30], http(HI)[30:50], http(HI)[50:]),
        (CHUNKED + b"2\r\n" + HI[:2] + b"\r\n", b"%x\r\n%b\r\n0\r\n\r\n" % (len(HI) - 2, HI[2:])),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + http(HI),),
        (b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n", http(HI)[:-5], HI[-5:]),
        (http(gzip.compress(HI), "content-encoding: gzip"),),
    ],
    ids=["whole", "in pieces", "chunked", "after 100", "after 103", "compressed"],
)
def test_a_reply_is_read_however_it_comes_and_its_connection_used_again(
    parts: tuple[bytes, ...],
) -> None:
    served = 0

    async def counted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal served
        served += 1
        await answering(*parts)(reader, writer)

    assert asked(counted, calls=3) == ["Hi."] * 3
    assert served == 1


def test_a_reply_without_a_length_ends_with_its_connection() -> None:
    serve = answering(b"HTTP/1.1 200 OK\r\n\r\n" + HI[:5], HI[5:], close=True)
    assert asked(serve, calls=2) == ["Hi.", "Hi."]


def test_a_connection_that_the_server_closes_is_not_used_again() -> None:
    assert asked(answering(http(HI, "connection: close")), calls=3) == ["Hi."] * 3


def test_a_prompt_of_megabytes_is_sent_whole() -> None:
    sizes: list[int] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        sizes.append(len((await request(reader))[2]))
        writer.write(http(HI))

    async def go() -> None:
        async with connected(serve) as model:
            await model.complete(Prompt((Message("user", "x" * 5_000_000),), None, 0.0), KEY)

    asyncio.run(go())
    assert 5_000_000 < sizes[0] < 5_001_000


# ---------------------------------------------------------------- whose reply it is


def test_many_calls_at_once_each_get_their_own_reply() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            body = (await request(reader))[2]
            number = body.partition(b"Number ")[2].partition(b".")[0].decode()
            await asyncio.sleep(int(number) % 3 / 1000)
            writer.write(http(completion(number)))

    async def go() -> None:
        async with connected(serve) as model:
            prompts = [Prompt((Message("user", f"Number {n}."),), None, 0.0) for n in range(200)]
            replies = await asyncio.gather(*(model.complete(one, KEY) for one in prompts))
            assert [reply.text for reply in replies] == [str(number) for number in range(200)]

    asyncio.run(go())


def test_a_reply_that_comes_too_late_is_never_taken_for_another() -> None:
    number, late = 0, asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal number
        while True:
            await request(reader)
            number, mine = number + 1, number
            if mine == 0:
                await late.wait()
            writer.write(http(completion(str(mine))))

    async def go() -> None:
        async with connected(serve, timeout_s=0.3, tries=9) as model:
            first = await model.complete(PROMPT, KEY)
            assert first.tries > 1
            late.set()
            await asyncio.sleep(0.05)
            second = await model.complete(PROMPT, KEY)
            assert "0" not in (first.text, second.text)

    asyncio.run(go())


def test_a_cancelled_call_leaves_no_reply_behind() -> None:
    number, arrived = 0, asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal number
        await request(reader)
        number, mine = number + 1, number
        arrived.set()
        await asyncio.sleep(0.05)
        writer.write(http(completion(str(mine))))
        await reader.read()

    async def go() -> None:
        async with connected(serve) as model:
            first = asyncio.ensure_future(model.complete(PROMPT, KEY))
            await arrived.wait()
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            assert (await model.complete(PROMPT, KEY)).text == "1"

    asyncio.run(go())


@pytest.mark.parametrize("later", [False, True], ids=["at once", "while nothing is asked"])
def test_what_comes_unasked_is_never_taken_for_a_reply(*, later: bool) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await request(reader)
            writer.write(http(HI))
            if later:
                await writer.drain()
                await asyncio.sleep(0.02)
            writer.write(http(completion("unasked")))
            sent.set()

    sent = asyncio.Event()

    async def go() -> None:
        async with connected(serve, tries=2) as model:
            for _ in range(3):
                sent.clear()
                assert (await model.complete(PROMPT, KEY)).text == "Hi."
                await sent.wait()
                await asyncio.sleep(0.02)

    asyncio.run(go())


@pytest.mark.parametrize("cancelled", [True, False])
def test_a_call_that_is_given_up_closes_its_connection(*, cancelled: bool) -> None:
    async def serve(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await request(reader)
        arrived.set()
        assert await reader.read() == b""
        gone.set()

    arrived, gone = asyncio.Event(), asyncio.Event()

    async def go() -> None:
        async with connected(serve, timeout_s=20.0 if cancelled else 0.05) as model:
            waiting = asyncio.ensure_future(model.complete(PROMPT, KEY))
            await arrived.wait()
            if cancelled:
                waiting.cancel()
            with pytest.raises((asyncio.CancelledError, ModelError)):
                await waiting
            await gone.wait()

    asyncio.run(go())


def test_closing_ends_the_calls_that_wait() -> None:
    async def serve(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await request(reader)
        arrived.set()
        await reader.read()

    arrived = asyncio.Event()

    async def go() -> None:
        async with raw_server(serve) as port, asyncio.timeout(20):
            spec = EndpointSpec(name="raw", base_url=f"http://127.0.0.1:{port}", tries=1)
            endpoint = Endpoint(spec)
            waiting = asyncio.ensure_future(endpoint.model("m").complete(PROMPT, KEY))
            await arrived.wait()
            await endpoint.close()
            with pytest.raises(ModelError) as caught:
                await waiting
            assert caught.value.cause == "connection"

    asyncio.run(go())


# ---------------------------------------------------------------- servers at fault

Act = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True)
class Fault:
    """What a server does instead of answering (bytes that it sends, or an act), whether it closes
    the connection then, and what must come of it: a cause of failure, or the text of a reply."""

    does: bytes | Act
    cause: Cause | None = None
    text: str | None = None
    finish: str = "stop"
    close: bool = False
    tries: int = 2
    said: str = ""


async def drip(writer: asyncio.StreamWriter) -> None:
    for byte in http(completion("x" * 5_000)):
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0.01)


async def flood_of_1xx(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"HTTP/1.1 102 Processing\r\n\r\n" * 20)
        await writer.drain()
        await asyncio.sleep(0.001)


async def reset(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


def endless(head: bytes, part: bytes) -> Act:
    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while True:
            writer.write(part)
            await writer.drain()

    return send


def error(status: str, *headers: str, body: bytes = b"{}") -> bytes:
    return http(body, *headers, status=status)


ODD_TEXT = "a\x00b \u202etfel\x1b[31m \ud83d"
FAULTS = {
    # time
    "never answers": Fault(b"", "timeout", said="gave no reply within 0.3 s"),
    "bytes one by one": Fault(drip, "timeout"),
    "1xx for ever": Fault(flood_of_1xx, "timeout"),
    # length
    "more length than body": Fault(http(HI, length=900), "timeout"),
    "more length than body, closed": Fault(http(HI, length=900), "connection", close=True),
    "less length than body": Fault(http(HI, length=20), "connection"),
    "negative length": Fault(http(HI, length=-5), "connection"),
    "length in words": Fault(http(HI, length="five"), "connection"),
    "length beyond numbers": Fault(http(HI, length=10**30), "connection"),
    "two lengths": Fault(http(HI, "Content-Length: 3"), "connection"),
    # encoding
    "no gzip at all": Fault(
        http(HI, "content-encoding: gzip"), "malformed reply", said="cannot be decompressed"
    ),
    "half a gzip": Fault(http(gzip.compress(HI)[:30], "content-encoding: gzip"), "malformed reply"),
    "compressed as nobody asked": Fault(http(HI, "content-encoding: br"), "malformed reply"),
    "garbage for a chunk": Fault(CHUNKED + b"zz\r\nhello\r\n", "connection"),
    "half a chunk": Fault(CHUNKED + b"9\r\nhel", "connection", close=True),
    "chunk beyond numbers": Fault(CHUNKED + b"f" * 40 + b"\r\nx\r\n", "connection"),
    # protocol
    "HTTP/0.9": Fault(HI, "connection", close=True, said="not HTTP"),
    "HTTP/1.0": Fault(b"HTTP/1.0 200 OK\r\n\r\n" + HI, text="Hi.", close=True),
    "another protocol": Fault(b"SSH-2.0-OpenSSH_9.2\r\n", "connection", said="SSH-2.0-OpenSSH"),
    "NUL in a header": Fault(http(HI, "x-a: b\0c"), "connection"),
    "space in a header's name": Fault(http(HI, "x a: b"), "connection"),
    "nothing, closed": Fault(b"", "connection", close=True, said="before the reply was complete"),
    "half a head": Fault(b"HTTP/1.1 200 OK\r\ncontent-le", "connection", close=True),
    "reset": Fault(reset, "connection"),
    "another reply behind it": Fault(http(HI) + http(completion("poison")), text="Hi."),
    # status
    "redirect to itself": Fault(
        error("302 Found", "location: /v1/chat/completions"), "refused", tries=1
    ),
    "429 after years": Fault(error("429 Slow down", "retry-after: 1e9"), "rate limit", tries=1),
    "429 after eons": Fault(error("429 Slow down", "retry-after: 1e300"), "rate limit", tries=1),
    "101": Fault(error("101 Switch", "connection: upgrade", "upgrade: x"), "refused", tries=1),
    "204": Fault(b"HTTP/1.1 204 No Content\r\n\r\n", "refused", tries=1),
    "418": Fault(error("418 Teapot"), "refused", tries=1),
    "999": Fault(error("999 Odd"), "server error"),
    "9999": Fault(error("9999 Odd"), "connection"),
    # text
    "UTF-16": Fault(http(completion("Hi.").decode().encode("utf-16")), text="Hi."),
    "BOM": Fault(http(b"\xef\xbb\xbf" + HI), text="Hi."),
    "NUL, RTL, ESC, half a surrogate pair": Fault(http(completion(ODD_TEXT)), text=ODD_TEXT),
    "no UTF-8": Fault(http(HI.replace(b"Hi", b"\xff\xfe")), "malformed reply"),
    # JSON
    "nothing": Fault(http(b""), "malformed reply"),
    "HTML": Fault(http(b"<html>Welcome</html>"), "malformed reply", said="Welcome"),
    "SSE": Fault(http(b"data: " + HI + b"\n\ndata: [DONE]\n\n"), "malformed reply"),
    "keys twice": Fault(http(b'{"choices": [], ' + HI[1:]), text="Hi."),
    "NaN": Fault(http(completion(created=float("nan"))), text="Hi."),
    "wrong types": Fault(http(b'{"choices": [{"message": {"content": 5}}]}'), "malformed reply"),
    "words for choices": Fault(http(b'{"choices": "none"}'), "malformed reply"),
    "a list": Fault(http(b"[]"), "malformed reply"),
    "deep JSON": Fault(http(b"[" * 100_000), "malformed reply"),
    "deep JSON in a refusal": Fault(error("400 No", body=b"[" * 100_000), "refused", tries=1),
    "deep JSON in a 500": Fault(error("500 No", body=b'{"error":' * 20_000), "server error"),
    "number of 5,000 digits": Fault(http(b'{"n":' + b"9" * 5_000 + b"}"), "malformed reply"),
    "refusal": Fault(
        http(b'{"choices": [{"message": {"content": null, "refusal": "No."}}]}'),
        text="No.",
        finish="content filter",
    ),
    "tool call": Fault(
        http(b'{"choices": [{"message": {"tool_calls": [{}]}, "finish_reason": "tool_calls"}]}'),
        "malformed reply",
    ),
    "usage of infinity": Fault(http(completion(usage={"prompt_tokens": float("inf")})), text="Hi."),
    "usage in words": Fault(http(completion(usage="much")), text="Hi."),
    "usage of 10^30": Fault(http(completion(usage={"prompt_tokens": 10**30})), text="Hi."),
    "usage below 0": Fault(http(completion(usage={"prompt_tokens": -5})), text="Hi."),
    # size
    "body without end": Fault(
        endless(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65536), "malformed reply", tries=1
    ),
    "refusal without end": Fault(
        endless(b"HTTP/1.1 500 No\r\n\r\n", b"x" * 65536), "malformed reply", tries=1
    ),
    "chunks without end": Fault(endless(CHUNKED, b"fff\r\n" + b"x" * 4095 + b"\r\n"),
                                "malformed reply", tries=1),
    "headers without end": Fault(endless(b"HTTP/1.1 200 OK\r\n", b"x-a: b\r\n" * 99), "connection"),
    "header without end": Fault(endless(b"HTTP/1.1 200 OK\r\nx: ", b"x" * 4096), "connection"),
    "trailers without end": Fault(endless(CHUNKED + b"0\r\n", b"x-a: b\r\n" * 99), "connection"),
}  # fmt: skip


class Failures(NullReplyStore):
    """Keeps the causes of what failed, as a store does."""

    def __init__(self) -> None:
        self.causes: list[Cause] = []

    def keep_failure(self, call: CallKey, model: str, error: ModelError, seconds: float) -> None:
        self.causes.append(error.cause)


@pytest.mark.parametrize("name", FAULTS)
def test_a_server_at_fault_is_blamed_for_it_in_time_and_the_next_call_works(name: str) -> None:
    fault = FAULTS[name]
    requests, well = 0, False

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal requests
        while True:
            await request(reader)
            if well:
                writer.write(http(completion("well")))
                continue
            requests += 1
            if isinstance(fault.does, bytes):
                writer.write(fault.does)
                await writer.drain()
            else:
                await fault.does(writer)
            if fault.close:
                return

    async def go() -> None:
        nonlocal well
        failures = Failures()
        seconds = 0.3 if fault.cause == "timeout" else 20.0
        limits = {"tries": 2, "timeout_s": seconds, "max_reply_mb": 0.5}
        async with connected(serve, **limits) as bare:
            model = CachedModel(bare, "here", failures, Budget())
            if fault.cause is None:
                reply = await model.complete(PROMPT, KEY)
                assert (reply.text, reply.finish, reply.tries) == (fault.text, fault.finish, 1)
            else:
                with pytest.raises(ModelError) as caught:
                    await model.complete(PROMPT, KEY)
                failed = caught.value
                assert (failed.cause, failed.tries) == (fault.cause, fault.tries), str(failed)
                assert requests == fault.tries
                assert failures.causes == [fault.cause]
                assert fault.said in str(failed)
                assert "\n" not in str(failed)
                assert len(str(failed)) < 600
            well = True
            assert (await model.complete(PROMPT, KEY)).text == "well"

    asyncio.run(go())


# ---------------------------------------------------------------- size


def read_from(head: bytes, part: bytes, **spec: Any) -> tuple[int, ModelError]:
    """How many bytes a server without end gets rid of, and how the call fails."""
    sent = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await request(reader)
        writer.write(head)
        while True:
            writer.write(part)
            await writer.drain()
            sent += len(part)

    async def go() -> ModelError:
        async with connected(serve, **spec) as model:
            with pytest.raises(ModelError) as caught:
                await model.complete(PROMPT, KEY)
            return caught.value

    failed = asyncio.run(go())
    return sent, failed


IN_SOCKETS = 16_000_000
"""Bytes that may lie in the buffers of both sockets, read by nobody."""


@pytest.mark.parametrize("most", [0.1, 2.0])
def test_of_a_body_no_more_is_read_than_a_reply_may_have(most: float) -> None:
    sent, failed = read_from(
        b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65536, max_reply_mb=most, tries=3, timeout_s=30.0
    )
    assert sent < most * 1e6 + IN_SOCKETS
    assert failed.tries == 1
    assert f"at most {most:g} MB" in str(failed)
    assert "max_reply_mb under [endpoints.raw] in models.toml" in str(failed)


def test_a_body_of_just_the_size_that_is_allowed_is_read() -> None:
    body = completion("x" * 1_000)
    allowed = len(body) / 1e6

    async def go(most: float) -> ChatReply:
        async with connected(answering(http(body)), max_reply_mb=most) as model:
            return await model.complete(PROMPT, KEY)

    assert len(asyncio.run(go(allowed)).text) == 1_000
    with pytest.raises(ModelError, match="at most"):
        asyncio.run(go(allowed - 1e-6))


def test_of_headers_no_more_is_read_than_a_head_may_have() -> None:
    sent, failed = read_from(b"HTTP/1.1 200 OK\r\n", b"x-a: b\r\n" * 1_000, timeout_s=30.0)
    assert sent < IN_SOCKETS
    assert "Too many headers" in str(failed)


def test_a_body_that_swells_when_it_is_decompressed_fills_no_memory() -> None:
    serve = answering(http(gzip.compress(b"x" * 300_000_000, 1), "content-encoding: gzip"))

    async def go() -> None:
        async with connected(serve, max_reply_mb=1.0) as model:
            tracemalloc.start()
            try:
                with pytest.raises(ModelError, match="at most 1 MB"):
                    await model.complete(PROMPT, KEY)
                assert tracemalloc.get_traced_memory()[1] < 20_000_000
            finally:
                tracemalloc.stop()

    asyncio.run(go())


# ---------------------------------------------------------------- time


def test_the_last_attempt_has_a_fair_time_or_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    def patience(seconds: float, extension: Callable[[float], float]) -> Any:
        given.append(seconds)
        return traffic.extendable_timeout(seconds, extension)

    monkeypatch.setattr(chat, "extendable_timeout", patience)

    async def go() -> ModelError:
        async with connected(answering(b""), tries=99, timeout_s=0.2, total_s=1.0) as model:
            with pytest.raises(ModelError) as caught:
                await model.complete(PROMPT, KEY)
            return caught.value

    failed = asyncio.run(go())
    assert len(given) == failed.tries >= 2
    assert min(given) >= 0.1
    assert "gave no reply within" in str(failed)
    assert "not retried: too little of total_s = 1 s is left" in str(failed)


def test_a_quick_failure_is_tried_again_where_one_attempt_may_take_all_the_time() -> None:
    async def go() -> None:
        async with connected(
            answering(error("500 No")), tries=3, timeout_s=60.0, total_s=60.0
        ) as model:
            with pytest.raises(ModelError) as caught:
                await model.complete(PROMPT, KEY)
            assert caught.value.tries == 3

    asyncio.run(go())


# ---------------------------------------------------------------- pace


def test_a_pause_between_calls_is_not_made_up_for_by_a_burst() -> None:
    gap = 0.03

    async def go() -> float:
        async with connected(answering(http(HI)), requests_per_minute=60 / gap) as model:
            await model.complete(PROMPT, KEY)
            await asyncio.sleep(4 * gap)
            began = time.monotonic()
            await asyncio.gather(*(model.complete(PROMPT, KEY) for _ in range(4)))
            return time.monotonic() - began

    assert asyncio.run(go()) >= 2.9 * gap
