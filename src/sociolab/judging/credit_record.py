"""Credit for single turns, as a judge gave it to an episode: what is kept of one judging."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from sociolab.core.errors import Cause

CreditMeasure: TypeAlias = Literal["goal", "secret"]
MEASURES: tuple[CreditMeasure, ...] = ("goal", "secret")


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Cell(_Record):
    """What credit is given for: one measure of one seat."""

    seat: str
    measure: CreditMeasure


class Credit(_Record):
    """A turn that moved a cell.

    `turn` is the transcript's (from 0), `by` the seat whose turn it was, `quote` words of it.
    `amount` is -3 to 3 and not 0 for a goal, -1 for a turn that gave a secret away.
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
        """The cells with a usable list, be it empty."""
        failed = {failure.cell for failure in self.failures}
        return tuple(cell for cell in self.asked if cell not in failed)
