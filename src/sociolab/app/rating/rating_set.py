"""A set of ratings in the store: all its raters are one judge, each a numbered judging of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from sociolab.analysis.rated_signature import signature, signed
from sociolab.core.score import JudgeId, Score
from sociolab.core.seeding import digest
from sociolab.store.sqlite import Store
from sociolab.worlds.sotopia.evaluation import DIMENSIONS, overall

Place: TypeAlias = tuple[str, str | None, str, str]
"""Trial, seat, rater and measure."""


def people_judge(name: str) -> JudgeId:
    """Who rated, to a report: all raters of the set of this name together."""
    return JudgeId(name, "people", digest("ratings", name))


@dataclass(frozen=True, slots=True)
class Placed:
    """A rating that is in order, and which of those given it is, counted from 1."""

    number: int
    trial: str
    rater: str
    score: Score

    @property
    def place(self) -> Place:
        """Where it belongs: nobody rates the same twice."""
        return self.trial, self.score.seat, self.rater, self.score.measure.name


@dataclass(frozen=True, slots=True)
class Standing:
    """What is stored of a set: the scores, and the number of each rater's judgings."""

    scores: dict[Place, Score] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    judgings: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, store: Store, run: str, judge: JudgeId) -> Standing:
        """The set of this judge in a run; empty where there is none."""
        scores: dict[Place, Score] = {}
        numbers: dict[str, int] = {}
        judgings: list[tuple[str, int]] = []
        for row in store.judgings(run, judge):
            judgings.append((str(row.trial), row.judging))
            for verdict in row.verdicts:
                if isinstance(verdict, Score):
                    rater = signature(verdict.reason)[0] or str(row.judging + 1)
                    numbers[rater] = row.judging
                    place = (str(row.trial), verdict.seat, rater, verdict.measure.name)
                    scores[place] = verdict
        return cls(scores, numbers, tuple(judgings))

    def contradicted(self, rating: Placed, name: str) -> str:
        """What is wrong with a rating that is stored already, with another score; or ""."""
        stored, score = self.scores.get(rating.place), rating.score
        if stored is None or stored.value == score.value:
            return ""
        return (
            f"expected {score.measure.name} {stored.value:g} by {rating.rater}, which is stored as "
            f"{name} (--replace puts a file in its place), found {score.value:g}"
        )

    def delete(self, store: Store, run: str, judge: JudgeId) -> None:
        """Remove the set."""
        for trial, number in self.judgings:
            store.delete_verdicts(run, judge, trial=trial, judging=number)

    def add(self, store: Store, run: str, judge: JudgeId, fresh: Iterable[Placed]) -> None:
        """Store new ratings, a judging for each rater and episode, and the overall they complete.

        Raters keep their numbers; new ones are numbered behind them, by name.
        """
        by: dict[tuple[str, str], list[Placed]] = {}
        for rating in fresh:
            by.setdefault((rating.rater, rating.trial), []).append(rating)
        new = sorted({rater for rater, _ in by} - set(self.numbers))
        after = max(self.numbers.values(), default=-1) + 1
        numbers = {**self.numbers, **{rater: after + i for i, rater in enumerate(new)}}
        before: dict[tuple[str, str], list[Score]] = {}
        for (trial, _, rater, _), score in self.scores.items():
            before.setdefault((rater, trial), []).append(score)
        for (rater, trial), ratings in sorted(by.items()):
            scores = sorted((rating.score for rating in ratings), key=_order)
            stored = before.get((rater, trial), [])
            said = [*scores, *_overalls(rater, (*stored, *scores))]
            store.add_verdicts(run, judge, said, trial=trial, judging=numbers[rater])


def _order(score: Score) -> tuple[str, int, str]:
    names = [dimension.name for dimension in DIMENSIONS]
    name = score.measure.name
    return score.seat or "", names.index(name) if name in names else len(names), name


def _overalls(rater: str, scores: Sequence[Score]) -> Iterable[Score]:
    """SOTOPIA's overall for each seat whose seven dimensions one rater has rated."""
    for seat in sorted({score.seat for score in scores if score.seat is not None}):
        mine = {score.measure for score in scores if score.seat == seat}
        if mine >= set(DIMENSIONS):
            found = overall(tuple(scores), seat)
            if isinstance(found, Score):
                yield replace(found, reason=signed(rater, ""))
