"""Reviews of scenarios: what makes one complete, what is kept, how far reviewers agree."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from rating_runs import open_study
from sociolab.core import ConfigError
from sociolab.store import Store
from sociolab.studies import (
    REVIEW_POINTS,
    Review,
    assign_next,
    review_study,
    submit_review,
    task_pool,
)
from sociolab.studies.reviews import (
    Decision,
    ReviewStudy,
    TaskReviews,
    review_problems,
    reviewer_agreement,
    reviews_csv,
    task_reviews,
    view_task,
)

STUDY = "are-they-fit"
MADE = {"title": "Scenarios", "review": {"limit": 3}}
ALL = dict.fromkeys(REVIEW_POINTS, True)
WHY = "the goals agree from the start"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store.db") as opened:
        open_study(opened, 2, STUDY, "review", None, MADE)
        yield opened


@pytest.fixture
def study(store: Store) -> ReviewStudy:
    return review_study(store.studies.get(STUDY))


def test_a_scenario_is_shown_with_its_people_their_goals_and_their_tie(study: ReviewStudy) -> None:
    assert len(study.tasks) == 3
    shown = view_task(study, next(iter(study.tasks)))
    assert len(shown.texts) == 1 + len(shown.people) == 3
    assert shown.titles[0] == "The scene"
    assert shown.titles[1].startswith("The goal of ")
    assert shown.ties


@pytest.mark.parametrize(
    ("review", "problem"),
    [
        (Review("keep", ALL), None),
        (Review("keep", {**ALL, "tension": False}), "does not hold: Not decided"),
        (Review("keep", {"clear": True}), "Say of each point"),
        (Review("reject", {**ALL, "tension": False}, WHY), None),
        (Review("reject", {**ALL, "tension": False}), "say why"),
        (Review("reject", ALL, WHY), "say which one does not"),
        (Review("edit", ALL, WHY), "Change the text"),
        (Review("edit", ALL, WHY, ("", "", "")), "Change the text"),
    ],
)
def test_a_review_says_what_it_lacks(
    study: ReviewStudy, review: Review, problem: str | None
) -> None:
    shown = view_task(study, next(iter(study.tasks)))
    found = review_problems(review, shown)
    assert (problem is None) == (found == ())
    assert problem is None or any(problem in one for one in found)


def test_an_edit_without_an_edit_is_none(study: ReviewStudy) -> None:
    shown = view_task(study, next(iter(study.tasks)))
    spaced = tuple(f" {text.replace(' ', '  ')}\n" for text in shown.texts)
    assert review_problems(Review("edit", ALL, WHY, spaced), shown)
    changed = (shown.texts[0], shown.texts[1] + " Say please.", shown.texts[2])
    assert review_problems(Review("edit", ALL, WHY, changed), shown) == ()


def test_reviews_are_kept_counted_and_exported(store: Store, study: ReviewStudy) -> None:
    first, second = store.studies.participants(STUDY)
    task = assign_next(store, STUDY, first.pk, task_pool(study))
    assert task is not None
    texts = view_task(study, task).texts
    edit = Review("edit", {**ALL, "private": False}, WHY, ("=Another scene.", *texts[1:]))
    assert submit_review(store, study, second, task, Review("keep", ALL)) == ()  # was not given it
    assert submit_review(store, study, first, task, edit) == ()
    assert submit_review(store, study, first, task, Review("keep", ALL)) == ()  # has decided
    (found,) = [one for one in task_reviews(store, study) if one.reviews]
    assert found.counts == {"edit": 1}
    head, line = csv.reader(io.StringIO(reviews_csv(task_reviews(store, study))))
    row = dict(zip(head, line, strict=True))
    assert (row["task"], row["reviewer"], row["decision"]) == (task, "r1", "edit")
    assert (row["clear"], row["private"], row["reason"]) == ("yes", "no", WHY)
    assert (row["scene"], row["goal_2"]) == ("'=Another scene.", texts[2])


def test_agreement_is_the_share_of_pairs_that_decide_alike() -> None:
    def on(*decisions: Decision) -> TaskReviews:
        said = tuple((f"r{i}", Review(one, ALL)) for i, one in enumerate(decisions))
        return TaskReviews("t", said)

    # Of three pairs one agrees: 1/3; and 1; one alone has no pair: (1/3 + 1) / 2 = 2/3.
    found = reviewer_agreement([on("keep", "keep", "edit"), on("reject", "reject"), on("keep")])
    assert found.share == pytest.approx(2 / 3)
    assert found.kappa == pytest.approx((2 / 3 - 1 / 3) / (2 / 3))
    assert found.tasks == 2
    assert reviewer_agreement([on("keep")]).share is None


def test_another_world_is_refused(store: Store) -> None:
    made = {"title": "Towns", "review": {"world": "stss"}}
    open_study(store, 0, "towns", "review", None, made)
    with pytest.raises(ConfigError, match='found the world "stss"'):
        review_study(store.studies.get("towns"))
