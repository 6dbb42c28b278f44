"""People review scenarios before these are played: keep, edit or reject (SOTOPIA, appendix D.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from sociolab.app.data.sets import load_world, wanted_tasks
from sociolab.app.rating.clock import CLOCK
from sociolab.app.rating.dealing import Pile, held
from sociolab.app.rating.reviews import Review, review_problems, reviewed
from sociolab.app.rating.words import one_line
from sociolab.app.study.settings import ReviewPlan, StudySettings
from sociolab.core.episode import Json, Task
from sociolab.core.errors import ConfigError
from sociolab.store.sqlite import Store
from sociolab.store.studies import ParticipantRow, StudyRow

REVIEW = "review.decision"
DRAFT = "review.draft"
"""Names of answers: the review, and what stands in its form before it is handed in."""


@dataclass(frozen=True, slots=True)
class ReviewStudy:
    """A study of reviews, and the tasks that are reviewed in it, by id."""

    name: str
    plan: ReviewPlan
    tasks: Mapping[str, Task]


def review_study(row: StudyRow) -> ReviewStudy:
    """The study of this row; ConfigError where it is of another kind or names no tasks."""
    plan = StudySettings.model_validate(row.settings).review
    if plan is None:
        raise ConfigError(f'expected a study of reviews, found "{row.name}", which is of another')
    if plan.world != "sotopia":
        raise ConfigError(f'people review scenarios of sotopia; found the world "{plan.world}"')
    return ReviewStudy(row.name, plan, _tasks(plan))


@lru_cache(maxsize=8)
def _tasks(plan: ReviewPlan) -> Mapping[str, Task]:
    """The tasks of a plan; kept, as every page asks for them."""
    world = load_world(plan.world, plan.data).world
    return {task.id: task for task in wanted_tasks(plan.world, world, plan.tasks, plan.limit)}


def pile(study: ReviewStudy) -> Pile:
    """The tasks, as they are dealt."""
    return Pile(tuple(study.tasks), study.plan.raters, study.plan.each)


def keep_draft(store: Store, participant: int, task: str, draft: Mapping[str, Json]) -> None:
    """Keep what stands in a reviewer's form."""
    CLOCK.hear((store.path, participant, task))
    store.answer(participant, task, DRAFT, dict(draft))


def draft_of(store: Store, study: str, participant: int, task: str) -> Json:
    """What stands in a reviewer's form; None if nothing was kept."""
    answers = store.answers(study, participant)
    return next((one.value for one in answers if (one.item, one.name) == (task, DRAFT)), None)


def give_review(
    store: Store, study: ReviewStudy, who: ParticipantRow, task: str, review: Review
) -> tuple[str, ...]:
    """Keep a review of a task that the participant was given; what is wrong with it, or nothing.

    Texts are kept where the decision is to edit.
    """
    if problems := review_problems(review, reviewed(study.tasks[task])):
        return problems
    with store.transaction():
        row = held(store, study.name, who.pk, task)
        if row is not None and row.state != "done":
            texts = [one.strip() for one in review.texts] if review.decision == "edit" else []
            store.answer(
                who.pk,
                task,
                REVIEW,
                {
                    "decision": review.decision,
                    "points": dict(review.points),
                    "reason": one_line(review.reason),
                    "texts": texts,  # type: ignore[dict-item]
                },
            )
            store.progress(row.pk, "done")
    return ()
