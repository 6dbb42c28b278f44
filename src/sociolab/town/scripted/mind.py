"""The scripted mind: every question of a resident's life answered offline, without a model."""

from __future__ import annotations

from sociolab.town.answers import (
    Choice,
    DayPlan,
    Decision,
    Insight,
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
from sociolab.town.scripted import conversation, day, tdp
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

_SEEN = 2
"""Importance of what was merely seen; of talks and insights the mind says it itself."""


class ScriptedMind:
    """A `Mind` for any number of residents: the smoke test of a town, never a result.

    It reads no words. What it goes by is in typed form in the question: the resident's rhythm and
    habits, `Me.task`, `Me.heard` and the acts of lines; chance is drawn from the question's seed,
    so that the same question has the same answer in every process. It keeps nothing of its own.

    Unreminded, it often leaves out day, hour or place when it speaks of its task; TDP's reminders
    make it complete. Beside a mind that writes no acts it is polite and agrees to nothing.
    """

    complete = False
    """Whether it leaves nothing of its task out, reminded or not."""

    async def plan_day(self, question: PlanDay) -> DayPlan:
        """Habits, meals, and what was agreed."""
        return day.plan_of(question)

    async def decompose(self, question: Decompose) -> Parts:
        """Two halves, at things that stand there."""
        return day.parts_of(question)

    async def choose_place(self, question: ChoosePlace) -> Choice:
        """At home."""
        return day.choice(question)

    async def rate_importance(self, question: RateImportance) -> Ratings:
        """The same for all that was seen."""
        return Ratings(ratings=(_SEEN,) * len(question.texts))

    async def talk_or_not(self, question: TalkOrNot) -> Decision:
        """Talks with a reason, or for company."""
        return conversation.decision(question)

    async def utter(self, question: Utter) -> Said:
        """Answers, tells its business, chats, says goodbye; with the acts that this is."""
        return conversation.said(question, complete=self.complete)

    async def summarise(self, question: Summarise) -> Summary:
        """The matter, its answer, and what was agreed."""
        return conversation.summary(question)

    async def replan(self, question: Replan) -> NewPlan:
        """The rest of the day with what is new."""
        return day.rest_of_day(question)

    async def reflect(self, question: Reflect) -> Insights:
        """Of whom one has heard something lately."""
        me = question.me
        names = dict.fromkeys(me.people.get(heard.other, "somebody") for heard in me.heard[::-1])
        texts = [f"I have things to do with {name} these days." for name in [*names][:2]]
        texts = texts or ["These are quiet days for me."]
        return Insights(insights=tuple(Insight(text=t[:1000], importance=4) for t in texts))

    async def general_plan(self, question: GeneralPlan) -> Lines:
        """TDP's general plan."""
        return tdp.general_plan(question)

    async def day_reminder(self, question: DayReminder) -> Reminder:
        """TDP's reminder for a day."""
        return tdp.day_reminder(question)

    async def talk_reminder(self, question: TalkReminder) -> Items:
        """TDP's items for a talk."""
        return tdp.talk_reminder(question)


class CompleteMind(ScriptedMind):
    """As `ScriptedMind`, but a performer says all of its task in each talk.

    It lives its days as unreminded as the other, so that only what it says is stronger.
    """

    complete = True
