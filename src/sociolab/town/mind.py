"""The one protocol by which a resident thinks, and a mind as a player of the engine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

from pydantic import BaseModel

from sociolab.core.episode import Json
from sociolab.core.errors import ReplyError
from sociolab.core.ports import NoReply, Reply, Request
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


class Mind(Protocol):
    """Answers the questions of a resident's life; one mind may think for many residents.

    Each question holds all that the resident may know. A mind that keeps something of its own
    loses it when a simulation is resumed: journaled answers are given again without asking.
    ReplyError says that no usable answer came; the question is put again with the problem.
    """

    async def plan_day(self, question: PlanDay) -> DayPlan:
        """The day, from waking to bed."""
        ...

    async def decompose(self, question: Decompose) -> Parts:
        """A block of the plan in parts."""
        ...

    async def choose_place(self, question: ChoosePlace) -> Choice:
        """Where to do something."""
        ...

    async def rate_importance(self, question: RateImportance) -> Ratings:
        """How much each text matters, 1 to 10."""
        ...

    async def talk_or_not(self, question: TalkOrNot) -> Decision:
        """Whether to talk to somebody who is near."""
        ...

    async def utter(self, question: Utter) -> Said:
        """The next utterance."""
        ...

    async def summarise(self, question: Summarise) -> Summary:
        """What to keep of a talk."""
        ...

    async def replan(self, question: Replan) -> NewPlan:
        """The rest of the day."""
        ...

    async def reflect(self, question: Reflect) -> Insights:
        """Conclusions from what mattered."""
        ...

    async def general_plan(self, question: GeneralPlan) -> Lines:
        """TDP: how to go about the task."""
        ...

    async def day_reminder(self, question: DayReminder) -> Reminder:
        """TDP: what to keep in mind on a day."""
        ...

    async def talk_reminder(self, question: TalkReminder) -> Items:
        """TDP: what to bring up in a talk."""
        ...


QUESTIONS: dict[type[Any], tuple[str, type[BaseModel]]] = {
    PlanDay: ("plan_day", DayPlan),
    Decompose: ("decompose", Parts),
    ChoosePlace: ("choose_place", Choice),
    RateImportance: ("rate_importance", Ratings),
    TalkOrNot: ("talk_or_not", Decision),
    Utter: ("utter", Said),
    Summarise: ("summarise", Summary),
    Replan: ("replan", NewPlan),
    Reflect: ("reflect", Insights),
    GeneralPlan: ("general_plan", Lines),
    DayReminder: ("day_reminder", Reminder),
    TalkReminder: ("talk_reminder", Items),
}
"""The name of each question (a method of `Mind`), and the type of its answer."""


class MindPlayer:
    """A mind in the seats of a town: a request's view is the question, its name the method.

    Acts are those of the `built_in` scripted minds alone: what any other mind writes there is
    dropped, since an outcome is on record only where nobody else could have said so.
    """

    def __init__(self, mind: Mind, *, built_in: bool = False) -> None:
        self._mind = mind
        self._built_in = built_in

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """The mind's answer; NoReply where it gave none that can be used."""
        question = request.observation.view
        if request.attempt > 1:
            asked = replace(question.asked, attempt=request.attempt, problem=request.problem)
            question = replace(question, asked=asked)
        name, _ = QUESTIONS[type(question)]
        try:
            answer = await getattr(self._mind, name)(question)
        except ReplyError as error:
            return NoReply(error.cause, str(error), error.raw)
        if not self._built_in and isinstance(answer, Said | Summary) and answer.acts:
            answer = answer.model_copy(update={"acts": ()})
        return Reply(answer)
