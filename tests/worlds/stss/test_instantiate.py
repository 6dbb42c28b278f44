from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, strategies as st

from alderbrook import flat_town
from sociolab.core import ConfigError
from sociolab.town import own_map, own_residents
from sociolab.worlds import stss

NAMES = {resident.id: resident.name for resident in own_residents()}
TIES = {resident.id: resident.ties for resident in own_residents()}
TEMPLATES = {template.id: template for template in stss.own_templates().template}

every_template = pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES.keys())


def made(template: stss.Template, seed: int) -> stss.SocialTask:
    return stss.instantiate(template, own_residents(), own_map(), seed, stss.DAYS)


@every_template
def test_a_task_of_any_seed_can_be_played(template: stss.Template) -> None:
    for seed in range(20):
        task = made(template, seed)
        assert stss.task_faults(task, NAMES, own_map()) == ()
        assert 10 <= len(task.background) <= 12
        assert task.performer in template.performers
        assert task.performer not in task.background
        assert task.day == stss.DAYS[1]


def test_goals_are_worded_per_type() -> None:
    task = made(TEMPLATES["kite-evening"], 0).model_copy(
        update={
            "performer": "huw-pritchard",
            "activity": "kite evening",
            "start": "18:30",
            "minutes": 90,
            "background": tuple(f"guest-{number}" for number in range(11)),
        }
    )
    assert stss.goal_text(task, NAMES, stss.own_templates().goal) == (
        "Huw Pritchard wants to hold a kite evening at Heron Park: meadow on Tuesday 14 May 2024, "
        "from 18:30 to 20:00, and hopes that at least 6 people will come; the more the better."
    )


@every_template
def test_what_is_announced_passes_the_filter(template: stss.Template) -> None:
    for seed in range(20):
        task = made(template, seed)
        assert not task.keywords or stss.Keywords(task.keywords).matches(task.activity)
        for errand in task.errands:
            assert stss.Keywords(errand.keywords).matches(errand.what)


@every_template
def test_partner_and_staff_are_always_there(template: stss.Template) -> None:
    for seed in range(20):
        task = made(template, seed)
        cast = {task.performer, *task.background}
        assert {who for part in template.errands for who in part.staff} <= cast
        if task.partner:
            assert task.partner in task.background
            assert NAMES[task.partner] in TIES[task.performer]


@every_template
def test_the_same_seed_makes_the_same_task_and_others_differ(template: stss.Template) -> None:
    assert made(template, 3) == made(template, 3)
    tasks = [made(template, seed) for seed in range(20)]
    assert len({task.background for task in tasks}) > 15
    assert {task.performer for task in tasks} == set(template.performers)
    assert len({task.goal for task in tasks}) >= 4


def test_seeds_reach_every_choice_of_a_template() -> None:
    template = TEMPLATES["valley-quiz"]
    tasks = [made(template, seed) for seed in range(60)]
    assert {task.start for task in tasks} == set(template.starts)
    assert {task.place for task in tasks} == set(template.places)
    assert {task.activity for task in tasks} == set(template.activities)
    assert {len(task.background) for task in tasks} == {10, 11, 12}


@given(st.sampled_from(list(TEMPLATES.values())), st.data(), st.integers(0, 99))
def test_any_population_of_two_or_more_will_do(
    template: stss.Template, data: st.DataObject, seed: int
) -> None:
    some = data.draw(st.sets(st.sampled_from(own_residents()).map(lambda one: one.id), min_size=2))
    town = [one for one in own_residents() if one.id in some]
    task = stss.instantiate(template, town, own_map(), seed, stss.DAYS)
    assert stss.task_faults(task, some, own_map()) == ()
    assert len(task.background) <= min(12, len(town) - 1)
    assert len(task.background) >= min(10, len(town) - 1)
    assert task.performer in template.performers or not some & set(template.performers)


def test_who_is_named_to_perform_does_so_where_the_named_partner_does_not_live() -> None:
    town = [one for one in own_residents() if one.id in ("mateo-vargas", "gwen-pritchard")]
    for seed in range(10):
        task = stss.instantiate(TEMPLATES["duet-rehearsal"], town, own_map(), seed, stss.DAYS)
        assert (task.performer, task.partner) == ("mateo-vargas", "gwen-pritchard")


def test_the_event_is_on_the_last_of_any_days() -> None:
    days = (date(2030, 1, 1), date(2030, 1, 2), date(2030, 1, 3))
    task = stss.instantiate(TEMPLATES["strawberry-tea"], own_residents(), own_map(), 1, days)
    assert (task.days, task.day) == (days, days[-1])
    assert "Thursday 3 January 2030" in task.goal


def test_only_places_of_the_map_are_chosen() -> None:
    town = flat_town("Alder College: courtyard", "Hut: bed")
    for seed in range(10):
        task = stss.instantiate(TEMPLATES["strawberry-tea"], own_residents(), town, seed, stss.DAYS)
        assert task.place == "Alder College: courtyard"


def test_a_town_without_the_place_or_without_people_is_refused() -> None:
    with pytest.raises(ConfigError, match='template "strawberry-tea": expected one of its places'):
        stss.instantiate(
            TEMPLATES["strawberry-tea"], own_residents(), flat_town("Hut: bed"), 1, stss.DAYS
        )
    with pytest.raises(ConfigError, match="at least two residents, found 1"):
        stss.instantiate(TEMPLATES["strawberry-tea"], own_residents()[:1], own_map(), 1, stss.DAYS)
