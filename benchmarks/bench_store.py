"""What the store costs: microseconds per append and per keep, milliseconds per bulk operation.

Run: python benchmarks/bench_store.py [--folder DIR] [--trials 450] [--turns 20]
     python benchmarks/bench_store.py --growth 1000 10000 100000

Prints figures and asserts nothing. `--growth`: seconds and peak memory of whole commands, and of
the first pages of the web app, with so many episodes in the run (copies of 200 that are played
against the local endpoint). 64 episodes are open at a time, as in a run with 64 calls in
flight; each turn of the "turn" rows keeps one call and appends one event, in one commit.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from math import ceil
from pathlib import Path
from urllib.request import urlopen

from sociolab.app.run.config import RunConfig
from sociolab.app.run.play import run
from sociolab.core.episode import Action, Agent, CastMember, Moved, Task, Trial
from sociolab.core.ports import CallKey, ChatReply, Message, Prompt, Schema, Usage
from sociolab.core.score import JudgeId, Measure, Score
from sociolab.core.seeding import digest, stream
from sociolab.endpoint.server import start_in_process
from sociolab.endpoint.settings import EndpointSettings
from sociolab.store.calls import RunReplies
from sociolab.store.export import export_run, import_run
from sociolab.store.store import Store

OPEN = 64
TEXT = (
    "I would rather keep the garden as it is and see what the neighbours think about the fence "
    "before anybody spends money on paint wood or flowers this spring although Tuesday suits me"
)
WORDS = TEXT.split()


def words(count: int, *key: str | int) -> str:
    """About `count` characters of words, different for each key."""
    return " ".join(stream(1, *key).choices(WORDS, k=count // 5 + 1))[:count]


def plan(trials: int) -> list[Trial]:
    """Trials of which five share a task record of 3 KB."""
    tasks = [
        Task(f"task-{n}", ("a", "b"), f"scenario-{n}", words(3000, "task", n))
        for n in range(trials // 5 + 1)
    ]
    model = Agent("openai/some-model", "model", "some-model", "openai", "0a1b")
    rules = Agent("scripted", "rules", "scripted", settings="2c3d")
    cast = (CastMember("a", model), CastMember("b", rules))
    return [
        Trial(digest("trial", n), "sotopia", tasks[n // 5], cast, n % 5, 1) for n in range(trials)
    ]


def in_flight(trials: list[Trial], turns: int) -> Iterator[tuple[Trial, int]]:
    """The turns as they come when `OPEN` episodes are played at a time."""
    for first in range(0, len(trials), OPEN):
        for turn in range(turns):
            for trial in trials[first : first + OPEN]:
                yield trial, turn


def move(trial: Trial, turn: int) -> Moved:
    """A turn of 150 characters."""
    return Moved(turn, "ab"[turn % 2], (Action("speak", words(150, trial.id, turn)),))


def prompts(trial: Trial, turns: int) -> list[Prompt]:
    """The prompts of an episode: a head of 3.2 KB, and a history that grows by 175 a turn."""
    schema = Schema("act", words(700, "schema"))
    heads = {seat: words(3200, "head", trial.task.id, seat) for seat in "ab"}
    lines = [words(174, trial.id, turn) for turn in range(turns)]
    return [
        Prompt(
            (
                Message("system", heads["ab"[turn % 2]]),
                Message("user", "\n".join([*lines[:turn], f"Turn {turn}: your move."])),
            ),
            schema,
            1.0,
        )
        for turn in range(turns)
    ]


def show(label: str, seconds: float, count: int, unit: str) -> None:
    print(f"{label:<44}{seconds * 1e3:9.1f} ms{seconds / count * 1e6:9.1f} us per {unit}")


def timed(label: str, count: int, unit: str, work: Callable[[], object]) -> None:
    began = time.perf_counter()
    work()
    show(label, time.perf_counter() - began, count, unit)


def bench(folder: Path, trials: int, turns: int) -> None:
    """Play a run without players: plan, events, calls, verdicts; then read it all."""
    path = folder / "bench.db"
    layout = plan(trials)
    turn_list = list(in_flight(layout, turns))
    moves = [move(trial, turn) for trial, turn in turn_list]
    sent = {trial.id: prompts(trial, turns) for trial in layout}
    with Store.open(path) as store:
        timed("create_run", trials, "trial", lambda: store.create_run("r", "w", {}, layout))
        timed("append", len(moves), "event", lambda: append_all(store, "r", turn_list, moves))
        for name in ("keep", "turn"):
            store.create_run(name, "w", {}, layout)
        asyncio.run(keep_all(store, turn_list, sent))
        asyncio.run(keep_and_append(store, turn_list, moves, sent))
        for trial in layout:
            store.set_status("r", trial.id, "played")
        timed("episodes", trials, "episode", lambda: sum(1 for _ in store.episodes("r")))
        timed("add_verdicts (15)", trials, "episode", lambda: judge_all(store, layout))
        timed("verdicts", trials, "episode", lambda: sum(1 for _ in store.verdicts.scores("r")))
        timed("totals", len(moves), "call", lambda: store.calls.totals("turn"))
        calls = list(store.calls.all("turn"))
        timed("prompt_of", len(calls), "call", lambda: [store.calls.prompt(row) for row in calls])
        file = folder / "run.zip"
        timed("export_run", len(moves), "turn", lambda: export_run(store, "turn", file))
        timed("import_run", len(moves), "turn", lambda: import_run(store, file, "again"))
        print(f"{'exported file':<44}{file.stat().st_size / 1e6:9.1f} MB")
        timed("delete_run", trials, "trial", lambda: store.delete_run("again"))
        began = time.perf_counter()
    show("close", time.perf_counter() - began, 1, "store")
    print(f"{'store file (3 runs)':<44}{path.stat().st_size / 1e6:9.1f} MB")


def append_all(
    store: Store, run: str, turn_list: list[tuple[Trial, int]], moves: list[Moved]
) -> None:
    for (trial, _), event in zip(turn_list, moves, strict=True):
        store.append(run, trial.id, event)


async def keep_all(
    store: Store, turn_list: list[tuple[Trial, int]], sent: dict[str, list[Prompt]]
) -> None:
    """Replies that arrive eight in a round of the event loop."""
    replies = RunReplies(store, "keep")
    found = kept = committed = 0.0
    for number, (trial, turn) in enumerate(turn_list):
        find, keep = find_and_keep(replies, trial, turn, sent[trial.id][turn])
        found += find
        kept += keep
        if number % 8 == 7:
            began = time.perf_counter()
            await asyncio.sleep(0)
            committed += time.perf_counter() - began
    show("find, of a reply that is not there", found, len(turn_list), "call")
    show("keep", kept, len(turn_list), "call")
    show("commit after each eight", committed, len(turn_list), "call")


async def keep_and_append(
    store: Store,
    turn_list: list[tuple[Trial, int]],
    moves: list[Moved],
    sent: dict[str, list[Prompt]],
) -> None:
    replies = RunReplies(store, "turn")
    spent = 0.0
    for (trial, turn), event in zip(turn_list, moves, strict=True):
        spent += sum(find_and_keep(replies, trial, turn, sent[trial.id][turn]))
        began = time.perf_counter()
        store.append("turn", trial.id, event)
        spent += time.perf_counter() - began
    show("a turn: find + keep + append, one commit", spent, len(turn_list), "turn")


def find_and_keep(
    replies: RunReplies, trial: Trial, turn: int, prompt: Prompt
) -> tuple[float, float]:
    """Look for a reply, then keep it; the seconds that each took."""
    call = CallKey(trial.id, "agent", "ab"[turn % 2], turn, "act", 1)
    key = digest("key", trial.id, turn, size=16)
    reply = ChatReply(words(190, "reply", turn), "stop", Usage(900, 45, 800), 0.05, 1, 0.0001)
    began = time.perf_counter()
    replies.find(key)
    found = time.perf_counter()
    replies.keep(key, call, "openai/some-model", prompt, reply)
    return found - began, time.perf_counter() - found


def judge_all(store: Store, trials: list[Trial]) -> None:
    judge = JudgeId("openai/some-judge", "model", "4e5f")
    measures = [Measure(f"dimension {n}", 0, 10, whole=True) for n in range(7)]
    reason = words(120, "reason")
    verdicts = [Score(measure, seat, 5, reason) for seat in "ab" for measure in measures]
    verdicts.append(Score(Measure("whole", 0, 10), None, 5.5, reason))
    for trial in trials:
        store.verdicts.add("r", judge, verdicts, trial=trial.id)


# ------------------------------------------------------------------ growth

COMMANDS = {
    "list": ("list", "runs"),
    "list episodes": ("list", "episodes", "--run", "big", "--limit", "20"),
    "report": ("report", "big"),
    "report --full": ("report", "big", "--full"),
    "store check": ("store", "check"),
}
PAGES = {"the runs": "/runs", "the run": "/runs/big", "its episodes": "/runs/big/episodes"}
MEASURED = """
import resource, sys
from sociolab.cli.main import main
sys.argv = ["sociolab", *sys.argv[1:]]
try:
    main()
finally:
    sys.stdout.flush()
    print("PEAK", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)
"""


def growth(folder: Path, sizes: Sequence[int]) -> None:
    """What takes longer, or more memory, with more episodes."""
    seed = folder / "seed.db"
    with start_in_process(EndpointSettings(leave_rate=0.05, characters=100)) as endpoint:
        config = {"agents": ("openai/a", "openai/b"), "judges": ("openai/j",), "seed": 1}
        run(RunConfig(base_url=endpoint.url, limit=50, name="big", store=seed, **config))
    for size in sizes:
        path = folder / f"{size}.db"
        enlarge(seed, path, size)
        print(f"{size:,} episodes, {path.stat().st_size / 1e6:,.0f} MB", flush=True)
        for name, words in COMMANDS.items():
            print(f"    {name:<20}{measured(path, words):>20}", flush=True)
        for name, found in pages(path).items():
            print(f"    {f'web: {name}':<20}{found:>20}", flush=True)
        path.unlink()


def enlarge(seed: Path, path: Path, size: int) -> None:
    """A store in which the run has so many episodes: those of `seed`, again and again."""
    shutil.copy(seed, path)
    with Store.open(path) as store, store.transaction():
        (count,) = store.row("SELECT count(*) FROM trials")
        top = {
            name: int(store.row(f"SELECT max(pk) FROM {name}")[0])
            for name in ("trials", "calls", "judgings")
        }
        for copy in range(1, ceil(size / count)):
            values = {name: copy * most for name, most in top.items()}
            values |= {"copy": copy, "wanted": min(count, size - copy * count)}
            values |= {"top_call": top["calls"], "top_judging": top["judgings"]}
            for statement in COPIES:
                store.execute(statement.format_map(values))


COPIES = (
    """INSERT INTO trials (pk, run, id, task, body, status, cause, problem)
    SELECT pk + {trials}, run, id || '-{copy}', task, replace(body, id, id || '-{copy}'), status,
        cause, problem FROM trials WHERE pk <= {wanted}""",
    """INSERT INTO events (trial, n, body)
    SELECT trial + {trials}, n, body FROM events WHERE trial <= {wanted}""",
    """INSERT INTO calls (pk, run, trial, role, seat, turn, name, attempt, idx, model, tries,
        seconds, at, key, prompt_tokens, completion_tokens, cached_tokens, estimated, usd, finish,
        fault, served_model, fingerprint, left_out, cap, reasoned, prompt_bytes, base, schema, hash,
        prompt, reply)
    SELECT pk + {calls}, run, trial || '-{copy}', role, seat, turn, name, attempt, idx, model,
        tries, seconds, at, key || '-{copy}', prompt_tokens, completion_tokens, cached_tokens,
        estimated, usd, finish, fault, served_model, fingerprint, left_out, cap, reasoned,
        prompt_bytes, base + {calls}, schema, hash, prompt, reply
    FROM calls WHERE pk <= {top_call}""",
    """INSERT INTO judgings (pk, run, trial, cell, judge, number)
    SELECT pk + {judgings}, run, trial + {trials}, cell, judge, number
    FROM judgings WHERE pk <= {top_judging} AND trial <= {wanted}""",
    """INSERT INTO verdicts (judging, n, kind, measure, seat, value, text, cause, raw, attempts,
        unscored, low, high)
    SELECT judging + {judgings}, n, kind, measure, seat, value, text, cause, raw, attempts,
        unscored, low, high FROM verdicts
    WHERE judging IN (SELECT pk FROM judgings WHERE pk <= {top_judging} AND trial <= {wanted})""",
)


def measured(path: Path, words: Sequence[str]) -> str:
    """Seconds and peak memory of a command, in a process of its own."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *words, "--store", str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    peak = done.stderr.split("PEAK ")[1].split()[0]
    return f"{time.perf_counter() - began:.2f} s {peak:>5} MB"


def pages(path: Path) -> dict[str, str]:
    """Seconds of each page when it is first asked for, and the server's peak memory after it."""
    command = ["web", "--port", "8795", "--no-token", "--store", str(path)]
    with subprocess.Popen(
        [sys.executable, "-c", MEASURED, *command], stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        while "Ctrl-C ends it" not in server.stderr.readline():
            pass
        found = {}
        for name, address in PAGES.items():
            began = time.perf_counter()
            with urlopen(f"http://127.0.0.1:8795{address}") as answer:
                answer.read()
            status = Path(f"/proc/{server.pid}/status").read_text()
            peak = int(status.split("VmHWM:")[1].split()[0]) // 1024
            found[name] = f"{time.perf_counter() - began:.2f} s {peak:>5} MB"
        server.terminate()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--trials", type=int, default=450)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--growth", type=int, nargs="+")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        if given.growth:
            growth(Path(folder), given.growth)
            return
        bench(Path(folder), given.trials, given.turns)


if __name__ == "__main__":
    main()
