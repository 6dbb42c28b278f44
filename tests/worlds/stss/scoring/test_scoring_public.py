"""Public and online activities: min(participants / expected, 1), worked by hand.

Ada's party is on the Cafe's terrace on Tuesday from 18:00 to 20:00; 3 of 5 are expected. Ada is
there unless told otherwise.
"""

from __future__ import annotations

import pytest

from sociolab.core import ConfigError
from sociolab.worlds import stss
from stss_tasks import EVERYBODY, GAME, PARTY, task
from trace_cases import CLOCK, MONDAY, Life, at, lived, talk

ADA = Life("ada", "Cafe: terrace")
TERRACE = "Cafe: terrace"


def guest(who: str, come: str = "tue 18:00", leave: str = "tue 20:00") -> Life:
    """Comes to the party, and goes home to rest."""
    return Life(who).goes(come, TERRACE, "enjoy the party").goes(leave, "Home: room", "rest")


def scored(*lives: Life, of: stss.SocialTask = PARTY, least: int = 5) -> stss.TaskScore:
    """The score where everybody else stays at home, but for the host."""
    host = Life("ada", "Cafe: terrace").does("tue 18:00", "serve drinks")
    given = {life.who: life for life in (host, *map(Life, EVERYBODY), *lives)}
    return stss.score(of, lived(*given.values()), stss.ScoreSettings(least))


def fate(scored: stss.TaskScore, who: str) -> str:
    return next(one.fate for one in scored.accounts if one.who == who)


def test_two_of_three_expected_guests_are_two_thirds() -> None:
    found = scored(guest("bea"), guest("cid", "tue 19:30"))
    assert found.goal == pytest.approx(2 / 3)
    assert found.participants == ("bea", "cid")
    assert found.expected == 3
    why = "2 of 3 expected took part (at least 5 min): Bea, Cid."
    assert stss.explain_score(PARTY, found, str.title) == why


def test_more_guests_than_expected_score_one() -> None:
    assert scored(*map(guest, EVERYBODY)).goal == 1.0


def test_the_day_of_the_task_counts_and_no_other_that_is_lived() -> None:
    monday = task(day=MONDAY)
    found = scored(guest("bea", "mon 18:00", "mon 20:00"), guest("cid"), of=monday)
    assert found.participants == ("bea",)


def test_the_performer_is_no_participant() -> None:
    assert scored(guest("ada"), guest("bea")).goal == pytest.approx(1 / 3)
    assert scored(guest("ada")).goal == 0


def test_a_host_who_holds_it_elsewhere_is_one_more_who_did_not_come() -> None:
    """Ada holds the party in the counter room: 2 guests of 3, and no host, are 2 of 4."""
    elsewhere = Life("ada").goes("tue 18:00", "Cafe: counter room", "hold the party")
    found = scored(elsewhere, guest("bea"), guest("cid"))
    assert (found.goal, found.host_absent) == (0.5, True)
    assert found.goal_any_host == pytest.approx(2 / 3)
    assert dict(found.goals) == {0: 0.5, 5: 0.5, 15: 0.5}
    assert stss.explain_score(PARTY, found, str.title) == (
        "2 of 3 expected took part (at least 5 min): Bea, Cid. "
        "The host, Ada, was not at Cafe: terrace during the event (at least 5 min) and counts as "
        "one more no-show."
    )


def test_however_many_guests_come_a_party_without_its_host_is_no_full_success() -> None:
    alone = scored(Life("ada"), *map(guest, EVERYBODY))
    assert (alone.goal, alone.goal_any_host) == (0.75, 1.0)
    assert scored(Life("ada")).goal == 0


def test_a_host_counts_as_present_who_is_there_long_enough_whatever_they_do() -> None:
    for minutes, absent in (("05", False), ("04", True)):
        host = Life("ada", TERRACE).does("tue 17:00", "tidy up")
        host.goes(f"tue 18:{minutes}:20", "Home: room", "rest")
        found = scored(host, *map(guest, EVERYBODY))
        assert found.host_absent is absent
        assert dict(found.goals) == {0: 1.0, 5: 0.75 if absent else 1.0, 15: 0.75}


def test_any_room_of_the_sector_will_do_for_the_host_where_the_task_names_the_sector() -> None:
    host = Life("ada", "Cafe: counter room")
    assert not scored(host, of=task(place="Cafe")).host_absent


def test_an_online_activity_has_no_place_from_which_its_host_could_be_absent() -> None:
    players = (Life(who).does("tue 18:00", "play Starfarm") for who in EVERYBODY)
    found = scored(Life("ada"), *players, of=GAME)
    assert (found.goal, found.host_absent, found.goal_any_host) == (1.0, False, None)


def test_an_early_guest_who_stays_counts() -> None:
    """The reference scorer, which looks at the start of an action, loses this guest."""
    found = scored(guest("bea", come="tue 16:30"))
    assert found.participants == ("bea",)
    assert found.accounts[0].when == ((at("tue 18:00"), at("tue 20:00") - 2),)


def test_an_early_guest_who_leaves_before_it_begins_does_not_count() -> None:
    found = scored(guest("bea", "tue 16:30", "tue 18:00"))
    assert found.goal == 0
    assert fate(found, "bea") == "another time"


def test_a_party_held_a_day_early_scores_nothing() -> None:
    """The reference scorer compares times of day alone, and gives 1.0."""
    found = scored(*(guest(who, "mon 18:00", "mon 20:00") for who in EVERYBODY))
    assert found.goal == 0
    assert {one.fate for one in found.accounts} == {"another time"}


def test_a_passer_by_does_not_count() -> None:
    by = Life("bea").goes("tue 18:30", "Park: meadow", "walk the dog")
    found = scored(by)
    assert found.goal == 0
    assert found.accounts[0].minutes == 0


def test_who_is_there_doing_something_else_does_not_count() -> None:
    found = scored(Life("bea").goes("tue 17:00", TERRACE, "read the paper"))
    assert (found.goal, fate(found, "bea")) == (0, "doing something else")


def test_the_right_action_in_the_wrong_arena_does_not_count() -> None:
    found = scored(Life("bea").goes("tue 18:00", "Cafe: counter room", "enjoy the party"))
    assert (found.goal, fate(found, "bea")) == (0, "elsewhere")


def test_a_plan_that_names_the_place_is_no_presence() -> None:
    """The tile counts: bea says that she is at the party on the terrace, and stands at home."""
    found = scored(Life("bea").does("tue 18:00", "enjoy the party", place=TERRACE))
    assert found.goal == 0


def test_any_arena_of_a_sector_counts_where_the_task_names_the_sector() -> None:
    inside = Life("bea").goes("tue 18:00", "Cafe: counter room", "enjoy the party")
    assert scored(inside, guest("cid"), of=task(place="Cafe")).participants == ("bea", "cid")


def test_exactly_five_minutes_count_and_a_step_less_does_not() -> None:
    five = Life("bea").goes("tue 18:00", TERRACE, "the party").does("tue 18:05", "rest")
    less = Life("cid").goes("tue 18:00", TERRACE, "the party").does("tue 18:04:50", "rest")
    found = scored(five, less)
    assert found.participants == ("bea",)
    assert (found.accounts[0].minutes, fate(found, "cid")) == (5, "left too soon")


def test_the_window_ends_with_the_event() -> None:
    late = guest("bea", "tue 19:55", "tue 22:00")
    later = guest("cid", "tue 19:55:10", "tue 22:00")
    assert scored(late, later).participants == ("bea",)


def test_minutes_add_up_when_a_guest_goes_and_comes_back() -> None:
    twice = guest("bea", "tue 18:00", "tue 18:03").goes("tue 19:00", TERRACE, "the party")
    twice.does("tue 19:03", "rest")
    found = scored(twice)
    # 18:00 to two steps before 18:03 (the way home takes the two), and three whole minutes.
    assert found.accounts[0].minutes == pytest.approx(6 - 10 / 60 * 2)
    assert found.participants == ("bea",)


def test_three_thresholds_stand_side_by_side() -> None:
    """Bea has a step of the party, cid 5 minutes, dan 15: 3, 2 and 1 of 3."""
    step = Life("bea").goes("tue 18:00", TERRACE, "the party").does("tue 18:00:10", "rest")
    five = Life("cid").goes("tue 18:00", TERRACE, "the party").does("tue 18:05", "rest")
    more = Life("dan").goes("tue 18:00", TERRACE, "the party").does("tue 18:15", "rest")
    found = scored(step, five, more)
    assert [dict(found.goals)[least] for least in (0, 5, 15)] == pytest.approx([1, 2 / 3, 1 / 3])
    assert scored(step, five, more, least=15).goal == pytest.approx(1 / 3)


def test_a_guest_who_chats_at_the_party_is_still_at_the_party() -> None:
    bea, cid = guest("bea"), guest("cid")
    others = [Life(who) for who in ("ada", "dan", "eve", "fay")]
    chat = talk("tue 18:01", "bea", "cid", "Nice weather", minutes=118)
    found = stss.score(PARTY, lived(bea, cid, *others, chat))
    assert found.participants == ("bea", "cid")


def test_talk_about_the_party_at_its_place_and_time_is_no_taking_part() -> None:
    bea = Life("bea").goes("tue 17:00", TERRACE, "drink coffee")
    others = [Life(who) for who in ("ada", "cid", "dan", "eve", "fay")]
    others[0].goes("tue 17:00", TERRACE, "talk to Bea about the party")
    chat = talk("tue 18:01", "ada", "bea", "The party! The party!", "Oh, a party", minutes=60)
    assert stss.score(PARTY, lived(bea, *others, chat)).goal == 0


def test_an_online_activity_counts_anywhere() -> None:
    home = Life("bea").does("tue 18:00", "play Starfarm in bed").does("tue 19:00", "rest")
    away = Life("cid").goes("tue 18:00", "Park: meadow", "play the online game")
    found = scored(home, away, of=GAME)
    assert found.participants == ("bea", "cid")
    assert found.goal == pytest.approx(2 / 3)


def test_talk_about_an_online_activity_is_not_playing_it() -> None:
    """In the reference a talk about the game is attendance."""
    lives = {who: Life(who) for who in ("ada", *EVERYBODY)}
    chat = talk("tue 18:00", "ada", "bea", "Starfarm?", "Starfarm!", minutes=60)
    found = stss.score(GAME, lived(*lives.values(), chat))
    assert found.goal == 0


def test_a_talk_on_the_way_to_the_screen_is_not_playing() -> None:
    lives = {who: Life(who) for who in ("ada", *EVERYBODY)}
    lives["bea"].does("tue 17:50", "play Starfarm", state="walking")
    lives["bea"].does("tue 19:00", "rest")
    chat = talk("tue 18:05", "ada", "bea", "Where to?", minutes=30)
    assert stss.score(GAME, lived(*lives.values(), chat)).goal == 0


def test_a_task_at_a_place_that_is_not_there_is_refused() -> None:
    with pytest.raises(ConfigError, match="Hobbs Coffee"):
        scored(guest("bea"), of=task(place="Hobbs Coffee"))


def test_the_window_is_the_date_from_start_to_end_or_all_of_the_date() -> None:
    assert stss.event_window(PARTY, CLOCK) == (at("tue 18:00"), at("tue 20:00"))
    assert stss.event_window(task(start=""), CLOCK) == (at("tue 00:00"), at("wed 00:00"))


def test_a_day_that_was_not_lived_to_the_end_of_the_event_is_incomplete() -> None:
    assert stss.was_lived(PARTY, lived(ADA, steps=at("tue 20:00")))
    assert not stss.was_lived(PARTY, lived(ADA, steps=at("tue 19:59")))
    assert not stss.was_lived(task(start=""), lived(ADA, steps=at("tue 20:00")))
    late = task(start="23:00")
    assert stss.was_lived(late, lived(ADA)), (
        "an event past midnight is lived as far as the day goes"
    )
