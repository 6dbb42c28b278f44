"""Talks: who speaks when, how long they last, how they end."""

from __future__ import annotations

from typing import Any

import pytest

from puppet_town import (
    ANN,
    BEN,
    CAFE,
    CARRY_ON,
    CID,
    TALK,
    Lived,
    Puppet,
    at,
    day,
    lived,
    planned,
    setting,
)
from sociolab.core import ReplyError
from sociolab.town import Did, Items, Rules, Said, Summarise, Talked, TalkReminder, Utter

PLANS = planned(ann=day(f"09:00 mend clocks @ {CAFE}"), ben=day(f"10:00 drink tea @ {CAFE}"))


def only_ben(question: Any) -> Any:
    return TALK if question.meta.resident == "ben" else CARRY_ON


def talk_of(said: Any, **fields: Any) -> tuple[Puppet, Lived, Talked]:
    """One talk in the cafe that Ben begins."""
    puppet = Puppet(plan_day=PLANS, talk_or_not=only_ben, utter=said)
    told = lived(puppet, setting((ANN, BEN), **fields))
    (talk,) = told.of(Talked)
    return puppet, told, talk


def speaks(*texts: str, ends: int = 99) -> Any:
    """The utterances in order; number `ends` says goodbye."""

    def said(question: Utter) -> Said:
        number = len(question.lines)
        return Said(text=texts[number % len(texts)], ends=number == ends)

    return said


def test_a_talk_has_at_most_eight_rounds_of_an_utterance_by_each() -> None:
    puppet, _, talk = talk_of(speaks("On and on."))
    assert len(talk.lines) == 16
    assert talk.how == "round limit"
    assert [line.who for line in talk.lines] == ["ben", "ann"] * 8
    assert [q.left for q in puppet.of(Utter, "ben")] == [8, 7, 6, 5, 4, 3, 2, 1]
    assert [q.left for q in puppet.of(Utter, "ann")] == [8, 7, 6, 5, 4, 3, 2, 1]


def test_who_began_it_speaks_first_and_each_knows_who_that_was() -> None:
    puppet, _, talk = talk_of(speaks("Hello."))
    assert (talk.who, talk.other) == ("ben", "ann")
    assert talk.lines[0].who == "ben"
    assert {(q.meta.resident, q.started) for q in puppet.of(Utter)} == {
        ("ben", True),
        ("ann", False),
    }


@pytest.mark.parametrize(("ends", "lines"), [(0, 2), (1, 3), (6, 8), (14, 16)])
def test_after_goodbye_the_other_answers_once(ends: int, lines: int) -> None:
    puppet, _, talk = talk_of(speaks("Hm.", ends=ends))
    assert len(talk.lines) == lines
    assert talk.how == "goodbye"
    *before, last = puppet.of(Utter)
    assert (last.closing, any(one.closing for one in before)) == (True, False)
    first = talk.lines[-2].name.split()[0]
    ended = f"{first} has ended the conversation with these words. You can answer once more"
    assert last.variables()["left"] == f"{ended}, and have the last word."


def test_each_hears_all_that_was_said_so_far() -> None:
    puppet, _, talk = talk_of(speaks("One.", "Two.", "Three.", ends=4))
    for number, question in enumerate(puppet.of(Utter)):
        assert question.lines == talk.lines[:number]
    for question in puppet.of(Summarise):
        assert question.lines == talk.lines


def test_a_talk_takes_a_step_an_utterance_at_least() -> None:
    _, told, talk = talk_of(speaks("Yes."))
    assert talk.end - talk.step == 16
    for who in ("ann", "ben"):
        (during,) = [did for did in told.of(Did, who) if did.state == "talking"]
        assert during.step == talk.step
        after = next(did for did in told.of(Did, who) if did.step > talk.step)
        assert after.step == talk.end


def test_many_words_take_as_long_as_it_takes_to_say_them() -> None:
    _, told, talk = talk_of(speaks("word " * 150, ends=2))
    assert len(talk.lines) == 4
    assert talk.end - talk.step == 4 * 6, "150 words a minute, six steps a minute"
    _, _, slow = talk_of(speaks("word " * 150, ends=2), rules=Rules(words_a_minute=75))
    assert slow.end - slow.step == 2 * 4 * 6
    assert told.of(Did, "ann")


def test_a_talk_is_about_what_one_was_doing_and_then_that_goes_on() -> None:
    _, told, talk = talk_of(speaks("Yes."))
    before, during, after = [
        did for did in told.of(Did, "ann") if at("09:05") < did.step or did.doing == "mend clocks"
    ][1:4]
    assert (during.doing, during.block, during.place) == (
        "talking with Ben Moor",
        "mend clocks",
        before.place,
    )
    assert (after.step, after.doing, after.place) == (talk.end, "mend clocks", CAFE)


def test_an_utterance_that_does_not_come_ends_the_talk_as_failed() -> None:
    def third_is_lost(question: Utter) -> Said:
        if len(question.lines) == 2:
            raise ReplyError("lost", raw="", cause="timeout")
        return Said(text="Well.")

    puppet, _, talk = talk_of(third_is_lost)
    assert (talk.how, len(talk.lines)) == ("failed", 2)
    assert {len(q.lines) for q in puppet.of(Summarise)} == {2}


def test_plan_and_checklist_are_shown_in_every_talk_to_the_performer_alone() -> None:
    """Made once, before the first day; shown whoever one talks with."""
    puppet = Puppet(
        plan_day=lambda _: day(f"09:00 knit @ {CAFE}", f"14:00 hum @ {CAFE}"),
        talk_or_not=lambda _: TALK,
        utter=speaks("Yes.", ends=3),
        talk_reminder=lambda _: Items(items=("the party", "the hour")),
    )
    talks = lived(puppet, setting((ANN, BEN, CID), days=2, tdp={"ann": "Hold a party."})).of(
        Talked, "ann"
    )
    assert len(talks) > 2
    assert {other for talk in talks for other in (talk.who, talk.other)} == {"ann", "ben", "cid"}
    (asked,) = puppet.of(TalkReminder)
    assert (asked.meta.resident, asked.meta.step) == ("ann", 0)
    assert (asked.goal, asked.plan) == ("Hold a party.", ("invite", "remind", "be there"))
    for question in puppet.of(Utter):
        texts = (("invite", "remind", "be there"), ("the party", "the hour"))
        mine = question.meta.resident == "ann"
        assert (question.plan, question.checklist) == (texts if mine else ((), ()))
