"""The quarter of a batch of annotations that agrees least: listed, marked, rated again, counted."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from rating_runs import ADA, BEN, RUN, STUDY, build, open_study
from sociolab import Rating
from sociolab.analysis import agreements
from sociolab.core import ConfigError, Measure
from sociolab.store import Store
from sociolab.studies import (
    RateStudy,
    RatingDraft,
    export_study,
    keep_draft,
    next_episode,
    progress_of,
    rate_study,
    rated_places,
    rating_progress,
    ratings_in,
    submit,
)
from sociolab.studies.annotations import (
    add_review_section,
    compare_annotation,
    distances,
    draw_batch,
    drawn_annotations,
    least_agreeing,
    mark_annotation,
    summarize_review,
)
from sociolab.studies.rating_study import decide_dispute

GOAL, SECRET = Measure("goal", 0, 10, True), Measure("secret", -10, 0, True)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    build(tmp_path / "store.db", episodes=4)
    with Store.open(tmp_path / "store.db") as opened:
        yield opened


def rated(rater: str, goals: Sequence[float], seat: str = ADA) -> list[Rating]:
    return [
        Rating(f"fair{n:02}", seat, rater, "goal", goal, "a reason") for n, goal in enumerate(goals)
    ]


def give(store: Store, study: RateStudy, rater: str, by_episode: dict[str, float]) -> list[str]:
    """Rate what is dealt until there is nothing more; the episodes."""
    who, seen = store.studies.participant(STUDY, rater), list[str]()
    while len(seen) < 9 and (play := next_episode(store, study, who)) is not None:
        seen.append(play.trial)
        for place in rated_places(store, study, play):
            score = by_episode.get(play.trial, 5)
            keep_draft(store, who.pk, play.trial, place, RatingDraft(score, f"{rater} saw why", 2))
        assert submit(store, study, who, play) == ()
    return seen


@pytest.fixture
def study(store: Store) -> RateStudy:
    """Four episodes, each rated by r1 and r2: 8, 2, 0 and 1 points apart; r3 has rated nothing."""
    open_study(store, people=3, dimensions=("goal",), disagreement=9)
    made = rate_study(store, store.studies.get(STUDY))
    give(store, made, "r1", {"fair00": 1, "fair01": 3})
    give(store, made, "r2", {"fair00": 9, "fair01": 5, "fair03": 6})
    return made


def test_a_distance_is_the_mean_difference_from_the_others_as_a_share_of_the_scale() -> None:
    # fair00: r1 1, r2 9, r3 7: |1-9|, |1-7| -> r1 .7; |9-1|, |9-7| -> r2 .5; r3 .4. fair01: alone.
    ratings = [
        *rated("r1", [1, 4]),
        *rated("r2", [9]),
        *rated("r3", [7]),
        Rating("fair00", BEN, "r1", "secret", -10),
        Rating("fair00", ADA, "researcher", "goal", 10),
    ]
    found = distances(ratings, {"goal": GOAL, "secret": SECRET})
    assert found == {
        ("r1", "fair00"): pytest.approx(0.7),
        ("r2", "fair00"): pytest.approx(0.5),
        ("r3", "fair00"): pytest.approx(0.4),
    }
    # A second place in which r1 and r2 are 2 of 10 apart: r1 (.8 + .6 + .2) / 3.
    more = [*ratings, Rating("fair00", BEN, "r2", "secret", -8)]
    assert distances(more, {"goal": GOAL, "secret": SECRET})["r1", "fair00"] == pytest.approx(
        1.6 / 3
    )


@pytest.mark.parametrize(
    ("apart", "listed"),
    [
        ([], []),
        ([0.0, 0.0, 0.0, 0.0], []),
        ([0.5, 0.4, 0.3, 0.2], [0]),
        ([0.1, 0.4, 0.3, 0.2, 0.5], [1, 4]),  # 5 / 4 is 2, rounded up
        ([0.8, 0.8, 0.2, 0.2, 0.0, 0.0, 0.1, 0.1], [0, 1]),
        ([0.3, 0.1, 0.3, 0.1], [0, 2]),  # one, and what ties with it
    ],
)
def test_the_quarter_is_rounded_up_holds_ties_and_nothing_that_agrees_in_full(
    apart: list[float], listed: list[int]
) -> None:
    found = least_agreeing({(f"r{n}", "e"): value for n, value in enumerate(apart)})
    assert found == {(f"r{n}", "e") for n in listed}


def test_a_batch_of_eight_lists_the_two_of_the_widest_episode(
    store: Store, study: RateStudy
) -> None:
    drawn = draw_batch(store, study)
    assert len(drawn) == 8
    assert [(one.rater, one.episode, one.distance) for one in drawn if one.listed] == [
        ("r1", "fair00", 0.8),
        ("r2", "fair00", 0.8),
    ]
    places = compare_annotation(drawn[0], ratings_in(store, RUN, STUDY), drawn)
    assert {(mine.score, mine.reason, others[0].score) for mine, others in places} == {
        (1, "r1 saw why", 9)
    }
    with pytest.raises(ConfigError, match="nothing to draw"):
        draw_batch(store, study)


def test_one_that_fails_counts_nowhere_and_is_rated_again_by_somebody_else(
    store: Store, study: RateStudy, tmp_path: Path
) -> None:
    draw_batch(store, study)
    before = len(ratings_in(store, RUN, STUDY))
    assert give(store, study, "r3", {}) == []  # every episode has its two
    mark_annotation(store, study, "r1", "fair00", meets=False, why="quotes nothing that was said")
    mark_annotation(store, study, "r2", "fair00", meets=True)
    left = ratings_in(store, RUN, STUDY)
    assert len(left) == before - 2  # of both seats
    assert {one.rater for one in left if one.episode == "fair00"} == {"r2"}
    assert "1 episode still needs another rater" in summarize_review(store, study)
    episodes, _ = rating_progress(store, study, left)
    assert [one.done for one in episodes] == [1, 2, 2, 2]
    assert progress_of(store, STUDY).done == 7
    assert give(store, study, "r1", {}) == []
    assert give(store, study, "r3", {"fair00": 8}) == ["fair00"]
    assert give(store, study, "r2", {}) == []
    told = summarize_review(store, study)
    assert "8 annotations" in told
    assert (
        "1 failed the guidelines: its 2 ratings are kept in the study but no longer count;" in told
    )
    assert "no episode lacks a rater as a result" in told
    found = add_review_section(store, agreements(store, [RUN]))
    assert [rater.ratings for rater in found.ratings.raters] == [6, 8, 2]
    assert told in found.sections[1].sentences
    assert {row.judging for row in store.verdicts.judgings(RUN)} == {0, 1, 2}
    export_study(store, STUDY, tmp_path / "data")
    with (tmp_path / "data" / "replaced.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["rater"], row["episode"], row["score"]) for row in rows] == [
        ("r1", "fair00", "1")
    ] * 2
    with (tmp_path / "data" / "annotations.csv").open(newline="") as file:
        kept = {(row["rater"], row["episode"]): row for row in csv.DictReader(file)}
    assert len(kept) == 8
    assert kept["r1", "fair00"]["replaced"] == "2"
    assert kept["r1", "fair00"]["guidelines"] == "fails"


def test_a_rating_given_again_is_in_the_next_batch_and_no_other_is(
    store: Store, study: RateStudy
) -> None:
    draw_batch(store, study)
    mark_annotation(store, study, "r1", "fair00", meets=False, why="no reasons at all")
    give(store, study, "r3", {"fair00": 2})
    second = draw_batch(store, study)
    assert [(one.rater, one.episode, one.distance, one.batch) for one in second] == [
        ("r3", "fair00", 0.7, 2)
    ]


def test_what_meets_the_guidelines_after_all_is_put_back_as_it_was(
    store: Store, study: RateStudy
) -> None:
    draw_batch(store, study)
    before = sorted(ratings_in(store, RUN, STUDY), key=repr)
    for why in ("no reasons", "no reasons at all"):
        mark_annotation(store, study, "r1", "fair00", meets=False, why=why)
    mark_annotation(store, study, "r1", "fair", meets=True)
    assert sorted(ratings_in(store, RUN, STUDY), key=repr) == before
    assert [one.replaced for one in drawn_annotations(store, STUDY)] == [()] * 8


def test_a_rater_who_failed_once_gets_nobody_elses_to_rate_again(
    store: Store, study: RateStudy
) -> None:
    draw_batch(store, study)
    mark_annotation(store, study, "r1", "fair00", meets=False, why="no reasons")
    mark_annotation(store, study, "r2", "fair00", meets=False, why="no reasons")
    store.studies.add_participant(STUDY, "r4", b"link of r4")
    assert give(store, study, "r1", {}) == give(store, study, "r2", {}) == []
    assert give(store, study, "r3", {}) == give(store, study, "r4", {}) == ["fair00"]


@pytest.mark.parametrize(
    ("rater", "episode", "why", "wrong"),
    [
        ("r1", "fair01", "no reasons", "expected an annotation that is listed"),
        ("r9", "fair00", "no reasons", "expected an annotation that is listed"),
        ("r1", "fair00", " ", "why it fails the guidelines: say why"),
    ],
)
def test_only_a_listed_one_fails_and_only_with_a_reason(
    store: Store, study: RateStudy, rater: str, episode: str, why: str, wrong: str
) -> None:
    draw_batch(store, study)
    with pytest.raises(ConfigError, match=wrong):
        mark_annotation(store, study, rater, episode, meets=False, why=why)


def test_a_decision_of_the_researcher_is_no_annotation(store: Store, study: RateStudy) -> None:
    plan = study.plan.model_copy(update={"disagreement": 3})
    decide_dispute(store, RUN, STUDY, plan, ("fair00", ADA, "goal"), 5, "in between")
    assert len(draw_batch(store, study)) == 8
