"""People review scenarios before they are played: keep, edit or reject (SOTOPIA, appendix D.2).

Their decisions make the next version of the data: `sociolab data revise`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Literal, TypeAlias, cast, get_args

from sociolab.app.data.sets import load_world, select_tasks, world_names
from sociolab.app.registry import world_plugin, worlds_that
from sociolab.core.episode import Json, Task
from sociolab.core.errors import ConfigError
from sociolab.core.user_files import find_data_folder, fresh_folder
from sociolab.plugin.shown import DecidedCluster, ReviewedTask
from sociolab.report.export import csv_text
from sociolab.report.words import join_names
from sociolab.store.store import Store
from sociolab.store.studies import ParticipantRow, StudyRow
from sociolab.studies.assignment import ItemPool, assignment_of
from sociolab.studies.rating_rules import one_line, reason_problem
from sociolab.studies.settings import ReviewPlan, StudySettings

LONGEST_TEXT = 4000
"""Characters of a scene or goal, as in the data."""

Decision: TypeAlias = Literal["keep", "edit", "reject"]

REVIEW_POINTS: Mapping[str, tuple[str, str]] = {
    "clear": (
        "Understandable",
        "You know at once where they are, what is going on and what each of them wants.",
    ),
    "tie": (
        "A natural relationship",
        "Two people who know each other like this could well meet in this situation.",
    ),
    "possible": (
        "Goals that can be reached",
        "This person can reach the goal in a conversation, by words and small acts.",
    ),
    "tension": (
        "Not decided from the start",
        "The goals do not simply agree: it takes some give and take, tact or persuasion.",
    ),
    "private": (
        "Nothing given away",
        "The scene reveals neither goal, and a goal says what is wanted, not how to get it.",
    ),
    "fit": (
        "The people fit",
        "Age, work and life of both agree with the scene and with their goals.",
    ),
    "harmless": (
        "Fit to be played",
        "No hatred, no cruelty, no real person, nothing that should not be acted out.",
    ),
}
"""The points of the review form, by key: name and explanation."""


@dataclass(frozen=True, slots=True)
class Review:
    """A reviewer's decision: whether each of `points` holds, why, and the texts as they should
    be."""

    decision: Decision
    points: Mapping[str, bool]
    reason: str = ""
    texts: tuple[str, ...] = ()


def view_task(study: ReviewStudy, task: str) -> ReviewedTask:
    show = world_plugin(study.plan.world).reviewed
    assert show is not None  # as `review_study` made sure
    return show(study.tasks[task])


def review_problems(review: Review, task: ReviewedTask, least_words: int = 3) -> tuple[str, ...]:
    """What prevents a review from being submitted."""
    problems = []
    unanswered = [name for key, (name, _) in REVIEW_POINTS.items() if key not in review.points]
    if unanswered:
        problems.append(f"Say of each point whether it holds: {', '.join(unanswered)}.")
    failed = [name for key, (name, _) in REVIEW_POINTS.items() if review.points.get(key) is False]
    if review.decision == "keep":
        if failed:
            problems.append(
                f"You said that this does not hold: {', '.join(failed)}. Then edit or reject."
            )
        return tuple(problems)
    if problem := reason_problem(one_line(review.reason), least_words):
        problems.append(f"Under “Why?”, {problem}.")
    if review.decision == "reject" and not (failed or unanswered):
        problems.append("Every point holds for you: say which one does not, or keep or edit.")
    unchanged = (
        len(review.texts) != len(task.texts)
        or not all(text.strip() for text in review.texts)
        or [text.split() for text in review.texts] == [text.split() for text in task.texts]
    )
    if review.decision == "edit" and unchanged:
        problems.append("Change the text as it should be, or choose another decision.")
    return tuple(problems)


REVIEW = "review.decision"
DRAFT = "review.draft"
"""Names of answers: the submitted review, and its draft."""


@dataclass(frozen=True, slots=True)
class ReviewStudy:
    name: str
    plan: ReviewPlan
    tasks: Mapping[str, Task]


def review_study(row: StudyRow) -> ReviewStudy:
    """ConfigError where the study is of another kind or names no tasks."""
    plan = StudySettings.model_validate(row.settings).review
    if plan is None:
        raise ConfigError(f'expected a study of reviews, found "{row.name}", which is of another')
    if plan.world not in world_names() or world_plugin(plan.world).reviewed is None:
        worlds = join_names(worlds_that(lambda plugin: plugin.reviewed is not None))
        raise ConfigError(f'people review scenarios of {worlds}; found the world "{plan.world}"')
    return ReviewStudy(row.name, plan, _load_tasks(plan))


@lru_cache(maxsize=8)
def _load_tasks(plan: ReviewPlan) -> Mapping[str, Task]:
    """The tasks of a plan; cached, as every page needs them."""
    world = load_world(plan.world, plan.data).world
    return {task.id: task for task in select_tasks(plan.world, world, plan.tasks, plan.limit)}


def task_pool(study: ReviewStudy) -> ItemPool:
    return ItemPool(tuple(study.tasks), study.plan.raters, study.plan.each)


def keep_review_draft(store: Store, participant: int, task: str, draft: Mapping[str, Json]) -> None:
    store.studies.answer(participant, task, DRAFT, dict(draft))


def review_draft_of(store: Store, study: str, participant: int, task: str) -> Json:
    """The draft of a reviewer's form; None if there is none."""
    answers = store.studies.answers(study, participant)
    return next((a.value for a in answers if (a.item, a.name) == (task, DRAFT)), None)


def submit_review(
    store: Store, study: ReviewStudy, who: ParticipantRow, task: str, review: Review
) -> tuple[str, ...]:
    """Store a review of an assigned task; returns what is wrong with it, if anything.

    Texts are stored only if the decision is to edit.
    """
    if problems := review_problems(review, view_task(study, task)):
        return problems
    with store.transaction():
        row = assignment_of(store, study.name, who.pk, task)
        if row is not None and row.state != "done":
            texts = [text.strip() for text in review.texts] if review.decision == "edit" else []
            store.studies.answer(
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
            store.studies.set_progress(row.pk, "done")
    return ()


@dataclass(frozen=True, slots=True)
class TaskReviews:
    """The reviews of a task, each with its reviewer."""

    task: str
    reviews: tuple[tuple[str, Review], ...]

    @property
    def counts(self) -> Mapping[str, int]:
        return Counter(review.decision for _, review in self.reviews)


@dataclass(frozen=True, slots=True)
class ReviewerAgreement:
    """The share of pairs of reviewers that decided alike, averaged over the tasks with two or more
    reviews; `kappa` is Randolph's for three choices. None where there is no such task."""

    share: float | None
    kappa: float | None
    tasks: int


def task_reviews(store: Store, study: ReviewStudy) -> tuple[TaskReviews, ...]:
    """The reviews of each task, in the order of the data."""
    names = {row.pk: row.id for row in store.studies.participants(study.name)}
    by_task: dict[str, list[tuple[str, Review]]] = {task: [] for task in study.tasks}
    for answer in store.studies.answers(study.name):
        review = _decode_review(answer.value) if answer.name == REVIEW else None
        if review is not None and answer.item in by_task:
            by_task[answer.item].append((names[answer.participant], review))
    return tuple(TaskReviews(task, tuple(reviews)) for task, reviews in by_task.items())


def reviewer_agreement(entries: Sequence[TaskReviews]) -> ReviewerAgreement:
    shares = []
    for entry in entries:
        pairs = list(combinations([review.decision for _, review in entry.reviews], 2))
        if pairs:
            shares.append(sum(a == b for a, b in pairs) / len(pairs))
    if not shares:
        return ReviewerAgreement(None, None, 0)
    share, chance = sum(shares) / len(shares), 1 / len(get_args(Decision))
    return ReviewerAgreement(share, (share - chance) / (1 - chance), len(shares))


def reviews_csv(entries: Sequence[TaskReviews]) -> str:
    """A row for each review: decision, points (yes or no), reason, and the proposed texts."""
    most = max((len(review.texts) for entry in entries for _, review in entry.reviews), default=0)
    goals = [f"goal_{number}" for number in range(1, most)]
    return csv_text(
        (
            "task",
            "reviewer",
            "decision",
            *REVIEW_POINTS,
            "reason",
            *(["scene", *goals] if most else []),
        ),
        (
            (
                entry.task,
                reviewer,
                review.decision,
                *("yes" if review.points.get(key) else "no" for key in REVIEW_POINTS),
                review.reason,
                *review.texts,
                *[""] * (most - len(review.texts)),
            )
            for entry in entries
            for reviewer, review in entry.reviews
        ),
    )


def _decode_review(value: object) -> Review | None:
    if not isinstance(value, dict) or value.get("decision") not in get_args(Decision):
        return None
    return Review(
        cast("Decision", value["decision"]),
        dict(value.get("points", {})),
        str(value.get("reason", "")),
        tuple(value.get("texts", ())),
    )


# ------------------------------------------------------------------ what reviews make of the data


def revise(store: Store, study: str, to: Path) -> tuple[str, ...]:
    """Write the next version of the reviewed data to a new folder; returns what was done.

    ConfigError for a study of another kind or without reviews, a world that cannot be revised, or a
    folder that exists.
    """
    reviewing = review_study(store.studies.get(study))
    world = reviewing.plan.world
    write = world_plugin(world).revise
    if write is None:
        worlds = join_names(worlds_that(lambda plugin: plugin.revise is not None))
        raise ConfigError(f"reviews change the data of {worlds}; the study reviews {world}")
    if to.exists():
        raise ConfigError(f"--to: {to} is there already; name a new folder")
    decisions = decide_clusters(store, study)
    if not decisions:
        raise ConfigError(f'"{study}" has no review yet; nothing to revise')
    data = reviewing.plan.data
    source = None if data is None else find_data_folder(world, data)
    with fresh_folder(to) as fresh:
        done = write(source, fresh, study, decisions)
    return (*_summarize(decisions), *done, f"wrote {to}; check it: sociolab data check {to}")


def decide_clusters(store: Store, study: str) -> dict[str, DecidedCluster]:
    """The majority decision on each scenario, over all its casts.

    "" where no decision has more than half of the reviews. An edit uses the texts that most of its
    reviewers propose, or the first of those that tie.
    """
    reviewing = review_study(store.studies.get(study))
    reviews: dict[str, list[tuple[str, Review]]] = defaultdict(list)
    for entry in task_reviews(store, reviewing):
        reviews[reviewing.tasks[entry.task].cluster] += entry.reviews
    last: dict[str, float] = defaultdict(float)
    for answer in store.studies.answers(study):
        if answer.name == REVIEW and answer.item in reviewing.tasks:
            cluster = reviewing.tasks[answer.item].cluster
            last[cluster] = max(last[cluster], answer.at)
    return {key: _decide_cluster(pairs, last[key]) for key, pairs in reviews.items() if pairs}


def _decide_cluster(reviews: list[tuple[str, Review]], at: float) -> DecidedCluster:
    (top, count), *_ = Counter(review.decision for _, review in reviews).most_common()
    decision: Decision | None = top if 2 * count > len(reviews) else None
    ours = [(who, review) for who, review in reviews if review.decision == decision]
    texts = Counter(review.texts for _, review in ours if review.texts).most_common()
    return DecidedCluster(
        decision or "",
        texts[0][0] if texts else (),
        tuple(who for who, _ in ours or reviews),
        tuple(review.reason for _, review in ours or reviews if review.reason),
        datetime.fromtimestamp(at, UTC).date().isoformat(),
        proposals=len(texts),
    )


_DONE = {"keep": "kept", "edit": "edited", "reject": "rejected"}


def _summarize(decisions: dict[str, DecidedCluster]) -> tuple[str, ...]:
    """What was decided, and where it was not clear."""
    lines = []
    for decision, done in _DONE.items():
        keys = [key for key, cluster in decisions.items() if cluster.decision == decision]
        lines.append(f"{done} ({len(keys)}): {', '.join(keys) or 'none'}")
    undecided = [key for key, cluster in decisions.items() if not cluster.decision]
    if undecided:
        lines.append(f"no majority, unchanged ({len(undecided)}): {', '.join(undecided)}")
    several = [key for key, c in decisions.items() if c.decision == "edit" and c.proposals > 1]
    if several:
        lines.append(
            f"several edits proposed, the most frequent taken, or the first in a tie "
            f"({len(several)}): {', '.join(several)}"
        )
    return tuple(lines)
