from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from scripted_questions import (
    ANA,
    FLOUR,
    KITE,
    MEETING,
    NOW,
    TOM,
    TUESDAY,
    answered,
    other,
    remembered,
    resident,
    says,
    summary,
    talk,
    talk_or_not,
    utter,
)
from sociolab.town.answers import Said
from sociolab.town.scripted.mind import ScriptedMind
from sociolab.town.scripted.understanding import read
from sociolab.town.thoughts import Commitment, Line, TalkOrNot, Utter

MIND = ScriptedMind()
HOST, GUEST = resident(ANA, KITE), resident(TOM)
ITEMS = (
    "name the activity: the kite evening",
    "say the place: Heron Park: meadow",
    "say the time: Tuesday 14 May 2024 from 18:00 to 19:30",
    "ask whether they will come",
)
NOTED = Commitment(
    "take part in the kite evening", TUESDAY, "18:00", 90, "Heron Park: meadow", "ana-ruiz"
)


def said(question: Utter) -> Said:
    return answered(MIND.utter(question))


def decided(question: TalkOrNot) -> str:
    return answered(MIND.talk_or_not(question)).do


def spoken(lines: tuple[Line, ...], who: str = ANA) -> str:
    return " ".join(line.text for line in lines if line.name == who)


# ------------------------------------------------------------------ speaking


def test_a_reminded_performer_says_what_its_items_say() -> None:
    first = said(utter(HOST, other(TOM), reminder="\n".join(ITEMS))).text
    for words in (
        "kite evening",
        "at the meadow in Heron Park",
        "18:00",
        "Tuesday 14 May",
        "come?",
    ):
        assert words in first


@pytest.mark.parametrize(
    ("missing", "gone"),
    [(0, "kite evening"), (1, "Heron Park"), (2, "18:00"), (3, "Would you like to come?")],
)
def test_what_no_item_says_is_not_said(missing: int, gone: str) -> None:
    items = [item for place, item in enumerate(ITEMS) if place != missing]
    assert gone not in said(utter(HOST, other(TOM), reminder="\n".join(items))).text


def test_the_words_of_an_item_are_used_and_not_the_goals() -> None:
    items = "name the kite evening\nsay the place: Lantern Cafe: terrace\nsay the time: at 19:15"
    text = said(utter(HOST, other(TOM), reminder=items)).text
    assert "on the terrace of Lantern Cafe" in text
    assert "19:15" in text
    assert "Heron Park" not in text


def test_an_unreminded_performer_begins_with_small_talk_and_is_often_vague() -> None:
    openings = [said(utter(HOST, other(TOM), seed=seed)).text for seed in range(20)]
    assert not any("kite" in text for text in openings)
    hello = (says(HOST, "Hello Tom, how are things?"), says(GUEST, "All is well here."))
    pitches = [said(utter(HOST, other(TOM), *hello, seed=seed)).text for seed in range(30)]
    assert all("kite evening" in text for text in pitches)
    assert any("18:00" not in text for text in pitches)
    assert any("Heron Park" not in text for text in pitches)


def test_a_performer_who_is_asked_tells_when_and_where() -> None:
    lines = (
        says(HOST, "I am holding a kite evening. Would you like to come?"),
        says(GUEST, "Sounds nice. When and where is it?"),
    )
    answer = said(utter(HOST, other(TOM), *lines)).text
    assert "18:00" in answer or "Tuesday" in answer
    where = said(utter(HOST, other(TOM), lines[0], says(GUEST, "Where is it?"))).text
    assert "at the meadow in Heron Park" in where


def test_who_has_another_appointment_at_that_time_declines() -> None:
    busy = Commitment("meet Eva Lind to talk", TUESDAY, "18:30", 60, "", "eva-lind")
    invitation = says(
        HOST, "I am holding a kite evening at Heron Park: meadow on Tuesday 14 May at 18:00. "
        "Would you like to come?"
    )  # fmt: skip
    for seed in range(20):
        reply = said(utter(GUEST, other(ANA), invitation, seed=seed, commitments=(busy,))).text
        assert "sorry" in reply or "afraid" in reply


def test_who_is_free_accepts_more_often_than_not() -> None:
    invitation = says(
        HOST, "I am holding a kite evening at Heron Park: meadow on Tuesday 14 May at 18:00. "
        "Would you like to come?"
    )  # fmt: skip
    replies = [said(utter(GUEST, other(ANA), invitation, seed=seed)).text for seed in range(40)]
    assert 20 < sum("love to come" in text or "be there" in text for text in replies) < 40


def test_a_missing_time_is_asked_for() -> None:
    invitation = says(HOST, "I am holding a kite evening. Would you like to come?")
    replies = [said(utter(GUEST, other(ANA), invitation, seed=seed)).text for seed in range(20)]
    assert any("When" in text for text in replies)


def test_the_last_utterance_that_is_left_ends_the_talk() -> None:
    assert said(utter(HOST, other(TOM), left=1)).ends


@pytest.mark.parametrize("goal", [KITE, MEETING, FLOUR, ""])
@pytest.mark.parametrize("reminder", ["", "\n".join(ITEMS)])
def test_talks_end_politely_within_a_dozen_utterances(goal: str, reminder: str) -> None:
    for seed in range(15):
        lines = talk(resident(ANA, goal), GUEST, reminder, seed)
        assert 2 <= len(lines) <= 12
        assert any(word in lines[-1].text.lower() for word in ("bye", "until then"))


def test_an_appointment_is_agreed_with_time_and_place_on_both_sides() -> None:
    items = (
        "name the activity: meeting for a review of the club ledger\n"
        "say the place: Lantern Cafe: terrace\nsay the time: Tuesday 14 May at 17:00\n"
        "ask whether that suits them"
    )
    starter = resident(ANA, MEETING)
    for seed in range(10):
        lines = talk(starter, GUEST, items, seed)
        mine, theirs = summary(starter, other(TOM), lines), summary(GUEST, other(ANA), lines)
        if not mine.agreed or not all(one.agreed[0].place for one in (mine, theirs)):
            continue  # declined, or the place has slipped somebody's mind
        assert mine.agreed[0].start == theirs.agreed[0].start != ""
        assert mine.agreed[0].place == "Lantern Cafe: terrace"
        assert mine.agreed[0].what == "meet Tom Hale for a review of the club ledger"
        assert theirs.agreed[0].what == "meet Ana Ruiz for a review of the club ledger"
        return
    raise AssertionError("nobody ever agreed")


def test_news_of_an_event_is_passed_on() -> None:
    told = []
    for seed in range(20):
        question = utter(
            GUEST, other("Eva Lind"), says(GUEST, "Hello Eva!"), says(HOST, "Hello, all is well."),
            seed=seed, commitments=(NOTED,),
        )  # fmt: skip
        told.append(said(question).text)
    news = [text for text in told if "Have you heard" in text]
    assert news
    assert (
        "Ana Ruiz told me about a kite evening at the meadow in Heron Park on Tuesday 14 May"
        in news[0]
    )


def test_news_goes_neither_to_its_source_nor_twice_to_the_same() -> None:
    hello = (says(GUEST, "Hello!"), says(HOST, "Hello, all is well."))
    memo = remembered("I told Eva Lind about the kite evening on Tuesday 14 May.")
    for seed in range(20):
        to_host = utter(GUEST, other(ANA), *hello, seed=seed, commitments=(NOTED,))
        again = utter(
            GUEST, other("Eva Lind"), *hello, seed=seed, commitments=(NOTED,), memories=(memo,)
        )
        assert "Have you heard" not in said(to_host).text + said(again).text


ORGANISER = resident(ANA, MEETING)
ASKED = says(
    ORGANISER, "I would like to meet you on Tuesday 14 May for a review of the club ledger."
)
COUNTER = says(
    GUEST, "Gladly. How about on Tuesday 14 May at 17:30 on the terrace of Lantern Cafe?"
)


def test_a_performer_says_yes_to_a_time_and_place_that_suit_it() -> None:
    answer = said(utter(ORGANISER, other(TOM), ASKED, COUNTER)).text
    assert read(answer, NOW).accepts
    assert "17:30 on the terrace of Lantern Cafe" in answer


def test_a_performer_who_has_an_appointment_then_names_another_time() -> None:
    busy = Commitment("see the dentist", TUESDAY, "17:30", 60)
    answer = said(utter(ORGANISER, other(TOM), ASKED, COUNTER, commitments=(busy,))).text
    heard = read(answer, NOW)
    assert heard.counters
    assert not heard.accepts
    assert heard.start not in ("", "17:30")


def test_a_meeting_that_was_asked_back_is_agreed_by_the_answer_and_not_before() -> None:
    asked = (ASKED, COUNTER)
    assert not summary(GUEST, other(ANA), asked).agreed
    agreed = (*asked, says(ORGANISER, "Yes, that suits me."))
    (noted,) = summary(GUEST, other(ANA), agreed).agreed
    assert (noted.start, noted.place) == ("17:30", "Lantern Cafe: terrace")


# ------------------------------------------------------------------ whether to talk


def test_a_performer_speaks_to_those_whom_it_has_not_told_yet() -> None:
    seeking = "going among people"
    for seed in range(20):
        assert decided(talk_or_not(HOST, other(TOM), seeking, seed)) == "talk"
    memo = remembered(
        "I told Tom Hale about the kite evening on Tuesday 14 May. Tom Hale has agreed."
    )
    talked = NOW - timedelta(hours=3)
    for seed in range(20):
        question = talk_or_not(
            HOST, other(TOM), seeking, seed=seed, memories=(memo,), last_talk=talked
        )
        assert decided(question) == "carry on"


def test_who_works_talks_less_than_who_is_free() -> None:
    baker = resident(routine="sells bread at Larkfield Bakery: shop from 9:00 to 14:00")
    at_work = [talk_or_not(baker, other(), "selling bread", seed) for seed in range(60)]
    at_home = [talk_or_not(baker, other(), "relaxing at home", seed) for seed in range(60)]
    working = sum(decided(question) == "talk" for question in at_work)
    free = sum(decided(question) == "talk" for question in at_home)
    assert working < free


def test_nobody_chats_in_the_bathroom_or_again_without_a_reason() -> None:
    for seed in range(20):
        assert (
            decided(talk_or_not(GUEST, other(), "washing and getting dressed", seed)) == "carry on"
        )
        again = talk_or_not(GUEST, other(), seed=seed, last_talk=NOW - timedelta(hours=3))
        assert decided(again) == "carry on"


def test_an_event_that_was_agreed_to_is_joined_when_it_is_seen() -> None:
    here = other(ANA, "holding the kite evening")
    today = Commitment("take part in the kite evening", NOW.date(), "10:00", 90, "", "ana-ruiz")
    seen = [talk_or_not(GUEST, here, seed=seed, commitments=(today,)) for seed in range(20)]
    outdoors = [decided(question) for question in seen]
    there = [decided(replace(one, me=replace(one.me, place="Heron Park: meadow"))) for one in seen]
    assert there.count("change plan") > 10
    assert "change plan" not in outdoors  # somebody on the way is not joined
