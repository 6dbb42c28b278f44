"""What judges' verdicts come to, without their words: what figures are made of, quickly read.

Reasons and raw replies are most of what judgings weigh, and no figure needs them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from sociolab.core.episode import Json
from sociolab.core.errors import Cause, StoreError
from sociolab.core.score import JudgeId, Measure, NotKnown
from sociolab.store.scores import ScoreTable
from sociolab.store.surrogates import as_text

Kind: TypeAlias = Literal["score", "failure", "unscored"]
_KINDS = frozenset(get_args(Kind))


class Outcome(NamedTuple):
    """A verdict without its words: `value` is of a score, `cause` of a failure, None otherwise.

    `unscored`, `low` and `high` are of an unscored one, as in `core.score.Unscored`.
    """

    measure: Measure
    seat: str | None
    kind: Kind
    value: float | None
    cause: Cause | None
    unscored: NotKnown | None = None
    low: float | None = None
    high: float | None = None


class Judging(NamedTuple):
    """All that one judging came to; its fields are those of `scores.JudgingRow`."""

    trial: str | None
    cell: Json
    judge: JudgeId
    judging: int
    outcomes: tuple[Outcome, ...]


class Counts(NamedTuple):
    """How many judgings of episodes a judge made, and how often it judged one target at most."""

    episodes: int
    most: int


class FailedJudging(NamedTuple):
    """A judging of a played episode that lacks scores; `whole`: all of them. `cause` and `problem`
    are those of its first failure."""

    trial: str
    judge: JudgeId
    judging: int
    cause: Cause
    problem: str
    whole: bool


class OutcomeTable(ScoreTable):
    """The outcomes of a store's runs."""

    def outcomes(self, run: str) -> Iterator[Judging]:
        """The judgings of a run in the order of `judgings`; one without verdicts is empty."""
        pk = self.run_pk(run)
        judges = {row[0]: JudgeId(*row[1:]) for row in self.rows(_JUDGES, (pk,))}
        said = self._outcomes(pk)
        for judging, trial, cell, judge, number in self.rows(_JUDGINGS, (pk,)):
            where = json.loads(as_text(cell)) if cell else None
            yield Judging(trial, where, judges[judge], number, tuple(said.get(judging, ())))

    def _outcomes(self, run: int) -> Mapping[int, Sequence[Outcome]]:
        """The outcomes of each judging, in their order."""
        measures, seats = self._measures(run), _Seats()
        found: dict[int, list[Outcome]] = {}
        for judging, measure, seat, kind, *rest in self.rows(_OUTCOMES, (run,)):
            if kind not in _KINDS:
                raise StoreError(f"a verdict in the store is of an unknown kind: {kind}")
            where = None if seat is None else seats[seat]
            one = Outcome(measures[measure], where, kind, *rest)
            found.setdefault(judging, []).append(one)
        return found

    def judging_counts(self, run: str) -> Mapping[JudgeId, Counts]:
        """What each judge of a run did, in the order in which `judgings` first names them."""
        rows = self.rows(
            "SELECT judges.name, method, settings, count(trial), max(number) + 1 "
            "FROM judgings JOIN judges ON judges.pk = judge WHERE judgings.run = ? GROUP BY judge "
            "ORDER BY min(ifnull(trial, 0)), judges.name, method, settings",
            (self.run_pk(run),),
        )
        return {JudgeId(*row[:3]): Counts(*row[3:]) for row in rows}

    def failed_judgings(self, run: str) -> tuple[FailedJudging, ...]:
        """The judgings of played episodes that hold a failure, in the order of the plan."""
        return tuple(
            FailedJudging(as_text(trial), JudgeId(*by), number, cause, as_text(problem), not good)
            for trial, *by, number, cause, problem, good, _ in self.rows(
                _FAILED, (self.run_pk(run),)
            )
        )


class _Seats(dict[Any, str]):
    """The text of each seat, once: an id that UTF-8 cannot say is stored as bytes."""

    def __missing__(self, stored: Any) -> str:
        text = self[stored] = as_text(stored)
        return text


_JUDGES = "SELECT pk, name, method, settings FROM judges WHERE run = ?"

_JUDGINGS = """
    SELECT judgings.pk, trials.id, cell, judge, number
    FROM judgings JOIN judges ON judges.pk = judge LEFT JOIN trials ON trials.pk = trial
    WHERE judgings.run = ?
    ORDER BY trial, judges.name, method, judges.settings, number, cell
"""

_OUTCOMES = """
    SELECT judging, measure, seat, kind, value, cause, unscored, low, high FROM verdicts
    WHERE judging IN (SELECT pk FROM judgings WHERE run = ?) ORDER BY judging, n
"""

# Of the columns that are not grouped by, SQLite gives those of the row with the least n.
_FAILED = """
    SELECT trials.id, judges.name, method, judges.settings, number, verdicts.cause, verdicts.text,
        (SELECT count(*) FROM verdicts said WHERE said.judging = judgings.pk
            AND said.kind IS NOT 'failure'),
        min(n)
    FROM judgings JOIN judges ON judges.pk = judge JOIN trials ON trials.pk = trial
        JOIN verdicts ON verdicts.judging = judgings.pk AND kind = 'failure'
    WHERE judgings.run = ? AND trials.status = 'played'
    GROUP BY judgings.pk ORDER BY trials.pk, judges.name, number
"""
