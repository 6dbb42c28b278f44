"""From a resident's question to a request, and from a reply to an answer that fits the question."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel

from sociolab.core.episode import Unusable
from sociolab.core.errors import WorldError
from sociolab.core.ports import NoReply, Observation, Question, Reply, Request, Sent, Step
from sociolab.engine.journal import event_of, unusable_of
from sociolab.engine.scene import FailurePolicy
from sociolab.town.answer_checks import problem_with
from sociolab.town.mind import QUESTIONS
from sociolab.town.thoughts import Thought

Typed = TypeVar("Typed", bound=BaseModel)


def answered(
    question: Thought, kind: type[Typed], limit: int, policy: FailurePolicy
) -> Generator[Step, Sent, Typed | Unusable]:
    """Put one question, again with the problem where its answer cannot be used.

    Yields requests and events as a `Play` does; returns the answer, or the failure for good.
    """
    request = request_of(question, limit)
    while True:
        reply = checked(question, request, _only(request, (yield (request,))))
        if isinstance(reply, Reply):
            yield event_of(request, reply)
            assert isinstance(reply.value, kind)
            return reply.value
        final = not reply.again or request.attempt >= policy.attempts
        failure = unusable_of(request, reply, final=final)
        yield failure
        if final:
            return failure
        request = replace(request, attempt=request.attempt + 1, problem=reply.problem)


def request_of(question: Thought, limit: int) -> Request:
    """The first request for an answer; its turn is the question's step, `limit` the last turn."""
    asked = question.asked
    name, kind = QUESTIONS[type(question)]
    who = question.me.resident.name
    shown = Observation(asked.seat, who, asked.step, limit, "", (), "", (), question)
    return Request(
        asked.trial, asked.seed, asked.seat, asked.step, 1, Question(name, "", kind), shown
    )


def checked(question: Thought, request: Request, reply: object) -> Reply | NoReply:
    """The reply, if it answers this question; else why not. WorldError where it is of no use."""
    if isinstance(reply, NoReply):
        return reply
    _, kind = QUESTIONS[type(question)]
    if not isinstance(reply, Reply) or not isinstance(reply.value, kind):
        found = reply.value if isinstance(reply, Reply) else reply
        raise WorldError(
            f"the mind of {question.asked.resident} was asked {request.name} at step "
            f"{request.turn}: expected a {kind.__name__}, found {found!r:.80}; mend the mind"
        )
    problem = problem_with(question, reply.value)
    if not problem:
        return reply
    return NoReply("not allowed", problem, reply.raw or reply.value.model_dump_json())


def _only(request: Request, sent: Sent) -> object:
    if sent is None or len(sent) != 1:
        raise WorldError(f"one request for {request.name} was sent {sent!r:.80}; expected a reply")
    return sent[0]
