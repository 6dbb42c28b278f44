"""From an episode in a rater's hands to ratings in the run, disagreements and decisions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rating_runs import ADA, BEN, RUN, STUDY, build, open_study, trial
from sociolab import Rating
from sociolab.analysis import agreements
from sociolab.core import ConfigError, Score
from sociolab.store import ParticipantRow, Store
from sociolab.studies import (
    RatedEpisode,
    RateStudy,
    RatingDraft,
    forget,
    import_ratings,
    keep_draft,
    next_episode,
    progress_of as study_progress,
    rate_study,
    rated_places,
    rating_progress as progress_of,
    ratings_csv,
    ratings_in,
    store_ratings,
    submit,
)
from sociolab.studies.rating_study import decide_dispute, disputes, drafts_of, has_more
from sociolab.studies.settings import RatePlan
from sociolab.worlds import sotopia

PLAN = RatePlan(run=RUN, disagreement=3)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    build(tmp_path / "store.db")
    with Store.open(tmp_path / "store.db") as opened:
        yield opened


def fill(
    store: Store, study: RateStudy, who: ParticipantRow, play: RatedEpisode, score: float = 0,
    reason: str = "as one would expect",
) -> None:  # fmt: skip
    for place in rated_places(store, study, play):
        keep_draft(store, who.pk, play.trial, place, RatingDraft(score, reason, 2.5))


def rate_all(store: Store, study: RateStudy, who: ParticipantRow) -> list[str]:
    """Rate until there is nothing more, or far more than there is."""
    seen: list[str] = []
    while len(seen) < 9 and (play := next_episode(store, study, who)) is not None:
        seen.append(play.trial)
        fill(store, study, who, play)
        submit(store, study, who, play)
    return seen


def one(
    rater: str, value: float, name: str = "fair00", seat: str = ADA, dim: str = "goal"
) -> Rating:
    return Rating(name, seat, rater, dim, value, f"{rater} says so")


def test_nothing_is_stored_before_all_is_there_and_all_of_it_afterwards(store: Store) -> None:
    who, _ = open_study(store)
    study = rate_study(store, store.studies.get(STUDY))
    play = next_episode(store, study, who)
    assert play is not None
    fill(store, study, who, play)
    keep_draft(store, who.pk, play.trial, (BEN, "goal"), RatingDraft(11, "zzz"))
    lacking = submit(store, study, who, play)
    assert [(m.seat, m.dimension) for m in lacking] == [(BEN, "goal")] * 2
    assert ratings_in(store, RUN, STUDY) == ()
    keep_draft(store, who.pk, play.trial, (BEN, "goal"), RatingDraft(7, "he got\nhis price", 40.04))
    assert submit(store, study, who, play) == ()
    found = ratings_in(store, RUN, STUDY)
    assert len(found) == 14
    last = found[-1]
    assert (last.seat, last.dimension, last.score) == (BEN, "goal", 7)
    assert last.reason == "he got his price"
    assert last.seconds == 40.0
    assert last.when.endswith("Z")
    overalls = [
        v
        for row in store.verdicts.judgings(RUN)
        for v in row.verdicts
        if v.measure.name == "overall"
    ]
    assert [v.value for v in overalls if isinstance(v, Score)] == [0, 1]
    assert submit(store, study, who, play) == ()
    assert len(ratings_in(store, RUN, STUDY)) == 14


def test_agree_reads_what_raters_handed_in(store: Store) -> None:
    people = open_study(store, people=2)
    study = rate_study(store, store.studies.get(STUDY))
    for who in people:
        assert len(rate_all(store, study, who)) == 3
    found = agreements(store, [RUN])
    assert [(rater.name, rater.ratings, rater.plays) for rater in found.ratings.raters] == [
        ("r1", 42, 6),
        ("r2", 42, 6),
    ]
    assert {cell.agreement.exact.value for cell in found.report.people} == {1.0}
    episodes, raters = progress_of(store, study, ratings_in(store, RUN, STUDY))
    assert [(e.done, e.open) for e in episodes] == [(2, 0)] * 3
    assert [(r.done, r.seconds) for r in raters] == [(3, 2.5)] * 2


def test_an_export_is_read_back_as_the_same_ratings(store: Store, tmp_path: Path) -> None:
    when = "2026-11-22T10:00:00Z"
    given = [
        Rating("fair00", ADA, "r1", "goal", 7, 'said "no", twice; then yes', 12.5, when),
        Rating("fair00", BEN, "r2", "secret", -10, "Überall, 全部", None, ""),
    ]
    store_ratings(store, RUN, STUDY, given)
    file = tmp_path / "ratings.csv"
    file.write_text(ratings_csv(ratings_in(store, RUN, STUDY)), "utf-8")
    import_ratings(file, RUN, name="again", store=store.path)
    assert ratings_in(store, RUN, "again") == ratings_in(store, RUN, STUDY) == tuple(given)


def test_a_file_may_name_who_sits_there(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text("episode,seat,rater,goal\nfair00,Ada Holm,r1,7\nfair00,ben,r1,3\n", "utf-8")
    import_ratings(file, RUN, name="named", store=store.path)
    assert [(r.seat, r.score) for r in ratings_in(store, RUN, "named")] == [(ADA, 7), (BEN, 3)]


def test_a_rating_that_stands_is_never_overwritten(store: Store) -> None:
    store_ratings(store, RUN, STUDY, [one("r1", 3)])
    store_ratings(store, RUN, STUDY, [one("r1", 9), one("r1", 4, seat=BEN)])
    assert [r.score for r in ratings_in(store, RUN, STUDY)] == [3, 4]


def test_ratings_further_apart_than_allowed_are_a_disagreement(store: Store) -> None:
    store_ratings(store, RUN, STUDY, [one("r1", 3), one("r2", 6)])
    assert disputes(store, RUN, STUDY, PLAN) == ()
    store_ratings(store, RUN, STUDY, [one("r1", 1, seat=BEN), one("r2", 5, seat=BEN)])
    store_ratings(store, RUN, STUDY, [one("r1", 0, "fair01"), one("r2", 9, "fair01")])
    wide, narrow = disputes(store, RUN, STUDY, PLAN)
    assert (wide.trial, wide.apart, narrow.seat, narrow.apart) == ("fair01", 9, BEN, 4)
    assert [r.rater for r in narrow.ratings] == ["r1", "r2"]
    store_ratings(store, RUN, STUDY, [one("r3", 8, "fair01")])
    first, second = disputes(store, RUN, STUDY, PLAN)
    assert (first.trial, first.open) == ("fair00", True)
    assert (second.trial, second.third, second.open) == ("fair01", True, False)


def test_a_decision_is_a_rating_beside_the_others_once(store: Store) -> None:
    store_ratings(store, RUN, STUDY, [one("r1", 0), one("r2", 9)])
    place = ("fair00", ADA, "goal")
    for value, reason, problem in ((11, "too much", "0 to 10"), (4, "", "say why")):
        with pytest.raises(ConfigError, match=f"(?i){problem}"):
            decide_dispute(store, RUN, STUDY, PLAN, place, value, reason)
    decide_dispute(store, RUN, STUDY, PLAN, place, 4, "half of what she wanted")
    (found,) = disputes(store, RUN, STUDY, PLAN)
    assert found.decision is not None
    assert (found.decision.rater, found.decision.score, found.open) == ("researcher", 4, False)
    assert [r.score for r in found.ratings] == [0, 9]
    with pytest.raises(ConfigError, match="decided already"):
        decide_dispute(store, RUN, STUDY, PLAN, place, 5, "changed my mind")
    with pytest.raises(ConfigError, match="on which raters disagree"):
        decide_dispute(store, RUN, STUDY, PLAN, ("fair00", BEN, "goal"), 5, "no dispute here")


def test_an_episode_in_dispute_goes_to_a_third_rater_until_it_is_decided(store: Store) -> None:
    first, second, third = open_study(store, people=3, episodes=("fair00",), dimensions=("goal",))
    study = rate_study(store, store.studies.get(STUDY))
    for who, score in ((first, 0), (second, 9)):
        play = next_episode(store, study, who)
        assert play is not None
        assert not has_more(store, study, third) or who is first
        fill(store, study, who, play, score)
        submit(store, study, who, play)
    assert has_more(store, study, third)
    for seat in (ADA, BEN):
        place = ("fair00", seat, "goal")
        decide_dispute(store, RUN, STUDY, study.plan, place, 5, "in the middle it lies")
    # In a run where the researcher has decided, nobody else is asked.
    assert not has_more(store, study, third)


def test_a_rater_beyond_the_plan_does_not_count_towards_it(store: Store) -> None:
    raters = open_study(store, people=3, episodes=("fair00",), dimensions=("goal",))
    study = rate_study(store, store.studies.get(STUDY))
    for done, (who, score) in enumerate(zip(raters, (0, 9, 4), strict=True), start=1):
        play = next_episode(store, study, who)
        assert play is not None
        fill(store, study, who, play, score)
        submit(store, study, who, play)
        progress = study_progress(store, STUDY)
        assert (progress.done, progress.planned) == (min(done, 2), 2)


def test_as_many_ratings_are_said_to_be_deleted_as_were_given(store: Store) -> None:
    (who,) = open_study(store, people=1, episodes=("fair00",))
    study = rate_study(store, store.studies.get(STUDY))
    assert rate_all(store, study, who) == ["fair00"]
    given = len(ratings_in(store, RUN, STUDY))
    assert given == 2 * len(sotopia.DIMENSIONS)
    assert forget(store, STUDY, who.id).ratings == given


def test_nobody_rates_an_episode_that_they_played_in(store: Store) -> None:
    (who,) = open_study(store, people=1, raters=1)
    (player,) = open_study(
        store, people=1, name="table", kind="play", made={"title": "Play", "play": {}}
    )
    store.studies.assign(player.pk, "fair01", ADA, "done")
    study = rate_study(store, store.studies.get(STUDY))
    assert sorted(rate_all(store, study, who)) == ["fair00", "fair02"]


REFERENCES = (
    {"episode": "fair00", "seat": ADA, "scores": {"goal": 8, "secret": 0}, "within": 1},
    {"episode": "fair00", "seat": BEN, "scores": {"goal": 5}, "within": 1},
    {"episode": "fair01", "seat": ADA, "scores": {"goal": 8}, "within": 1},
)


@pytest.mark.parametrize(("goal", "state"), [(8, "invited"), (3, "refused")])
def test_the_test_comes_first_and_decides_who_goes_on(store: Store, goal: int, state: str) -> None:
    # With 8: goal of Ada (twice) near, secret near, goal of Ben not: 3 of 4. With 3: 1 of 4.
    (who,) = open_study(store, people=1, references=REFERENCES, threshold=0.75)
    study = rate_study(store, store.studies.get(STUDY))
    assert study.episodes == ("fair02",)
    for expected, asked in (("fair00", 3), ("fair01", 1)):
        play = next_episode(store, study, who)
        assert play == RatedEpisode(expected, "test")
        assert len(rated_places(store, study, play)) == asked
        fill(store, study, who, play, goal)
        if expected == "fair00":
            keep_draft(store, who.pk, expected, (ADA, "secret"), RatingDraft(-1, "one small hint"))
        assert submit(store, study, who, play) == ()
    assert ratings_in(store, RUN, STUDY) == ()
    now = store.studies.participant(STUDY, who.id)
    assert now.state == state
    after = next_episode(store, study, now)
    assert after == (RatedEpisode("fair02", "rate") if state == "invited" else None)


def test_a_draft_is_kept_word_for_word_and_taken_over_by_the_next(store: Store) -> None:
    (who,) = open_study(store, people=1)
    keep_draft(
        store, who.pk, "fair00", (ADA, "goal"), RatingDraft(None, "half a sen\ntence \ud800", 3.0)
    )
    assert drafts_of(store, STUDY, who.pk, "fair00") == {
        (ADA, "goal"): RatingDraft(None, "half a sen\ntence \ud800", 3.0)
    }
    keep_draft(store, who.pk, "fair00", (ADA, "goal"), RatingDraft(4, "whole", 5.0))
    assert drafts_of(store, STUDY, who.pk, "fair00") == {
        (ADA, "goal"): RatingDraft(4, "whole", 5.0)
    }
    assert drafts_of(store, STUDY, who.pk, "fair01") == {}


@pytest.mark.parametrize(
    ("plan", "problem"),
    [
        ({"episodes": ("fair09",)}, 'was played, found "fair09"'),
        ({"dimensions": ("mood",)}, 'found "mood"'),
        ({"references": ({"episode": "no", "seat": ADA, "scores": {"goal": 1}},)}, 'found "no"'),
    ],
)
def test_a_plan_that_names_what_is_not_there_is_refused(
    store: Store, plan: dict[str, Any], problem: str
) -> None:
    open_study(store, **plan)
    with pytest.raises(ConfigError, match=problem):
        rate_study(store, store.studies.get(STUDY))


def test_a_rater_reads_what_each_was_told_of_the_other_and_nothing_of_who_played(
    store: Store,
) -> None:
    scenes = [sotopia.rated_scene(store.episode(RUN, trial(number).id)) for number in range(3)]
    told = [scene.people[0].knew[0] for scene in scenes]
    assert told[0] == ("Ben", "A stranger: you know nothing about them beyond what the scene says.")
    assert "baker" in told[1][1]
    assert "Quick to laugh" not in told[1][1]
    assert "Quick to laugh" in told[2][1]
    assert all("skip" not in text for _, text in told)
    ada, ben = scenes[0].people
    assert ada.secret == "Ada gave up the piano for good."
    assert ben.secret == "Ben found the lamp in a skip."
    assert "gave up" not in ada.about
    assert [line.text for line in scenes[0].lines][2::5] == [
        "[physical action]: turns the lamp round and looks at the cable",
        "leaves.",
    ]
    assert "openai" not in repr(scenes)


def test_all_seven_dimensions_can_be_asked_for() -> None:
    assert len(sotopia.DIMENSIONS) == 7


def test_an_overall_is_made_of_the_ratings_that_stand(store: Store) -> None:
    first = [
        one("r1", 0, dim=name) for name in (m.name for m in sotopia.DIMENSIONS) if name != "secret"
    ]
    store_ratings(store, RUN, STUDY, first)
    store_ratings(store, RUN, STUDY, [one("r1", 7, dim="goal"), one("r1", -7, dim="secret")])
    (overall,) = [
        v
        for row in store.verdicts.judgings(RUN)
        for v in row.verdicts
        if v.measure.name == "overall" and isinstance(v, Score)
    ]
    assert overall.value == -1


def test_reasons_are_optional_but_in_a_test_that_researchers_read(store: Store) -> None:
    reference = {"episode": "fair00", "seat": ADA, "scores": {"goal": 5}, "within": 9}
    plan = {"run": RUN, "dimensions": ["goal"], "references": [reference]}
    (who,) = open_study(store, 1, made={"title": "T", "rate": plan})
    study = rate_study(store, store.studies.get(STUDY))
    test = next_episode(store, study, who)
    assert test is not None
    fill(store, study, who, test, 5, reason="")
    assert [missing.what for missing in submit(store, study, who, test)] == [
        "say why in your own words"
    ]
    fill(store, study, who, test, 5, reason="she paid a little")
    assert submit(store, study, who, test) == ()
    play = next_episode(store, study, who)
    assert play is not None
    assert play.stage == "rate"
    fill(store, study, who, play, 5, reason="")
    assert submit(store, study, who, play) == ()
    assert {(r.episode, r.reason) for r in ratings_in(store, RUN, STUDY)} == {(play.trial, "")}
