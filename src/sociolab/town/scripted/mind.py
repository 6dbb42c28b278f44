"""The scripted mind: answers every question of a resident's life offline, without a model."""

from __future__ import annotations

from typing import TypeVar, cast

from sociolab.core.ports import Player
from sociolab.town.mind import MindPlayer
from sociolab.town.questions import (
    Choice,
    ChoosePlace,
    DayPlan,
    DayReminder,
    Decision,
    Decompose,
    GeneralPlan,
    Insight,
    Insights,
    Items,
    Lines,
    Matter,
    Me,
    MindAnswer,
    MindQuestion,
    NewPlan,
    Parts,
    PlanDay,
    RateImportance,
    Ratings,
    Reflect,
    Reminder,
    Replan,
    Said,
    Summarise,
    Summary,
    TalkOrNot,
    TalkReminder,
    Utter,
)
from sociolab.town.questions.generative import RateMemories
from sociolab.town.scripted import conversation, day
from sociolab.town.scripted.generative import ANSWERS, rate_texts
from sociolab.town.scripted.matters import (
    fill_choices,
    join_things,
    line_values,
    lines,
    matter_key,
    merge_matters,
    places_like,
    standings,
)

A = TypeVar("A", bound=MindAnswer)

_SEEN = 2
"""Importance of what was merely seen; of talks and insights the mind says it itself."""


class ScriptedMind:
    """A `Mind` for any number of residents: the smoke test of a town, never a result.

    It reads no words. It goes by what is in typed form in the question: the resident's rhythm and
    habits, `Me.task`, `Me.heard` and the acts of lines; randomness is drawn from the question's
    seed, so that the same question has the same answer in every process. It keeps no state.

    Without a reminder it often leaves out day, hour or place when it speaks of its task; TDP's
    reminders make it complete. With a mind that writes no acts it is polite and agrees to nothing.

    >>> import asyncio
    >>> from sociolab.testing import stock_questions
    >>> from sociolab.town import Decision, ScriptedMind, TalkOrNot
    >>> class Hermit(ScriptedMind):
    ...     async def talk_or_not(self, question):
    ...         return Decision(do="carry on", why="I would rather be alone.")
    >>> question = next(q for q in stock_questions() if isinstance(q, TalkOrNot))
    >>> asyncio.run(Hermit().talk_or_not(question)).do
    'carry on'
    """

    complete = False
    """Whether it leaves nothing of its task out, reminded or not."""

    async def plan_day(self, question: PlanDay) -> DayPlan:
        return day.plan_day(question)

    async def decompose(self, question: Decompose) -> Parts:
        return day.split_block(question)

    async def choose_place(self, question: ChoosePlace) -> Choice:
        return day.choose_place(question)

    async def rate_importance(self, question: RateImportance) -> Ratings:
        if isinstance(question, RateMemories):
            return rate_texts(question)
        return Ratings(ratings=(_SEEN,) * len(question.texts))

    async def talk_or_not(self, question: TalkOrNot) -> Decision:
        return conversation.decide(question)

    async def utter(self, question: Utter) -> Said:
        return conversation.make_utterance(question, complete=self.complete)

    async def summarise(self, question: Summarise) -> Summary:
        return conversation.make_summary(question)

    async def replan(self, question: Replan) -> NewPlan:
        return day.replan_day(question)

    async def reflect(self, question: Reflect) -> Insights:
        me = question.me
        names = dict.fromkeys(me.people.get(item.other, "somebody") for item in me.heard[::-1])
        texts = [f"I have things to do with {name} these days." for name in [*names][:2]]
        texts = texts or ["These are quiet days for me."]
        return Insights(insights=tuple(Insight(text=t[:1000], importance=4) for t in texts))

    async def general_plan(self, question: GeneralPlan) -> Lines:
        return general_plan(question)

    async def day_reminder(self, question: DayReminder) -> Reminder:
        return day_reminder(question)

    async def talk_reminder(self, question: TalkReminder) -> Items:
        return talk_reminder(question)

    async def answer(self, question: MindQuestion[A]) -> A:
        """Answers what only the mind of Generative Agents asks."""
        return cast("A", ANSWERS[question.name](question))


class CompleteMind(ScriptedMind):
    """As `ScriptedMind`, but a performer mentions all of its task in each talk.

    It lives its days without reminders all the same, so that only what it says is stronger.
    """

    complete = True


# ------------------------------------------------------------------ target-driven planning


def general_plan(question: GeneralPlan) -> Lines:
    """Whom to seek and where, what to tell them and when it is: 3 to 5 lines."""
    texts, task = lines()["tdp"], question.me.task
    if task is None:
        return Lines(lines=tuple(texts["aimless"]))
    plan = texts["help_plan" if task.kind == "asking for help" else "plan"]
    words = _line_values(task, question.me, question.meta.seed)
    return Lines(lines=tuple(line.format(**words)[:1000] for line in plan))


def day_reminder(question: DayReminder) -> Reminder:
    """Where to seek people and, on the day itself, where to be when: 1 to 2 sentences."""
    texts, me = lines()["tdp"], question.me
    task = me.task
    if task is None:
        return Reminder(text=texts["aimless"][0])
    standing = standings(me).get(matter_key(task))
    agreed = standing is not None and standing.said_yes(me.resident.id)
    words = _line_values(task, me, question.meta.seed)
    if not question.plan:  # where to seek people is the general plan's to say
        words["points"] = "places where people are"
    today = []
    if not (agreed and task.kind in ("appointment", "asking for help")):
        today.append(texts["seek"])
    if task.day == question.day.isoformat() and (task.start or agreed) and not task.chores:
        today.append(texts["be_there"])
    text = " ".join(line.format(**words) for line in today or [texts["settled"]])
    return Reminder(text=text[:1000])


def talk_reminder(question: TalkReminder) -> Items:
    """What to say in conversations: at most four items."""
    texts, me = lines()["tdp"], question.me
    if me.task is None:
        return Items(items=tuple(texts["brief"]))
    items = texts["help_items" if me.task.kind == "asking for help" else "items"]
    words = _line_values(me.task, me, question.meta.seed)
    return Items(items=tuple(item.format(**words)[:1000] for item in items))


def _line_values(task: Matter, me: Me, seed: int) -> dict[str, str]:
    """The task's facts; what it leaves open is chosen as in a talk."""
    points = places_like(me.places, "public")
    standing = standings(me).get(matter_key(task))
    if standing is not None and standing.said_yes(me.resident.id):
        task = merge_matters(standing.matter, task)
    partner = me.people.get(task.partner, "")
    whom = partner or "as many people as possible"
    chosen = line_values(fill_choices(task, me, seed, "", points))
    if task.kind == "online activity":
        chosen["where"] = " from home"
    return chosen | {"whom": whom, "points": join_things(points[:3]) or "places where people are"}


SCRIPTED: dict[str, Player] = {
    "scripted": MindPlayer(ScriptedMind(), built_in=True),
    "scripted-complete": MindPlayer(CompleteMind(), built_in=True),
}
"""The built-in players, who write acts: as `casting.BUILT_IN` names them."""
