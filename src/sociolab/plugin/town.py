"""What does a world that is played in a town declare, so that its days can be looked at?"""

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
    from sociolab.town.trajectory import Interval, Intervals, Lived


@dataclass(frozen=True, slots=True)
class TownTask:
    """The task of the performer, as a replay shows it.

    `expected`: how many the goal asks for; `background`: how many others there are. `place` and
    `start` are "" where the task leaves them open; `places` are all that its goal names.
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
    """How the task went, by the rules of today: `goal` from 0 to 1, for `least` minutes.

    `errands`: what each was, who ran it and at which step; "" and None if nobody did.
    """

    goal: float
    least: int
    errands: tuple[tuple[str, str, int | None], ...]


@dataclass(frozen=True, slots=True)
class ResidentOutcome:
    """What became of a background resident, by the rules of scoring.

    `since`: the step at which it had taken part for as long as is needed, or its errand was done;
    None if it does not count. `when` it took part, `near`: when it came near to that (as steps).
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

    `score` and `outcomes` are computed from the trace by the rules of today, for `least` minutes;
    without a score (None, and no outcomes) `why` says what is missing. `about` are the talks that
    are about the task. `verdicts` are those in the
    store; `other_rules`: whether some of them were made by other rules than these.
    """

    lived: Lived
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
    """How a world's town is looked at: its map (in a data folder, or its own), the days of an
    episode, and all that a replay shows. ConfigError where there are none."""

    map: Callable[[Path | None], TownMap]
    lived: Callable[[Episode], Lived]
    replay: Callable[[Store, str, str], Replay]
