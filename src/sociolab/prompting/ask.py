"""Ask a chat model for a typed reply, and again with the problem where it cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pydantic import BaseModel

from sociolab.core.errors import Cause, ModelError, ReplyError
from sociolab.core.ports import CallKey, ChatModel, ChatReply, Message, Prompt
from sociolab.prompting.structured import read, schema_of

Typed = TypeVar("Typed", bound=BaseModel)

_HEAD, _TAIL = 6_000, 2_000
"""Characters of an unusable reply that its author is shown again, from its beginning and its end.

A reply that runs in a loop up to the token limit would be paid for again with every retry.
"""

_LONGEST_PROBLEM = 1_000
"""Characters: a problem may quote the reply."""


@dataclass(frozen=True, slots=True)
class Asked(Generic[Typed]):
    """A typed reply and how many attempts it took; or none, with the last problem and raw text.

    `problem` is empty where the reply will do.
    """

    value: Typed | None
    attempts: int
    raw: str = ""
    problem: str = ""
    cause: Cause = "unreadable"


def typed_prompt(head: str, body: str, kind: type[BaseModel], temperature: float | None) -> Prompt:
    """A prompt for a typed reply: what stays the same first, then what changes."""
    messages = (Message("system", head), Message("user", body))
    return Prompt(messages, schema_of(kind), temperature)


async def ask_model(
    model: ChatModel,
    prompt: Prompt,
    kind: type[Typed],
    key: CallKey,
    *,
    attempts: int,
    complaint: Callable[[Typed], str],
) -> Asked[Typed]:
    """Ask up to `attempts` times; a reply that will not do is sent back with the problem.

    Of a long reply (8,000 characters) the beginning and the end are sent back.

    `complaint` says what a readable reply lacks, or nothing. When the attempts are used up, or the
    call to ask again fails, the last readable reply is returned, complaint or not. Otherwise
    ModelError passes through: the call itself failed, and asking again would not help.
    """
    last: Asked[Typed] = Asked(None, 0)
    readable: Typed | None = None
    asked = prompt
    for attempt in range(1, attempts + 1):
        try:
            reply = await model.complete(asked, replace(key, attempt=attempt))
        except ModelError as error:
            if readable is None or error.fatal:
                raise
            return last
        try:
            value = typed(reply, kind)
        except ReplyError as error:
            last = Asked(readable, attempt, error.raw, str(error), error.cause)
        else:
            readable = value
            last = Asked(readable, attempt, reply.text, complaint(value))
            if not last.problem:
                return last
        asked = replace(prompt, messages=_again(prompt, last.raw, last.problem))
    return last


def typed(reply: ChatReply, kind: type[Typed]) -> Typed:
    """The typed value of a reply; ReplyError also where it was cut off or withheld."""
    check_finish(reply)
    return read(reply.text, kind)


def check_finish(reply: ChatReply) -> None:
    """ReplyError where the provider cut the reply off or withheld it."""
    if reply.finish == "length":
        problem = "expected a whole reply, found one that was cut off at the token limit"
        raise ReplyError(problem, raw=reply.text, cause="truncated")
    if reply.finish == "content filter":
        problem = "expected a reply, found that the provider's content filter withheld it"
        raise ReplyError(problem, raw=reply.text, cause="content filter")


def again_text(problem: str) -> str:
    """What a model is told when its reply could not be used."""
    if len(problem) > _LONGEST_PROBLEM:
        problem = f"{problem[:_LONGEST_PROBLEM]}..."
    return f"That reply could not be used: {problem}. Reply again, in the form asked for."


def _again(prompt: Prompt, raw: str, problem: str) -> tuple[Message, ...]:
    return (
        *prompt.messages,
        Message("assistant", _shortened(raw) or "(nothing)"),
        Message("user", again_text(problem)),
    )


def _shortened(raw: str) -> str:
    cut = len(raw) - _HEAD - _TAIL
    if cut <= 0:
        return raw
    return f"{raw[:_HEAD]}\n[{cut:,} characters left out]\n{raw[-_TAIL:]}"
