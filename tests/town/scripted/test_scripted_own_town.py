"""The scripted mind and this package's own town: what others word, it understands."""

from __future__ import annotations

import re
from datetime import datetime

import pytest

from scripted_questions import MONDAY, TUESDAY, FakeRecall, answered, asked
from sociolab.town.map import own_map
from sociolab.town.population import CLAUSE, own_residents
from sociolab.town.scripted.mind import ScriptedMind
from sociolab.town.scripted.task_reading import read_task
from sociolab.town.scripted.verbs import doing
from sociolab.town.thoughts import Me, PlanDay
from sociolab.worlds.stss.instantiate import instantiate
from sociolab.worlds.stss.templates import Template, own_templates

KINDS = {
    "public activity": "public",
    "appointment": "appointment",
    "inviting companions": "companions",
    "online activity": "online",
    "asking for help": "help",
}


def every_place() -> tuple[str, ...]:
    return tuple(str(place) for place in own_map().places)


@pytest.mark.parametrize("template", own_templates().template, ids=lambda one: one.id)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_goal_of_our_own_is_understood(template: Template, seed: int) -> None:
    task = instantiate(template, own_residents(), own_map(), seed, (MONDAY, TUESDAY))
    names = {resident.id: resident.name for resident in own_residents()}
    found = read_task(f"Somebody is at work. {task.goal}", MONDAY, every_place())
    assert found is not None
    assert found.kind == KINDS[task.type]
    assert found.day == TUESDAY
    assert (found.start, found.partner) == (task.start, names.get(task.partner, ""))
    assert [(one.what, one.place) for one in found.chores] == [
        (errand.what, errand.place) for errand in task.errands
    ]
    if not task.errands:
        assert (found.activity, found.place) == (task.activity, task.place)


def test_everybody_in_our_town_does_what_their_routine_says() -> None:
    mind = ScriptedMind()
    for resident in own_residents():
        here = Me(resident, datetime(2024, 5, 13), every_place(), {}, {}, FakeRecall())
        plan = answered(mind.plan_day(PlanDay(asked(resident, 0), here, MONDAY, (), ())))
        clauses = list(CLAUSE.finditer(re.sub(r"\s+", " ", resident.routine)))
        assert clauses, resident.id
        done = {(entry.what, entry.place) for entry in plan.entries}
        for clause in clauses:
            what = doing(clause["what"].strip())
            assert (what, clause["place"]) in done, (resident.id, what)
