"""Who sits at the table in an episode: a table of facts (data/crd3_cast.toml), and who speaks."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from sociolab.worlds.anteval.importing.crd3.turns import Episode

SPEAKS = 25
"""Whoever speaks in fewer turns is not counted as sitting at the table."""


class _Seat(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    campaign: int
    player: str
    character: str
    also: tuple[str, ...] = ()
    first: Annotated[int, Field(alias="from")] = 1
    last: Annotated[int, Field(alias="to")] = 10_000


class _Facts(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    dm: str
    companions: tuple[str, ...]
    seats: tuple[_Seat, ...]


@dataclass(frozen=True, slots=True)
class Cast:
    """The table of an episode. `characters` by player, in the order in which they first speak.

    `names` tells which player is meant by a name in lower case; `companions` are animals and
    things that a player rolls for.
    """

    dm: str
    characters: Mapping[str, str]
    names: Mapping[str, str]
    companions: tuple[str, ...]


def cast_of(episode: Episode) -> Cast:
    """The DM and the players who speak in at least `SPEAKS` turns; a guest may go by the player."""
    facts = _facts()
    spoken = Counter(turn.speaker for turn in episode.turns)
    seats = {
        seat.player: seat
        for seat in facts.seats
        if seat.campaign == episode.campaign and seat.first <= episode.number <= seat.last
    }
    players = [
        player
        for player, turns in spoken.items()
        if turns >= SPEAKS and player not in (facts.dm, "ALL") and "&" not in player
    ]
    names = {}
    for player in players:
        names[player.casefold()] = player
        if seat := seats.get(player):
            names |= {name.casefold(): player for name in (seat.character, *seat.also)}
    return Cast(
        dm=facts.dm,
        characters={
            player: seats[player].character if player in seats else player for player in players
        },
        names=names,
        companions=tuple(name.casefold() for name in facts.companions),
    )


@lru_cache(maxsize=1)
def _facts() -> _Facts:
    text = files("sociolab.worlds.anteval").joinpath("data", "crd3_cast.toml").read_text("utf-8")
    return _Facts.model_validate(tomllib.loads(text))
