"""What audits of a judge come to: how far its scores move when nothing moved that should count.

An episode is judged as it is and once more, unchanged (`Repeated`) or as a variant (`Change`), and
what is compared is the same seat's score in the same measure. Intervals are clustered by scenario.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from statistics import fmean, stdev

from sociolab.core.episode import Trial
from sociolab.core.ports import Variant
from sociolab.core.score import Measure, Score, Unscored, Verdict
from sociolab.stats.intervals import Estimate, means, on_scale

OVERALL = "overall"
"""The measure that sums the others up; "all" leaves it out, since it would count them twice."""

ALL = "all"
"""Stands for all measures together, in percent of the length of each one's scale."""

SD, EQUAL, DIFFERENCE = "sd", "equal", "difference"
CHANGE, MOVED = "change", "absolute change"


@dataclass(frozen=True, slots=True)
class Repeated:
    """The scores of one play in one measure at repeated judgings; None where one is missing."""

    trial: str
    cluster: str
    seat: str | None
    measure: Measure
    scores: tuple[float | None, ...]

    @property
    def missing(self) -> int:
        """How many scores were due and are not there."""
        return self.scores.count(None)


@dataclass(frozen=True, slots=True)
class Change:
    """The scores of one play in one measure, as it is and as a variant; None where one is missing.

    `was` and `now` are the seat's conditions in the two, "" for nothing out of the ordinary;
    `group` is the variant's.
    """

    trial: str
    cluster: str
    seat: str
    measure: Measure
    was: str
    now: str
    before: float | None
    after: float | None
    group: str = ""

    @property
    def gap(self) -> float | None:
        """After minus before; None where one is missing."""
        if self.before is None or self.after is None:
            return None
        return self.after - self.before

    @property
    def gains(self) -> dict[str, float | None]:
        """For each condition that it is in once: the score in it minus the score out of it."""
        if self.was == self.now:
            return {}
        away = None if self.gap is None else -self.gap
        found = {self.now: self.gap, self.was: away}
        return {name: gain for name, gain in found.items() if name}


@dataclass(frozen=True, slots=True)
class Effect:
    """One figure of an audit, of one measure (by name) or of `ALL` in percent of their scales.

    `what` names it: SD, EQUAL or DIFFERENCE of repeated judgings, CHANGE or MOVED of variants, or a
    condition whose effect it is. Its interval ends where the figure must: a difference of two
    scores lies within the length of the scale. `missing` counts scores, or pairs, that were due and
    have no value.
    """

    what: str
    measure: str
    estimate: Estimate
    missing: int


def repeated_of(trial: Trial, judgings: Sequence[Sequence[Verdict]]) -> tuple[Repeated, ...]:
    """The scores of an episode's plays at several judgings; what none of them can tell is left
    out."""
    said = [_by_cell(verdicts) for verdicts in judgings]
    cells = dict.fromkeys(cell for one in said for cell in one)
    found = []
    for measure, seat in cells:
        all_ = [one.get((measure, seat)) for one in said]
        if not all(isinstance(verdict, Unscored) for verdict in all_):
            scores = tuple(_value(verdict) for verdict in all_)
            found.append(Repeated(trial.id, trial.task.cluster, seat, measure, scores))
    return tuple(found)


def changes_of(
    trial: Trial, variant: Variant, as_it_is: Sequence[Verdict], changed: Sequence[Verdict]
) -> tuple[Change, ...]:
    """The scores of the seats that a variant compares, as the episode is and as it is changed.

    Left out are measures of the whole episode, and what the judge can tell in neither.
    """
    by_seat = {seat: (was, now) for seat, was, now in variant.changes}
    found = []
    for cell in repeated_of(trial, (as_it_is, changed)):
        if cell.seat is not None and cell.seat in by_seat:
            (was, now), (before, after) = by_seat[cell.seat], cell.scores
            of = (cell.trial, cell.cluster, cell.seat, cell.measure)
            found.append(Change(*of, was, now, before, after, variant.group))
    return tuple(found)


def repeat_effects(cells: Sequence[Repeated]) -> tuple[Effect, ...]:
    """Of each measure: the mean over plays of the standard deviation of their scores (n - 1), of
    the share of equal ones among all pairs of judgings, and of the mean distance of such pairs.

    Plays with fewer than two scores have no part in it. Of `ALL`, distances are in percent of the
    scale; the share is what it is.
    """
    return _effects([_Row(c.measure, c.cluster, _steadiness(c), c.missing) for c in cells])


def change_effects(changes: Sequence[Change]) -> tuple[Effect, ...]:
    """Of each measure: the mean change of a seat's score, the mean absolute one, and the effect of
    each condition: the mean of its score in it minus its score out of it.

    The mean change is left out where no seat is in a condition before: the effects say it all.
    """
    swapped = any(change.was for change in changes)
    rows = []
    for change in changes:
        moved = None if change.gap is None else abs(change.gap)
        values = ({CHANGE: change.gap} if swapped else {}) | {MOVED: moved} | change.gains
        rows.append(_Row(change.measure, change.cluster, values, int(change.gap is None)))
    return _effects(rows)


def grouped_effects(changes: Sequence[Change]) -> dict[str, tuple[Effect, ...]]:
    """`change_effects` of each group; nothing where there is one only."""
    groups = sorted({change.group for change in changes})
    if len(groups) < 2:
        return {}
    return {group: change_effects([c for c in changes if c.group == group]) for group in groups}


def conditions_of(effects: Iterable[Effect]) -> tuple[str, ...]:
    """The conditions whose effects are among these, sorted."""
    own = {SD, EQUAL, DIFFERENCE, CHANGE, MOVED}
    return tuple(sorted({effect.what for effect in effects} - own))


# ------------------------------------------------------------------ figures


@dataclass(frozen=True, slots=True)
class _Row:
    """A play's figures in one measure, by what they are, and how many scores are missing."""

    measure: Measure
    cluster: str
    values: Mapping[str, float | None]
    missing: int

    def scaled(self) -> _Row:
        """In percent of the length of the scale, but for shares."""
        by = 100 / (self.measure.high - self.measure.low)
        values = {
            what: value if value is None or what == EQUAL else value * by
            for what, value in self.values.items()
        }
        return _Row(self.measure, self.cluster, values, self.missing)


def _effects(rows: Sequence[_Row]) -> tuple[Effect, ...]:
    """Each figure of each measure, and of all measures but the overall where there are several."""
    found: list[Effect] = []
    for measure in dict.fromkeys(row.measure for row in rows):
        mine = [row for row in rows if row.measure == measure]
        found += _figures(measure.name, mine, measure.high - measure.low)
    parts = [row.scaled() for row in rows if row.measure.name != OVERALL]
    if len({row.measure for row in parts}) > 1:
        found += _figures(ALL, parts, 100.0)
    return tuple(found)


def _figures(name: str, rows: Sequence[_Row], width: float) -> list[Effect]:
    """The figures of scores on a scale of this length."""
    whats = dict.fromkeys(what for row in rows for what in row.values)
    columns = {what: [row.values.get(what) for row in rows] for what in whats}
    made = means(columns, [row.cluster for row in rows])
    return [
        Effect(
            what,
            name,
            on_scale(made[what], *_ends(what, width)),
            sum(row.missing for row in rows if what in row.values),
        )
        for what in whats
    ]


def _ends(what: str, width: float) -> tuple[float, float]:
    """Between what a figure must lie. The standard deviation is largest where half of the scores
    are at either end, and of these where there are two."""
    ends = {EQUAL: (0.0, 1.0), SD: (0.0, width / sqrt(2)), DIFFERENCE: (0.0, width)}
    return (ends | {MOVED: (0.0, width)}).get(what, (-width, width))


def _steadiness(cell: Repeated) -> dict[str, float | None]:
    scores = [score for score in cell.scores if score is not None]
    pairs = list(combinations(scores, 2))
    if not pairs:
        return {SD: None, EQUAL: None, DIFFERENCE: None}
    return {
        SD: stdev(scores),
        EQUAL: fmean(a == b for a, b in pairs),
        DIFFERENCE: fmean(abs(a - b) for a, b in pairs),
    }


def _by_cell(verdicts: Iterable[Verdict]) -> dict[tuple[Measure, str | None], Verdict]:
    return {(verdict.measure, verdict.seat): verdict for verdict in verdicts}


def _value(verdict: Verdict | None) -> float | None:
    return float(verdict.value) if isinstance(verdict, Score) else None
