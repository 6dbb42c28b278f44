"""The lines of an exported run: JSON objects, one on each line.

The first line is the header `{"sociolab_export": 1, "version": ...}`; then come the run, its tasks
and its trials, the events, the calls with their full prompts, the failed calls, the judgings, the
attachments, and at last a line that counts all lines, so that a cut file is noticed. Events and
trials are written as in `core.codec`; a trial names its task by its number in the file, from 0.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

from sociolab.core.errors import Cause
from sociolab.core.ports import CallKey, ChatReply, Prompt
from sociolab.core.score import JudgeId, Verdict
from sociolab.store.trials import Status


class Line(BaseModel):
    """One line; an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class HeaderLine(Line):
    """What this file is, and which version of sociolab wrote it."""

    sociolab_export: int
    version: str


class RunLine(Line):
    """The run. Times are in seconds, `created` since 1970 (UTC)."""

    line: Literal["run"]
    name: str
    world: str
    settings: JsonValue
    declared: JsonValue
    created: float
    seconds: float


class TaskLine(Line):
    """A task, as in `core.codec`."""

    line: Literal["task"]
    task: dict[str, JsonValue]


class TrialLine(Line):
    """A trial, as in `core.codec`, but with the number of its task."""

    line: Literal["trial"]
    status: Status
    cause: Cause | None
    problem: str
    trial: dict[str, JsonValue]


class EventLine(Line):
    """An event of a trial, as in `core.codec`."""

    line: Literal["event"]
    trial: str
    event: list[JsonValue]


class CallLine(Line):
    """A completed call."""

    line: Literal["call"]
    key: str
    call: CallKey
    model: str
    prompt: Prompt
    reply: ChatReply
    at: float


class CallFailureLine(Line):
    """A call that failed for good."""

    line: Literal["call_failure"]
    call: CallKey
    model: str
    cause: Cause
    problem: str
    tries: int
    seconds: float
    at: float


class JudgingLine(Line):
    """All that one judging said."""

    line: Literal["judging"]
    trial: str | None
    cell: JsonValue
    judge: JudgeId
    judging: int
    verdicts: tuple[Verdict, ...]


class AttachmentLine(Line):
    """A piece of an attachment, in base 64."""

    line: Literal["attachment"]
    trial: str
    name: str
    data: str


class EndLine(Line):
    """The last line: how many lines the file has."""

    line: Literal["end"]
    lines: int


AnyLine: TypeAlias = (
    RunLine
    | TaskLine
    | TrialLine
    | EventLine
    | CallLine
    | CallFailureLine
    | JudgingLine
    | AttachmentLine
    | EndLine
)

ANY_LINE: TypeAdapter[AnyLine] = TypeAdapter(Annotated[AnyLine, Field(discriminator="line")])
