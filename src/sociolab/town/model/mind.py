"""A chat model as a mind: each question is a prompt file, each answer a typed reply or a text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from pydantic import BaseModel

from sociolab.core.errors import ConfigError, ModelError, ReplyError
from sociolab.core.ports import CallKey, ChatModel, ChatReply, Message, Prompt, Role
from sociolab.core.seeding import digest
from sociolab.prompting.structured import again_text, check_finish, typed
from sociolab.prompting.templates import prompt
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
from sociolab.town.mind import QUESTIONS
from sociolab.town.model.answer_schemas import answer_schema
from sociolab.town.model.describing import asking
from sociolab.town.model.fitting import UnfitError, fitted
from sociolab.town.model.heads import PACKAGE, head_of
from sociolab.town.model.plain import PLAIN, PLAIN_QUESTIONS, read_plain
from sociolab.town.thoughts import (
    Asked,
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
    Thought,
    Utter,
)

Typed = TypeVar("Typed", bound=BaseModel)


class ModelMind:
    """Thinks with a chat model, one call a question, and keeps nothing.

    The system message is the same for all questions of a resident until it comes to know another
    place; the user message is short. Asking again is up to the simulation, which says in `asked`
    what was wrong: a reply that is cut off, withheld, unreadable or unfit is a ReplyError, and so
    is a prompt that is too long for the model or that its provider's filter refuses. Any other
    failed call passes through as a ModelError. TDP's questions are asked at temperature 0 (STSS
    appendix B), the others at `temperature`, all with the same `penalties`.

    In the dialect "plain" the questions of a talk are asked without a schema and read as text (see
    `plain`); any other question is a ConfigError.
    """

    def __init__(
        self,
        model: ChatModel,
        role: Role = "agent",
        *,
        temperature: float = 1.0,
        dialect: str = "json",
        penalties: float | None = None,
    ) -> None:
        if dialect not in ("json", PLAIN):
            raise ConfigError(f'a mind answers in the dialect "json" or "plain"; found "{dialect}"')
        self._model = model
        self._role = role
        self._temperature = temperature
        self._plain = dialect == PLAIN
        self._penalties = penalties

    async def plan_day(self, question: PlanDay) -> DayPlan:
        """The day, from waking to bed."""
        return await self._ask(question, DayPlan, self._temperature)

    async def decompose(self, question: Decompose) -> Parts:
        """A block of the plan in parts."""
        return await self._ask(question, Parts, self._temperature)

    async def choose_place(self, question: ChoosePlace) -> Choice:
        """Where to do something."""
        return await self._ask(question, Choice, self._temperature)

    async def rate_importance(self, question: RateImportance) -> Ratings:
        """How much each text matters, 1 to 10."""
        return await self._ask(question, Ratings, self._temperature)

    async def talk_or_not(self, question: TalkOrNot) -> Decision:
        """Whether to talk to somebody who is near."""
        return await self._ask(question, Decision, self._temperature)

    async def utter(self, question: Utter) -> Said:
        """The next utterance."""
        return await self._ask(question, Said, self._temperature)

    async def summarise(self, question: Summarise) -> Summary:
        """What to keep of a talk."""
        return await self._ask(question, Summary, self._temperature)

    async def replan(self, question: Replan) -> NewPlan:
        """The rest of the day."""
        return await self._ask(question, NewPlan, self._temperature)

    async def reflect(self, question: Reflect) -> Insights:
        """Conclusions from what mattered."""
        return await self._ask(question, Insights, self._temperature)

    async def general_plan(self, question: GeneralPlan) -> Lines:
        """TDP: how to go about the task."""
        return await self._ask(question, Lines, 0.0)

    async def day_reminder(self, question: DayReminder) -> Reminder:
        """TDP: what to keep in mind on a day."""
        return await self._ask(question, Reminder, 0.0)

    async def talk_reminder(self, question: TalkReminder) -> Items:
        """TDP: what to bring up in a talk."""
        return await self._ask(question, Items, 0.0)

    async def _ask(self, question: Thought, kind: type[Typed], temperature: float) -> Typed:
        asked = prompt_of(question, temperature, plain=self._plain, penalties=self._penalties)
        reply = await self._complete(question, asked)
        value = _plainly(reply, question) if self._plain else typed(reply, kind)
        try:
            fit = fitted(question, value)
        except UnfitError as error:
            raise ReplyError(str(error), raw=reply.text, cause="not allowed") from error
        assert isinstance(fit, kind)
        return fit

    async def _complete(self, question: Thought, asked: Prompt) -> ChatReply:
        try:
            return await self._model.complete(asked, _key(question, self._role))
        except ModelError as error:
            if error.cause in ("context overflow", "content filter"):
                raise ReplyError(str(error), raw="", cause=error.cause) from error
            raise


def prompt_of(
    question: Thought, temperature: float, *, plain: bool = False, penalties: float | None = None
) -> Prompt:
    """What a model is sent for a question: who the resident is, then what is asked.

    ConfigError for a question that cannot be asked in plain text where it should be.
    """
    name, _ = QUESTIONS[type(question)]
    values = asking(question)
    if isinstance(question, PLAIN_QUESTIONS):
        values["plain"] = plain
    elif plain:
        raise ConfigError(
            f'dialect=plain is for talks: expected a question of a talk, found "{name}", '
            "which needs dialect=json"
        )
    body = prompt(PACKAGE, name).render(values)
    if question.asked.problem:
        body = f"{body}\n\n{_again(question.asked)}"
    messages = (Message("system", head_of(question.me, plain=plain)), Message("user", body))
    schema = None if plain else answer_schema(question)
    return Prompt(messages, schema, temperature, penalties=penalties)


def _plainly(reply: ChatReply, question: Thought) -> BaseModel:
    check_finish(reply)
    return read_plain(reply.text, question)


def _again(asked: Asked) -> str:
    """What was wrong; from the third attempt on with its number.

    Else a problem that comes twice would make two prompts alike, and whoever answers the same
    prompt alike (a model at temperature 0, a filter) could do nothing but repeat itself.
    """
    text = again_text(asked.problem)
    return text if asked.attempt <= 2 else f"{text} This is attempt {asked.attempt}."


def prompts_hash(questions: Iterable[type[Thought]] = tuple(QUESTIONS)) -> str:
    """Identifies the wording of the prompts of these questions, in this order; default: of all."""
    names = ("head", *(QUESTIONS[question][0] for question in questions))
    return digest(*(prompt(PACKAGE, name).hash for name in names), again_text(""))


def _key(question: Thought, role: Role) -> CallKey:
    asked = question.asked
    name, _ = QUESTIONS[type(question)]
    seat = asked.seat or asked.resident
    return CallKey(asked.trial, role, seat, asked.step, name, asked.attempt)
