"""Freezing: what the two know just before their first talk, read against the town's own record."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache

import pytest

from sociolab.core import Episode, Trial
from sociolab.engine import FailurePolicy
from sociolab.testing import drive_recorded
from sociolab.town import (
    Clock,
    Did,
    MindPlayer,
    Planned,
    Remembered,
    ScriptedMind,
    Talked,
    Trajectory,
    own_residents,
)
from sociolab.worlds import stss

PUBLIC, MEETING, HELP = "paper-bridges", "club-ledger", "flood-charts"
KNOWN = {one.id: one.knows for one in own_residents()}
each_task = pytest.mark.parametrize("task", [PUBLIC, MEETING, HELP])


@cache
def town() -> stss.TownData:
    return stss.own_town(1)


@cache
def frozen(task: str) -> tuple[stss.TalkScenario, ...]:
    return stss.freeze_talks(town(), the(task), 1)


def the(task: str) -> stss.SocialTask:
    return next(one for one in town().tasks if one.id == task)


@cache
def lived(task: str) -> Trajectory:
    """The same simulation with a mind that nobody watches, as the town recorded it."""
    world = stss.Stss(town(), stss.StssSettings(mind="generative-agents"))
    laid_out = next(one for one in world.tasks() if one.id == task)
    mind = MindPlayer(ScriptedMind(), built_in=True)
    events = drive_recorded(world.play(laid_out, task, 1), dict.fromkeys(laid_out.seats, mind))
    return stss.read_trajectory(Episode(Trial(task, world.name, laid_out, (), 0, 1), events))


def step_of(task: str, moment: datetime) -> int:
    return Clock(the(task).days[0], stss.StssSettings().step).step(moment)


def sides(scenario: stss.TalkScenario) -> tuple[stss.Side, stss.Side]:
    return scenario.performer, scenario.other


@each_task
def test_a_talk_is_frozen_where_the_two_first_talk_and_begun_by_who_began_it(task: str) -> None:
    talks = [one for one in lived(task).trace.records if isinstance(one, Talked)]
    performer = the(task).performer
    assert frozen(task)
    for one in frozen(task):
        pair = {performer, one.other.resident.id}
        met = [talk for talk in talks if {talk.who, talk.other} == pair]
        today = [talk for talk in met if lived(task).clock.at(talk.step).date() == one.now.date()]
        assert step_of(task, one.now) == today[0].step
        assert one.performer_begins == (today[0].who == performer)
        before = met[: met.index(today[0])]
        assert one.id.endswith(".again") == bool(before)
        assert not any(about_task(task, talk) for talk in before), "it has come up already"


def about_task(task: str, talk: Talked) -> bool:
    """Whether the task's own matter is in the acts of a talk."""
    acts = [act for line in talk.lines for act in line.acts if act.matter is not None]
    return the(task).performer in [act.matter.host for act in acts if act.matter is not None]


@each_task
def test_each_remembers_only_what_it_had_kept_itself_before_the_talk(task: str) -> None:
    kept = [one for one in lived(task).trace.records if isinstance(one, Remembered)]
    for one in frozen(task):
        for side in sides(one):
            mine = {
                (memory.step, memory.kind, memory.text)
                for memory in kept
                if memory.who == side.resident.id and memory.step <= step_of(task, one.now)
            }
            found = [(step_of(task, m.when), m.kind, m.text) for m in side.memories]
            kept_in_mind = [memory for memory in found if memory[1] != "done"]
            assert kept_in_mind
            assert set(found) <= mine
            assert sum(kind == "done" for _, kind, _ in found) <= 4
            assert len(kept_in_mind) <= 8
            assert sum(kind == "seen" for _, kind, _ in found) <= 3
            assert len({text for *_, text in found}) == len(found)
            assert not any(kind == "plan" for _, kind, _ in found)
            now = step_of(task, one.now)
            assert not any(kind == "seen" and step == now for step, kind, _ in found)


def test_seed_memories_come_to_mind_too() -> None:
    kinds = {memory.kind for one in frozen(PUBLIC) for memory in one.other.memories}
    assert {"known", "seen", "done"} <= kinds


@each_task
def test_neither_remembers_a_talk_with_the_other(task: str) -> None:
    talks = [one for one in lived(task).trace.records if isinstance(one, Talked)]
    for one in frozen(task):
        ids = {one.performer.resident.id, one.other.resident.id}
        ends = {(talk.end, frozenset((talk.who, talk.other))) for talk in talks}
        for side in sides(one):
            told = {step_of(task, m.when) for m in side.memories if m.kind == "talk"}
            assert not {end for end, pair in ends if pair == ids} & told


@each_task
def test_the_goal_is_told_to_neither_and_is_in_the_task_alone(task: str) -> None:
    ordinary = {one.id: one.currently for one in town().residents}
    for one in frozen(task):
        for side in sides(one):
            assert side.resident.currently == ordinary[side.resident.id]
            assert the(task).goal not in side.model_dump_json()


@each_task
def test_plans_promises_and_deeds_are_each_ones_own_of_that_moment(task: str) -> None:
    for one in frozen(task):
        step = step_of(task, one.now)
        for side in sides(one):
            own = [
                r for r in lived(task).trace.records if getattr(r, "who", "") == side.resident.id
            ]
            before = [record for record in own if record.step <= step]
            plan = [r for r in before if isinstance(r, Planned)][-1]
            planned = {(block.what, block.end) for block in plan.blocks}
            assert {(b.what, step_of(task, b.end)) for b in side.ahead} <= planned
            deeds = [r for r in own if isinstance(r, Did) and r.step < step]
            sector, _, room = deeds[-1].place.partition(": ")
            walking = [f"on the way to {sector}", f"on the way to the {room}"]
            assert side.doing in (*walking, deeds[-1].doing)


@each_task
def test_each_knows_the_places_of_which_it_had_been_told(task: str) -> None:
    for one in frozen(task):
        for side in sides(one):
            before = KNOWN[side.resident.id]
            assert side.resident.knows[: len(before)] == before
        assert set(the(task).places) <= set(stss.make_performer(one).me.places)


def test_an_appointment_is_made_with_the_partner_alone() -> None:
    assert [one.other.resident.id for one in frozen(MEETING)] == [the(MEETING).partner]


def test_nobody_is_asked_who_has_promised_by_hearsay_or_who_is_met_too_late() -> None:
    task, performer = the(PUBLIC), the(PUBLIC).performer
    talks = [one for one in lived(PUBLIC).trace.records if isinstance(one, Talked)]
    frozen_ids = {one.other.resident.id for one in frozen(PUBLIC)}
    last = datetime.fromisoformat(f"{task.day}T{task.start}") - timedelta(minutes=30)
    seen: set[str] = set()
    left_out = 0
    for talk in talks:
        (other,) = (
            {talk.who, talk.other} - {performer} if performer in (talk.who, talk.other) else ("",)
        )
        if not other or other in seen:
            continue
        seen.add(other)
        promised = any(
            act.kind == "accept" and act.by == other and about_task(PUBLIC, earlier)
            for earlier in talks[: talks.index(talk)]
            if other in (earlier.who, earlier.other)
            for line in earlier.lines
            for act in line.acts
        )
        late = lived(PUBLIC).clock.at(talk.step) > last
        assert (other in frozen_ids) == (not promised and not late)
        left_out += promised or late
    assert left_out, "somebody is met after promising, or too late"


def test_one_helper_found_is_enough() -> None:
    task, performer = HELP, the(HELP).performer
    talks = [one for one in lived(task).trace.records if isinstance(one, Talked)]
    own = [talk for talk in talks if performer in (talk.who, talk.other)]
    found = next(
        talk
        for talk in own
        if about_task(task, talk)
        and any(act.kind == "accept" for line in talk.lines for act in line.acts)
    )
    assert own.index(found) < len(own) - 1, "somebody is met after a helper was found"
    assert max(step_of(task, one.now) for one in frozen(task)) <= found.step


def test_the_whole_town_is_there_people_and_places() -> None:
    one = frozen(PUBLIC)[0]
    task = the(PUBLIC)
    assert set(one.people) == {task.performer, *task.background}
    assert set(one.place_names) == {str(place) for place in town().town.places}
    assert one.id == f"{PUBLIC}.1.{one.other.resident.id}"


def first_lean_morning(seeds: int) -> tuple[stss.TalkScenario, ...]:
    """What is frozen of a lean day of four people who have so many memories at its beginning."""
    task = the("honey").model_copy(update={"background": the("honey").background[:3]})
    people = [one.model_copy(update={"memories": one.memories[:seeds]}) for one in town().residents]
    settings = stss.StssSettings()
    world = stss.Stss(replace(town(), tasks=(task,), residents=tuple(people)), settings)
    (laid_out,) = world.tasks()
    mind = MindPlayer(ScriptedMind(), built_in=True)
    events = drive_recorded(world.play(laid_out, "honey", 1), dict.fromkeys(laid_out.seats, mind))
    trial = Trial("honey", world.name, laid_out, (), 0, 1)
    return stss.freeze_episode(Episode(trial, events), settings, FailurePolicy())


def test_on_a_lean_day_two_memories_a_side_are_enough_and_fewer_are_not() -> None:
    (talk,) = first_lean_morning(1)
    assert sorted(len(side.memories) for side in sides(talk)) == [2, 3]
    assert first_lean_morning(0) == ()
