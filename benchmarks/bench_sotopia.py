"""SOTOPIA on the local endpoint: time, memory and characters, beside the reference package.

    PYTHONPATH=src python benchmarks/bench_sotopia.py calls
    PYTHONPATH=src python benchmarks/bench_sotopia.py all --profiles DIR --peer-python PYTHON

Each part prints figures beside their targets; the exit code is 1 if one is missed. README.md beside
this file says what the parts do and how to make the peer's Python.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import aiohttp

from sociolab.core.episode import Unusable
from sociolab.core.score import Score, ScoreFailure
from sociolab.endpoint.counters import Counters
from sociolab.endpoint.server import EndpointProcess, start_in_process
from sociolab.endpoint.settings import EndpointSettings, Fault
from sociolab.store.calls import CallRow
from sociolab.store.store import Store
from sociolab.store.verdicts import ScoreRow

HERE = Path(__file__).parent
CLI = "from sociolab.cli.main import main; main()"
CHARACTERS = 150
LATENCY_MS = 50.0
CALLS_AN_EPISODE = 21
FAILED_ATTEMPTS: tuple[Fault, ...] = (
    "rate_limited",
    "server_error",
    "dropped",
    "hang",
    "truncated_body",
    "malformed_body",
)
"""Faults that the client answers by trying again; the others are replies that cannot be used."""


@dataclass
class Report:
    """Lines of figures, and whether a target was missed."""

    missed: list[str] = field(default_factory=list)

    def say(self, what: str, found: str, target: str = "", *, holds: bool = True) -> None:
        mark = "" if not target else "ok" if holds else "MISSED"
        print(f"  {what:<58}{found:>16}  {target:<18}{mark}", flush=True)
        if not holds:
            self.missed.append(what)

    def most(self, what: str, found: float, target: float, unit: str, digits: int = 2) -> None:
        limit = f"<= {target:g} {unit}"
        self.say(what, f"{found:,.{digits}f} {unit}", limit, holds=found <= target)

    def least(self, what: str, found: float, target: float, unit: str, digits: int = 1) -> None:
        limit = f">= {target:g} {unit}"
        self.say(what, f"{found:,.{digits}f} {unit}", limit, holds=found >= target)

    def same(self, what: str, found: int, wanted: int) -> None:
        self.say(what, f"{found:,}", f"= {wanted:,}", holds=found == wanted)


# ------------------------------------------------------------------ processes


def play(folder: Path, url: str, **config: Any) -> dict[str, Any]:
    """One run of ours in a process of its own, and what it cost."""
    config = {
        "agents": ["openai/player"],
        "judges": ["openai/judge"],
        "base_url": url,
        "store": str(folder / "runs.db"),
        **config,
    }
    command = [sys.executable, str(HERE / "play_run.py"), json.dumps(config)]
    return _last_line(command)


def play_peer(given: argparse.Namespace, url: str, episodes: int, in_flight: int) -> dict[str, Any]:
    """The same with the reference package."""
    command = [str(given.peer_python), str(HERE / "peer_sotopia.py"), "--url", url]
    command += ["--profiles", str(given.profiles), "--episodes", str(episodes)]
    return _last_line([*command, "--in-flight", str(in_flight)])


def _last_line(command: list[str]) -> dict[str, Any]:
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


@contextmanager
def endpoint_for_both() -> Iterator[EndpointProcess]:
    """An endpoint whose replies the reference package accepts too."""
    command = [sys.executable, str(HERE / "sotopia_endpoint.py"), str(LATENCY_MS)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        yield EndpointProcess(child.stdout.readline().strip(), child.pid)


def plain_endpoint() -> EndpointSettings:
    return EndpointSettings(characters=CHARACTERS, latency_ms=LATENCY_MS)


def cpu_of(pid: int) -> float:
    """User and system seconds of another process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# ------------------------------------------------------------------ the parts


def calls(given: argparse.Namespace, report: Report) -> None:
    """CPU a call, episodes a second, memory as episodes finish."""
    with start_in_process(plain_endpoint()) as endpoint:
        bare = min(asyncio.run(_bare_posts(endpoint.url)) for _ in range(5)) * 1e3
    print("The machine: 1,000 posts of 5,000 characters, 64 in flight, nothing but aiohttp")
    report.say("CPU a post (best of 5)", f"{bare:.3f} ms")
    for in_flight, episodes in ((64, 200), (256, 400)):
        print(f"{episodes} episodes, {in_flight} calls in flight, median of {given.rounds} rounds")
        found = [_round(in_flight, episodes) for _ in range(given.rounds)]
        one = found[0]
        report.say("episodes played / calls", f"{one['played']} / {one['calls']}")
        cpu = statistics.median(f["cpu_play"] / f["calls"] for f in found) * 1e3
        report.say("CPU a call, playing", f"{cpu:.3f} ms")
        report.most("CPU a call, playing", cpu / bare, 5.5, "bare posts")
        whole = statistics.median(f["cpu_process"] / f["calls"] for f in found) * 1e3
        report.say("CPU a call, whole process: imports, plan, report", f"{whole:.3f} ms")
        theirs = statistics.median(f["endpoint_cpu"] / f["calls"] for f in found) * 1e3
        report.say("CPU a call, the endpoint's process", f"{theirs:.3f} ms")
        speed = statistics.median(f["played"] / f["wall"] for f in found)
        report.say("episodes a second", f"{speed:.1f} /s")
        report.most("peak memory", max(f["peak_mb"] for f in found), 200, "MB", 0)
    print("800 episodes, 256 calls in flight: memory as episodes finish")
    long = _round(256, 800)
    for finished, size in sorted(long["memory"].items(), key=lambda item: int(item[0])):
        report.say(f"after {finished} episodes", f"{size:.0f} MB")
    report.most("peak memory, the report included", long["peak_mb"], 200, "MB", 0)
    sizes = [size for _, size in sorted(long["memory"].items(), key=lambda item: int(item[0]))]
    report.most("growth from 200 to the last sample", sizes[-1] - sizes[0], 10, "MB", 1)


def _round(in_flight: int, episodes: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder, start_in_process(plain_endpoint()) as endpoint:
        repeats = -(-episodes // 400)
        found = play(
            Path(folder),
            endpoint.url,
            limit=episodes // repeats,
            repeats=repeats,
            in_flight=in_flight,
        )
        found["endpoint_cpu"] = cpu_of(endpoint.pid)
    assert found["played"] == episodes, found
    return found


async def _bare_posts(url: str, posts: int = 1000) -> float:
    """CPU seconds of this process a post, as many as in a small run and as long."""
    text = "You meet at the market and talk about the price. " * 100
    body = json.dumps({"model": "x", "messages": [{"role": "user", "content": text}]}).encode()
    left = iter(range(posts))
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def work() -> None:
            for _ in left:
                async with session.post(f"{url}/chat/completions", data=body) as response:
                    json.loads(await response.read())

        began = time.process_time()
        await asyncio.gather(*(work() for _ in range(64)))
        return (time.process_time() - began) / posts


def peer(given: argparse.Namespace, report: Report) -> None:
    """Ours and the reference package in turn, on one endpoint, on the same public tasks."""
    print("200 episodes of the public tasks, 64 calls in flight: ours and sotopia 0.1.5")
    with tempfile.TemporaryDirectory() as scratch, endpoint_for_both() as endpoint:
        folder = Path(scratch)
        tasks = _public_tasks(given.profiles, folder, 200)
        mine = play(folder, endpoint.url, **tasks, in_flight=64)
        theirs = play_peer(given, endpoint.url, 200, 64)
        again = play(folder, endpoint.url, **tasks, in_flight=64, name="again")
    expected = 200 * CALLS_AN_EPISODE
    report.say("calls: ours, the peer's", f"{mine['calls']}, {theirs['turns'] + theirs['judged']}")
    assert mine["calls"] == theirs["turns"] + theirs["judged"] == expected, theirs
    # Both from the first call to the last verdict that is stored, without imports and loading.
    ours = (mine["cpu_play"] + again["cpu_play"]) / 2 / expected * 1e3
    its = theirs["cpu"] / expected * 1e3
    report.say("CPU a call, ours (mean of a run before and one after)", f"{ours:.3f} ms")
    report.say("CPU a call, the peer", f"{its:.3f} ms")
    report.least("the peer's CPU over ours", its / ours, 8, "x")
    whole = (mine["cpu_run"] + again["cpu_run"]) / 2 / expected * 1e3
    report.say("the same with our plan and report counted", f"{its / whole:.1f} x")
    report.say("episodes a second: ours", f"{200 / mine['wall']:.1f} /s")
    report.say("episodes a second: the peer", f"{200 / theirs['wall']:.1f} /s")
    report.say("peak memory: ours, the peer", f"{mine['peak_mb']:.0f}, {theirs['peak_mb']:.0f} MB")


def characters(given: argparse.Namespace, report: Report) -> None:
    """What is sent for the same 50 public tasks, as the endpoint counts it."""
    print(f"50 public tasks, 20 turns of {CHARACTERS} characters and the judge")
    with tempfile.TemporaryDirectory() as scratch, endpoint_for_both() as endpoint:
        folder = Path(scratch)
        tasks = _public_tasks(given.profiles, folder, 50)
        play(folder, endpoint.url, **tasks, in_flight=64)
        ours = endpoint.counters
        endpoint.reset()
        play(folder, endpoint.url, **tasks | {"settings": {}}, in_flight=64, name="asked")
        asked = endpoint.counters
        theirs: Counters | None = None
        if given.peer_python is not None:
            endpoint.reset()
            play_peer(given, endpoint.url, 50, 64)
            theirs = endpoint.counters
    report.most("characters an episode, ours", _per_episode(ours), 87_000, "", 0)
    report.most("of which not an earlier prefix, ours", _fresh(ours), 15_000, "", 0)
    report.say("characters an episode, closing question included", f"{_per_episode(asked):,.0f}")
    report.say("of which not an earlier prefix", f"{_fresh(asked):,.0f}")
    if theirs is not None:
        report.say("characters an episode, the peer", f"{_per_episode(theirs):,.0f}")
        report.say("of which not an earlier prefix, the peer", f"{_fresh(theirs):,.0f}")


def _per_episode(counters: Counters) -> float:
    return counters.prompt_characters / 50


def _fresh(counters: Counters) -> float:
    return (counters.prompt_characters - counters.repeated_characters) / 50


def _public_tasks(profiles: Path, folder: Path, count: int) -> dict[str, Any]:
    """The first public combinations as our data set and filter: the tasks that the peer plays, and
    without the closing question, which the peer does not ask."""
    from sociolab.worlds.sotopia.importing.public_data import import_sotopia

    data = folder / "public"
    import_sotopia(profiles, data, "public")
    rows = (profiles / "env_agent_combo_storages.jsonl").read_text("utf-8").splitlines()
    ids = [json.loads(row)["combo_id"] for row in rows[:count]]
    settings = {"closing_question": "off"}
    return {"data": str(data), "tasks": ",".join(ids), "settings": settings}


def offline(_given: argparse.Namespace, report: Report) -> None:
    """450 tasks on one core, the whole command, every turn read back by another connection."""
    print("450 own tasks, scripted players, heuristic judge, one core: the whole command")
    walls, cpus, sights = [], [], []
    for _ in range(5):
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder) / "runs.db"
            command = [sys.executable, "-c", CLI, "run", "sotopia", "--json", "--name", "bench"]
            command += ["--store", str(store)]
            wall, cpu, seen, document = _watched(command, store)
            walls.append(wall)
            cpus.append(cpu)
            sights.append(len(seen))
            turns = _check_offline(store, document)
    report.most("wall time (median of 5)", statistics.median(walls), 2.0, "s")
    report.say("CPU time (median of 5)", f"{statistics.median(cpus):.2f} s")
    report.say("turns committed, read by another connection", f"{turns:,}")
    report.say("different counts that it saw while they played", f"{max(sights)}")


def _watched(command: list[str], store: Path) -> tuple[float, float, set[int], dict[str, Any]]:
    """Run a command on one core; what another connection sees in its store meanwhile."""
    import sqlite3

    core = min(os.sched_getaffinity(0))
    seen: set[int] = set()
    with tempfile.TemporaryFile("w+") as output:
        began = time.perf_counter()
        child = subprocess.Popen(
            command,
            stdout=output,
            stderr=subprocess.DEVNULL,
            preexec_fn=lambda: os.sched_setaffinity(0, {core}),
        )
        reader: sqlite3.Connection | None = None
        while os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            time.sleep(0.05)
            try:
                reader = reader or sqlite3.connect(f"file:{store}?mode=ro", uri=True)
                seen.add(reader.execute("SELECT count(*) FROM events").fetchone()[0])
            except sqlite3.OperationalError:
                continue  # not made yet
        wall = time.perf_counter() - began
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0, f"{command} ended with {child.returncode}"
        output.seek(0)
        return wall, used.ru_utime + used.ru_stime, seen, json.loads(output.read())


def _check_offline(path: Path, document: dict[str, Any]) -> int:
    """All turns on disk; fails where an episode has no end, or a turn before its end is missing."""
    assert document["played"] == 450, document["played"]
    turns = 0
    with Store.open(path, create=False) as store:
        for episode in store.episodes("bench"):
            ended = episode.ended
            assert ended is not None, f"{episode.trial.id} has no end"
            taken = [move.turn for move in episode.moves]
            taken += [failed.turn for failed in episode.failed_turns]
            assert sorted(taken) == list(range(ended.turn + 1)), f"{episode.trial.id}: {taken}"
            turns += len(taken)
    return turns


def faults(_given: argparse.Namespace, report: Report) -> None:
    """20 % of the replies fail: all ends, every failure is on record, no score is made up."""
    print("200 episodes, 20 % of the replies fail in all eleven ways")
    settings = replace(
        EndpointSettings.with_faults(0.2), characters=CHARACTERS, latency_ms=LATENCY_MS
    )
    with tempfile.TemporaryDirectory() as scratch, start_in_process(settings) as endpoint:
        folder = Path(scratch)
        models = folder / "models.toml"
        models.write_text(f'[endpoints.local]\nbase_url = "{endpoint.url}"\ntimeout_s = 2.0\n')
        found = play(
            folder,
            endpoint.url,
            agents=["local/player"],
            judges=["local/judge"],
            base_url=None,
            models=str(models),
            limit=200,
            in_flight=64,
            name="faults",
        )
        counted = endpoint.counters
        with Store.open(folder / "runs.db", create=False) as store:
            _check_faults(store, counted, found, report)


def _check_faults(store: Store, counted: Counters, found: dict[str, Any], report: Report) -> None:
    report.say("episodes that ended", f"{found['played']}", "= 200", holds=found["played"] == 200)
    report.say("wall time", f"{found['wall']:.1f} s")
    report.say("requests with a fault", f"{sum(counted.by_fault.values()):,}")
    calls, failures = list(store.calls.all("faults")), store.calls.failures("faults")
    met = sum(counted.by_fault.get(kind, 0) for kind in FAILED_ATTEMPTS)
    noted = sum(row.reply.tries - 1 for row in calls) + sum(row.tries for row in failures)
    report.same("attempts that failed: met, on record", met, noted)
    report.say("calls that failed for good", f"{len(failures)}")

    events = [event for episode in store.episodes("faults") for event in episode.events]
    unusable = [event for event in events if isinstance(event, Unusable)]
    rows = [row for row in store.verdicts.scores("faults") if row.judge.method == "model"]
    broken = {row.trial for row in rows if isinstance(row.verdict, ScoreFailure)}
    judge_calls = [row for row in calls if row.call.role == "judge"]
    not_judged = len(judge_calls) - len({row.trial for row in rows} - broken)
    sent = sum(counted.by_fault.values()) - met
    report.same("unusable replies: sent, on record", sent, len(unusable) + not_judged)
    report.say("turns that failed for good", f"{sum(event.final for event in unusable)}")
    report.say("episodes with a score that failed", f"{len(broken)}")
    report.say("scores", f"{sum(isinstance(row.verdict, Score) for row in rows):,}")
    report.same("scores that no stored reply holds", _made_up(rows, judge_calls), 0)


def _made_up(rows: Sequence[ScoreRow], judge_calls: Sequence[CallRow]) -> int:
    """Scores of dimensions whose value and reason are not in the last reply of the judge."""
    last = {row.call.trial: row.reply.text for row in judge_calls}
    return sum(
        _cell(row.verdict) not in last[row.trial or ""]
        for row in rows
        if isinstance(row.verdict, Score) and row.verdict.measure.name != "overall"
    )


def _cell(score: Score) -> str:
    """A score as the endpoint writes it."""
    return json.dumps({"reason": score.reason, "score": int(score.value)}, ensure_ascii=False)


def help_(_given: argparse.Namespace, report: Report) -> None:
    """How long `sociolab --help` takes."""
    took = []
    for _ in range(11):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", CLI, "--help"], stdout=subprocess.DEVNULL, check=True)
        took.append(time.perf_counter() - began)
    print("sociolab --help")
    report.most("wall time (median of 11)", statistics.median(took), 0.3, "s")


PARTS: dict[str, Callable[[argparse.Namespace, Report], None]] = {
    "calls": calls,
    "peer": peer,
    "characters": characters,
    "offline": offline,
    "faults": faults,
    "help": help_,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=(*PARTS, "all"))
    parser.add_argument("--profiles", type=Path, help="folder of SOTOPIA's public profile files")
    parser.add_argument("--peer-python", type=Path, help="a Python that has sotopia 0.1.5")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    if given.part in ("peer", "characters", "all") and given.profiles is None:
        parser.error("this part plays public tasks: name their folder with --profiles")
    if given.part in ("peer", "all") and given.peer_python is None:
        parser.error("this part plays with the peer: name its Python with --peer-python")
    report = Report()
    for name, part in PARTS.items():
        if given.part in (name, "all"):
            part(given, report)
    for what in report.missed:
        print(f"missed: {what}")
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
