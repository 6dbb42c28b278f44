"""How far residents may be ahead of each other: gaps and arrivals are never more than the truth."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from any_mind import AnyMind
from puppet_town import Puppet, day, planned, resident, setting
from small_towns import (
    Pick,
    at_random,
    first_come,
    last_come,
    latest_step,
    lived,
    people_of,
    small_town,
    some_setting,
)
from sociolab.core import Request, stream
from sociolab.town import (
    HEADINGS,
    Choice,
    Clock,
    Gaps,
    Order,
    Paths,
    Place,
    Setting,
    Tile,
    TownMap,
    own_map,
    own_residents,
    sees,
    simulate,
)
from sociolab.town.out_of_order import NEVER


def ways(town: TownMap, paths: Paths, count: int, chance: Random) -> list[list[Tile]]:
    """Walks, of one tile where somebody stays, between any tiles."""
    free = [(x, y) for y, x in np.argwhere(town.within_reach).tolist()]
    found = []
    for _ in range(count):
        way = [chance.choice(free)]
        for letter in paths.path(way[0], chance.choice(free)) if chance.random() < 0.6 else "":
            dx, dy = HEADINGS[letter]
            way.append((way[-1][0] + dx, way[-1][1] + dy))
        found.append(way)
    return found


def put(gaps: Gaps, town: TownMap, who: int, since: int, way: Sequence[Tile]) -> None:
    gaps.set_path(who, since, tuple(way), tuple(town.arena_at(tile) for tile in way))


def steps_from(town: TownMap, start: Tile) -> dict[Tile, int]:
    """Steps to every tile, the plain way."""
    found = {start: 0}
    queue = deque([start])
    while queue:
        x, y = queue.popleft()
        for dx, dy in HEADINGS.values():
            tile = (x + dx, y + dy)
            inside = 0 <= tile[0] < town.width and 0 <= tile[1] < town.height
            if inside and town.walkable[tile[1], tile[0]] and tile not in found:
                found[tile] = found[x, y] + 1
                queue.append(tile)
    return found


def true_arrival(
    town: TownMap, start: Tile, least: int, way: Sequence[Tile], since: int, radius: int
) -> int:
    """The first step at which somebody who acts at `least` on `start` can see who is on the way."""
    away = steps_from(town, start)
    for step in range(max(least, since), max(least, since) + 300):
        tile = way[min(step - since, len(way) - 1)]
        arena = town.arena_at(tile)
        for other, steps in away.items():
            if steps <= step - least and sees(tile, arena, other, town.arena_at(other), radius):
                return step
    raise AssertionError("everything is within reach")


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_nobody_is_in_view_before_the_step_that_is_told(seed: int) -> None:
    chance = stream(seed, "gaps")
    town, radius, since = small_town(chance), chance.randint(1, 8), 100
    paths = Paths(town.walkable, town.arena)
    walks = ways(town, paths, 3, chance)
    gaps = Gaps(3, town, paths, radius)
    for who, way in enumerate([*reversed(walks), *walks]):
        put(gaps, town, who % 3, since, way)  # everybody is put twice, and elsewhere at last
    least = np.array([since + chance.randint(0, len(way)) for way in walks])
    arrivals = gaps.arrivals(least, np.zeros(3, np.bool_))
    for comes, upon in ((0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)):
        start = walks[comes][min(int(least[comes]) - since, len(walks[comes]) - 1)]
        true = true_arrival(town, start, int(least[comes]), walks[upon], since, radius)
        told = int(arrivals[comes, upon])
        assert told <= true
        assert told >= least[comes]


def test_who_stays_behind_a_wall_is_reached_by_its_door() -> None:
    walkable = np.ones((9, 30), dtype=np.bool_)
    walkable[:, 15] = False
    walkable[8, 15] = True
    arena = np.full(walkable.shape, -1, dtype=np.int16)
    arena[:, 16:] = 0
    town = _one_room(walkable, arena)
    gaps = Gaps(2, town, Paths(town.walkable, town.arena), 8)
    put(gaps, town, 0, 0, [(14, 0)])
    put(gaps, town, 1, 0, [(17, 0)])
    nobody = np.zeros(2, np.bool_)
    assert gaps.arrivals(np.array([50, NEVER]), nobody)[0, 1] == 50 + 8 + 2
    assert gaps.arrivals(np.array([NEVER, 50]), nobody)[1, 0] == 50 + 8 + 2


def test_a_step_is_worth_a_row_or_a_column_and_not_both() -> None:
    walkable = np.ones((40, 40), dtype=np.bool_)
    arena = np.full(walkable.shape, -1, dtype=np.int16)
    arena[39, 39] = 0
    town = _one_room(walkable, arena)
    gaps = Gaps(2, town, Paths(town.walkable, town.arena), 8)
    put(gaps, town, 0, 0, [(0, 0)])
    put(gaps, town, 1, 0, [(30, 20)])
    nobody = np.zeros(2, np.bool_)
    assert gaps.arrivals(np.array([0, NEVER]), nobody)[0, 1] == 22 + 12


def test_whoever_may_be_woken_by_somebody_may_reach_others_from_then_on() -> None:
    walkable = np.ones((3, 100), dtype=np.bool_)
    arena = np.full(walkable.shape, -1, dtype=np.int16)
    arena[0, 99] = 0
    town = _one_room(walkable, arena)
    gaps = Gaps(3, town, Paths(town.walkable, town.arena), 8)
    for who, x in enumerate((0, 30, 60)):
        put(gaps, town, who, 0, [(x, 1)])
    own = np.array([10, 1000, 1000])
    least, _ = gaps.earliest(own, np.array([True, False, False]))
    assert least.tolist() == [10, 10 + 22, 10 + 22 + 22]
    least, _ = gaps.earliest(own, np.array([True, True, False]))
    assert least.tolist() == [10, 1000, 10 + 52], "who sleeps wakes nobody"


def _one_room(walkable: np.ndarray, arena: np.ndarray) -> TownMap:
    return TownMap("Smallton", ("House",), (Place("House", "room"),), walkable, arena, {})


@pytest.mark.parametrize(("order", "ahead"), [("lock-step", False), ("ahead", True)])
def test_residents_are_asked_for_different_steps_at_the_same_time(
    order: Order, ahead: bool
) -> None:
    setting = Setting(own_map(), own_residents()[:6], Clock(date(2024, 5, 13)), 1, "t", 3)
    apart = []

    def watch(waiting: list[Request]) -> list[int]:
        steps = [request.turn for request in waiting if request.name != "utter"]
        apart.append(max(steps, default=0) - min(steps, default=0))
        return [max(range(len(waiting)), key=lambda n: waiting[n].turn)]

    found = lived(simulate(setting, order), AnyMind(3), watch)
    assert (max(apart) > 0) is ahead
    assert found == lived(simulate(setting), AnyMind(3), first_come)


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10_000))
def test_residents_ahead_of_each_other_live_the_same_in_any_small_town(seed: int) -> None:
    setting = some_setting(seed)
    expected = lived(simulate(setting), AnyMind(seed), first_come)
    for pick in (latest_step, at_random(seed)):
        assert lived(simulate(setting, "ahead"), AnyMind(seed), pick) == expected
    assert lived(simulate(setting), AnyMind(seed), last_come) == expected


@pytest.mark.parametrize("pick", [first_come, latest_step, at_random(5)])
def test_eight_residents_of_the_own_town_live_the_same_day(pick: Pick) -> None:
    setting = Setting(own_map(), own_residents()[:8], Clock(date(2024, 5, 13)), 1, "t", 3)
    expected = lived(simulate(setting), AnyMind(3), first_come)
    assert lived(simulate(setting, "ahead"), AnyMind(3), pick) == expected


def test_who_is_opened_at_an_earlier_step_in_the_same_breath_is_waited_for() -> None:
    setting, chance = some_setting(191), stream(191, "more")
    close = replace(setting.rules, radius=2, cooldown=1, patience=1)
    setting = replace(setting, residents=people_of(setting.town, 6, chance), rules=close)
    in_step = lived(simulate(setting), AnyMind(191), first_come)
    assert lived(simulate(setting, "ahead"), AnyMind(191), first_come) == in_step


def test_two_days_are_lived_the_same() -> None:
    setting = replace(some_setting(8), days=2)
    expected = lived(simulate(setting), AnyMind(8), first_come)
    assert lived(simulate(setting, "ahead"), AnyMind(8), latest_step) == expected


def test_who_is_ahead_is_no_member_of_an_earlier_step_although_a_sleeper_saw_them_pass() -> None:
    """Cid walks off east past Ann, who sleeps, and lives a later step, while Ben, who comes from
    the west a little later, sees Ann, and not Cid."""
    walkable = np.zeros((2, 90), dtype=np.bool_)
    arena = np.zeros(walkable.shape, dtype=np.int16)
    walkable[0] = walkable[1, 27] = walkable[1, 85] = True
    arena[1] = -1
    arena[1, 27], arena[1, 85] = 1, 2
    rooms = ("Hall", "Nook", "East")
    places = tuple(Place(name, "spot") for name in rooms)
    beds = {"first bed": ((30, 0),), "second bed": ((19, 0),), "third bed": ((32, 0),)}
    town = TownMap("Longton", rooms, places, walkable, arena, {places[0]: beds})
    people = [
        resident(name, living_area="Hall: spot", knows=("Nook", "East"))
        for name in ("Ann", "Ben", "Cid")
    ]
    mind = Puppet(
        plan_day=planned(
            ann=day("12:00 idle @ Hall: spot", wake="12:00"),
            ben=day("06:00 look", "06:30 idle @ Nook: spot"),
            cid=day("06:00 go @ East: spot", "06:05 think", "06:30 idle @ East: spot"),
        ),
        choose_place=lambda question: Choice(
            place="Nook: spot" if question.meta.resident == "ben" else "Hall: spot"
        ),
    )

    def earliest(waiting: list[Request]) -> list[int]:
        return [min(range(len(waiting)), key=lambda n: waiting[n].turn)]

    given = setting(people, town=town)
    assert lived(simulate(given, "ahead"), mind, earliest) == lived(
        simulate(given), mind, first_come
    )
