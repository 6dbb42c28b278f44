"""How does a mind answer a resident's questions, and what becomes of an unfit answer?"""

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
    """Whether a mind has a method for a question."""
    return callable(getattr(mind, question.name, None) or getattr(mind, "answer", None))


class MindPlayer:
    """A mind in the seats of a town: a request's view is the question.

    Acts are those of the `built_in` scripted minds alone: what any other mind writes there is
    dropped, since an outcome is on record only where nobody else could have said so.
    """

    def __init__(self, mind: Mind, *, built_in: bool = False) -> None:
        self._mind = mind
        self._built_in = built_in

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """The mind's answer; NoReply where it gave none that can be used."""
        question: MindQuestion[Any] = request.observation.view
        if request.attempt > 1:
            head = replace(question.asked, attempt=request.attempt, problem=request.problem)
            question = replace(question, asked=head)
        method = getattr(self._mind, question.name, None) or self._mind.answer  # type: ignore[attr-defined]
        try:
            answer = await method(question)
        except ReplyError as error:
            return NoReply(error.cause, str(error), error.raw)
        if not self._built_in and isinstance(answer, Acted) and answer.acts:
            answer = answer.model_copy(update={"acts": ()})
        return Reply(answer)


def answered(
    question: MindQuestion[A], limit: int, policy: FailurePolicy
) -> Generator[Step, Sent, A | Unusable]:
    """Put one question, again with the problem where its answer cannot be used.

    Yields requests and events as a `Play` does; returns the answer, or the failure for good.
    """
    request = request_of(question, limit)
    while True:
        reply = checked(question, request, _only(request, (yield (request,))))
        if isinstance(reply, Reply):
            yield reply_event(request, reply)
            return cast("A", reply.value)
        final = policy.is_final(request, reply)
        failure = unusable_event(request, reply, final=final)
        yield failure
        if final:
            return failure
        request = request.again(reply)


def request_of(question: MindQuestion[Any], limit: int) -> Request:
    """The first request for an answer; its turn is the question's step, `limit` the last turn."""
    leaves = "ends" if "ends" in question.answer_type.model_fields else ""
    head = question.asked
    # Seat, step and name tell requests apart.
    name = f"{question.name}:{head.index + 1}" if head.index else question.name
    core_question = Question(name, "", question.answer_type, leaves=leaves)
    who = question.me.resident.name
    observation = Observation(head.seat, who, head.step, limit, "", (), "", (), question)
    return Request(head.trial, head.seed, head.seat, head.step, 1, core_question, observation)


def checked(question: MindQuestion[Any], request: Request, reply: object) -> Reply | NoReply:
    """The reply, if it answers this question; else why not. WorldError where it is of no use."""
    if isinstance(reply, NoReply):
        return reply
    kind = question.answer_type
    if not isinstance(reply, Reply) or not isinstance(reply.value, kind):
        value = reply.value if isinstance(reply, Reply) else reply
        raise WorldError(
            f"the mind of {question.asked.resident} was asked {request.name} at step "
            f"{request.turn}: expected a {kind.__name__}, found {value!r:.80}; mend the mind"
        )
    problem = question.problem_with(reply.value)
    if not problem:
        return reply
    return NoReply("not allowed", problem, reply.raw or reply.value.model_dump_json())


def _only(request: Request, sent: Sent) -> object:
    if sent is None or len(sent) != 1:
        raise WorldError(f"one request for {request.name} was sent {sent!r:.80}; expected a reply")
    return sent[0]
