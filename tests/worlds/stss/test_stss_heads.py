"""Under short heads and ratings in batches a day is asked for in the same questions: scripted
residents, who read no head, plan and divide it alike."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from sociolab.core import Json, NoReply, Player, Reply, Request
from sociolab.engine import WorldSetup, drive
from sociolab.worlds import stss

PLANS = ("wake_up_hour", "daily_plan", "hourly_schedule", "task_decomposition")
FULL = {"heads": "full", "merge": ""}


class Planning:
    """Replies as scripted residents do, and keeps their plans and what each was a reply to."""

    def __init__(self, scripted: Player) -> None:
        self.scripted = scripted
        self.plans: list[tuple[str, str, Any, Any]] = []
        self.asked: Counter[str] = Counter()

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        name = request.name.partition(":")[0]
        self.asked[name] += 1
        reply = await self.scripted.reply(request, memory)
        if name in PLANS:
            question: Any = request.expected
            about = getattr(question, "start", None) or getattr(question, "block", None)
            assert isinstance(reply, Reply)
            self.plans.append((request.seat, name, about, reply.value))
        return reply


def planned(settings: dict[str, str]) -> Planning:
    given = {"mind": "generative-agents", "step": "60", "tdp": "true", **settings}
    kit = stss.load(WorldSetup(seed=1, settings=given))
    task = next(task for task in kit.world.tasks() if task.id == "railway-interview")
    planning = Planning(kit.players["scripted"])
    seats = dict.fromkeys(task.seats, planning)
    asyncio.run(drive(kit.world.play(task, "t", 1), seats, lambda _: None))
    return planning


@pytest.fixture(scope="module")
def days() -> tuple[Planning, Planning]:
    return planned({}), planned(FULL)


def test_plans_hours_and_steps_are_the_same_under_both_heads(
    days: tuple[Planning, Planning],
) -> None:
    short, full = days
    assert {name for _, name, *_ in short.plans} == {*PLANS}
    assert sorted(map(repr, short.plans)) == sorted(map(repr, full.plans))


def test_all_else_is_asked_as_often_but_for_ratings(days: tuple[Planning, Planning]) -> None:
    short, full = (day.asked for day in days)
    assert short["rate_importance"] > 0 == full["rate_importance"]
    assert full["importance"] > short["importance"] + short["rate_importance"]
    ratings = ("rate_importance", "importance")
    assert [{n: c for n, c in each.items() if n not in ratings} for each in (short, full)] == [
        {n: c for n, c in full.items() if n not in ratings}
    ] * 2
