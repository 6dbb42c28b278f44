"""Inviting companions: with the performer, at the place, ceil(5 / 3) = 2 expected."""

from __future__ import annotations

from sociolab.worlds import stss
from stss_tasks import EVERYBODY, PICNIC
from trace_cases import Life, at, lived

MEADOW = "Park: meadow"


def picnics(who: str, come: str, leave: str) -> Life:
    return Life(who).goes(come, MEADOW, "have a picnic").does(leave, "rest")


def scored(*lives: Life) -> stss.TaskScore:
    given = {life.who: life for life in (*map(Life, ("ada", *EVERYBODY)), *lives)}
    return stss.score(PICNIC, lived(*given.values()))


def test_two_companions_are_all_that_is_expected() -> None:
    found = scored(*(picnics(who, "tue 12:00", "tue 13:00") for who in ("ada", "bea", "cid")))
    assert (found.goal, found.expected) == (1.0, 2)


def test_without_the_performer_there_are_no_companions() -> None:
    found = scored(*(picnics(who, "tue 12:00", "tue 13:00") for who in ("bea", "cid")))
    assert found.goal == 0
    assert found.accounts[0].fate == "without the performer"


def test_the_performer_must_have_a_picnic_too() -> None:
    reads = Life("ada").goes("tue 12:00", MEADOW, "read")
    found = scored(reads, picnics("bea", "tue 12:00", "tue 13:00"))
    assert found.goal == 0


def test_only_time_together_counts() -> None:
    """Ada is there from 12:00 to 13:00; bea shares five minutes of that, cid a step less."""
    found = scored(
        picnics("ada", "tue 12:00", "tue 13:00"),
        picnics("bea", "tue 12:55", "tue 15:00"),
        picnics("cid", "tue 12:55:10", "tue 15:00"),
    )
    assert found.participants == ("bea",)
    assert found.goal == 0.5
    assert found.accounts[0].when == ((at("tue 12:55"), at("tue 13:00")),)


def test_companions_may_come_one_after_the_other() -> None:
    found = scored(
        picnics("ada", "tue 10:00", "tue 16:00"),
        picnics("bea", "tue 10:00", "tue 11:00"),
        picnics("cid", "tue 15:00", "tue 16:00"),
    )
    assert found.goal == 1.0


def test_a_picnic_on_the_day_before_does_not_count() -> None:
    found = scored(*(picnics(who, "mon 12:00", "mon 13:00") for who in ("ada", "bea", "cid")))
    assert found.goal == 0
    assert found.accounts[0].fate == "another time"


def test_where_a_sector_is_the_place_companions_are_in_the_performers_room() -> None:
    cafe = PICNIC.model_copy(update={"place": "Cafe"})
    ada = Life("ada").goes("tue 12:00", "Cafe: terrace", "picnic")
    bea = Life("bea").goes("tue 12:00", "Cafe: counter room", "picnic")
    cid = Life("cid").goes("tue 12:00", "Cafe: terrace", "picnic")
    others = [Life(who) for who in ("dan", "eve", "fay")]
    found = stss.score(cafe, lived(ada, bea, cid, *others))
    assert found.participants == ("cid",)
    assert found.accounts[0].fate == "without the performer"
