"""What a town's day costs in model calls: by question, how much of it repeats, CPU a call.

    PYTHONPATH=src python benchmarks/bench_town_calls.py calls [--task lantern-walk]
    PYTHONPATH=src python benchmarks/bench_town_calls.py cpu [--tasks 4] [--rounds 3]

The residents live as the scripted mind decides, so that they do and say what is plausible; but each
question is first put to the local endpoint as the model mind puts it, and the reply is read, kept
and paid for as in any run before it is thrown away. Tokens are the endpoint's: a quarter of the
characters of messages and schema, "repeating" being what an earlier prompt begins with, too.

Prints figures beside their targets; the exit code is 1 if one is missed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar, cast
from unittest.mock import patch

from pydantic import BaseModel

from sociolab.app.config import RunConfig
from sociolab.app.play import run
from sociolab.core.errors import ReplyError
from sociolab.models.endpoint.counters import Counters
from sociolab.models.endpoint.running import start_in_process
from sociolab.models.endpoint.settings import EndpointSettings
from sociolab.store.sqlite import Store
from sociolab.town.mind import QUESTIONS
from sociolab.town.model_mind import ModelMind
from sociolab.town.scripted.mind import ScriptedMind
from sociolab.town.thoughts import Thought
from sociolab.worlds.stss import kit
from sociolab.worlds.stss.dataset import own_town

sys.path.insert(0, str(Path(__file__).parent))
from bench_sotopia import Report, cpu_of
from play_run import Meter

Typed = TypeVar("Typed", bound=BaseModel)

NAME = "bench"
LATENCY_MS = 50.0
REFERENCE_CALLS, REFERENCE_TOKENS = 693, 216_000
"""An agent-day of Generative Agents as STSS runs it (issue 4)."""


class Aloud(ModelMind):
    """Asks the model, reads its reply, and then does what the scripted mind would do."""

    _decides = ScriptedMind()

    async def _ask(self, question: Thought, kind: type[Typed], temperature: float) -> Typed:
        with suppress(ReplyError):  # made-up answers need not fit: they are thrown away
            await super()._ask(question, kind, temperature)
        name, _ = QUESTIONS[type(question)]
        return cast("Typed", await getattr(self._decides, name)(question))


def play(url: str, folder: Path, meter: Meter | None = None, **more: object) -> None:
    """One run with residents who think aloud."""
    config = RunConfig.model_validate(
        {
            "world": "stss",
            "agents": ("openai/m",),
            "judges": ("rules",),
            "base_url": url,
            "seed": 1,
            "in_flight": 64,
            "name": NAME,
            "store": folder / "runs.db",
            **more,
        }
    )
    with patch.object(kit, "ModelMind", Aloud):
        result = run(config, meter.watch if meter else None)
    if result.failed or result.stopped:
        with Store.open(folder / "runs.db", create=False) as store:
            problems = [row.problem for row in store.trials(result.run) if row.problem]
        raise SystemExit(f"the run did not come to its end: {result.stopped or problems}")


# ------------------------------------------------------------------ calls and tokens


@dataclass(frozen=True, slots=True)
class Cost:
    """Calls, tokens sent, and those of them that repeat an earlier beginning."""

    calls: int = 0
    tokens: int = 0
    cached: int = 0

    def and_(self, tokens: int, cached: int) -> Cost:
        return replace(
            self, calls=self.calls + 1, tokens=self.tokens + tokens, cached=self.cached + cached
        )


def calls(given: argparse.Namespace, report: Report) -> None:
    """Calls and tokens an agent-day, by question, without TDP and with it."""
    task = next(task for task in own_town(1).tasks if task.id == given.task)
    days = (1 + len(task.background)) * len(task.days)
    for tdp in (False, True):
        print(f"{task.id}, {days} agent-days, {'with' if tdp else 'without'} TDP: an agent-day has")
        with tempfile.TemporaryDirectory() as scratch:
            costs, counted = _costs(Path(scratch), task.id, tdp)
        _by_question(costs, days)
        _in_all(counted, days, report)


def _costs(folder: Path, task: str, tdp: bool) -> tuple[dict[str, Cost], Counters]:
    costs: dict[str, Cost] = defaultdict(Cost)
    with start_in_process(EndpointSettings()) as endpoint:
        play(endpoint.url, folder, tasks=task, settings={"tdp": str(tdp).lower()})
        counted = endpoint.counters
    with Store.open(folder / "runs.db", create=False) as store:
        for row in store.calls(NAME):
            usage = row.reply.usage
            costs[row.call.name] = costs[row.call.name].and_(usage.prompt, usage.cached)
    return costs, counted


def _by_question(costs: dict[str, Cost], days: int) -> None:
    print(f"  {'':<18}{'calls':>8}{'tokens':>10}{'new':>9}{'a call':>9}{'new a call':>12}")
    for name, cost in sorted(costs.items(), key=lambda item: -item[1].tokens):
        new = cost.tokens - cost.cached
        print(
            f"  {name:<18}{cost.calls / days:>8.1f}{cost.tokens / days:>10,.0f}"
            f"{new / days:>9,.0f}{cost.tokens / cost.calls:>9,.0f}{new / cost.calls:>12,.0f}"
        )


def _in_all(counted: Counters, days: int, report: Report) -> None:
    sent = counted.prompt_tokens / days
    new = (counted.prompt_tokens - counted.cached_tokens) / days
    requests = counted.requests / days
    report.most("calls", requests, 100, "", 1)
    report.say("calls of the reference over ours", f"{REFERENCE_CALLS / requests:.1f}")
    report.most("tokens sent", sent, 150_000, "", 0)
    report.say("tokens of the reference over ours", f"{REFERENCE_TOKENS / sent:.1f}")
    report.most("of which do not repeat an earlier beginning", new, 50_000, "", 0)
    report.least("share that repeats", 100 * counted.repeated_share, 65, "%")


# ------------------------------------------------------------------ CPU


def cpu(given: argparse.Namespace, report: Report) -> None:
    """CPU a call of whole runs, beside the same lives without a call."""
    print(f"{given.tasks} tasks at once, 64 calls in flight, median of {given.rounds} rounds")
    rounds = [_round(given.tasks) for _ in range(given.rounds)]
    report.say("calls", f"{rounds[0].calls:,}")
    whole = statistics.median(each.aloud / each.calls for each in rounds) * 1e3
    report.say("CPU a call, the town's life included", f"{whole:.3f} ms")
    alone = statistics.median((each.aloud - each.quiet) / each.calls for each in rounds) * 1e3
    report.most("CPU a call, the same lives without calls taken off", alone, 0.45, "ms", 3)
    theirs = statistics.median(each.endpoint / each.calls for each in rounds) * 1e3
    report.say("CPU a call, the endpoint's process", f"{theirs:.3f} ms")
    rate = statistics.median(each.calls / each.wall for each in rounds)
    report.say("calls a second", f"{rate:,.0f} /s")


@dataclass(frozen=True, slots=True)
class Round:
    """CPU seconds of playing aloud, of the same offline, and of the endpoint; wall seconds."""

    calls: int
    aloud: float
    quiet: float
    endpoint: float
    wall: float


def _round(tasks: int) -> Round:
    slow = EndpointSettings(latency_ms=LATENCY_MS)
    aloud, quiet = Meter(), Meter()
    with tempfile.TemporaryDirectory() as scratch, start_in_process(slow) as endpoint:
        play(endpoint.url, Path(scratch), aloud, limit=tasks)
        counted, theirs = endpoint.counters, cpu_of(endpoint.pid)
        play(endpoint.url, Path(scratch), quiet, limit=tasks, agents=("scripted",), name="quiet")
    return Round(counted.requests, aloud.cpu, quiet.cpu, theirs, aloud.wall)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("calls", "cpu", "all"))
    parser.add_argument("--task", default="lantern-walk", help="a task with 12 residents")
    parser.add_argument("--tasks", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    report = Report()
    for name, part in (("calls", calls), ("cpu", cpu)):
        if given.part in (name, "all"):
            part(given, report)
    for what in report.missed:
        print(f"missed: {what}")
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
