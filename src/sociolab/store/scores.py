"""What judges said of an episode, of a cell of the plan, or of a whole run."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from sociolab.core.episode import Json
from sociolab.core.errors import StoreError
from sociolab.core.score import UNTOLD, JudgeId, Measure, Verdict
from sociolab.store.database import Value
from sociolab.store.surrogates import as_text
from sociolab.store.trials import TrialTable
from sociolab.store.verdicts import COLUMNS, from_columns, to_columns


@dataclass(frozen=True, slots=True)
class JudgingRow:
    """All that one judging said; `judging` counts repeated judgings by the same judge from 0.

    Its target is an episode (`trial`), a cell of the plan (`cell`), or (neither) the run.
    """

    trial: str | None
    cell: Json
    judge: JudgeId
    judging: int
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One verdict of a judging, see `JudgingRow`."""

    trial: str | None
    cell: Json
    judge: JudgeId
    judging: int
    verdict: Verdict


_Stored: TypeAlias = Mapping[tuple[int, str | None], tuple[str, int]]
"""What stands already, by measure and seat: its kind and its place."""


class ScoreTable(TrialTable):
    """The verdicts of a store's runs.

    A judging is one judge (name, method and settings), once, on one target: a trial's episode, a
    cell (any JSON value but null), or the run.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        super().__init__(connection, path)
        self._pks: dict[tuple[int, JudgeId | Measure], int] = {}

    def add_verdicts(
        self,
        run: str,
        judge: JudgeId,
        verdicts: Iterable[Verdict],
        *,
        trial: str | None = None,
        cell: Json = None,
        judging: int = 0,
    ) -> None:
        """Store a judging, all or nothing; it is on disk soon.

        Where it is stored already, a verdict takes the place of a failure or is added where there
        was none; a score (or "cannot tell") that stands is kept, see `delete_verdicts`. A failure
        in `UNTOLD` goes as the judge tells what it measures.
        """
        with self.part():
            run_pk, target = self.run_pk(run), self._target(run, trial, cell)
            found = self._find(run_pk, judge, target, judging)
            if found is None:
                by = self._judge_pk(run_pk, judge)
                fresh = self._insert_judging(run_pk, *target, by, judging)
                self._say(run_pk, fresh, verdicts, {})
            else:
                said = tuple(verdicts)
                if any(one.measure != UNTOLD for one in said):
                    self._drop_untold(run_pk, found)
                self._say(run_pk, found, said, self._stored(found))

    def delete_verdicts(
        self,
        run: str,
        judge: JudgeId,
        *,
        trial: str | None = None,
        cell: Json = None,
        judging: int = 0,
    ) -> None:
        """Remove a judging with its verdicts, if it is stored."""
        pk = self._find(self.run_pk(run), judge, self._target(run, trial, cell), judging)
        if pk is not None:
            self.write("DELETE FROM judgings WHERE pk = ?", (pk,))

    def judged(
        self,
        run: str,
        judge: JudgeId,
        *,
        trial: str | None = None,
        cell: Json = None,
        judging: int = 0,
    ) -> bool:
        """Whether this judging is stored and holds no failure: there is nothing to do again."""
        pk = self._find(self.run_pk(run), judge, self._target(run, trial, cell), judging)
        if pk is None:
            return False
        failure = self.row(
            "SELECT 1 FROM verdicts WHERE judging = ? AND kind = 'failure' LIMIT 1", (pk,)
        )
        return failure is None

    def judges(self, run: str) -> tuple[JudgeId, ...]:
        """Who judged in this run, sorted by name, method and settings."""
        rows = self.rows(
            "SELECT DISTINCT judges.name, method, settings "
            "FROM judgings JOIN judges ON judges.pk = judge "
            "WHERE judgings.run = ? ORDER BY judges.name, method, settings",
            (self.run_pk(run),),
        )
        return tuple(JudgeId(name, method, settings) for name, method, settings in rows)

    def judgings(
        self, run: str, judge: JudgeId | None = None, trial: str | None = None
    ) -> Iterator[JudgingRow]:
        """The judgings of a run, of all judges or of one, or those of one trial only; the order
        shows nothing of who was first.

        Those of the run and of cells, then those of trials in plan order; then by judge and number.
        """
        pk = self.run_pk(run)
        measures = self._measures(pk)
        only, values = (
            ("", ()) if trial is None else ("AND trial = ? ", (self.trial_pk(run, trial),))
        )
        rows = self.rows(
            "SELECT judgings.pk, trials.id, cell, judges.name, method, settings, number "
            "FROM judgings JOIN judges ON judges.pk = judge "
            f"LEFT JOIN trials ON trials.pk = trial WHERE judgings.run = ? {only}"
            "ORDER BY trial, judges.name, method, settings, number, cell",
            (pk, *values),
        )
        for judging, found, cell, name, method, settings, number in rows:
            by = JudgeId(name, method, settings)
            if judge in (None, by):
                where = json.loads(as_text(cell)) if cell else None
                yield JudgingRow(found, where, by, number, self._said(judging, measures))

    def verdicts(self, run: str, judge: JudgeId | None = None) -> Iterator[ScoreRow]:
        """The verdicts of a run, of all judges or of one, in the order of `judgings`."""
        for row in self.judgings(run, judge):
            for verdict in row.verdicts:
                yield ScoreRow(row.trial, row.cell, row.judge, row.judging, verdict)

    def _find(
        self, run: int, judge: JudgeId, target: tuple[int | None, str], judging: int
    ) -> int | None:
        values = (run, *target, judging)
        row = self.row(
            "SELECT judgings.pk FROM judgings JOIN judges ON judges.pk = judge "
            "WHERE judgings.run = ? AND ifnull(trial, 0) = ifnull(?, 0) AND cell = ? "
            "AND number = ? AND judges.name = ? AND method = ? AND settings = ?",
            (*values, judge.name, judge.method, judge.settings),
        )
        return None if row is None else int(row[0])

    def _target(self, run: str, trial: str | None, cell: Json) -> tuple[int | None, str]:
        if trial is not None and cell is not None:
            raise StoreError(
                f'a verdict is on an episode, a cell or the run; found both trial "{trial}" and '
                f"cell {cell}, give one of them"
            )
        return (
            None if trial is None else self.trial_pk(run, trial),
            "" if cell is None else json.dumps(cell, ensure_ascii=False, sort_keys=True),
        )

    def _insert_judging(
        self, run: int, trial: int | None, cell: str, judge: int, number: int
    ) -> int:
        return self.insert(
            "INSERT INTO judgings (run, trial, cell, judge, number) VALUES (?, ?, ?, ?, ?)",
            (run, trial, cell, judge, number),
        )

    def _stored(self, judging: int) -> _Stored:
        found = self.rows(
            "SELECT measure, seat, kind, n FROM verdicts WHERE judging = ?", (judging,)
        )
        return {
            (measure, None if seat is None else as_text(seat)): (kind, n)
            for measure, seat, kind, n in found
        }

    def _drop_untold(self, run: int, judging: int) -> None:
        self.execute(
            "DELETE FROM verdicts WHERE judging = ? AND kind = 'failure' "
            "AND measure IN (SELECT pk FROM measures WHERE run = ? AND name = ? AND title = ?)",
            (judging, run, UNTOLD.name, UNTOLD.title),
        )

    def _say(self, run: int, judging: int, verdicts: Iterable[Verdict], stored: _Stored) -> None:
        end = 1 + max((n for _, n in stored.values()), default=-1)
        rows = []
        for verdict in verdicts:
            measure = self._measure_pk(run, verdict.measure)
            kind, n = stored.get((measure, verdict.seat), ("", end))
            if kind == "":
                end += 1
            elif kind == "failure":
                self.execute("DELETE FROM verdicts WHERE judging = ? AND n = ?", (judging, n))
            else:
                continue
            rows.append((judging, n, measure, *to_columns(verdict)))
        self.execute_many(_INSERT_VERDICT, rows)

    def _said(self, judging: int, measures: Mapping[int, Measure]) -> tuple[Verdict, ...]:
        rows = self.rows(
            f"SELECT measure, {COLUMNS} FROM verdicts WHERE judging = ? ORDER BY n", (judging,)
        )
        return tuple(from_columns(measures[row[0]], row[1:]) for row in rows)

    def _judge_pk(self, run: int, judge: JudgeId) -> int:
        values = (run, judge.name, judge.method, judge.settings)
        return self._pk(run, judge, "judges", "run, name, method, settings", values)

    def _measure_pk(self, run: int, measure: Measure) -> int:
        values = (run, measure.name, measure.low, measure.high, measure.whole, measure.title)
        return self._pk(run, measure, "measures", "run, name, low, high, whole, title", values)

    def _pk(
        self, run: int, what: JudgeId | Measure, table: str, names: str, values: tuple[Value, ...]
    ) -> int:
        """The primary key of a judge or measure, which is written down if it is new."""
        pk = self._pks.get((run, what))
        if pk is None:
            marks = ", ".join("?" * len(values))
            self.execute(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", values)
            row = self.row(f"SELECT pk FROM {table} WHERE ({names}) = ({marks})", values)
            pk = self._pks[run, what] = int(row[0])
        return pk

    def _measures(self, run: int) -> Mapping[int, Measure]:
        rows = self.rows(
            "SELECT pk, name, low, high, whole, title FROM measures WHERE run = ?", (run,)
        )
        return {
            pk: Measure(as_text(name), low, high, bool(whole), as_text(title))
            for pk, name, low, high, whole, title in rows
        }

    def _forget(self) -> None:
        super()._forget()
        self._pks.clear()


_INSERT_VERDICT = f"""
    INSERT INTO verdicts (judging, n, measure, {COLUMNS}) VALUES ({", ".join("?" * 13)})
"""
