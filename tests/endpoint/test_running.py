"""Starting and stopping the local endpoint in all the ways there are."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import pytest

import sociolab
from sociolab.core import ConfigError
from sociolab.endpoint import Counters, EndpointSettings, serve, start_in_process, start_in_thread

SOURCE = str(Path(sociolab.__path__[0]).parent)


def say_hello(url: str) -> str:
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hello"}]}).encode()
    with urllib.request.urlopen(url + "/chat/completions", body, timeout=30) as response:
        return str(json.load(response)["choices"][0]["message"]["content"])


def test_endpoint_in_a_thread_answers_and_stops() -> None:
    before = threading.active_count()
    with start_in_thread(EndpointSettings(responder=lambda _: "Hi")) as endpoint:
        assert say_hello(endpoint.url) == "Hi"
        assert endpoint.counters.requests == 1
    assert threading.active_count() == before
    with pytest.raises(OSError, match="refused"):
        say_hello(endpoint.url)


def test_endpoint_in_a_process_answers_counts_and_stops() -> None:
    with start_in_process(EndpointSettings(characters=30)) as endpoint:
        assert endpoint.pid != os.getpid()
        assert 15 <= len(say_hello(endpoint.url)) <= 30
        assert endpoint.counters.by_status == {"200": 1}
        endpoint.reset()
        assert endpoint.counters == Counters()
    with pytest.raises(OSError, match="refused"):
        say_hello(endpoint.url)


def test_process_ends_with_the_one_that_started_it() -> None:
    parent = (
        "import os, sys\n"
        "from sociolab.endpoint.server import start_in_process\n"
        "from sociolab.endpoint.settings import EndpointSettings\n"
        "with start_in_process(EndpointSettings()) as endpoint:\n"
        "    print(endpoint.url, flush=True)\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", parent],
        env=os.environ | {"PYTHONPATH": SOURCE},
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    for _ in range(600):
        try:
            say_hello(done.stdout.strip())
        except OSError:
            return
        time.sleep(0.05)
    pytest.fail("the endpoint's process still answers")


def test_wrong_settings_keep_the_process_from_starting() -> None:
    command = [sys.executable, "-m", "sociolab.endpoint", "--json-settings", "[]"]
    environment = os.environ | {"PYTHONPATH": SOURCE}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("Endpoint settings must be a JSON object")
    assert "Traceback" not in done.stderr


def test_ctrl_c_ends_it_cleanly_with_its_counts() -> None:
    program = (
        "from sociolab.endpoint.server import run_forever\n"
        "from sociolab.endpoint.settings import EndpointSettings\n"
        "counters = run_forever(EndpointSettings(), announce=lambda u: print(u, flush=True))\n"
        "print(counters.requests)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": SOURCE},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        say_hello(child.stdout.readline().strip())
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert (child.returncode, out, err) == (0, "1\n", "")


def test_port_in_use_is_an_error_of_the_user() -> None:
    async def main(port: int) -> None:
        async with serve(EndpointSettings(), port=port):
            pass

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ConfigError, match=r"cannot listen on 127\.0\.0\.1, port"):
            asyncio.run(main(taken.getsockname()[1]))
    with pytest.raises(ConfigError, match="cannot listen"):
        asyncio.run(main(70_000))


def test_failure_to_start_in_a_thread_is_raised(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    settings = EndpointSettings(by_hand=tmp_path / "file")
    with pytest.raises(ConfigError, match="cannot be made"), start_in_thread(settings):
        pass
