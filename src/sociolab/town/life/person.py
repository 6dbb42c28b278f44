"""A resident in a simulation: where it is, what it shows, what it keeps to itself."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from sociolab.town.answers import Part
from sociolab.town.memory.stream import MemoryStream
from sociolab.town.perception import Attention
from sociolab.town.places import Tile
from sociolab.town.residents import Resident
from sociolab.town.setting import Setting
from sociolab.town.thoughts import Block, Commitment, Heard, Memory
from sociolab.town.trace.records import HEADINGS, Did, Planned, PlannedBlock, Record, Walked


@dataclass(frozen=True, slots=True)
class Shown:
    """What others can see of a resident."""

    doing: str
    asleep: bool = False
    talking: bool = False


class Person:
    """The state of one resident. `number` is its place among the residents of the simulation.

    `step` is its local clock. `shown` is what others see at this step, `showing` what they will
    see at the next. `way` holds the tiles of a walk, of which the first is where it began, at
    step `way_from`. `until` is when its life goes on by itself; `busy_until` the end of a talk;
    of `newcomers` it hears from step `hears_from` on, one a step.
    """

    def __init__(self, number: int, resident: Resident, setting: Setting, tile: Tile) -> None:
        self.number = number
        self.resident = resident
        self.id = resident.id
        self.name = resident.name
        self.town = setting.town
        self.memory = MemoryStream(setting.clock, setting.embedder)
        self.attention = Attention(setting.rules.bandwidth, setting.rules.retention)
        self.step = 0
        self.tile = tile
        self.arena = setting.town.arena_at(tile)
        self.shown = self.showing = Shown("asleep", asleep=True)
        self.view: frozenset[int] = frozenset()
        self.way: tuple[Tile, ...] = ()
        self.way_from = 0
        self.path = ""
        self.until = 0
        self.busy_until: int | None = None
        self.newcomers: list[Person] = []
        self.hears_from = 0
        self.life: Generator[Any, Any, None] | None = None
        self.doing = Did(0, self.id, "asleep", state="asleep")
        self.blocks: tuple[Block, ...] = ()
        self.bed = 0
        self.commitments: list[Commitment] = []
        self.known = _known_places(resident, setting)
        self.parts: dict[tuple[str, str], tuple[Part, ...]] = {}
        self.last_talk: dict[int, int] = {}
        self.last_asked: dict[int, int] = {}
        self.last_memo: dict[int, Memory] = {}
        self.heard: tuple[Heard, ...] = ()
        self.general_plan: tuple[str, ...] = ()
        self.reminder = ""
        self.records: list[Record] = []
        self.hour = setting.clock.minutes(60)

    @property
    def goes_on(self) -> int:
        """The step at which this life goes on if nobody comes near."""
        if self.busy_until is not None:
            return self.busy_until
        return min(self.until, self.hears_from) if self.newcomers else self.until

    # -------------------------------------------------------------- moving

    def walk(self, path: str, step: int) -> None:
        """Begin a walk: one tile a step, from this step on."""
        x, y = self.tile
        tiles = [self.tile]
        for letter in path:
            dx, dy = HEADINGS[letter]
            x, y = x + dx, y + dy
            tiles.append((x, y))
        self.way, self.way_from, self.path = tuple(tiles), step, path

    def stop(self, step: int) -> None:
        """End a walk where one is at this step, arrived or not, and record what was walked."""
        if self.path:
            self._record_walk(self.path[: step - self.way_from], self.way_from)
            self.way, self.path = (), ""

    def cut_walk(self, step: int) -> None:
        """Record the part of a walk before this step; the walk goes on."""
        gone = step - self.way_from
        if self.path and gone > 0:
            self._record_walk(self.path[:gone], self.way_from)
            self.way, self.path, self.way_from = self.way[gone:], self.path[gone:], step

    def move_to(self, step: int) -> bool:
        """Be where the walk is at this step; whether that is another tile."""
        if not self.path:
            return False
        tile = self.way[min(step - self.way_from, len(self.path))]
        moved = tile != self.tile
        self.tile = tile
        self.arena = self.town.arena_at(tile)
        return moved

    def _record_walk(self, path: str, start: int) -> None:
        # In pieces that end with the hours, so that a trace is cut the same way however it came.
        while path:
            piece = self.hour - start % self.hour
            self.records.append(Walked(start, self.id, path[:piece]))
            path, start = path[piece:], start + piece

    # -------------------------------------------------------------- doing

    def do(self, did: Did, step: int) -> None:
        """Begin to do something: recorded now, seen by others from the next step on."""
        self.doing = did
        self.records.append(did)
        self.showing = Shown(_seen(did), did.state == "asleep", did.state == "talking")

    def plan(self, step: int, blocks: tuple[Block, ...], why: str, setting: Setting) -> None:
        """Have another plan; what is over of it is not told again."""
        self.blocks = blocks
        step_of = setting.clock.step
        told = ((step_of(b.start), step_of(b.end), b) for b in blocks)
        planned = tuple(
            PlannedBlock(start, end, b.what, b.place) for start, end, b in told if end > step
        )
        self.records.append(Planned(step, self.id, planned, why))


def _seen(did: Did) -> str:
    if did.state == "walking" and did.place:
        return f"on the way to {did.place.partition(': ')[0]}"
    return did.doing


def _known_places(resident: Resident, setting: Setting) -> tuple[str, ...]:
    """Home first, then what the resident is said to know, in that order; sectors in full."""
    names = [str(resident.home)]
    for known in resident.knows:
        place = setting.town.place(known)
        if place is not None:
            names.append(str(place))
        else:
            names += [str(place) for place in setting.town.sector_places(known)]
    return tuple(dict.fromkeys(names))
