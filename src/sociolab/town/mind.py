"""How a mind answers a resident's questions, and what happens to an unfit answer."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar, cast

from sociolab.core.episode import Json, Unusable
from sociolab.core.errors import ReplyError, WorldError
from sociolab.core.ports import NoReply, Observation, Question, Reply, Request, Sent, Step
from sociolab.engine.journal import reply_event, unusable_event
from sociolab.engine.scene import FailurePolicy
from sociolab.town.questions import Acted, MindAnswer, MindQuestion

Mind: TypeAlias = object
"""Answers the questions of residents' lives; one mind may think for many residents.

It has a method for each of them, or `answer` for those that it has no method for:

    async def plan_day(self, question: PlanDay) -> DayPlan
    async def answer(self, question: MindQuestion[A]) -> A

The names and types are those of `sociolab.town.questions.QUESTIONS`. Each question holds all that
the resident may know. A mind that keeps something of its own loses it when a simulation is resumed:
journaled answers are given again without asking. ReplyError says that no usable answer came; the
question is put again with the problem.
"""

A = TypeVar("A", bound=MindAnswer)


def can_answer(mind: Mind, question: type[MindQuestion[Any]]) -> bool:
    return callable(getattr(mind, question.name, None) or getattr(mind, "answer", None))


class MindPlayer:
    """Seats a mind in a town: the view of each request is the question.

    Only the `built_in` scripted minds may write acts. Those of any other mind are dropped, since
    outcomes count as recorded only where nobody else could have claimed them.
    """

    def __init__(self, mind: Mind, *, built_in: bool = False) -> None:
        self._mind = mind
        self._built_in = built_in

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        question: MindQuestion[Any] = request.observation.view
        if request.attempt > 1:
            head = replace(question.meta, attempt=request.attempt, problem=request.problem)
            question = replace(question, meta=head)
        method = getattr(self._mind, question.name, None) or self._mind.answer  # type: ignore[attr-defined]
        try:
            answer = await method(question)
        except ReplyError as error:
            return NoReply(error.cause, str(error), error.raw)
        if not self._built_in and isinstance(answer, Acted) and answer.acts:
            answer = answer.model_copy(update={"acts": ()})
        return Reply(answer)


def ask_mind(
    question: MindQuestion[A], limit: int, policy: FailurePolicy
) -> Generator[Step, Sent, A | Unusable]:
    """Ask one question, and again with the problem while its answer cannot be used.

    Yields requests and events as a `Play` does; returns the answer, or the failure for good.
    """
    request = make_request(question, limit)
    while True:
        sent = yield (request,)
        if sent is None or len(sent) != 1:
            raise WorldError(
                f"one request for {request.name} was sent {sent!r:.80}; expected a reply"
            )
        reply = check_reply(question, request, sent[0])
        if isinstance(reply, Reply):
            yield reply_event(request, reply)
            return cast("A", reply.value)
        final = policy.is_final(request, reply)
        failure = unusable_event(request, reply, final=final)
        yield failure
        if final:
            return failure
        request = request.again(reply)


def make_request(question: MindQuestion[Any], limit: int) -> Request:
    """The first request for an answer; its turn is the question's step, `limit` the last turn."""
    leaves = "ends" if "ends" in question.answer_type.model_fields else ""
    head = question.meta
    # Seat, step and name tell requests apart.
    name = f"{question.name}:{head.index + 1}" if head.index else question.name
    core_question = Question(name, "", question.answer_type, leaves=leaves)
    who = question.me.resident.name
    observation = Observation(head.seat, who, head.step, limit, "", (), "", (), question)
    return Request(head.trial, head.seed, head.seat, head.step, 1, core_question, observation)


def check_reply(question: MindQuestion[Any], request: Request, reply: object) -> Reply | NoReply:
    """The reply if it answers this question, else NoReply with the problem; WorldError where it has
    the wrong type."""
    if isinstance(reply, NoReply):
        return reply
    kind = question.answer_type
    if not isinstance(reply, Reply) or not isinstance(reply.value, kind):
        value = reply.value if isinstance(reply, Reply) else reply
        raise WorldError(
            f"the mind of {question.meta.resident} was asked {request.name} at step "
            f"{request.turn}: expected a {kind.__name__}, found {value!r:.80}; mend the mind"
        )
    problem = question.problem_with(reply.value)
    if not problem:
        return reply
    return NoReply("not allowed", problem, reply.raw or reply.value.model_dump_json())
