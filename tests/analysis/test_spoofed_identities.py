"""Who somebody is stands in fields: a reason, a name or settings that look otherwise change
nobody's identity, no grouping and no number."""

from __future__ import annotations

import pytest

from report.small_run import GOAL, RUN
from sociolab import Rating, keep_ratings, result_of, scores_table
from sociolab.analysis.agreement import agreements
from sociolab.core.score import JudgeId, Score
from sociolab.store.store import Store

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
