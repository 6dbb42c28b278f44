"""What a town's day costs in model calls: by question, how much of it repeats, CPU a call.

    PYTHONPATH=src python benchmarks/bench_town_calls.py calls [--tasks 4] [--mind NAME]
    PYTHONPATH=src python benchmarks/bench_town_calls.py cpu [--tasks 4] [--rounds 3]

The residents live as the scripted mind decides, so that they do and say what is plausible; but each
question is first put to the local endpoint as the model mind puts it, and the reply is read, kept
and paid for as in any run before it is thrown away. Tokens are the endpoint's: a quarter of the
characters of messages and schema, "repeating" being what an earlier prompt begins with, too.

Prints figures beside their targets; the exit code is 1 if one is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast
from unittest.mock import patch

from sociolab.app.run.config import RunConfig
from sociolab.app.run.play import run
from sociolab.core.episode import Json
from sociolab.core.errors import ReplyError
from sociolab.core.ports import NoReply, Reply, Request
from sociolab.endpoint.server import start_in_process
from sociolab.endpoint.settings import EndpointSettings
from sociolab.engine.driver import drive
from sociolab.engine.setup import WorldSetup
from sociolab.models.budget import Budget
from sociolab.models.cache import CachedModel
from sociolab.models.chat import Endpoint
from sociolab.models.config import EndpointSpec
from sociolab.store.calls import RunReplies
from sociolab.store.store import Store
from sociolab.town.mind import MindPlayer
from sociolab.town.model_mind import ModelMind
from sociolab.town.questions import MindAnswer, MindQuestion
from sociolab.town.scripted.mind import ScriptedMind
from sociolab.worlds.stss import kit
from sociolab.worlds.stss.dataset import own_town
from sociolab.worlds.stss.kit import load
from sociolab.worlds.stss.world import paper_prompts

sys.path.insert(0, str(Path(__file__).parent))
from bench_sotopia import Report, _bare_posts, cpu_of, plain_endpoint
from play_run import Meter

A = TypeVar("A", bound=MindAnswer)

NAME = "bench"
RESIDENTS = 12
REFERENCE_CALLS, REFERENCE_TOKENS = 693, 216_000
"""An agent-day of Generative Agents as STSS runs it (issue 4)."""


class Aloud(ModelMind):
    """Asks the model, reads its reply, and then does what the scripted mind would do."""

    _decides = ScriptedMind()

    async def answer(self, question: MindQuestion[A]) -> A:
        """What the scripted mind answers, when the model has been asked, too."""
        with suppress(ReplyError):  # made-up answers need not fit: they are thrown away
            await super().answer(question)
        decides = self._decides
        return cast("A", await getattr(decides, question.name, decides.answer)(question))


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
        result = run(config, meter.watch if meter else None).result
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
    chosen = [task.id for task in own_town(1).tasks if len(task.background) == RESIDENTS - 1]
    chosen = chosen[: given.tasks]
    days = len(chosen) * RESIDENTS * 2
    for tdp in (False, True):
        with_ = "with" if tdp else "without"
        print(f"{', '.join(chosen)}: {days} agent-days {with_} TDP; an agent-day has")
        costs: dict[str, Cost] = defaultdict(Cost)
        for task in chosen:
            with tempfile.TemporaryDirectory() as scratch:
                _live(Path(scratch), task, {"mind": given.mind, "tdp": str(tdp).lower()}, costs)
        _by_question(costs, days)
        _in_all(list(costs.values()), days, report, lean=given.mind == "lean")


def _live(folder: Path, task: str, settings: dict[str, str], costs: dict[str, Cost]) -> None:
    """One task on an endpoint of its own, which has seen no prompt before."""
    with start_in_process(EndpointSettings()) as endpoint:
        play(endpoint.url, folder, tasks=task, settings=settings)
        counted = endpoint.counters
    with Store.open(folder / "runs.db", create=False) as store:
        rows = list(store.calls.all(NAME))
    for row in rows:
        usage = row.reply.usage
        costs[row.call.name] = costs[row.call.name].and_(usage.prompt, usage.cached)
    assert len(rows) == counted.requests, "not every call is on record"
    assert sum(row.reply.usage.prompt for row in rows) == counted.prompt_tokens


def _by_question(costs: dict[str, Cost], days: int) -> None:
    print(f"  {'':<18}{'calls':>8}{'tokens':>10}{'new':>9}{'a call':>9}{'new a call':>12}")
    for name, cost in sorted(costs.items(), key=lambda item: -item[1].tokens):
        new = cost.tokens - cost.cached
        print(
            f"  {name:<18}{cost.calls / days:>8.1f}{cost.tokens / days:>10,.0f}"
            f"{new / days:>9,.0f}{cost.tokens / cost.calls:>9,.0f}{new / cost.calls:>12,.0f}"
        )


def _in_all(costs: Sequence[Cost], days: int, report: Report, *, lean: bool) -> None:
    asked, sent = sum(cost.calls for cost in costs), sum(cost.tokens for cost in costs)
    repeated = sum(cost.cached for cost in costs)
    if not lean:  # it is to be as the reference is, and no cheaper
        report.say("calls, the reference's beside them", f"{asked / days:.0f}, {REFERENCE_CALLS}")
        report.say("tokens, the same", f"{sent / days:,.0f}, {REFERENCE_TOKENS:,}")
        report.say("of which repeat no earlier beginning", f"{(sent - repeated) / days:,.0f}")
        return
    report.most("calls", asked / days, 100, "", 1)
    report.say("calls of the reference over ours", f"{REFERENCE_CALLS * days / asked:.1f}")
    report.most("tokens sent", sent / days, 150_000, "", 0)
    report.say("tokens of the reference over ours", f"{REFERENCE_TOKENS * days / sent:.1f}")
    report.most("of which repeat no earlier beginning", (sent - repeated) / days, 50_000, "", 0)
    report.least("share that repeats", 100 * repeated / sent, 65, "%")


# ------------------------------------------------------------------ CPU


def cpu(given: argparse.Namespace, report: Report) -> None:
    """CPU a call: the model mind and what is below it alone, then whole runs."""
    with start_in_process(plain_endpoint()) as endpoint:
        bare = min(asyncio.run(_bare_posts(endpoint.url)) for _ in range(5)) * 1e3
    report.say("CPU a post, nothing but aiohttp (best of 5)", f"{bare:.3f} ms")

    questions = _questions()
    print(f"The model mind asked {len(questions):,} questions of a town, 64 in flight, all kept")
    mind = min(_asked_alone(questions) for _ in range(given.rounds)) * 1e3
    report.say(f"CPU a call (best of {given.rounds})", f"{mind:.3f} ms")
    report.say("the same in bare posts", f"{mind / bare:.1f}")

    print(f"{given.tasks} tasks at once, 64 calls in flight, median of {given.rounds} rounds")
    rounds = [_round(given.tasks) for _ in range(given.rounds)]
    report.say("calls", f"{rounds[0].calls:,}")
    whole = statistics.median(each.playing / each.calls for each in rounds) * 1e3
    report.say("CPU a call, the life of the town included", f"{whole:.3f} ms")
    theirs = statistics.median(each.endpoint / each.calls for each in rounds) * 1e3
    report.say("CPU a call, the endpoint's process", f"{theirs:.3f} ms")
    rate = statistics.median(each.calls / each.wall for each in rounds)
    report.say("calls a second", f"{rate:,.0f} /s")


class Curious:
    """A player that keeps what it is asked, and answers as the scripted mind does."""

    def __init__(self, questions: list[MindQuestion[Any]]) -> None:
        self._questions = questions
        self._player = MindPlayer(ScriptedMind(), built_in=True)

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """The scripted answer."""
        self._questions.append(request.observation.view)
        return await self._player.reply(request, memory)


def _questions() -> list[MindQuestion[Any]]:
    """What is asked in two days of the first task."""
    world = load(WorldSetup(seed=1)).world
    task = world.tasks()[0]
    found: list[MindQuestion[Any]] = []
    asyncio.run(
        drive(world.play(task, "t", 1), dict.fromkeys(task.seats, Curious(found)), lambda _: None)
    )
    return found


def _asked_alone(questions: list[MindQuestion[Any]]) -> float:
    """CPU seconds a call: prompt, schema, client, store, reading of the reply."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        start_in_process(plain_endpoint()) as endpoint,
        Store.open(Path(scratch) / "runs.db") as store,
    ):
        store.create_run(NAME, "stss", {}, [])
        spec = EndpointSpec(name="openai", base_url=endpoint.url, in_flight=64)
        return asyncio.run(_ask_all(spec, RunReplies(store, NAME), questions))


async def _ask_all(
    spec: EndpointSpec, replies: RunReplies, questions: list[MindQuestion[Any]]
) -> float:
    left = iter(questions)
    async with Endpoint(spec) as endpoint:
        mind = ModelMind(
            CachedModel(endpoint.model("m"), spec.base_url, replies, Budget()), paper_prompts()
        )

        async def work() -> None:
            for question in left:
                with suppress(ReplyError):
                    await mind.answer(question)

        began = time.process_time()
        await asyncio.gather(*(work() for _ in range(64)))
        return (time.process_time() - began) / len(questions)


@dataclass(frozen=True, slots=True)
class Round:
    """CPU seconds of playing, and of the endpoint; wall seconds."""

    calls: int
    playing: float
    endpoint: float
    wall: float


def _round(tasks: int) -> Round:
    meter = Meter()
    with tempfile.TemporaryDirectory() as scratch, start_in_process(plain_endpoint()) as endpoint:
        play(endpoint.url, Path(scratch), meter, limit=tasks)
        return Round(endpoint.counters.requests, meter.cpu, cpu_of(endpoint.pid), meter.wall)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("calls", "cpu", "all"))
    parser.add_argument("--tasks", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--mind", choices=("lean", "generative-agents"), default="lean")
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
