"""A run at a glance, as numbers without texts: whether it changed, its episodes, their turns.

Fast with ten thousand episodes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pydantic_core

from sociolab.core.codec import decode_event
from sociolab.core.episode import Answered, Ended, Moved
from sociolab.store.database import Database, as_text


class Stamp(NamedTuple):
    """Differs whenever rows that a run's figures are made of were added, removed or changed."""

    run: int
    settings: int
    states: tuple[tuple[str, int], ...]
    calls: tuple[int, int]
    attempts: tuple[int, int]
    judgings: tuple[int, int]
    verdicts: tuple[int, int]
    notes: tuple[int, int]


def stamp_run(store: Database, run: str) -> Stamp:
    pk = store.run_pk(run)

    def two_counts(statement: str) -> tuple[int, int]:
        row = store.row(statement, (pk,))
        return int(row[0] or 0), int(row[1] or 0)

    states = store.rows(
        "SELECT status, count(*) FROM trials WHERE run = ? GROUP BY status ORDER BY 1", (pk,)
    )
    size = store.row("SELECT length(settings) FROM runs WHERE pk = ?", (pk,))
    return Stamp(
        pk,
        int(size[0]) if size else 0,
        tuple((status, count) for status, count in states),
        two_counts("SELECT count(*), max(pk) FROM calls WHERE run = ?"),
        two_counts("SELECT count(*), max(pk) FROM attempts WHERE run = ?"),
        two_counts("SELECT count(*), max(pk) FROM judgings WHERE run = ?"),
        two_counts(
            "SELECT count(*), sum(kind = 'failure') FROM verdicts "
            "WHERE judging IN (SELECT pk FROM judgings WHERE run = ?)"
        ),
        two_counts("SELECT count(*), max(pk) FROM notes WHERE run = ?"),
    )


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """An episode in a list: `index` counts from 0 in the plan, `cast` is (seat, agent).

    `ended` is why it ended, "" where no end is recorded. `answers` counts answered questions,
    `failed` the turns and questions that failed for good.
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


def episode_rows(store: Database, run: str) -> tuple[EpisodeRow, ...]:
    run_pk = store.run_pk(run)
    counted = {pk: rest for pk, *rest in store.rows(_COUNTED, (run_pk,))}
    agents = dict(store.rows("SELECT pk, label FROM agents WHERE run = ?", (run_pk,)))
    rows = store.rows(
        "SELECT trials.pk, trials.id, tasks.id, cluster, tags, trials.body, status, cause, problem "
        "FROM trials JOIN tasks ON tasks.pk = trials.task WHERE trials.run = ? ORDER BY trials.pk",
        (run_pk,),
    )
    episodes = []
    for index, (pk, trial, task, cluster, tags, body, status, cause, problem) in enumerate(rows):
        plan = json.loads(as_text(body))
        turns, answers, failed, ended = counted.get(pk, (0, 0, 0, ""))
        cast = tuple((seat, as_text(agents[agent])) for seat, agent in plan["cast"])
        episodes.append(
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
    return tuple(episodes)


class TrialPlace(NamedTuple):
    """A trial's state, and its neighbours in the plan (None at the ends)."""

    status: str
    cause: str
    problem: str
    before: str | None
    after: str | None


def trial_place(store: Database, run: str, trial: str) -> TrialPlace:
    """StoreError if the run has no such trial."""
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

    return TrialPlace(
        status, cause or "", as_text(problem), neighbour("<", "DESC"), neighbour(">", "ASC")
    )


class Turns(NamedTuple):
    """The turns of a played episode, in order, each as (seat, number of words spoken).

    `ended` is why the episode ended, None where that is not recorded; `troubled`: a reply in it
    could not be used. `answers`, only where nobody took a turn: the seat that answered each
    question that is not optional.
    """

    trial: str
    words: tuple[tuple[str, int], ...]
    ended: str | None
    troubled: bool
    answers: tuple[str, ...] = ()


def run_turns(store: Database, run: str, spoken: Sequence[str]) -> Iterator[Turns]:
    """The turns of each played episode of a run, in plan order.

    Words are separated by white space and counted in actions of the kinds `spoken` (of all, where
    that is empty). StoreError where an event cannot be read.
    """
    run_pk = store.run_pk(run)
    trials = store.rows(
        "SELECT pk, id FROM trials WHERE run = ? AND status = 'played' ORDER BY pk", (run_pk,)
    )
    for start in range(0, len(trials), _AT_ONCE):
        some = trials[start : start + _AT_ONCE]
        events: dict[int, list[str]] = {pk: [] for pk, _ in some}
        for pk, body in store.rows(_EVENTS, (run_pk, some[0][0], some[-1][0])):
            if pk in events:  # else it was played to its end since the trials were read
                events[pk].append(as_text(body))
        for pk, trial in some:
            yield _count_turns(as_text(trial), events[pk], spoken)


def _count_turns(trial: str, events: Sequence[str], spoken: Sequence[str]) -> Turns:
    words, troubled = [], False
    for event in events:
        if event.startswith('["moved"'):
            words.append(_count_words(event, spoken))
        elif event.startswith('["unusable"'):
            troubled = True
    last = decode_event(events[-1]) if events else None
    ended = last.reason if isinstance(last, Ended) else None
    answers = []
    if not words:
        decoded = (decode_event(event) for event in events if event.startswith('["answered"'))
        for answer in decoded:
            assert isinstance(answer, Answered)
            if not answer.optional:
                answers.append(answer.seat)
    return Turns(trial, tuple(words), ended, troubled, tuple(answers))


def _count_words(event: str, spoken: Sequence[str]) -> tuple[str, int]:
    words = 0
    try:
        _, _, seat, actions, *_ = pydantic_core.from_json(event)
        for action in actions:
            if not spoken or action[0] in spoken:
                words += len(action[1].split())
    except (ValueError, TypeError, LookupError, AttributeError):
        # A lone surrogate, which from_json refuses; or no event, and then decode_event says so.
        move = decode_event(event)
        assert isinstance(move, Moved)
        counted = (a for a in move.actions if not spoken or a.kind in spoken)
        return move.seat, sum(len(act.text.split()) for act in counted)
    return seat, words


_AT_ONCE = 500
"""Trials whose events are in memory at one time."""


# An event is a JSON array, see `codec.encode_event`: its kind comes first, and the first five
# letters tell the kinds apart. Text that UTF-8 cannot encode is stored as bytes, and SQLite's JSON
# functions need text.
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


_EVENTS = """
    SELECT trial, body FROM events
    WHERE trial IN (
        SELECT pk FROM trials WHERE run = ? AND status = 'played' AND pk BETWEEN ? AND ?
    ) ORDER BY trial, n
"""
