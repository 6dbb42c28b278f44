"""All that a simulation is given: the town, who lives in it, for how long, and the rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sociolab.core.errors import WorldError
from sociolab.engine.scene import FailurePolicy
from sociolab.town.clock import Clock
from sociolab.town.map import TownMap
from sociolab.town.memory import Embedder, HashingEmbedder
from sociolab.town.questions import Matter
from sociolab.town.residents import Resident


@dataclass(frozen=True, slots=True)
class Rules:
    """How residents perceive and when they talk.

    `radius` in tiles, `bandwidth` and `retention` in percepts (Generative Agents, appendix A.2).
    Two residents do not talk again for `cooldown` minutes after a talk, and are not asked about
    the same person again for `patience` minutes. `reflect_at`: the importance that must build up
    before a resident reflects (150). `rate_at`: so many unrated memories are rated at once.
    `recalled`: memories put before a mind, at most `glimpses` of them of what was merely seen.
    `words_a_minute` is the pace of speech.
    """

    radius: int = 8
    bandwidth: int = 8
    retention: int = 8
    cooldown: int = 120
    patience: int = 60
    reflect_at: int = 150
    rate_at: int = 12
    recalled: int = 8
    glimpses: int = 3
    words_a_minute: int = 150


def own_seat(resident: str, question: str) -> str:
    """Everybody answers for themselves: the seat is the resident's id."""
    return resident


@dataclass(frozen=True, slots=True)
class Setting:
    """One simulation: `days` days from the midnight at which `clock` begins.

    `seat_of` names the seat that answers a resident's question; `tdp` are the goals of those who
    plan for a target (STSS section 4 and appendix B), by resident's id, and so are `tasks`, the
    social tasks in typed form for scripted minds.
    """

    town: TownMap
    residents: tuple[Resident, ...]
    clock: Clock
    days: int
    trial: str = ""
    seed: int = 0
    rules: Rules = field(default_factory=Rules)
    policy: FailurePolicy = field(default_factory=FailurePolicy)
    seat_of: Callable[[str, str], str] = own_seat
    tdp: Mapping[str, str] = field(default_factory=dict)
    tasks: Mapping[str, Matter] = field(default_factory=dict)
    embedder: Embedder = field(default_factory=HashingEmbedder)

    def __post_init__(self) -> None:
        ids = [resident.id for resident in self.residents]
        names = [resident.name for resident in self.residents]
        strange = sorted(set(self.tdp) - set(ids))
        homeless = [r for r in self.residents if self.town.place(r.living_area) is None]
        if not ids or len(set(ids)) < len(ids) or len(set(names)) < len(names):
            raise WorldError(f"residents need ids and names of their own, found {names}")
        if strange:
            raise WorldError(f'a target is given to "{strange[0]}", who does not live here')
        if homeless:
            one = homeless[0]
            raise WorldError(f'{one.name} sleeps at "{one.living_area}", which is not on the map')

    @property
    def steps(self) -> int:
        """Steps in all."""
        return self.days * self.clock.a_day
