"""Who somebody is stands in fields: a reason, a name or settings that look otherwise change
nobody's identity, no grouping and no number."""

from __future__ import annotations

from pathlib import Path

import pytest

from report.small_run import GOAL, RUN
from sociolab import Rating, keep_ratings, result_of, scores_table
from sociolab.analysis import agent_names, agreements
from sociolab.core import JudgeId, Prompts, Score
from sociolab.core.score import leading_judges
from sociolab.report.words import nature
from sociolab.store import Store, export_run, import_run

GIVEN = (
    ("lamp-AA", "ann", "anna", 4),
    ("lamp-AA", "ann", "ben", 6),
    ("lamp-AS", "ann", "anna", 7),
    ("lamp-AS", "ann", "ben", 6),
    ("noise-AA", "bob", "anna", 10),
)


def rate(store: Store, reason: str) -> None:
    keep_ratings(
        store,
        RUN,
        [
            Rating(episode, seat, rater, "goal", score, reason, 5.0, "2026-03-01T14:05:00Z")
            for episode, seat, rater, score in GIVEN
        ],
        replace_all=True,
    )


@pytest.mark.parametrize(
    "reason",
    ["[bob 3 s 2026-01-01T00:00:00Z] x", "[anna] why", "[ben 42 s", "] [", "  [x]  ", "reader:x ("],
)
def test_a_reason_that_looks_like_another_raters_is_a_reason(store: Store, reason: str) -> None:
    rate(store, "plain")
    before, agreed = result_of(store, RUN), agreements(store, [RUN])
    rate(store, reason)
    assert result_of(store, RUN) == before
    after = agreements(store, [RUN])
    assert (after.report, after.ratings.raters) == (agreed.report, agreed.ratings.raters)
    rows = [row for row in scores_table(store, RUN) if row["method"] == "people"]
    assert {row["text"] for row in rows if row["measure"] == "goal"} == {reason}
    assert {(row["rater"], row["seconds"]) for row in rows} == {("anna", 5.0), ("ben", 5.0)}


def test_what_a_judge_writes_makes_no_rater(store: Store) -> None:
    rate(store, "plain")
    judge = JudgeId("openai/x", "model", "1")
    said = Score(GOAL, "ann", 5, "[carl 3 s 2026-01-01T00:00:00Z] x")
    store.verdicts.add(RUN, judge, [said], trial="lamp-AA")
    assert [rater.name for rater in agreements(store, [RUN]).ratings.raters] == ["anna", "ben"]
    (row,) = (row for row in scores_table(store, RUN) if row["judge"] == "openai/x")
    assert (row["text"], row["rater"]) == (said.reason, None)


SPOOFS = (
    JudgeId("reader:openai/x", "model", "s"),
    JudgeId("openai/x", "model", "s", "reader"),
    JudgeId("sheet:manners:openai/x", "model", "s"),
    JudgeId("openai/x", "model", "s", "sheet", "manners"),
    JudgeId("openai/x", "model", "s", "sheet", "manners", prompts=Prompts("modified", "ab")),
    JudgeId("openai/x", "model", "s [modified, ab]"),
    JudgeId("openai/x", "model", "0123456789abcdef:s@0123456789abcdef"),
    JudgeId("openai/x", "model", "s", code="0123456789abcdef"),
    JudgeId("openai/x", "model", "s"),
    JudgeId("openai/x (model s)", "model", "s"),
    JudgeId("transcript", "model", "s"),
)


def test_a_name_that_looks_like_a_role_or_settings_like_code_make_no_other_judge(
    store: Store, tmp_path: Path
) -> None:
    for number, judge in enumerate(SPOOFS):
        given = Score(GOAL, "ann", number % 11)
        store.verdicts.add(RUN, judge, [given], trial="lamp-AA")
    export_run(store, RUN, tmp_path / "run.zip")
    import_run(store, tmp_path / "run.zip", "again")
    for run in (RUN, "again"):
        result = result_of(store, run)
        entries = {one.judge: one for one in result.judges}
        assert len(entries) == len(result.judges) == 2 + len(SPOOFS), "every label names one judge"
        known = {
            JudgeId(
                one.model, one.method, one.settings, one.role, one.sheet, one.code, one.prompts
            ): one.judge
            for one in result.judges
        }
        for number, judge in enumerate(SPOOFS):
            scored = [one for one in result.scores if one.judge == known[judge] and not one.by]
            assert [one.value for one in scored if one.agent == "openai/alpha"] == [number % 11]
        roles = [one.role for one in result.judges]
        assert (roles.count("reader"), roles.count("sheet")) == (1, 2)
        assert [one.code for one in result.judges if one.code] == ["0123456789abcdef"]
        assert [one.model for one in result.judges if one.prompts] == ["openai/x"]
        assert "declares" not in nature(result, known[SPOOFS[6]])
        assert "reads each transcript" not in nature(result, known[SPOOFS[0]])
        assert "reads each transcript" in nature(result, known[SPOOFS[1]])


def test_renaming_a_model_leaves_who_only_looks_like_its_reader(store: Store) -> None:
    spoof, reader = SPOOFS[0], SPOOFS[1]
    store.verdicts.add(RUN, spoof, [Score(GOAL, "ann", 5)], trial="lamp-AA")
    assert agent_names(store, [RUN], {"reader:openai/x": "X"}).judges == {"reader:openai/x": "X"}
    store.verdicts.delete(RUN, spoof, trial="lamp-AA")
    store.verdicts.add(RUN, reader, [Score(GOAL, "ann", 5)], trial="lamp-AA")
    assert agent_names(store, [RUN], {"openai/x": "X"}).judges == {"reader:openai/x": "reader:X"}


def test_the_foremost_judge_goes_by_what_it_does() -> None:
    assert leading_judges({one.label: one for one in (SPOOFS[0], SPOOFS[5])}) == (
        "reader:openai/x",
        "openai/x",
    )
    assert leading_judges({one.label: one for one in (SPOOFS[1], SPOOFS[5])}) == ("openai/x",)
