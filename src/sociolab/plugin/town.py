"""What does a world that is played in a town declare, so that its days can be looked at?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sociolab.core.episode import Episode
    from sociolab.store.store import Store
    from sociolab.store.verdicts import ScoreRow
    from sociolab.town.map import TownMap
    from sociolab.town.residents import Resident
    from sociolab.town.trace import Talked
    from sociolab.town.trajectory import Interval, Intervals, Lived


class TownErrand(Protocol):
    """What somebody else is asked to do, and where."""

    @property
    def place(self) -> str:
        """Where."""
        ...


class TownTask(Protocol):
    """The task of the performer."""

    @property
    def title(self) -> str:
        """What it is called."""
        ...

    @property
    def type(self) -> str:
        """What kind of task it is."""
        ...

    @property
    def goal(self) -> str:
        """What is to come about."""
        ...

    @property
    def performer(self) -> str:
        """Whose task it is."""
        ...

    @property
    def background(self) -> tuple[str, ...]:
        """Everybody else."""
        ...

    @property
    def place(self) -> str:
        """Where; "" where the task leaves it open."""
        ...

    @property
    def start(self) -> str:
        """When; "" at any time of the day."""
        ...

    @property
    def expected(self) -> int:
        """How many the goal asks for."""
        ...

    @property
    def errands(self) -> Sequence[TownErrand]:
        """What others are asked to do."""
        ...


class TownErrandDone(Protocol):
    """An errand: who ran it, and when; "" and None if nobody did."""

    @property
    def what(self) -> str:
        """What it was."""
        ...

    @property
    def who(self) -> str:
        """Who ran it."""
        ...

    @property
    def step(self) -> int | None:
        """When."""
        ...


class TownScore(Protocol):
    """How the task went, by the rules of today."""

    @property
    def goal(self) -> float:
        """From 0 to 1."""
        ...

    @property
    def least(self) -> int:
        """How many minutes of taking part are needed."""
        ...

    @property
    def participants(self) -> tuple[str, ...]:
        """Who of the background counted."""
        ...

    @property
    def errands(self) -> Sequence[TownErrandDone]:
        """Who ran which errand."""
        ...


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
