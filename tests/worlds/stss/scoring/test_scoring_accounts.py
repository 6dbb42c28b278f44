"""What became of each resident: came, left, elsewhere, declined, never told."""

from __future__ import annotations

from sociolab.worlds import stss
from stss_tasks import EVERYBODY, GAME, PARTY, PICNIC
from trace_cases import Life, at, lived, talk


def test_each_resident_has_one_account_in_words() -> None:
    lives = {who: Life(who) for who in ("ada", *EVERYBODY)}
    lives["bea"].goes("tue 18:00", "Cafe: terrace", "the party")
    lives["cid"].remembers("mon 10:01", "Ada asked me to her party.")
    told = (
        talk("mon 10:00", "ada", "cid", "A party!", "I shall come."),
        talk("mon 11:00", "ada", "dan", "A party!", "Sure, I will be there."),
        talk("mon 12:00", "bea", "eve", "Ada has a party."),
    )
    found = stss.score(PARTY, lived(*lives.values(), *told))
    assert {one.who: one.fate for one in found.accounts} == {
        "bea": "took part",
        "cid": "did not come",
        "dan": "noted nothing",
        "eve": "heard of it",
        "fay": "never told",
    }
    assert [one.words for one in found.accounts][1:] == [
        "remembered a conversation about it, and did not come",
        "was told, and remembered nothing of it",
        "heard of it from others only",
        "was never told",
    ]


def test_who_heard_of_it_when_it_was_over_had_no_chance_to_come() -> None:
    lives = {who: Life(who) for who in ("ada", *EVERYBODY)}
    lives["bea"].remembers("tue 22:01", "Ada told me that her party was lovely.")
    late = talk("tue 22:00", "ada", "bea", "The party was lovely!")
    found = stss.score(PARTY, lived(*lives.values(), late))
    assert (found.accounts[0].who, found.accounts[0].fate) == ("bea", "never told")


def test_a_memory_of_something_else_is_none_of_the_event() -> None:
    lives = {who: Life(who) for who in ("ada", *EVERYBODY)}
    lives["bea"].remembers("mon 10:01", "Ada sings in the choir.")
    told = talk("mon 10:00", "ada", "bea", "A party!", "Hm.")
    found = stss.score(PARTY, lived(*lives.values(), told))
    assert [one.fate for one in found.accounts][:2] == ["noted nothing", "never told"]


def test_where_the_time_is_open_being_in_the_park_some_time_is_not_coming_near() -> None:
    lives = {who: Life(who) for who in ("ada", *EVERYBODY)}
    lives["bea"].goes("tue 09:00", "Park: meadow", "read").goes("tue 10:00", "Home: room", "rest")
    found = stss.score(PICNIC, lived(*lives.values()))
    assert found.accounts[0].fate == "never told"


def test_who_came_near_to_it_has_the_time_at_which_they_did() -> None:
    lives = {who: Life(who) for who in ("ada", *EVERYBODY)}
    lives["bea"].goes("tue 18:10", "Park: meadow", "the party").does("tue 18:20", "rest")
    one = stss.score(PARTY, lived(*lives.values())).accounts[0]
    assert (one.fate, one.when, one.minutes) == ("elsewhere", (), 0)
    assert one.near == ((at("tue 18:10"), at("tue 18:20")),)


def test_who_plays_online_at_another_time_is_told_from_who_never_plays() -> None:
    lives = {who: Life(who) for who in ("ada", *EVERYBODY)}
    lives["bea"].does("tue 21:00", "play Starfarm").does("tue 22:00", "rest")
    found = stss.score(GAME, lived(*lives.values()))
    assert [one.fate for one in found.accounts][:2] == ["another time", "never told"]


def only(account_of: str, *lives: Life, of: stss.SocialTask = PARTY) -> stss.Account:
    given = {one.who: one for one in (*map(Life, ("ada", *EVERYBODY)), *lives)}
    found = stss.score(of, lived(*given.values()))
    return next(one for one in found.accounts if one.who == account_of)


def test_who_remembered_it_and_was_in_another_room_did_come() -> None:
    bea = Life("bea").remembers("mon 10:01", "Ada asked me to her party at the cafe.")
    bea.goes("tue 18:00", "Cafe: counter room", "look for Ada").goes("tue 19:00", "Home: room")
    one = only("bea", bea)
    assert (one.fate, one.words) == (
        "another room",
        "remembered it and was there, but in another room or doing something else",
    )
    assert one.near[0][0] == at("tue 18:00")
    passer = (
        Life("bea").goes("tue 18:00", "Cafe: counter room", "read").goes("tue 19:00", "Home: room")
    )
    assert only("bea", passer).fate == "never told"


def test_where_the_time_is_open_there_is_no_right_time() -> None:
    home = Life("bea").does("tue 12:00", "picnic").does("tue 13:00", "rest")
    assert only("bea", home, of=PICNIC).words == (
        "did it on the right day, but in another place, and was never told"
    )
    early = Life("bea").goes("mon 12:00", "Park: meadow", "picnic").does("mon 13:00", "rest")
    assert only("bea", early, of=PICNIC).words == ("did it, but on another day, and was never told")


def test_of_a_passer_by_it_is_said_whether_they_were_told() -> None:
    by = Life("bea").goes("tue 18:00", "Cafe: terrace", "read")
    assert only("bea", by).words == (
        "was there at the right time, doing something else, and was never told"
    )
    told = lived(*map(Life, ("ada", "cid", "dan", "eve", "fay")), by,
                 talk("mon 10:00", "ada", "bea", "A party!"))  # fmt: skip
    assert (
        stss.score(PARTY, told).accounts[0].words
        == "was there at the right time, doing something else"
    )
