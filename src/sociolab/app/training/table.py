"""Where a policy sits down: the tasks, who plays the other seats, and who judges."""

from __future__ import annotations

from collections import Counter

from sociolab.app.data.sets import wanted_tasks
from sociolab.app.players.casting import Casting
from sociolab.app.players.models import Models
from sociolab.app.run.config import RunConfig
from sociolab.app.run.session import Seated, wanted_judges, world_of
from sociolab.app.training.rebuilding import model_player_of
from sociolab.app.training.scoring import Given, Panel
from sociolab.app.training.seat import Seat
from sociolab.core.episode import CastMember, Episode, Task, Trial
from sociolab.core.errors import ConfigError
from sociolab.models.budget import Budget
from sociolab.models.unkept import Unkept
from sociolab.runner.plan import AgentId, trial_id

POLICY = AgentId("policy", "")
"""Who plays the seat, as trials and episodes name it."""


class PolicyTable:
    """All that episodes of a policy need; `seat` is a place in the task, from 0, or an id.

    ConfigError where the description is wrong.
    """

    def __init__(self, config: RunConfig, partner: str, seat: int | str) -> None:
        self.config = config
        self._kit = world_of(config)
        self._models = Models(config)
        casting = Casting(self._kit, self._models, Unkept(), Budget(config.budget))
        self._partner = casting.agent(partner, "partner")
        self._panel = Panel(wanted_judges(config, casting, Seated((self._partner,), None)))
        self._make_player = model_player_of(self._kit)
        self._seat = seat
        self.tasks = wanted_tasks(config.world, self._kit.world, config.tasks, config.limit)
        self._count = 0
        self._begun: Counter[str] = Counter()
        for task in self.tasks:
            self.seat_in(task)

    def next_trial(self, wanted: str | None = None) -> Trial:
        """The next task in order, or the one of this id, as a repeat that was not played yet."""
        task = self._task(wanted)
        repeat = self._begun[task.id]
        self._begun[task.id] += 1
        seat, other = self.seat_in(task), self._partner.id
        who = {each: POLICY if each == seat else other for each in task.seats}
        cast = tuple(CastMember(each, one.label, one.settings) for each, one in who.items())
        world, seed = self.config.world, self.config.seed
        key = trial_id(world, self._kit.world.data, task, cast, repeat, seed)
        return Trial(key, world, task, cast, repeat, seed)

    def begin(self, trial: Trial) -> Seat:
        """The episode of a trial, under way from now on; in the running event loop."""
        seat = self.seat_in(trial.task)
        others = {each: self._partner.player for each in trial.task.seats if each != seat}
        return Seat(self._kit.world, trial, seat, others, self._make_player)

    async def judge(self, episode: Episode) -> Given:
        """What the policy's seat earned."""
        return await self._panel.given(episode, self.seat_in(episode.trial.task))

    def seat_in(self, task: Task) -> str:
        """The policy's seat; ConfigError where the task has none such."""
        if isinstance(self._seat, int) and 0 <= self._seat < len(task.seats):
            return task.seats[self._seat]
        if self._seat in task.seats:
            return str(self._seat)
        raise ConfigError(
            f"seat: expected 0 to {len(task.seats) - 1}, or one of {', '.join(task.seats)}, as in "
            f"the task {task.id}, found {self._seat!r}"
        )

    async def close(self) -> None:
        """Let go of connections."""
        await self._models.close()

    def _task(self, wanted: str | None) -> Task:
        if wanted is None:
            task = self.tasks[self._count % len(self.tasks)]
            self._count += 1
            return task
        for task in self.tasks:
            if task.id == wanted:
                return task
        raise ConfigError(
            f'there is no task "{wanted}" among the {len(self.tasks)} of this environment; its '
            "property `tasks` names them"
        )
