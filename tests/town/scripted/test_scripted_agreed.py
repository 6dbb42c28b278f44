"""What was agreed is kept at its time, and what is over is left alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from scripted_questions import (
    ANA,
    KITE,
    LIFESTYLE,
    MEETING,
    MONDAY,
    NOW,
    PICNIC,
    PLACES,
    TOM,
    TUESDAY,
    answered,
    asked,
    block,
    me,
    other,
    plan_day,
    resident,
    says,
    talk_or_not,
    utter,
)
from sociolab.town.answers import Entry, Summary
from sociolab.town.scripted.business import own_place, own_time
from sociolab.town.scripted.mind import ScriptedMind
from sociolab.town.scripted.task_reading import task_of
from sociolab.town.thoughts import Block, Commitment, Decompose, Line, Memory, Replan, Summarise

MIND = ScriptedMind()
HOST, GUEST = resident(ANA, KITE), resident(TOM)
TODAY = Commitment(
    "take part in the kite evening", MONDAY, "19:00", 60, "Heron Park: meadow", "ana-ruiz"
)
KITES = "taking part in the kite evening"
EVENING = datetime(2024, 5, 13, 20, 30)


def rest(*noted: Commitment, now: datetime = NOW, why: str = "") -> tuple[Entry, ...]:
    ahead: tuple[Block, ...] = (block("writing letters", start="10:00", end="22:00"),)
    here = me(GUEST, now)
    bed = datetime(2024, 5, 13, 22, 30)
    return answered(MIND.replan(Replan(asked(GUEST), here, why, ahead, bed, noted))).entries


def at(entries: tuple[Entry, ...], words: str) -> list[str]:
    return [one.start for one in entries if words in one.what]


def kept(noted: tuple[Commitment, ...], *lines: Line, now: datetime = NOW) -> Summary:
    question = Summarise(asked(GUEST), me(GUEST, now), other(ANA), lines, noted, ())
    return answered(MIND.summarise(question))


def test_a_noted_time_beats_a_note_without_one_whichever_is_newer() -> None:
    untimed = replace(TODAY, start="", place="", by="eva-lind")
    own = (replace(TODAY, by=""), replace(untimed, by=""))
    for noted in (own, own[::-1]):
        assert at(rest(*noted), "kite") == ["18:45"]


def test_the_same_with_another_person_is_one_matter() -> None:
    with_ana = Commitment("watching the film with Ana Ruiz", MONDAY, "20:30", 90, "", "")
    with_eva = Commitment("watching the film with Eva Lind", MONDAY, "", 90, "", "")
    assert at(rest(with_ana, with_eva), "watching the film") == ["20:15"]


@pytest.mark.parametrize("what", ["take part in the kite evening", "watch the film", "meet Eva"])
def test_what_has_no_time_is_not_begun_on_ones_own(what: str) -> None:
    untimed = Commitment(what, TUESDAY, "", 60, "", "")
    plan = answered(MIND.plan_day(plan_day(GUEST, commitments=(untimed,))))
    words = what.split()[-1]
    assert not at(plan.entries, words)
    assert not at(rest(replace(untimed, day=MONDAY)), words)


def test_an_event_that_is_planned_at_another_time_is_moved_to_the_noted_one() -> None:
    ahead = (block(KITES, start="12:30", end="13:30"), block("reading", start="13:30", end="22:00"))
    bed = datetime(2024, 5, 13, 22, 30)
    question = Replan(asked(GUEST), me(GUEST), "", ahead, bed, (replace(TODAY, by=""),))
    assert at(answered(MIND.replan(question)).entries, "kite") == ["18:45"]


def test_nobody_joins_before_the_time_that_was_agreed() -> None:
    seen = other("Eva Lind", KITES)
    decisions = set()
    for seed in range(40):
        question = talk_or_not(GUEST, seen, seed=seed, commitments=(TODAY,))
        question = replace(question, me=replace(question.me, place=PLACES[3]))
        decisions.add(answered(MIND.talk_or_not(question)).do)
    assert "change plan" not in decisions


def test_who_joins_an_event_says_what_it_is_without_its_part() -> None:
    seen = other("Eva Lind", f"{KITES} (finding a place among the others)")
    reasons = set()
    for seed in range(40):
        question = talk_or_not(GUEST, seen, seed=seed)
        question = replace(question, me=replace(question.me, place=PLACES[3]))
        reasons.add(answered(MIND.talk_or_not(question)).why)
    assert f"join Eva Lind, who is {KITES}" in reasons
    assert not any("(" in why for why in reasons)


def test_a_time_that_is_noted_is_not_lost_in_the_next_talk() -> None:
    lines = (
        says(HOST, "I am holding a kite evening today. Would you like to come?"),
        says(GUEST, "Yes, gladly!"),
    )
    (agreed,) = kept((TODAY,), *lines).agreed
    assert (agreed.start, agreed.place) == ("19:00", "Heron Park: meadow")


def test_what_is_over_is_neither_noted_nor_accepted() -> None:
    invitation = says(HOST, "I am holding a kite evening today at 19:00. Would you like to come?")
    late = datetime(2024, 5, 13, 20, 30)
    assert kept((), invitation, says(GUEST, "Yes, gladly!"), now=NOW).agreed
    assert not kept((), invitation, says(GUEST, "Yes, gladly!"), now=late).agreed
    for noted in ((), (TODAY,)):
        question = utter(GUEST, other(), invitation, commitments=noted)
        question = replace(question, me=me(GUEST, late))
        assert answered(MIND.utter(question)).text.startswith("I am sorry")


@pytest.mark.parametrize(
    ("noted", "now", "doing"),
    [
        (TODAY, EVENING, "resting"),
        (replace(TODAY, start=""), NOW, "resting"),
        (TODAY, NOW, KITES),
    ],
)
def test_news_of_what_is_over_or_seen_by_the_other_is_not_passed_on(
    noted: Commitment, now: datetime, doing: str
) -> None:
    hello = (says(GUEST, "Hello!"), says(HOST, "Hello, all is well."))
    fresh, stale = set(), set()
    for seed in range(20):
        question = utter(GUEST, other("Eva Lind"), *hello, seed=seed, commitments=(TODAY,))
        fresh.add("Have you heard" in answered(MIND.utter(question)).text)
        again = replace(
            question, me=me(GUEST, now), commitments=(noted,), other=other("Eva Lind", doing)
        )
        stale.add("Have you heard" in answered(MIND.utter(again)).text)
    assert True in fresh
    assert stale == {False}


def test_a_host_invites_nobody_who_takes_part_already() -> None:
    seeking = "going among people"
    there = talk_or_not(HOST, other(TOM, KITES), seeking)
    seen = Memory(NOW, "seen", f"Tom Hale is {KITES}")
    was_there = talk_or_not(HOST, other(TOM), seeking, memories=(seen,))
    assert answered(MIND.talk_or_not(talk_or_not(HOST, other(TOM), seeking))).why
    for question in (there, was_there):
        assert answered(MIND.talk_or_not(question)).why != "there is something to tell them"


def test_who_was_told_before_does_not_call_it_new() -> None:
    told = Memory(NOW, "talk", "Eva Lind told me about the kite evening that Ana Ruiz holds.")
    line = says(HOST, "I am holding a kite evening tomorrow.")
    new, known = (
        answered(MIND.utter(utter(GUEST, other(), says(GUEST, "Hello Ana!"), line, memories=had)))
        for had in ((), (told,))
    )
    assert "new to me" in new.text
    assert "new to me" not in known.text


def test_who_has_given_assurance_today_gives_it_in_few_words() -> None:
    reminder = says(HOST, "Do not forget the kite evening today at 19:00. Will you come?")
    first = answered(MIND.utter(utter(GUEST, other(), reminder, commitments=(TODAY,)))).text
    assert "forgotten" in first or "noted" in first
    before = Memory(NOW, "talk", "Ana Ruiz invited me to the kite evening today. I have agreed.")
    for lines in ((reminder, says(GUEST, first), reminder), (reminder,)):
        question = utter(GUEST, other(), *lines, commitments=(TODAY,), memories=(before,))
        text = answered(MIND.utter(question)).text
        assert "forgotten" not in text
        assert "noted" not in text


def test_who_is_reminded_of_what_is_under_way_goes_there() -> None:
    reminder = says(HOST, "Do not forget the kite evening today at 19:00. Will you come?")
    now = datetime(2024, 5, 13, 19, 10)
    assert kept((TODAY,), reminder, says(GUEST, "Yes, see you then!"), now=now).changes_plan
    entries = rest(replace(TODAY, by=""), now=now)
    assert entries[0].what == KITES


def part(what: str) -> str:
    where = block(what, start="10:00", end="12:00")
    question = Decompose(asked(GUEST), me(GUEST), where, ("blackboard", "table", "oven"))
    return answered(MIND.decompose(question)).parts[0].what


def test_parts_are_those_of_the_one_who_does_it() -> None:
    assert part("attending lectures") == "listening and taking notes"
    assert part("attending a pottery class") == "listening and taking notes"
    assert part("lecturing on waves") == "explaining at the board"
    assert part("teaching a class") == "explaining at the board"
    assert part("selling bread") == "looking after customers"
    assert part("baking bread") == "kneading dough"


def test_who_has_done_the_shopping_does_not_shop_for_pleasure() -> None:
    who = resident(
        routine="buys groceries at Greengage Market: shop floor from 9:00 to 9:30",
        lifestyle=LIFESTYLE,
    )
    for seed in range(60):
        plan = answered(MIND.plan_day(plan_day(who, seed=seed)))
        bought = [e.what for e in plan.entries if e.what.startswith(("buying", "shopping"))]
        assert bought == ["buying groceries"]


def test_an_appointment_is_proposed_indoors_and_not_at_night() -> None:
    who = resident(ANA, MEETING)
    here = replace(me(who), objects={"Copper Kettle Pub: bar room": ("table",)})
    task = task_of(here)
    assert task is not None
    for seed in range(20):
        assert own_place(here, task, seed) == "Copper Kettle Pub: bar room"
        assert own_time(here, task, (), seed, "") <= "18:00"
        question = utter(GUEST, other(), says(HOST, "I would like to meet you tomorrow for a "
                         "review of the club ledger. Would that suit you?"), seed=seed)  # fmt: skip
        text = answered(MIND.utter(question)).text
        assert "20:00" not in text
        assert "Heron Park" not in text


def test_once_a_time_is_noted_the_performer_names_no_other() -> None:
    host = resident(ANA, PICNIC)
    noted = Commitment("taking part in the picnic", TUESDAY, "16:40", 60, "", "tom-hale")
    lines = (
        says(HOST, "I would like to have a picnic. Will you come?"),
        says(GUEST, "When is it?"),
    )
    for seed in range(20):
        question = utter(host, other("Max Roth"), *lines, seed=seed, commitments=(noted,))
        text = answered(MIND.utter(question)).text
        assert "16:40" in text or " at " not in text.split(". ")[0]


def test_who_has_spoken_about_it_today_does_not_forget_it() -> None:
    noted = replace(TODAY, by="eva-lind")
    spoken = Memory(NOW, "talk", "Eva Lind told me about the kite evening. I have agreed.")
    came = {True: set[bool](), False: set[bool]()}
    for seed in range(60):
        for had in came:
            here = me(GUEST, NOW, *((spoken,) if had else ()))
            bed = datetime(2024, 5, 13, 22, 30)
            question = Replan(asked(GUEST, seed=seed), here, "", (block("reading"),), bed, (noted,))
            came[had].add(bool(at(answered(MIND.replan(question)).entries, "kite")))
    assert came == {True: {True}, False: {True, False}}
