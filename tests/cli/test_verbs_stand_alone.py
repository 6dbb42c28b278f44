"""What a verb needs it imports itself: commands of these tests start with everything imported."""

from __future__ import annotations

import gc
import importlib
import os
import pkgutil
import subprocess
import sys

import sociolab.cli

ELSEWHERE = (
    *("aiohttp", "asyncio", "fastapi", "jinja2", "numpy", "pydantic", "rich.live", "rich.table"),
    *("typer", "uvicorn", "sociolab.engine.episode_loop", "sociolab.models.chat"),
    *("sociolab.stats.intervals", "sociolab.store.store"),
)
"""Imported once for all: what knows nothing of what stands above it. All else each of the files
below imports by itself."""


def alone(name: str) -> int:
    """Import a file of the command line in a process of its own; the exit code."""
    child = os.fork()
    if child == 0:
        importlib.import_module(f"sociolab.cli.{name}")
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_every_file_of_the_command_line_can_be_imported_first() -> None:
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


if __name__ == "__main__":
    gc.disable()  # looking through all of it would take each child as long as what it imports
    for other in ELSEWHERE:
        importlib.import_module(other)
    for found in pkgutil.iter_modules(sociolab.cli.__path__):
        if alone(found.name) != 0:
            print(found.name)
