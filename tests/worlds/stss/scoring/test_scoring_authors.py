"""The goal by the rule of the authors' public code, worked by hand, beside the paper's.

Ada's party is on the Cafe's terrace on Tuesday from 18:00 to 20:00; 3 of 5 are expected.
"""

from __future__ import annotations

import pytest

from sociolab.town import Did, Talked
from sociolab.worlds import stss
from stss_tasks import EVERYBODY, GAME, PARTY, task
from trace_cases import Life, at, lived, talk

TERRACE = "Cafe: terrace"


def scored(of: stss.SocialTask, *given: Life | Talked) -> stss.TaskScore:
    """The score where everybody else rests at home."""
    lives = {one.who: one for one in given if isinstance(one, Life)}
    rest = [lives.get(who, Life(who)) for who in ("ada", *EVERYBODY)]
    talks = [one for one in given if isinstance(one, Talked)]
    return stss.score(of, lived(*rest, *talks), stss.ScoreSettings())


def guest(who: str, come: str = "tue 18:00") -> Life:
    return Life(who).goes(come, TERRACE, "enjoy the party")


# ------------------------------------------------------------------ public and online activities


def test_who_begins_before_the_start_and_stays_is_no_guest_there() -> None:
    """Bea sets out at 17:45 and stays: a guest of the paper's, but her action began too early."""
    found = scored(PARTY, guest("bea", "tue 17:45"), guest("cid", "tue 19:00"))
    assert found.goal_any_host == pytest.approx(2 / 3)
    assert found.authors.goal == pytest.approx(1 / 3)
    assert found.authors.who == ("cid",)
    why = stss.explain_authors(PARTY, found, str.title)
    assert "Bea (began at 17:44)" in why


def test_the_walk_there_begins_the_action() -> None:
    """Cid's walk of 2 tiles begins 20 seconds before 18:00."""
    assert scored(PARTY, guest("cid")).authors.goal == 0
    assert scored(PARTY, guest("cid", "tue 18:01")).authors.goal == pytest.approx(1 / 3)


def test_an_end_is_still_in_time_and_a_minute_later_is_not() -> None:
    at_home = Life("bea").does("tue 20:00", "enjoy the party", place=TERRACE)
    later = Life("bea").does("tue 20:01", "enjoy the party", place=TERRACE)
    assert scored(PARTY, at_home).authors.goal == pytest.approx(1 / 3)
    assert scored(PARTY, later).authors.goal == 0


def test_where_one_stands_does_not_matter_but_where_it_is_planned() -> None:
    planned_there = Life("bea").does("tue 18:30", "enjoy the party", place=TERRACE)
    found = scored(PARTY, planned_there)
    assert (found.goal_any_host, found.authors.who) == (0, ("bea",))
    assert "Counted there alone: Bea" in stss.explain_authors(PARTY, found, str.title)


def test_the_date_does_not_matter_but_the_time_of_day() -> None:
    assert scored(PARTY, guest("bea", "mon 18:30")).authors.who == ("bea",)


def test_a_talk_and_the_way_back_to_it_begin_anew() -> None:
    """Bea came at 17:30; a talk from 18:20 to 18:21 lets her begin again in the window."""
    found = scored(PARTY, guest("bea", "tue 17:30"), talk("tue 18:20", "bea", "ada", "Hello."))
    assert found.authors.who == ("bea",)


def test_another_object_begins_anew() -> None:
    """Bea came at 17:30 and goes to the buffet at 18:20: a planned address ends in its object."""
    bea = guest("bea", "tue 17:30")
    bea.records.append(Did(at("tue 18:20"), "bea", "enjoy the party", "", TERRACE, "buffet"))
    assert scored(PARTY, bea).authors.who == ("bea",)


def test_keywords_are_parts_of_words_there() -> None:
    at_it = Life("bea").does("tue 18:30", "admire the counterparty", place=TERRACE)
    assert scored(PARTY, at_it).authors.who == ("bea",)


def test_the_number_of_the_file_counts_where_it_is_not_the_rules() -> None:
    """6 people, Ada included: 5 others are wanted, where the rule wants 3 of 5."""
    found = scored(PARTY.model_copy(update={"target_num": 6}), guest("bea", "tue 18:30"))
    assert found.authors.goal == pytest.approx(1 / 5)
    assert found.expected == 3


def test_an_online_activity_has_no_place() -> None:
    playing = Life("bea").does(f"tue {GAME.start}", GAME.keywords[0])
    assert scored(GAME, playing).authors.who == ("bea",)


# ------------------------------------------------------------------ appointments


CHESS = task(type="appointment", place="", start="", partner="bea", keywords=("chess",))


def chess(who: str, when: str, place: str = TERRACE) -> Life:
    return Life(who).does(when, "play chess", place=place)


def test_an_appointment_is_met_at_one_moment_with_one_planned_place_on_any_day() -> None:
    """Monday, when nothing is scheduled: Ada from 9 on and Bea from 21 on, both on the terrace."""
    assert scored(CHESS, chess("ada", "mon 09:00"), chess("bea", "mon 21:00")).authors.goal == 1


def test_two_places_at_one_moment_are_half() -> None:
    found = scored(CHESS, chess("ada", "tue 09:00"), chess("bea", "tue 09:00", "Park: meadow"))
    assert found.authors.goal == 0.5


def test_one_after_the_other_is_nothing() -> None:
    ada = chess("ada", "tue 09:00").does("tue 10:00", "rest")
    assert scored(CHESS, ada, chess("bea", "tue 10:00")).authors.goal == 0


# ------------------------------------------------------------------ companions


WALK = task(type="inviting companions", place="Park: meadow", start="", keywords=("walk",))


def walker(who: str, begin: str, end: str) -> Life:
    return Life(who).does(begin, "walk", place="Park: meadow").does(end, "rest")


def test_companions_count_at_one_moment_with_the_performer() -> None:
    """Of 2 wanted, Bea and Cid come one after the other: never more than 1 at once."""
    ada = walker("ada", "tue 09:00", "tue 12:00")
    apart = walker("bea", "tue 09:00", "tue 10:00"), walker("cid", "tue 10:00", "tue 11:00")
    at_once = walker("bea", "tue 09:00", "tue 10:00"), walker("cid", "tue 09:30", "tue 11:00")
    assert scored(WALK, ada, *apart).authors.goal == 0.5
    assert scored(WALK, ada, *at_once).authors.goal == 1
    assert scored(WALK, *at_once).authors.goal == 0


def test_a_place_named_in_the_action_is_enough_for_companions() -> None:
    named = [Life(who).does("tue 09:00", "walk in park: meadow") for who in ("ada", "bea")]
    assert scored(WALK, *named).authors.goal == 0.5


# ------------------------------------------------------------------ asking for help


PILLS = task(
    type="asking for help",
    place="",
    start="",
    keywords=(),
    errands=(
        stss.Errand(what="buy pills", keywords=("buy pills",), place="Clinic: pharmacy"),
        stss.Errand(what="bring pills", keywords=("bring pills",), place="Cottage: room"),
    ),
)


def errands(who: str, *what: str) -> Life:
    life = Life(who)
    place = {"buy pills": "Clinic: pharmacy", "bring pills": "Cottage: room"}
    for hour, errand in enumerate(what, start=9):
        life.does(f"tue {hour:02}:00", errand, place=place[errand])
    return life


def test_both_errands_in_order_by_one_are_help_even_unasked() -> None:
    assert scored(PILLS, errands("bea", "buy pills", "bring pills")).authors.goal == 1


@pytest.mark.parametrize(
    "helpers",
    [
        [errands("bea", "bring pills", "buy pills")],
        [errands("bea", "buy pills"), errands("cid", "bring pills")],
        [errands("bea", "bring pills")],
    ],
)
def test_in_another_order_or_by_two_is_half(helpers: list[Life]) -> None:
    assert scored(PILLS, *helpers).authors.goal == 0.5


def test_the_performer_helps_nobody() -> None:
    assert scored(PILLS, errands("ada", "buy pills", "bring pills")).authors.goal == 0
