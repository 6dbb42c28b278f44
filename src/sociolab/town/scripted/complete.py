"""A scripted mind that tells all of its task without being reminded: a strong performer."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time

from sociolab.town.answers import Said
from sociolab.town.scripted import tdp
from sociolab.town.scripted.mind import ScriptedMind
from sociolab.town.scripted.task_reading import task_of
from sociolab.town.thoughts import GeneralPlan, TalkReminder, Utter


class CompleteMind(ScriptedMind):
    """As `ScriptedMind`, but a performer says in each talk what TDP's reminder would bid it say.

    It lives its days as unreminded as the other, so that only what it says is stronger.
    """

    async def utter(self, question: Utter) -> Said:
        """What is due, with nothing of the task left out."""
        return await super().utter(_all_told(question))


def _all_told(question: Utter) -> Utter:
    """The question with a reminder of one's own; as it is for who has a reminder, or no task."""
    me = question.me
    if question.reminder or task_of(me) is None:
        return question
    goal, day = me.resident.currently, me.now.date()
    morning = replace(me, now=datetime.combine(day, time()))
    plan = tdp.general_plan(GeneralPlan(question.asked, morning, goal, (day,)))
    items = tdp.talk_reminder(
        TalkReminder(
            question.asked,
            me,
            goal,
            plan.lines,
            question.other,
            question.memories,
            question.commitments,
        )
    )
    return replace(question, reminder="\n".join(items.items))
