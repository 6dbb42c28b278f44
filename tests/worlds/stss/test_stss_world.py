"""STSS as a world: contract, seats, casts, settings, who answers what, the packed map."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

import pytest
from pydantic import ValidationError

from any_mind import AnyMind
from puppet_town import CAFE, MONDAY, TOWER, TOWN, TRIO
from sociolab.core import ConfigError, Episode, Happened, Player, StoreError, Task, Unusable, World
from sociolab.engine import FailurePolicy, WorldSetup
from sociolab.testing import WorldContract, play_task
from sociolab.town import (
    MindPlayer,
    Place,
    PlanDay,
    Replan,
    Surroundings,
    answer_schema,
    own_map,
    own_residents,
)
from sociolab.town.questions import QUESTIONS_OF
from sociolab.worlds import stss
from sociolab.worlds.stss.dataset import unpack_map
from sociolab.worlds.stss.world import PAPERS_QUESTIONS, ROUTINE, list_seats, seat_for, town_casts

PARTY = stss.SocialTask(
    id="party",
    type="public activity",
    title="A party",
    goal="Hold a CANARY party.",
    performer="ben",
    background=("ann", "cid"),
    days=(MONDAY,),
    day=MONDAY,
    activity="hold a party",
    keywords=("party",),
    place=CAFE,
    start="18:00",
)
DATA = stss.TownData("smallham", "1", TOWN, TRIO, (PARTY,))
QUICK = stss.StssSettings(step=60)


class TestStss(WorldContract):
    def world(self) -> World:
        return stss.Stss(DATA, stss.StssSettings(step=60, tdp=True))

    def players(self, task: Task) -> Mapping[str, Player]:
        return dict.fromkeys(task.seats, MindPlayer(AnyMind(4)))

    def hidden(self, task: Task, seat: str) -> Sequence[str]:
        return () if seat.removesuffix(ROUTINE) == "ben" else ("CANARY",)

    def cuts(self, events: int) -> Iterable[int]:
        return range(3, events + 1, max(1, events // 12))


@cache
def episode() -> Episode:
    world = stss.Stss(DATA, QUICK)
    (task,) = world.tasks()
    return play_task(world, task, dict.fromkeys(task.seats, MindPlayer(AnyMind(4))))


# ------------------------------------------------------------------ seats


def test_the_performer_sits_first_then_its_low_level_questions_then_the_others() -> None:
    (task,) = stss.Stss(DATA, QUICK).tasks()
    assert task.seats == list_seats(PARTY) == ("ben", "ben.routine", "ann", "cid")
    assert (task.id, task.cluster, task.tags) == ("party", "party", ("public-activity",))


def test_the_agent_performs_and_the_partner_is_everybody_else() -> None:
    assert town_casts(("a", "b", "a"), "p", ("ben", "ben.routine", "ann")) == (
        ("a", "p", "p"),
        ("b", "p", "p"),
    )
    assert town_casts(("a",), None, ("ben", "ben.routine", "ann")) == (("a", "a", "a"),)


def test_the_performers_high_level_questions_go_to_the_agent_and_the_rest_to_the_background() -> (
    None
):
    names = [question.name for asked in QUESTIONS_OF.values() for question in asked]
    mine = [name for name in names if seat_for(PARTY, PAPERS_QUESTIONS, "ben", name) == "ben"]
    assert set(mine) == set(PAPERS_QUESTIONS)
    low = {name for name in names if seat_for(PARTY, PAPERS_QUESTIONS, "ben", name) != "ben"}
    assert low == {
        "decompose",
        "choose_place",
        "rate_importance",
        "importance",
        "task_decomposition",
        "choose_sector",
        "choose_arena",
        "choose_object",
        "object_state",
    }
    assert {seat_for(PARTY, PAPERS_QUESTIONS, "ann", name) for name in names} == {"ann"}


def test_which_questions_the_agent_answers_is_a_setting() -> None:
    settings = stss.StssSettings.model_validate({"evaluated": "utter, plan_day"})
    assert settings.evaluated == ("utter", "plan_day")
    assert seat_for(PARTY, settings.evaluated, "ben", "reflect") == "ben.routine"
    world = stss.Stss(DATA, stss.StssSettings(step=60, evaluated=("utter",)))
    (task,) = world.tasks()
    told = play_task(world, task, dict.fromkeys(task.seats, MindPlayer(AnyMind(4))))
    asked = {(e.seat, e.question) for e in told.events if hasattr(e, "question")}
    assert ("ben.routine", "plan_day") in asked
    assert ("ben", "plan_day") not in asked


# ------------------------------------------------------------------ settings


@pytest.mark.parametrize(
    "wrong",
    [
        {"step": "7"},
        {"radius": 0},
        {"evaluated": "dream"},
        {"order": "backwards"},
        {"least": -1},
        {"bandwidth": 0},
    ],
)
def test_a_setting_out_of_range_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        stss.StssSettings.model_validate(wrong)


def test_settings_reach_the_simulation() -> None:
    (task,) = stss.Stss(DATA, QUICK).tasks()
    settings = stss.StssSettings(
        step=20, radius=3, bandwidth=2, retention=4, cooldown=7, patience=9
    )
    given = stss.make_setting(
        stss.parse_content(task.content), settings, FailurePolicy(5, "stop"), "t", 1
    )
    assert given.clock.seconds == 20
    assert given.clock.first == MONDAY
    rules = given.rules
    found = (rules.radius, rules.bandwidth, rules.retention, rules.cooldown, rules.patience)
    assert found == (3, 2, 4, 7, 9)
    assert given.policy == FailurePolicy(5, "stop")
    assert given.tdp == {}


def test_only_with_tdp_the_performer_plans_for_its_target() -> None:
    content = stss.parse_content(stss.Stss(DATA, QUICK).tasks()[0].content)
    given = stss.make_setting(content, stss.StssSettings(tdp=True), FailurePolicy(), "t", 1)
    assert list(given.tdp) == ["ben"]
    assert given.tdp["ben"] == PARTY.goal


def test_the_task_is_told_to_the_performer_alone() -> None:
    content = stss.parse_content(stss.Stss(DATA, QUICK).tasks()[0].content)
    given = stss.make_setting(content, QUICK, FailurePolicy(), "t", 1)
    told = {one.id: one.currently for one in given.residents}
    assert told["ben"].endswith(PARTY.goal)
    assert "CANARY" not in told["ann"] + told["cid"]


@pytest.mark.parametrize(
    "template", stss.own_templates().template, ids=lambda template: template.id
)
def test_the_performer_may_plan_to_go_wherever_its_task_is(template: stss.Template) -> None:
    """Over all templates, performers and the seeds 0 to 11, as a model is asked."""
    people = own_residents()
    for performer in template.performers:
        only = template.model_copy(update={"performers": (performer,)})
        tasks = {stss.instantiate(only, people, own_map(), seed, stss.DAYS) for seed in range(12)}
        for task in {one.model_copy(update={"background": ("huw-pritchard",)}) for one in tasks}:
            content = stss.Content(task=task, residents=people, town=stss.pack_map(own_map()))
            around = Surroundings(stss.make_setting(content, QUICK, FailurePolicy(), "t", 1))
            person = next(one for one in around.people if one.id == performer)
            me, asked = around.me(person, 0), around.make_head(person, PlanDay, 0)
            plan = PlanDay(asked, me, stss.DAYS[0], ())
            again = Replan(asked, me, "", (), me.now)
            for question in (plan, again):
                offered = places_offered(question)
                assert {task.place, *(one.place for one in task.errands)} - {""} <= offered
            others = {one.resident.knows for one in around.people if one.id != performer}
            assert others == {one.knows for one in people if one.id != performer}


def places_offered(question: PlanDay | Replan) -> set[str]:
    """The places among which a model can choose for an entry of its plan."""
    schema = json.loads(answer_schema(question).text)
    return set(schema["$defs"]["Entry"]["properties"]["place"]["enum"])


def test_a_performer_whose_task_names_a_sector_knows_all_of_it() -> None:
    party = PARTY.model_copy(update={"place": "Tower"})
    (task,) = stss.Stss(replace(DATA, tasks=(party,)), QUICK).tasks()
    given = stss.make_setting(stss.parse_content(task.content), QUICK, FailurePolicy(), "t", 1)
    known = {one.id: one.known_places for one in Surroundings(given).people}
    assert TOWER in known["ben"]
    assert TOWER not in known["ann"]


def test_lives_differ_with_seed_and_trial() -> None:
    content = stss.parse_content(stss.Stss(DATA, QUICK).tasks()[0].content)
    seeds = {
        stss.make_setting(content, QUICK, FailurePolicy(), trial, seed).seed
        for trial in ("one", "two")
        for seed in (1, 2)
    }
    assert len(seeds) == 4


def test_the_hash_of_the_data_covers_how_people_live_but_not_how_they_are_scored() -> None:
    def hashed(**changed: object) -> str:
        return stss.Stss(DATA, stss.StssSettings.model_validate(changed)).data.hash

    assert hashed() == hashed(least=0) == hashed(order="lock-step")
    assert len({hashed(), hashed(tdp=True), hashed(radius=4), hashed(step=60)}) == 4


# ------------------------------------------------------------------ maps


@pytest.mark.parametrize("town", [TOWN, own_map()], ids=["small", "own"])
def test_a_map_comes_out_as_it_was_packed(town: object) -> None:
    assert town in (TOWN, own_map())
    one = TOWN if town is TOWN else own_map()
    text = stss.pack_map(one)
    again = unpack_map(text)
    assert len(text) < 20_000
    assert (again.name, again.places, again.sectors) == (one.name, one.places, one.sectors)
    assert (again.walkable == one.walkable).all()
    assert (again.arena == one.arena).all()
    for place in one.places:
        assert again.objects(place) == one.objects(place)
        assert all(again.spots(place, t) == one.spots(place, t) for t in one.objects(place))


@pytest.mark.parametrize("text", ["", "hello", stss.pack_map(TOWN)[:-40], "\N{SNOWMAN}"])
def test_a_broken_map_of_the_store_is_refused(text: str) -> None:
    with pytest.raises(StoreError, match="map"):
        unpack_map(text)


# ------------------------------------------------------------------ episodes


def test_an_episode_can_be_read_without_its_data() -> None:
    lived = stss.read_trajectory(episode())
    assert lived.trace.steps == 1440
    assert lived.place_at("ben", 0) == Place("Ben's House", "bedroom")


def test_a_transcript_of_a_seat_is_the_diary_of_its_resident() -> None:
    world = stss.Stss(DATA, QUICK)
    ben, routine = world.transcript(episode(), "ben"), world.transcript(episode(), "ben.routine")
    assert ben.scene == routine.scene
    assert ben.title == "A party, as experienced by Ben Moor"
    assert "CANARY" in ben.scene[0][1]
    assert ben.scene[1][0] == "Monday 13 May 2024"
    assert "CANARY" not in repr(world.transcript(episode(), "ann").scene)


def test_a_reply_that_could_not_be_used_is_noted_with_its_moment() -> None:
    begun, *_ = episode().events
    unfit = Unusable(90, "ben.routine", "decompose", 1, "unreadable", "no JSON", "", final=False)
    read = stss.Stss(DATA, QUICK).transcript(Episode(episode().trial, (begun, unfit)))
    assert [note.text for note in read.notes] == [
        "Monday 01:30, ben.routine, decompose, attempt 1: retried (unreadable: no JSON)"
    ]


def test_an_episode_that_has_not_begun_tells_the_task() -> None:
    world = stss.Stss(DATA, QUICK)
    none = Episode(episode().trial, ())
    assert world.transcript(none).scene == (("The task", PARTY.goal),)
    header = Episode(none.trial, tuple(e for e in episode().events[:1]))
    assert isinstance(header.events[0], Happened)
    assert world.transcript(header, "ann").title


def test_the_kit_offers_a_scripted_mind_and_a_judge_by_rules() -> None:
    kit = stss.load(WorldSetup(folder=None, settings={}, seed=1, policy=FailurePolicy()))
    assert set(kit.players) == {"scripted", "scripted-complete"}
    assert set(kit.judges) == {"rules"}
    assert kit.world.name == "stss"
    assert len(kit.world.tasks()) == 30
    with pytest.raises(ConfigError, match="radius"):
        stss.load(
            WorldSetup(folder=None, settings={"radius": "wide"}, seed=1, policy=FailurePolicy())
        )


def test_tasks_of_another_seed_differ() -> None:
    assert stss.own_town(1).tasks == stss.own_town(1).tasks
    assert stss.own_town(1).tasks != stss.own_town(2).tasks
