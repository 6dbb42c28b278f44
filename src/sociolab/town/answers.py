"""The forms of the answers to a life's questions: the JSON schema for models is made from these.

Places are written "Sector: arena", times of day "HH:MM", dates "YYYY-MM-DD".
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_serializer,
)
from pydantic.json_schema import SkipJsonSchema

TimeOfDay: TypeAlias = Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]
Day: TypeAlias = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
Importance: TypeAlias = Annotated[int, Field(ge=1, le=10)]
Words: TypeAlias = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)
]
Sentences: TypeAlias = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)
]
Speech: TypeAlias = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)
]
Name: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]
"""The name of a place or an object, or ""."""


class Answer(BaseModel):
    """What every answer is: frozen, and without fields that nobody asked for."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Entry(Answer):
    """One entry of a plan: it lasts until the next one starts."""

    start: TimeOfDay
    what: Words
    place: Name = ""


class DayPlan(Answer):
    """A day from waking to bed; the first entry starts at `wake`.

    A `bed` before `wake` is meant after midnight.
    """

    wake: TimeOfDay
    entries: tuple[Entry, ...] = Field(min_length=1, max_length=40)
    bed: TimeOfDay


class Part(Answer):
    """A part of a block, and the object at which it is done ("" for none in particular)."""

    minutes: int = Field(ge=1, le=24 * 60)
    what: Words
    object: Name = ""


class Parts(Answer):
    """The parts of a block, in order; the last is stretched or cut to the block's end."""

    parts: tuple[Part, ...] = Field(min_length=1, max_length=24)


class Choice(Answer):
    """A place that the resident knows."""

    place: Name


class Ratings(Answer):
    """As many ratings as there were texts: 1 is mundane, 10 changes a life."""

    ratings: tuple[Importance, ...]


class Decision(Answer):
    """What to do about somebody who is near."""

    do: Literal["talk", "change plan", "carry on"]
    why: Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000)] = ""


MatterKind: TypeAlias = Literal[
    "public activity", "appointment", "inviting companions", "online activity", "asking for help"
]


class Chore(Answer):
    """One of the things to do for somebody who asks for help."""

    what: Words
    place: Name = ""


class Matter(Answer):
    """A social matter in typed form: `host`'s (an id), with day, start and place or "" where open.

    `partner` is the id of whom an appointment is wanted with; `chores` are help's, in order.
    """

    kind: MatterKind
    host: str
    what: Words
    day: Literal[""] | Day = ""
    start: Literal[""] | TimeOfDay = ""
    minutes: int = Field(default=60, ge=1, le=24 * 60)
    place: Name = ""
    partner: str = ""
    chores: tuple[Chore, ...] = ()


class SpeechAct(Answer):
    """What `by` (an id) means by a line, in typed form; of the matter no more than the line says.

    "tell" speaks of a matter, "invite" asks the other to take part, to come or to help; "ask" wants
    to know what `asks` names; "counter" puts forward another time or place; "accept" says yes to
    the matter as it stands in the act, "decline" no. "greet", "chat" and "bye" are of no matter.
    """

    kind: Literal["greet", "chat", "tell", "invite", "ask", "counter", "accept", "decline", "bye"]
    by: str
    matter: Matter | None = None
    asks: Literal["", "when", "where"] = ""


def _readable(value: object, read: ValidatorFunctionWrapHandler) -> object:
    """A model that makes a field of this name up must not have its words refused for it."""
    try:
        return read(value)
    except ValidationError:
        return ()


Acts: TypeAlias = Annotated[SkipJsonSchema[tuple[SpeechAct, ...]], WrapValidator(_readable)]
"""Typed acts beside the words. Only built-in scripted minds write any (see `MindPlayer`); no model
is shown the field."""


class Acted(Answer):
    """An answer with acts, which are written down only where there are any."""

    acts: Acts = ()

    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        found: dict[str, object] = write(self)
        acts = found.pop("acts", ())
        return found | {"acts": acts} if self.acts else found


class Said(Acted):
    """What is said, and whether it ends the talk."""

    text: Speech
    ends: bool = False


class Agreed(Answer):
    """Something agreed or promised in a talk; "" for what was left open.

    `place` is one that the resident knows; whoever has been told of a place knows it.
    """

    what: Words
    day: Day
    start: Literal[""] | TimeOfDay = ""
    minutes: int = Field(default=60, ge=1, le=24 * 60)
    place: Name = ""


class Summary(Acted):
    """What a resident keeps of a talk; `acts` are those of the talk as it remembers them."""

    memo: Sentences
    importance: Importance
    agreed: tuple[Agreed, ...] = Field(default=(), max_length=20)
    changes_plan: bool = False


class NewPlan(Answer):
    """The rest of the day: the first entry starts at once, whatever its time says."""

    entries: tuple[Entry, ...] = Field(min_length=1, max_length=40)


class Insight(Answer):
    """A conclusion, and how much it matters."""

    text: Sentences
    importance: Importance


class Insights(Answer):
    """At most five conclusions."""

    insights: tuple[Insight, ...] = Field(max_length=5)


class Lines(Answer):
    """TDP's general plan: 3 to 5 lines."""

    lines: tuple[Sentences, ...] = Field(min_length=3, max_length=5)


class Reminder(Answer):
    """TDP's reminder for a day: 1 to 2 sentences."""

    text: Sentences


class Items(Answer):
    """TDP's items for a talk: fewer than five."""

    items: tuple[Sentences, ...] = Field(min_length=1, max_length=4)
