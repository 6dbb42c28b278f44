"""Scores as judges gave them for an episode, a cell of the plan or a whole run: written once, read
by reports, pages and studies.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from sociolab.core.episode import Json
from sociolab.core.errors import Cause, StoreError
from sociolab.core.instructions import Prompts
from sociolab.core.score import (
    UNNAMED_MEASURE,
    JudgeId,
    Measure,
    NotKnown,
    RatedBy,
    Score,
    ScoreFailure,
    Unscored,
    Verdict,
)
from sociolab.store.database import Database, Value, as_text
from sociolab.store.schema import OUTCOMES_OF_REASONS

Kind: TypeAlias = Literal["score", "failure", "unscored"]


class ScoreRow(NamedTuple):
    """One verdict of a judging: a score, a failure, or why there is no value.

    Its target is an episode (`trial`), a cell of the plan (`cell`), or (neither) the run; `judging`
    counts repeated judgings by the same judge from 0. `value` is of a score; `cause`, `raw` and
    `attempts` are of a failure; `unscored`, `low` and `high` of a verdict without a value, as in
    `core.score.Unscored`; `rated_by` of a rating; `outcome` of a score that came with one. None
    where they do not apply.
    """

    trial: str | None
    cell: Json
    judge: JudgeId
    judging: int
    measure: Measure
    seat: str | None
    rated_by: RatedBy | None
    kind: Kind
    value: float | None
    cause: Cause | None
    attempts: int | None
    unscored: NotKnown | None
    low: float | None
    high: float | None
    text: str = ""
    raw: str = ""
    outcome: Mapping[str, Any] | None = None

    @property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest value that it could have."""
        low, high = self.low, self.high
        return (
            self.measure.low if low is None else low,
            self.measure.high if high is None else high,
        )

    @property
    def verdict(self) -> Verdict:
        if self.value is not None:
            by = self.rated_by
            return Score(self.measure, self.seat, self.value, self.text, by, self.outcome)
        if self.unscored is not None:
            why = self.text, self.unscored, self.low, self.high
            return Unscored(self.measure, self.seat, *why, self.rated_by)
        assert self.cause is not None
        tries = self.attempts or 0
        return ScoreFailure(self.measure, self.seat, self.cause, self.text, self.raw, tries)


@dataclass(frozen=True, slots=True)
class JudgingRow:
    """The verdicts of one judging, with its target as in `ScoreRow`; perhaps none."""

    trial: str | None
    cell: Json
    judge: JudgeId
    judging: int
    verdicts: tuple[Verdict, ...]


class JudgingCounts(NamedTuple):
    """A judge's judgings of episodes, and the most judgings of one target."""

    episodes: int
    most: int


class Verdicts:
    """The verdicts of a store's runs.

    A judging is one judge, once, on one target: a trial's episode, a cell (any JSON value but
    null), or the run.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._pks: dict[tuple[int, JudgeId | Measure], int] = db.new_cache()

    def add(
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

        Where it is stored already, a verdict replaces a failure or is added where there was none; a
        score (or "cannot tell") is kept, see `delete`. A failure with the metric `UNNAMED_MEASURE`
        is dropped as soon as the judge gives a verdict on any real metric.
        """
        with self._db.part():
            run_pk, target = self._db.run_pk(run), self._target(run, trial, cell)
            judging_pk = self._find(run_pk, judge, target, judging)
            if judging_pk is None:
                by = self._judge_pk(run_pk, judge)
                fresh = self._db.insert(
                    "INSERT INTO judgings (run, trial, cell, judge, number) VALUES (?, ?, ?, ?, ?)",
                    (run_pk, *target, by, judging),
                )
                self._insert_verdicts(run_pk, fresh, verdicts, {})
            else:
                new = tuple(verdicts)
                if any(verdict.measure != UNNAMED_MEASURE for verdict in new):
                    self._db.execute(
                        _DROP_UNNAMED,
                        (judging_pk, run_pk, UNNAMED_MEASURE.name, UNNAMED_MEASURE.title),
                    )
                rows = self._db.rows(
                    "SELECT measure, seat, kind, n FROM verdicts WHERE judging = ?", (judging_pk,)
                )
                stored = {
                    (measure, None if seat is None else as_text(seat)): (kind, n)
                    for measure, seat, kind, n in rows
                }
                self._insert_verdicts(run_pk, judging_pk, new, stored)

    def delete(
        self,
        run: str,
        judge: JudgeId,
        *,
        trial: str | None = None,
        cell: Json = None,
        judging: int = 0,
    ) -> None:
        pk = self._find(self._db.run_pk(run), judge, self._target(run, trial, cell), judging)
        if pk is not None:
            self._db.write("DELETE FROM judgings WHERE pk = ?", (pk,))

    def judged(
        self,
        run: str,
        judge: JudgeId,
        *,
        trial: str | None = None,
        cell: Json = None,
        judging: int = 0,
    ) -> bool:
        """Whether this judging is stored and complete: nothing in it failed."""
        pk = self._find(self._db.run_pk(run), judge, self._target(run, trial, cell), judging)
        failure = "SELECT 1 FROM verdicts WHERE judging = ? AND kind = 'failure' LIMIT 1"
        return pk is not None and self._db.row(failure, (pk,)) is None

    def enter(self, run: str, judges: Iterable[JudgeId]) -> None:
        """Give judges that are about to judge a run their places among its `judges`."""
        with self._db.part():
            for judge in judges:
                self._judge_pk(self._db.run_pk(run), judge)

    def judges(self, run: str) -> tuple[JudgeId, ...]:
        """The judges of a run: those that it was set up with, in that order, then those that came
        later, by when they began (`enter`). Of several that could lead the first does."""
        pk = self._db.run_pk(run)
        judged = "SELECT DISTINCT judge FROM judgings WHERE run = ?"
        among = {judge for (judge,) in self._db.rows(judged, (pk,))}
        return tuple(judge for pk, judge in self._judges(pk).items() if pk in among)

    def judgings(
        self, run: str, judge: JudgeId | None = None, trial: str | None = None
    ) -> Iterator[JudgingRow]:
        """The judgings of a run, of one judge or all, or those of one trial.

        Those of the run and of cells come first, then those of trials in plan order; then by judge
        (see `judges`) and number.
        """
        for target, rows in self._read(run, judge, trial, texts=True):
            yield JudgingRow(*target, tuple(row.verdict for row in rows))

    def scores(
        self,
        run: str,
        judge: JudgeId | None = None,
        *,
        measure: str | None = None,
        kind: Kind | None = None,
        texts: bool = True,
    ) -> Iterator[ScoreRow]:
        """The verdicts of a run in the order of `judgings`, of all judges, metrics and kinds or of
        one.

        `texts`: with reasons, problems and raw replies, which make up most of the bytes and which
        no figure needs.
        """
        for _, rows in self._read(run, judge, measure=measure, kind=kind, texts=texts):
            yield from rows

    def counts(self, run: str) -> Mapping[JudgeId, JudgingCounts]:
        """How often each judge of a run judged, in the order of `judges`."""
        pk = self._db.run_pk(run)
        rows = self._db.rows(
            "SELECT judge, count(trial), max(number) + 1 "
            "FROM judgings WHERE run = ? GROUP BY judge",
            (pk,),
        )
        counted = {judge: JudgingCounts(*counts) for judge, *counts in rows}
        judges = self._judges(pk)
        return {judges[judge]: counted[judge] for judge in judges if judge in counted}

    def measures(self, run: str) -> tuple[tuple[JudgeId, Measure], ...]:
        """The pairs of judge and metric with at least one score of an episode."""
        pk = self._db.run_pk(run)
        rows = self._db.rows(
            "SELECT judges.pk, measures.pk "
            "FROM measures JOIN judges ON judges.run = measures.run WHERE measures.run = ?1 "
            "AND EXISTS (SELECT 1 FROM judgings JOIN verdicts ON verdicts.judging = judgings.pk "
            "WHERE judgings.run = ?1 AND judgings.judge = judges.pk AND trial IS NOT NULL "
            "AND measure = measures.pk AND kind = 'score') ORDER BY measures.pk",
            (pk,),
        )
        judges, measures = self._judges(pk), self._measures(pk)
        places = [*judges]
        rows = sorted(rows, key=lambda row: places.index(row[0]))
        return tuple((judges[judge], measures[measure]) for judge, measure in rows)

    def _find(
        self, run: int, judge: JudgeId, target: tuple[int | None, str], judging: int
    ) -> int | None:
        row = self._db.row(
            "SELECT pk FROM judgings WHERE run = ? AND ifnull(trial, 0) = ifnull(?, 0) "
            "AND cell = ? AND number = ? AND judge = ?",
            (run, *target, judging, self._judge_pk_or_none(run, judge)),
        )
        return None if row is None else int(row[0])

    def _target(self, run: str, trial: str | None, cell: Json) -> tuple[int | None, str]:
        if trial is not None and cell is not None:
            raise StoreError(
                f'a verdict is on an episode, a cell or the run; found both trial "{trial}" and '
                f"cell {cell}, give one of them"
            )
        return (
            None if trial is None else self._db.trial_pk(run, trial),
            "" if cell is None else json.dumps(cell, ensure_ascii=False, sort_keys=True),
        )

    def derive_outcomes(self, run: str) -> None:
        """Give scores of a run from before outcomes were recorded theirs, as a store of that time
        got them when it was opened."""
        self._db.execute(_DERIVE_OUTCOMES, (self._db.run_pk(run),))

    def _insert_verdicts(
        self, run: int, judging: int, verdicts: Iterable[Verdict], stored: _Stored
    ) -> None:
        end = 1 + max((n for _, n in stored.values()), default=-1)
        rows, outcomes = [], []
        for verdict in verdicts:
            measure = verdict.measure
            values = (run, measure.name, measure.low, measure.high, measure.whole, measure.title)
            names = "run, name, low, high, whole, title"
            pk = self._pk(run, measure, "measures", names, values)
            kind, n = stored.get((pk, verdict.seat), ("", end))
            if kind == "":
                end += 1
            elif kind == "failure":
                self._db.execute("DELETE FROM verdicts WHERE judging = ? AND n = ?", (judging, n))
            else:
                continue
            rows.append((judging, n, pk, *_verdict_columns(verdict)))
            if isinstance(verdict, Score) and verdict.outcome is not None:
                content = json.dumps(dict(verdict.outcome), ensure_ascii=False, sort_keys=True)
                outcomes.append((judging, n, content))
        self._db.execute_many(_INSERT_VERDICT, rows)
        self._db.execute_many(_INSERT_OUTCOME, outcomes)

    def _read(
        self,
        run: str,
        judge: JudgeId | None = None,
        trial: str | None = None,
        *,
        measure: str | None = None,
        kind: Kind | None = None,
        texts: bool,
    ) -> Iterator[tuple[_Judging, Sequence[ScoreRow]]]:
        """Judgings, each with its verdicts on this metric and of this kind (None: any)."""
        pk = self._db.run_pk(run)
        judges, measures, seats = self._judges(pk), self._measures(pk), _Seats()
        of_judging, judging_values = "", list[Value]([pk])
        if trial is not None:
            of_judging += "AND trial = ? "
            judging_values.append(self._db.trial_pk(run, trial))
        if judge is not None:
            of_judging += "AND judge = ? "
            judging_values.append(self._judge_pk_or_none(pk, judge))
        of_score, score_values = "", list[Value]()
        if measure is not None:
            named = [pk for pk, entry in measures.items() if entry.name == measure]
            of_score += "AND measure IN (SELECT value FROM json_each(?)) "
            score_values.append(json.dumps(named))
        if kind is not None:
            of_score += "AND kind = ? "
            score_values.append(kind)
        query = _SCORES.format(_TEXTS if texts else "", of_score)
        order = {judge: number for number, judge in enumerate(judges)}
        found = self._db.rows(_JUDGINGS.format(of_judging), judging_values)
        judgings = [
            row
            for _, of_target in groupby(found, itemgetter(1))
            for row in sorted(of_target, key=lambda row: (order[row[3]], row[4]))
        ]
        for start in range(0, len(judgings), _PAGE):
            page: dict[int, tuple[_Judging, list[ScoreRow]]] = {}
            for judging, trial_id, cell, by, number in judgings[start : start + _PAGE]:
                cell = json.loads(as_text(cell)) if cell else None
                page[judging] = (trial_id, cell, judges[by], number), []
            for judging, pk, seat, rater, seconds, rated, *rest in self._db.rows(
                query, (json.dumps([*page]), *score_values)
            ):
                if rest[0] not in _KINDS:
                    raise StoreError(f"a verdict in the store is of an unknown kind: {rest[0]}")
                rated_by = None
                if rater is not None:
                    rated_by = RatedBy(as_text(rater), seconds, as_text(rated))
                place = measures[pk], None if seat is None else seats[seat], rated_by
                target, rows = page[judging]
                row = ScoreRow(*target, *place, *rest[:7], *map(as_text, rest[7:9]))
                content = rest[9] if texts else None
                if content is not None:
                    row = row._replace(outcome=json.loads(as_text(content)))
                rows.append(row)
            yield from page.values()

    def _judge_pk_or_none(self, run: int, judge: JudgeId) -> int:
        """The primary key of a judge, or -1, which is nobody's, if it never judged here."""
        if (run, judge) in self._pks:
            return self._pks[run, judge]
        marks = ", ".join("?" * len(_judge_columns(judge)))
        row = self._db.row(
            f"SELECT pk FROM judges WHERE run = ? AND ({_JUDGE}) = ({marks})",
            (run, *_judge_columns(judge)),
        )
        return -1 if row is None else int(row[0])

    def _judges(self, run: int) -> Mapping[int, JudgeId]:
        """The judges of a run by primary key, in the order of `judges`."""
        rows = self._db.rows(f"SELECT pk, {_JUDGE} FROM judges WHERE run = ? ORDER BY pk", (run,))
        judges = {pk: _decode_judge(columns) for pk, *columns in rows}
        set_up = self._db.row("SELECT settings FROM runs WHERE pk = ?", (run,))
        settings = json.loads(as_text(set_up[0])) if set_up else None
        named = settings.get("judges") if isinstance(settings, dict) else None
        rows = named if isinstance(named, list) else []
        places = {tuple(row[:2]): place for place, row in enumerate(rows)}  # label and settings

        def place_of(pk: int) -> tuple[int, int]:
            judge = judges[pk]
            return places.get((judge.label, judge.settings), len(places)), pk

        return {pk: judges[pk] for pk in sorted(judges, key=place_of)}

    def _judge_pk(self, run: int, judge: JudgeId) -> int:
        """The primary key of a judge, which is inserted if it is new."""
        values = (run, judge.label, *_judge_columns(judge))
        return self._pk(run, judge, "judges", f"run, label, {_JUDGE}", values)

    def _pk(
        self, run: int, what: JudgeId | Measure, table: str, names: str, values: tuple[Value, ...]
    ) -> int:
        """The primary key of a judge or metric, which is inserted if it is new."""
        pk = self._pks.get((run, what))
        if pk is None:
            marks = ", ".join("?" * len(values))
            self._db.execute(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", values)
            row = self._db.row(f"SELECT pk FROM {table} WHERE ({names}) = ({marks})", values)
            pk = self._pks[run, what] = int(row[0])
        return pk

    def _measures(self, run: int) -> Mapping[int, Measure]:
        rows = self._db.rows(
            "SELECT pk, name, low, high, whole, title FROM measures WHERE run = ?", (run,)
        )
        return {
            pk: Measure(as_text(name), low, high, bool(is_whole), as_text(title))
            for pk, name, low, high, is_whole, title in rows
        }


_JUDGE = "name, method, settings, role, sheet, code, standing, prompts"


def _judge_columns(judge: JudgeId) -> tuple[Value, ...]:
    prompts = judge.prompts
    standing, texts = (prompts.standing, prompts.hash) if prompts else ("", "")
    own = (judge.name, judge.method, judge.settings, judge.role, judge.sheet)
    return (*own, judge.code or "", standing, texts)


def _decode_judge(columns: Sequence[Any]) -> JudgeId:
    name, method, settings, role, sheet, code, standing, texts = columns
    prompts = Prompts(standing, as_text(texts)) if standing else None
    identity = as_text(name), method, as_text(settings), role, as_text(sheet)
    return JudgeId(*identity, code=as_text(code) or None, prompts=prompts)


def _verdict_columns(verdict: Verdict) -> tuple[Value, ...]:
    """In the order of _COLUMNS: the verdict without its metric."""
    seat, none = verdict.seat, (None, None, None)
    match verdict:
        case Score(_, _, value, reason, by):
            return seat, "score", value, reason, *none, *none, *_rating_columns(by)
        case ScoreFailure(_, _, cause, problem, raw, attempts):
            return seat, "failure", None, problem, cause, raw, attempts, *none, *none
        case Unscored(_, _, why, kind, low, high, by):
            return seat, "unscored", None, why, *none, kind, low, high, *_rating_columns(by)


def _rating_columns(by: RatedBy | None) -> tuple[Value, ...]:
    return (by.rater, by.seconds, by.when) if by else (None, None, None)


_Judging: TypeAlias = tuple[str | None, Json, JudgeId, int]
"""Trial, cell, judge and number."""


_Stored: TypeAlias = Mapping[tuple[int, str | None], tuple[str, int]]
"""Stored verdicts by metric (its primary key) and seat: kind and number."""


class _Seats(dict[Any, str]):
    """Decodes each seat once; an id that UTF-8 cannot encode is stored as bytes."""

    def __missing__(self, stored: Any) -> str:
        text = self[stored] = as_text(stored)
        return text


_COLUMNS = (
    "seat, kind, value, text, cause, raw, attempts, unscored, low, high, rater, seconds, rated"
)


_KINDS = frozenset(get_args(Kind))


_INSERT_VERDICT = f"""
    INSERT INTO verdicts (judging, n, measure, {_COLUMNS}) VALUES ({", ".join("?" * 16)})
"""


_INSERT_OUTCOME = "INSERT INTO outcomes (judging, n, content) VALUES (?, ?, ?)"


_DERIVE_OUTCOMES = f"""
    {OUTCOMES_OF_REASONS} AND judging IN (SELECT pk FROM judgings WHERE run = ?)
    AND NOT EXISTS (
        SELECT 1 FROM outcomes AS own WHERE own.judging = verdicts.judging AND own.n = verdicts.n
    )
"""


_DROP_UNNAMED = """
    DELETE FROM verdicts WHERE judging = ? AND kind = 'failure'
    AND measure IN (SELECT pk FROM measures WHERE run = ? AND name = ? AND title = ?)
"""


_JUDGINGS = """
    SELECT judgings.pk, trials.id, cell, judge, number
    FROM judgings LEFT JOIN trials ON trials.pk = trial
    WHERE judgings.run = ? {}
    ORDER BY trial, number, cell
"""


_SCORES = """
    SELECT judging, measure, seat, rater, seconds, rated,
        kind, value, cause, attempts, unscored, low, high{}
    FROM verdicts
    WHERE judging IN (SELECT value FROM json_each(?)) {}
    ORDER BY judging, n
"""


_TEXTS = """, text, ifnull(raw, ''), (
        SELECT content FROM outcomes
        WHERE outcomes.judging = verdicts.judging AND outcomes.n = verdicts.n
    )"""
"""What is read with texts: also the outcome, which no figure needs."""

_PAGE = 2000
"""Judgings whose verdicts are in memory at a time."""
