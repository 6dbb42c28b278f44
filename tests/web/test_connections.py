"""What a request may send before its body."""

from __future__ import annotations

import socket
from pathlib import Path

import web_serving
from sociolab.store.sqlite import Store
from sociolab.web.settings import WebSettings


def test_a_head_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    Store.open(path).close()
    settings = WebSettings(path, port=web_serving.free_port())
    with (
        web_serving.running(settings),
        socket.create_connection((settings.host, settings.port), timeout=10) as client,
    ):
        client.sendall(b"GET / HTTP/1.1\r\nhost: x\r\nx-long: ")
        answer = b""
        try:
            for _ in range(40):
                client.sendall(b"a" * 16384)
            answer = client.recv(4096)
        except ConnectionError:
            return  # closed while we still sent
        assert answer == b"" or answer.startswith(b"HTTP/1.1 4")
