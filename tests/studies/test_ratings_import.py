"""Ratings into the small run: refused whole or kept whole, once, and shown beside the judge."""

from __future__ import annotations

from pathlib import Path

import pytest

from report.small_run import RUN, build
from sociolab import Rating, keep_ratings, result_of
from sociolab.analysis import load_ratings
from sociolab.core import ConfigError, JudgeId, RatedBy, Score
from sociolab.store import Store, export_run, import_run
from sociolab.studies import KeptRatings, import_ratings, people_judge, ratings_in
from sociolab.worlds import sotopia

HEAD = "episode,seat,rater,dimension,score,reason,seconds"


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    build(tmp_path / "store.db")
    return tmp_path


def keep(
    lab: Path, *lines: str, name: str = "people", again: bool = False, duplicates: str = "refuse"
) -> tuple[str, ...]:
    file = lab / "ratings.csv"
    file.write_text("\n".join((HEAD, *lines)), "utf-8")
    return import_ratings(
        file, RUN, store=lab / "store.db", name=name, replace_all=again, duplicates=duplicates
    )


def refused(lab: Path, *lines: str) -> str:
    with pytest.raises(ConfigError) as told:
        keep(lab, *lines)
    return str(told.value)


def judgings(lab: Path, judge: JudgeId | None = None) -> list[tuple[str | None, int, list[Score]]]:
    with Store.open(lab / "store.db") as store:
        return [
            (row.trial, row.judging, [v for v in row.verdicts if isinstance(v, Score)])
            for row in store.verdicts.judgings(RUN, judge or people_judge("people"))
        ]


def signed(score: Score) -> str:
    """A rating's reason as a transcript shows it."""
    assert score.rated_by is not None
    return score.rated_by.sign(score.reason)


LINES = (
    "lamp-AA,ann,r2,goal,6,,12",
    "lamp-AA,ann,r1,goal,4,too soft,",
    "lamp-AA,bob,r1,goal,6,,",
    "noise-AA,ann,r2,social_rules,-1,shouted,",
)


def test_each_rater_is_a_judging_numbered_by_name(lab: Path) -> None:
    said = keep(lab, *LINES)
    assert said[0] == (
        "read 4 ratings by 2 raters of 3 seats of 2 episodes; "
        'stored 4 in the set "people" of run small'
    )
    found = judgings(lab)
    assert [(trial, number) for trial, number, _ in found] == [
        ("lamp-AA", 0),
        ("lamp-AA", 1),
        ("noise-AA", 1),
    ]
    assert [(s.seat, s.value, signed(s)) for s in found[0][2]] == [
        ("ann", 4.0, "[r1] too soft"),
        ("bob", 6.0, "[r1]"),
    ]
    assert signed(found[1][2][0]) == "[r2 12 s]"


def test_a_report_shows_the_peoples_mean_beside_the_judge(lab: Path) -> None:
    keep(lab, *LINES)
    with Store.open(lab / "store.db") as store:
        entries = result_of(store, RUN).scores
    # Alpha played both: ann of the lamp by 4 and 6, bob by 6: (5 + 6) / 2 over two plays.
    (entry,) = (
        e
        for e in entries
        if (e.judge, e.measure, e.by) == ("people", "goal", {}) and e.agent == "openai/alpha"
    )
    assert (entry.value, entry.n, entry.method) == (5.5, 2, "people")


def test_the_order_of_lines_does_not_matter(lab: Path) -> None:
    keep(lab, *LINES)
    first = judgings(lab)
    keep(lab, *reversed(LINES), again=True)
    assert judgings(lab) == first


def test_the_same_file_again_changes_nothing(lab: Path) -> None:
    keep(lab, *LINES)
    first = judgings(lab)
    assert 'stored 0 in the set "people" of run small, 4 already there' in keep(lab, *LINES)[0]
    assert judgings(lab) == first


def test_ratings_are_not_imported_under_the_name_of_a_study(lab: Path) -> None:
    with Store.open(lab / "store.db") as store:
        store.studies.create("mine", "rate", {}, RUN)
    with pytest.raises(ConfigError) as told:
        keep(lab, *LINES, name="mine")
    assert str(told.value) == '"mine" is a study; import under another --name'
    assert judgings(lab, people_judge("mine")) == []


def test_more_ratings_are_added_and_raters_keep_their_numbers(lab: Path) -> None:
    keep(lab, *LINES)
    keep(lab, *LINES, "lamp-AA,bob,r2,goal,7,,", "lamp-AA,bob,a0,goal,8,,")
    found = {(trial, number): scores for trial, number, scores in judgings(lab)}
    assert [s.value for s in found["lamp-AA", 1]] == [6.0, 7.0]
    assert [signed(s) for s in found["lamp-AA", 2]] == ["[a0]"]


def test_a_rating_that_contradicts_a_stored_one_is_refused_without_replace(lab: Path) -> None:
    keep(lab, *LINES)
    told = refused(lab, "lamp-AA,ann,r1,goal,5,,")
    assert "line 2: r1's goal rating is stored in the set people as 4, found 5; --repl" in told
    keep(lab, "lamp-AA,ann,r1,goal,5,,", again=True)
    assert [[s.value for s in scores] for _, _, scores in judgings(lab)] == [[5.0]]


def test_another_name_is_another_set(lab: Path) -> None:
    keep(lab, *LINES)
    keep(lab, "lamp-AA,ann,r1,goal,9,,", name="experts")
    assert len(judgings(lab)) == 3
    assert judgings(lab, people_judge("experts"))[0][2][0].value == 9.0


def test_seven_dimensions_of_one_seat_make_an_overall(lab: Path) -> None:
    lines = [f"lamp-AA,ann,r1,{d.name},{max(d.low, 0):g},," for d in sotopia.DIMENSIONS]
    keep(lab, *lines[:6])
    assert len(judgings(lab)[0][2]) == 6
    keep(lab, *lines)
    overall = judgings(lab)[0][2][-1]
    assert (overall.measure.name, overall.value, signed(overall)) == ("overall", 0.0, "[r1]")


def test_all_that_is_wrong_is_told_by_line_and_nothing_is_kept(lab: Path) -> None:
    told = refused(
        lab,
        LINES[0],
        "attic,ann,r1,goal,4,,",
        "lamp,ann,r1,goal,4,,",
        "bike-SS,ann,r1,goal,4,,",
        "lamp-AA,cat,r1,goal,4,,",
        "lamp-AA,ann,r1,mood,4,,",
        "lamp-AA,ann,r1,goal,11,,",
        "lamp-AA,ann,r1,goal,4.5,,",
    )
    assert "7 errors, nothing was imported: line 3: expected an episode of small" in told
    assert 'line 4: expected one episode, found "lamp", which begins lamp-AA and lamp-AS' in told
    assert 'line 5: expected an episode that was played, found "bike-SS"' in told
    assert (
        'line 6: expected a seat (ann, bob), its number or the name of who sits there, found "cat"'
        in told
    )
    assert "line 7: expected a dimension (believability," in told
    assert told.endswith("line 9: expected a whole number from 0 to 10 as goal, found 4.5")
    assert judgings(lab) == []
    assert "expected a whole number from 0 to 10 as goal, found 11" in refused(
        lab, "lamp-AA,ann,r1,goal,11,,"
    )
    assert "as goal, found 4.5" in refused(lab, "lamp-AA,ann,r1,goal,4.5,,")


def test_an_error_that_lines_share_is_said_once_and_of_many_the_first_are_shown(lab: Path) -> None:
    same = [f"lamp-AA,ann,r{i},mood,4,," for i in range(6_105)]
    told = refused(lab, *same)
    assert told.count("expected a dimension") == 1
    assert "6,105 errors, nothing was imported: all 6,105 lines: expected a dimension" in told
    (lab / "wide.csv").write_text("episode,rater,p3_goal,p3_secret\nlamp-AA,r1,4,0\n", "utf-8")
    with pytest.raises(ConfigError, match="1 error, nothing was imported: line 2: expected a seat"):
        import_ratings(lab / "wide.csv", RUN, store=lab / "store.db")
    assert "1 error, nothing was imported: line 3: " in refused(lab, LINES[0], same[0])
    told = refused(lab, *(f"lamp-AA,ann,r{i},goal,{i + 11},," for i in range(25)))
    assert told.count("; line ") == 19
    assert told.endswith("found 30; and 5 more")


def test_a_rater_who_rates_the_same_thing_twice_is_refused(lab: Path) -> None:
    told = refused(lab, *LINES, LINES[0])
    assert "line 6: expected one rating of goal by r2" in told
    assert "the first in line 2" in told


TWICE = ("lamp-AA,ann,r1,goal,4,soft,12", "lamp-AA,ann,r1,goal,7,firm,20")


@pytest.mark.parametrize(
    ("duplicates", "kept", "said"),
    [
        ("first", [("[r1 12 s] soft", 4.0)], "1 duplicate rating: first kept"),
        ("mean", [("[r1] soft; firm", 5.5)], "1 duplicate rating: mean kept"),
        (
            "keep",
            [("[r1 12 s] soft", 4.0), ("[r1.2 20 s] firm", 7.0)],
            "1 duplicate rating: both kept, the second as another rater's",
        ),
    ],
)
def test_what_becomes_of_double_ratings_is_chosen(
    lab: Path, duplicates: str, kept: list[tuple[str, float]], said: str
) -> None:
    assert said in keep(lab, *TWICE, duplicates=duplicates)
    found = [score for _, _, scores in judgings(lab) for score in scores]
    assert [(signed(one), one.value) for one in found] == kept
    with Store.open(lab / "store.db") as store:
        (entry,) = (
            one
            for one in result_of(store, RUN).scores
            if (one.judge, one.measure, one.by) == ("people", "goal", {})
            and one.agent == "openai/alpha"
        )
    # One play: the mean of what its raters gave.
    assert (entry.value, entry.n) == (sum(v for _, v in kept) / len(kept), 1)


def test_a_second_rating_never_goes_by_the_name_of_another_rater(lab: Path) -> None:
    keep(lab, *TWICE, "lamp-AA,ann,r1.2,goal,6,calm,", duplicates="keep")
    found = [(signed(s), s.value) for _, _, scores in judgings(lab) for s in scores]
    assert found == [("[r1 12 s] soft", 4.0), ("[r1.2] calm", 6.0), ("[r1.3 20 s] firm", 7.0)]


def test_a_second_rating_under_a_long_name_has_a_name_that_is_none_too_long(lab: Path) -> None:
    long, other = "r" * 40, "r" * 39 + "s"  # both are cut to the same 38 letters
    rows = [
        f"lamp-AA,ann,{rater},{dimension},{score},,"
        for rater in (long, other)
        for dimension in ("goal", "financial")
        for score in (1, 2)
    ]
    keep(lab, *rows, duplicates="keep")
    with Store.open(lab / "store.db") as store:
        by = {one.rater: 0 for one in ratings_in(store, RUN, "people")}
        for one in ratings_in(store, RUN, "people"):
            by[one.rater] += 1
    assert by == {long: 2, other: 2, "r" * 38 + ".2": 2, "r" * 38 + ".3": 2}


def test_the_mean_of_double_ratings_leaves_the_scale_as_it_is(lab: Path) -> None:
    keep(lab, *TWICE, "lamp-AA,bob,r1,goal,6,,", duplicates="mean")
    with Store.open(lab / "store.db") as store:
        (goal,) = load_ratings(store, [RUN]).measures
    assert goal.whole


def test_a_seat_goes_by_number_and_a_dimension_by_its_title(lab: Path) -> None:
    keep(lab, "lamp-AA,2,r1,Goal completion,4,,", "lamp-AA,agent_1,r1,FIN,1,,")
    found = {(s.seat, s.measure.name, s.value) for _, _, scores in judgings(lab) for s in scores}
    assert found == {("bob", "goal", 4.0), ("ann", "financial", 1.0)}
    assert "expected a seat (ann, bob), its number or" in refused(lab, "lamp-AA,3,r1,goal,4,,")


def test_an_unambiguous_beginning_names_an_episode(lab: Path) -> None:
    assert "which begins noise-SA and noise-SS" in refused(lab, "noise-S,ann,r1,goal,4,,")
    with Store.open(lab / "store.db") as store:
        trial = "noise-SA"
        assert [row.trial.id for row in store.trials(RUN) if row.trial.id.startswith(trial)] == [
            trial
        ]
    keep(lab, "noise-SA,ann,r1,goal,4,,")
    assert judgings(lab)[0][0] == trial


def test_a_file_without_ratings_and_a_run_that_is_not_there_are_refused(lab: Path) -> None:
    assert "expected at least one rating, found none" in refused(lab)
    for content in (b"", f"{HEAD}\n".encode()):
        (lab / "ratings.csv").write_bytes(content)
        with pytest.raises(ConfigError, match="expected at least one rating, found none"):
            import_ratings(lab / "ratings.csv", store=lab / "store.db")
    (lab / "ratings.csv").write_bytes(f"{HEAD}\n{LINES[0]}".encode("utf-16-le"))
    with pytest.raises(ConfigError, match="byte order mark"):
        import_ratings(lab / "ratings.csv", RUN, store=lab / "store.db")
    (lab / "ratings.csv").write_text(f"{HEAD}\n{LINES[0]}", "utf-8")
    with pytest.raises(ConfigError, match="nowhere"):
        import_ratings(lab / "ratings.csv", "nowhere", store=lab / "store.db")
    with pytest.raises(ConfigError, match="cannot be read"):
        import_ratings(lab / "none.csv", RUN, store=lab / "store.db")


def test_ratings_go_with_a_run_that_is_exported(lab: Path) -> None:
    keep(lab, *LINES)
    with Store.open(lab / "store.db") as store:
        export_run(store, RUN, lab / "run.zip")
    with Store.open(lab / "other.db") as other:
        import_run(other, lab / "run.zip")
        again = [row.verdicts for row in other.verdicts.judgings(RUN, people_judge("people"))]
    assert [list(verdicts) for verdicts in again] == [scores for _, _, scores in judgings(lab)]


ANN = ("lamp-AA", "ann", "r1", "goal", 4)


def test_records_are_kept_as_the_lines_of_a_file_are(lab: Path) -> None:
    with Store.open(lab / "store.db") as store:
        ratings = [
            Rating(*ANN, reason="too soft", seconds=12, when="2026-03-01T15:05:00+01:00"),
            Rating("lamp-AA", "bob", "r1", "goal", 6),
        ]
        assert keep_ratings(store, RUN, ratings) == KeptRatings(2, 1, 2, 1, fresh=2)
        assert keep_ratings(store, RUN, ratings).fresh == 0
    ((_, _, (first, second)),) = judgings(lab)
    assert (first.reason, first.rated_by) == (
        "too soft",
        RatedBy("r1", 12, "2026-03-01T14:05:00Z"),
    )
    assert (second.reason, second.rated_by) == ("", RatedBy("r1"))
    keep(lab, "lamp-AA,ann,r1,goal,4,,")
    assert judgings(lab)[0][2] == [first, second], "the file contradicts nothing"
    with Store.open(lab / "store.db") as store:
        (rater,) = load_ratings(store, [RUN]).raters
    assert (rater.ratings, rater.seconds) == (2, (12.0,))
    assert rater.first == rater.last == "2026-03-01T14:05:00Z"


def test_records_that_are_wrong_are_refused_by_their_number_and_none_is_kept(lab: Path) -> None:
    with Store.open(lab / "store.db") as store:
        for wrong, told in (
            (Rating("lamp-AA", "bob", "r1", "goal", 11), "rating 2: expected a whole number from"),
            (Rating(*ANN), r"found a second \(the first in rating 1\)"),
        ):
            with pytest.raises(ConfigError, match=told):
                keep_ratings(store, RUN, [Rating(*ANN), wrong])
        with pytest.raises(ConfigError, match="expected at least one rating, found none"):
            keep_ratings(store, RUN, [])
    assert judgings(lab) == []
    with pytest.raises(ConfigError, match="expected a pseudonym as rater"):
        Rating("lamp-AA", "ann", "r1@example.org", "goal", 4)
    with pytest.raises(ConfigError, match="expected a number as score"):
        Rating("lamp-AA", "ann", "r1", "goal", float("nan"))


def test_a_second_seat_rated_later_leaves_the_first_ones_overall_as_it_is(lab: Path) -> None:
    def lines(seat: str) -> list[str]:
        return [f"lamp-AA,{seat},r1,{d.name},{max(d.low, 0):g},," for d in sotopia.DIMENSIONS]

    keep(lab, *lines("ann"))
    keep(lab, *lines("bob"))
    ((_, _, scores),) = judgings(lab)
    found = [(score.seat, score.measure.name) for score in scores]
    assert len(found) == len(set(found)) == 16
    assert [seat for seat, name in found if name == "overall"] == ["ann", "bob"]
