"""STSS's conversation tasks: all 325 offline on one core, and the CPU of a model call.

    .venv/bin/python benchmarks/bench_talk.py

Prints figures beside their targets; the exit code is 1 if one is missed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from bench_sotopia import Report, plain_endpoint, play

from sociolab.models.endpoint.running import start_in_process

TASKS = 325


def offline(report: Report) -> None:
    """All tasks with scripted minds, both levels read off their acts, on one core."""
    print(f"{TASKS} scripted conversations, both levels recorded, one core: the whole process")
    for tdp in ("false", "true"):
        with tempfile.TemporaryDirectory() as folder:
            found = play(
                Path(folder),
                "http://127.0.0.1:9/v1",
                world="stss-talk",
                agents=["scripted"],
                judges=["recorded"],
                settings={"tdp": tdp},
            )
        assert found["played"] == TASKS, found
        name = "with TDP" if tdp == "true" else "without TDP"
        report.most(f"{name}: CPU, the whole process", found["cpu_process"], 10, "s", 1)
        report.say(f"{name}: playing and judging alone", f"{found['cpu_play']:.1f} s")
        report.say(f"{name}: peak memory", f"{found['peak_mb']:.0f} MB")


def calls(report: Report) -> None:
    """A model in both seats and as judge, beside SOTOPIA on the same endpoint."""
    print("CPU a model call, 64 in flight: all conversations, and 200 of SOTOPIA's tasks")
    with tempfile.TemporaryDirectory() as folder, start_in_process(plain_endpoint()) as endpoint:
        cpu = {}
        runs: dict[str, dict[str, Any]] = {
            "sotopia": {"limit": 200},
            "stss-talk": {"settings": {"tdp": "true"}},
        }
        for world, more in runs.items():
            found = play(Path(folder), endpoint.url, world=world, name=world, in_flight=64, **more)
            cpu[world] = found["cpu_play"] / found["calls"] * 1e3
            report.say(f"{world}: calls", f"{found['calls']:,}")
        report.say("sotopia: CPU a call", f"{cpu['sotopia']:.3f} ms")
        report.most("stss-talk: CPU a call", cpu["stss-talk"], 0.45, "ms", 3)


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
