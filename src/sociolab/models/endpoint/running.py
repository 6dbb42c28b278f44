"""Starting and stopping the endpoint: in this loop, in a thread, in a process, or for good."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

from aiohttp import web

import sociolab
from sociolab.core.errors import ConfigError
from sociolab.models.endpoint.counters import Counters
from sociolab.models.endpoint.server import Endpoint
from sociolab.models.endpoint.settings import EndpointSettings, settings_as_json

LOOPBACK = "127.0.0.1"
_GRACE_SECONDS = 0.05  # for replies that are being written when it is stopped
_PATIENCE_SECONDS = 30.0


@asynccontextmanager
async def serve(
    settings: EndpointSettings, host: str = LOOPBACK, port: int = 0
) -> AsyncIterator[Endpoint]:
    """An endpoint in the running loop; port 0 takes any. ConfigError if it cannot listen."""
    endpoint = Endpoint(settings)
    # Without cancellation a request that hangs would outlive its client.
    server = web.Server(endpoint.handle, access_log=None, handler_cancellation=True)
    runner = web.ServerRunner(server, shutdown_timeout=_GRACE_SECONDS)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port, backlog=2048).start()
        except (OSError, OverflowError) as error:
            raise ConfigError(
                f"The endpoint cannot listen on {host} port {port} ({error}): free the port, or "
                "use port 0 for any."
            ) from error
        bound = runner.addresses[0][1]
        endpoint.url = f"http://{f'[{host}]' if ':' in host else host}:{bound}/v1"
        yield endpoint
    finally:
        await runner.cleanup()


def run_forever(
    settings: EndpointSettings,
    host: str = LOOPBACK,
    port: int = 0,
    announce: Callable[[str], None] = print,
) -> Counters:
    """Serve until Ctrl-C and return the counts; `announce` is told the URL when it listens."""
    return _run(settings, host, port, announce, _never)


def run_until_stdin_closes(settings: EndpointSettings, announce: Callable[[str], None]) -> Counters:
    """Serve on any port until whoever started this process closes its input, or is gone."""
    return _run(settings, LOOPBACK, 0, announce, _stdin_closed)


def _run(
    settings: EndpointSettings,
    host: str,
    port: int,
    announce: Callable[[str], None],
    until: Callable[[], Awaitable[None]],
) -> Counters:
    endpoint: Endpoint | None = None

    async def main() -> None:
        nonlocal endpoint
        async with serve(settings, host, port) as endpoint:
            announce(endpoint.url)
            await until()

    with suppress(KeyboardInterrupt):
        asyncio.run(main())
    return Counters() if endpoint is None else endpoint.counters


async def _never() -> None:
    await asyncio.Event().wait()


async def _stdin_closed() -> None:
    loop = asyncio.get_running_loop()
    closed = asyncio.Event()

    def watch() -> None:
        # os.read takes no lock that the interpreter would wait for when it exits.
        while os.read(0, 1024):
            pass
        with suppress(RuntimeError):  # the loop may be closed already
            loop.call_soon_threadsafe(closed.set)

    threading.Thread(target=watch, daemon=True).start()
    await closed.wait()


@contextmanager
def start_in_thread(settings: EndpointSettings, port: int = 0) -> Iterator[Endpoint]:
    """An endpoint in a thread of its own, for code without a loop; stopped at the end.

    Port 0 takes any. ConfigError if it cannot listen.
    """
    ready: Future[tuple[Endpoint, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def main() -> None:
        stop = asyncio.Event()
        async with serve(settings, port=port) as endpoint:
            ready.set_result((endpoint, asyncio.get_running_loop(), stop))
            await stop.wait()

    with ThreadPoolExecutor(1, thread_name_prefix="endpoint") as executor:
        serving = executor.submit(lambda: asyncio.run(main()))
        either: tuple[Future[Any], ...] = (ready, serving)
        wait(either, return_when=FIRST_COMPLETED)
        if serving.done():
            serving.result()  # raises what kept it from starting
        endpoint, loop, stop = ready.result()
        try:
            yield endpoint
        finally:
            loop.call_soon_threadsafe(stop.set)


class EndpointProcess:
    """An endpoint in a process of its own, seen from outside."""

    def __init__(self, url: str, pid: int) -> None:
        self.url = url
        self.pid = pid

    @property
    def counters(self) -> Counters:
        """The counts as of now, asked for over HTTP; blocks until they are there."""
        return self._ask("GET", "/counters")

    def reset(self) -> None:
        """As `Endpoint.reset`; blocks until it is done."""
        self._ask("POST", "/counters/reset")

    def _ask(self, method: str, path: str) -> Counters:
        request = urllib.request.Request(self.url + path, method=method)
        # Proxies of the environment are for addresses beyond this machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=_PATIENCE_SECONDS) as response:
            return Counters.from_json(json.loads(response.read()))


@contextmanager
def start_in_process(settings: EndpointSettings) -> Iterator[EndpointProcess]:
    """An endpoint in a child process, so that its CPU time is not that of its clients.

    It stops at the end, or when this process is gone. ConfigError if it does not start, or if
    the settings hold a responder.
    """
    source = str(Path(sociolab.__path__[0]).parent)
    paths = [source, *filter(None, [os.environ.get("PYTHONPATH")])]
    command = [sys.executable, "-m", "sociolab.models.endpoint"]
    child = subprocess.Popen(
        [*command, "--json-settings", settings_as_json(settings)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        text=True,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        url = child.stdout.readline().strip()
        if not url:
            raise ConfigError("The endpoint's process did not start: see its error output.")
        yield EndpointProcess(url, child.pid)
    finally:
        child.stdin.close()
        child.wait()
        child.stdout.close()
