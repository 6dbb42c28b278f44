"""The exact judge: read off acts where both are scripted, and it cannot tell where they are not."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import cache

import pytest

from casts import seated
from fake_models import FakeModel
from sociolab.core import Judge, Score, ScoreFailure, Unscored, Verdict
from sociolab.town import CompleteMind, Matter, ScriptedMind, SpeechAct
from sociolab.worlds import stss
from worlds.stss.talk.talk_plays import Says, Unreminded, held
from worlds.stss.talk.talk_scenarios import (
    COMPANY,
    HELP,
    MEETING,
    ONLINE,
    PUBLIC,
    scenario,
    scenarios,
)

SEEDS = range(6)


def judged(*meant: tuple[str, str, dict[str, object]], task: str = PUBLIC) -> dict[str, str]:
    """Which conditions a talk with these acts ("P" or "O", kind, what differs) meets, and which the
    note does, in which the place was lost."""
    one = scenario(task)
    ids = {"P": one.performer.resident.id, "O": one.other.resident.id}
    acts = [
        SpeechAct.model_validate(
            {"by": ids[who], "kind": kind, "matter": one.task.matter.model_copy(update=differs)}
        )
        for who, kind, differs in meant
    ]
    kept = [act.model_copy(update={"matter": _unplaced(act.matter)}) for act in acts]
    mine = [act for act in acts if act.by == ids["P"]]
    theirs = [act for act in acts if act.by == ids["O"]]
    chats = [SpeechAct(by="anybody", kind="chat")] * 3
    performer = Says("One thing.", "Bye!", meant=[*mine, *chats])
    other = Says("I see.", meant=[*theirs, *chats], kept=kept)
    found = asyncio.run(stss.RecordedJudge().judge(held(one, performer, other)))
    reasons = {v.measure.name: v.reason for v in found if isinstance(v, Score)}
    return {
        level: " ".join(
            part.partition(":")[0] for part in reasons[name].split("; ") if ": yes" in part
        )
        for level, name in (("talk", "conversation_gcsr"), ("note", "summary_gcsr"))
    }


def _unplaced(matter: Matter | None) -> Matter | None:
    return matter and matter.model_copy(update={"place": ""})


def test_an_invitation_conveys_what_it_says_and_the_note_what_was_kept() -> None:
    assert judged(("P", "invite", {})) == {"talk": "invited place time", "note": "invited time"}
    assert judged(("P", "tell", {}))["talk"] == "place time"
    assert judged(("P", "invite", {"start": ""}))["talk"] == "invited place"
    assert judged(("P", "invite", {"start": "16:00"}))["talk"] == "invited place"
    assert judged(("P", "invite", {"place": "Town Hall: foyer"}))["talk"] == "invited time"
    assert judged(("P", "invite", {}), task=ONLINE)["talk"] == "invited time"


def test_what_the_other_says_is_not_told() -> None:
    assert judged(("O", "invite", {}))["talk"] == ""


@pytest.mark.parametrize("task", [MEETING, COMPANY])
def test_agreed_is_what_somebody_said_yes_to_last(task: str) -> None:
    place = "Lantern Cafe: terrace" if task == MEETING else scenario(task).task.place
    whole: dict[str, object] = {"start": "15:00", "place": place}
    first = "asked" if task == MEETING else "invited"
    asked = ("P", "invite", whole)
    assert f"{first} time" in judged(asked, ("O", "accept", whole), task=task)["talk"]
    assert "time" not in judged(asked, ("O", "decline", whole), task=task)["talk"]
    assert "time" not in judged(asked, ("O", "accept", whole | {"start": ""}), task=task)["talk"]
    assert "time" not in judged(asked, ("O", "counter", whole), task=task)["talk"]
    after = ("O", "accept", whole), ("P", "counter", whole | {"start": "16:00"})
    assert "time" not in judged(asked, *after, task=task)["talk"]


def test_errands_are_requested_each_with_its_place() -> None:
    matter = scenario(HELP).task.matter
    first, second = matter.chores
    unplaced = second.model_copy(update={"place": ""})
    assert judged(("P", "invite", {"chores": (first, unplaced)}), task=HELP)["talk"] == (
        "request-1 place-1 request-2"
    )


def test_another_matter_conveys_nothing() -> None:
    assert judged(("P", "invite", {"what": "something else"}))["talk"] == ""


def verdicts(performer: ScriptedMind, other: ScriptedMind) -> tuple[Verdict, ...]:
    return asyncio.run(stss.RecordedJudge().judge(held(scenario(PUBLIC), performer, other)))


@pytest.mark.parametrize("silent", ["performer", "other"])
def test_where_somebody_writes_no_acts_it_cannot_tell_and_names_who_can(silent: str) -> None:
    minds = [ScriptedMind(), ScriptedMind()]
    minds[silent == "other"] = Says("Come to my kite evening tomorrow at 17:00!")
    found = verdicts(*minds)
    assert [one.measure for one in found] == [*stss.MEASURES]
    for one in found:
        assert isinstance(one, Unscored)
        assert "--judge openai/MODEL" in one.why


def test_no_judge_draws_a_figure_from_another_performer_beside_a_scripted_partner() -> None:
    one = held(scenario(PUBLIC), Says("Come to my kite evening tomorrow at 17:00!"), ScriptedMind())
    performer, other = one.trial.cast
    cast = (seated(performer.seat, "python:mine:Mind"), seated(other.seat, "scripted"))
    smoke = replace(one, trial=replace(one.trial, cast=cast))
    model = FakeModel()
    for judge in (stss.RecordedJudge(), stss.TalkModelJudge(model)):
        found = asyncio.run(judge.judge(smoke))
        assert [each.measure for each in found] == [*stss.MEASURES]
        for each in found:
            assert isinstance(each, Unscored)
            assert "--background openai/MODEL" in each.why
    assert not model.calls


def test_a_talk_that_broke_off_is_a_failure_whoever_spoke() -> None:
    assert all(isinstance(one, ScoreFailure) for one in verdicts(Says(None), ScriptedMind()))


def test_its_figures_are_labelled_as_scripted() -> None:
    judge: Judge = stss.RecordedJudge()
    assert (judge.id.name, judge.id.method) == ("recorded", "scripted")


# ------------------------------------------------------------------ what reminders are worth


@cache
def rates(performer: type[ScriptedMind], *, tdp: bool) -> tuple[float, float]:
    """Mean GCSR of talks and notes, over one talk of each type and some seeds."""
    found: dict[str, list[float]] = {}
    for one in scenarios():
        for seed in SEEDS:
            episode = held(one, performer(), ScriptedMind(), tdp=tdp, seed=seed)
            for verdict in asyncio.run(stss.RecordedJudge().judge(episode)):
                assert isinstance(verdict, Score)
                found.setdefault(verdict.measure.name, []).append(verdict.value)
    talks, notes = found["conversation_gcsr"], found["summary_gcsr"]
    return sum(talks) / len(talks), sum(notes) / len(notes)


def test_a_reminder_lifts_the_plain_performer_to_the_complete_one_at_both_levels() -> None:
    plain, complete = rates(ScriptedMind, tdp=False), rates(CompleteMind, tdp=False)
    for level in (0, 1):
        assert complete[level] > plain[level] + 0.1
    assert rates(ScriptedMind, tdp=True) == complete
    assert rates(CompleteMind, tdp=True) == complete
    assert complete[0] >= complete[1], "the other forgets a place now and then"


def test_without_the_talks_reminder_the_general_plan_lifts_nothing() -> None:
    assert rates(Unreminded, tdp=True) == rates(ScriptedMind, tdp=False)
