"""The verdicts of a run, taken in judging by judging; of their texts nothing is kept."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TypeAlias

from sociolab.core.episode import Json
from sociolab.core.score import JudgeId, Measure, ScoreFailure
from sociolab.report.columns import Column, Outcome, combined, outcome
from sociolab.report.observed import LEDGER, TRANSCRIPT
from sociolab.report.plays import PlayKey
from sociolab.store.scores import JudgingRow

_Key: TypeAlias = tuple[Measure, bool]
_Cell: TypeAlias = tuple[Json, list[Outcome]]


@dataclass(frozen=True, slots=True)
class CellValue:
    """What one judge said of one measure of a cell of the plan, or (`cell` None) of the run."""

    label: str
    judge: JudgeId
    measure: Measure
    cell: Json
    seat: str | None
    outcome: Outcome


@dataclass(slots=True)
class Judged:
    """Columns in the making. `judgings` is how often each judge judged an episode at most."""

    judgings: dict[JudgeId, int] = field(default_factory=dict)
    measures: dict[str, Measure] = field(default_factory=dict)
    causes: Counter[str] = field(default_factory=Counter)
    _said: dict[JudgeId, dict[_Key, dict[PlayKey, list[Outcome]]]] = field(default_factory=dict)
    _cells: dict[JudgeId, dict[tuple[Measure, str, str | None], _Cell]] = field(
        default_factory=dict
    )

    def take(self, row: JudgingRow) -> None:
        """Take in one judging."""
        judge = row.judge
        self.judgings[judge] = max(self.judgings.get(judge, 0), row.judging + 1)
        said = self._said.setdefault(judge, {})
        for verdict in row.verdicts:
            measure, seat = verdict.measure, verdict.seat
            self.measures.setdefault(measure.name, measure)
            if isinstance(verdict, ScoreFailure):
                self.causes[verdict.cause] += 1
            if row.trial is None:
                at = (measure, repr(row.cell), seat)
                cell = self._cells.setdefault(judge, {}).setdefault(at, (row.cell, []))
                cell[1].append(outcome(verdict))
            else:
                column = said.setdefault((measure, seat is None), {})
                column.setdefault((row.trial, seat), []).append(outcome(verdict))

    def labels(self) -> dict[JudgeId, str]:
        """Names that tell the judges apart: a piece of the settings' hash where names agree.

        The names of what this package counts itself are taken.
        """
        names = Counter((TRANSCRIPT.name, LEDGER.name, *(judge.name for judge in self.judgings)))
        return {
            judge: judge.name
            if names[judge.name] == 1
            else f"{judge.name} ({judge.method} {judge.settings[:8]})"
            for judge in self.judgings
        }

    def columns(self) -> tuple[Column, ...]:
        """The verdicts on episodes, judges and measures in the order in which they first occur.

        Repeated judgings of a seat by one judge are averaged first, so that it counts once.
        """
        labels = self.labels()
        return tuple(
            Column(
                labels[judge],
                judge,
                measure,
                whole,
                True,
                {key: combined(found) for key, found in said.items()},
            )
            for judge, columns in self._said.items()
            for (measure, whole), said in columns.items()
        )

    def cells(self) -> tuple[CellValue, ...]:
        """The verdicts on cells and on the run, repeated judgings averaged."""
        labels = self.labels()
        return tuple(
            CellValue(labels[judge], judge, measure, cell, seat, combined(found))
            for judge, cells in self._cells.items()
            for (measure, _, seat), (cell, found) in cells.items()
        )
