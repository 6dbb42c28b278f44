"""Minds for towns whose residents live by Generative Agents: one of which a test says what it
answers, and one that answers anything valid."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Literal

from pydantic import BaseModel

from any_mind import AnyMind
from sociolab.core import stream
from sociolab.town import Decision, Items, Lines, Reminder, Said, Summary
from sociolab.town.questions import Memo, ScheduleEntry
from sociolab.town.questions.generative import (
    Activity,
    Area,
    ChooseArea,
    EvidencedInsight,
    EvidencedInsights,
    HourlySchedule,
    MemoryRating,
    Noted,
    ObjectState,
    Outline,
    React,
    SalientAnswer,
    Schedule,
    Subtask,
    Subtasks,
    ThingState,
    Waking,
    Written,
)

Answer = Callable[[Any], BaseModel]

CARRY_ON = Decision(do="carry on")


def schedule(*entries: str) -> Schedule:
    """Entries such as "09:00 mending clocks"."""
    return Schedule(
        entries=tuple(ScheduleEntry(start=entry[:5], what=entry[6:]) for entry in entries)
    )


def insight(text: str, *because: int) -> EvidencedInsights:
    """One insight, and the numbers of the statements that it follows from."""
    return EvidencedInsights(insights=(EvidencedInsight(insight=text, because=because),))


def _whole(question: Any) -> Subtasks:
    return Subtasks(subtasks=(Subtask(minutes=240, what=question.block.what),))


DEFAULTS: dict[str, Answer] = {
    "importance": lambda _: MemoryRating(rating=1),
    "salient_questions": lambda _: SalientAnswer(questions=("Who?", "What?", "Why?")),
    "insights": lambda _: insight("Life is calm.", 1),
    "planning_note": lambda _: Written(text="Nothing to remember."),
    "feeling_note": lambda _: Written(text="All is well."),
    "revise_identity": lambda _: Written(text="Another day."),
    "wake_up_hour": lambda _: Waking(wake="06:00", bed="22:00"),
    "daily_plan": lambda _: Outline(plan=("get up at 06:00", "go to bed at 22:00")),
    "hourly_schedule": lambda _: Activity(what="resting"),
    "day_schedule": lambda _: schedule("06:00 resting"),
    "revise_schedule": lambda question: schedule(f"{question.me.now:%H:%M} resting"),
    "task_decomposition": _whole,
    "choose_sector": lambda question: Area(name=question.options[0]),
    "choose_arena": lambda question: Area(name=question.options[0]),
    "choose_object": lambda question: Area(name=question.options[0]),
    "object_state": lambda _: ThingState(state="in use"),
    "relationship": lambda _: Written(text="A neighbour."),
    "react": lambda _: CARRY_ON,
    "conversation_summary": lambda _: Memo(memo="We talked."),
    "planning_thought": lambda _: Noted(text="Nothing to plan."),
    "conversation_memo": lambda _: Noted(text="Nothing of note."),
    "utter": lambda _: Said(text="Good day to you.", ends=True),
    "summarise": lambda _: Summary(memo="We talked.", importance=3),
    "general_plan": lambda _: Lines(lines=("invite", "remind", "be there")),
    "day_reminder": lambda _: Reminder(text="Invite everybody."),
    "talk_reminder": lambda _: Items(items=("the party",)),
}


class Marionette:
    """Answers by default, but where a test gives a function from question to answer; `asked` holds
    all that it was asked, in order."""

    def __init__(self, **answers: Answer) -> None:
        self._answers = DEFAULTS | answers
        self.asked: list[Any] = []

    async def answer(self, question: Any) -> BaseModel:
        self.asked.append(question)
        return self._answers[question.name](question)

    def of(self, kind: type, who: str = "") -> list[Any]:
        """The questions of a kind, of everybody or of one resident."""
        mine: list[Any] = [one for one in self.asked if isinstance(one, kind)]
        return [question for question in mine if not who or question.meta.resident == who]


class AnyGenerative(AnyMind):
    """Answers anything valid; alike for the same seed, resident, step, question and index."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._own = seed

    def _draw(self, question: Any) -> Random:
        asked = question.meta
        return stream(self._own, asked.resident, asked.step, question.name, asked.index)

    async def react(self, question: React) -> Decision:
        """Mostly a talk, or to wait, where that can be."""
        ways: tuple[Literal["talk", "wait", "change plan", "carry on"], ...]
        ways = ("talk", "talk", "change plan", "carry on")
        ways = (*ways[0 if question.may_talk else 2 :], *(("wait",) * 3 if question.thing else ()))
        do = self._draw(question).choice(ways)
        return Decision(do=do, why="it is so")

    async def object_state(self, question: ObjectState) -> ThingState:
        """One of three, which lasts or not."""
        draw = self._draw(question)
        return ThingState(state=draw.choice(("warm", "cold", "on fire")), stays=draw.random() < 0.5)

    async def hourly_schedule(self, question: HourlySchedule) -> Activity:
        """One of three."""
        return Activity(what=self._draw(question).choice(("reading", "cooking", "walking")))

    async def choose_sector(self, question: ChooseArea) -> Area:
        """Where everybody goes in this hour, or anywhere."""
        haunt = stream(self._own, "haunt", question.me.now.hour).choice(sorted(question.options))
        own = self._draw(question).choice(question.options)
        return Area(name=self._draw(question).choice((haunt, own)))

    async def task_decomposition(self, question: Any) -> Subtasks:
        """In two."""
        half = max(1, question.block.minutes // 2)
        steps = (Subtask(minutes=half, what="beginning"), Subtask(minutes=half, what="ending"))
        return Subtasks(subtasks=steps)

    async def importance(self, question: Any) -> MemoryRating:
        """High enough to reflect now and then."""
        return MemoryRating(rating=self._draw(question).randint(1, 10))
