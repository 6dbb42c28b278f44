"""AntEval: scripted sessions on one core, and the CPU of a model call, beside SOTOPIA's.

    .venv/bin/python benchmarks/bench_anteval.py

Prints figures beside their targets; the exit code is 1 if one is missed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from bench_sotopia import Report, plain_endpoint, play

from sociolab.models.endpoint.running import start_in_process

SESSIONS = 600


def offline(report: Report) -> None:
    """Sessions of 30 turns with scripted players, judged by the record, on one core."""
    print(f"{SESSIONS} scripted sessions of 30 turns, one core: draw, play, judge, store, report")
    for world in ("anteval-information", "anteval-intention"):
        with tempfile.TemporaryDirectory() as folder:
            found = play(
                Path(folder),
                "http://127.0.0.1:9/v1",
                world=world,
                agents=["scripted"],
                judges=[],
                settings={"sessions": str(SESSIONS)},
            )
        assert found["played"] == SESSIONS, found
        report.most(f"{world}: CPU, the whole process", found["cpu_process"], 60, "s", 1)
        report.say(f"{world}: playing and judging alone", f"{found['cpu_play']:.1f} s")
        report.say(f"{world}: peak memory", f"{found['peak_mb']:.0f} MB")


def calls(report: Report) -> None:
    """A model in every seat and as judge, beside SOTOPIA on the same endpoint."""
    print("CPU a model call, 64 in flight: 100 sessions of each world, and 200 of SOTOPIA's tasks")
    runs: dict[str, dict[str, Any]] = {
        "sotopia": {"limit": 200},
        "anteval-information": {"settings": {"sessions": "100"}},
        "anteval-intention": {"settings": {"sessions": "100"}},
    }
    with tempfile.TemporaryDirectory() as folder, start_in_process(plain_endpoint()) as endpoint:
        for world, more in runs.items():
            found = play(Path(folder), endpoint.url, world=world, name=world, in_flight=64, **more)
            cpu = found["cpu_play"] / found["calls"] * 1e3
            report.say(f"{world}: CPU a call, {found['calls']:,} calls", f"{cpu:.3f} ms")


def main() -> None:
    """Both parts."""
    report = Report()
    offline(report)
    calls(report)
    for what in report.missed:
        print(f"missed: {what}")
    sys.exit(1 if report.missed else 0)


if __name__ == "__main__":
    main()
