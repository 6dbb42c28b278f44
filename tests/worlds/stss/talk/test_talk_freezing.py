"""Freezing: what the two know just before their first talk, read against the town's own record."""

from __future__ import annotations

from datetime import datetime
from functools import cache

import pytest

from sociolab.core import Episode, Trial
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

PUBLIC, MEETING, HELP = "paper-bridges", "club-ledger", "picture-wire"
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
    world = stss.Stss(town(), stss.StssSettings())
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
        first = next(talk for talk in talks if {talk.who, talk.other} == pair)
        assert step_of(task, one.now) == first.step
        assert one.performer_begins == (first.who == performer)


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
            assert set(kept_in_mind) <= mine
            assert len(kept_in_mind) <= 8
            assert sum(kind == "seen" for _, kind, _ in found) <= 3


@each_task
def test_each_remembers_what_it_did_itself_on_that_day_and_nothing_that_came_later(
    task: str,
) -> None:
    for one in frozen(task):
        step = step_of(task, one.now)
        for side in sides(one):
            own = [m for m in side.memories if m.kind == "done"]
            acts = {
                (did.step, f"own activity: {did.block or did.doing}, at {did.place}")
                for did in lived(task).records(Did, side.resident.id)
                if did.state == "at it" and did.step < step
            }
            assert {(step_of(task, m.when), m.text) for m in own} <= acts
            assert {m.when.date() for m in own} <= {one.now.date()}
            assert [m.when for m in own] == sorted(m.when for m in own)
            assert len({m.text for m in own}) == len(own) <= 4
            assert own or one.now.hour < 8, "a day has begun"


def test_seed_memories_come_to_mind_too() -> None:
    kinds = {memory.kind for one in frozen(PUBLIC) for memory in one.other.memories}
    assert {"known", "seen", "done"} <= kinds


@each_task
def test_neither_remembers_a_talk_with_the_other(task: str) -> None:
    for one in frozen(task):
        for side, other in (sides(one), sides(one)[::-1]):
            name = other.resident.name
            about = [m.text for m in side.memories if m.kind == "talk" and name in m.text]
            assert not [text for text in about if text.startswith((name, f"I chatted with {name}"))]


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


@pytest.mark.parametrize(
    ("name", "seed", "other"),
    [
        ("first-aid", 1, "winston-grant"),  # has promised, and not to the performer
        ("portrait-sitting", 6, "pilar-bell"),  # met in the evening, when no hour is agreed
    ],
)
def test_nobody_is_asked_who_has_promised_by_hearsay_or_who_is_met_too_late(
    name: str, seed: int, other: str
) -> None:
    data = stss.own_town(seed)
    task = next(one for one in data.tasks if one.id == name)
    found = stss.freeze_talks(data, task, seed)
    assert other in task.background
    assert other not in [one.other.resident.id for one in found]


def test_one_helper_found_is_enough() -> None:
    agreed = [
        (one, memory.text)
        for one in frozen(HELP)
        for memory in one.performer.memories
        if "has agreed" in memory.text
    ]
    assert not agreed
    talks = [one for one in lived(HELP).trace.records if isinstance(one, Talked)]
    met = {frozenset((one.who, one.other)) for one in talks if the(HELP).performer in
           (one.who, one.other)}  # fmt: skip
    assert len(frozen(HELP)) < len(met), "somebody was met after a helper was found"


def test_the_whole_town_is_there_people_and_places() -> None:
    one = frozen(PUBLIC)[0]
    task = the(PUBLIC)
    assert set(one.people) == {task.performer, *task.background}
    assert set(one.place_names) == {str(place) for place in town().town.places}
    assert one.id == f"{PUBLIC}.1.{one.other.resident.id}"
