"""Appointments: 1 together at it, 0.5 at it at the same time but not in one place, else 0."""

from __future__ import annotations

from sociolab.worlds import stss
from stss_tasks import EVERYBODY, MEETING
from trace_cases import Life, lived


def works(who: str, place: str, come: str = "tue 15:00", leave: str = "tue 15:30") -> Life:
    return Life(who).goes(come, place, "go through the manuscript").does(leave, "rest")


def scored(*lives: Life, of: stss.SocialTask = MEETING) -> stss.TaskScore:
    given = {life.who: life for life in (*map(Life, ("ada", *EVERYBODY)), *lives)}
    return stss.score(of, lived(*given.values()))


def test_the_two_at_it_in_one_place_score_one() -> None:
    found = scored(works("ada", "Cafe: terrace"), works("bea", "Cafe: terrace"))
    assert (found.goal, found.expected, found.participants) == (1.0, 1, ("bea",))
    assert stss.explain_score(MEETING, found, str.title) == "Ada and Bea met (at least 5 min)."


def test_only_the_place_differs_scores_half() -> None:
    """Two arenas of one sector are two places: who waits in the wrong room is alone."""
    found = scored(works("ada", "Cafe: terrace"), works("bea", "Cafe: counter room"))
    assert (found.goal, found.participants) == (0.5, ())
    assert found.goals == ((0, 0.5), (5, 0.5), (15, 0.5))


def test_outdoors_is_no_place_to_meet() -> None:
    assert scored(works("ada", "outdoors"), works("bea", "outdoors")).goal == 0.5


def test_another_time_scores_nothing_though_the_place_is_the_same() -> None:
    late = works("bea", "Cafe: terrace", "tue 16:00", "tue 16:30")
    assert scored(works("ada", "Cafe: terrace"), late).goal == 0


def test_the_day_before_scores_nothing() -> None:
    early = [works(who, "Cafe: terrace", "mon 15:00", "mon 15:30") for who in ("ada", "bea")]
    assert scored(*early).goal == 0


def test_somebody_else_is_not_the_partner() -> None:
    assert scored(works("ada", "Cafe: terrace"), works("cid", "Cafe: terrace")).goal == 0


def test_the_partner_must_be_at_it_too() -> None:
    idle = Life("bea").goes("tue 15:00", "Cafe: terrace", "drink coffee")
    assert scored(works("ada", "Cafe: terrace"), idle).goal == 0


def test_talking_about_it_is_what_one_meets_for() -> None:
    both = [
        Life(who).goes("tue 15:00", "Cafe: terrace", "talk about the manuscript")
        for who in ("ada", "bea")
    ]
    assert scored(*both).goal == 1.0


def test_four_minutes_together_are_too_few_and_thresholds_stand_beside_it() -> None:
    short = works("bea", "Cafe: terrace", "tue 15:00", "tue 15:04")
    found = scored(works("ada", "Cafe: terrace"), short)
    assert found.goals == ((0, 1.0), (5, 0.0), (15, 0.0))
    assert found.accounts[0].fate == "left too soon"


def test_together_in_another_place_than_the_task_names_scores_half() -> None:
    named = MEETING.model_copy(update={"place": "Park: meadow"})
    cafe = [works(who, "Cafe: terrace") for who in ("ada", "bea")]
    park = [works(who, "Park: meadow") for who in ("ada", "bea")]
    assert scored(*cafe, of=named).goal == 0.5
    assert scored(*park, of=named).goal == 1.0
