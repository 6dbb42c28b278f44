"""What reviewers made of the scenarios of a study, how far they decide alike, all as CSV."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import cast, get_args

from sociolab.app.rating.reviewing import REVIEW, ReviewStudy
from sociolab.app.rating.reviews import POINTS, Decision, Review

from sociolab.report.export import csv_text
from sociolab.store.sqlite import Store


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What reviewers made of a task."""

    task: str
    reviews: tuple[tuple[str, Review], ...]

    @property
    def counts(self) -> Mapping[str, int]:
        """How many decided what."""
        return Counter(review.decision for _, review in self.reviews)


@dataclass(frozen=True, slots=True)
class ReviewerAgreement:
    """Pairs of reviewers of one task: the share that decided alike, averaged over the tasks that
    two reviewed; `kappa` is Randolph's for three choices. None where there is no such task."""

    share: float | None
    kappa: float | None
    tasks: int


def verdicts(store: Store, study: ReviewStudy) -> tuple[Verdicts, ...]:
    """What reviewers made of each task, in the order of the data."""
    names = {row.pk: row.id for row in store.participants(study.name)}
    found: dict[str, list[tuple[str, Review]]] = {task: [] for task in study.tasks}
    for answer in store.answers(study.name):
        review = _read(answer.value) if answer.name == REVIEW else None
        if review is not None and answer.item in found:
            found[answer.item].append((names[answer.participant], review))
    return tuple(Verdicts(task, tuple(reviews)) for task, reviews in found.items())


def reviewer_agreement(found: Sequence[Verdicts]) -> ReviewerAgreement:
    """How far reviewers decide alike."""
    shares = []
    for one in found:
        pairs = list(combinations([review.decision for _, review in one.reviews], 2))
        if pairs:
            shares.append(sum(a == b for a, b in pairs) / len(pairs))
    if not shares:
        return ReviewerAgreement(None, None, 0)
    share, chance = sum(shares) / len(shares), 1 / len(get_args(Decision))
    return ReviewerAgreement(share, (share - chance) / (1 - chance), len(shares))


def reviews_csv(found: Sequence[Verdicts]) -> str:
    """A line a review: the decision, each point (yes or no), why, and the texts as proposed."""
    most = max((len(review.texts) for one in found for _, review in one.reviews), default=0)
    goals = [f"goal_{number}" for number in range(1, most)]
    return csv_text(
        ("task", "reviewer", "decision", *POINTS, "reason", *(["scene", *goals] if most else [])),
        (
            (
                one.task,
                reviewer,
                review.decision,
                *("yes" if review.points.get(key) else "no" for key in POINTS),
                review.reason,
                *review.texts,
                *[""] * (most - len(review.texts)),
            )
            for one in found
            for reviewer, review in one.reviews
        ),
    )


def _read(value: object) -> Review | None:
    if not isinstance(value, dict) or value.get("decision") not in get_args(Decision):
        return None
    return Review(
        cast("Decision", value["decision"]),
        dict(value.get("points", {})),
        str(value.get("reason", "")),
        tuple(value.get("texts", ())),
    )
