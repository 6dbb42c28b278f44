"""A campaign against the laboratory: kills, full disks, garbled replies and floods, for N minutes.

    python benchmarks/chaos.py --minutes 10 [--only kill-run,flood] [--seed 1] [--add FILE]

Prints how often each attack was tried and survived. Every command under attack is the real one, in
a process forked from this one, which has imported everything: it is busy when it is killed. `--add`
adds the counts to those of a file, so that a long campaign can be done in parts. Exit code 1 if
anything was not survived; the stores concerned are kept then.

Survived means:

- kill-run, kill-judge: begun again until it is done, the run has the trials, events, replies and
  scores of a run that nobody disturbed, each once, and its store is sound
- kill-web: each turn that the server acknowledged to a player is stored, and none twice
- disk: with a limit on the size of files the command ends in one sentence with exit code 2; without
  it, it goes on as after a kill
- garble: half of all replies are spoilt; every trial ends, and the run is the same twice
- flood: endless, huge or degenerate replies; the run ends within `FLOOD_SECONDS` and `FLOOD_MB`
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # a process with threads cannot be forked
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import asyncio
import gzip
import json
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp
import uvicorn  # noqa: F401  and all that follows: imported before the fork

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import sociolab.app.run.judge
import sociolab.app.run.play
import sociolab.cli.judge
import sociolab.cli.run
import sociolab.web.server  # noqa: F401
from play_clients import Client, answer_to, lay_out, over, say
from sociolab.app.registry import names, world_plugin
from sociolab.cli.main import main as command
from sociolab.core.episode import Moved
from sociolab.endpoint.server import start_in_process
from sociolab.endpoint.settings import FAULTS, EndpointSettings
from sociolab.store.checking import find_damage
from sociolab.store.store import Store
from web_serving import free_port

PLAYED: dict[str, tuple[str, ...]] = {
    "sotopia": ("sotopia", "--agent", "local/x", "--judge", "local/j", "--limit", "16"),
    "sotopia over Messages":
        ("sotopia", "--agent", "claude/x", "--judge", "claude/j", "--limit", "16"),
    "stss-talk": ("stss-talk", "--agent", "local/x", "--judge", "local/j", "--limit", "12"),
    "anteval-information":
        ("anteval-information", "--agent", "local/x", "--judge", "local/j", "--limit", "8"),
    "anteval-intention":
        ("anteval-intention", "--agent", "claude/x", "--judge", "local/j", "--limit", "8"),
    "stss":
        ("stss", "--agent", "local/x", "--background", "scripted", "--judge", "none",
         "--limit", "2"),
}  # fmt: skip
"""What is played, by models at the local endpoint, in both of its dialects."""

MOST_KILLS = 25
"""Kills of one run; then it may end."""
PATIENCE = 300.0
"""Seconds until a command that nobody kills is taken to hang."""
FLOOD_SECONDS, FLOOD_MB = 120.0, 700.0
MODELS = "".join(
    f'[endpoints.{name}]\nprovider = "{provider}"\nbase_url = "{{url}}"\n'
    "timeout_s = 120\ntries = 12\nin_flight = 6\n"
    for name, provider in (("local", "openai"), ("claude", "anthropic"))
)


class Child:
    """A command in a process of its own, with its output in a file."""

    def __init__(self, folder: Path, *arguments: str, largest_file: int | None = None) -> None:
        self.output = folder / "output.txt"
        self.began = time.monotonic()
        self.pid = os.fork()
        if self.pid == 0:
            _become(folder, arguments, self.output, largest_file)

    def ended(self, seconds: float) -> int | None:
        """Its exit code; None if it has not ended by then."""
        until = time.monotonic() + seconds
        while True:
            pid, status, used = os.wait4(self.pid, os.WNOHANG)
            if pid:
                self.megabytes = used.ru_maxrss / 1024
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() >= until:
                return None
            time.sleep(0.005)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    @property
    def said(self) -> str:
        return self.output.read_text("utf-8", errors="replace")


def _become(folder: Path, arguments: Sequence[str], output: Path, largest: int | None) -> None:
    """Be the command, in the child; never returns."""
    code = 70
    try:
        os.chdir(folder)
        with output.open("wb", buffering=0) as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        if largest is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
        sys.argv = ["sociolab", *arguments]
        command()
    except SystemExit as done:
        code = done.code if isinstance(done.code, int) else 0
    except BaseException:  # noqa: BLE001  as the interpreter would
        traceback.print_exc()
    finally:
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


class Tally:
    """Tried and survived, by attack and where; and what went wrong."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.tried: Counter[str] = Counter()
        self.survived: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.twice = 0

    def add(self, what: str, tried: int, problem: str) -> None:
        self.tried[what] += tried
        self.survived[what] += 0 if problem else tried
        if problem:
            self.wrong.append(f"{what}: {problem}")
            print(f"! {what}: {problem}", file=sys.stderr, flush=True)

    def table(self) -> str:
        rows = [
            f"| {what} | {self.tried[what]:,} | {self.survived[what]:,} |" for what in self.tried
        ]
        return "\n".join(["| attack | tried | survived |", "|---|---|---|", *rows])

    def added_to(self, path: Path) -> None:
        """With what the file counts; both are in the file afterwards."""
        before = json.loads(path.read_text("utf-8")) if path.exists() else {}
        for what, (tried, survived) in before.get("attacks", {}).items():
            self.tried[what] += tried
            self.survived[what] += survived
        self.wrong = [*before.get("wrong", []), *self.wrong]
        self.twice += before.get("sent_again", 0)
        attacks = {what: (self.tried[what], self.survived[what]) for what in sorted(self.tried)}
        row = {"attacks": attacks, "wrong": self.wrong, "sent_again": self.twice}
        path.write_text(json.dumps(row, indent=1), "utf-8")


# ------------------------------------------------------------------ what a run holds


def facts(folder: Path, run: str = "r") -> dict[str, Any]:
    """Everything that must be the same: trials, events, replies, verdicts; and that it is sound.

    Events of a town are in the order in which replies came, so that only their set counts.
    """
    with Store.open(folder / "s.db", create=False) as store:
        town = store.run(run).world == "stss"
        order: Callable[[list[str]], list[str]] = sorted if town else list
        trials = {
            row.trial.id: (
                row.status,
                order([repr(one) for one in store.events(run, row.trial.id)]),
            )
            for row in store.trials(run)
        }
        replies = sorted(
            f"{row.call} {row.reply.finish} {row.reply.text}" for row in store.calls.all(run)
        )
        verdicts = sorted(
            f"{row.judge} {row.trial} {row.verdict}" for row in store.verdicts.scores(run)
        )
        damaged = list(find_damage(store))
    return {"trials": trials, "replies": replies, "verdicts": verdicts, "damage": damaged}


def difference(found: dict[str, Any], wanted: dict[str, Any]) -> str:
    """How a run differs from one that nobody disturbed, in a clause; "" if it does not."""
    parts = []
    for name, whole in wanted.items():
        other = found[name]
        if other != whole:
            kind = Counter(map(str, other.items() if name == "trials" else other))
            kind.subtract(Counter(map(str, whole.items() if name == "trials" else whole)))
            extra = sum(count for count in kind.values() if count > 0)
            lost = -sum(count for count in kind.values() if count < 0)
            parts.append(f"{name}: {extra} too many, {lost} missing")
    return "; ".join(parts)


def finished(child: Child, codes: tuple[int, ...] = (0,)) -> str:
    """Why a command that may end did not end well; "" if it did."""
    code = child.ended(PATIENCE)
    if code is None:
        child.kill()
        return f"did not end within {PATIENCE:g} s"
    last = " ".join(child.said.split())[-300:]
    if "Traceback" in child.said:
        return f"a traceback: {last}"
    return "" if code in codes else f"ended with {code}: {last}"


# ------------------------------------------------------------------ the attacks


class Campaign:
    """Attacks one after the other, until the time is over."""

    def __init__(self, folder: Path, url: str, tally: Tally, until: float) -> None:
        self.folder, self.url, self.tally, self.until = folder, url, tally, until
        self._known: dict[str, dict[str, Any]] = {}
        self._needed: dict[str, int] = {}
        self._rounds = 0

    @property
    def over(self) -> bool:
        return time.monotonic() >= self.until

    def _requests(self) -> int:
        """How many requests the local endpoint has had."""
        with urllib.request.urlopen(f"{self.url}/counters") as answer:
            return int(json.load(answer)["requests"])

    @contextmanager
    def _place(self, url: str = "") -> Iterator[Path]:
        """A folder for one store; kept if something went wrong in it."""
        self._rounds += 1
        place = self.folder / str(self._rounds)
        place.mkdir()
        (place / "models.toml").write_text(MODELS.format(url=url or self.url), "utf-8")
        wrong = len(self.tally.wrong)
        yield place
        if len(self.tally.wrong) == wrong:
            shutil.rmtree(place)

    def _run(self, place: Path, world: str, *more: str, **limits: int) -> Child:
        played = ("run", *PLAYED[world], "--seed", "7", "--name", "r", "--store", "s.db")
        return Child(place, *played, *more, **limits)

    def _undisturbed(self, world: str) -> dict[str, Any]:
        if world not in self._known:
            with self._place() as place:
                before = self._requests()
                problem = finished(self._run(place, world), (0, 1))
                assert not problem, problem
                self._known[world] = facts(place)
                self._needed[world] = self._requests() - before
        return self._known[world]

    def _killed(self, start: Callable[[], Child], span: float) -> tuple[int, str]:
        """Begin it and kill it at random moments until it is done: the kills, and what is wrong."""
        kills = 0
        while kills < MOST_KILLS:
            child = start()
            if child.ended(self.tally.chance.uniform(0.0, span)) is not None:
                return kills, finished_already(child)
            child.kill()
            kills += 1
        return kills, finished(start(), (0, 1))

    def kill_run(self) -> None:
        for world in PLAYED:
            if self.over:
                return
            wanted = self._undisturbed(world)
            before = self._requests()
            with self._place() as place:
                kills, problem = self._killed(lambda: self._run(place, world), 0.9)  # noqa: B023
                self.tally.twice += self._requests() - before - self._needed[world]
                self.tally.add(
                    f"kill run, {world}", kills, problem or difference(facts(place), wanted)
                )

    def kill_judge(self) -> None:
        def judge(place: Path) -> Child:
            return Child(place, "judge", "r", "--judge", "local/k", "--store", "s.db")

        with self._place() as place:
            problem = finished(self._run(place, "sotopia"), (0, 1))
            assert not problem, problem
            copy = place / "calm"
            copy.mkdir()
            for name in ("s.db", "models.toml"):
                shutil.copy(place / name, copy)
            problem = finished(judge(copy), (0, 1))
            assert not problem, problem
            kills, problem = self._killed(lambda: judge(place), 0.4)
            self.tally.add(
                "kill judge, sotopia", kills, problem or difference(facts(place), facts(copy))
            )

    def disk(self) -> None:
        for world in ("sotopia", "stss-talk"):
            if self.over:
                return
            wanted = self._undisturbed(world)
            with self._place() as place:
                largest = self.tally.chance.randrange(150_000, 1_200_000)
                # 0 or 1: it was large enough for all.
                problem = finished(self._run(place, world, largest_file=largest), (0, 1, 2))
                problem = problem or finished(self._run(place, world), (0, 1))
                self.tally.add(
                    f"full disk, {world}", 1, problem or difference(facts(place), wanted)
                )

    def garble(self) -> None:
        share = 0.5 / (len(FAULTS) - 1)
        rates: dict[str, Any] = {name: share for name in FAULTS if name != "hang"}
        seed = self.tally.chance.randrange(10**6)
        settings = EndpointSettings(seed=seed, think=0.2, fenced=0.2, retry_after=0.0, **rates)
        with start_in_process(settings) as endpoint:
            for world in ("sotopia", "sotopia over Messages", "stss-talk", "anteval-intention"):
                if self.over:
                    return
                found = []
                with self._place(endpoint.url) as one, self._place(endpoint.url) as two:
                    problem = ""
                    for place in (one, two):
                        problem = problem or finished(self._run(place, world), (0, 1))
                        found.append(facts(place))
                    unsettled = sum(
                        status not in ("played", "failed")
                        for status, _ in found[0]["trials"].values()
                    )
                    problem = problem or (f"{unsettled} trials are open" if unsettled else "")
                    replies = len(found[0]["replies"]) + len(found[1]["replies"])
                    self.tally.add(
                        f"garbled replies, {world}", replies, problem or difference(*found)
                    )

    def flood(self) -> None:
        with flooding() as port:
            for dialect in ("openai", "anthropic"):
                for kind in FLOODS:
                    if self.over:
                        return
                    with self._place() as place:
                        (place / "models.toml").write_text(
                            f'[endpoints.flood]\nprovider = "{dialect}"\nmax_reply_mb = 2\n'
                            f'base_url = "http://127.0.0.1:{port}/v1"\n'
                            "timeout_s = 4\ntotal_s = 12\ntries = 2\n",
                            "utf-8",
                        )
                        child = Child(
                            place, "run", "sotopia", "--agent", f"flood/{kind}", "--judge", "none",
                            "--limit", "2", "--episodes", "2", "--set", "turns=4", "--name", "r",
                            "--store", "s.db",
                        )  # fmt: skip
                        code = child.ended(FLOOD_SECONDS)
                        problem = ""
                        if code is None:
                            child.kill()
                            problem = f"did not end within {FLOOD_SECONDS:g} s"
                        elif child.megabytes > FLOOD_MB:
                            problem = f"took {child.megabytes:.0f} MB"
                        elif code not in (0, 1) or "Traceback" in child.said:
                            problem = f"ended with {code}: {' '.join(child.said.split())[-300:]}"
                        elif place.joinpath("s.db").exists():
                            problem = "; ".join(facts(place)["damage"])
                        self.tally.add(f"flood, {dialect}", 1, problem and f"{kind}: {problem}")

    def kill_web(self) -> None:
        with self._place() as place:
            people, port = 6, free_port()
            lay_out(place / "s.db", participants=people, settings={"turns": "16"}, plays=6,
                    turn_seconds=600)  # fmt: skip
            crowd = Crowd(f"http://127.0.0.1:{port}", people)
            kills = 0
            while kills < MOST_KILLS and not crowd.done and not self.over:
                child = Child(place, "web", "--store", "s.db", "--port", str(port))
                asyncio.run(crowd.play(self.tally.chance.uniform(0.1, 1.5), child.kill))
                kills += 1
            with Store.open(place / "s.db") as store:
                stored = Counter(
                    event.actions[0].text
                    for row in store.trials("chat")
                    for event in store.events("chat", row.trial.id)
                    if isinstance(event, Moved) and event.actions
                )
                damaged = "; ".join(find_damage(store))
            lost = crowd.taken - set(stored)
            twice = [text for text in crowd.sent if stored[text] > 1]
            problem = damaged or (f"{len(lost)} lost, {len(twice)} twice" if lost or twice else "")
            self.tally.add(f"kill web, {people} players", kills, problem)
            self.tally.add("turns acknowledged to players", len(crowd.taken), problem)


def finished_already(child: Child) -> str:
    """What is wrong with a command that has ended."""
    said = child.said
    return f"a traceback: {' '.join(said.split())[-300:]}" if "Traceback" in said else ""


class Crowd:
    """People whose browsers stay open while the server is killed and comes back."""

    def __init__(self, address: str, people: int) -> None:
        self.address = address
        self.people = {f"p{number + 1}": "" for number in range(people)}
        self.cookies: dict[str, dict[str, str]] = {}
        self.taken: set[str] = set()
        self.sent: list[str] = []
        self.done = False

    async def play(self, seconds: float, kill: Callable[[], None]) -> None:
        """Play until the server is killed, so many seconds after it is up."""
        async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
            for _ in range(1200):
                with suppress(aiohttp.ClientError):
                    async with session.get(f"{self.address}/healthz"):
                        break
                await asyncio.sleep(0.025)
            asyncio.get_running_loop().call_later(seconds, kill)
            playing = [self._play(session, who) for who in self.people]
            ends = await asyncio.gather(*playing, return_exceptions=True)
            for end in ends:
                if isinstance(end, BaseException) and not isinstance(end, aiohttp.ClientError):
                    raise end
            self.done = not any(ends)
            if self.done:
                await asyncio.sleep(seconds)  # it is killed all the same

    async def _play(self, session: aiohttp.ClientSession, who: str) -> None:
        client = Client(session, self.address, who)
        if who in self.cookies:
            client.cookies, client.csrf = self.cookies[who], self.people[who]
        else:
            await client.open()
            self.cookies[who], self.people[who] = client.cookies, client.csrf
        while True:
            screen = await client.state()
            if screen["phase"] in ("done", "let go"):
                return
            if over(screen):
                await client.call("POST", "begin")
            elif screen["asking"] is None:
                await asyncio.sleep(0.01)
            else:
                turn = screen["asking"]["turn"]
                # One text a turn, however often it is sent: twice in the store is once too often.
                text = f"{who} says {turn} of {screen['scene']['trial']}."
                self.sent.append(text)
                status, _ = await client.call("POST", "act", answer_to(screen, say(text)))
                if status == 200:
                    self.taken.add(text)


# ------------------------------------------------------------------ a server that floods


def _texts(text: str) -> dict[str, bytes]:
    """A text as a reply of each dialect, by the end of its path."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    block = {"type": "text", "text": text}
    return {
        "completions": json.dumps({"choices": [choice]}).encode(),
        "messages": json.dumps(
            {"type": "message", "role": "assistant", "content": [block], "stop_reason": "end_turn"}
        ).encode(),
    }


_GOOD = '{"action": "speak", "text": "Hello."}'
_USAGES: tuple[Any, ...] = (
    None, [], "many", {"prompt_tokens": -5, "completion_tokens": 1, "input_tokens": -5},
    {"prompt_tokens": 2**62, "completion_tokens": 2**62, "input_tokens": 2**62},
    {"prompt_tokens": 10**30, "input_tokens": 10**30, "output_tokens": 1},
    {"prompt_tokens": 1.5, "completion_tokens": "7", "input_tokens": 1.5, "output_tokens": "7"},
    {"prompt_tokens": 3, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 9},
     "input_tokens": 3, "output_tokens": 2, "cache_read_input_tokens": -9},
)  # fmt: skip


def _with_usage(body: bytes, usage: Any) -> bytes:
    return json.dumps({**json.loads(body), "usage": usage}).encode()


FLOODS: dict[str, dict[str, bytes] | None] = {
    "endless-body": None,
    "endless-head": None,
    "endless-1xx": None,
    "slow-bytes": None,
    "gzip-bomb": None,
    "digits": _texts('{"action": ' + "9" * 300_000),
    "long-number": _texts('{"action": "speak", "text": ' + "7" * 9_000 + "}"),
    "braces": _texts("{" * 200_000),
    "deep-objects": _texts('{"a":' * 60_000),
    "deep-lists": _texts('{"a":' + "[" * 150_000),
    "think-open": _texts("<think>" * 60_000),
    "think-closed": _texts("<think></think>" * 40_000 + _GOOD),
    "objects": _texts('{"a":1}' * 60_000),
    "quotes": _texts('{"' * 100_000),
    "fences": _texts("```json\n" * 60_000),
    "surrogates": _texts("\ud800" * 5_000 + _GOOD),
    "deep-body": dict.fromkeys(
        ("completions", "messages"), b'{"choices":' + b'[{"content":' * 100_000
    ),
    "lists-of-nothing": dict.fromkeys(
        ("completions", "messages"),
        b'{"choices":[' + b"{}," * 200_000 + b'{}],"content":[' + b"{}," * 200_000 + b"{}]}",
    ),
    **{
        f"usage-{number}": {end: _with_usage(body, usage) for end, body in _texts(_GOOD).items()}
        for number, usage in enumerate(_USAGES)
    },
}
"""Replies by model name; None for those that are not sent as a body."""


async def _flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = int(head.partition("content-length:")[2].split("\r\n")[0] or 0)
            asked = json.loads(await reader.readexactly(length))
            end = head.split(" ", 2)[1].rpartition("/")[2]
            await _answer(writer, asked["model"], end)
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


async def _answer(writer: asyncio.StreamWriter, kind: str, end: str) -> None:
    bodies = FLOODS[kind]
    ok = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    if bodies is not None:
        body = bodies[end]
        writer.write(ok + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        return await writer.drain()
    if kind == "gzip-bomb":
        body = gzip.compress(b" " * 200_000_000, 6)
        writer.write(ok + f"Content-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n".encode())
        writer.write(body)
        return await writer.drain()
    starts = {
        "endless-body": ok + b"Transfer-Encoding: chunked\r\n\r\n",
        "endless-head": ok,
        "endless-1xx": b"",
        "slow-bytes": ok + b"Content-Length: 1000000\r\n\r\n",
    }
    pieces = {
        "endless-body": b"10000\r\n" + b"9" * 65536 + b"\r\n",
        "endless-head": b"X-More: " + b"a" * 4000 + b"\r\n",
        "endless-1xx": b"HTTP/1.1 103 Early Hints\r\n\r\n",
        "slow-bytes": b" ",
    }
    writer.write(starts[kind])
    while True:
        writer.write(pieces[kind])
        await writer.drain()
        await asyncio.sleep(0.05 if kind == "slow-bytes" else 0)


@contextmanager
def flooding() -> Iterator[int]:
    """The port of a flooding server, in a process of its own."""
    port = free_port()
    pid = os.fork()
    if pid == 0:

        async def serve() -> None:
            async with await asyncio.start_server(_flood, "127.0.0.1", port) as server:
                await server.serve_forever()

        with suppress(BaseException):
            asyncio.run(serve())
        os._exit(0)
    try:
        yield port
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


# ------------------------------------------------------------------ the campaign


ATTACKS = ("kill-run", "kill-judge", "kill-web", "disk", "garble", "flood")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--only", default=",".join(ATTACKS), help=", ".join(ATTACKS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--add", type=Path, help="a file of counts, read and written")
    wanted = parser.parse_args()
    attacks = wanted.only.split(",")
    if unknown := set(attacks) - set(ATTACKS):
        parser.error(f"--only: expected {', '.join(ATTACKS)}, found {', '.join(unknown)}")
    for name in names("sociolab.worlds"):
        world_plugin(name)
    tally = Tally(wanted.seed)
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    os.environ["SOCIOLAB_HOME"] = str(folder / "home")
    share = 0.1 / (len(FAULTS) - 1)
    rates: dict[str, Any] = {name: share for name in FAULTS if name != "hang"}
    settings = EndpointSettings(seed=wanted.seed, latency_ms=30, retry_after=0.01, **rates)
    with start_in_process(settings) as endpoint:
        until = time.monotonic() + 60 * wanted.minutes
        campaign = Campaign(folder, endpoint.url, tally, until)
        while not campaign.over:
            for name in attacks:
                if not campaign.over:
                    getattr(campaign, name.replace("-", "_"))()
    if wanted.add is not None:
        tally.added_to(wanted.add)
    print(tally.table())
    print(f"requests sent again after kills of runs: {tally.twice:,}")
    print(*tally.wrong, sep="\n")
    if not tally.wrong:
        shutil.rmtree(folder)
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
