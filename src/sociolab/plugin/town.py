"""What a world that is played in a town declares, so that its simulated days can be replayed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sociolab.core.episode import Episode
    from sociolab.store.store import Store
    from sociolab.store.verdicts import ScoreRow
    from sociolab.town.map import TownMap
    from sociolab.town.residents import Resident
    from sociolab.town.trace import Talked
    from sociolab.town.trajectory import Interval, Intervals, SimulatedDays


@dataclass(frozen=True, slots=True)
class TownTask:
    """The performer's task, as a replay shows it.

    `expected` is the number of participants that the goal asks for, `background` that of the other
    residents. `place` and `start` are "" where the task leaves them open; `places` are all that the
    goal names.
    """

    title: str
    type: str
    goal: str
    performer: str
    background: int
    expected: int
    start: str
    place: str
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TownScore:
    """The score of the task by the current rules: `goal` from 0 to 1, where taking part means for
    `least` minutes.

    `errands`: what each was, who ran it and at which step; "" and None if nobody did.
    """

    goal: float
    least: int
    errands: tuple[tuple[str, str, int | None], ...]


@dataclass(frozen=True, slots=True)
class ResidentOutcome:
    """Whether a background resident counts for the goal, by the rules of scoring.

    `since`: the step at which it had taken part for long enough, or its errand was done; None if it
    does not count. `when` it took part and `near`, when it almost did, are intervals of steps.
    """

    who: str
    counts: bool
    since: int | None
    words: str
    when: Intervals
    near: Intervals


@dataclass(frozen=True, slots=True)
class Replay:
    """All that a replay shows.

    `score` and `outcomes` are computed from the trace by the current rules; where they are missing
    (None and empty), `why` says what they need. `about` are the conversations about the task.
    `verdicts` are the stored scores; `other_rules`: whether earlier rules made some of them.
    """

    lived: SimulatedDays
    task: TownTask
    residents: tuple[Resident, ...]
    window: Interval
    score: TownScore | None
    why: str
    outcomes: tuple[ResidentOutcome, ...]
    about: tuple[Talked, ...]
    verdicts: tuple[ScoreRow, ...]
    other_rules: bool


@dataclass(frozen=True, slots=True)
class TownWorld:
    """Functions that load what pages show of a world's town: its map (of a data folder, or its
    own), the days of an episode, and a replay (of a store, a run and a trial). They raise
    ConfigError where an episode has none."""

    map: Callable[[Path | None], TownMap]
    lived: Callable[[Episode], SimulatedDays]
    replay: Callable[[Store, str, str], Replay]
