"""Which turns are taken, by who took them, in which seat, and what they earned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sociolab.app.training.left_out import LeftOut
from sociolab.app.training.reading import Played, played_in
from sociolab.app.training.rewards import Reward, Rewards
from sociolab.app.training.turn import Turn
from sociolab.app.training.wanted import Wanted
from sociolab.core.code_mark import code_in, mark
from sociolab.core.errors import ConfigError
from sociolab.store.runs import RunRow
from sociolab.store.sqlite import Store
from sociolab.store.trials import TrialRow


@dataclass(frozen=True, slots=True)
class Source:
    """Runs to export from: their scores, who gave each wanted measure, and what is wanted."""

    store: Store
    runs: Sequence[str]
    rewards: Rewards
    judges: dict[str, str]
    wanted: Wanted

    def reward(self, turn: Turn) -> dict[str, Reward | None]:
        """What the turn's seat earned in each wanted measure; None where it was given nothing."""
        trial, seat = turn.trial.id, turn.seat
        return {
            measure: self.rewards.reward(judge, measure, turn.run, trial, seat)
            for measure, judge in self.judges.items()
        }

    def missing(self, turn: Turn) -> str:
        """Why the turn is not taken for what it earned; "" where it is."""
        least = self.wanted.least
        if least is None:
            return ""
        ((measure, reward),) = self.reward(turn).items()
        if reward is None:
            return f"without {measure} by {self.judges[measure]}"
        return "" if reward.value >= least else f"with {measure} below {least:g}"


def episodes(source: Source, left: LeftOut) -> Iterator[Played]:
    """The played episodes of the runs, run by run as they were named."""
    for run in source.runs:
        if source.wanted.world in (None, source.store.run(run).world):
            yield from played_in(source.store, run, left)


def of_interest(turns: Iterable[Turn], wanted: Wanted) -> Iterator[Turn]:
    """The turns of the wanted agent, seat and request: the others were not asked for."""
    for turn in turns:
        if wanted.asked not in (None, turn.asked):
            continue
        if wanted.agent is not None and wanted.agent not in names_of(turn.agent, turn.code):
            continue
        if wanted.seat is None or wanted.seat in (turn.seat, seat_number(turn)):
            yield turn


def names_of(label: str | None, code: str | None) -> tuple[str, ...]:
    """How an agent may be called: its label, and of a Python class "LABEL@MARK" of its code."""
    if label is None:
        return ()
    return (label,) if code is None else (label, f"{label}@{mark(code)}")


def seat_number(turn: Turn) -> str:
    """The place of a turn's seat in its task, from "1"; "" for a seat that the task has not."""
    seats = turn.trial.task.seats
    return str(seats.index(turn.seat) + 1) if turn.seat in seats else ""


def check_names(wanted: Wanted, rows: Sequence[RunRow], trials: Sequence[TrialRow]) -> None:
    """ConfigError where no run is of the wanted world, or no trial has the agent or the seat."""
    worlds = sorted({row.world for row in rows})
    cast = {member for one in trials for member in one.trial.cast}
    known = {(one.agent, code_in(one.agent, one.settings)) for one in cast}
    agents = sorted({name for one in known for name in names_of(*one)})
    seats = {seat for one in trials for seat in one.trial.task.seats}
    most = max((len(one.trial.task.seats) for one in trials), default=0)
    numbers = {str(n + 1) for n in range(most)}
    _among("--world", wanted.world, worlds, ", ".join(worlds))
    _among("--agent", wanted.agent, agents, ", ".join(agents))
    _among("--seat", wanted.seat, seats | numbers, f"a seat's id, or its number, 1 to {most}")


def _among(flag: str, name: str | None, known: Iterable[str], told: str) -> None:
    if name is not None and name not in known:
        raise ConfigError(f'{flag}: "{name}" is not in these runs; expected one of: {told}')
