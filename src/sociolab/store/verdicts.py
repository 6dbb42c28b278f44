"""A verdict as columns, and back."""

from __future__ import annotations

from typing import Any

from sociolab.core.errors import StoreError
from sociolab.core.score import Measure, Score, ScoreFailure, Unscored, Verdict
from sociolab.store.database import Value
from sociolab.store.surrogates import as_text

COLUMNS = "seat, kind, value, text, cause, raw, attempts, unscored, low, high"


def to_columns(verdict: Verdict) -> tuple[Value, ...]:
    """The verdict without its measure, in the order of COLUMNS."""
    seat, none = verdict.seat, (None, None, None)
    match verdict:
        case Score():
            return seat, "score", verdict.value, verdict.reason, *none, *none
        case ScoreFailure(_, _, cause, problem, raw, attempts):
            return seat, "failure", None, problem, cause, raw, attempts, *none
        case Unscored(_, _, why, kind, low, high):
            return seat, "unscored", None, why, *none, kind, low, high


def from_columns(measure: Measure, columns: tuple[Any, ...]) -> Verdict:
    """The verdict that these columns hold; StoreError if they hold none."""
    seat, kind, value, text, cause, raw, attempts, unscored, low, high = columns
    seat = None if seat is None else as_text(seat)
    match kind:
        case "score":
            return Score(measure, seat, value, as_text(text))
        case "failure":
            return ScoreFailure(measure, seat, cause, as_text(text), as_text(raw), attempts)
        case "unscored":
            return Unscored(measure, seat, as_text(text), unscored, low, high)
        case _:
            raise StoreError(f"a verdict in the store is of an unknown kind: {kind}")
