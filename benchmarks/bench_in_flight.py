"""Calls in flight that adapt, beside small fixed numbers of them, at a server of few slots.

    python benchmarks/bench_in_flight.py --model NAME --base-url URL [--episodes 16] [--rounds 1]

The same short SOTOPIA plan is played with `--in-flight 64` and with 1, 2 and 4, in turn, each in a
store of its own; printed are tokens written a second and the episodes that failed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

CEILINGS = (64, 1, 2, 4)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--episodes", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=1)
    args = parser.parse_args()
    rates: dict[int, list[float]] = {ceiling: [] for ceiling in CEILINGS}
    for number in range(args.rounds):
        for ceiling in CEILINGS:
            result = play(args, ceiling, number)
            rate = result["tokens"]["completion"] / result["seconds"]
            rates[ceiling].append(rate)
            print(
                f"in flight {ceiling}: {result['played']} of {result['trials']} episodes, "
                f"{result['failed']} failed, {result['calls']} calls, {result['seconds']:.0f} s, "
                f"{rate:.1f} tokens written a second",
                flush=True,
            )
    best = max(sum(rates[ceiling]) for ceiling in CEILINGS[1:])
    print(f"adaptive over the best fixed: {sum(rates[64]) / best:.2f}")


def play(args: argparse.Namespace, ceiling: int, number: int) -> dict[str, Any]:
    spec = f"openai/{args.model}"
    with tempfile.TemporaryDirectory() as folder:
        words = ["run", "sotopia", "--agent", spec, "--judge", "none", "--base-url", args.base_url]
        words += ["--limit", str(args.episodes), "--in-flight", str(ceiling), "--seed", str(number)]
        words += ["--store", str(Path(folder) / "s.db"), "--json"]
        command = [sys.executable, "-m", "sociolab", *words]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    document: dict[str, Any] = json.loads(done.stdout)
    return document


if __name__ == "__main__":
    main()
