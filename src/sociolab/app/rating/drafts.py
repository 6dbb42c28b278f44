"""What a rater has filled in so far, kept word by word: a reload or a lost connection loses
nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sociolab.app.rating.clock import CLOCK
from sociolab.core.score import Measure
from sociolab.store.store import Store

Place: TypeAlias = tuple[str, str]
"""Seat and dimension."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A rating as far as it has come; `seconds` were spent on it."""

    score: float | None = None
    reason: str = ""
    seconds: float = 0.0


def keep_draft(store: Store, participant: int, trial: str, place: Place, draft: Draft) -> None:
    """Keep what stands in a rater's form."""
    CLOCK.hear((store.path, participant, trial))
    value = {"score": draft.score, "reason": draft.reason, "seconds": draft.seconds}
    store.studies.answer(participant, trial, "/".join(place), value)  # type: ignore[arg-type]


def drafts_of(store: Store, study: str, participant: int, trial: str) -> Mapping[Place, Draft]:
    """What stands in a rater's form of an episode."""
    found: dict[Place, Draft] = {}
    for answer in store.studies.answers(study, participant):
        seat, slash, dimension = answer.name.rpartition("/")
        if answer.item == trial and slash and isinstance(answer.value, dict):
            score, seconds = answer.value.get("score"), answer.value.get("seconds")
            found[seat, dimension] = Draft(
                float(score) if isinstance(score, (int, float)) else None,
                str(answer.value.get("reason", "")),
                float(seconds) if isinstance(seconds, (int, float)) else 0.0,
            )
    return found


def in_range(measure: Measure, score: float) -> bool:
    """Whether this is a point of the measure's scale."""
    whole = not measure.whole or score == int(score)
    return measure.low <= score <= measure.high and whole
