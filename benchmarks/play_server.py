"""The web app over a store, for `bench_web_play.py`: serves until its input is closed.

    python benchmarks/play_server.py STORE PORT

Prints one line when it is up, and at the end its memory in MB and its CPU seconds.
"""

from __future__ import annotations

import asyncio
import resource
import socket
import sys
from pathlib import Path

import uvicorn

from sociolab.web.server import create_app
from sociolab.web.settings import WebSettings


async def serve(settings: WebSettings) -> None:
    config = uvicorn.Config(create_app(settings), port=settings.port, log_level="warning",
                            access_log=False, ws_max_size=64 * 1024)  # fmt: skip
    server = _Announced(config)
    serving = asyncio.create_task(server.serve())
    await asyncio.to_thread(sys.stdin.read)
    server.should_exit = True
    await serving


class _Announced(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        print("up", flush=True)


if __name__ == "__main__":
    # All people come from one address here, as they do in no study.
    settings = WebSettings(Path(sys.argv[1]), port=int(sys.argv[2]), connections_per_address=5000)
    asyncio.run(serve(settings))
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(f"{used.ru_maxrss / 1024:.0f} {used.ru_utime + used.ru_stime:.1f}", flush=True)
