"""What the store costs: microseconds per append and per keep, milliseconds per bulk operation.

Run: python benchmarks/bench_store.py [--folder DIR] [--trials 450] [--turns 20]

Prints figures and asserts nothing. 64 episodes are open at a time, as in a run with 64 calls in
flight; each turn of the "turn" rows keeps one call and appends one event, in one commit.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from sociolab.core.episode import Action, CastMember, Moved, Task, Trial
from sociolab.core.ports import CallKey, ChatReply, Message, Prompt, Schema, Usage
from sociolab.core.score import JudgeId, Measure, Score
from sociolab.core.seeding import digest, stream
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
    cast = (CastMember("a", "openai/some-model", "0a1b"), CastMember("b", "scripted", "2c3d"))
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
        timed("verdicts", trials, "episode", lambda: sum(1 for _ in store.verdicts.all("r")))
        timed("totals", len(moves), "call", lambda: store.calls.totals("turn"))
        calls = list(store.calls.all("turn"))
        timed("prompt_of", len(calls), "call", lambda: [store.calls.prompt(row) for row in calls])
        file = folder / "run.jsonl"
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--trials", type=int, default=450)
    parser.add_argument("--turns", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        bench(Path(folder), given.trials, given.turns)


if __name__ == "__main__":
    main()
