"""Many calls at once against a local server with few slots, beside the best small fixed number.

    python benchmarks/bench_in_flight.py --base-url http://127.0.0.1:8080/v1 --model NAME

Plays the same plan of short SOTOPIA episodes without a judge, a run for each ceiling of calls in
flight, in turns, forwards and backwards, after a run that only warms the server's cache of prompts.
There are as many episodes as the highest ceiling, since an episode makes one call at a time. At
temperature 0 the runs ask nearly the same; where replies differ all the same, tokens written per
second is the fairer figure. Lost trials are those that were not played to their end.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parent.parent / "src"


def played(folder: Path, name: str, options: argparse.Namespace, in_flight: int) -> Any:
    """The result of a run with this ceiling."""
    words = (
        "run", "sotopia", "--agent", f"openai/{options.model}?temperature=0",
        "--base-url", options.base_url, "--judge", "none",
        "--limit", str(options.episodes), "--set", f"turns={options.turns}",
        "--set", "closing_question=false", "--in-flight", str(in_flight),
        "--name", name, "--store", "bench.db", "--json",
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "sociolab", *words],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(SOURCE)}, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode not in (0, 1):  # 1: trials failed, which is counted
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def report(results: dict[int, list[Any]]) -> None:
    rates: dict[int, float] = {}
    print("in flight  seconds  calls  calls/s  tokens/s  asked again  failed requests  lost  why")
    for in_flight, runs in results.items():
        seconds = sum(run["seconds"] for run in runs)
        calls = sum(run["calls"] for run in runs)
        written = sum(run["tokens"]["completion"] for run in runs)
        again = sum(run["failures"]["replies_asked_again"] for run in runs)
        failed = sum(run["failed_attempts"]["count"] for run in runs)
        lost = sum(run["trials"] - run["played"] for run in runs)
        why = sum((Counter(run["failures"]["trials"]) for run in runs), Counter[str]())
        rates[in_flight] = written / seconds
        print(
            f"{in_flight:>9}  {seconds:>7.1f}  {calls:>5}  {calls / seconds:>7.2f}  "
            f"{rates[in_flight]:>8.1f}  {again:>11}  {failed:>15}  {lost:>4}  {dict(why) or ''}",
            flush=True,
        )
    highest = max(rates)
    best = max((ceiling for ceiling in rates if ceiling != highest), key=rates.__getitem__)
    share = rates[highest] / rates[best]
    print(f"{highest} in flight: {share:.0%} of the tokens per second of the best, {best}")


def main(words: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--in-flight", default="64,1,2,4", help="ceilings (default: %(default)s)")
    parser.add_argument("--episodes", type=int, default=64)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args(words)
    ceilings = [int(number) for number in options.in_flight.split(",")]
    results: dict[int, list[Any]] = {ceiling: [] for ceiling in ceilings}
    with tempfile.TemporaryDirectory() as folder:
        played(Path(folder), "warm", options, 2)
        for number in range(options.rounds):
            for ceiling in ceilings if number % 2 == 0 else ceilings[::-1]:
                name = f"{ceiling}-round-{number}"
                results[ceiling].append(played(Path(folder), name, options, ceiling))
                print(f"{name}: {results[ceiling][-1]['seconds']:.1f} s", flush=True)
    report(results)


if __name__ == "__main__":
    main(sys.argv[1:])
