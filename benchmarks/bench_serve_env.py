"""Episodes an hour through `sociolab serve-env` by OpenEnv's own client: 32 sessions at once.

    .venv-openenv/bin/python benchmarks/bench_serve_env.py [EPISODES]

Server and client are a process each, one core each. On a machine that does other work, wall time
says nothing, so the CPU time of both is printed too: the slower of the two is the limit.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import time
from collections import Counter

from openenv.core import GenericEnvClient

SESSIONS = 32
TURNS = 5
GOAL = 200_000
"""Episodes an hour."""


async def play(url: str, count: int, outcomes: Counter[tuple[str, int]]) -> None:
    """Bargains of five turns at most, at one price of those in the player's own goal."""
    async with GenericEnvClient(base_url=url) as client:
        for number in range(count):
            result = await client.reset()
            goal = result.observation["messages"][0]["content"].partition("# Your social goal")[2]
            prices = re.findall(r"\$[\d,]*\d", goal)
            for turn in range(20):
                say = {"action": "speak", "text": f"{prices[number % len(prices)]}."}
                leave = {"action": "leave", "text": ""}
                result = await client.step({"reply": leave if turn == TURNS - 1 else say})
                if result.done:
                    break
            worth = result.observation["lower_bound"]
            outcomes[result.observation["status"], round(worth)] += 1


async def play_all(url: str, count: int) -> Counter[tuple[str, int]]:
    outcomes: Counter[tuple[str, int]] = Counter()
    each = count // SESSIONS
    await asyncio.gather(*(play(url, each, outcomes) for _ in range(SESSIONS)))
    return outcomes


def cpu_of(pid: int) -> float:
    """The CPU seconds of a process so far."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 6_400
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "sociolab", "serve-env", "sotopia", "--port", "0"),
            *("--tasks", "bargain", "--partner", "haggler:1", "--split", "scenario:0.3"),
            *("--set", "closing_question=false"),
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr is not None
    try:
        url = server.stderr.readline().split()[0]
        asyncio.run(play_all(url, 2 * SESSIONS))
        before, own = cpu_of(server.pid), time.process_time()
        start = time.perf_counter()
        outcomes = asyncio.run(play_all(url, count))
        wall = time.perf_counter() - start
        served, asked = cpu_of(server.pid) - before, time.process_time() - own
    finally:
        server.terminate()
        server.wait()
    costs = {"server": served, "client": asked}
    played = sum(outcomes.values())
    print(f"{played} episodes in {wall:.1f} s: {played / wall * 3600:,.0f} an hour")
    each = [f"{name} {1000 * cpu / played:.2f} ms" for name, cpu in costs.items()]
    print(f"CPU an episode: {', '.join(each)}")
    possible = played / max(costs.values()) * 3600
    print(f"on two idle cores: {possible:,.0f} an hour ({possible / GOAL:.2f} of the goal)")
    counts = [f"{status} {worth}: {n}" for (status, worth), n in sorted(outcomes.items())]
    print(f"rewards (rounded): {', '.join(counts)}")
    sys.exit(possible < GOAL)


if __name__ == "__main__":
    main()
