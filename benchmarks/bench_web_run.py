"""The pages of a run of 10,000 episodes: when first asked for, and again.

    .venv/bin/python benchmarks/bench_web_run.py [--store FILE --run NAME]

Without a store one is filled: SOTOPIA, 400 tasks, 25 repeats, played by rules, which takes minutes.
The server runs in a process of its own, a fresh one for each of three rounds; CPU seconds are this
process's, user and system together, between asking and the end of the answer. A page that says that
it works figures out asks for them at once, as its script would.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from web_serving import free_port

ROUNDS = 3
PAGES = ("page", "figures", "page again", "report", "episodes", "episodes again")


def main() -> None:
    """Measure, and print medians."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--store", type=Path)
    parser.add_argument("--run", default="big")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = asked.store or _filled(Path(folder) / "big.db", asked.run)
        rounds = [_round(store, asked.run) for _ in range(ROUNDS)]
    print(f"{'':16}{'wall s':>8}{'CPU s':>8}{'KB':>8}")
    for name in PAGES:
        wall, cpu, size = (statistics.median(one[name][i] for one in rounds) for i in range(3))
        print(f"{name:16}{wall:8.2f}{cpu:8.2f}{size / 1000:8.0f}")


def _filled(store: Path, run: str) -> Path:
    command = (
        f"sociolab run sotopia --agent scripted --limit 400 --repeats 25 --name {run} "
        f"--store {store}"
    ).split()
    subprocess.run([str(Path(sys.executable).parent / command[0]), *command[1:]], check=True)
    return store


def _round(store: Path, run: str) -> dict[str, tuple[float, float, int]]:
    with _served(store) as (address, process):
        home = f"{address}/runs/{run}"
        addresses = (
            home,
            f"{home}/figures",
            home,
            f"{home}/report.html",
            f"{home}/episodes",
            f"{home}/episodes?order=lowest",
        )
        _ask(f"{address}/studies", process)  # what every first page of a server takes is no part
        return {name: _ask(one, process) for name, one in zip(PAGES, addresses, strict=True)}


def _ask(address: str, process: int) -> tuple[float, float, int]:
    used, began = _cpu(process), time.perf_counter()
    with urllib.request.urlopen(address, timeout=300) as answer:
        size = len(answer.read())
    return time.perf_counter() - began, _cpu(process) - used, size


def _cpu(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


@contextmanager
def _served(store: Path) -> Iterator[tuple[str, int]]:
    port = free_port()
    command = [str(Path(sys.executable).parent / "sociolab"), "web", "--port", str(port)]
    server = subprocess.Popen([*command, "--store", str(store)], stderr=subprocess.PIPE, text=True)
    address = f"http://127.0.0.1:{port}"
    try:
        while True:
            try:
                urllib.request.urlopen(f"{address}/login", timeout=5).close()
                break
            except OSError:
                if server.poll() is not None:
                    raise
                time.sleep(0.1)
        yield address, server.pid
    finally:
        server.terminate()
        server.wait(20)


if __name__ == "__main__":
    main()
