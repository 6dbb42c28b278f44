"""A conversation task: two residents as they were just before a talk (STSS section 3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from pydantic import Field

from sociolab.town.residents import Resident
from sociolab.town.thoughts import Block, Commitment, Heard, Memory
from sociolab.worlds.stss.talk.findings import Occasion
from sociolab.worlds.stss.task import Frozen, SocialTask


class Side(Frozen):
    """One of the two at that moment.

    `resident` is without the task. `place` is where they are, "" outdoors; `doing` what they did
    before the talk, in the words that others see. `memories` are those that matter here: of the
    other, and of the task as far as they know of it; best first. `commitments` are what they have
    promised, `ahead` is the rest of their day's plan, the block under way first. `heard` is what
    was said last of each matter in each of their earlier talks, in typed form: for scripted minds.
    """

    resident: Resident
    place: str = ""
    doing: str = ""
    memories: tuple[Memory, ...] = ()
    commitments: tuple[Commitment, ...] = ()
    ahead: tuple[Block, ...] = ()
    heard: tuple[Heard, ...] = ()


class Neighbour(Frozen):
    """Somebody who lives in this town, and what everybody knows of them."""

    name: str
    known_as: str = ""


class TalkScenario(Frozen):
    """One conversation task, whole: it is played without the town that it was frozen from.

    `id` is TASK.SEED.OTHER, `seed` the town's. `performer_begins`: who spoke first in the town.
    `people` are all in the simulation, by id; `places` all of the town, arenas by sector.
    """

    id: str = Field(min_length=1)
    seed: int
    task: SocialTask
    now: datetime
    performer_begins: bool
    performer: Side
    other: Side
    people: Mapping[str, Neighbour]
    places: Mapping[str, tuple[str, ...]]

    @property
    def place_names(self) -> tuple[str, ...]:
        """All places of the town, "Sector: arena"."""
        return tuple(
            f"{sector}: {arena}" for sector, arenas in self.places.items() for arena in arenas
        )

    @property
    def occasion(self) -> Occasion:
        """What one must know to read the talk."""
        performer, other = self.performer.resident, self.other.resident
        return Occasion(self.task, performer, other, self.now, self.performer.place)
