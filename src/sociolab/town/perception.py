"""Who perceives whom: near, in the same arena, and not noticed already.

Generative Agents, section 4.1, with the vision radius and the attention of its published
settings. Outdoors counts as one arena.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from sociolab.town.map import Tile

RADIUS: Final = 8
BANDWIDTH: Final = 8
RETENTION: Final = 8

Percept: TypeAlias = tuple[int, str]
"""Who, and what they are seen doing."""

_ROW: Final = 1 << 20


def sees(tile: Tile, arena: int, other: Tile, its_arena: int, radius: int = RADIUS) -> bool:
    """Whether one who stands on `tile` perceives what is on the other; the same both ways.

    Arenas are numbers, -1 outdoors; `radius` is in tiles, the diagonal counting as one.
    """
    return (
        arena == its_arena
        and abs(tile[0] - other[0]) <= radius
        and abs(tile[1] - other[1]) <= radius
    )


class Whereabouts:
    """Where residents are, so that those whom one of them perceives are found at once.

    Kept by arena and, outdoors, by squares as wide as the radius, of which nine can matter.
    """

    def __init__(self, radius: int = RADIUS) -> None:
        self._radius = radius
        self._square = max(1, radius)
        self._cell_of: dict[int, int] = {}
        self._cells: dict[int, dict[int, Tile]] = {}

    def put(self, who: int, tile: Tile, arena: int) -> None:
        """A resident is there from now on, wherever it was."""
        cell = self._cell(tile) if arena < 0 else arena
        before = self._cell_of.get(who, cell)
        if before != cell:
            del self._cells[before][who]
        self._cell_of[who] = cell
        if cell in self._cells:
            self._cells[cell][who] = tile
        else:
            self._cells[cell] = {who: tile}

    def remove(self, who: int) -> None:
        """A resident is nowhere to be seen; KeyError if it was not anyway."""
        del self._cells[self._cell_of.pop(who)][who]

    def near(self, who: int) -> list[int]:
        """All others whom a resident perceives, nearest first as the crow flies, then by number.

        KeyError if it is nowhere itself.
        """
        cell = self._cell_of[who]
        x, y = self._cells[cell][who]
        radius, found = self._radius, []
        for shared in (cell,) if cell >= 0 else self._around(cell):
            for other, (its_x, its_y) in self._cells.get(shared, _NOBODY).items():
                dx, dy = its_x - x, its_y - y
                if -radius <= dx <= radius and -radius <= dy <= radius and other != who:
                    found.append((dx * dx + dy * dy, other))
        found.sort()
        return [other for _, other in found]

    def _cell(self, tile: Tile) -> int:
        # Below zero, where no arena's number is; one to spare at each side for the squares around.
        return -1 - ((tile[1] // self._square + 1) * _ROW + tile[0] // self._square + 1)

    def _around(self, cell: int) -> tuple[int, ...]:
        return (
            cell,
            cell - 1,
            cell + 1,
            cell - _ROW - 1,
            cell - _ROW,
            cell - _ROW + 1,
            cell + _ROW - 1,
            cell + _ROW,
            cell + _ROW + 1,
        )


_NOBODY: Final[dict[int, Tile]] = {}


class Attention:
    """What of all that a resident could perceive is new to it.

    Of those near it attends to the `bandwidth` nearest; what is among the last `retention`
    percepts that were new is known.
    """

    def __init__(self, bandwidth: int = BANDWIDTH, retention: int = RETENTION) -> None:
        self._bandwidth = bandwidth
        self._retention = retention
        self._known: dict[Percept, None] = {}  # an ordered set, the oldest first

    def attend(self, nearby: Sequence[Percept]) -> list[Percept]:
        """Those that are new, in the order given: nearest first. From now on they are known."""
        known = self._known
        new = [percept for percept in nearby[: self._bandwidth] if percept not in known]
        for percept in new:
            known[percept] = None
        while len(known) > self._retention:
            del known[next(iter(known))]
        return new
