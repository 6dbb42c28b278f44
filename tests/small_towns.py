"""Small towns to live in, and answers that come in some order."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import date
from random import Random
from typing import Any

import numpy as np

from sociolab.core import (
    Completed,
    Ended,
    Happened,
    NoReply,
    Play,
    Reply,
    Request,
    Sent,
    StartRequests,
    stream,
)
from sociolab.town import (
    Clock,
    Mind,
    MindPlayer,
    Place,
    Resident,
    Rules,
    ScriptedMind,
    Setting,
    Tile,
    TownMap,
)

Pick = Callable[[list[Request]], list[int]]
"""Which of the open requests are answered next, by place in the list, each once."""


# ------------------------------------------------------------------ small towns


def small_town(chance: Random) -> TownMap:
    """Three to eight rooms of several sizes, with one or two doors, on a meadow."""
    across, down = chance.randint(2, 4), chance.randint(1, 2)
    wide, high = chance.randint(7, 16), chance.randint(6, 12)
    walkable = np.ones((down * high + 1, across * wide + 1), dtype=np.bool_)
    arena = np.full(walkable.shape, -1, dtype=np.int16)
    places: list[Place] = []
    objects: dict[Place, dict[str, tuple[Tile, ...]]] = {}
    for number in range(across * down):
        left, top = 1 + number % across * wide, 1 + number // across * high
        right, bottom = left + chance.randint(4, wide - 2), top + chance.randint(4, high - 2)
        walkable[top : bottom + 1, left : right + 1] = False
        walkable[top + 1 : bottom, left + 1 : right] = True
        arena[top + 1 : bottom, left + 1 : right] = number
        for _ in range(chance.randint(1, 2)):
            door = (chance.choice((top, bottom)), chance.randint(left + 1, right - 1))
            walkable[door] = True
        place = Place(f"House {number + 1}", "room")
        places.append(place)
        spots = [(x, y) for y in range(top + 1, bottom) for x in range(left + 1, right)]
        objects[place] = {"bed": tuple(chance.sample(spots, 2)), "chair": (chance.choice(spots),)}
    sectors = tuple(place.sector for place in places)
    return TownMap("Smallton", sectors, tuple(places), walkable, arena, objects)


def people_of(town: TownMap, count: int, chance: Random) -> tuple[Resident, ...]:
    """Residents who know some of the town."""
    names = [str(place) for place in town.places]
    return tuple(
        Resident(
            id=f"r{number}",
            name=f"Resident {number}",
            age=30,
            innate="calm",
            learned="a neighbour",
            currently="at home",
            lifestyle="regular",
            living_area=chance.choice(names),
            knows=tuple(chance.sample(names, chance.randint(1, len(names)))),
        )
        for number in range(count)
    )


def some_setting(seed: int) -> Setting:
    """A small town with people who see far or near, and soon talk again or late."""
    chance = stream(seed, "setting")
    town = small_town(chance)
    rules = Rules(
        radius=chance.randint(1, 8),
        bandwidth=chance.randint(1, 8),
        retention=chance.randint(1, 8),
        cooldown=chance.choice((1, 30, 120)),
        patience=chance.choice((1, 15, 60)),
        rate_at=chance.choice((3, 12)),
        reflect_at=chance.choice((30, 150)),
    )
    people = people_of(town, chance.randint(2, 6), chance)
    clock = Clock(date(2024, 5, 13), chance.choice((30, 60, 90)))
    return Setting(town, people, clock, 1, "t", seed, rules)


# ------------------------------------------------------------------ answers in some order


def lived(play: Play, mind: Mind, pick: Pick) -> tuple[Happened, ...]:
    """The trace of a play to its end, answers coming as they are picked."""
    player = MindPlayer(mind, built_in=isinstance(mind, ScriptedMind))
    trace: list[Happened] = []
    waiting: list[Request] = []
    sent: Sent = None
    while True:
        try:
            step = play.send(sent)
        except StopIteration:
            return tuple(trace)
        sent = None
        if isinstance(step, StartRequests):
            waiting += step.requests
            chosen = pick(waiting)
            sent = [Completed(waiting[n], _now(player.reply(waiting[n], None))) for n in chosen]
            waiting = [request for n, request in enumerate(waiting) if n not in chosen]
        elif isinstance(step, Happened):
            trace.append(step)
        elif isinstance(step, Ended):
            assert step.reason == "time is up", "an end without failures"


def _now(asked: Coroutine[Any, Any, Reply | NoReply]) -> Reply | NoReply:
    try:
        asked.send(None)
    except StopIteration as over:
        reply: Reply | NoReply = over.value
        return reply
    raise AssertionError("a mind that answers at once")


def first_come(waiting: list[Request]) -> list[int]:
    """Everything at once, in the order in which it was asked."""
    return list(range(len(waiting)))


def last_come(waiting: list[Request]) -> list[int]:
    """One at a time, what was asked last first: somebody waits as long as possible."""
    return [len(waiting) - 1]


def latest_step(waiting: list[Request]) -> list[int]:
    """One at a time, whoever is farthest ahead first: the town is drawn out in time."""
    return [max(range(len(waiting)), key=lambda n: (waiting[n].turn, n))]


def at_random(seed: int) -> Pick:
    """Some, in any order, by lot; a few residents are slow."""
    chance = stream(seed, "order")

    def pick(waiting: list[Request]) -> list[int]:
        slow = [n for n, request in enumerate(waiting) if request.seat.endswith(("0", "3"))]
        numbers = [n for n in range(len(waiting)) if n not in slow] or slow
        if chance.random() < 0.05:
            numbers = list(range(len(waiting)))
        return chance.sample(numbers, chance.randint(1, min(3, len(numbers))))

    return pick
