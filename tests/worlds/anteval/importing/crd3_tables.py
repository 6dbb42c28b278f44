"""Invented tables in the form of CRD3's cleaned data."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.worlds import anteval
from sociolab.worlds.anteval.importing.crd3 import CastFacts, CastSeat, Extracted, extract
from sociolab.worlds.anteval.importing.crd3_speech import ShowEpisode, SpokenTurn

PLAYERS = ("INES", "OTTO", "RUTH")
CHATTER = "We walk on."
FACTS = CastFacts(
    dm="MATT",
    companions=("Trinket",),
    seats=tuple(CastSeat(campaign=1, player=name, character=name) for name in PLAYERS),
)
"""They play characters of their own names, to be read more easily."""

Line = tuple[str, str]


def table(*lines: Line, players: Sequence[str] = PLAYERS, id: str = "C1E900") -> ShowEpisode:
    """An episode that ends with these lines, after enough chatter to seat the players."""
    seats = [SpokenTurn(player, CHATTER) for _ in range(25) for player in players]
    closing = [
        SpokenTurn("MATT", "And so the day goes by, with nothing more to tell of it than this.")
    ]
    told = [SpokenTurn(speaker, text) for speaker, text in lines]
    return ShowEpisode(id, int(id[1]), int(id[3:6]), tuple(seats + closing + told))


def extracted(*lines: Line) -> Extracted:
    """What such an episode gives."""
    return extract(table(*lines), FACTS)


def one(*lines: Line) -> anteval.Example:
    """The only example of such an episode."""
    found = extracted(*lines)
    assert len(found.examples) == 1, found.dropped
    return found.examples[0]


def dropped(*lines: Line) -> str:
    """Why the only exchange of such an episode gives no example."""
    found = extracted(*lines)
    assert not found.examples, found.examples[0].labels
    (reason,) = found.dropped
    return reason


def labels(*lines: Line) -> set[tuple[str, str]]:
    """The labels of the only example."""
    return {(label.character, label.skill) for label in one(*lines).labels}
