"""What a person sends, checked against what they are asked before it is taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from sociolab.agents.seated import SKIPPED
from sociolab.core.episode import Action, ActionSpace, Answered, Moved, Unusable
from sociolab.core.errors import SociolabError
from sociolab.core.ports import NoReply, Question, Reply, Request
from sociolab.engine.checking import checked
from sociolab.report.legible import legible

LONGEST_TEXT = 4000
"""Characters of one action."""
LARGEST_ANSWER = 20_000
"""Characters of an answer to a question aside, as JSON."""
DEEPEST = 10
"""Lists and objects inside each other in such an answer."""

CUT_OFF = "This was cut off; it is sent again as soon as the conversation goes on."
OVER = "This conversation is over; nothing more can be added to it."


class NotTaken(SociolabError):  # noqa: N818  a state of affairs
    """Something a person sent that cannot be used; what they typed stays with them."""


class Stale(SociolabError):  # noqa: N818  a state of affairs
    """Something sent for a turn that is over, or was answered otherwise already."""


class CutOff(SociolabError):  # noqa: N818  a state of affairs
    """Something sent just when the plays were stopped; to be sent again when they go on."""


class SentAction(BaseModel):
    """One action of a turn; `to` as the screen names the others."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Annotated[str, Field(max_length=100)]
    text: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""
    to: Annotated[tuple[Annotated[str, Field(max_length=200)], ...], Field(max_length=16)] = ()


class Sent(BaseModel):
    """An answer, with what it answers: sent twice it counts once. `skipped`: an optional question
    is left unanswered."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    trial: Annotated[str, Field(max_length=64)]
    turn: Annotated[int, Field(ge=0, le=1_000_000)]
    name: Annotated[str, Field(max_length=100)] = "act"
    attempt: Annotated[int, Field(ge=1, le=1000)] = 1
    actions: Annotated[tuple[SentAction, ...], Field(max_length=16)] = ()
    answer: dict[str, Any] | None = None
    skipped: bool = False

    @field_validator("answer")
    @classmethod
    def _not_too_deep(cls, answer: dict[str, Any] | None) -> dict[str, Any] | None:
        if not _shallow(answer, DEEPEST):
            raise ValueError(f"an answer holds at most {DEEPEST} lists inside each other")
        return answer

    @property
    def key(self) -> Key:
        """What it answers."""
        return Key(self.turn, self.name, self.attempt)

    @property
    def content(self) -> dict[str, Any]:
        """What it says, as JSON that can be read again."""
        return self.model_dump(mode="json", include={"actions", "answer", "skipped"})


@dataclass(frozen=True, slots=True)
class Key:
    """What a seat was asked in an episode."""

    turn: int
    name: str
    attempt: int

    @classmethod
    def of(cls, request: Request) -> Key:
        """Of a request."""
        return cls(request.turn, request.name, request.attempt)


def key_of(event: Moved | Answered | Unusable) -> Key:
    """What an event answered."""
    match event:
        case Moved():
            return Key(event.turn, "act", event.attempt)
        case Answered():
            return Key(event.turn, event.question, event.attempt)
        case Unusable():
            return Key(event.turn, event.name, event.attempt)


def value_of(sent: Sent, request: Request) -> tuple[Action, ...] | BaseModel | NoReply:
    """What was sent as a reply to a request; NotTaken says what is wrong with it."""
    wanted = request.wanted
    if sent.skipped and request.optional:
        return NoReply("gave up", SKIPPED, again=False)
    if isinstance(wanted, Question):
        return _answer(sent, wanted)
    return _actions(sent, wanted, request)


def _actions(sent: Sent, space: ActionSpace, request: Request) -> tuple[Action, ...]:
    actions = tuple(
        Action(one.kind, _clean(one.text) if _takes_text(space, one.kind) else "", one.to)
        for one in sent.actions
    )
    others = request.observation.others
    found = checked(request, Reply(actions), others, lambda name: name if name in others else None)
    if isinstance(found, NoReply):
        raise NotTaken(f"{found.problem[:1].upper()}{found.problem[1:]}.")
    assert isinstance(found.value, tuple)
    return found.value


def _answer(sent: Sent, question: Question) -> BaseModel:
    if sent.answer is None:
        raise NotTaken("This is a question: fill in its form.")
    try:
        value = question.reply.model_validate(_clean_all(sent.answer))
        long = len(value.model_dump_json()) > LARGEST_ANSWER
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        problem = first["msg"].removeprefix("Value error, ")
        said = f"{place}: {problem[:1].lower()}{problem[1:]}" if place else problem
        raise NotTaken(f"{said}.") from error
    if long:
        raise NotTaken(f"This answer is too long: at most {LARGEST_ANSWER} characters are taken.")
    return value


def _takes_text(space: ActionSpace, kind: str) -> bool:
    known = space.get(kind)
    return known is None or known.has_text


def _clean(text: str) -> str:
    return legible(text).strip()


def _clean_all(value: Any) -> Any:
    match value:
        case str():
            return _clean(value)
        case list():
            return [_clean_all(one) for one in value]
        case dict():
            return {str(key): _clean_all(one) for key, one in value.items()}
        case _:
            return value


def _shallow(value: Any, most: int) -> bool:
    if not isinstance(value, list | dict):
        return True
    inside = value.values() if isinstance(value, dict) else value
    return most > 0 and all(_shallow(one, most - 1) for one in inside)
