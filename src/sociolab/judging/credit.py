"""Turn-level credit: which turns advanced a goal or revealed a secret, as judged by a chat model.

One call judges an episode for everybody with something at stake: most of the prompt is the
transcript, which a call per seat would repeat. Every quote is checked in its turn.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    create_model,
)

from sociolab.core.errors import Cause, ReplyError, WorldError
from sociolab.core.ports import ChatModel, Line, Transcript
from sociolab.core.reading import describe_problems
from sociolab.core.score import JudgeId
from sociolab.core.seeding import digest
from sociolab.judging.quoting import QUOTE_RULE, SpokenLine, flat, lines_with, without_name
from sociolab.judging.reader import (
    MissingValue,
    PersonSheets,
    Strict,
    TranscriptReader,
    join_problems,
    person_field,
)
from sociolab.prompting.sets import prompt
from sociolab.prompting.structured import schema_of, typed_prompt

CreditMeasure: TypeAlias = Literal["goal", "secret"]

MEASURES: tuple[CreditMeasure, ...] = ("goal", "secret")


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Cell(_Record):
    """A metric of a seat, on which credit is given.

    >>> from sociolab.judging import Cell
    >>> Cell(seat="ann", measure="goal")
    Cell(seat='ann', measure='goal')
    """

    seat: str
    measure: CreditMeasure


class Credit(_Record):
    """A turn that moved a cell.

    `turn` is the transcript's (from 0), `by` the seat whose turn it was, `quote` words of it.
    `amount` is -3 to 3 and not 0 for a goal, -1 for a turn that gave a secret away.

    >>> from sociolab.judging import Cell, Credit
    >>> goal = Cell(seat="ann", measure="goal")
    >>> Credit(cell=goal, turn=2, by="ben", quote="I'll take it", amount=3, reason="A sale.").amount
    3
    """

    cell: Cell
    turn: int
    by: str
    quote: str
    amount: Annotated[int, Field(ge=-3, le=3)]
    reason: str


class NoCredit(_Record):
    """A cell for which there is no usable list: a failure, never "no turn moved it"."""

    cell: Cell
    cause: Cause
    problem: str


class CreditRecord(_Record):
    """One judging of one episode: the cells that were asked about, and what came of each.

    A cell of `asked` without a credit or a failure: no turn moved it. `judge` and `settings` are
    those of the judge's id, `names` is what the transcript calls each seat, `attempts` how often
    the judge was asked.

    >>> from sociolab.judging import Cell, CreditRecord
    >>> goal = Cell(seat="ann", measure="goal")
    >>> record = CreditRecord(judge="openai/m", settings="", names={"ann": "Ann"}, asked=(goal,),
    ...                       credits=(), failures=(), attempts=1)
    >>> record.credited == (goal,)  # a usable list, although no turn moved the goal
    True
    """

    version: Literal[1] = 1
    judge: str
    settings: str
    names: dict[str, str]
    asked: tuple[Cell, ...]
    credits: tuple[Credit, ...]
    failures: tuple[NoCredit, ...]
    attempts: int

    @property
    def credited(self) -> tuple[Cell, ...]:
        """The cells with a usable list, even an empty one."""
        failed = {failure.cell for failure in self.failures}
        return tuple(cell for cell in self.asked if cell not in failed)


PACKAGE = "sociolab.judging"

_A_CREDIT, _LONGEST = 100, 6_000
"""Tokens that a turn's credit may take, and all of a reply: few turns move everything."""


class CreditJudge:
    r"""Gives credit to turns with a chat model at temperature 0.

    A reply with a quote that is not in its turn, a turn that does not exist, or an unreadable list
    is requested again; the cells that the last reply still gets wrong are failures. A call that
    fails for good fails all cells; a fatal error (credentials, budget) passes through and stops the
    run.

    >>> import asyncio
    >>> from sociolab.core import ChatReply, Line, Transcript
    >>> from sociolab.judging import CreditJudge, build_story
    >>> class Model:
    ...     label = "my/model"
    ...     async def complete(self, prompt, key):
    ...         return ChatReply('{"person_1": {"goal": [{"turn": 2, "quote": "I\'ll take it.", '
    ...                          '"reason": "The bicycle is sold.", "effect": 3}]}}')
    >>> lines = (Line(0, "Ann", False, (), "Ann: Would you pay two hundred?", "ann"),
    ...          Line(1, "Ben", False, (), "Ben: I'll take it.", "ben"))
    >>> transcript = Transcript("A sale", (("Ann", "Goal: Sell the bicycle."),), lines)
    >>> story = build_story(transcript, ["ann", "ben"], ["goal"])
    >>> (credit,) = asyncio.run(CreditJudge(Model()).credit("trial", story)).credits
    >>> credit.cell.seat, credit.by, credit.amount
    ('ann', 'ben', 3)
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._head = prompt(PACKAGE, "credit_head").render({})
        body, schema = prompt(PACKAGE, "credit_body").hash, schema_of(reply_type((MEASURES,))).text
        self.id = JudgeId(model.label, "model", digest(model.label, self._head, body, schema))

    async def credit(self, trial: str, story: Story) -> CreditRecord:
        """Judge an episode in which somebody has something at stake; ValueError if nobody has."""
        if not story.with_stakes:
            raise ValueError("expected somebody with a goal or a secret, found nobody")
        shape = tuple(person.measures for person in story.with_stakes)
        needs = min(500 + _A_CREDIT * len(story.transcript.lines) * len(cells(story)), _LONGEST)
        reading = await TranscriptReader(self._model, trial).read(
            "credit",
            typed_prompt(self._head, body(story), reply_type(shape), 0.0, needs),
            PersonSheets,
            partial(parse_credit, story),
            lacks=lambda parsed: join_problems(failure.problem for failure in parsed[1]),
        )
        if isinstance(reading, MissingValue):
            cause, problem, credits = reading.cause, reading.problem, list[Credit]()
            failures = [NoCredit(cell=c, cause=cause, problem=problem) for c in cells(story)]
        else:
            credits, failures = reading.value
        return CreditRecord(
            judge=self.id.label,
            settings=self.id.settings,
            names={person.seat: person.name for person in story.people},
            asked=cells(story),
            credits=tuple(credits),
            failures=tuple(failures),
            attempts=reading.attempts,
        )


def cells(story: Story) -> tuple[Cell, ...]:
    return tuple(
        Cell(seat=person.seat, measure=measure)
        for person in story.with_stakes
        for measure in person.measures
    )


def body(story: Story) -> str:
    """The scene, the numbered lines, and the question about each person.

    Everything from the episode is on a line of its own after a number or blanks, so that nothing
    that was said can pass for a heading or another turn.
    """
    return prompt(PACKAGE, "credit_body").render(
        {
            "scene": [
                {"heading": flat(heading), "lines": [flat(line) for line in text.splitlines()]}
                for heading, text in story.transcript.scene
            ],
            "lines": [flat(line.text) for line in story.transcript.lines],
            "people": [
                {
                    "field": person_field(index),
                    "name": flat(character.name),
                    "measures": character.measures,
                }
                for index, character in enumerate(story.with_stakes)
            ],
        }
    )


_MARKS: Mapping[CreditMeasure, tuple[str, ...]] = {
    "goal": ("Goal:", "Intention:"),
    "secret": ("Secret:",),
}
"""How a paragraph of the scene states what is at stake, see `core.ports.Transcript`."""


@dataclass(frozen=True, slots=True)
class StoryPerson:
    """A seat that took a turn: its name in the lines, and the metrics it has a stake in."""

    seat: str
    name: str
    measures: tuple[CreditMeasure, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """The transcript of a whole episode, and its people.

    A seat that took no turn is left out: nothing tells what the scene calls it.

    >>> from sociolab.core import Line, Transcript
    >>> from sociolab.judging import build_story
    >>> lines = (Line(0, "Ann", False, (), "Ann: Would you pay two hundred?", "ann"),
    ...          Line(1, "Ben", False, (), "Ben: I'll take it.", "ben"))
    >>> transcript = Transcript("A sale", (("Ann", "Goal: Sell the bicycle."),), lines)
    >>> story = build_story(transcript, ["ann", "ben", "cat"], ["goal"])
    >>> [person.seat for person in story.people], [person.seat for person in story.with_stakes]
    (['ann', 'ben'], ['ann'])
    """

    transcript: Transcript
    people: tuple[StoryPerson, ...]

    @property
    def with_stakes(self) -> tuple[StoryPerson, ...]:
        """The people with something at stake."""
        return tuple(person for person in self.people if person.measures)


def build_story(
    transcript: Transcript, seats: Sequence[str], measures: Collection[CreditMeasure]
) -> Story:
    """The story of a whole episode of these seats; WorldError where a line is of none of them.

    >>> from sociolab.core import Line, Transcript
    >>> from sociolab.judging import build_story
    >>> lines = (Line(0, "Ann", False, (), "Ann: Would you pay two hundred?", "ann"),
    ...          Line(1, "Ben", False, (), "Ben: I'll take it.", "ben"))
    >>> scene = (("Ann", "Goal: Sell the bicycle."), ("Ben", "A neighbour."))
    >>> story = build_story(Transcript("A sale", scene, lines), ["ann", "ben"], ["goal"])
    >>> [(person.name, person.measures) for person in story.people]
    [('Ann', ('goal',)), ('Ben', ())]
    """
    for line in transcript.lines:
        if line.seat not in seats:
            raise WorldError(
                f'the line of turn {line.turn + 1} in "{transcript.title}" has the seat '
                f'"{line.seat}", expected one of {json.dumps(list(seats))}; give each Line its seat'
            )
    names = {line.seat: line.who for line in transcript.lines}
    people = tuple(
        StoryPerson(
            seat,
            names[seat],
            tuple(m for m in MEASURES if m in measures and _at_stake(transcript, names[seat], m)),
        )
        for seat in seats
        if seat in names
    )
    return Story(transcript, people)


def line_words(line: Line) -> str:
    """What was said and done in a line, on one line and without the speaker's name."""
    return without_name(" ".join(line.text.split()), line.who)


def _at_stake(transcript: Transcript, name: str, measure: CreditMeasure) -> bool:
    """Whether the scene states a goal, or a secret, of this person."""
    about = [text for head, text in transcript.scene if head == name]
    # Lines may call somebody by the first name where the scene has the full one.
    about = about or [text for head, text in transcript.scene if head.startswith(f"{name} ")]
    return any(line.startswith(_MARKS[measure]) for text in about for line in text.splitlines())


_LONGEST_SHOWN = 100


class _CitedTurn(Strict):
    turn: int
    quote: str
    reason: str


class GoalTurn(_CitedTurn):
    """A turn that moved a goal."""

    effect: Annotated[int, Field(ge=-3, le=3)]

    @property
    def amount(self) -> int:
        """What it counts; 0 is no credit."""
        return self.effect


class SecretTurn(_CitedTurn):
    """A turn that gave a secret away, or came near."""

    leaked: bool

    @property
    def amount(self) -> int:
        """What it counts; 0 is no credit."""
        return -1 if self.leaked else 0


_TURNS: dict[CreditMeasure, Any] = {"goal": list[GoalTurn], "secret": list[SecretTurn]}
_LISTS: dict[CreditMeasure, TypeAdapter[list[GoalTurn | SecretTurn]]] = {
    measure: TypeAdapter(turns) for measure, turns in _TURNS.items()
}

Shape: TypeAlias = tuple[tuple[CreditMeasure, ...], ...]


@cache
def reply_type(shape: Shape) -> type[BaseModel]:
    """The requested reply type: for each person, a list for each metric at stake."""
    fields: dict[str, Any] = {}
    for index, measures in enumerate(shape):
        lists: dict[str, Any] = {measure: (_TURNS[measure], ...) for measure in measures}
        fields[person_field(index)] = (
            create_model("_".join(measures), __base__=Strict, **lists),
            ...,
        )
    return create_model("Credits", __base__=Strict, **fields)


def parse_credit(story: Story, reply: PersonSheets) -> tuple[list[Credit], list[NoCredit]]:
    """The credit in a reply; a cell with any error fails as a whole.

    A partial list would not do: its sum would differ from what the judge said.
    """
    credits: list[Credit] = []
    failures: list[NoCredit] = []
    for index, whom in enumerate(story.with_stakes):
        sheet = reply.root.get(person_field(index))
        for measure in whom.measures:
            cell = Cell(seat=whom.seat, measure=measure)
            whose = f"{whom.name}, {measure}"
            try:
                turns = _LISTS[measure].validate_python(
                    sheet.get(measure) if isinstance(sheet, dict) else None
                )
                credits += _check_credits(
                    story, cell, whose, [turn for turn in turns if turn.amount]
                )
            except ValidationError as error:
                problem = f"{whose}: {describe_problems(error)}"
                failures.append(NoCredit(cell=cell, cause="unreadable", problem=problem))
            except ReplyError as error:
                failures.append(NoCredit(cell=cell, cause="not allowed", problem=str(error)))
    return credits, failures


def _check_credits(
    story: Story, cell: Cell, whose: str, turns: Sequence[GoalTurn | SecretTurn]
) -> list[Credit]:
    """The credits of a list; ReplyError with the first two problems."""
    lines = story.transcript.lines
    spoken = [SpokenLine(line.turn, line.who, (line_words(line),)) for line in lines]
    credits: list[Credit] = []
    problems: list[str] = []
    cited_turns: set[int] = set()
    for cited in turns:
        places, at = lines_with(cited.quote, spoken), cited.turn - 1
        where = f"{whose}, turn {cited.turn}"
        if not 0 <= at < len(lines):
            problems.append(f"{where}: expected a turn from 1 to {len(lines)}")
        elif at in cited_turns:
            problems.append(f"{where}: named twice in the list")
        elif at in places:
            line, words = lines[at], places[at]
            moved: dict[str, Any] = {"turn": line.turn, "by": line.seat, "quote": words}
            credits.append(Credit(cell=cell, amount=cited.amount, reason=cited.reason, **moved))
        else:
            elsewhere = f", which stands in turn {min(places) + 1}" if places else ""
            excerpt = cited.quote[:_LONGEST_SHOWN]
            problem = f'expected {QUOTE_RULE} of that turn as quote, found "{excerpt}"{elsewhere}'
            problems.append(f"{where}: {problem}")
        cited_turns.add(at)
    if problems:
        raise ReplyError("; ".join(problems[:2]))
    return credits
