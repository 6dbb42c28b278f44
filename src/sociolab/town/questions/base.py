"""What all questions to a resident, and all answers, have in common, and how prompts word it.

Places are written "Sector: arena", times of day "HH:MM", dates "YYYY-MM-DD".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from datetime import date, datetime, timedelta
from difflib import get_close_matches
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Generic, Literal, Protocol, TypeAlias, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
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

from sociolab.town.clock import TimeOfDay, spoken_date
from sociolab.town.map import OUTDOORS, match_place, places_mentioned
from sociolab.town.residents import Resident

Day: TypeAlias = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
Importance: TypeAlias = Annotated[int, Field(ge=1, le=10)]


def _spaced(text: object) -> object:
    return " ".join(text.split()) if isinstance(text, str) else text


_Spaced = BeforeValidator(_spaced)
"""On one line, with single spaces."""
Words: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=200), _Spaced]
Sentences: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=1000), _Spaced]
Speech: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=2000), _Spaced]
Name: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]
"""The name of a place or an object, or ""."""


class MindAnswer(BaseModel):
    """The base of all answers: frozen; fields that nobody asked for are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


# ------------------------------------------------------------------ acts

MatterKind: TypeAlias = Literal[
    "public activity", "appointment", "inviting companions", "online activity", "asking for help"
]


class Chore(MindAnswer):
    """One of the things to do for somebody who asks for help."""

    what: Words
    place: Name = ""


class Matter(MindAnswer):
    """A social matter of `host` (an id) in typed form; day, start and place are "" where open.

    `partner` is the id of the person an appointment is for; `chores` are those of help, in order.
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


class SpeechAct(MindAnswer):
    """What `by` (an id) means by a line, in typed form; `matter` holds no more than the line says.

    "tell" mentions a matter, "invite" asks the other to take part, to come or to help; "ask" is a
    question about what `asks` names; "counter" proposes another time or place; "accept" says yes to
    the matter as it stands in the act, "decline" no. "greet", "chat" and "bye" concern no matter.
    """

    kind: Literal["greet", "chat", "tell", "invite", "ask", "counter", "accept", "decline", "bye"]
    by: str
    matter: Matter | None = None
    asks: Literal["", "when", "where"] = ""


def _readable(value: object, read: ValidatorFunctionWrapHandler) -> object:
    """A model that invents a field of this name must not have its words refused for it."""
    try:
        return read(value)
    except ValidationError:
        return ()


Acts: TypeAlias = Annotated[SkipJsonSchema[tuple[SpeechAct, ...]], WrapValidator(_readable)]
"""Typed acts beside the words. Only built-in scripted minds write any (see `MindPlayer`); no model
is shown the field."""


class Acted(MindAnswer):
    """An answer with acts, which are serialised only where there are any."""

    acts: Acts = ()

    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        values: dict[str, object] = write(self)
        acts = values.pop("acts", ())
        return values | {"acts": acts} if self.acts else values


# ------------------------------------------------------------------ what a question shows


@dataclass(frozen=True, slots=True)
class Memory:
    """One entry of a memory stream: what was seen, said, thought, planned or known before, and
    when; `done` is an activity of one's own, which lean minds keep in frozen conversations only."""

    when: datetime
    kind: Literal["seen", "talk", "thought", "done", "known", "plan"]
    text: str
    importance: int | None = None


class Recall(Protocol):
    """Read access to a resident's memory; it does not count as accessing memories."""

    def recall(self, query: str, most: int) -> tuple[Memory, ...]:
        """The memories that score highest on recency, importance and relevance; best first."""
        ...

    def latest(self, most: int) -> tuple[Memory, ...]:
        """The newest memories, the oldest of them first."""
        ...


@dataclass(frozen=True, slots=True)
class Block:
    """An entry of a day's plan, from `start` until `end`."""

    start: datetime
    end: datetime
    what: str
    place: str

    @property
    def minutes(self) -> int:
        """Its length as displayed, in whole minutes; at least 1."""
        start = self.start.replace(second=0)
        return max(1, round((self.end - start) / timedelta(minutes=1)))


@dataclass(frozen=True, slots=True)
class Other:
    """Another resident as one perceives them; `doing` is what they are seen doing."""

    id: str
    name: str
    doing: str
    tie: str = ""


@dataclass(frozen=True, slots=True)
class Utterance:
    """One utterance of a talk; `who` is a resident's id.

    `acts` say in typed form what a built-in scripted resident means by it; others write none.
    """

    who: str
    name: str
    text: str
    acts: tuple[SpeechAct, ...] = ()


@dataclass(frozen=True, slots=True)
class Heard:
    """An act about a matter in an earlier talk, as remembered: when, and the other's id."""

    when: datetime
    other: str
    act: SpeechAct


@dataclass(frozen=True, slots=True)
class QuestionMeta:
    """Identifies a question: of whom, at which step and attempt, and the problem of the last
    attempt.

    `index` counts those of one kind at the same step, from 0.
    """

    trial: str
    seed: int
    resident: str
    step: int
    attempt: int = 1
    problem: str = ""
    seat: str = ""
    index: int = 0


Heads: TypeAlias = Literal["short", "full"]


@dataclass(frozen=True, slots=True)
class Me:
    """The resident who is asked, and what it has at hand.

    `now` is the moment, `place` where the resident is ("" outdoors), `doing` what it does, in the
    words that others see. `places` are those that it knows and can go to, `objects` what stands in
    each; `names` are those of all places in town, so that one can be recognised when it is
    mentioned. `people` are the others in town (id to name), `known_as` what everybody knows of them
    (by id). `memory` can be searched. `task` is the resident's social task and `heard` what was
    said in earlier talks, both in typed form: for scripted minds, which read no words; prompts
    never show them. `outline` is the day's plan in broad strokes, for minds that make one. `pause`
    is for how many minutes nobody speaks to the same person again. `heads`: how much of the
    resident begins each prompt of Generative Agents (see `MindQuestion.head_parts`).
    """

    resident: Resident
    now: datetime
    places: tuple[str, ...]
    objects: dict[str, tuple[str, ...]]
    people: dict[str, str]
    memory: Recall
    known_as: dict[str, str] = field(default_factory=dict)
    place: str = ""
    names: tuple[str, ...] = ()
    doing: str = ""
    task: Matter | None = None
    heard: tuple[Heard, ...] = ()
    pause: int = 0
    outline: tuple[str, ...] = ()
    heads: Heads = "short"

    def places_after(self, lines: tuple[Utterance, ...]) -> tuple[str, ...]:
        """The places known after these words, new ones last.

        Whoever takes part in a conversation learns the places named in it, by whomever, and the one
        where it is held.
        """
        new = places_mentioned(" ".join(line.text for line in lines), self.names)
        current = (self.place,) if self.place else ()
        return tuple(dict.fromkeys((*self.places, *new, *current)))


# ------------------------------------------------------------------ what a question is

A = TypeVar("A", bound=MindAnswer)


class UnfitError(ValueError):
    """An answer that the town cannot use; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class MindQuestion(Generic[A]):
    """A question that a resident's life asks its mind: all that the resident may know at this
    moment.

    A subclass declares the question once. `name` is the method of a mind that answers it, the file
    of its prompt in `folder`, and its name in the journal; `answer_type` is the type of the answer.
    `exact` questions are asked of a model at temperature 0. `head` is the prompt used as the system
    message, `head_parts` are those of its parts that bear on the answer, for short heads; `more`
    names what a prompt shows beside the fields. A question that is not `recorded` leaves nothing in
    the journal: whoever answers must give the same answer again when an episode is resumed. `needs`
    are the tokens that an answer may take, where that is less than its schema allows.
    """

    name: ClassVar[str]
    answer_type: ClassVar[type[MindAnswer]]
    exact: ClassVar[bool] = False
    folder: ClassVar[str] = ""
    head: ClassVar[str] = "head"
    head_parts: ClassVar[str] = ""
    recorded: ClassVar[bool] = True
    more: ClassVar[str] = ""
    needs: ClassVar[int | None] = None

    meta: QuestionMeta
    me: Me

    @classmethod
    def template(cls) -> str:
        """The name of its prompt in a prompt set."""
        return f"{cls.folder}{cls.name}"

    @classmethod
    def input_name(cls, field: str) -> str:
        """The name of a field in prompts."""
        return {"bedtime": "bed", "block": "what"}.get(field, field)

    @classmethod
    def input_names(cls) -> str:
        """The names of all that its prompt may show: `now`, the fields, `more`."""
        return " ".join(("now", cls.more, *(cls.input_name(item.name) for item in fields(cls)[2:])))

    def variables(self) -> dict[str, Any]:
        """The values of `input_names`; fields as `render` writes them."""
        own = fields(self)[2:]  # all but `meta` and `me`
        values = {self.input_name(item.name): self.render(getattr(self, item.name)) for item in own}
        return {"now": now_line(self.me.now)} | values | self.extra_variables()

    def render(self, value: Any) -> Any:
        """A field as a prompt shows it; booleans and numbers, on which templates branch, as they
        are."""
        match value:
            case None | ():
                return ""
            case bool() | int():
                return value
            case datetime():
                return f"{value:%H:%M}"
            case date():
                return format_date(value)
            case Other():
                return format_other(value)
            case Block():
                return one_line(value.what)
            case (Block(), *_):
                return plan_lines(value)
            case (Memory(), *_):
                return self.render_memories(value)
            case (Utterance(), *_):
                return talk_lines(self.me, value)
            case tuple():
                return text_lines(value)
            case _:
                return one_line(str(value), LONGEST_FIELD)

    def render_memories(self, memories: Iterable[Memory]) -> str:
        return memory_lines(memories)

    def extra_variables(self) -> dict[str, Any]:
        """What a prompt shows beside the fields, or shows of a field in other words."""
        return {}

    def schema_options(self) -> dict[str, Any]:
        """Constraints on fields of the answer, by the field's name, for its JSON schema."""
        return {}

    def problem_with(self, answer: A) -> str:
        """What is wrong with an answer that its type cannot express; "" if nothing is.

        Whoever answered is told, and asked again.
        """
        return ""

    def coerce(self, answer: A) -> A:
        """A model's answer with what it clearly means put right, such as a place in words.

        UnfitError where it is unclear what is meant.
        """
        return answer


# ------------------------------------------------------------------ places and words in answers


def unknown_place(me: Me, place: str) -> str:
    """What is wrong with a place that a resident names; "" if it knows it."""
    if place in me.places:
        return ""
    return f'expected a place that {me.resident.first_name} knows, found "{place}"'


def resolve_place(text: str, places: tuple[str, ...], otherwise: str = "") -> str:
    """The known place that a name or phrase means; `otherwise` is mentioned as an alternative.

    UnfitError where it means none of them, or several.
    """
    match = text if text in places else match_place(text, places)
    if match is None:
        near = get_close_matches(text[:80], places, n=3, cutoff=0.0)
        nearest = " or ".join(f'"{place}"' for place in near)
        problem = f"expected a place that you know, such as {nearest}{otherwise}"
        raise UnfitError(f'{problem}, found "{text[:80]}"')
    return match


_LONGEST = 400
"""Characters of an entry or a name in a prompt; longer ones are cut."""
_LONGEST_WORDS = 2000
LONGEST_FIELD = 2000
"""Characters of a resident's own description, a memory, a goal or a reminder."""


# Prompts of a talk repeat the same memories, plans and lines: formatted lines are cached.


@lru_cache(maxsize=8192)
def one_line(text: str, longest: int = _LONGEST) -> str:
    """A text on one line, so that nothing somebody said can pass for a part of the prompt."""
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"


@lru_cache(maxsize=256)
def format_date(day: date) -> str:
    """Such as "Tuesday 14 May 2024 (2024-05-14)"."""
    return f"{spoken_date(day)} ({day.isoformat()})"


def now_line(moment: datetime) -> str:
    """The line that begins every question about a moment."""
    return f"It is {format_date(moment.date())}, {moment:%H:%M}."


def summarise_identity(me: Me) -> str:
    """Who a resident is, in several lines: name, age, traits, what occupies them, way of life, the
    plan in broad strokes, the date."""
    who = me.resident
    lifestyle, routine = who.ordinary_day
    summary = {
        "Name": one_line(who.name),
        "Age": who.age,
        "Character": one_line(who.innate, LONGEST_FIELD),
        "Background": one_line(who.learned, LONGEST_FIELD),
        f"What occupies {one_line(who.first_name)} now": one_line(who.currently, LONGEST_FIELD),
        "Way of life": one_line(lifestyle, LONGEST_FIELD),
        "Ordinary days": one_line(routine, LONGEST_FIELD),
        "Plan of the day": "; ".join(map(one_line, me.outline)),
        "Date": format_date(me.now.date()),
    }
    return "\n".join(f"{name}: {text}" for name, text in summary.items() if text != "")


def format_place(place: str, otherwise: str = "no place in particular") -> str:
    return one_line(place) or otherwise


def format_block_place(block: Block) -> str:
    return "outdoors" if block.place == str(OUTDOORS) else format_place(block.place)


def describe_situation(me: Me) -> str:
    """What one is doing, as others see it, and where."""
    doing = one_line(me.doing)
    spot = f"at {one_line(me.place)}" if me.place else "outdoors"
    if doing.startswith("on the way to"):
        return f"{doing}, now {spot}"
    return f"{doing}, {spot}" if doing else spot


def format_other(other: Other) -> str:
    """Such as "Ada Finch (your neighbour)"."""
    tie = f" (your {one_line(other.tie)})" if other.tie else ""
    return f"{one_line(other.name)}{tie}"


def first_name(other: Other) -> str:
    return one_line((other.name.split() or [other.id])[0])


def visible_activity(other: Other) -> str:
    return one_line(other.doing) or "doing nothing in particular"


def memory_lines(memories: Iterable[Memory]) -> str:
    """One memory a line, with its moment."""
    return _write_bullets([_remembered(memory) for memory in memories])


def plan_lines(blocks: Iterable[Block]) -> str:
    """One block a line, such as "09:00 to 10:00: reading, Library: reading room"."""
    return _write_bullets([_planned(block) for block in blocks])


def talk_lines(me: Me, lines: Iterable[Utterance]) -> str:
    """One utterance a line; one's own are marked "You"."""
    own_id = me.resident.id
    return _write_bullets(
        [
            f"{'You' if line.who == own_id else one_line(line.name)}: "
            f"{one_line(line.text, _LONGEST_WORDS)}"
            for line in lines
        ]
    )


def text_lines(texts: Iterable[str]) -> str:
    """One text a line, as bullets."""
    return _write_bullets([one_line(text, LONGEST_FIELD) for text in texts])


def numbered_lines(texts: Iterable[str]) -> str:
    """One text a line, numbered from 1."""
    return "\n".join(f"{number}. {one_line(text)}" for number, text in enumerate(texts, 1))


@lru_cache(maxsize=8192)
def _remembered(memory: Memory) -> str:
    return f"{memory.when:%Y-%m-%d %H:%M}: {one_line(memory.text, LONGEST_FIELD)}"


@lru_cache(maxsize=8192)
def _planned(block: Block) -> str:
    hours = f"{block.start:%H:%M} to {block.end:%H:%M}"
    place = f", {one_line(block.place)}" if block.place else ""
    return f"{hours}: {one_line(block.what)}{place}"


def _write_bullets(lines: list[str]) -> str:
    return "- " + "\n- ".join(lines) if lines else ""
