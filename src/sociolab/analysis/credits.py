"""Credit for single turns, added up: what moved each play, and whether the sums fit the scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sociolab.analysis.values import RunValues
from sociolab.core.episode import Trial
from sociolab.judging.credit_record import MEASURES, Cell, Credit, CreditRecord, NoCredit
from sociolab.stats.correlation import Correlation, pearson

FEWEST = 10
"""Plays from which a correlation is worth a word."""


@dataclass(frozen=True, slots=True)
class PlayCredit:
    """What moved one measure of one seat in one episode.

    `name` is what the transcript calls the seat. `turns` are those that moved it, in order, and
    `total` is the sum of their amounts: 0 where no turn did, None where the judge failed (`failure`
    says how).
    """

    trial: str
    task: str
    cluster: str
    seat: str
    name: str
    agent: str
    measure: str
    total: int | None
    turns: tuple[Credit, ...] = ()
    failure: NoCredit | None = None

    @property
    def by_others(self) -> tuple[Credit, ...]:
        """The turns that were somebody else's."""
        return tuple(turn for turn in self.turns if turn.by != self.seat)


@dataclass(frozen=True, slots=True)
class Check:
    """Summed credit against what a judge of the run gave the same plays in the same measure.

    `found` is over the plays that have both; `enough` says whether there are `FEWEST` of them.
    """

    judge: str
    measure: str
    found: Correlation

    @property
    def enough(self) -> bool:
        """Whether anything can be concluded."""
        return self.found.n >= FEWEST


def merged(records: Sequence[CreditRecord]) -> tuple[CreditRecord, ...]:
    """One record for each judge by name: of each cell, what the judge said last."""
    found = []
    for judge in dict.fromkeys(record.judge for record in records):
        mine = [record for record in records if record.judge == judge]
        last = {cell: index for index, record in enumerate(mine) for cell in record.asked}
        names = {seat: name for record in mine for seat, name in record.names.items()}
        found.append(
            mine[-1].model_copy(
                update={
                    "names": names,
                    "asked": tuple(last),
                    "credits": tuple(
                        c for i, one in enumerate(mine) for c in one.credits if last[c.cell] == i
                    ),
                    "failures": tuple(
                        f for i, one in enumerate(mine) for f in one.failures if last[f.cell] == i
                    ),
                }
            )
        )
    return tuple(found)


def only(record: CreditRecord, wanted: Sequence[Cell]) -> CreditRecord:
    """What a record says of these cells."""
    kept = {
        "asked": tuple(cell for cell in record.asked if cell in wanted),
        "credits": tuple(one for one in record.credits if one.cell in wanted),
        "failures": tuple(one for one in record.failures if one.cell in wanted),
    }
    return record.model_copy(update=kept)


def play_credits(trial: Trial, record: CreditRecord) -> tuple[PlayCredit, ...]:
    """What moved each cell that was asked about, by seat and measure."""
    failures = {failure.cell: failure for failure in record.failures}
    order = [Cell(seat=s, measure=m) for s in trial.task.seats for m in MEASURES]
    return tuple(
        _play(trial, record, cell, failures.get(cell)) for cell in order if cell in record.asked
    )


def checks(plays: Sequence[PlayCredit], scores: RunValues) -> tuple[Check, ...]:
    """Each judge of the run that scored a measure of the same name, against the summed credit."""
    found = []
    for measure in MEASURES:
        mine = [play for play in plays if play.measure == measure]
        for judge in scores.judges:
            given = {
                (value.trial, value.seat): value.value
                for value in scores.of(judge).values
                if value.measure == measure
            }
            both = [play for play in mine if (play.trial, play.seat) in given]
            if both:
                totals = [play.total for play in both]
                scored = [given[play.trial, play.seat] for play in both]
                clusters = [play.cluster for play in both]
                found.append(Check(judge, measure, pearson(totals, scored, clusters)))
    return tuple(found)


def _play(trial: Trial, record: CreditRecord, cell: Cell, failure: NoCredit | None) -> PlayCredit:
    turns = _in_order(credit for credit in record.credits if credit.cell == cell)
    return PlayCredit(
        trial=trial.id,
        task=trial.task.id,
        cluster=trial.task.cluster,
        seat=cell.seat,
        name=record.names.get(cell.seat, cell.seat),
        agent=trial.agent(cell.seat),
        measure=cell.measure,
        total=None if failure else sum(turn.amount for turn in turns),
        turns=turns,
        failure=failure,
    )


def _in_order(turns: Iterable[Credit]) -> tuple[Credit, ...]:
    return tuple(sorted(turns, key=lambda one: one.turn))
