"""Places and tiles: what a town is made of, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Tile: TypeAlias = tuple[int, int]
"""Column x (0 is west) and row y (0 is north)."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """An arena of a sector: a room, a garden, a shop floor.

    Written "Sector: arena", as in prompts, plans and traces.
    """

    sector: str
    arena: str

    def __str__(self) -> str:
        return f"{self.sector}: {self.arena}"


OUTDOORS = Place("", "")
"""Where no arena is: the streets and meadows between them."""
