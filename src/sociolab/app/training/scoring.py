"""What the judges of an episode gave one seat: its rewards, and what is missing of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sociolab.app.training.rewards import lower_bound
from sociolab.core.episode import Episode
from sociolab.core.errors import Cause, ModelError, SociolabError, StoreError
from sociolab.core.ports import Judge
from sociolab.core.score import UNTOLD, JudgeId, Measure, Score, ScoreFailure, Unscored, Verdict
from sociolab.runner.jury import cells_of, seated, verdicts_of

Rewards: TypeAlias = dict[str, dict[str, float]]
"""By judge and measure."""


@dataclass(frozen=True, slots=True)
class Given:
    """Scores of the seat and of the whole episode, by judge and measure.

    Where an outcome was not established, the least that it could be worth stands there, and
    `kinds` says so. A score that failed is no reward: it is in neither, and `failures` says so.
    What a judge cannot tell by its nature is in none of them.
    """

    rewards: Rewards = field(default_factory=dict)
    of_episode: Rewards = field(default_factory=dict)
    failures: tuple[str, ...] = ()
    kinds: dict[str, dict[str, str]] = field(default_factory=dict)


class Panel:
    """The judges of an environment, by the rules of a run's: one that breaks fails in what it gives
    elsewhere, and the others' scores stand. Nothing is stored."""

    def __init__(self, judges: Sequence[Judge]) -> None:
        self._judges = judges
        self._cells: dict[JudgeId, tuple[tuple[Measure, int | None], ...]] = {}

    async def given(self, episode: Episode, seat: str) -> Given:
        """What each judge says of the episode.

        A fatal ModelError (credentials, budget) passes through.
        """
        rewards: Rewards = {}
        of_episode: Rewards = {}
        failures: list[str] = []
        kinds: dict[str, dict[str, str]] = {}
        for judge in self._judges:
            name = judge.id.name
            for verdict in await self._verdicts(judge, episode):
                if verdict.seat not in (seat, None):
                    continue
                kept = of_episode if verdict.seat is None else rewards
                if isinstance(verdict, Score):
                    kept.setdefault(name, {})[verdict.measure.name] = float(verdict.value)
                elif isinstance(verdict, Unscored) and verdict.low is not None:
                    kept.setdefault(name, {})[verdict.measure.name] = float(verdict.low)
                    kinds.setdefault(name, {})[verdict.measure.name] = lower_bound(verdict.kind)
                elif isinstance(verdict, ScoreFailure):
                    told = UNTOLD.title if verdict.measure == UNTOLD else verdict.measure.name
                    failures.append(f"{told} by {name}: {verdict.cause}: {verdict.problem}")
        return Given(rewards, of_episode, tuple(failures), kinds)

    async def _verdicts(self, judge: Judge, episode: Episode) -> tuple[Verdict, ...]:
        seats = episode.trial.task.seats
        try:
            found = await verdicts_of(judge, episode)
        except SociolabError as error:
            if isinstance(error, StoreError) or (isinstance(error, ModelError) and error.fatal):
                raise
            cause: Cause = error.cause if isinstance(error, ModelError) else "plugin"
            problem = str(error)
            due = seated(self._cells.get(judge.id, ()), seats)
            return tuple(ScoreFailure(measure, seat, cause, problem) for measure, seat in due)
        if found:
            self._cells.setdefault(judge.id, cells_of(found, seats))
        return found
