"""The scripted mind: every question of a resident's life answered by rules, without a model."""

from __future__ import annotations

from sociolab.town.answers import (
    Choice,
    DayPlan,
    Decision,
    Insights,
    Items,
    Lines,
    NewPlan,
    Parts,
    Ratings,
    Reminder,
    Said,
    Summary,
)
from sociolab.town.scripted import tdp
from sociolab.town.scripted.choosing import choice
from sociolab.town.scripted.day import plan_of
from sociolab.town.scripted.deciding import decision
from sociolab.town.scripted.mattering import insights, ratings
from sociolab.town.scripted.parts import parts_of
from sociolab.town.scripted.remembering import summary
from sociolab.town.scripted.replanning import rest_of_day
from sociolab.town.scripted.speaking import said
from sociolab.town.thoughts import (
    ChoosePlace,
    DayReminder,
    Decompose,
    GeneralPlan,
    PlanDay,
    RateImportance,
    Reflect,
    Replan,
    Summarise,
    TalkOrNot,
    TalkReminder,
    Utter,
)


class ScriptedMind:
    """A `Mind` for any number of residents: offline, deterministic, without a state of its own.

    All that it knows is in the question; chance is drawn from the question's seed, so that the
    same question has the same answer in every process.
    """

    async def plan_day(self, question: PlanDay) -> DayPlan:
        """Lifestyle, routine and what was promised, in a day."""
        return plan_of(question)

    async def decompose(self, question: Decompose) -> Parts:
        """Parts that suit the kind of activity, at objects that are there."""
        return parts_of(question)

    async def choose_place(self, question: ChoosePlace) -> Choice:
        """A known place where such things are done."""
        return choice(question)

    async def rate_importance(self, question: RateImportance) -> Ratings:
        """Rates by words."""
        return ratings(question)

    async def talk_or_not(self, question: TalkOrNot) -> Decision:
        """Talks with a reason, or for company."""
        return decision(question)

    async def utter(self, question: Utter) -> Said:
        """Answers, tells its business, makes small talk, says goodbye."""
        return said(question)

    async def summarise(self, question: Summarise) -> Summary:
        """Who, what, when and where, and what was agreed."""
        return summary(question)

    async def replan(self, question: Replan) -> NewPlan:
        """The rest of the day with what is new."""
        return rest_of_day(question)

    async def reflect(self, question: Reflect) -> Insights:
        """What the memories' words repeat."""
        return insights(question)

    async def general_plan(self, question: GeneralPlan) -> Lines:
        """TDP's general plan from the goal's words."""
        return tdp.general_plan(question)

    async def day_reminder(self, question: DayReminder) -> Reminder:
        """TDP's reminder for a day from the goal's words."""
        return tdp.day_reminder(question)

    async def talk_reminder(self, question: TalkReminder) -> Items:
        """TDP's items for a talk from the goal's words."""
        return tdp.talk_reminder(question)
