from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from itertools import pairwise

import pytest

from scripted_questions import (
    ANA,
    FLOUR,
    KITE,
    MONDAY,
    NOW,
    TOM,
    TUESDAY,
    answered,
    block,
    day_reminder,
    me,
    other,
    remembered,
    resident,
    says,
    summary,
    talk_or_not,
    talk_reminder,
    utter,
)
from sociolab.town.map import own_map
from sociolab.town.scripted.activities import Chore
from sociolab.town.scripted.mind import ScriptedMind
from sociolab.town.scripted.phrases import errands
from sociolab.town.scripted.settled import answers
from sociolab.town.scripted.task_reading import read_task
from sociolab.town.scripted.understanding import read
from sociolab.town.scripted.where import spoken
from sociolab.town.thoughts import Commitment, Decompose, Line, Summarise, Utter

MIND = ScriptedMind()
HOST, GUEST = resident(ANA, KITE), resident(TOM)
TOWN = tuple(str(place) for place in own_map().places)
NOTED = Commitment(
    "take part in the kite evening", TUESDAY, "18:00", 90, "Heron Park: meadow", "ana-ruiz"
)
INVITATION = (
    "Hello Tom! I am holding a kite evening at the meadow in Heron Park on Tuesday 14 May at "
    "18:00. Would you like to come?"
)
DECLINED = remembered(
    "Ana Ruiz invited me to the kite evening on Tuesday 14 May at 18:00 at the meadow in Heron "
    "Park. I have declined: I have to work then."
)
NEWS = (
    "Have you heard? Ana Ruiz is holding a kite evening at the meadow in Heron Park on Tuesday 14 "
    "May at 18:00. You should come."
)


def reply(question: Utter) -> str:
    return answered(MIND.utter(question)).text


# ------------------------------------------------------------------ places


@pytest.mark.parametrize("place", TOWN)
def test_every_place_of_the_town_is_said_as_people_say_it_and_understood(place: str) -> None:
    words = f"I am holding a kite evening {spoken(place)} on Tuesday 14 May at 18:00."
    assert ": " not in words
    found = read(words, NOW, TOWN)
    assert (found.places, found.activity, found.start) == ((place,), "kite evening", "18:00")


@pytest.mark.parametrize("place", TOWN)
def test_the_places_of_an_errand_are_understood_as_they_are_said(place: str) -> None:
    chores = (Chore("pick up the flour", place), Chore("deliver the flour", TOWN[20]))
    found = read(f"Could you {errands(chores)} tomorrow?", NOW, TOWN)
    assert found.chores == chores


def test_a_place_that_one_does_not_know_is_recognised_and_noted() -> None:
    lines = (
        says(HOST, "I am holding a kite evening in the gallery of Old Mill Studios tomorrow at "
             "18:00. Will you come?"),
        says(GUEST, "Sure, I will be there."),
    )  # fmt: skip
    asked = replace(utter(GUEST, other(), lines[0]), me=replace(me(GUEST), names=TOWN))
    for seed in range(20):
        again = replace(asked, asked=replace(asked.asked, seed=seed))
        assert "here would that be" not in reply(again)
    question = Summarise(asked.asked, asked.me, other(), lines, (), ())
    kept = answered(MIND.summarise(question)).agreed
    assert kept[0].place in ("Old Mill Studios: gallery", "")


# ------------------------------------------------------------------ keeping one's word


@pytest.mark.parametrize(
    "words",
    [
        "Hello Tom! See you tomorrow at six?",
        "Will you still come tomorrow?",
        "Don't forget the kite evening tomorrow at 18:00!",
        INVITATION,
    ],
)
def test_who_has_accepted_confirms_when_reminded(words: str) -> None:
    for seed in range(10):
        text = reply(utter(GUEST, other(), says(HOST, words), seed=seed, commitments=(NOTED,)))
        assert "Tuesday 14 May at 18:00 at the meadow in Heron Park" in text


@pytest.mark.parametrize(
    "words", [INVITATION, "Can you come after all tomorrow at six?", "Will you come tomorrow?"]
)
def test_who_has_declined_keeps_the_answer(words: str) -> None:
    for seed in range(10):
        question = utter(GUEST, other(), says(HOST, words), seed=seed, memories=(DECLINED,))
        assert reply(question) == "I am sorry, it is as I said: I have to work then."


def test_a_changed_answer_says_what_has_changed() -> None:
    later = says(HOST, INVITATION.replace("18:00", "20:00"))
    texts = [
        reply(utter(GUEST, other(), later, seed=seed, memories=(DECLINED,))) for seed in range(20)
    ]
    accepting = [text for text in texts if read(text, NOW).accepts]
    assert accepting
    assert all(text.startswith("At 20:00 it is different.") for text in accepting)


def test_a_question_beside_the_matter_does_not_open_what_is_settled() -> None:
    lines = [says(HOST, INVITATION), says(GUEST, "Sure, I will be there. See you on Tuesday.")]
    bread = reply(utter(GUEST, other(), *lines, says(HOST, "Do you like sourdough or rye bread?")))
    assert "hen is it" not in bread
    assert "hen would" not in bread
    for thanks in ("Thank you, Tom! Until then.", "Great, thank you!"):
        thanked = reply(utter(GUEST, other(), *lines, says(HOST, thanks)))
        assert thanked.startswith("You are welcome.")


def test_a_greeting_is_returned_only_at_the_start() -> None:
    lines = (says(HOST, "Hello Tom!"), says(GUEST, "Hello Ana!"), says(HOST, "I must go now, bye!"))
    for seed in range(10):
        text = reply(utter(GUEST, other(), *lines, seed=seed))
        assert "Hello" not in text
        assert "bye" in text.lower()


def test_who_asks_one_to_come_without_a_word_about_it_is_asked_what_for() -> None:
    first = says(HOST, "Hi Tom, will you be there tomorrow at five?")
    assert "for?" in reply(utter(GUEST, other(), first))
    lines = (
        first,
        says(GUEST, "What would that be for?"),
        says(HOST, "It is a bread tasting on the terrace of Lantern Cafe."),
        says(GUEST, "Sure, I will be there."),
    )
    kept = summary(GUEST, other(), lines, seed=3).agreed[0]
    assert (kept.what, kept.start) == ("take part in the bread tasting", "17:00")


def test_what_is_known_of_a_matter_need_not_be_said_again() -> None:
    heard = remembered(
        "Eva Lind told me about the kite evening that Ana Ruiz holds on Tuesday 14 May at 18:00 "
        "at the meadow in Heron Park. I did not say yes or no."
    )
    bare = says(HOST, "I am holding a kite evening. Would you like to come?")
    texts = [reply(utter(GUEST, other(), bare, seed=seed, memories=(heard,))) for seed in range(20)]
    assert any("Tuesday 14 May at 18:00 at the meadow in Heron Park" in text for text in texts)
    assert not any(read(text, NOW).asks for text in texts)


# ------------------------------------------------------------------ one's own event, and news


def test_a_host_knows_its_own_event_when_it_comes_back_as_news() -> None:
    told = Line("eva-lind", "Eva Lind", NEWS)
    text = reply(utter(HOST, other("Eva Lind"), told))
    assert "my own kite evening" in text
    assert not read(text, NOW).accepts
    lines = (told, says(HOST, text), Line("eva-lind", "Eva Lind", "Yes, I would love to come."))
    kept = summary(HOST, other("Eva Lind"), lines)
    assert kept.memo.endswith("Eva Lind has agreed.")
    assert kept.agreed == ()


def test_news_keeps_the_name_of_the_host() -> None:
    told = remembered(
        "Eva Lind told me about the kite evening that Ana Ruiz holds on Tuesday 14 May at 18:00. "
        "I have agreed."
    )
    noted = replace(NOTED, by="eva-lind")
    hello = (says(GUEST, "Hello Max!"), Line("max-roth", "Max Roth", "Hello Tom!"))
    found = [
        reply(utter(GUEST, other("Max Roth"), *hello, seed=seed, commitments=(noted,),
                    memories=(told,)))
        for seed in range(20)
    ]  # fmt: skip
    news = [text for text in found if "Have you heard" in text]
    assert news
    assert all("Ana Ruiz is holding a kite evening" in text for text in news)
    lines = (says(GUEST, news[0]), Line("max-roth", "Max Roth", "Yes, I would love to come."))
    kept = summary(resident("Max Roth"), other(TOM), lines)
    assert "Tom Hale told me about the kite evening that Ana Ruiz holds" in kept.memo


# ------------------------------------------------------------------ who is still to be asked


@pytest.mark.parametrize(
    ("memo", "yes", "no"),
    [
        ("I invited Tom Hale to the kite evening. Tom Hale has agreed.", (TOM,), ()),
        ("Told Tom of the kite evening on Tuesday; he promised to come.", (TOM,), ()),
        ("Tom cannot make it to the kite evening, he has to work.", (), (TOM,)),
        ("Invited both to the kite evening. Tom will come. Eva declined.", (TOM,), ("Eva Lind",)),
        ("Tom and I talked about the weather. He will come by.", (), ()),
    ],
)
def test_answers_are_read_from_anybodys_memos(
    memo: str, yes: tuple[str, ...], no: tuple[str, ...]
) -> None:
    task = read_task(KITE, MONDAY)
    assert task is not None
    found = answers(me(HOST), task, (remembered(memo),), ())
    assert (found.yes, found.no) == (yes, no)


def test_all_with_whom_it_was_agreed_have_said_yes() -> None:
    task = read_task(KITE, MONDAY)
    assert task is not None
    noted = Commitment("kite evening", TUESDAY, "18:00", 90, "", "tom-hale", ("eva-lind",))
    assert set(answers(me(HOST), task, (), (noted,)).yes) == {TOM, "Eva Lind"}


def test_reminders_say_who_has_answered_and_ask_nobody_twice() -> None:
    noted = Commitment("kite evening", TUESDAY, "18:00", 90, "", "tom-hale", ("eva-lind",))
    no = remembered("Max Roth is not interested in the kite evening.")
    day = replace(day_reminder(KITE, TUESDAY), memories=(no,), commitments=(noted,))
    text = answered(MIND.day_reminder(day)).text
    for name in (TOM, "Eva Lind", "Max Roth"):
        assert name in text
    before = replace(talk_reminder(KITE), commitments=(noted,))
    assert "thank them" in " ".join(answered(MIND.talk_reminder(before)).items)
    refused = replace(talk_reminder(KITE, other("Max Roth")), memories=(no,))
    assert "kite" not in " ".join(answered(MIND.talk_reminder(refused)).items)


def test_on_the_day_itself_who_has_accepted_is_reminded_once() -> None:
    today = datetime(2024, 5, 14, 10, 0)
    noted = Commitment("kite evening", TUESDAY, "18:00", 90, "", "tom-hale")
    question = replace(talk_reminder(KITE), commitments=(noted,))
    question = replace(question, me=replace(question.me, now=today))
    items = "\n".join(answered(MIND.talk_reminder(question)).items)
    first = utter(HOST, other(TOM), reminder=items, commitments=(noted,))
    text = reply(replace(first, me=replace(first.me, now=today)))
    assert "Do not forget the kite evening today at 18:00" in text
    assert "Would you like to come" not in text


def test_nobody_who_has_answered_is_sought_out_again() -> None:
    agreed = remembered("I invited Tom Hale to the kite evening. Tom Hale has agreed.")
    for seed in range(10):
        question = talk_or_not(HOST, other(TOM), "going among people", seed, last_talk=NOW)
        question = replace(question, memories=(agreed,))
        assert answered(MIND.talk_or_not(question)).do == "carry on"


def test_one_helper_is_enough() -> None:
    host = resident(ANA, FLOUR)
    agreed = remembered(
        "I asked Eva Lind to first pick up the flour, then deliver the flour. Eva Lind has agreed."
    )
    question = replace(talk_or_not(host, other(TOM), last_talk=NOW), memories=(agreed,))
    assert answered(MIND.talk_or_not(question)).do == "carry on"


# ------------------------------------------------------------------ parts


@pytest.mark.parametrize(
    "what",
    ["relaxing at home", "serving customers", "having supper", "walking in the park", "juggling"],
)
def test_a_block_has_at_most_three_parts_and_none_twice_in_a_row(what: str) -> None:
    long = block(what, start="10:00", end="18:00")
    parts = answered(
        MIND.decompose(
            Decompose(utter(GUEST, other()).asked, me(GUEST), long, ("table", "counter", "shelf"))
        )
    ).parts
    assert len(parts) <= 3
    assert sum(part.minutes for part in parts) == 480
    assert all(one.what != after.what for one, after in pairwise(parts))
