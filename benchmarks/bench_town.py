"""The town with the scripted mind: days, a large town, all 30 tasks; no model, one core.

    .venv/bin/python benchmarks/bench_town.py

Prints figures beside their targets; the exit code is 1 if one is missed. The figures of the
reference stand beside ours: 12 agents, 10 s steps, answers stubbed, on a machine like this one.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench_sotopia import Report, play

from sociolab.town.map_file import own_map
from sociolab.town.paths import Paths

HERE = Path(__file__).parent


def lived(residents: int, days: int = 1, order: str = "lock-step") -> dict[str, Any]:
    """A town lived in a process of its own, and what it cost."""
    command = [sys.executable, str(HERE / "town_day.py"), str(residents), str(days), order]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def days(report: Report) -> None:
    """A day of 12, 25 and 1,000 residents."""
    print("A day with the scripted mind (reference, 12 agents: 77 s, 112 steps/s, 239 to 319 MB)")
    for count, seconds, megabytes in ((12, 1.0, 150), (25, 3.0, None), (1000, 120.0, 2048)):
        found = lived(count)
        report.most(f"{count:,} residents, a day: wall", found["wall"], seconds, "s")
        report.say(f"{count:,} residents: steps a second", f"{found['steps'] / found['wall']:,.0f}")
        report.say(f"{count:,} residents: answers", f"{found['answers']:,}")
        if megabytes is None:
            report.say(f"{count:,} residents: peak memory", f"{found['peak_mb']:.0f} MB")
        else:
            report.most(f"{count:,} residents: peak memory", found["peak_mb"], megabytes, "MB", 0)
    found = lived(12)
    report.most("12 residents: a day's trace, compressed", found["trace_kb"], 1024, "KB", 0)
    found = lived(25, order="ahead")
    report.say("25 residents, each as far ahead as it may go: wall", f"{found['wall']:.2f} s")


def tasks(report: Report) -> None:
    """All 30 tasks as `sociolab run stss` plays them."""
    print("All 30 tasks, two days each, 11 to 13 residents: play, score, store, report")
    for order in ("lock-step", "ahead"):
        with tempfile.TemporaryDirectory() as folder:
            found = play(
                Path(folder),
                "http://127.0.0.1:9/v1",
                world="stss",
                agents=["scripted"],
                judges=[],
                seed=1,
                settings={"order": order},
            )
        assert found["played"] == 30, found
        report.most(f"{order}: CPU, the whole process", found["cpu_process"], 90, "s", 1)
        report.say(f"{order}: peak memory", f"{found['peak_mb']:.0f} MB")


def paths(report: Report) -> None:
    """A first path, and one from another tile nearby."""
    town = own_map()
    tiles = [town.tiles(place)[0] for place in town.places]
    ways = Paths(town.walkable, town.arena)
    pairs = [(start, goal) for goal in tiles for start in tiles[:8]]
    first = time.perf_counter()
    for goal in tiles:
        ways.path(tiles[0], goal)
    first = time.perf_counter() - first
    again = time.perf_counter()
    for start, goal in pairs:
        ways.path(start, goal)
    again = time.perf_counter() - again
    report.say("a first path to a tile", f"{first / len(tiles) * 1e3:.2f} ms")
    report.say("a path from another place", f"{again / len(pairs) * 1e3:.3f} ms")


def main() -> None:
    """All parts."""
    report = Report()
    days(report)
    tasks(report)
    paths(report)
    if report.missed:
        print(f"missed: {', '.join(report.missed)}")
        sys.exit(1)


if __name__ == "__main__":
    main()
