"""A chat model that reads an episode: one typed reply, requested again until it is usable.

Judges that query a model about an episode use this module, so that retries, failures and call keys
are the same for all. What to show, and what a reply means, is up to them.
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
    """Distinct problems of a reply in one sentence; a model is told at most three at a time."""
    return "; ".join(list(dict.fromkeys(problems))[:_MOST_PROBLEMS])


@dataclass(frozen=True, slots=True)
class MissingValue:
    """A value that should be there and is missing, and why. It never counts as a value.

    >>> from sociolab.judging import Measure, MissingValue
    >>> missing = MissingValue("unreadable", "expected JSON, found an empty reply")
    >>> failures = missing.as_verdicts([Measure("goal", 0, 10)], ["ann", "ben"])
    >>> [(failure.seat, failure.cause) for failure in failures]
    [('ann', 'unreadable'), ('ben', 'unreadable')]
    """

    cause: Cause
    problem: str
    raw: str = ""
    attempts: int = 1

    def as_verdicts(
        self, measures: Iterable[Measure], seats: Iterable[str | None] = (None,)
    ) -> tuple[ScoreFailure, ...]:
        """A failure of each of these metrics, for each seat or for the whole episode."""
        why = (self.cause, self.problem, self.raw, self.attempts)
        cells = [(measure, seat) for seat in seats for measure in measures]
        return tuple(ScoreFailure(measure, seat, *why) for measure, seat in cells)


@dataclass(frozen=True, slots=True)
class CannotTell:
    """The judge cannot tell: why, and who could. This is not a failure."""

    why: str

    def as_verdicts(
        self, measures: Iterable[Measure], seats: Iterable[str | None] = (None,)
    ) -> tuple[Unscored, ...]:
        """An unscored verdict on each of these metrics, for each seat or the whole episode."""
        cells = [(measure, seat) for seat in seats for measure in measures]
        return tuple(Unscored(measure, seat, self.why) for measure, seat in cells)


NoValue: TypeAlias = MissingValue | CannotTell


class Strict(BaseModel):
    """A part of a reply as the schema asks for it: providers of strict output want no more."""

    model_config = ConfigDict(extra="forbid")


def person_field(index: int) -> str:
    """The field of a person's part: numbered, so that the schema is the same for all casts."""
    return f"person_{index + 1}"


class PersonSheets(RootModel[dict[str, Any]]):
    """What is read: anything in the field of a person, so that one bad part costs no other."""

    @model_validator(mode="after")
    def _somebody(self) -> Self:
        if not any(re.fullmatch("person_[0-9]+", field) for field in self.root):
            raise ValueError(f"expected the field {person_field(0)}")
        return self


@dataclass(frozen=True, slots=True)
class TranscriptReader:
    """A model that is queried about one episode; `judging` counts repeated judgings from 0.

    `seat` and `turn` distinguish the same query about different parts of the episode.
    """

    model: ChatModel
    trial: str
    judging: int = 0
    temperature: float | None = 0.0
    seat: str = ""
    turn: int = 0

    def at(self, seat: str, turn: int = 0) -> TranscriptReader:
        """A reader for one part of the episode."""
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
        """Query the model, and parse its reply; MissingValue says why there is none.

        `name` distinguishes this query from others about the episode. `parse` and `lacks` check a
        reply as in `ask_model`: a quote that is not in the text is a ReplyError. A call that failed
        for good is a missing value; a fatal ModelError (credentials, budget) passes through.
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
        """`read` for an instruction and a body; `needs` is the tokens of a reply."""
        prompt = typed_prompt(head, body, kind, self.temperature, needs)
        reading = await self.read(name, prompt, kind, parse)
        return reading if isinstance(reading, MissingValue) else reading.value
