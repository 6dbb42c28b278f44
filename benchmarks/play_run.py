"""Play one run in this process, for the benchmarks, and print what it cost as JSON.

    python benchmarks/play_run.py '{"agents": ["openai/x"], ...}'

The argument is a `RunConfig`. CPU seconds are user and system time of this process, all its
threads: `play` from the first call to the last verdict, `run` with plan and result too, `process`
with the start of Python and all imports.
"""

from __future__ import annotations

import json
import resource
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sociolab.app.run.config import RunConfig
from sociolab.app.run.play import run
from sociolab.cli.main import collect_rarely
from sociolab.runner.progress import Tally

SAMPLE_EVERY = 200
"""Finished episodes between two looks at the memory."""


class Meter:
    """Watches a run: CPU and wall time of its playing, memory as episodes finish."""

    def __init__(self) -> None:
        self.cpu = 0.0
        self.wall = 0.0
        self.memory: dict[int, float] = {}

    @contextmanager
    def watch(self, _name: str, tally: Tally) -> Iterator[None]:
        done = threading.Event()
        looking = threading.Thread(target=self._look, args=(tally, done))
        looking.start()
        self.cpu, self.wall = cpu_seconds(), time.perf_counter()
        try:
            yield
        finally:
            self.cpu = cpu_seconds() - self.cpu
            self.wall = time.perf_counter() - self.wall
            done.set()
            looking.join()

    def _look(self, tally: Tally, done: threading.Event) -> None:
        while not done.wait(0.05):
            finished = tally.done // SAMPLE_EVERY * SAMPLE_EVERY
            if finished and finished not in self.memory:
                self.memory[finished] = resident_mb()


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def main() -> None:
    collect_rarely()  # as the command does
    config = RunConfig.model_validate_json(sys.argv[1])
    meter = Meter()
    before = cpu_seconds()
    result = run(config, meter.watch).result
    after = cpu_seconds()
    figures = {
        "trials": result.trials,
        "played": result.played,
        "failed": result.failed,
        "calls": result.calls,
        "wall": meter.wall,
        "cpu_play": meter.cpu,
        "cpu_run": after - before,
        "cpu_process": after,
        "memory": meter.memory,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
