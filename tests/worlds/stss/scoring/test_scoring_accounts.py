"""What became of each resident: came, left, elsewhere, declined, never told."""

from __future__ import annotations

from sociolab.worlds.stss.scoring.score import score
from stss_tasks import EVERYBODY, GAME, PARTY, PICNIC
from trace_cases import MONDAY, Life, at, lived, talk


def test_each_resident_has_one_account_in_words() -> None:
    lives = {who: Life(who) for who in ("ada", *EVERYBODY)}
    lives["bea"].goes("tue 18:00", "Cafe: terrace", "the party")
    lives["cid"].notes("mon 10:01", "Ada's party", by="ada", start="18:00")
    told = (
        talk("mon 10:00", "ada", "cid", "A party!", "I shall come."),
        talk("mon 11:00", "ada", "dan", "A party!", "I am busy."),
        talk("mon 12:00", "bea", "eve", "Ada has a party."),
    )
    found = score(PARTY, lived(*lives.values(), *told))
    assert {one.who: one.fate for one in found.accounts} == {
        "bea": "took part",
        "cid": "did not come",
        "dan": "declined",
        "eve": "heard of it",
        "fay": "never told",
    }
    assert [one.words for one in found.accounts][1:] == [
        "had agreed, and did not come",
        "was told, and agreed to nothing",
        "heard of it from others only",
        "was never told",
    ]


def test_a_note_of_something_else_or_for_another_day_is_no_promise_to_come() -> None:
    lives = {who: Life(who) for who in ("ada", *EVERYBODY)}
    lives["bea"].notes("mon 10:01", "choir practice", by="ada")
    lives["cid"].notes("mon 10:01", "Gwen's party", by="eve", day=MONDAY)
    found = score(PARTY, lived(*lives.values()))
    assert [one.fate for one in found.accounts][:2] == ["never told", "never told"]


def test_where_the_time_is_open_being_in_the_park_some_time_is_not_coming_near() -> None:
    lives = {who: Life(who) for who in ("ada", *EVERYBODY)}
    lives["bea"].goes("tue 09:00", "Park: meadow", "read").goes("tue 10:00", "Home: room", "rest")
    found = score(PICNIC, lived(*lives.values()))
    assert found.accounts[0].fate == "never told"


def test_who_came_near_to_it_has_the_time_at_which_they_did() -> None:
    lives = {who: Life(who) for who in ("ada", *EVERYBODY)}
    lives["bea"].goes("tue 18:10", "Park: meadow", "the party").does("tue 18:20", "rest")
    one = score(PARTY, lived(*lives.values())).accounts[0]
    assert (one.fate, one.when, one.minutes) == ("elsewhere", (), 0)
    assert one.near == ((at("tue 18:10"), at("tue 18:20")),)


def test_who_plays_online_at_another_time_is_told_from_who_never_plays() -> None:
    lives = {who: Life(who) for who in ("ada", *EVERYBODY)}
    lives["bea"].does("tue 21:00", "play Starfarm").does("tue 22:00", "rest")
    found = score(GAME, lived(*lives.values()))
    assert [one.fate for one in found.accounts][:2] == ["another time", "never told"]
