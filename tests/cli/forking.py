"""A process that has imported what the commands need, and forks for each command.

A command runs as ever in a process of its own, with its own folder, environment, streams and exit
code, but without a second of imports; all that come from one such process share its hash seed.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

SECONDS = 120
"""What a command may take."""
LATE = (
    "aiohttp", "charset_normalizer", "encodings.unicode_escape", "encodings.utf_8_sig", "numpy",
    "pytest", "rich.live", "rich.rule", "rich.table", "scipy.optimize", "scipy.special",
    "scipy.stats", "sklearn.linear_model", "sklearn.preprocessing", "sqlite3", "typer.core",
)  # fmt: skip
"""What commands and the agents of tests import when they come to it, besides the project."""


class Forks:
    """The process, and the way to give it orders."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
            )
        self._socket = ours
        self._answers = ours.makefile()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        """Let the process end, which it does when nobody is left to give orders."""
        self._answers.close()
        self._socket.close()
        self._process.wait()

    def run(
        self, args: Sequence[str], folder: Path, environment: Mapping[str, str], streams: Path
    ) -> int:
        """The exit code of a command, or minus the signal that ended it; its streams are the files
        `in`, `out` and `err` of a folder."""
        order = [args, str(folder), dict(environment), str(streams)]
        self._socket.sendall(json.dumps(order).encode() + b"\n")
        answer = self._answers.readline()
        assert answer, "the process that forks for commands has ended"
        return int(answer)


def serve(number: int) -> None:
    """Fork for each order that comes through a socket; returns in the child, and at the end."""
    imported()
    with socket.socket(fileno=number) as orders, orders.makefile() as lines:
        for line in lines:
            child = os.fork()
            if child == 0:
                lines.close()
                orders.close()
                become(*json.loads(line))
                return
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            orders.sendall(f"{code}\n".encode())
    sys.exit()


def imported() -> None:
    """Import what commands need, for good: no command looks through all of it for cycles. What
    needs an extra that is not installed is left to the command, which then says so."""
    gc.disable()
    package = importlib.import_module("sociolab")
    from sociolab.core import ConfigError

    names = (module.name for module in pkgutil.walk_packages(package.__path__, "sociolab."))
    for name in (*LATE, *(name for name in names if not name.endswith("__main__"))):
        with suppress(ConfigError, ModuleNotFoundError):
            importlib.import_module(name)
    gc.freeze()
    gc.enable()


def become(args: Sequence[str], folder: str, environment: Mapping[str, str], streams: str) -> None:
    """Make this process one that was started in a folder with an environment and arguments."""
    signal.alarm(SECONDS)
    modes = {"in": os.O_RDONLY, "out": os.O_WRONLY | os.O_CREAT, "err": os.O_WRONLY | os.O_CREAT}
    for number, (name, mode) in enumerate(modes.items()):
        opened = os.open(os.path.join(streams, name), mode)
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[0] = folder
    sys.argv = ["sociolab", *args]


def command() -> None:
    """Run the command and end as Python does, but without taking apart all that was imported,
    which takes longer than most commands."""
    try:
        importlib.import_module("sociolab.cli.main").main()
    except SystemExit as ended:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        gc.collect()
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except OSError:
                raise ended from None
        os._exit(int(ended.code or 0))


if __name__ == "__main__":
    serve(int(sys.argv[1]))
    command()
