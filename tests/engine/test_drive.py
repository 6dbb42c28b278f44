"""Driving a play: replies from players and journals, memory, and plays that are cut off."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest
from hypothesis import given, strategies as st
from pydantic import BaseModel

from sociolab.core import (
    Action,
    Event,
    Json,
    ModelError,
    Moved,
    NoReply,
    Player,
    Question,
    Reply,
    Request,
    StoreError,
    Unusable,
)
from sociolab.engine import Poll, drive, play
from sociolab.plugin import OpenWitness
from sociolab.testing import STOCK_NAMES, AnyPlayer, StockScene, as_bytes, play_scene

SEATS = tuple(STOCK_NAMES)


class Mood(BaseModel):
    mood: int


class Brighter(BaseModel):
    mood: str


MOOD = Question("mood", "How do you feel?", Mood)


class Clumsy:
    """Fails at some of its turns, at one of its attempts; else like `AnyPlayer`."""

    def __init__(self) -> None:
        self._player = AnyPlayer(leave_rate=0.04, whisper_rate=0.3)

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        if (request.seed + request.turn) % 3 == 0 and request.attempt == 1:
            return NoReply("unreadable", "found nothing", raw="{", memory=["clumsy", memory])
        return await self._player.reply(request, memory)


class Never:
    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        raise AssertionError(f"nobody is asked what is on record: {request}")


def crowd(seats: tuple[str, ...]) -> Mapping[str, Player]:
    return dict.fromkeys(seats, Clumsy())


def scene(seats: int, order: str) -> StockScene:
    names = SEATS[:seats]
    polls = (Poll(0, names, MOOD), Poll(3, names, MOOD), Poll(None, names, MOOD))
    if order == "simultaneous":
        return StockScene(names, limit=6, order="simultaneous", polls=polls)
    return StockScene(names, limit=9, polls=polls)


@pytest.mark.parametrize("order", ["round-robin", "simultaneous"])
@given(seats=st.integers(2, 5), seed=st.integers(0, 10_000), share=st.floats(0, 1))
def test_a_replay_from_any_prefix_equals_the_original(
    order: str, seats: int, seed: int, share: float
) -> None:
    table = scene(seats, order)
    whole = play_scene(table, crowd(table.seats), seed=seed)
    cut = round(share * len(whole))
    again = play_scene(table, crowd(table.seats), seed=seed, journal=whole[:cut])
    assert as_bytes(again) == as_bytes(whole)


@given(seed=st.integers(0, 10_000))
def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(seed: int) -> None:
    table = scene(3, "round-robin")
    first = as_bytes(play_scene(table, crowd(table.seats), seed=seed))
    assert as_bytes(play_scene(table, crowd(table.seats), seed=seed)) == first
    assert as_bytes(play_scene(table, crowd(table.seats), seed=seed + 1)) != first


def test_a_whole_journal_asks_nobody() -> None:
    table = scene(3, "simultaneous")
    whole = play_scene(table, crowd(table.seats))
    assert play_scene(table, dict.fromkeys(table.seats, Never()), journal=whole) == whole


def test_replies_are_found_by_what_was_asked_and_not_by_their_order() -> None:
    """In a round the events of seats are recorded one by one; a cut may fall between them."""
    table = StockScene(SEATS[:3], limit=1, order="simultaneous")
    whole = play_scene(table, crowd(table.seats), seed=1)
    assert play_scene(table, crowd(table.seats), seed=1, journal=whole[:2]) == whole


def test_a_seat_in_a_journal_is_not_taken_for_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here everybody calls the third seat "second", and the second "third"."""

    class CrossedScene(StockScene):
        def witness(self, seat: str) -> OpenWitness:
            plain = super().witness(seat)
            monkeypatch.setattr(plain, "seat_called", {"second": "third", "third": "second"}.get)
            return plain

    class Whisper:
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            return Reply((Action("speak", "Psst.", ("second",)),))

    table = CrossedScene(SEATS[:3], limit=1)
    whole = play_scene(table, dict.fromkeys(table.seats, Whisper()))
    assert whole[0] == Moved(0, "first", (Action("speak", "Psst.", ("third",)),))
    assert play_scene(table, dict.fromkeys(table.seats, Never()), journal=whole) == whole


def test_a_journal_of_other_rules_is_refused() -> None:
    whole = play_scene(StockScene(limit=4), crowd(SEATS[:2]))
    with pytest.raises(StoreError, match="the world's rules changed since"):
        play_scene(StockScene(limit=3), crowd(SEATS[:2]), journal=whole)


def test_an_answer_of_another_form_is_refused() -> None:
    def asking(kind: type[BaseModel]) -> StockScene:
        question = Question("mood", "How do you feel?", kind)
        return StockScene(limit=2, polls=(Poll(0, ("first",), question),))

    whole = play_scene(asking(Mood), crowd(SEATS[:2]))
    with pytest.raises(StoreError, match='the answer to "mood" has another form'):
        play_scene(asking(Brighter), crowd(SEATS[:2]), journal=whole)


def test_a_player_is_handed_the_memory_that_it_returned_last() -> None:
    seen: list[Json] = []

    class Counting:
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            seen.append(memory)
            count = memory + 1 if isinstance(memory, int) else 1
            if request.turn == 2 and request.attempt == 1:
                return NoReply("unreadable", "no memory of its own")
            if request.turn == 4 and request.attempt == 1:
                return NoReply("unreadable", "one of its own", memory=100)
            return Reply((Action("none"),), count)

    play_scene(StockScene(limit=6), {"first": Counting(), "second": AnyPlayer(leave_rate=0)})
    assert seen == [None, 1, 1, 2, 100]


def test_a_resumed_player_has_the_memory_it_had() -> None:
    seen: dict[int, list[Json]] = {0: [], 1: []}

    def players(part: int) -> dict[str, Player]:
        class Forgetful:
            async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
                seen[part].append(memory)
                bad = Action("sing") if request.turn == 2 and request.attempt == 1 else None
                return Reply((bad or Action("none"),), None if bad else request.turn)

        return {"first": Forgetful(), "second": AnyPlayer(leave_rate=0)}

    whole = play_scene(StockScene(limit=6), players(0))
    failed = next(i for i, event in enumerate(whole) if isinstance(event, Unusable))
    play_scene(StockScene(limit=6), players(1), journal=whole[: failed + 1])
    assert seen[1] == seen[0][-len(seen[1]) :]


def test_when_one_player_of_a_round_fails_the_others_are_stopped() -> None:
    stopped: list[str] = []

    class Broken:
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            raise ModelError("no such model", cause="unknown model")

    class Slow:
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                stopped.append(request.seat)
                raise
            return Reply((Action("none"),))

    async def go() -> None:
        players: dict[str, Player] = {"first": Slow(), "second": Broken(), "third": Slow()}
        game = play(StockScene(SEATS[:3], order="simultaneous"))
        events: list[Event] = []
        with pytest.raises(ModelError, match="no such model"):
            await drive(game, players, events.append)
        assert stopped == ["first", "third"]
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(go())
