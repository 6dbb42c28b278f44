"""The turns of a run's episodes as numbers, read without making records of what was said: a report
counts those of ten thousand episodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pydantic_core

from sociolab.core.codec import decode_event
from sociolab.core.episode import Answered, Ended, Moved
from sociolab.store.database import Database
from sociolab.store.surrogates import as_text

_AT_ONCE = 500
"""Trials whose events are in memory at one time."""


class Turns(NamedTuple):
    """The turns of a played episode, in order, each by its seat and how many words it spoke.

    `ended` is why the episode ended, None where that is not on record; `troubled`: a reply in it
    could not be used. `answers`, where nobody took a turn: who answered each question that
    is not optional.
    """

    trial: str
    words: tuple[tuple[str, int], ...]
    ended: str | None
    troubled: bool
    answers: tuple[str, ...] = ()


def turns_of(store: Database, run: int, spoken: str) -> Iterator[Turns]:
    """The turns of each played episode of the run with this primary key, in plan order.

    Words are those of actions of the kind `spoken`, divided by white space. StoreError where an
    event cannot be read.
    """
    trials = store.rows(
        "SELECT pk, id FROM trials WHERE run = ? AND status = 'played' ORDER BY pk", (run,)
    )
    for start in range(0, len(trials), _AT_ONCE):
        some = trials[start : start + _AT_ONCE]
        events: dict[int, list[str]] = {pk: [] for pk, _ in some}
        for pk, body in store.rows(_EVENTS, (run, some[0][0], some[-1][0])):
            if pk in events:  # else it was played to its end since the trials were read
                events[pk].append(as_text(body))
        for pk, trial in some:
            yield _turns(as_text(trial), events[pk], spoken)


def _turns(trial: str, events: Sequence[str], spoken: str) -> Turns:
    words, troubled = [], False
    for event in events:
        if event.startswith('["moved"'):
            words.append(_words(event, spoken))
        elif event.startswith('["unusable"'):
            troubled = True
    last = decode_event(events[-1]) if events else None
    ended = last.reason if isinstance(last, Ended) else None
    answers = () if words else tuple(_answers(events))
    return Turns(trial, tuple(words), ended, troubled, answers)


def _answers(events: Sequence[str]) -> Iterator[str]:
    for event in events:
        if event.startswith('["answered"'):
            answer = decode_event(event)
            assert isinstance(answer, Answered)
            if not answer.optional:
                yield answer.seat


def _words(event: str, spoken: str) -> tuple[str, int]:
    words = 0
    try:
        _, _, seat, actions, *_ = pydantic_core.from_json(event)
        for action in actions:
            if action[0] == spoken:
                words += len(action[1].split())
    except (ValueError, TypeError, LookupError, AttributeError):
        # Half a surrogate pair, which is read in another way; or no event, and then that says so.
        move = decode_event(event)
        assert isinstance(move, Moved)
        return move.seat, sum(len(a.text.split()) for a in move.actions if a.kind == spoken)
    return seat, words


_EVENTS = """
    SELECT trial, body FROM events
    WHERE trial IN (
        SELECT pk FROM trials WHERE run = ? AND status = 'played' AND pk BETWEEN ? AND ?
    ) ORDER BY trial, n
"""
