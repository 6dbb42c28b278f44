"""Serve the app of a store on 127.0.0.1, in a thread, for as long as a test needs it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from sociolab.web import WebSettings, create_server

TOKEN = "a-token-that-only-tests-know"


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def served(store: Path, *, token: str | None = None, port: int = 0) -> Iterator[str]:
    """The address at which the app of this store answers."""
    settings = WebSettings(store, port=port or free_port(), admin_token=token)
    with running(settings):
        yield settings.address


@contextmanager
def running(settings: WebSettings) -> Iterator[uvicorn.Server]:
    """A server with these settings, which is up when this returns and down afterwards."""
    server = create_server(settings)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started:
        assert thread.is_alive(), "the server ended before it was up"
        assert time.monotonic() < deadline, "the server is not up after 20 s"
        time.sleep(0.01)
    try:
        yield server
    finally:
        server.should_exit = True
        thread.join(20)
        assert not thread.is_alive(), "the server does not end"
