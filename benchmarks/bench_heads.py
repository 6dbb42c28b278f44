"""Whether a model rates memories alike under the short and the full heads of Generative Agents.

    PYTHONPATH=src python benchmarks/bench_heads.py --model NAME --base-url URL [--memories 100]

The memories are those of two scripted days of the first task, of `--residents N` residents (12:
all), as many of each kind as there are, up to a third. Each is rated alone, at temperature 0, under
one head and then the other, until all are rated or `--minutes` are over; `--again N` rates the
first N again under the full head, as a control of the model itself; `--parts "..."` tries another
short head, by names of `generative/identity.md`. A resident's memories follow one another, so that
a server with two slots reads its heads once.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

from sociolab.core.episode import Json
from sociolab.core.ports import CallKey, NoReply, Reply, Request
from sociolab.engine.driver import drive
from sociolab.engine.setup import WorldSetup
from sociolab.models.chat import Endpoint
from sociolab.models.config import EndpointSpec
from sociolab.prompting.structured import parse_reply
from sociolab.stats import spearman
from sociolab.town.mind import MindPlayer
from sociolab.town.model_mind import build_prompt
from sociolab.town.questions.generative import MemoryRating, RateMemory
from sociolab.town.scripted.mind import ScriptedMind
from sociolab.worlds.stss.kit import load
from sociolab.worlds.stss.world import StssSettings


class Listener:
    """A scripted player that keeps what is to be rated."""

    def __init__(self, asked: list[RateMemory]) -> None:
        self._asked = asked
        self._player = MindPlayer(ScriptedMind(), built_in=True)

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """The scripted answer."""
        if isinstance(request.observation.view, RateMemory):
            self._asked.append(request.observation.view)
        return await self._player.reply(request, memory)


async def memories(count: int, residents: int) -> tuple[list[RateMemory], Any]:
    """Memories to rate, no text twice, resident by resident, and the prompt set."""
    world = load(WorldSetup(seed=1, settings={"mind": "generative-agents", "merge": ""})).world
    task = world.tasks()[0]
    asked: list[RateMemory] = []
    seats = dict.fromkeys(task.seats, Listener(asked))
    await drive(world.play(task, "t", 1), seats, lambda _: None)
    known = list(dict.fromkeys(question.meta.resident for question in asked))[:residents]
    by_text = {q.text: q for q in asked if q.meta.resident in known}
    chosen: list[RateMemory] = []
    for kind in ("memory", "conversation", "thought", "event"):
        alike = [question for question in by_text.values() if question.kind == kind]
        Random(1).shuffle(alike)
        most = count - len(chosen) if kind == "event" else count // 3
        chosen += alike[:most]
    chosen.sort(key=lambda question: known.index(question.meta.resident))
    return chosen, StssSettings(mind="generative-agents").texts


def correlate(a: list[float], b: list[float], questions: list[RateMemory]) -> str:
    """Spearman's rho with its interval, clustered by resident."""
    rho = spearman(a, b, [question.meta.resident for question in questions])
    return str(rho)


async def rate(given: argparse.Namespace) -> None:
    questions, texts = await memories(given.memories, given.residents)
    if given.parts is not None:
        RateMemory.head_parts = given.parts
    print(len(questions), "memories:", dict(Counter(question.kind for question in questions)))
    began = time.monotonic()
    ratings: dict[str, list[float]] = {"short": [], "full": [], "full again": []}
    spec = EndpointSpec(name="openai", base_url=given.base_url, timeout_s=3000, total_s=6000)
    async with Endpoint(spec) as endpoint:
        model = endpoint.model(given.model)
        for number, question in enumerate(questions):
            if time.monotonic() - began > 60 * given.minutes:
                questions = questions[:number]
                break
            for name in ("full", "short", *["full again"] * (number < given.again)):
                me = replace(question.me, heads="short" if name == "short" else "full")
                prompt = build_prompt(replace(question, me=me), texts, 0.0)
                key = CallKey("bench", "agent", question.meta.resident, 0, name, 1, 0)
                answer = parse_reply(await model.complete(prompt, key), MemoryRating)
                ratings[name].append(answer.rating)
    print(len(questions), "rated in", f"{time.monotonic() - began:.0f} s")
    for name, given_ratings in ratings.items():
        print(f"{name}: {dict(sorted(Counter(given_ratings).items()))}")
    full, short, again = ratings["full"], ratings["short"], ratings["full again"]
    print("Spearman's rho of short and full heads:", correlate(short, full, questions))
    for kind in ("memory", "conversation", "thought", "event"):
        at = [i for i, question in enumerate(questions) if question.kind == kind]
        if len(at) > 2:
            one, other = [short[i] for i in at], [full[i] for i in at]
            print(f"  {kind} ({len(at)}):", correlate(one, other, [questions[i] for i in at]))
    print("equal:", sum(a == b for a, b in zip(short, full, strict=True)))
    print("within 1:", sum(abs(a - b) <= 1 for a, b in zip(short, full, strict=True)))
    if again:
        print("full heads twice, equal:", sum(map(float.__eq__, map(float, again), full)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--memories", type=int, default=100)
    parser.add_argument("--residents", type=int, default=12)
    parser.add_argument("--minutes", type=float, default=600)
    parser.add_argument("--again", type=int, default=0, help="how many to rate again in full")
    parser.add_argument("--parts", help="what the short head holds; default: as it is")
    asyncio.run(rate(parser.parse_args()))


if __name__ == "__main__":
    main()
