"""One seat of a world as an environment for reinforcement learning.

The world, the partner, the judges and the engine are those of a run; only the seat's replies come
from outside. Scripted partners and rule-based judges make it deterministic: the same seed, tasks
and replies give the same prompts and the same rewards.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Self, get_args

from sociolab.app.runs.config import RunConfig, config_of
from sociolab.app.training.elsewhere import LoopElsewhere
from sociolab.app.training.rollout import play_out
from sociolab.app.training.seat import Answer, Observed, Seat
from sociolab.app.training.steps import OnError, Policy, Rollout, Step
from sociolab.app.training.table import PolicyTable
from sociolab.core.errors import ConfigError, SociolabError

_OF_CONFIG = (
    "data", "settings", "limit", "attempts", "on_failed_turn",
    "in_flight", "budget", "base_url", "key_env", "models",
)  # fmt: skip
"""The fields of a run's description that shape an environment beside its own arguments."""

__all__ = ["Answer", "Environment", "Observed", "Policy", "Rollout", "Step"]


class Environment:
    """A seat to be played by a policy, while a partner plays the others and judges give rewards.

    >>> from sociolab import Environment
    >>> env = Environment("sotopia", tasks="bargain", seed=1)
    >>> observation = env.reset_sync()
    >>> observation.messages[0]["role"]
    'system'
    >>> env.step_sync('{"action": "speak", "text": "I would pay $200."}').usable
    True
    >>> env.close_sync()

    `seat` is its place in the task, from 0, or its id. `judges` empty: as in a run, the world's
    rule-based one, or ConfigError where the partner is a model; the world's checks always count.
    `readers` are models that read off the transcript what was agreed, where a goal has a formula.
    `tasks` is one text, as after --tasks.
    `config` holds what else counts of a run's description (data, settings, limit, attempts,
    base_url, budget...). Each episode is a task in the order of the data; when all were played,
    they come again as the next repeat. The async methods belong to one event loop; the `_sync` ones
    work anywhere, in a loop of their own: use the ones or the others. Calls of models are not kept.
    """

    def __init__(
        self,
        world: str = "sotopia",
        *,
        seat: int | str = 0,
        partner: str = "scripted",
        judges: str | Sequence[str] = (),
        readers: str | Sequence[str] = (),
        tasks: str | None = None,
        seed: int = 0,
        config: RunConfig | None = None,
    ) -> None:
        rest = {} if config is None else config.model_dump(exclude_unset=True)
        own = [name for name in rest if name not in _OF_CONFIG]
        if own:
            raise ConfigError(
                f'config: "{own[0]}" is not for an environment to take from there; expected some '
                f"of {', '.join(_OF_CONFIG)}"
            )
        if not isinstance(tasks, str | None):
            raise ConfigError(
                'tasks: expected a text as for --tasks, such as "bargain" or "ID,ID", found '
                f"{tasks!r:.80}"
            )
        wanted = (judges,) if isinstance(judges, str) else tuple(judges)
        reading = (readers,) if isinstance(readers, str) else tuple(readers)
        named = {"world": world, "judges": wanted, "tasks": tasks, "seed": seed}
        named |= {"readers": reading} if reading else {}
        described = config_of({**rest, **named}, "Environment")
        self._table = PolicyTable(described, partner, seat)
        self._now: Seat | None = None
        self._busy = ""
        self._elsewhere = LoopElsewhere()

    @property
    def tasks(self) -> tuple[str, ...]:
        """The ids of the tasks, in the order in which they are played."""
        return tuple(task.id for task in self._table.tasks)

    async def reset(self, task: str | None = None) -> Observed:
        """Begin the next task, or the one of this id; the first thing that the seat is asked.

        An episode under way is broken off. ConfigError for a task that is not there; SociolabError
        where the episode is over before the seat is asked.
        """
        with self._alone("reset"):
            await self._break_off()
            trial = self._table.next_trial(task)
            self._now = self._table.begin(trial)
            observed = await self._now.next()
        if observed is None:
            seat, first = self._table.seat_in(trial.task), self._now.not_given().problems[:1]
            why = f" ({first[0]})" if first else ""
            raise SociolabError(
                f"the episode of {trial.task.id} was over before {seat} was asked{why}; reset "
                "again for the next"
            )
        return observed

    async def step(self, reply: Answer) -> Step:
        """Reply to what is asked: with the text that a model would write, or with typed actions.

        A text that cannot be used is told in the next observation, as to a model in a run. What
        breaks the play is raised (ModelError, WorldError); a judge that breaks fails in its scores
        alone. ConfigError where no episode is under way, or another step or a reset is.
        """
        with self._alone("step"):
            return await self._step(reply)

    async def _step(self, reply: Answer) -> Step:
        if self._now is None or self._now.waiting is None:
            raise ConfigError("no episode is under way: call reset first")
        now, asked = self._now, self._now.waiting
        now.answer(reply)
        observed = await now.next()
        usable, problem = now.taken(asked)
        missing = now.not_given()
        lost = (missing.own, missing.others, missing.problems)
        if observed is not None:
            return Step(observed, usable, problem, {}, {}, (), None, *lost)
        self._now = None
        episode = now.episode()
        given = await self._table.judge(episode)
        earned = (given.rewards, given.of_episode, given.failures)
        return Step(None, usable, problem, *earned, episode, *lost, given.kinds)

    async def rollouts(
        self, policy: Policy, n: int, in_flight: int = 8, on_error: OnError = "mark"
    ) -> tuple[Rollout, ...]:
        """The next `n` episodes played by a policy, `in_flight` at once, in the order of the tasks.

        An episode that breaks off, by a partner or by the policy, is marked by its `error` and the
        others go on; with `on_error="raise"` the first such error is raised, and all stop. Always
        raised is what every episode would meet: no credentials, a spent budget, a policy that is
        not async.
        """
        if on_error not in get_args(OnError):
            raise ConfigError(f'on_error: expected "mark" or "raise", found {on_error!r:.80}')
        if n < 1 or in_flight < 1:
            raise ConfigError(f"expected n and in_flight of 1 at least, found {n} and {in_flight}")
        trials = [self._table.next_trial() for _ in range(n)]
        waiting = iter(trials)
        found: dict[str, Rollout] = {}

        async def work() -> None:
            for trial in waiting:
                found[trial.id] = await play_out(self._table, trial, policy, on_error)

        workers = [asyncio.ensure_future(work()) for _ in range(min(n, in_flight))]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        return tuple(found[trial.id] for trial in trials)

    async def close(self) -> None:
        """Break off what is under way and let go of connections."""
        await self._break_off()
        await self._table.close()

    def reset_sync(self, task: str | None = None) -> Observed:
        """As `reset`, in plain code, and where a loop is running already."""
        return self._elsewhere.run(self.reset(task))

    def step_sync(self, reply: Answer) -> Step:
        """As `step`, in plain code, and where a loop is running already."""
        return self._elsewhere.run(self.step(reply))

    def rollouts_sync(
        self, policy: Policy, n: int, in_flight: int = 8, on_error: OnError = "mark"
    ) -> tuple[Rollout, ...]:
        """As `rollouts`, in plain code, and where a loop is running already."""
        return self._elsewhere.run(self.rollouts(policy, n, in_flight, on_error))

    def close_sync(self) -> None:
        """As `close`, of what the `_sync` methods began."""
        self._elsewhere.run(self.close())
        self._elsewhere.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close_sync()

    @contextmanager
    def _alone(self, what: str) -> Iterator[None]:
        if self._busy:
            raise ConfigError(
                f"a {self._busy} is under way: an environment plays one episode at a time by reset "
                "and step, await each before the next; `rollouts` plays many at once"
            )
        self._busy = what
        try:
            yield
        finally:
            self._busy = ""

    async def _break_off(self) -> None:
        if self._now is not None:
            await self._now.close()
            self._now = None
