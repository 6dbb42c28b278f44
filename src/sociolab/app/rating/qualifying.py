"""The test before the work: is a rater near enough to the references?

What is given in the test is kept with the participant and never among the ratings of the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sociolab.app.rating.drafts import drafts_of
from sociolab.app.study.settings import RatePlan
from sociolab.store.store import Store
from sociolab.store.studies import ParticipantRow


@dataclass(frozen=True, slots=True)
class TestResult:
    """Of `asked` references a rater was within tolerance on `near`."""

    near: int
    asked: int

    @property
    def share(self) -> float:
        """From 0 to 1; 1 where nothing was asked."""
        return self.near / self.asked if self.asked else 1.0


def references_of(plan: RatePlan) -> Mapping[str, Mapping[tuple[str, str], tuple[float, float]]]:
    """By episode: what is asked of it (seat and dimension), the reference and its tolerance."""
    found: dict[str, dict[tuple[str, str], tuple[float, float]]] = {}
    for one in plan.references:
        asked = found.setdefault(one.episode, {})
        for dimension, value in one.scores.items():
            asked[one.seat, dimension] = (value, one.within)
    return found


def test_result(store: Store, study: str, plan: RatePlan, who: ParticipantRow) -> TestResult:
    """How near a rater came to the references; one that was not rated is not near."""
    near = asked = 0
    for trial, references in references_of(plan).items():
        drafts = drafts_of(store, study, who.pk, trial)
        for place, (value, within) in references.items():
            draft = drafts.get(place)
            asked += 1
            near += (
                draft is not None
                and draft.score is not None
                and (abs(draft.score - value) <= within)
            )
    return TestResult(near, asked)


def qualified(store: Store, study: str, plan: RatePlan, who: ParticipantRow) -> bool | None:
    """Whether a rater passed; None while references are left to rate."""
    done = {row.item for row in store.studies.assignments(study, who.pk) if row.state == "done"}
    if not done >= set(references_of(plan)):
        return None
    return test_result(store, study, plan, who).share >= plan.threshold


def fits(store: Store, study: str, plan: RatePlan, who: ParticipantRow) -> bool:
    """Whether a rater may go on to the plays that count."""
    return who.state != "refused" and qualified(store, study, plan, who) is True
