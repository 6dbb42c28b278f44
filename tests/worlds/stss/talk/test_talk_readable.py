"""What of an episode there is to judge: both levels, the talk alone, or nothing."""

from __future__ import annotations

import pytest

from sociolab.core import Answered, Ended, Episode, Event, Task, Trial, Unusable
from sociolab.judging import MissingValue, NoValue
from sociolab.worlds import stss
from sociolab.worlds.stss.talk.verdicts import readable
from worlds.stss.talk.talk_scenarios import PUBLIC, scenario

SCENARIO = scenario(PUBLIC)
MINE, THEIRS = SCENARIO.performer.resident.id, SCENARIO.other.resident.id
END = Ended("turn limit", 3)


def said(turn: int, seat: str, text: str) -> Answered:
    return Answered(turn, seat, "utter", {"text": text, "ends": False})


def noted(memo: str) -> Answered:
    return Answered(2, THEIRS, "summarise", {"memo": memo, "importance": 4})


def failed(seat: str, name: str) -> Unusable:
    return Unusable(1, seat, name, 3, "unreadable", "found an empty reply", "", final=True)


TALK = (said(0, MINE, "Good day."), said(1, THEIRS, "Good day to you."))


def read(*events: Event) -> tuple[stss.HeldTalk | NoValue, str | NoValue]:
    task = Task(SCENARIO.id, (MINE, THEIRS), SCENARIO.task.id, SCENARIO.model_dump_json())
    found = readable(SCENARIO, Episode(Trial("t", "stss-talk", task, (), 0, 1), events))
    return found[0], found[1] if isinstance(found[1], NoValue) else found[1].memo


def test_a_talk_that_was_held_and_noted_is_read_at_both_levels() -> None:
    told, note = read(*TALK, noted("We met."), END)
    assert isinstance(told, stss.HeldTalk)
    assert [line.text for line in told.lines] == ["Good day.", "Good day to you."]
    assert note == "We met."


@pytest.mark.parametrize(
    ("events", "why"),
    [
        ((), "expected a finished conversation"),
        ((*TALK, noted("We met.")), "expected a finished conversation"),
        ((END,), "nobody said anything"),
        (
            (TALK[0], failed(THEIRS, "utter"), Ended("failed turn", 1, THEIRS)),
            f"the conversation broke off: {THEIRS} gave no usable utterance (found an empty reply)",
        ),
        (
            (*TALK, failed(MINE, "utter"), Ended("silence", 2, MINE)),
            f"the conversation broke off: {MINE} gave no usable utterance (found an empty reply)",
        ),
        (
            (TALK[0], failed(THEIRS, "utter"), noted("We met."), Ended("silence", 1, THEIRS)),
            f"{THEIRS} gave no usable utterance",
        ),
        ((TALK[0], Ended("silence", 1, THEIRS)), f"{THEIRS} gave no usable utterance"),
        ((failed(MINE, "general_plan"), Ended("failed turn", 0, MINE)), "usable general plan"),
    ],
)
def test_a_talk_that_has_no_end_or_no_words_is_lost_with_its_note(
    events: tuple[Event, ...], why: str
) -> None:
    told, note = read(*events)
    assert isinstance(told, MissingValue)
    assert (told.cause, note) == ("incomplete", told)
    assert why in told.problem


@pytest.mark.parametrize("reason", ["turn limit", "failed turn"])
def test_a_note_that_failed_leaves_the_talk_to_be_judged(reason: str) -> None:
    ended = Ended("failed turn", 2, THEIRS) if reason == "failed turn" else END
    told, note = read(*TALK, failed(THEIRS, "summarise"), ended)
    assert isinstance(told, stss.HeldTalk)
    assert isinstance(note, MissingValue)
    assert f"{THEIRS} wrote no usable note (found an empty reply)" in note.problem


def test_a_talk_without_any_note_has_none_to_judge() -> None:
    told, note = read(*TALK, END)
    assert isinstance(told, stss.HeldTalk)
    assert note == MissingValue("incomplete", "expected a note of the conversation, found none")


def test_a_reminder_that_was_gone_without_does_not_spoil_the_talk() -> None:
    told, note = read(failed(MINE, "talk_reminder"), *TALK, noted("We met."), END)
    assert isinstance(told, stss.HeldTalk)
    assert note == "We met."
