"""What a person's screen shows: everything in it, and nothing of anybody else's."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from sociolab.agents.forms import FormField

Phase = Literal["ready", "waiting", "playing", "let go", "done"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class Section(_Part):
    """A part of what the seat was told. `kept`: stays in sight, since it says what one is after."""

    title: str
    text: str
    kept: bool = False


class ShownAction(_Part):
    """Something that was done; `to`: only for these."""

    kind: str
    text: str
    to: tuple[str, ...] = ()


class ShownLine(_Part):
    """A turn as the seat saw it; `text` is the whole turn as one line."""

    turn: int
    who: str
    you: bool
    text: str
    actions: tuple[ShownAction, ...]


class Kind(_Part):
    """A kind of action, and whether words belong to it."""

    name: str
    text: bool
    leaves: bool


class ActForm(_Part):
    """How a turn may look: up to `most` actions; `distinct`: no kind twice, none without a text
    beside others. `others` are those whom words can be meant for, where there are several."""

    kinds: tuple[Kind, ...]
    most: int
    distinct: bool
    others: tuple[str, ...]


class QuestionForm(_Part):
    """A question aside; an `optional` one can be skipped."""

    text: str
    fields: tuple[FormField, ...]
    optional: bool


class Asking(_Part):
    """What the person is asked: (turn, name, attempt) is what an answer must name again.

    `problem` says why an earlier answer to the same could not be used. `over` says why the
    conversation is over, if it is and this is the last question. Exactly one of `act` and
    `question` is there.
    """

    turn: int
    name: str
    attempt: int
    problem: str
    note: str
    seconds_left: float
    over: str = ""
    act: ActForm | None = None
    question: QuestionForm | None = None


class Scene(_Part):
    """What a seat may know now. `turn` counts from 1, and is None before anybody was asked;
    `several`: there are more than two seats."""

    trial: str
    you: str
    intro: str
    sections: tuple[Section, ...]
    history: tuple[ShownLine, ...]
    turn: int | None
    limit: int | None
    others_busy: bool
    several: bool


class Last(_Part):
    """How the episode before ended ("" while others still answer a last question about it), and
    what was said in it."""

    trial: str
    why: str
    history: tuple[ShownLine, ...]


class Screen(_Part):
    """All of it. `number` of `of` episodes is the one that is played or comes next; `note` says why
    nothing comes any more where something was to come."""

    phase: Phase
    number: int
    of: int
    note: str = ""
    waited: float | None = None
    waits_at_most: float | None = None
    scene: Scene | None = None
    asking: Asking | None = None
    last: Last | None = None
