"""Who came because of what somebody said, and who only read of it in what others were doing."""

from __future__ import annotations

import pytest

from sociolab.town import ObjectBecame, Remembered, Talked, Trajectory
from sociolab.worlds import stss
from stss_tasks import EVERYBODY, GAME, MEDICINE, MEETING, PARTY, PICNIC
from trace_cases import Life, at, lived, talk

PLACARD = "Come to my harvest party at the Cafe terrace on Tuesday at 18:00!"


def days(*changed: Life, talks: tuple[Talked, ...] = ()) -> Trajectory:
    host = Life("ada").does("mon 09:00", PLACARD).goes("tue 17:50", "Cafe: terrace", "the party")
    given = {one.who: one for one in (host, *map(Life, EVERYBODY), *changed)}
    return lived(*given.values(), *talks)


def guest(who: str) -> Life:
    return Life(who).goes("tue 18:00", "Cafe: terrace", "the party").does("tue 19:00", "rest")


def reader(who: str, life: Life | None = None) -> Life:
    life = life or Life(who)
    life.records.append(Remembered(at("mon 09:01"), who, "seen", f"saw Ada: {PLACARD}"))
    return life


def test_readers_of_a_placard_count_for_the_goal_and_not_by_word() -> None:
    found = stss.score(PARTY, days(*(reader(who, guest(who)) for who in EVERYBODY[:3])))
    assert (found.goal, found.goal_by_word) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("told", "share"),
    [
        (talk("mon 10:00", "ada", "bea", "A party!", "I shall come."), 1),
        (talk("mon 10:00", "bea", "ada", "Your party?", "On Tuesday."), 1),  # with the performer
        (talk("mon 10:00", "cid", "bea", "Ada has a party.", "Has she?"), 1),  # second-hand
        (talk("mon 10:00", "bea", "cid", "Ada has a party.", "Has she?"), 0),  # told, not heard
        (talk("tue 18:10", "ada", "bea", "Welcome to the party!"), 0),  # there already
        (talk("mon 10:00", "cid", "bea", "Nice weather."), 0),
    ],
)
def test_by_word_is_who_heard_of_it_in_a_conversation_before(told: Talked, share: int) -> None:
    found = stss.score(PARTY, days(guest("bea"), talks=(told,)))
    assert found.goal == pytest.approx(1 / 3)
    assert found.goal_by_word == pytest.approx(share / 3)


def test_whether_words_that_do_not_name_it_told_of_it_nobody_can_tell() -> None:
    vague = talk("mon 10:00", "ada", "bea", "Come to the terrace on Tuesday!", "I shall.")
    assert stss.score(PARTY, days(guest("bea"), talks=(vague,))).goal_by_word is None
    missed = stss.score(PARTY, days(talks=(vague,)))
    assert missed.goal_by_word == 0, "who did not come makes no difference"
    full = [talk("mon 11:00", "ada", who, "A party!") for who in EVERYBODY[:3]]
    full_house = days(*map(guest, EVERYBODY[:4]), talks=(vague, *full))
    assert stss.score(PARTY, full_house).goal_by_word == 1, "enough came who were told"


def doing(of: stss.SocialTask, *talks: Talked, **texts: str) -> float | None:
    place = of.place or "Cafe: terrace"
    both = [
        Life(who).goes("tue 18:00", place, text).does("tue 19:00", "rest")
        for who, text in texts.items()
    ]
    return stss.score(
        of, lived(*both, *(Life(w) for w in EVERYBODY if w not in texts), *talks)
    ).goal_by_word


def test_all_types_have_it() -> None:
    together = {"ada": "manuscript", "bea": "manuscript"}
    asked = talk("mon 10:00", "ada", "bea", "Shall we read the manuscript?")
    assert (doing(MEETING, asked, **together), doing(MEETING, **together)) == (1, 0)
    outing = {"ada": "picnic", "bea": "picnic"}
    invited = talk("mon 10:00", "ada", "bea", "A picnic!")
    assert (doing(PICNIC, invited, **outing), doing(PICNIC, **outing)) == (0.5, 0)
    online = {"ada": "Starfarm", "bea": "Starfarm"}
    played = talk("mon 10:00", "ada", "bea", "Starfarm tomorrow?")
    assert doing(GAME, played, **online) == pytest.approx(1 / 3)
    assert doing(GAME, **online) == 0


def test_at_once_in_two_places_counts_half_if_the_partner_was_told() -> None:
    apart = (
        Life("ada").does("tue 10:00", "manuscript").does("tue 11:00", "rest"),
        Life("bea").goes("tue 10:00", "Park: meadow", "manuscript").does("tue 11:00", "rest"),
    )
    others = [Life(who) for who in EVERYBODY[1:]]
    told = talk("mon 10:00", "ada", "bea", "Shall we read the manuscript?")
    assert stss.score(MEETING, lived(*apart, *others, told)).goal_by_word == 0.5
    assert stss.score(MEETING, lived(*apart, *others)).goal_by_word == 0


def test_who_helps_was_asked_in_a_conversation() -> None:
    found = stss.score(MEDICINE, lived(*map(Life, ("ada", *EVERYBODY))))
    assert found.goal_by_word == found.goal == 0


# ------------------------------------------------------------------ placards


def test_a_placard_is_flagged_with_who_when_and_what() -> None:
    found = stss.score(PARTY, days())
    assert [(one.who, f"{one.when:%A %H:%M}", one.text) for one in found.placards] == [
        ("ada", "Monday 09:00", PLACARD)
    ]


def test_where_the_time_is_open_the_whole_date_is_before_the_event() -> None:
    ada = Life("ada").does("tue 09:00", "Tuesday: a picnic in the Park, come!")
    assert len(stss.score(PICNIC, lived(ada, *map(Life, EVERYBODY))).placards) == 1


def test_a_thing_can_be_a_placard_too() -> None:
    ada = Life("ada")
    ada.records.append(ObjectBecame(at("mon 09:00"), "ada", "Cafe: terrace", "board", PLACARD))
    (placard,) = stss.score(PARTY, lived(ada, *map(Life, EVERYBODY))).placards
    assert (placard.who, placard.text) == ("ada", PLACARD)


@pytest.mark.parametrize(
    ("when", "text"),
    [
        ("mon 09:00", "preparing the harvest party"),
        ("mon 09:00", "going to the Cafe at 18:00"),
        ("mon 09:00", "baking for the party on Tuesday"),
        ("tue 18:00", "hosting the party at the Cafe from 18:00"),
    ],
)
def test_preparing_and_holding_it_is_no_placard(when: str, text: str) -> None:
    plain = Life("ada").does(when, text)
    assert stss.score(PARTY, lived(plain, *map(Life, EVERYBODY))).placards == ()


def test_who_read_a_placard_and_stayed_away_is_not_called_untold() -> None:
    found = stss.score(PARTY, days(reader("bea")))
    assert {one.who: one.fate for one in found.accounts} == {
        "bea": "read of it",
        **dict.fromkeys(EVERYBODY[1:], "never told"),
    }
    assert found.accounts[0].words == "only read of it in what somebody was doing"
    near = reader("bea", Life("bea").goes("tue 18:00", "Cafe: terrace", "read"))
    assert stss.score(PARTY, days(near)).accounts[0].words == (
        "was there at the right time, doing something else, and only read of it in what somebody "
        "was doing"
    )
