"""Days on which a performer tells nobody of its task, in the words of ordinary days."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

from sociolab.core import Completed, Happened, StartRequests, stream
from sociolab.town import (
    DayPlan,
    MindPlayer,
    NewPlan,
    PlanDay,
    Replan,
    ScriptedMind,
    Trajectory,
    chunks_in,
    read_trace,
)
from sociolab.worlds import stss

KINDS = {
    "having breakfast": "breakfast",
    "having lunch": "lunch",
    "having supper": "supper",
    "getting dressed": "morning",
    "getting ready for bed": "bedtime",
    "spending time at home": "home",
    "taking a break": "out",
}
"""The parts of a scripted day, as `ordinary.toml` calls them; all else is work."""

Answer = TypeVar("Answer", DayPlan, NewPlan)


class OrdinaryMind(ScriptedMind):
    """A scripted life without its task, in the words that models use of ordinary days."""

    async def plan_day(self, question: PlanDay) -> DayPlan:
        return _worded(await super().plan_day(_mute(question)), question)

    async def replan(self, question: Replan) -> NewPlan:
        return _worded(await super().replan(_mute(question)), question)

    async def answer(self, question: Any) -> Any:
        return await getattr(ScriptedMind(), question.name)(_mute(question))


for _name in ("talk_or_not", "utter", "summarise", "general_plan", "day_reminder", "talk_reminder"):
    setattr(OrdinaryMind, _name, OrdinaryMind.answer)


def mute_scores(data: stss.TownData, seed: int = 1, only: Iterable[str] = ()) -> dict[str, float]:
    """By task, what it scores though nobody was told of it."""
    world, wanted = (
        stss.Stss(data, stss.StssSettings(order="lock-step", cooldown=2000, patience=2000)),
        tuple(only),
    )
    player = MindPlayer(OrdinaryMind())
    found = {}
    for task in world.tasks():
        if wanted and task.id not in wanted:
            continue
        play, sent, events = world.play(task, "mute", seed), None, []
        while True:
            try:
                item = play.send(sent)
            except StopIteration:
                break
            sent = None
            if isinstance(item, StartRequests):
                sent = tuple(Completed(one, _now(player.reply(one, None))) for one in item.requests)
            elif isinstance(item, Happened):
                events.append(item)
        content = stss.parse_content(task.content)
        trajectory = Trajectory(read_trace(chunks_in(events)), data.town)
        found[task.id] = stss.score(content.task, trajectory, stss.ScoreSettings()).goal
    return found


def _mute(question: Any) -> Any:
    return replace(question, me=replace(question.me, task=None, heard=()))


def _now(answering: Any) -> Any:
    """What a coroutine returns that waits for nothing."""
    try:
        answering.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("a scripted mind waits for nothing")


def _worded(plan: Answer, question: PlanDay | Replan) -> Answer:
    chance = stream(question.meta.seed, "words", question.meta.resident, question.meta.step)
    habits = {habit.what for habit in question.me.resident.habits}
    entries = tuple(
        entry
        if entry.what in habits
        else entry.model_copy(
            update={"what": chance.choice(stss.ordinary_day()[KINDS.get(entry.what, "work")])}
        )
        for entry in plan.entries
    )
    return plan.model_copy(update={"entries": entries})
