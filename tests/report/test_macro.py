"""Micro over plays, macro over tasks: by hand (STSS Table 3 reports both)."""

from __future__ import annotations

import pytest

from sociolab.core import JudgeId, Measure
from sociolab.report import MeasureEntry, NotScored, PlayKey, PlayOutcome, PlayRow, ScoreColumn
from sociolab.report.result import cluster_means, column_outcomes, entries, with_macro
from sociolab.report.schema import macro_of

RULES = JudgeId("rules", "rules")


def column(outcomes: dict[PlayKey, PlayOutcome]) -> ScoreColumn:
    return ScoreColumn("rules", RULES, Measure("rate", 0, 1), True, True, outcomes)


def play(trial: str, task: str, kind: str = "x", *, failed: bool = False) -> PlayRow:
    return PlayRow((trial, None), "agent", "other", kind, task, failed)


def test_micro_counts_conversations_and_macro_counts_tasks() -> None:
    # Task a: 1, 1, 0, 2/3; task b: 0. Micro (8/3) / 5 = 8/15; macro ((8/3) / 4 + 0) / 2 = 1/3.
    plays = [play(f"a{i}", "a") for i in range(4)] + [play("b0", "b")]
    values = (1.0, 1.0, 0.0, 2 / 3, 0.0)
    outcomes: dict[PlayKey, PlayOutcome] = dict(zip((p.key for p in plays), values, strict=True))
    found = {
        e.measure: e
        for e in entries([column_outcomes(plays, column(outcomes))], ["rate"])
        if not e.by
    }
    assert found["rate"].value == pytest.approx(8 / 15)
    assert found["rate_macro"].value == pytest.approx(1 / 3)
    assert (found["rate_macro"].n, found["rate_macro"].clusters) == (5, 2)
    # One of the two clusters lies at an end of the scale: for equal sizes, a point m divides the
    # weights of 0 and 2/3 (and 1, for the upper end), which is at most m in 2.5 % of draws.
    assert [found[name].interval for name in ("rate", "rate_macro")] == ["end", "end"]
    assert found["rate_macro"].low == pytest.approx(2 / 3 * (1 - 0.975**0.5), abs=1e-6)
    assert found["rate_macro"].note == "mean of the means of 2 clusters, over 5 episodes"


def test_a_macro_average_without_an_interval_says_why() -> None:
    plays = [play("a0", "a"), play("a1", "a")]
    outcomes: dict[PlayKey, PlayOutcome] = dict(
        zip((p.key for p in plays), (0.0, 1.0), strict=True)
    )
    found = {
        e.measure: e
        for e in entries([column_outcomes(plays, column(outcomes))], ["rate"])
        if not e.by
    }
    assert found["rate_macro"].interval == "none"
    assert found["rate_macro"].note == found["rate"].note == "1 cluster"


def test_the_macro_interval_is_students_t_over_the_tasks_means() -> None:
    # Means 0.5, 0.75 and 1: mean 0.75, sd 0.25, so 0.75 +- 4.302653 * 0.25 / sqrt(3) = 0.621033, of
    # which what lies above 1 is cut.
    plays = [play(f"t{i}", task) for i, task in enumerate("aabbbbc")]
    values = (0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0)
    outcomes: dict[PlayKey, PlayOutcome] = dict(zip((p.key for p in plays), values, strict=True))
    found = {
        e.measure: e
        for e in entries([column_outcomes(plays, column(outcomes))], ["rate"])
        if not e.by
    }
    macro = found["rate_macro"]
    assert macro.value == pytest.approx(0.75)
    assert macro.low == pytest.approx(0.75 - 0.621033, abs=1e-5)
    assert macro.high == 1


def test_the_note_of_a_macro_average_tells_of_no_cut_where_nothing_was_cut() -> None:
    # Means 0.4, 0.5 and 0.6: mean 0.5, sd 0.1, so 0.5 +- 4.302653 * 0.1 / sqrt(3) = 0.248414.
    plays = [play(task, task) for task in "abc"]
    values = (0.4, 0.5, 0.6)
    outcomes: dict[PlayKey, PlayOutcome] = dict(zip((p.key for p in plays), values, strict=True))
    found = {
        e.measure: e
        for e in entries([column_outcomes(plays, column(outcomes))], ["rate"])
        if not e.by
    }
    macro = found["rate_macro"]
    assert macro.high == pytest.approx(0.748414, abs=1e-5)
    assert macro.note == "mean of the means of 3 clusters, over 3 episodes"
    assert found["rate"].note == ""


def test_a_task_all_of_whose_plays_failed_has_no_mean_and_its_failures_are_counted() -> None:
    plays = [play("a", "a"), play("b", "b", failed=True)]
    found = {
        e.measure: e
        for e in entries([column_outcomes(plays, column({plays[0].key: 1.0}))], ["rate"])
    }
    assert found["rate_macro"].value == 1
    assert (found["rate_macro"].clusters, found["rate_macro"].failures) == (1, 1)


def test_measures_without_a_macro_average_have_none() -> None:
    plays = [play("a", "a")]
    found = {
        e.measure
        for e in entries([column_outcomes(plays, column({plays[0].key: 1.0}))], ["another"])
    }
    assert found == {"rate"}


def test_cluster_means_leave_out_what_was_not_scored() -> None:
    outcomes: list[PlayOutcome | None] = [1.0, "failed", None, 0.5, NotScored("cannot tell", 0, 1)]
    assert cluster_means(outcomes, ["a", "a", "a", "b", "c"]) == ([1.0, 0.5], ["a", "b"])


def test_titles_tell_micro_from_macro() -> None:
    entry = MeasureEntry(measure="rate", title="SR", low=0, high=1, whole=True)
    other = MeasureEntry(measure="words", title="words", low=0, high=None, whole=False)
    found = with_macro([entry, other], ["rate"])
    assert [(one.measure, one.title) for one in found] == [
        ("rate", "SR micro"),
        (macro_of("rate"), "SR macro"),
        ("words", "words"),
    ]
    assert not found[1].whole
