"""What an arena costs: CPU to begin an episode and to take a step, and episodes an hour.

    .venv/bin/python benchmarks/bench_arena.py

Each figure is the median of five rounds, of CPU and not of wall time, with its ratio to that of a
loop of 10,000 additions, since CPU times differ by the machine and its load. The exit code is
1 if beginning an episode costs more than a millisecond and more than three such loops.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from statistics import median

from sociolab import Arena, ArenaConfig
from sociolab.training import ArenaSession

ROUNDS, SESSIONS, LOOPS = 5, 300, 200
OFFER = {"action": "speak", "text": "What about $220?"}


def add() -> int:
    total = 0
    for number in range(10_000):
        total += number
    return total


def cpu_ms(what: Callable[[], int]) -> float:
    """Milliseconds of CPU, in all threads, for each of the things that `what` counts."""
    began = time.process_time()
    done = what()
    return 1000 * (time.process_time() - began) / done


def main() -> None:
    """Print a line per figure."""
    config = ArenaConfig(settings={"closing_question": "false"})
    figures: dict[str, list[float]] = {"loop": [], "begin": [], "step": []}
    episodes = []
    with Arena("sotopia", tasks="bargain", partner="haggler:3", config=config) as arena:
        arena.begin()
        for _ in range(ROUNDS):
            sessions: list[ArenaSession] = []

            def begin(opened: list[ArenaSession] = sessions) -> int:
                opened += [arena.begin() for _ in range(SESSIONS)]
                return SESSIONS

            def play(opened: list[ArenaSession] = sessions) -> int:
                steps = 0
                while playing := [session for session in opened if not session.done]:
                    for session in playing:
                        session.step(OFFER)
                    steps += len(playing)
                return steps

            figures["loop"].append(cpu_ms(lambda: sum(bool(add()) for _ in range(LOOPS))))
            began = time.process_time()
            figures["begin"].append(cpu_ms(begin))
            figures["step"].append(cpu_ms(play))
            episodes.append(3600 * SESSIONS / (time.process_time() - began))
    loop = median(figures["loop"])
    for name in ("begin", "step"):
        cost = median(figures[name])
        print(f"{name}: {cost:.2f} ms of CPU, {cost / loop:.1f} loops of 10,000 additions")
    print(f"{median(episodes):,.0f} episodes an hour of CPU, {SESSIONS} at once")
    print(f"a loop: {loop:.2f} ms; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    cost = median(figures["begin"])
    sys.exit(cost > 1 and cost / loop > 3)


if __name__ == "__main__":
    main()
