"""A chat model that reads an episode: one typed reply, asked for again until it will do.

Judges that ask a model about an episode ask here, so that retries, failures and the identity of
calls are the same for all. What to show, and what a reply comes to, is theirs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, RootModel, model_validator

from sociolab.core.errors import Cause, ModelError, ReplyError
from sociolab.core.ports import CallKey, ChatModel, Prompt
from sociolab.core.score import Measure, ScoreFailure, Unscored
from sociolab.prompting.structured import TypedReply, ask_model, typed_prompt

Reply = TypeVar("Reply", bound=BaseModel)
Value = TypeVar("Value")

_MOST_PROBLEMS = 3


def join_problems(problems: Iterable[str]) -> str:
    """Problems with a reply in a sentence, each once; a model is told of three at a time."""
    return "; ".join(list(dict.fromkeys(problems))[:_MOST_PROBLEMS])


@dataclass(frozen=True, slots=True)
class MissingValue:
    """Something that was due and is missing, and why: never counted as a value."""

    cause: Cause
    problem: str
    raw: str = ""
    attempts: int = 1

    def of(
        self, measures: Iterable[Measure], seats: Iterable[str | None] = (None,)
    ) -> tuple[ScoreFailure, ...]:
        """A failure of each of these measures, for each seat or for the whole episode."""
        why = (self.cause, self.problem, self.raw, self.attempts)
        cells = [(measure, seat) for seat in seats for measure in measures]
        return tuple(ScoreFailure(measure, seat, *why) for measure, seat in cells)


@dataclass(frozen=True, slots=True)
class CannotTell:
    """A judge cannot tell: why, and who could. Not a failure."""

    why: str

    def of(
        self, measures: Iterable[Measure], seats: Iterable[str | None] = (None,)
    ) -> tuple[Unscored, ...]:
        """None of these measures is scored, for any seat or for the whole episode."""
        cells = [(measure, seat) for seat in seats for measure in measures]
        return tuple(Unscored(measure, seat, self.why) for measure, seat in cells)


NoValue: TypeAlias = MissingValue | CannotTell


class Strict(BaseModel):
    """A part of a reply as the schema asks for it: providers of strict output want no more."""

    model_config = ConfigDict(extra="forbid")


def person(index: int) -> str:
    """The field of a person's part: by number, so that the schema is the same for all casts."""
    return f"person_{index + 1}"


class PersonSheets(RootModel[dict[str, Any]]):
    """What is read: anything in the field of a person, so that one bad part costs no other."""

    @model_validator(mode="after")
    def _somebody(self) -> Self:
        if not any(re.fullmatch("person_[0-9]+", field) for field in self.root):
            raise ValueError(f"expected the field {person(0)}")
        return self


@dataclass(frozen=True, slots=True)
class TranscriptReader:
    """A model that is asked about one episode; `judging` counts repeated judgings of it from 0.

    `seat` and `turn` tell apart what is asked of parts of the episode in the same words.
    """

    model: ChatModel
    trial: str
    judging: int = 0
    temperature: float | None = 0.0
    seat: str = ""
    turn: int = 0

    def at(self, seat: str, turn: int = 0) -> TranscriptReader:
        """The same of one part of the episode."""
        return replace(self, seat=seat, turn=turn)

    async def read(
        self,
        name: str,
        prompt: Prompt,
        kind: type[Reply],
        parse: Callable[[Reply], Value],
        *,
        lacks: Callable[[Value], str] = lambda _: "",
    ) -> TypedReply[Value] | MissingValue:
        """What the model's reply to a prompt comes to, or why there is none.

        `name` tells what is asked from other questions about the episode. `parse` and `lacks` judge
        a reply as in `ask_model`: a quote that is not in the text is a ReplyError. A call that
        failed for good is a missing value; a fatal ModelError (credentials, budget) passes through.
        """
        key = CallKey(self.trial, "judge", self.seat, self.turn, name, 1, self.judging)
        try:
            return await ask_model(self.model, prompt, kind, key, parse, lacks)
        except ReplyError as error:
            return MissingValue(error.cause, str(error), error.raw, error.tries)
        except ModelError as error:
            if error.fatal:
                raise
            return MissingValue(error.cause, str(error), "", error.tries)

    async def ask(
        self,
        name: str,
        head: str,
        body: str,
        kind: type[Reply],
        parse: Callable[[Reply], Value],
        needs: int | None = None,
    ) -> Value | MissingValue:
        """The same of an instruction and what it is about; `needs` are the tokens of a reply."""
        prompt = typed_prompt(head, body, kind, self.temperature, needs)
        reading = await self.read(name, prompt, kind, parse)
        return reading if isinstance(reading, MissingValue) else reading.value
