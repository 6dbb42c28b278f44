"""The conversation ratio, worked by hand: distinct residents, started, before, about the task."""

from __future__ import annotations

import pytest

from sociolab.town import Talked
from sociolab.worlds import stss
from stss_tasks import EVERYBODY, MEETING, PARTY, PICNIC
from trace_cases import Life, lived, talk


def scored(*given: Life | Talked, of: stss.SocialTask = PARTY) -> stss.TaskScore:
    lives = {life.who: life for life in map(Life, ("ada", *EVERYBODY))}
    lives |= {one.who: one for one in given if isinstance(one, Life)}
    return stss.score(
        of, lived(*lives.values(), *(one for one in given if isinstance(one, Talked)))
    )


def test_talks_with_distinct_residents_by_three_expected() -> None:
    found = scored(
        talk("mon 10:00", "ada", "bea", "Come to my party!"),
        talk("mon 11:00", "ada", "bea", "Do not forget the party!"),
        talk("mon 12:00", "ada", "cid", "Will you celebrate at a party?"),
    )
    assert found.ratio == pytest.approx(2 / 3)


def test_it_may_exceed_one() -> None:
    hours = zip(EVERYBODY, range(10, 15), strict=True)
    found = scored(*(talk(f"mon {hour}:00", "ada", who, "A party!") for who, hour in hours))
    assert found.ratio == pytest.approx(5 / 3)


def test_talks_that_others_began_count_only_beside_it() -> None:
    found = scored(talk("mon 10:00", "bea", "ada", "Hello.", "Come to my party!"))
    assert found.ratio == 0
    assert found.ratio_both == pytest.approx(1 / 3)


def test_who_was_told_in_talks_that_both_began_counts_once() -> None:
    found = scored(
        talk("mon 10:00", "bea", "ada", "Hello.", "Come to my party!"),
        talk("mon 12:00", "ada", "bea", "Do not forget the party!"),
    )
    assert found.ratio == pytest.approx(1 / 3)
    assert found.ratio_both == pytest.approx(1 / 3)


def test_talks_about_other_things_or_after_the_start_do_not_count() -> None:
    found = scored(
        talk("mon 10:00", "ada", "bea", "Nice weather.", "Partying is over."),
        talk("tue 18:00", "ada", "cid", "What a party!"),
        talk("tue 17:59", "ada", "dan", "To the party!"),
        talk("mon 11:00", "bea", "cid", "Ada has a party."),
    )
    assert found.ratio == pytest.approx(1 / 3)


def test_whatever_side_says_it_the_talk_is_about_it() -> None:
    found = scored(talk("mon 10:00", "ada", "bea", "Hi.", "I heard of your CELEBRATION."))
    assert found.ratio == pytest.approx(1 / 3)


def test_where_the_time_is_open_the_event_begins_with_the_first_who_takes_part() -> None:
    """Ada and bea begin at 12:00; cid is told at 11:00 and dan at 14:00. Two are expected."""
    ada = Life("ada").goes("tue 12:00", "Park: meadow", "picnic").does("tue 13:00", "rest")
    bea = Life("bea").goes("tue 12:00", "Park: meadow", "picnic").does("tue 13:00", "rest")
    told = (
        talk("tue 11:00", "ada", "cid", "Join me for a picnic."),
        talk("tue 14:00", "ada", "dan", "Join me for a picnic."),
    )
    assert scored(ada, bea, *told, of=PICNIC).ratio == 0.5
    assert scored(*told, of=PICNIC).ratio == 1.0


def test_of_an_appointment_only_talks_with_the_partner_count() -> None:
    found = scored(
        talk("mon 10:00", "ada", "cid", "Where is Bea? The manuscript!"),
        talk("mon 11:00", "ada", "bea", "Tomorrow, for the manuscript?"),
        talk("mon 12:00", "ada", "bea", "The manuscript, remember."),
        of=MEETING,
    )
    assert found.ratio == 1.0
