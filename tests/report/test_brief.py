"""A run in one table."""

from __future__ import annotations

import pytest

from report.small_run import ALPHA, RUN, build
from sociolab.report.result import RunResult, result_of
from sociolab.report.score_tables import brief_section
from sociolab.report.section import TextTable
from sociolab.store.store import Store


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    path = tmp_path_factory.mktemp("brief") / "s.db"
    build(path)
    with Store.open(path) as store:
        return result_of(store, RUN)


def table(result: RunResult) -> TextTable:
    (only,) = brief_section(result).tables
    return only


def test_each_measure_has_its_mean_interval_n_and_failures_beside_its_judge(
    result: RunResult,
) -> None:
    found = table(result)
    heads = ("agent", "metric", "judge", "mean", "95 % interval", "n", "failed")
    assert found.columns == (*heads, "coverage", "bounds", "failed turns")
    rows = {row[:3]: row[3:] for row in found.rows}
    goal = rows[ALPHA, "GOAL", "heuristic"]
    assert goal[2:] == ("12", "", "", "", "")
    assert rows[ALPHA, "goal (checked)", "goal check"][2:] == ("4", "", "33%", "[1.67, 7.67]", "")
    assert rows["scripted", "GOAL", "heuristic"][3] != ""  # a failed trial and a failed score


def test_what_failed_and_what_kind_of_judge_it_was_is_said(result: RunResult) -> None:
    section = brief_section(result)
    assert any("1 of 12 trials failed" in sentence for sentence in section.cautions)
    notes = " ".join(table(result).notes)
    assert "offline judge: what is on record and nothing else; not comparable" in notes
    assert "sociolab report small" in notes


def test_a_partner_is_left_out_and_named_as_such(result: RunResult) -> None:
    found = table(result.model_copy(update={"partner": "scripted"}))
    assert found.heading == f"Means of {ALPHA}"
    assert found.columns[0] == "metric"
    assert "left out: scripted, the partner" in found.notes


def test_a_run_without_scores_says_so(result: RunResult) -> None:
    section = brief_section(result.model_copy(update={"scores": ()}))
    assert section.tables == ()
    assert "Nothing was scored." in section.said
