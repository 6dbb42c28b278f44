"""Whether what a judge says, and how it calls itself, can go on record: somebody's code made it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from numbers import Real
from typing import get_args

from sociolab.core.episode import Episode
from sociolab.core.errors import Cause, WorldError
from sociolab.core.score import (
    JudgeId,
    Measure,
    Method,
    NotKnown,
    Score,
    ScoreFailure,
    Unscored,
    Verdict,
)

EXPECTED = (
    'expected "async def judge(self, episode, judging)" that returns a tuple with a Score, a '
    "ScoreFailure or an Unscored for each of its measures and seats"
)


def id_problem(found: object) -> str:
    """Why a judge cannot be known by this, as "expected ..., found ..."; "" if it can."""
    if not isinstance(found, JudgeId):
        return f"expected id = JudgeId(name, method, settings), found {found!r:.80}"
    for part, value in (("name", found.name), ("settings", found.settings)):
        if not isinstance(value, str):
            return f"expected an id whose {part} is a str, found {value!r:.80} in {found!r:.120}"
    if not found.name.strip():
        return f"expected an id with a name, found {found!r:.120}"
    known = get_args(Method)
    if found.method not in known:
        return f"expected an id whose method is one of {', '.join(known)}, found {found.method!r}"
    return ""


def checked_verdicts(who: str, found: object, episode: Episode) -> tuple[Verdict, ...]:
    """The verdicts, their values as Python's own numbers; WorldError where one cannot be kept."""
    if not isinstance(found, tuple | list):
        raise WorldError(f"{who}: {EXPECTED}, found {found!r:.80}")
    seats = episode.trial.task.seats
    for one in found:
        if problem := _problem(one, seats):
            raise WorldError(f"{who}: {problem}")
    _check_once(who, found)
    return tuple(map(_plain, found))


def _problem(one: object, seats: Sequence[str]) -> str:
    """Why something is no verdict of this episode; "" if it is one."""
    if not isinstance(one, Score | ScoreFailure | Unscored):
        return f"{EXPECTED}, found {one!r:.80} among them"
    if not isinstance(one.measure, Measure):
        return f"expected a Measure in every verdict, found {one.measure!r:.80}"
    of = f"the {type(one).__name__} of {one.measure.name}"
    if one.seat is not None and one.seat not in seats:
        return (
            f"expected verdicts on the seats {', '.join(seats)}, or None for the whole "
            f"episode, found one on {one.seat!r:.80}"
        )
    if isinstance(one, Score):
        if not isinstance(one.value, Real):
            return f"expected {of} with a value that is a number, found {one.value!r:.80}"
        return _no_text(of, reason=one.reason)
    if isinstance(one, Unscored):
        if one.kind not in get_args(NotKnown):
            kinds = ", ".join(get_args(NotKnown))
            return f"expected {of} with a kind out of {kinds}, found {one.kind!r:.80}"
        return _no_text(of, why=one.why)
    return _failure_problem(of, one)


def _failure_problem(of: str, one: ScoreFailure) -> str:
    causes: Collection[str] = get_args(Cause)
    if one.cause not in causes:
        return f"expected {of} with a cause out of {', '.join(causes)}, found {one.cause!r:.80}"
    if not isinstance(one.attempts, int):
        return f"expected {of} with attempts that are counted, found {one.attempts!r:.80}"
    return _no_text(of, problem=one.problem, raw=one.raw)


def _no_text(of: str, **parts: object) -> str:
    for name, value in parts.items():
        if not isinstance(value, str):
            return f"expected {of} with a {name} that is a str, found {value!r:.80}"
    return ""


def _check_once(who: str, found: Sequence[Verdict]) -> None:
    cells = [(one.measure, one.seat) for one in found]
    if len(set(cells)) == len(cells):
        return
    measure, seat = next(cell for cell in cells if cells.count(cell) > 1)
    where = "the whole episode" if seat is None else seat
    raise WorldError(
        f"{who}: expected one verdict of {measure.name} on {where}, found "
        f"{cells.count((measure, seat))}"
    )


def _plain(one: Verdict) -> Verdict:
    """A value of some other library's kind of number cannot be written down as one."""
    if not isinstance(one, Score) or type(one.value) in (int, float):
        return one
    return replace(one, value=float(one.value))
