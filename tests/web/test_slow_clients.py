"""Clients that send slowly, much or many at a time keep nobody else out."""

from __future__ import annotations

import resource
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
import requests

from play_clients import COOKIE, home, lay_out, secret
from sociolab.web import WebSettings
from web_serving import TOKEN, free_port, running

HALF_A_HEAD = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: "
HALF_A_BODY = (
    b"POST /logout HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\ncsrf="
)
HERE, ELSEWHERE = "127.0.0.1", "127.0.0.2"  # both this machine, and two addresses


def limited(tmp_path: Path, most: int = 8, seconds: float = 60.0) -> WebSettings:
    return WebSettings(
        tmp_path / "store.db",
        port=free_port(),
        connections_per_address=most,
        request_seconds=seconds,
    )


def connected(settings: WebSettings, sent: bytes, source: str = HERE) -> socket.socket:
    """A connection from an address, on which something was sent."""
    client = socket.create_connection((HERE, settings.port), timeout=30, source_address=(source, 0))
    client.sendall(sent)
    return client


@contextmanager
def half_sent(
    settings: WebSettings, many: int, source: str = HERE, sent: bytes = HALF_A_HEAD
) -> Iterator[list[socket.socket]]:
    """So many connections with half of a request on each, those that were refused included."""
    with ExitStack() as held:
        clients = []
        for _ in range(many):
            client = held.enter_context(socket.socket())
            client.bind((source, 0))
            client.settimeout(30)
            client.connect((HERE, settings.port))
            with suppress(ConnectionError):
                client.sendall(sent)
            clients.append(client)
        yield clients


def answers(settings: WebSettings) -> bool:
    address = f"http://{HERE}:{settings.port}/healthz"
    return bool(requests.get(address, timeout=30).json() == {"status": "ok"})


def until(holds: Callable[[], bool]) -> None:
    """Wait for something that is about to happen."""
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def closed(client: socket.socket) -> bool:
    """Whether the server has hung up."""
    client.setblocking(False)
    try:
        return client.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def wait_for_the_end(client: socket.socket) -> None:
    until(lambda: closed(client))


def test_a_head_without_end_is_refused(tmp_path: Path) -> None:
    settings = limited(tmp_path)
    with running(settings), connected(settings, b"GET / HTTP/1.1\r\nhost: x\r\nx-long: ") as client:
        answer = b""
        try:
            for _ in range(40):
                client.sendall(b"a" * 16384)
            answer = client.recv(4096)
        except ConnectionError:
            return  # closed while we still sent
        assert answer == b"" or answer.startswith(b"HTTP/1.1 4")


@pytest.mark.parametrize("source", [HERE, ELSEWHERE])
@pytest.mark.parametrize("sent", [HALF_A_HEAD, HALF_A_BODY, b""])
def test_requests_that_are_never_finished_keep_nobody_out(
    tmp_path: Path, source: str, sent: bytes
) -> None:
    settings = limited(tmp_path, most=8)
    with running(settings) as server, half_sent(settings, 40, source, sent) as clients:
        assert answers(settings)
        assert len(server.server_state.connections) <= 9
        assert closed(clients[0]), "the one that has waited for longest makes room"
        assert not closed(clients[-1])


def test_all_addresses_together_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WebSettings, "most_connections", 40)
    settings = limited(tmp_path, most=8)
    with ExitStack() as held:
        server = held.enter_context(running(settings))
        for last in range(2, 10):
            held.enter_context(half_sent(settings, 8, f"127.0.0.{last}"))
        assert answers(settings)
        assert len(server.server_state.connections) <= 41


def test_whoever_does_not_finish_a_request_is_cut_off(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = limited(tmp_path, seconds=1.0)
    with running(settings):
        for sent in (HALF_A_HEAD, HALF_A_BODY, b""):
            with connected(settings, sent) as client:
                wait_for_the_end(client)
        with connected(settings, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") as client:
            assert client.recv(1000).startswith(b"HTTP/1.1 200")
            client.sendall(HALF_A_HEAD)
            wait_for_the_end(client)
    assert caplog.text == "", "nothing of that is a fault of ours"


def test_whoever_takes_nothing_of_an_answer_is_cut_off(tmp_path: Path) -> None:
    settings = limited(tmp_path, seconds=1.0)
    with running(settings) as server:
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        client.settimeout(30)
        with client:
            client.connect((HERE, settings.port))
            vega = b"GET /static/vendor/vega.min.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
            client.sendall(vega * 12)
            until(lambda: bool(server.server_state.connections))
            until(lambda: not server.server_state.connections)


PLAYING = (
    f"GET {home('chat', 'p1')}/play/socket HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    f"Cookie: {COOKIE}={secret('p1')}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
).encode()
"""Opens the WebSocket of somebody who plays in a study of `lay_out`."""


def test_a_socket_outlives_the_time_of_a_request(tmp_path: Path) -> None:
    settings = limited(tmp_path, seconds=1.0)
    lay_out(settings.store, limit=1)
    with running(settings), connected(settings, PLAYING) as plays:
        assert plays.recv(1000).startswith(b"HTTP/1.1 101")
        with connected(settings, HALF_A_HEAD) as slow:
            assert slow.recv(1000) == b""  # a second has passed
        assert not closed(plays)


def test_where_nothing_can_make_room_the_new_one_is_told(tmp_path: Path) -> None:
    settings = limited(tmp_path, most=1)
    lay_out(settings.store, limit=1)
    with running(settings), connected(settings, PLAYING) as plays:
        assert plays.recv(1000).startswith(b"HTTP/1.1 101")
        with connected(settings, b"") as refused:
            assert refused.recv(1000).startswith(b"HTTP/1.1 503")
        assert not closed(plays)


def test_behind_a_proxy_its_clients_are_counted(tmp_path: Path) -> None:
    settings = WebSettings(
        tmp_path / "store.db",
        port=free_port(),
        admin_token=TOKEN,
        trusted_proxies=(HERE,),
        connections_per_address=8,
    )

    def sent(client: str) -> bytes:
        forwarded = f"\r\nX-Forwarded-For: {client}\r\nContent-Type"
        return HALF_A_BODY.replace(b"\r\nContent-Type", forwarded.encode())

    def status(client: str) -> int:
        address = f"http://{HERE}:{settings.port}/healthz"
        headers = {"X-Forwarded-For": client}
        return requests.get(address, headers=headers, timeout=30).status_code

    with running(settings), half_sent(settings, 20, sent=sent("198.51.100.1")) as clients:
        until(lambda: status("198.51.100.1") == 503)
        assert status("198.51.100.2") == 200
        assert not closed(clients[0]), "the proxy itself has as many as it likes"


def test_under_a_flood_the_app_answers_and_its_log_stays_short(tmp_path: Path) -> None:
    settings = limited(tmp_path)
    command = [sys.executable, "-m", "sociolab", "web", "--no-token", "--port", str(settings.port)]
    command += ["--store", str(settings.store)]
    log = tmp_path / "log"
    with log.open("wb") as err:
        server = subprocess.Popen(
            command,
            stderr=err,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128)),
        )
    try:
        until(lambda: b"Ctrl-C" in log.read_bytes() or server.poll() is not None)
        with half_sent(settings, 100), half_sent(settings, 80, sent=b"no HTTP\r\n\r\n"):
            assert answers(settings)
    finally:
        server.terminate()
        server.wait(30)
    assert log.stat().st_size < 3000, log.read_text()[:2000]
