"""People who play at once in the web app: how long the server takes for a turn, and what is lost.

    python benchmarks/bench_web_play.py [--people 200] [--turns 20] [--thinking 10] [--arriving 20]

The server is a process of its own, and so are the clients, all on this machine and its cores. Half
of the people play against scripted partners, half in pairs. They arrive within `arriving` seconds.
Each keeps a socket open, fetches the state when it says that something changed, and sends a turn
`thinking` seconds (uniform, from a quarter to seven quarters of it) after being asked; real people
take far longer. Times are from asking to having the whole answer, as a client sees them.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any

import aiohttp

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from play_clients import Client, answer_to, lay_out, over, say
from sociolab.core.episode import Moved
from sociolab.store.store import Store
from web_serving import free_port


@dataclass
class Measured:
    """Seconds of each kind of request, and the turns that the server said it has."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {"act": [], "state": []})
    taken: set[tuple[int, str]] = field(default_factory=set)
    refused: Counter[str] = field(default_factory=Counter)


@dataclass
class Person:
    """Somebody who plays one episode to its end."""

    client: Client
    measured: Measured
    chance: random.Random
    thinking: float
    arriving: float

    async def play(self) -> None:
        await asyncio.sleep(self.arriving * self.chance.random())
        await self.client.open()
        await self.client.begin()
        async with self.client.socket() as socket:
            screen = await self._timed("state", self.client.state())
            while not over(screen):
                if screen["asking"] is not None:
                    screen = await self._turn(screen)
                else:
                    await asyncio.wait_for(socket.receive_str(), 120)
                    screen = await self._timed("state", self.client.state())

    async def _turn(self, screen: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(self.thinking * self.chance.uniform(0.25, 1.75))
        turn = screen["asking"]["turn"]
        text = f"{turn}: {self.client.cookies['sociolab-participant']} says a word or two."
        sent = answer_to(screen, say(text))
        status, body = await self._timed("act", self.client.call("POST", "act", sent))
        if status != 200:
            self.measured.refused[f"{status} {body['detail']}"] += 1
            again: dict[str, Any] = await self.client.state()
            return again
        self.measured.taken.add((turn, text))
        return dict(body)

    async def _timed(self, kind: str, work: Any) -> Any:
        began = time.perf_counter()
        found = await work
        self.measured.seconds[kind].append(time.perf_counter() - began)
        return found


async def play_all(address: str, people: int, thinking: float, arriving: float) -> Measured:
    measured = Measured()
    # The server closes connections that are idle for 5 s; browsers send again, this does not.
    connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=3)
    async with aiohttp.ClientSession(
        connector=connector, cookie_jar=aiohttp.DummyCookieJar()
    ) as session:
        half = people // 2
        clients = [Client(session, address, f"p{n + 1}", "chat") for n in range(half)]
        clients += [Client(session, address, f"p{n + 1}", "pairs") for n in range(people - half)]
        await asyncio.gather(
            *(Person(one, measured, random.Random(n), thinking, arriving).play()
              for n, one in enumerate(clients))
        )  # fmt: skip
    return measured


def stored(path: Path) -> set[tuple[int, str]]:
    """Turns as their players know them, who are not told the names of episodes."""
    with Store.open(path) as store:
        return {
            (event.turn, event.actions[0].text)
            for name in ("chat", "pairs")
            for row in store.trials(name)
            for event in store.events(name, row.trial.id)
            if isinstance(event, Moved)
        }


def lay_out_both(path: Path, people: int, turns: int) -> None:
    settings = {
        "turns": str(turns),
        "closing_question": "false",
    }  # which these clients cannot fill in
    plan: dict[str, Any] = {"settings": settings, "plays": 4, "turn_seconds": 600}
    lay_out(path, participants=people // 2, **plan)
    lay_out(path, "pairs", people - people // 2, people=2, **plan)


def row(name: str, seconds: list[float]) -> str:
    parts = quantiles(seconds, n=100)
    p50, p95, p99 = (1000 * parts[at - 1] for at in (50, 95, 99))
    longest = 1000 * max(seconds)
    return f"| {name} | {len(seconds)} | {p50:.0f} | {p95:.0f} | {p99:.0f} | {longest:.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--thinking", type=float, default=10.0)
    parser.add_argument("--arriving", type=float, default=20.0)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, port = Path(folder) / "store.db", free_port()
        lay_out_both(path, wanted.people, wanted.turns)
        command = [
            sys.executable,
            str(Path(__file__).parent / "play_server.py"),
            str(path),
            str(port),
        ]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            assert server.stdout.readline() == "up\n"
            began = time.perf_counter()
            measured = asyncio.run(
                play_all(
                    f"http://127.0.0.1:{port}", wanted.people, wanted.thinking, wanted.arriving
                )
            )
            took = time.perf_counter() - began
            megabytes, cpu = server.communicate()[0].split()
        lost = measured.taken - stored(path)
    print("| request | n | p50 ms | p95 ms | p99 ms | longest ms |\n|---|---|---|---|---|---|")
    for name, seconds in measured.seconds.items():
        print(row(name, seconds))
    print(f"{wanted.people} people, {took:.1f} s, {len(measured.taken)} turns taken, "
          f"{len(lost)} lost, refused {dict(measured.refused)}; server {megabytes} MB, "
          f"{cpu} CPU s")  # fmt: skip


if __name__ == "__main__":
    main()
