"""A player that breaks is named by its seat and the turn, wherever it is driven."""

from __future__ import annotations

import asyncio

import pytest

from sociolab.core import Json, ModelError, NoReply, Player, Reply, Request, WorldError
from sociolab.engine import drive, play
from sociolab.testing import AnyPlayer, StockScene


class Breaks:
    def __init__(self, error: Exception) -> None:
        self.error = error

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        raise self.error


def driven(error: Exception) -> None:
    players: dict[str, Player] = {"first": AnyPlayer(leave_rate=0), "second": Breaks(error)}
    asyncio.run(drive(play(StockScene(limit=6)), players, lambda event: None))


def test_a_bug_is_told_with_seat_turn_and_line() -> None:
    said = r"^the player of second broke at turn 2: KeyError: 'x' \(.*test_player_that_breaks\.py"
    with pytest.raises(WorldError, match=said):
        driven(KeyError("x"))


@pytest.mark.parametrize(
    "error", [ModelError("no reply", cause="timeout"), WorldError("a sentence")]
)
def test_what_is_raised_on_purpose_passes_through(error: Exception) -> None:
    with pytest.raises(type(error)) as found:
        driven(error)
    assert found.value is error
