"""The verdicts of a run, taken in judging by judging; of their texts nothing is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sociolab.core.episode import Json
from sociolab.core.score import JudgeId, Measure
from sociolab.report.columns import Column, Outcome, combined, outcome
from sociolab.report.observed import LEDGER, TRANSCRIPT
from sociolab.report.plays import PlayKey
from sociolab.store.outcomes import Judging

_Key: TypeAlias = tuple[Measure, bool]
_Said: TypeAlias = dict[PlayKey, list[Outcome]]
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
    _said: dict[JudgeId, dict[_Key, _Said]] = field(default_factory=dict)
    _known: dict[tuple[int, int, bool], tuple[JudgeId, Measure, _Said]] = field(
        default_factory=dict
    )
    _cells: dict[JudgeId, dict[tuple[Measure, str, str | None], _Cell]] = field(
        default_factory=dict
    )

    def take(self, row: Judging) -> None:
        """Take in one judging."""
        judge, trial = row.judge, row.trial
        self.judgings[judge] = max(self.judgings.get(judge, 0), row.judging + 1)
        for one in row.outcomes:
            measure, seat, _, value, cause, *_ = one
            if cause is not None:
                self.causes[cause] += 1
            if trial is None:
                self.measures.setdefault(measure.name, measure)
                at = (measure, repr(row.cell), seat)
                cell = self._cells.setdefault(judge, {}).setdefault(at, (row.cell, []))
                cell[1].append(outcome(one))
            else:
                column = self._column(judge, measure, seat is None)
                said = outcome(one) if value is None else value  # a call for each is slow
                column.setdefault((trial, seat), []).append(said)

    def _column(self, judge: JudgeId, measure: Measure, whole: bool) -> _Said:
        """Where verdicts of this judge and measure go; found by identity, as the hash of a record
        takes longer than all else here. What is remembered stays alive, so that no other can take
        its identity."""
        known = self._known.get((id(judge), id(measure), whole))
        if known is None:
            self.measures.setdefault(measure.name, measure)
            columns = self._said.setdefault(judge, {})
            known = judge, measure, columns.setdefault((measure, whole), {})
            self._known[id(judge), id(measure), whole] = known
        return known[2]

    def labels(self) -> dict[JudgeId, str]:
        """Names that tell the judges apart."""
        return labels_of(self.judgings)

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
                {
                    key: found[0] if len(found) == 1 else combined(found)
                    for key, found in said.items()
                },
            )
            for judge, columns in self._said.items()
            for (measure, whole), said in columns.items()
        )

    def values(self, column: Column) -> Mapping[PlayKey, Sequence[Outcome]]:
        """What each judging of a play came to, of one of the `columns`."""
        return self._said[column.judge][column.measure, column.whole]

    def cells(self) -> tuple[CellValue, ...]:
        """The verdicts on cells and on the run, repeated judgings averaged."""
        labels = self.labels()
        return tuple(
            CellValue(labels[judge], judge, measure, cell, seat, combined(found))
            for judge, cells in self._cells.items()
            for (measure, _, seat), (cell, found) in cells.items()
        )


def labels_of(judges: Collection[JudgeId]) -> dict[JudgeId, str]:
    """Names that tell judges apart: a piece of the settings' hash where names agree.

    The names of what this package counts itself are taken.
    """
    names = Counter((TRANSCRIPT.name, LEDGER.name, *(judge.name for judge in judges)))
    return {
        judge: judge.name
        if names[judge.name] == 1
        else f"{judge.name} ({judge.method} {judge.settings[:8]})"
        for judge in judges
    }
