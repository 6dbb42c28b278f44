"""Whose turn a line is, where all act at once: its seat says so, not its number."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from fake_models import FakeModel
from public_goods import GIVERS, GOALS, NAMES, PublicGoods
from sociolab.analysis.credit import with_credit
from sociolab.app.run.judge import read_scene
from sociolab.core import WorldError
from sociolab.judging import CreditJudge, CreditRecord, Story, build_story
from sociolab.report import transcript_view
from sociolab.testing import play_task

WORLD = PublicGoods()
(TASK,) = WORLD.tasks()
EPISODE = play_task(WORLD, TASK, GIVERS)
WHOLE = WORLD.transcript(EPISODE)


def story() -> Story:
    return build_story(WHOLE, TASK.seats, ("goal", "secret"))


def credited() -> CreditRecord:
    """Bea's words of the second round help her, and set Ada back."""
    moved = {"turn": 5, "quote": "let us all give", "reason": "so it is"}
    sheets = {
        "person_1": {"goal": [{**moved, "effect": -1}]},
        "person_2": {"goal": [{**moved, "effect": 2}]},
        "person_3": {"goal": []},
    }
    return asyncio.run(CreditJudge(FakeModel(json.dumps(sheets))).credit("trial", story()))


def test_each_seat_has_its_own_name_goal_and_turns() -> None:
    assert {person.seat: person.name for person in story().people} == NAMES
    assert [person.measures for person in story().people] == [("goal",)] * 3
    assert [line.seat for line in WHOLE.lines] == ["a", "b", "c"] * 2


def test_credit_goes_to_the_seat_whose_turn_it_was() -> None:
    record = credited()
    assert record.names == NAMES
    assert [(one.cell.seat, one.turn, one.by, one.amount) for one in record.credits] == [
        ("a", 1, "b", -1),
        ("b", 1, "b", 2),
    ]


def test_credit_stands_behind_the_line_that_it_is_for() -> None:
    shown = transcript_view(EPISODE, with_credit(WHOLE, (credited(),)))
    course = [getattr(item, "who", "note") for item in shown.course]
    assert course == ["Ada", "Bea", "Cem", "Ada", "Bea", "note", "note", "Cem", "note"]


def test_a_sheet_shows_each_line_as_its_own_seats() -> None:
    scene = read_scene(WORLD, EPISODE)
    assert {person.seat: person.name for person in scene.people} == NAMES
    assert [(line.seat, line.name) for line in scene.lines] == [*NAMES.items()] * 2


def test_a_name_that_begins_like_another_has_its_own_goal() -> None:
    names = {"a": "Player", "b": "Player Two", "c": "Cem"}
    heads = {"a": "You watch.", "b": f"Goal: {GOALS['b']}", "c": "You watch."}
    world = PublicGoods(replace(WORLD.scene, names=names, heads=heads))
    whole = world.transcript(EPISODE)
    found = build_story(whole, TASK.seats, ("goal", "secret"))
    assert [person.seat for person in found.with_stakes] == ["b"]


def test_a_line_without_a_seat_of_the_task_is_the_worlds_mistake() -> None:
    lines = tuple(replace(line, seat="") for line in WHOLE.lines)
    with pytest.raises(WorldError, match=r'line of turn 1 .* expected one of \["a", "b", "c"\]'):
        build_story(replace(WHOLE, lines=lines), TASK.seats, ("goal", "secret"))
