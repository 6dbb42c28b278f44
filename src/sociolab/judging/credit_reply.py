"""What a judge of single turns replies, and how it becomes credit: every quote is looked up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Annotated, Any, Self, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    TypeAdapter,
    ValidationError,
    create_model,
    model_validator,
)

from sociolab.judging.credit_record import Cell, Credit, CreditMeasure, NoCredit
from sociolab.judging.credit_story import Person, Story, without_name, words_of
from sociolab.judging.quoting import WANTED, quoted

_LONGEST_SHOWN = 100
_NUMBER = re.compile(r"^\W*\d+\.\s+")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")  # wanted where structured output is strict


class GoalTurn(_Strict):
    """A turn that moved a goal."""

    turn: int
    quote: str
    reason: str
    effect: Annotated[int, Field(ge=-3, le=3)]

    @property
    def amount(self) -> int:
        """What it counts; 0 is no credit."""
        return self.effect


class SecretTurn(_Strict):
    """A turn that gave a secret away, or came near."""

    turn: int
    quote: str
    reason: str
    leaked: bool

    @property
    def amount(self) -> int:
        """What it counts; 0 is no credit."""
        return -1 if self.leaked else 0


_LISTS: dict[CreditMeasure, TypeAdapter[tuple[GoalTurn | SecretTurn, ...]]] = {
    "goal": TypeAdapter(tuple[GoalTurn, ...]),
    "secret": TypeAdapter(tuple[SecretTurn, ...]),
}
_TURNS: dict[CreditMeasure, Any] = {"goal": list[GoalTurn], "secret": list[SecretTurn]}

Shape: TypeAlias = tuple[tuple[CreditMeasure, ...], ...]


class LooseSheets(RootModel[dict[str, Any]]):
    """What is read: anything in the field of a person, so that one bad list costs no other."""

    @model_validator(mode="after")
    def _somebody(self) -> Self:
        if not any(field.startswith("person_") for field in self.root):
            raise ValueError(f"expected the field {field_of(0)}")
        return self


def field_of(index: int) -> str:
    """The field of a person: by number, so that the schema is the same for all casts."""
    return f"person_{index + 1}"


@cache
def sheets(shape: Shape) -> type[BaseModel]:
    """The type that is asked for: of each person, a list for each measure at stake."""
    fields: dict[str, Any] = {}
    for index, measures in enumerate(shape):
        lists: dict[str, Any] = {measure: (_TURNS[measure], ...) for measure in measures}
        fields[field_of(index)] = (create_model("_".join(measures), __base__=_Strict, **lists), ...)
    return create_model("Credits", __base__=_Strict, **fields)


def credit_in(story: Story, reply: LooseSheets) -> tuple[list[Credit], list[NoCredit]]:
    """The credit in a reply; a cell of which something is amiss is a failure as a whole.

    Half a list would not do: its sum would say something else than the judge did.
    """
    found: list[Credit] = []
    failures: list[NoCredit] = []
    for index, person in enumerate(story.asked):
        sheet = reply.root.get(field_of(index))
        for measure in person.measures:
            cell = Cell(seat=person.seat, measure=measure)
            try:
                turns = _LISTS[measure].validate_python(_list(sheet, measure))
            except ValidationError as error:
                problem = f"{person.name}, {measure}: {_first(error)}"
                failures.append(NoCredit(cell=cell, cause="unreadable", problem=problem))
                continue
            moved = [turn for turn in turns if turn.amount]
            problems = list(_problems(story, person, measure, moved))
            if problems:
                problem = "; ".join(problems[:2])
                failures.append(NoCredit(cell=cell, cause="not allowed", problem=problem))
            else:
                found += [_credit(story, cell, turn) for turn in moved]
    return found, failures


def _list(sheet: Any, measure: str) -> Any:
    return sheet.get(measure) if isinstance(sheet, dict) else None


def _first(error: ValidationError) -> str:
    item = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in item["loc"])
    said = f"{item['msg'][:1].lower()}{item['msg'][1:]}"
    found = f"found {str(item['input'])[:60]}"
    return f"{place}: {said}, {found}" if place else f"expected a list of turns, {found}"


def _problems(
    story: Story, person: Person, measure: str, moved: Sequence[GoalTurn | SecretTurn]
) -> Iterator[str]:
    """What is amiss with the turns of a list, one problem a turn."""
    seen: set[int] = set()
    last = len(story.transcript.lines)
    for one in moved:
        where = f"{person.name}, {measure}, turn {one.turn}"
        if not 1 <= one.turn <= last:
            yield f"{where}: expected a turn from 1 to {last}"
        elif one.turn in seen:
            yield f"{where}: named twice in the list"
        elif _words(story, one.turn, one.quote) is None:
            shown = one.quote[:_LONGEST_SHOWN]
            yield f'{where}: expected {WANTED} of that turn as quote, found "{shown}"' + _elsewhere(
                story, one.quote
            )
        seen.add(one.turn)


def _elsewhere(story: Story, quote: str) -> str:
    for number in range(1, len(story.transcript.lines) + 1):
        if _words(story, number, quote) is not None:
            return f", which stands in turn {number}"
    return ""


def _words(story: Story, number: int, quote: str) -> str | None:
    """The quoted words as they stand in a turn; None if they do not.

    The number and the name that stand before each turn are no part of it.
    """
    line = story.transcript.lines[number - 1]
    bare = without_name(_NUMBER.sub("", " ".join(quote.split())), line.who)
    return quoted(bare, (words_of(line),))


def _credit(story: Story, cell: Cell, one: GoalTurn | SecretTurn) -> Credit:
    words = _words(story, one.turn, one.quote)
    assert words is not None
    return Credit(
        cell=cell,
        turn=story.transcript.lines[one.turn - 1].turn,
        by=story.by[one.turn - 1],
        quote=words,
        amount=one.amount,
        reason=one.reason,
    )
