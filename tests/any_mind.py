"""A mind that answers anything valid at random."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from random import Random
from typing import Any, Literal, TypeVar

from sociolab.core import stream
from sociolab.town import (
    Choice,
    ChoosePlace,
    DayPlan,
    DayReminder,
    Decision,
    Decompose,
    Entry,
    GeneralPlan,
    Insight,
    Insights,
    Items,
    Lines,
    MindAnswer,
    MindQuestion,
    NewPlan,
    Part,
    Parts,
    PlanDay,
    RateImportance,
    Ratings,
    Reflect,
    Reminder,
    Replan,
    Said,
    ScriptedMind,
    Summarise,
    Summary,
    TalkOrNot,
    TalkReminder,
    Utter,
)

Answer = TypeVar("Answer", bound=MindAnswer)


class AnyMind:
    """Answers anything valid; alike for the same seed, resident, step and question.

    Half of the places are drawn for everybody alike, hour by hour, so that people meet.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    async def plan_day(self, question: PlanDay) -> DayPlan:
        """Four to ten entries from an early or late waking to an early or late bed."""
        chance = self._chance(question)
        wake, bed = chance.randint(18, 36), chance.randint(76, _QUARTERS + 4)
        awake = range(wake + 1, min(bed, _QUARTERS))
        starts = [wake, *sorted(chance.sample(awake, chance.randint(3, 9)))]
        entries = tuple(self._entry(question, chance, _clock(start)) for start in starts)
        return DayPlan(wake=_clock(wake), entries=entries, bed=_clock(bed))

    async def decompose(self, question: Decompose) -> Parts:
        """One to four parts at the objects that are there, or at none."""
        chance = self._chance(question)
        objects = ("", *question.objects)
        return Parts(
            parts=tuple(
                Part(
                    minutes=chance.randint(5, 60),
                    what=chance.choice(_DEEDS),
                    object=chance.choice(objects),
                )
                for _ in range(chance.randint(1, 4))
            )
        )

    async def choose_place(self, question: ChoosePlace) -> Choice:
        """A known place."""
        chance = self._chance(question)
        return Choice(place=self._place(question, chance, f"{question.me.now:%H:%M}"))

    async def rate_importance(self, question: RateImportance) -> Ratings:
        """Mostly low."""
        chance = self._chance(question)
        rated = tuple(min(chance.randint(1, 10), chance.randint(1, 10)) for _ in question.texts)
        return Ratings(ratings=rated)

    async def talk_or_not(self, question: TalkOrNot) -> Decision:
        """Mostly a talk."""
        chance = self._chance(question)
        ways: tuple[Literal["talk", "change plan", "carry on"], ...]
        ways = ("talk", "talk", "talk", "change plan", "carry on")
        return Decision(do=chance.choice(ways), why=chance.choice(_DEEDS))

    async def utter(self, question: Utter) -> Said:
        """Some words; a quarter of them end the talk."""
        chance = self._chance(question)
        return Said(text=chance.choice(_WORDS), ends=chance.random() < 0.25)

    async def summarise(self, question: Summarise) -> Summary:
        """A short note, which now and then changes the plan."""
        chance = self._chance(question)
        return Summary(
            memo=f"We talked, {question.other.id} and I.",
            importance=chance.randint(1, 10),
            changes_plan=chance.random() < 0.4,
        )

    async def replan(self, question: Replan) -> NewPlan:
        """One to five entries until bed."""
        chance = self._chance(question)
        now = question.me.now
        end = min(question.bedtime, datetime.combine(now.date(), time(23, 59)))
        minutes = max((end - now) // timedelta(minutes=1), 1)
        wanted = min(chance.randint(0, 4), minutes - 1)
        later = sorted(chance.sample(range(1, minutes), wanted))
        starts = [f"{now + timedelta(minutes=minute):%H:%M}" for minute in (0, *later)]
        return NewPlan(entries=tuple(self._entry(question, chance, start) for start in starts))

    async def reflect(self, question: Reflect) -> Insights:
        """One to five conclusions."""
        chance = self._chance(question)
        return Insights(
            insights=tuple(
                Insight(text=f"I like {chance.choice(_DEEDS)}.", importance=chance.randint(1, 10))
                for _ in range(chance.randint(1, 5))
            )
        )

    async def general_plan(self, question: GeneralPlan) -> Lines:
        """Three to five lines."""
        chance = self._chance(question)
        return Lines(lines=tuple(chance.choices(_WORDS, k=chance.randint(3, 5))))

    async def day_reminder(self, question: DayReminder) -> Reminder:
        """One sentence."""
        return Reminder(text=f"Think of {self._chance(question).choice(_DEEDS)}.")

    async def talk_reminder(self, question: TalkReminder) -> Items:
        """One to four items."""
        chance = self._chance(question)
        return Items(items=tuple(chance.choices(_WORDS, k=chance.randint(1, 4))))

    async def answer(self, question: MindQuestion[Answer]) -> Answer:
        """What the scripted mind says, where nothing is drawn here."""
        mind = ScriptedMind()
        answered: Answer = await getattr(mind, question.name, mind.answer)(question)
        return answered

    def _chance(self, question: MindQuestion[Any]) -> Random:
        """A talk's utterances are all of one step: there the talk's length counts too."""
        asked = question.meta
        name = question.name
        said = len(question.lines) if isinstance(question, Utter) else 0
        return stream(self._seed, asked.resident, asked.step, name, said)

    def _entry(self, question: MindQuestion[Any], chance: Random, start: str) -> Entry:
        place = "" if chance.random() < 0.1 else self._place(question, chance, start)
        return Entry(start=start, what=chance.choice(_DEEDS), place=place)

    def _place(self, question: MindQuestion[Any], chance: Random, start: str) -> str:
        places = sorted(question.me.places)
        own = chance.choice(places)
        haunt = stream(self._seed, "haunt", start[:2]).choice(places)
        return own if chance.random() < 0.5 else haunt


def _clock(quarters: int) -> str:
    hours, quarter = divmod(quarters % _QUARTERS, 4)
    return f"{hours:02}:{15 * quarter:02}"


_DEEDS = ("mending a chair", "reading", "having soup", "looking at the river", "sorting letters")

_WORDS = ("Good day to you.", "Will you come along tomorrow?", "I would rather not.", "Agreed.")

_QUARTERS = 4 * 24
