"""Who lives a step together, and what holds of any lives in step."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from any_mind import AnyMind
from puppet_town import (
    ANN,
    BEN,
    CAFE,
    CARRY_ON,
    CID,
    TALK,
    TOWER,
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
from sociolab.town import (
    HEADINGS,
    Decision,
    Did,
    Order,
    Part,
    Parts,
    Place,
    Remembered,
    Rules,
    Said,
    Stood,
    Talked,
    TalkOrNot,
    Tile,
    Trajectory,
    Utter,
    Walked,
    sees,
)
from sociolab.town.lockstep import group_in_view
from sociolab.town.person import Person

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
    assert group_in_view(people[0], people) == group_in_view(people[2], people) == {0, 1, 2}
    assert group_in_view(people[3], people) == {3}
    assert TOWN.place_at((0, 2)) == Place("", "")


def test_a_talk_begins_at_the_step_of_the_decision() -> None:
    told = any_lives(0)
    talk = told.of(Talked)[0]
    began = [did for did in told.of(Did, talk.who) if did.state == "talking"]
    assert began[0].step == talk.step > at("04:00")


TOGETHER = planned(
    ann=day(f"09:00 mend clocks @ {CAFE}"),
    ben=day(f"10:00 drink tea @ {CAFE}"),
    cid=day(f"11:00 sing @ {CAFE}"),
)


def willing(*who: str) -> Any:
    return lambda question: TALK if question.meta.resident in who else CARRY_ON


def later(hour: int, *who: str) -> Any:
    """Willing from this hour on."""
    return lambda q: TALK if q.me.now.hour >= hour and q.meta.resident in who else CARRY_ON


def test_everybody_who_came_into_view_is_told_of_one_a_step() -> None:
    """Ann walks in on Ben and Cid, who sit at the cafe."""
    plans = planned(
        ann=day(f"09:00 knit @ {CAFE}"),
        ben=day(f"06:00 hum @ {CAFE}"),
        cid=day(f"06:00 hum @ {CAFE}"),
    )
    puppet = Puppet(plan_day=plans, talk_or_not=lambda _: CARRY_ON)
    lived(puppet, setting(TRIO))
    asked = [(q.other.id, q.meta.step) for q in puppet.of(TalkOrNot, "ann")]
    assert {who for who, _ in asked[:2]} == {"ben", "cid"}
    assert asked[1][1] == asked[0][1] + 1


def test_who_was_refused_may_try_again() -> None:
    people = tuple(resident(name, living_area=str(CID.home)) for name in ("Cid", "Ann", "Ben"))
    plans = planned(
        cid=day(f"06:00 knit @ {CID.home}", f"09:00 sing @ {CID.home}"),
        ann=day(f"06:00 knit @ {CID.home}"),
        ben=day(f"06:00 knit @ {CID.home}"),
    )

    def only_to_cid(question: TalkOrNot) -> Decision:
        late = question.me.now.hour >= 9
        return TALK if late and question.other.id == "cid" else CARRY_ON

    puppet = Puppet(plan_day=plans, talk_or_not=only_to_cid)
    rules = Rules(patience=0, retention=0)
    first, second = lived(puppet, setting(people, rules=rules)).of(Talked)[:2]
    assert [(t.who, t.other) for t in (first, second)] == [("ann", "cid"), ("ben", "cid")]
    assert second.step <= first.end + 2


def seen(told: Any, who: str) -> list[str]:
    return [one.text for one in told.of(Remembered, who) if one.kind == "seen"]


# ------------------------------------------------------------------ looking


def test_what_comes_into_view_is_remembered_once() -> None:
    told = lived(Puppet(plan_day=TOGETHER), setting((ANN, BEN)))
    texts = seen(told, "ann")
    assert "saw Ben Moor: on the way to Cafe: counter room (drink tea)" not in texts, "outdoors"
    assert texts.count("saw Ben Moor: drink tea") == 1
    assert seen(told, "ben").count("saw Ann Moor: mend clocks") == 1


def test_who_is_in_another_arena_is_not_seen_however_near() -> None:
    neighbours = planned(
        ann=day("06:00 knit @ Ann's House: bedroom"), ben=day("06:00 hum @ Ben's House: bedroom")
    )
    told = lived(Puppet(plan_day=neighbours), setting((ANN, BEN)))
    assert not seen(told, "ann")
    assert not seen(told, "ben")


def test_who_is_further_than_the_radius_is_not_seen() -> None:
    near = Rules(radius=1)
    parted = planned(
        ann=day("06:00 knit @ Ann's House: bedroom"), cid=day("06:00 hum @ Ann's House: bedroom")
    )
    people = (ANN, resident("Cid", living_area="Ann's House: bedroom"))
    puppet = Puppet(plan_day=parted)
    far, wide = (lived(puppet, setting(people, rules=rules, seed=3)) for rules in (near, Rules()))
    apart = [did for did in far.of(Did, "cid") if did.doing == "hum" and did.state == "at it"]
    assert apart
    assert len(seen(far, "ann")) <= len(seen(wide, "ann"))
    assert seen(wide, "ann")


def test_a_sleeper_notices_nothing_and_is_not_spoken_to() -> None:
    visit = planned(
        ann=day(wake="11:00"),
        ben=day("06:00 sing @ Ann's House: bedroom", bed="10:00"),
    )
    people = (ANN, resident("Ben", knows=("Ann's House",)))
    puppet = Puppet(plan_day=visit, talk_or_not=lambda _: TALK)
    told = lived(puppet, setting(people))
    assert seen(told, "ben") == ["saw Ann Moor: asleep"]
    assert not seen(told, "ann")
    assert not puppet.of(TalkOrNot)
    assert not told.of(Talked)


def test_who_wakes_sees_who_is_there() -> None:
    visit = planned(
        ann=day(wake="08:00"), ben=day("06:00 sing @ Ann's House: bedroom", bed="10:00")
    )
    people = (ANN, resident("Ben", knows=("Ann's House",)))
    told = lived(Puppet(plan_day=visit), setting(people))
    first = next(one for one in told.of(Remembered, "ann"))
    assert (first.step, first.text) == (at("08:00") + 1, "saw Ben Moor: sing")


def test_who_arrives_at_the_step_at_which_they_come_into_view_is_asked_at_the_next() -> None:
    """The door is the first tile of the cafe on Ben's way: there he sees Ann, and is there."""
    at_the_door = Parts(parts=(Part(minutes=60, what="wait", object="door"),))

    def wait(question: Any) -> Parts:
        there = "door" in question.objects and question.meta.resident == "ben"
        return at_the_door if there else Parts(parts=(Part(minutes=60, what="wait"),))

    puppet = Puppet(plan_day=TOGETHER, decompose=wait)
    told = lived(puppet, setting((ANN, BEN)))
    arrived = told.of(Walked, "ben")[1]
    first = {q.meta.resident: q.meta.step for q in reversed(puppet.of(TalkOrNot))}
    there = arrived.step + len(arrived.path)
    assert first == {"ann": there, "ben": there + 1}, "first one's own life, then who is there"


def test_a_person_attends_to_the_nearest_only() -> None:
    rules = Rules(bandwidth=1)
    told = lived(Puppet(plan_day=TOGETHER), setting(TRIO, rules=rules))
    for who in ("ann", "ben", "cid"):
        steps = [one.step for one in told.of(Remembered, who)]
        assert len(steps) == len(set(steps)), "one new thing at a time"


def test_what_was_forgotten_is_noticed_again() -> None:
    with_rests = planned(
        ann=day(f"06:00 knit @ {CAFE}"),
        ben=day(f"06:10 hum @ {CAFE}", f"07:00 sing @ {CAFE}", f"08:00 hum @ {CAFE}"),
    )
    for retention, times in ((8, 1), (1, 2)):
        rules = Rules(retention=retention)
        told = lived(Puppet(plan_day=with_rests), setting((ANN, BEN), rules=rules))
        assert seen(told, "ann").count("saw Ben Moor: hum") == times


# ------------------------------------------------------------------ talking


def test_of_two_who_want_to_talk_to_the_same_third_the_smaller_number_does() -> None:
    """All three sit in one room when Cid begins something new."""
    people = tuple(resident(name, living_area=str(CID.home)) for name in ("Cid", "Ann", "Ben"))
    plans = planned(
        cid=day(f"06:00 knit @ {CID.home}", f"09:00 sing @ {CID.home}"),
        ann=day(f"06:00 knit @ {CID.home}"),
        ben=day(f"06:00 knit @ {CID.home}"),
    )
    puppet = Puppet(plan_day=plans, talk_or_not=later(9, "ann", "ben"))
    told = lived(puppet, setting(people, rules=Rules(patience=0)))
    first = told.of(Talked)[0]
    asked = [q for q in puppet.of(TalkOrNot) if q.meta.step == first.step]
    assert [(q.meta.resident, q.other.id) for q in asked if q.meta.resident != "cid"] == [
        ("ann", "cid"),
        ("ben", "cid"),
    ]
    talks = [(t.who, t.other) for t in told.of(Talked) if t.step <= first.end]
    assert talks == [("ann", "cid")]
    assert not [q for q in puppet.of(Utter, "ben") if q.meta.step < first.end]


def test_who_was_refused_goes_on_with_what_they_were_doing() -> None:
    people = tuple(resident(name, living_area=str(CID.home)) for name in ("Cid", "Ann", "Ben"))
    plans = planned(
        cid=day(f"06:00 knit @ {CID.home}", f"09:00 sing @ {CID.home}"),
        ann=day(f"06:00 knit @ {CID.home}"),
        ben=day(f"06:00 knit @ {CID.home}", f"09:00 bake @ {CAFE}"),
    )
    puppet = Puppet(plan_day=plans, talk_or_not=later(9, "ann", "ben"))
    told = lived(puppet, setting(people, rules=Rules(patience=0)))
    first = told.of(Talked)[0]
    assert (first.who, first.other) == ("ann", "cid")
    walk = next(one for one in told.of(Walked, "ben") if one.step >= at("09:00"))
    assert walk.step < first.step < walk.step + len(walk.path)


def test_both_may_want_the_talk_and_it_is_the_smaller_numbers() -> None:
    puppet = Puppet(plan_day=TOGETHER, talk_or_not=lambda _: TALK)
    told = lived(puppet, setting((ANN, BEN)))
    assert {(talk.who, talk.other) for talk in told.of(Talked)} == {("ann", "ben")}
    step = told.of(Talked)[0].step
    assert [q.meta.resident for q in puppet.of(TalkOrNot) if q.meta.step == step] == [
        "ann",
        "ben",
    ]


def test_who_is_in_a_talk_is_left_alone() -> None:
    puppet = Puppet(
        plan_day=planned(
            ann=day(f"09:00 mend clocks @ {CAFE}"),
            ben=day(f"10:00 drink tea @ {CAFE}"),
            cid=day(f"10:03 sing @ {CAFE}"),
        ),
        talk_or_not=willing("ann", "cid"),
        utter=lambda _: Said(text="word " * 300, ends=True),
    )
    told = lived(puppet)
    long = told.of(Talked)[0]
    assert {long.who, long.other} == {"ann", "ben"}
    assert long.end - long.step == 4 * 6
    inside = [q for q in puppet.asked if long.step + 16 < q.meta.step < long.end]
    assert all(q.meta.resident == "cid" and not isinstance(q, TalkOrNot) for q in inside)
    assert not [one for one in told.of(Remembered, "ann") if long.step < one.step < long.end]
    assert "saw Ann Moor: talking with Ben Moor" in seen(told, "cid")


@pytest.mark.parametrize(("cooldown", "talks"), [(0, 3), (90, 2), (600, 1)])
def test_two_who_talked_leave_each_other_alone_for_a_while(cooldown: int, talks: int) -> None:
    """Ben does something new at 10, 11 and 12 o'clock."""
    plans = planned(
        ann=day(f"09:00 mend clocks @ {CAFE}"),
        ben=day(f"10:00 sing @ {CAFE}", f"11:00 hum @ {CAFE}", f"12:00 whistle @ {CAFE}"),
    )
    puppet = Puppet(plan_day=plans, talk_or_not=willing("ann"))
    rules = Rules(cooldown=cooldown, patience=0)
    told = lived(puppet, setting((ANN, BEN), rules=rules))
    inside = [t for t in told.of(Talked) if at("10:00") <= t.step < at("13:00")]
    hours = {talk.step // (60 * 6) for talk in inside}
    assert len(hours) == talks


def test_nobody_is_asked_about_the_same_person_all_the_time() -> None:
    plans = planned(
        ann=day(f"09:00 mend clocks @ {CAFE}"),
        ben=day(*(f"1{h}:{m} game {h}{m} @ {CAFE}" for h in range(5) for m in ("00", "30"))),
    )
    puppet = Puppet(plan_day=plans)
    lived(puppet, setting((ANN, BEN), rules=Rules(patience=60)))
    asked = [q.meta.step for q in puppet.of(TalkOrNot, "ann")]
    assert len(asked) >= 5
    assert all(later - one >= 360 for one, later in pairwise(asked))


def test_the_question_knows_when_the_two_last_talked() -> None:
    plans = planned(
        ann=day(f"09:00 mend clocks @ {CAFE}"),
        ben=day(f"10:00 sing @ {CAFE}", f"14:00 hum @ {CAFE}"),
    )
    puppet = Puppet(plan_day=plans, talk_or_not=willing("ann"))
    given = setting((ANN, BEN))
    told = lived(puppet, given)
    first, second = told.of(Talked)[:2]
    asked = [q.last_talk for q in puppet.of(TalkOrNot, "ann")]
    assert asked[0] is None
    assert asked[-1] in {given.clock.at(first.end), given.clock.at(second.end)}


def test_somebody_in_a_place_that_one_does_not_know_is_met_on_no_plan() -> None:
    people = (ANN, resident("Ben", knows=("Tower",)))
    plans = planned(ann=day(f"09:00 knit @ {CAFE}"), ben=day(f"09:00 look far @ {TOWER}"))
    told = lived(Puppet(plan_day=plans, talk_or_not=lambda _: TALK), setting(people))
    assert next(d.place for d in told.of(Did, "ben") if d.doing == "look far") == TOWER


def test_three_who_wait_at_one_door_stand_on_three_tiles_next_to_each_other() -> None:
    """The door is one tile: who comes first has it, who comes later stands beside it."""
    at_the_door = Parts(parts=(Part(minutes=60, what="wait", object="door"),))

    def wait(question: Any) -> Parts:
        there = "door" in question.objects
        return at_the_door if there else Parts(parts=(Part(minutes=60, what="wait"),))

    told = lived(Puppet(plan_day=TOGETHER, decompose=wait), setting(TRIO))
    noon = at("12:00")
    stood = {who: Trajectory(told.trace, TOWN).tile_at(who, noon) for who in ("ann", "ben", "cid")}
    assert len(set(stood.values())) == 3
    (door,) = TOWN.spots(Place("Cafe", "counter room"), "door")
    assert door in stood.values()
    assert all(str(TOWN.place_at(tile)) == CAFE for tile in stood.values())
    assert max(abs(x - door[0]) + abs(y - door[1]) for x, y in stood.values()) <= 2
