"""What became of each resident: came, left, elsewhere, declined, never told."""

from __future__ import annotations

from sociolab.worlds.stss.scoring.result import Account
from sociolab.worlds.stss.scoring.score import score
from sociolab.worlds.stss.task import SocialTask
from stss_tasks import EVERYBODY, GAME, PARTY, PICNIC
from trace_cases import MONDAY, Life, at, lived, talk


def test_each_resident_has_one_account_in_words() -> None:
    lives = {who: Life(who) for who in ("ada", *EVERYBODY)}
    lives["bea"].goes("tue 18:00", "Cafe: terrace", "the party")
    lives["cid"].notes("mon 10:01", "Ada's party", by="ada", start="18:00")
    told = (
        talk("mon 10:00", "ada", "cid", "A party!", "I shall come."),
        talk("mon 11:00", "ada", "dan", "A party!", "Sure, I will be there."),
        talk("mon 12:00", "bea", "eve", "Ada has a party."),
    )
    found = score(PARTY, lived(*lives.values(), *told))
    assert {one.who: one.fate for one in found.accounts} == {
        "bea": "took part",
        "cid": "did not come",
        "dan": "noted nothing",
        "eve": "heard of it",
        "fay": "never told",
    }
    assert [one.words for one in found.accounts][1:] == [
        "had agreed, and did not come",
        "was told, and noted no promise",
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


def only(account_of: str, *lives: Life, of: SocialTask = PARTY) -> Account:
    given = {one.who: one for one in (*map(Life, ("ada", *EVERYBODY)), *lives)}
    found = score(of, lived(*given.values()))
    return next(one for one in found.accounts if one.who == account_of)


def test_who_noted_another_room_and_was_there_did_come() -> None:
    bea = Life("bea").notes("mon 10:01", "Ada's party", "ada", "18:00", "Cafe: counter room")
    bea.goes("tue 18:00", "Cafe: counter room", "look for Ada").goes("tue 19:00", "Home: room")
    one = only("bea", bea)
    assert (one.fate, one.words) == (
        "another room",
        "had agreed and was there, but in another room or doing something else",
    )
    assert one.near[0][0] == at("tue 18:00")
    away = Life("bea").notes("mon 10:01", "Ada's party", "ada", "18:00", "Cafe: counter room")
    assert only("bea", away).fate == "did not come"


def test_where_the_time_is_open_being_there_at_the_noted_time_is_no_staying_away() -> None:
    bea = Life("bea").notes("mon 10:01", "the picnic", "ada", "12:00", "Park: meadow")
    bea.goes("tue 12:10", "Park: meadow", "read").goes("tue 12:50", "Home: room")
    assert only("bea", bea, of=PICNIC).fate == "another room"
    late = Life("bea").notes("mon 10:01", "the picnic", "ada", "12:00", "Park: meadow")
    late.goes("tue 14:10", "Park: meadow", "read").goes("tue 14:50", "Home: room")
    assert only("bea", late, of=PICNIC).fate == "did not come"


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
    by.notes("mon 10:00", "Ada's party", "ada")
    assert only("bea", by).words == "was there at the right time, doing something else"
