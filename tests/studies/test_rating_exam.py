"""Raters sit the exam that judges sit: who passes goes on, and what they said is kept with it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest

from examinees import cases_of
from rating_runs import RUN, STUDY, build, settings
from sociolab.app import world_plugin
from sociolab.app.registry import worlds_that
from sociolab.core import ConfigError
from sociolab.report.exam import exam_of, exam_runs
from sociolab.store import ParticipantRow, Store
from sociolab.studies import (
    RateStudy,
    RatingDraft,
    StudySettings,
    create_study,
    forget,
    forget_study,
    hash_secret,
    keep_draft,
    next_episode,
    parse_settings,
    people_judge,
    progress_of,
    rate_study,
    rated_places,
    rating_progress,
    ratings_in,
    submit,
)
from sociolab.studies.rating_study import scene_of
from sociolab.studies.settings import plan_rows

CASES = {one.id: one for one in cases_of("sotopia")}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    build(tmp_path / "store.db")
    with Store.open(tmp_path / "store.db") as opened:
        yield opened


def made(store: Store, people: int = 1, **plan: Any) -> tuple[RateStudy, list[ParticipantRow]]:
    create_study(store, STUDY, parse_settings(settings(exam=True, **plan), "a test"))
    for number in range(1, people + 1):
        store.studies.add_participant(STUDY, f"r{number}", hash_secret(f"link {number}"))
    return rate_study(store, store.studies.get(STUDY)), [*store.studies.participants(STUDY)]


def sit(
    store: Store, study: RateStudy, who: ParticipantRow, wrong: Collection[str] = ()
) -> list[str]:
    """Sit the exam: all right but in the cases that are `wrong`. The cases, in their order."""
    seen = []
    while (play := next_episode(store, study, who)) is not None and play.stage == "test":
        seen.append(play.trial)
        expected = {(one.seat, one.metric): one for one in CASES[play.trial].expected}
        seats = scene_of(store, study, play).seats
        for place in rated_places(store, study, play):
            assert place[0] in seats
            one = expected[place]
            score = int(one.high)
            if play.trial in wrong:
                score = int(one.low) - 1 if one.low > 0 else int(one.high) + 1
            keep_draft(store, who.pk, play.trial, place, RatingDraft(score, "as they said", 2.0))
        assert submit(store, study, who, play) == ()
        who = store.studies.participant(STUDY, who.id)
    return seen


def of_kind(*kinds: str) -> list[str]:
    return [one.id for one in CASES.values() if one.kind in kinds]


def test_who_passes_goes_on_and_the_ratings_are_judgings_of_the_exam(store: Store) -> None:
    study, (who,) = made(store, dimensions=("goal",))
    asked = [one.id for one in CASES.values() if any(e.metric == "goal" for e in one.expected)]
    miss = of_kind("success")[0]
    assert sit(store, study, who, [miss]) == asked
    now = store.studies.participant(STUDY, who.id)
    assert now.state != "refused"
    after = next_episode(store, study, now)
    assert after is not None
    assert after.stage == "rate"
    assert ratings_in(store, RUN, STUDY) == ()
    exam = exam_of(store, "sotopia", people_judge(STUDY))
    assert exam is not None
    assert (exam.right, exam.cases, exam.passed) == (len(asked) - 1, len(asked), True)
    assert exam.misses == {"success": 1}
    _, (rater,) = rating_progress(store, study, ())
    assert rater.test is not None
    assert (rater.test.near, rater.test.total, rater.test.passed) == (len(asked) - 1, 20, True)
    assert rater.done == 0


@pytest.mark.parametrize("kind", ["small talk", "order"])
def test_one_wrong_answer_to_small_talk_or_an_order_ends_it(store: Store, kind: str) -> None:
    study, (who,) = made(store, dimensions=("goal",))
    sit(store, study, who, of_kind(kind)[:1])
    now = store.studies.participant(STUDY, who.id)
    assert now.state == "refused"
    assert next_episode(store, study, now) is None


def test_each_rater_is_counted_alone_and_all_together_in_the_exam(store: Store) -> None:
    study, (first, second) = made(store, people=2, dimensions=("goal",))
    sit(store, study, first)
    sit(store, study, second, CASES)
    states = [one.state == "refused" for one in store.studies.participants(STUDY)]
    assert states == [False, True]
    _, raters = rating_progress(store, study, ())
    assert [one.test and (one.test.near, one.test.total) for one in raters] == [(20, 20), (0, 20)]
    exam = exam_of(store, "sotopia", people_judge(STUDY))
    assert exam is not None
    assert (exam.right, exam.cases) == (20, 40)
    assert forget(store, STUDY, second.id).ratings >= 20
    exam = exam_of(store, "sotopia", people_judge(STUDY))
    assert exam is not None
    assert (exam.right, exam.cases) == (20, 20)
    forget_study(store, STUDY)
    assert exam_of(store, "sotopia", people_judge(STUDY)) is None


def test_only_the_dimensions_that_the_study_asks_are_asked(store: Store) -> None:
    study, _ = made(store)
    assert {name for places in study.test.values() for _, name in places} >= {"goal", "secret"}
    assert "goal_checked" not in {name for places in study.test.values() for _, name in places}


REFERENCE = {"episode": "fair00", "seat": "ada-holm", "scores": {"goal": 8}}


@pytest.mark.parametrize(
    ("plan", "problem"),
    [
        ({"references": (REFERENCE,)}, "exam: expected one test, found the exam and references"),
        ({"guide": "behaviour"}, "exam: expected cases about what is rated"),
    ],
)
def test_an_exam_that_cannot_be_is_refused_when_the_study_is_made(
    store: Store, plan: dict[str, Any], problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem):
        made(store, **plan)
    assert exam_runs(store, "sotopia") == ()


def test_a_world_without_an_exam_is_named(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sociolab.studies.setup.exam_cases", lambda world: ())
    with pytest.raises(ConfigError, match="a run of a world with an exam, found one of sotopia"):
        made(store)


def test_a_study_whose_exam_was_deleted_says_so_and_can_be_deleted(store: Store) -> None:
    study, _ = made(store)
    store.delete_run(study.exam)
    with pytest.raises(ConfigError, match=f"expected the run {study.exam}"):
        rate_study(store, store.studies.get(STUDY))
    assert progress_of(store, STUDY).planned is None
    forget_study(store, STUDY)


@pytest.mark.parametrize("world", worlds_that(lambda one: bool(one.exam and one.guides)))
def test_every_case_that_raters_can_sit_shows_whom_they_rate(world: str) -> None:
    guide = world_plugin(world).guide("")
    names = {one.name for one in guide.guides}
    asked = 0
    for case in cases_of(world):
        seats = guide.rated_scene(case.episode).seats
        for one in case.expected:
            if one.metric in names:
                asked += 1
                assert one.seat in seats
    assert asked


def test_the_plan_says_so_in_words() -> None:
    with_exam = StudySettings.model_validate(settings(exam=True))
    assert ("Exam", "yes") in plan_rows(with_exam)
    assert "Exam" not in dict(plan_rows(StudySettings.model_validate(settings())))
