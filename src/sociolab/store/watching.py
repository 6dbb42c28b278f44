"""What somebody who watches a run asks the store: whether it changed, a list of its episodes, where
one of them stands. Read only, and quick with ten thousand episodes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from sociolab.core.score import JudgeId, Measure
from sociolab.store.database import Database
from sociolab.store.sqlite import Store
from sociolab.store.surrogates import as_text


class Stamp(NamedTuple):
    """Changes whenever rows of a run that its figures are made of come, go or change."""

    run: int
    settings: int
    states: tuple[tuple[str, int], ...]
    calls: tuple[int, int]
    judgings: tuple[int, int]
    verdicts: tuple[int, int]


def stamp_of(store: Database, run: int) -> Stamp:
    """The stamp of the run with this primary key."""

    def two(statement: str) -> tuple[int, int]:
        row = store.row(statement, (run,))
        return int(row[0] or 0), int(row[1] or 0)

    states = store.rows(
        "SELECT status, count(*) FROM trials WHERE run = ? GROUP BY status ORDER BY 1", (run,)
    )
    size = store.row("SELECT length(settings) FROM runs WHERE pk = ?", (run,))
    return Stamp(
        run,
        int(size[0]) if size else 0,
        tuple((status, count) for status, count in states),
        two("SELECT count(*), max(pk) FROM calls WHERE run = ?"),
        two("SELECT count(*), max(pk) FROM judgings WHERE run = ?"),
        two(
            "SELECT count(*), sum(kind = 'failure') FROM verdicts "
            "WHERE judging IN (SELECT pk FROM judgings WHERE run = ?)"
        ),
    )


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """An episode in a list: `index` counts from 0 in the plan, `cast` is (seat, agent) in order.

    `ended` is why it ended, "" where no end is on record. `answers` counts questions that were
    answered, `failed` the turns and questions that failed for good.
    """

    trial: str
    index: int
    task: str
    cluster: str
    tags: tuple[str, ...]
    cast: tuple[tuple[str, str], ...]
    repeat: int
    status: str
    cause: str
    problem: str
    ended: str
    turns: int
    answers: int
    failed: int


def episode_rows(store: Database, run: int) -> tuple[EpisodeRow, ...]:
    """All episodes of the run with this primary key, in plan order."""
    counted = {pk: rest for pk, *rest in store.rows(_COUNTED, (run,))}
    rows = store.rows(
        "SELECT trials.pk, trials.id, tasks.id, cluster, tags, trials.body, status, cause, problem "
        "FROM trials JOIN tasks ON tasks.pk = trials.task WHERE trials.run = ? ORDER BY trials.pk",
        (run,),
    )
    found = []
    for index, (pk, trial, task, cluster, tags, body, status, cause, problem) in enumerate(rows):
        plan = json.loads(as_text(body))
        turns, answers, failed, ended = counted.get(pk, (0, 0, 0, ""))
        cast = tuple((seat, agent) for seat, agent, *_ in plan["cast"])
        found.append(
            EpisodeRow(
                as_text(trial),
                index,
                as_text(task),
                as_text(cluster),
                tuple(json.loads(as_text(tags))),
                cast,
                plan["repeat"],
                status,
                cause or "",
                as_text(problem),
                ended or "",
                turns,
                answers,
                failed,
            )
        )
    return tuple(found)


# An event is a JSON array: its kind first, then what `codec.encode_event` says. Text that UTF-8
# cannot say is stored as bytes, which the JSON functions take as text only.
_COUNTED = """
    SELECT trial, sum(kind = 'moved'), sum(kind = 'answe'),
        sum(kind = 'unusa' AND json_extract(body, '$[8]')
            AND NOT ifnull(json_extract(body, '$[11]'), 0)),
        max(CASE WHEN kind = 'ended' THEN json_extract(body, '$[1]') END)
    FROM (
        SELECT trial, CAST(body AS TEXT) AS body, substr(CAST(body AS TEXT), 3, 5) AS kind
        FROM events WHERE trial IN (SELECT pk FROM trials WHERE run = ?)
    ) GROUP BY trial
"""


def scores_by_trial(
    store: Database, run: int, judge: JudgeId, measure: str
) -> Mapping[str, tuple[tuple[str, float], ...]]:
    """What one judge gave in one measure: seat ("" for the whole episode) and value by trial.

    Repeated judgings are averaged; episodes without a value are not in it.
    """
    rows = store.rows(
        "SELECT trials.id, ifnull(seat, ''), avg(value) FROM judgings "
        "JOIN judges ON judges.pk = judgings.judge JOIN trials ON trials.pk = judgings.trial "
        "JOIN verdicts ON verdicts.judging = judgings.pk "
        "WHERE judgings.run = ?1 AND judges.name = ?2 AND judges.method = ?3 "
        "AND judges.settings = ?4 AND kind = 'score' "
        "AND verdicts.measure IN (SELECT pk FROM measures WHERE run = ?1 AND name = ?5) "
        "GROUP BY judgings.trial, seat ORDER BY judgings.trial, min(n)",
        (run, judge.name, judge.method, judge.settings, measure),
    )
    found: dict[str, list[tuple[str, float]]] = {}
    for trial, seat, value in rows:
        found.setdefault(as_text(trial), []).append((as_text(seat), value))
    return {trial: tuple(values) for trial, values in found.items()}


def measures_judged(store: Database, run: int) -> tuple[tuple[JudgeId, Measure], ...]:
    """Which judge gave values in which measures of episodes."""
    rows = store.rows(
        "SELECT judges.name, method, settings, measures.name, low, high, whole, title "
        "FROM measures JOIN judges ON judges.run = measures.run WHERE measures.run = ?1 "
        "AND EXISTS (SELECT 1 FROM judgings JOIN verdicts ON verdicts.judging = judgings.pk "
        "WHERE judgings.run = ?1 AND judgings.judge = judges.pk AND trial IS NOT NULL "
        "AND measure = measures.pk AND kind = 'score') ORDER BY judges.pk, measures.pk",
        (run,),
    )
    return tuple(
        (JudgeId(*row[:3]), Measure(as_text(row[3]), row[4], row[5], bool(row[6]), as_text(row[7])))
        for row in rows
    )


class Place(NamedTuple):
    """Where a trial stands: its state, and its neighbours in the plan."""

    status: str
    cause: str
    problem: str
    before: str | None
    after: str | None


def place_of(store: Store, run: str, trial: str) -> Place:
    """Where a trial stands; StoreError if the run has no such trial."""
    pk, at = store.run_pk(run), store.trial_pk(run, trial)
    status, cause, problem = store.row(
        "SELECT status, cause, problem FROM trials WHERE pk = ?", (at,)
    )

    def neighbour(side: str, order: str) -> str | None:
        row = store.row(
            f"SELECT id FROM trials WHERE run = ? AND pk {side} ? ORDER BY pk {order} LIMIT 1",
            (pk, at),
        )
        return as_text(row[0]) if row else None

    return Place(
        status, cause or "", as_text(problem), neighbour("<", "DESC"), neighbour(">", "ASC")
    )


class CallPlace(NamedTuple):
    """What a player's call was for, by its primary key."""

    pk: int
    turn: int
    seat: str
    name: str
    attempt: int


def call_places(store: Database, run: int, trial: str) -> tuple[CallPlace, ...]:
    """The completed calls of the players of an episode, as they came."""
    rows = store.rows(
        "SELECT pk, turn, seat, name, attempt FROM calls WHERE run = ? AND trial = ? "
        "AND role IN ('agent', 'partner', 'background') ORDER BY pk",
        (run, trial),
    )
    return tuple(
        CallPlace(pk, turn, as_text(seat), as_text(name), attempt)
        for pk, turn, seat, name, attempt in rows
    )


def indexed_share(store: Database) -> tuple[int, int]:
    """How many of the played episodes have their words in the index, and how many there are."""
    row = store.row(
        "SELECT count(*), sum(pk IN (SELECT rowid FROM episode_words)) FROM trials "
        "WHERE status = 'played'"
    )
    return int(row[1] or 0), int(row[0])
