"""Comparisons of models that played the same task and seat with the same partner.

Two models are compared over different plays, each in the same place; never the two seats of one
play, where a kind partner would lose to the one that it was kind to.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

_SAME = 1e-9
"""Values that differ by less than this part of themselves differ by rounding."""


class SeatScore(NamedTuple):
    """What a model scored in one play at a task and seat, with a partner; None if not scored.

    `play` names the episode: repeats of one setting differ in it, both seats of a play share it.
    """

    model: str
    task: str
    seat: str
    partner: str
    play: str
    cluster: str
    value: float | None


class Contest(NamedTuple):
    """One comparison of two models: `outcome` is 1 where a won, 0.5 for a tie, 0 where b won.

    `weight` counts comparisons; `plays` are the episodes it rests on.
    """

    a: str
    b: str
    outcome: float
    cluster: str
    weight: float = 1.0
    plays: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Contests:
    """Comparisons made of scores, how many scores met no counterpart, how many were missing."""

    comparisons: tuple[Contest, ...]
    unmatched: int
    missing: int


def contests(scores: Iterable[SeatScore]) -> Contests:
    """Compare every two models at the same task, seat and partner.

    Every repeat of one meets every repeat of the other, and they share a weight of 1: a setting
    counts the same however often it was repeated. Values equal but for rounding (1e-9) tie. The two
    seats of one play never meet: a seat of a play is one model's. ValueError where a model has two
    scores at one seat of a play, a setting lies in two clusters, a value is not finite, and where
    two models share a seat of a play.
    """
    settings: dict[tuple[str, str, str], dict[str, list[SeatScore]]] = defaultdict(
        lambda: defaultdict(list)
    )
    scores = sorted(scores, key=lambda score: score[:6])
    _check_scores(scores)
    present = [score for score in scores if score.value is not None]
    for score in present:
        settings[score.task, score.seat, score.partner][score.model].append(score)
    made: list[Contest] = []
    unmatched = 0
    for models in settings.values():
        if len(models) == 1:
            unmatched += sum(map(len, models.values()))
        for a, b in combinations(models.values(), 2):
            made += [_compare(x, y, 1 / (len(a) * len(b))) for x in a for y in b]
    return Contests(tuple(made), unmatched, len(scores) - len(present))


def _check_scores(scores: Sequence[SeatScore]) -> None:
    seats: set[tuple[str, str, str]] = set()
    clusters: dict[tuple[str, str, str], str] = {}
    for score in scores:
        where = (score.task, score.seat, score.play)
        if where in seats:
            raise ValueError(f"a seat of a play is scored once, found {where} twice")
        seats.add(where)
        setting = (score.task, score.seat, score.partner)
        if clusters.setdefault(setting, score.cluster) != score.cluster:
            raise ValueError(f"{setting} lies in one cluster, found two")
        if score.value is not None and not math.isfinite(score.value):
            raise ValueError(f"values are finite numbers, or None where missing; found {score}")


def _compare(x: SeatScore, y: SeatScore, weight: float) -> Contest:
    gap = (x.value or 0.0) - (y.value or 0.0)
    tie = abs(gap) <= _SAME * max(abs(x.value or 0.0), abs(y.value or 0.0))
    outcome = 0.5 if tie else float(gap > 0)
    return Contest(x.model, y.model, outcome, x.cluster, weight, (x.play, y.play))
