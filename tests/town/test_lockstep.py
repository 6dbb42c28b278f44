"""Who lives a step together, and what holds of any lives in step."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest

from puppet_town import (
    ANN,
    BEN,
    TOWN,
    TRIO,
    Lived,
    Puppet,
    at,
    day,
    lived,
    planned,
    resident,
    setting,
)
from sociolab.testing.minds import AnyMind
from sociolab.town.lockstep import together
from sociolab.town.map import Place, Tile
from sociolab.town.perception import sees
from sociolab.town.person import Person
from sociolab.town.simulation import Order
from sociolab.town.trace import HEADINGS, Did, Stood, Talked, Walked

CROWD = (*TRIO, *(resident(name, living_area="Ann's House: bedroom") for name in ("Dan", "Eve")))
DAYS = 2
ORDERS: tuple[Order, ...] = ("lock-step", "ahead")
SEEDS = range(3)


@cache
def any_lives(seed: int, order: Order = "lock-step") -> Lived:
    """Two days of five people who do anything."""
    return lived(AnyMind(seed), setting(CROWD, days=DAYS, seed=seed), order)


@cache
def tiles(seed: int, who: str) -> tuple[Tile, ...]:
    """Where somebody is at each step, from `Stood` and `Walked` alone."""
    told = any_lives(seed)
    (stood,) = told.of(Stood, who)
    moves = {}
    for walk in told.of(Walked, who):
        for number, letter in enumerate(walk.path):
            assert walk.step + number not in moves, "one tile a step"
            moves[walk.step + number] = HEADINGS[letter]
    found = [(stood.x, stood.y)]
    for step in range(told.trace.steps - 1):
        (x, y), (dx, dy) = found[-1], moves.get(step, (0, 0))
        found.append((x + dx, y + dy))
    return tuple(found)


@pytest.mark.parametrize("seed", SEEDS)
def test_everybody_moves_one_walkable_tile_a_step(seed: int) -> None:
    for one in CROWD:
        way = tiles(seed, one.id)
        assert len(set(way)) > 2, "somebody who walks"
        for x, y in set(way):
            assert TOWN.walkable[y, x]
        for (x, y), (its_x, its_y) in pairwise(way):
            assert abs(x - its_x) + abs(y - its_y) <= 1


@pytest.mark.parametrize("seed", SEEDS)
def test_who_is_at_it_is_in_the_place_and_who_sleeps_is_in_bed(seed: int) -> None:
    told = any_lives(seed)
    for did in told.of(Did):
        if did.state in ("at it", "asleep") and did.place:
            tile = tiles(seed, did.who)[did.step]
            assert str(TOWN.place_at(tile)) == did.place, did


@pytest.mark.parametrize("seed", SEEDS)
def test_talks_are_between_two_who_see_each_other_awake_and_free(seed: int) -> None:
    told = any_lives(seed)
    talks = told.of(Talked)
    assert talks
    for talk in talks:
        here, there = (tiles(seed, who)[talk.step] for who in (talk.who, talk.other))
        assert sees(here, TOWN.arena_at(here), there, TOWN.arena_at(there))
        for who in (talk.who, talk.other):
            last = min(talk.end, told.trace.steps - 1)
            assert len(set(tiles(seed, who)[talk.step : last + 1])) == 1, "nobody walks off"
            before = [did for did in told.of(Did, who) if did.step < talk.step][-1]
            assert before.state not in ("asleep", "talking") or before.step < talk.step
            others = [t for t in talks if t is not talk and who in (t.who, t.other)]
            assert not any(talk.step <= t.step < talk.end for t in others), "one talk at a time"


@pytest.mark.parametrize("seed", SEEDS)
def test_records_are_in_order_of_step_then_resident(seed: int) -> None:
    told = any_lives(seed)
    number = {one.id: place for place, one in enumerate(CROWD)}
    keys = [(record.step, number[record.who]) for record in told.trace.records]
    assert keys == sorted(keys)
    assert told.trace.steps == DAYS * 8640


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_in_which_steps_are_lived_does_not_show(seed: int) -> None:
    assert any_lives(seed).trace == any_lives(seed, "ahead").trace


@pytest.mark.parametrize("order", ORDERS)
def test_nothing_is_asked_while_nothing_happens(order: Order) -> None:
    """A day at home costs a plan and one division, however many steps it has."""
    puppet = Puppet(plan_day=planned(ann=day("06:00 knit @ Ann's House: bedroom")))
    lived(puppet, setting((ANN,)), order)
    assert [type(question).__name__ for question in puppet.asked] == ["PlanDay", "Decompose"]


@pytest.mark.parametrize("order", ORDERS)
def test_people_who_never_meet_do_not_know_of_each_other(order: Order) -> None:
    alone = lived(Puppet(), setting((ANN,)), order).trace.records
    beside = lived(Puppet(), setting((ANN, BEN)), order)
    mine = tuple(record for record in beside.trace.records if record.who == "ann")
    assert mine == alone


def test_those_who_see_each_other_through_others_live_a_step_together() -> None:
    people = [
        Person(number, resident("Ann"), setting(), tile)
        for number, tile in enumerate([(0, 2), (7, 2), (14, 2), (40, 2)])
    ]
    people[0].view = frozenset({1})
    people[1].view = frozenset({0, 2})
    people[2].view = frozenset({1})
    assert together(people[0], people) == together(people[2], people) == {0, 1, 2}
    assert together(people[3], people) == {3}
    assert TOWN.place_at((0, 2)) == Place("", "")


def test_a_talk_begins_at_the_step_of_the_decision() -> None:
    told = any_lives(0)
    talk = told.of(Talked)[0]
    began = [did for did in told.of(Did, talk.who) if did.state == "talking"]
    assert began[0].step == talk.step > at("04:00")
