"""`sociolab study create` and `bonus`: whom a study pays, and by which score."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from sociolab.cli import app
from sociolab.core import ConfigError, Measure, RatedBy, Score, Unscored
from sociolab.core.score import JudgeId, Method
from sociolab.store import Store, lock_run
from sociolab.studies import people_judge

RECRUIT = """
[recruit]
places = 2
bonus = 0.5
bonus_metric = "{metric}"
bonus_per_point = 0.1
{more}
"""
HEAD = """
title = "Talks"
contact = "{contact}"
debriefing = "Your partner was a program."
"""
PLAN = '\n[play]\ntasks = "bargain"\nlimit = 2\npartners = ["scripted"]\neach = 1\n{judges}\n'
CHECKED = Measure("goal_checked", 0, 10)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    return tmp_path / "store.db"


def command(*words: str, store: Path) -> Result:
    return CliRunner().invoke(app, [*words, "--store", str(store)])


def created(
    store: Path,
    metric: str,
    *,
    judges: str = "",
    more: str = "",
    contact: str = "ada@lab.edu",
    plan: str = PLAN,
) -> Result:
    file = store.parent / "talks.toml"
    texts = (HEAD, plan, RECRUIT)
    parts = [t.replace("{contact}", contact).replace("{judges}", judges) for t in texts]
    file.write_text("".join(parts).replace("{metric}", metric).replace("{more}", more), "utf-8")
    return command("study", "create", str(file), store=store)


def refused(result: Result) -> str:
    assert isinstance(result.exception, ConfigError), result.output
    return str(result.exception)


def play(store: Path, *scores: float | None, method: Method = "reported") -> list[str]:
    """People who came by the link and finished, each with an episode and its score by formula."""
    judge, names = JudgeId("outcome", method, "x"), []
    with Store.open(store) as opened:
        for number, (score, row) in enumerate(zip(scores, opened.trials("talks"), strict=False)):
            name, trial = f"p-person{number}", row.trial
            seat = next(member.seat for member in trial.cast if member.agent == "human")
            pk = opened.studies.add_participant("talks", name, None)
            ids = {"PROLIFIC_PID": f"id{number}", "STUDY_ID": "s", "SESSION_ID": "t"}
            opened.recruits.add("talks", pk, f"id{number}", ids)
            opened.studies.set_state(pk, "finished")
            opened.studies.assign(pk, trial.id, seat, "done")
            verdict: Any = (
                Unscored(CHECKED, seat, "no lines", "unconfirmed", 0, 10)
                if score is None
                else Score(CHECKED, seat, score, "by formula")
            )
            opened.verdicts.add("talks", judge, [verdict], trial=trial.id)
            names.append(name)
    return names


def test_a_bonus_metric_that_no_judge_gives_is_refused_at_once(store: Path) -> None:
    problem = refused(created(store, "goal_cheked"))
    assert (
        "bonus_metric: expected a metric by which a judge of the plan scores each person "
        in problem
    )
    assert '(goal_checked), found "goal_cheked" (did you mean goal_checked?)' in problem
    assert 'found "goal"' in refused(created(store, "goal"))
    assert 'found "earned";' in refused(created(store, "earned"))
    review = "\n[review]\nlimit = 2\n"
    problem = refused(created(store, "goal_checked", plan=review))
    assert "expected a study in which people play, found review" in problem
    with Store.open(store) as opened:
        assert opened.studies.all() == ()
    assert created(store, "goal", judges='judges = ["openai/gpt-4o"]').exit_code == 0


def test_who_is_paid_by_formula_is_told_that_it_needs_the_lines_or_a_reader(store: Path) -> None:
    said = " ".join(created(store, "goal_checked").output.split())
    assert "goal_checked has no score, and pays nothing, unless both sides report the same" in said
    assert "sociolab judge talks --reader MODEL" in said


def test_an_episode_without_a_score_is_named_and_the_fixed_part_paid(store: Path) -> None:
    created(store, "goal_checked")
    _, lacking = play(store, 7.0, None)
    paid = command("study", "bonus", "talks", store=store)
    assert paid.stdout.splitlines()[:2] == ["id0,1.20", "id1,0.50"]
    said = " ".join(paid.output.split())
    assert f"1 of 2 episodes has no score and counts as 0: {lacking}; before you pay, run: " in said
    assert "sociolab judge talks --reader MODEL" in said


def test_no_command_is_advised_where_a_formula_says_the_same_each_time(store: Path) -> None:
    created(store, "goal_checked")
    play(store, None, method="formula")
    said = " ".join(command("study", "bonus", "talks", store=store).output.split())
    assert "1 of 1 episode has no score and counts as 0: p-person0" in said
    assert "before you pay" not in said


def test_everybody_gets_the_fixed_part_where_nothing_has_a_score(store: Path) -> None:
    created(store, "goal", judges='judges = ["openai/gpt-4o"]')
    play(store, 7.0, 7.0)  # by another metric
    paid = command("study", "bonus", "talks", store=store)
    assert paid.stdout.splitlines()[:2] == ["id0,0.50", "id1,0.50"]
    said = " ".join(paid.output.split())
    assert "2 of 2 episodes have no score and count as 0: p-person0, p-person1" in said
    assert "sociolab judge talks --judge openai/gpt-4o" in said


def test_the_bonus_is_among_the_data_of_a_participant(store: Path, tmp_path: Path) -> None:
    created(store, "goal_checked")
    play(store, 7.0, None)
    command("study", "invite", "talks", "1", store=store)
    assert command("study", "export", "talks", str(tmp_path / "out"), store=store).exit_code == 0
    with (tmp_path / "out/participants.csv").open(encoding="utf-8", newline="") as lines:
        assert [row["bonus"] for row in csv.DictReader(lines)] == ["1.20", "0.50", ""]


def test_every_placeholder_is_named_at_once(store: Path) -> None:
    address = 'complete = "https://app.prolific.com/submissions/complete?cc=CODE1"\n'
    address += address.replace("complete =", "full =").replace("CODE1", "CODE3")
    problem = refused(
        created(store, "goal_checked", more=address, contact="Name of the researcher, ada@lab.edu")
    )
    assert "contact: expected your name and an address" in problem
    assert "recruit: complete, full: expected addresses with the codes that the platform" in problem
    assert "cc=CODE3; enter yours in " in problem
    with Store.open(store) as opened:
        assert opened.studies.all() == ()


def test_every_problem_of_a_file_is_told_and_questions_go_by_their_names(store: Path) -> None:
    file = store.parent / "talks.toml"
    survey = '\n[[survey]]\nname = "natural"\ntext = "?"\nkind = "scales"\n'
    file.write_text(HEAD + PLAN.replace("each = 1", "each = 0").replace("{judges}", "") + survey)
    problem = refused(command("study", "create", str(file), store=store))
    assert 'survey "natural": kind: expected one of' in problem
    assert 'play.each: expected 1 or more, found "0"' in problem


def test_raters_of_a_deleted_episode_are_counted(store: Path) -> None:
    created(store, "goal_checked")
    name, _ = play(store, 7.0, 7.0)
    with Store.open(store) as opened:
        trial = opened.trials("talks")[0].trial
        goal = Measure("goal", 0, 10, whole=True, title="GOAL")
        rating = Score(goal, trial.task.seats[0], 5, "plain", RatedBy("p-rater", 4))
        opened.verdicts.add("talks", people_judge("raters"), [rating], trial=trial.id)
    said = " ".join(command("study", "forget", "talks", name, "--yes", store=store).output.split())
    assert "1 rating, 1 episode with all scores" in said


def test_a_run_that_people_play_is_judged_once_its_study_is_closed(store: Path) -> None:
    created(store, "goal_checked")
    with Store.open(store) as opened:
        opened.studies.change("talks", open=True)
    with lock_run(store, "talks"):
        result = command("judge", "talks", "--judge", "heuristic", store=store)
    assert "close the study first: sociolab study close talks" in refused(result)


def test_a_study_with_an_unknown_endpoint_is_told_what_a_study_can_do(store: Path) -> None:
    problem = refused(created(store, "goal", judges='judges = ["nowhere/gpt"]'))
    assert "describe it in models.toml under [endpoints.nowhere]" in problem
    assert "--base-url" not in problem
