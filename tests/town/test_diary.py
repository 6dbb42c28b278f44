"""A resident's days to read."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from puppet_town import (
    ANN,
    BEN,
    CAFE,
    TALK,
    Lived,
    Puppet,
    day,
    lived,
    memo,
    planned,
    setting,
)
from sociolab.core import ReplyError
from sociolab.town import DayPlan, Said, diary


@cache
def told() -> Lived:
    """Ann and Ben meet in the cafe; Ann has a task, and her second plan does not come."""

    def plan(question: Any) -> DayPlan:
        if question.day.day == 14:
            raise ReplyError("no JSON", raw="hm", cause="unreadable")
        given = planned(ann=day(f"09:00 knit @ {CAFE}"), ben=day(f"10:00 hum @ {CAFE}"))
        return cast(DayPlan, given(question))

    puppet = Puppet(
        plan_day=plan,
        talk_or_not=lambda _: TALK,
        utter=lambda q: Said(text=f"{q.me.resident.first_name} speaks of the Tower.", ends=True),
        summarise=lambda _: memo("We go fishing."),
    )
    return lived(puppet, setting((ANN, BEN), days=2, tdp={"ann": "Hold a party."}))


def test_each_day_has_its_date_and_its_moments_in_order() -> None:
    days = diary(told().trace, "ann")
    assert [heading for heading, _ in days] == ["Monday 13 May 2024", "Tuesday 14 May 2024"]
    for _, text in days:
        times = [line[:5] for line in text.splitlines() if line[:1].isdigit()]
        assert times == sorted(times)


def test_a_day_tells_what_was_planned_done_said_and_remembered() -> None:
    monday = diary(told().trace, "ann")[0][1]
    for line in (
        "00:00  asleep",
        "00:00  general plan to keep in mind: invite",
        "00:00  day to keep in mind: Invite everybody.",
        "00:00  talk to keep in mind: the party",
        "00:00  planned the day:",
        f"       09:00 knit ({CAFE})",
        "       Ann Moor: Ann speaks of the Tower.",
        "       Ben Moor: Ben speaks of the Tower.",
    ):
        assert line in monday.splitlines(), line
    assert "on the way" not in monday
    assert f"knit ({CAFE}, counter)" in monday
    assert "remembered: We go fishing." in monday


def test_what_was_merely_seen_is_left_out() -> None:
    assert "saw Ben" not in diary(told().trace, "ann")[0][1]


def test_a_talk_is_in_the_diaries_of_both_and_a_reminder_in_ones_own() -> None:
    mine, its = (diary(told().trace, who)[0][1] for who in ("ann", "ben"))
    assert "talked until" in mine
    assert "talked until" in its
    assert "to keep in mind" not in its


def test_a_question_without_an_answer_is_told_of() -> None:
    assert "went without an answer to plan_day (unreadable)" in diary(told().trace, "ann")[1][1]


def test_somebody_who_does_not_live_there_has_no_days() -> None:
    assert diary(told().trace, "zoe") == ()
