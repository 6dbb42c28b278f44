"""Requests whose replies are taken as they come."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from pydantic import BaseModel

from sociolab.core import (
    Answered,
    Completed,
    Ended,
    Event,
    Happened,
    Json,
    NoReply,
    Observation,
    Play,
    Player,
    Question,
    Reply,
    Request,
    StartRequests,
    StoreError,
    WorldError,
    decode_event,
    encode_event,
)
from sociolab.engine import drive
from sociolab.engine.journal import reply_event


class Word(BaseModel):
    word: str


def _request(seat: str, turn: int) -> Request:
    shown = Observation(seat, seat, turn, 9, "", (), "", (), None)
    return Request("trial", 0, seat, turn, 1, Question("word", "", Word), shown)


def _two_seats() -> Play:
    """Each seat is asked twice; the second time as soon as its own first reply has come."""
    begun = [_request("slow", 0), _request("quick", 0)]
    waiting = 4
    while waiting:
        came = yield StartRequests(tuple(begun))
        begun = []
        assert came
        for item in came:
            assert isinstance(item, Completed)
            assert isinstance(item.reply, Reply)
            waiting -= 1
            yield reply_event(item.request, item.reply)
            if item.request.turn == 0:
                begun.append(_request(item.request.seat, 1))
    yield Happened(1, "", "sum", {"asked": 4})
    yield Ended("time is up", 1)


class _Sleeper:
    def __init__(self, naps: int) -> None:
        self.naps = naps
        self.asked = 0

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        self.asked += 1
        for _ in range(self.naps):
            await asyncio.sleep(0)
        return Reply(Word(word=f"{request.seat}{request.turn}"))


def _played(journal: Sequence[Event] = (), naps: int = 9) -> tuple[list[Event], int]:
    recorded: list[Event] = []
    players = {"slow": _Sleeper(naps), "quick": _Sleeper(0)}
    asyncio.run(drive(_two_seats(), players, recorded.append, journal))
    return recorded, sum(player.asked for player in players.values())


def _order(events: Sequence[Event]) -> list[tuple[str, int]]:
    return [(event.seat, event.turn) for event in events if isinstance(event, Answered)]


def test_a_quick_seat_does_not_wait_for_a_slow_one() -> None:
    events, _ = _played()
    assert _order(events) == [("quick", 0), ("quick", 1), ("slow", 0), ("slow", 1)]


def test_a_resumed_play_asks_only_what_is_not_on_record_whatever_the_order() -> None:
    events, _ = _played()
    for cut in range(len(events) + 1):
        again, asked = _played(events[:cut], naps=0)
        answered = len(_order(events[:cut]))
        assert asked == 4 - answered
        key = encode_event
        assert sorted(map(key, [*events[:cut], *again])) == sorted(map(key, events))


def test_another_record_than_the_replayed_one_is_refused() -> None:
    events, _ = _played()
    changed = [
        Happened(1, "", "sum", {"asked": 5}) if isinstance(e, Happened) else e for e in events
    ]
    with pytest.raises(StoreError, match="the world's rules changed"):
        _played(changed)


def test_a_play_that_waits_for_nobody_is_a_bug_of_the_world() -> None:
    def idle() -> Play:
        yield StartRequests(())

    with pytest.raises(WorldError, match="has asked for none"):
        asyncio.run(drive(idle(), {}, lambda _: None))


def test_what_the_world_records_survives_the_store() -> None:
    event = Happened(3, "ana", "trace", [["w", 1, "NNE"], {"x": 1.5}])
    assert decode_event(encode_event(event)) == event


def test_a_reply_that_came_with_an_error_is_recorded_before_it() -> None:
    """It was paid for."""

    class Broken:
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            await asyncio.sleep(0)
            raise WorldError("a bug")

    recorded: list[Event] = []
    for broken, good in (("slow", "quick"), ("quick", "slow")):
        recorded.clear()
        players: dict[str, Player] = {broken: Broken(), good: _Sleeper(1)}
        with pytest.raises(WorldError, match="a bug"):
            asyncio.run(drive(_two_seats(), players, recorded.append))
        assert _order(recorded)[:1] == [(good, 0)]


def test_an_error_of_one_player_stops_the_others() -> None:
    stopped: list[str] = []

    class Stubborn:
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                stopped.append(request.seat)
                raise
            raise AssertionError

    class Broken:
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            await asyncio.sleep(0)
            raise WorldError("a bug")

    with pytest.raises(WorldError, match="a bug"):
        asyncio.run(drive(_two_seats(), {"slow": Stubborn(), "quick": Broken()}, lambda _: None))
    assert stopped == ["slow"]
