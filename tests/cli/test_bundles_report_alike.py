"""A run that somebody else exported reports here as it does there."""

from __future__ import annotations

from pathlib import Path

import pytest

from bundles import lines_of, parts_of
from cli.conftest import Sociolab
from sociolab.app import ExamConfig
from sociolab.app.run.exam import take_exam
from sociolab.endpoint import EndpointSettings, start_in_process
from sociolab.store import Store

WORLDS = ("sotopia", "anteval-information", "anteval-intention", "stss-talk")


def report_alike(sociolab: Sociolab, run: str) -> None:
    """Export a run of s.db, import it into a store that has nothing, and compare the reports."""
    assert sociolab("export", run, "r.zip", "--as", "bundle", "--store", "s.db").code == 0
    done = sociolab("import", "run", "r.zip", "--store", "other.db")
    assert done.code == 0, done.err
    there, here = (
        sociolab("report", run, "--json", "--store", store).out for store in ("s.db", "other.db")
    )
    assert there.startswith("{")
    assert here == there


@pytest.mark.parametrize("world", WORLDS)
def test_a_run_of_any_world_reports_alike(sociolab: Sociolab, world: str) -> None:
    assert sociolab("run", world, "--limit", 3, "--name", "r", "--store", "s.db").code == 0
    report_alike(sociolab, "r")


def test_a_run_of_models_reports_alike_with_its_notes(sociolab: Sociolab) -> None:
    with start_in_process(EndpointSettings(latency_ms=1, characters=60)) as endpoint:
        done = sociolab(
            "run", "sotopia", "--agent", "openai/x", "--agent", "openai/y", "--judge", "openai/j",
            "--judge", "openai/k", "--base-url", endpoint.url, "--limit", 2, "--name", "r",
            "--store", "s.db",
        )  # fmt: skip
    assert done.code in (0, 1), done.err
    report_alike(sociolab, "r")


def test_the_exams_of_its_judges_come_along_and_no_others(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    alpha, beta = (f"python:examinees:Wordy?name={name}" for name in ("alpha", "beta"))
    judged = ("run", "sotopia", "--limit", 2, "--judge", alpha, "--name", "r", "--store", "s.db")
    assert sociolab(*judged).code == 0
    for judge in (alpha, beta):
        take_exam(ExamConfig(judge=judge, store=tmp_path / "s.db"))
    report_alike(sociolab, "r")
    assert '"right":' in sociolab("report", "r", "--json", "--store", "other.db").out
    exams = [part for part in parts_of(tmp_path / "r.zip") if part.startswith("exams/")]
    (judgings,) = (part for part in exams if part.endswith("/judgings.jsonl"))
    judges = {line["judge"]["name"] for line in lines_of(tmp_path / "r.zip", judgings)}
    assert judges == {"alpha"}

    take_exam(ExamConfig(judge=beta, store=tmp_path / "mine.db"))
    assert sociolab("import", "run", "r.zip", "--store", "mine.db").code == 0
    assert sociolab("import", "run", "r.zip", "--name", "q", "--store", "mine.db").code == 0
    with Store.open(tmp_path / "mine.db") as store:
        (exam,) = store.runs_keeping("exam", "sotopia")
        assert {judge.name for judge in store.verdicts.judges(exam)} == {"alpha", "beta"}
