"""An exam keeps its name, and stays as long as a study needs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from examinees import cases_of
from rating_runs import RUN, STUDY, build, settings
from sociolab.app import ExamConfig
from sociolab.app.run.exam import take_exam
from sociolab.cli import app
from sociolab.report.exam import exam_runs
from sociolab.store import Store
from sociolab.studies import (
    RatingDraft,
    create_study,
    hash_secret,
    keep_draft,
    next_episode,
    parse_settings,
    people_judge,
    rate_study,
    rated_places,
    submit,
)

JUDGE = "python:examinees:Knowing"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with a run, a study of its raters, and an exam that a judge has sat, too."""
    made = tmp_path / "store.db"
    build(made)
    with Store.open(made) as store:
        create_study(
            store, STUDY, parse_settings(settings(exam=True, dimensions=("goal",)), "a test")
        )
    take_exam(ExamConfig(judge=JUDGE, store=made))
    return made


def exam_in(path: Path) -> str:
    with Store.open(path) as store:
        (exam,) = exam_runs(store, "sotopia")
    return exam


def sociolab(path: Path, *words: str) -> Result:
    return CliRunner().invoke(app, [*words, "--store", str(path)])


def told(result: Result) -> str:
    return str(result.exception or result.output)


def test_an_exam_is_not_renamed_and_it_is_said_who_sits_it(path: Path) -> None:
    exam = exam_in(path)
    refused = sociolab(path, "rename", exam, "mine")
    assert refused.exit_code != 0
    assert f"expected a run of yours, found {exam}, an exam, which must keep its name" in told(
        refused
    )
    assert f"knowing, the raters of {STUDY}" in told(refused)
    assert exam_in(path) == exam
    with Store.open(path) as store:
        assert rate_study(store, store.studies.get(STUDY)).exam == exam


def test_the_exam_of_a_study_goes_only_with_the_study(path: Path) -> None:
    exam = exam_in(path)
    refused = sociolab(path, "delete", exam, "--yes")
    assert f"the exam that raters of {STUDY} sit; first `sociolab study delete {STUDY}`" in told(
        refused
    )
    assert exam_in(path) == exam
    assert sociolab(path, "study", "delete", STUDY, "--yes").exit_code == 0
    deleted = sociolab(path, "delete", exam, "--yes")
    assert deleted.exit_code == 0
    assert "with its 20 cases and the answers of knowing (a judge sits it again)" in deleted.output
    with Store.open(path) as store:
        assert exam_runs(store, "sotopia") == ()


def test_an_exam_can_go_together_with_the_run_of_its_study(path: Path) -> None:
    exam = exam_in(path)
    assert sociolab(path, "delete", RUN, exam, "--yes").exit_code == 0
    with Store.open(path) as store:
        assert store.runs() == ()
        assert store.studies.all() == ()


def test_what_raters_said_in_the_exam_goes_with_their_run(path: Path) -> None:
    exam, judge = exam_in(path), people_judge(STUDY)
    with Store.open(path) as store:
        store.studies.add_participant(STUDY, "r1", hash_secret("link"))
        study = rate_study(store, store.studies.get(STUDY))
        (who,) = store.studies.participants(STUDY)
        play = next_episode(store, study, who)
        assert play is not None
        right = {one.id: one for one in cases_of("sotopia")}[play.trial].expected[0]
        for place in rated_places(store, study, play):
            keep_draft(
                store, who.pk, play.trial, place, RatingDraft(int(right.high), "so it was", 2.0)
            )
        assert submit(store, study, who, play) == ()
        assert list(store.verdicts.judgings(exam, judge))
    assert sociolab(path, "delete", RUN, "--yes").exit_code == 0
    with Store.open(path) as store:
        assert [one.name for one in store.verdicts.counts(exam)] == ["knowing"]
        assert not list(store.verdicts.judgings(exam, judge))
