"""One seat of a world as an environment for reinforcement learning.

The world, the partner, the judges and the engine are those of a run; only the seat's replies come
from outside. Scripted partners and rule-based judges make it deterministic: the same seed, tasks
and replies give the same prompts and the same rewards.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal, Self, TypeAlias, TypeVar, get_args

from sociolab.app.data.sets import select_tasks
from sociolab.app.players.casting import Casting
from sociolab.app.players.models import Models
from sociolab.app.run.config import EnvironmentConfig, JudgeChoice, WorldConfig
from sociolab.app.run.session import Seated, choose_judges, world_of
from sociolab.app.run_sync import LoopThread
from sociolab.core.episode import Agent, CastMember, Episode, Task, Trial
from sociolab.core.errors import ConfigError, ModelError, SociolabError
from sociolab.core.tracebacks import describe_error
from sociolab.models.budget import Budget
from sociolab.models.cache import NullReplyStore
from sociolab.plugin.options import FIRST_WORLD, checked
from sociolab.runner.plan import trial_id
from sociolab.training.session import (
    Answer,
    EnvSession,
    Observed,
    RewardBounds,
    RewardStatuses,
    SeatJudges,
    SeatRewards,
)
from sociolab.training.turns import model_player_of

Policy: TypeAlias = Callable[[Observed], Awaitable[Answer]]
"""Replies to an observation; called for many episodes at once in `rollouts`."""
OnError: TypeAlias = Literal["mark", "raise"]
"""How `rollouts` treats an episode that breaks off: mark it with its `error`, or raise that."""
__all__ = ["Answer", "Environment", "Observed", "Policy", "Rollout", "Step"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRecord:
    """Rewards and missed turns of a seat in an episode.

    When the episode is over, `rewards` are the judges' scores of the seat and `episode_scores`
    those of the episode, by judge and metric, and `episode` is the record. An unknown reward is
    None: `reward_status` says why ("disputed", "reported", "failed"...) and `reward_bounds` holds
    its smallest and largest possible value; `failures` lists judges' failures.

    `unusable` counts the policy's turns and answers without a usable reply so far, after their last
    attempt; `lost` those of the other seats. `problems` holds the first of its own and the first of
    theirs.
    """

    rewards: SeatRewards = field(default_factory=dict)
    episode_scores: SeatRewards = field(default_factory=dict)
    failures: tuple[str, ...] = ()
    episode: Episode | None = field(default=None, repr=False)
    unusable: int = 0
    lost: int = 0
    problems: tuple[str, ...] = ()
    reward_bounds: RewardBounds = field(default_factory=dict)
    reward_status: RewardStatuses = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step(SeatRecord):
    """The result of a reply.

    `observation` is the next one, None when the episode is over (`done`). `usable` says whether the
    reply could be used, `problem` why not; `usable` is None where the episode ended before the
    reply counted.

    >>> from sociolab import Environment
    >>> env = Environment("sotopia", tasks="bargain", seed=1)
    >>> observed = env.reset_sync()
    >>> step = env.step_sync("Hello there.")
    >>> step.usable, step.problem, step.observation.attempt
    (False, 'expected a JSON object, found the text "Hello there."', 2)
    >>> env.close_sync()
    """

    observation: Observed | None
    usable: bool | None = None
    problem: str = ""

    @property
    def done(self) -> bool:
        return self.observation is None


@dataclass(frozen=True, slots=True)
class PolicyTurn:
    """An observation, the policy's reply, and whether that was usable, as in `Step`."""

    observation: Observed
    reply: Answer
    usable: bool | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Rollout(SeatRecord):
    """An episode played by a policy.

    `error` says what broke it off (a failed call of the partner, a bug in the policy or a plugin):
    then there are no rewards, and `episode` is None.

    >>> from sociolab import Environment
    >>> env = Environment("sotopia", tasks="bargain", seed=1)
    >>> async def leave(observed):
    ...     return '{"action": "leave", "text": ""}'
    >>> (rollout,) = env.rollouts_sync(leave, 1)
    >>> [(turn.observation.request_name, turn.usable) for turn in rollout.turns[:2]]
    [('act', True), ('closing', False)]
    >>> rollout.error, rollout.rewards["heuristic"]["goal"]
    ('', None)
    >>> env.close_sync()
    """

    trial: Trial = field(repr=False)
    seat: str
    turns: tuple[PolicyTurn, ...] = field(repr=False)
    error: str = ""


Played = TypeVar("Played", bound=SeatRecord)


class SeatConfig(EnvironmentConfig, WorldConfig, JudgeChoice):
    """The full configuration of an environment, its own arguments included."""


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
    `config` holds what else counts (data, settings, limit, attempts, base_url, budget...). Each
    episode is a task in the order of the data; when all were played, they come again as the next
    repeat. The async methods belong to one event loop; the `_sync` ones work anywhere, in a loop of
    their own: use the ones or the others. Calls of models are not kept.
    """

    def __init__(
        self,
        world: str = FIRST_WORLD,
        *,
        seat: int | str = 0,
        partner: str = "scripted",
        judges: str | Sequence[str] = (),
        readers: str | Sequence[str] = (),
        tasks: str | None = None,
        seed: int = 0,
        config: EnvironmentConfig | None = None,
    ) -> None:
        if not isinstance(config, EnvironmentConfig | None):
            raise ConfigError(f"config: expected an EnvironmentConfig, found {config!r:.80}")
        if not isinstance(tasks, str | None):
            raise ConfigError(
                'tasks: expected a filter as for --tasks, such as "bargain" or "ID,ID", found '
                f"{tasks!r:.80}"
            )
        rest = config.model_dump() if config else {}
        own = {"world": world, "judges": judges, "readers": readers, "tasks": tasks, "seed": seed}
        described = checked(SeatConfig, rest | own, "Environment")
        self._factory = EnvFactory(described, partner, seat)
        self._session: EnvSession | None = None
        self._busy = ""
        self._loop_thread = LoopThread()

    @property
    def tasks(self) -> tuple[str, ...]:
        """The ids of the tasks, in the order in which they are played."""
        return tuple(task.id for task in self._factory.tasks)

    async def reset(self, task: str | None = None) -> Observed:
        """Start the next task, or the one of this id; returns the first observation.

        An unfinished episode is broken off. ConfigError for an unknown task; SociolabError where
        the episode is over before the seat is asked.
        """
        with self._exclusive("reset"):
            await self._break_off()
            trial = self._factory.next_trial(task)
            self._session = self._factory.begin(trial)
            observed = await self._session.next()
        if observed is None:
            seat, first = (
                self._factory.seat_in(trial.task),
                self._session.missed_turns_so_far().problems[:1],
            )
            why = f" ({first[0]})" if first else ""
            raise SociolabError(
                f"the episode of {trial.task.id} was over before {seat} was asked{why}; reset "
                "again for the next"
            )
        return observed

    async def step(self, reply: Answer) -> Step:
        """Reply with the text that a model would write, or with typed actions.

        The next observation says why a text could not be used, as a model in a run is told. What
        breaks the episode is raised (ModelError, WorldError); a judge that breaks fails in its
        scores alone. ConfigError where no episode is running, or another step or a reset is.
        """
        with self._exclusive("step"):
            return await self._step(reply)

    async def _step(self, reply: Answer) -> Step:
        if self._session is None or self._session.waiting is None:
            raise ConfigError("no episode is under way: call reset first")
        session, request = self._session, self._session.waiting
        session.answer(reply)
        observed = await session.next()
        usable, problem = session.reply_result(request)
        missed = session.missed_turns_so_far()
        step = Step(
            observed,
            usable,
            problem,
            unusable=missed.own,
            lost=missed.others,
            problems=missed.problems,
        )
        if not step.done:
            return step
        self._session = None
        return await self._factory.add_scores(step, session)

    async def rollouts(
        self, policy: Policy, n: int, in_flight: int = 8, on_error: OnError = "mark"
    ) -> tuple[Rollout, ...]:
        """Play the next `n` episodes with a policy, `in_flight` at once, in the order of the tasks.

        An episode that breaks off, by a partner or by the policy, is marked with its `error` and
        the others continue; with `on_error="raise"` the first such error is raised, and all stop.
        Errors that every episode would meet are always raised: no credentials, a spent budget, a
        policy that is not async.
        """
        if on_error not in get_args(OnError):
            raise ConfigError(f'on_error: expected "mark" or "raise", found {on_error!r:.80}')
        if n < 1 or in_flight < 1:
            raise ConfigError(f"expected n and in_flight of 1 at least, found {n} and {in_flight}")
        trials = [self._factory.next_trial() for _ in range(n)]
        waiting = iter(trials)
        rollouts: dict[str, Rollout] = {}

        async def work() -> None:
            for trial in waiting:
                rollouts[trial.id] = await play_out(self._factory, trial, policy, on_error)

        workers = [asyncio.ensure_future(work()) for _ in range(min(n, in_flight))]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        return tuple(rollouts[trial.id] for trial in trials)

    async def close(self) -> None:
        """Break off the current episode and close connections."""
        await self._break_off()
        await self._factory.close()

    def reset_sync(self, task: str | None = None) -> Observed:
        """`reset` for synchronous code, also where an event loop is running."""
        return self._loop_thread.run(self.reset(task))

    def step_sync(self, reply: Answer) -> Step:
        """`step` for synchronous code, also where an event loop is running."""
        return self._loop_thread.run(self.step(reply))

    def rollouts_sync(
        self, policy: Policy, n: int, in_flight: int = 8, on_error: OnError = "mark"
    ) -> tuple[Rollout, ...]:
        """`rollouts` for synchronous code, also where an event loop is running."""
        return self._loop_thread.run(self.rollouts(policy, n, in_flight, on_error))

    def close_sync(self) -> None:
        """`close` for what the `_sync` methods started."""
        self._loop_thread.run(self.close())
        self._loop_thread.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close_sync()

    @contextmanager
    def _exclusive(self, what: str) -> Iterator[None]:
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
        if self._session is not None:
            await self._session.close()
            self._session = None


POLICY = Agent("policy", "plugin")
"""The agent of the policy's seat in trials and episodes."""


class EnvFactory:
    """Makes the episodes of a policy; `seat` is a place in the task, from 0, or an id.

    ConfigError where the description is wrong.
    """

    def __init__(self, config: SeatConfig, partner: str, seat: int | str) -> None:
        self.config = config
        self._kit = world_of(config)
        self._models = Models(config)
        casting = Casting(self._kit, self._models, NullReplyStore(), Budget(config.budget))
        self._partner = casting.agent(partner, "partner")
        self._panel = SeatJudges(choose_judges(config, casting, Seated((self._partner,), None)))
        self._make_player = model_player_of(self._kit)
        self._seat = seat
        self.tasks = select_tasks(config.world, self._kit.world, config.tasks, config.limit)
        self._count = 0
        self._repeats: Counter[str] = Counter()
        for task in self.tasks:
            self.seat_in(task)

    def next_trial(self, task_id: str | None = None) -> Trial:
        """The next task in order, or the one of this id, as a new repeat."""
        task = self._find_task(task_id)
        repeat = self._repeats[task.id]
        self._repeats[task.id] += 1
        seat, other = self.seat_in(task), self._partner.id
        cast = tuple(CastMember(each, POLICY if each == seat else other) for each in task.seats)
        world, seed = self.config.world, self.config.seed
        key = trial_id(world, self._kit.data, task, cast, repeat, seed)
        return Trial(key, world, task, cast, repeat, seed)

    def begin(self, trial: Trial) -> EnvSession:
        """Start the episode of a trial in the running event loop."""
        seat = self.seat_in(trial.task)
        partners = {each: self._partner.player for each in trial.task.seats if each != seat}
        return EnvSession(self._kit.world, trial, seat, partners, self._make_player)

    async def add_scores(self, played: Played, session: EnvSession) -> Played:
        """Add the judges' scores to the last step, or the rollout, of a finished episode."""
        episode = session.episode()
        scores = await self._panel.read_scores(episode, self.seat_in(episode.trial.task))
        return replace(
            played,
            rewards=scores.rewards,
            episode_scores=scores.of_episode,
            failures=scores.failures,
            episode=episode,
            reward_bounds=scores.bounds,
            reward_status=scores.status,
        )

    def seat_in(self, task: Task) -> str:
        """The policy's seat; ConfigError where the task has no such seat."""
        if isinstance(self._seat, int) and 0 <= self._seat < len(task.seats):
            return task.seats[self._seat]
        if self._seat in task.seats:
            return str(self._seat)
        raise ConfigError(
            f"seat: expected 0 to {len(task.seats) - 1}, or one of {', '.join(task.seats)}, as in "
            f"the task {task.id}, found {self._seat!r}"
        )

    async def close(self) -> None:
        await self._models.close()

    def _find_task(self, task_id: str | None) -> Task:
        if task_id is None:
            task = self.tasks[self._count % len(self.tasks)]
            self._count += 1
            return task
        for task in self.tasks:
            if task.id == task_id:
                return task
        raise ConfigError(
            f'there is no task "{task_id}" among the {len(self.tasks)} of this environment; its '
            "property `tasks` names them"
        )


class _NoPolicyError(ConfigError):
    """The given policy cannot play any episode."""


async def play_out(table: EnvFactory, trial: Trial, policy: Policy, on_error: OnError) -> Rollout:
    """The episode of a trial, or what was played of it and why it broke off.

    Raised is what every other episode would meet, too: a fatal ModelError, a policy that is none;
    and whatever broke it off where `on_error` is "raise".
    """
    seat = table.begin(trial)
    turns: list[PolicyTurn] = []
    error = ""
    try:
        await _play(seat, policy, turns)
    except Exception as failure:  # somebody's policy, or what the world made of its replies
        if on_error == "raise" or _affects_all(failure):
            raise
        if isinstance(failure, SociolabError):
            error = f"{type(failure).__name__}: {failure}"
        else:
            error = f"the policy broke: {describe_error(failure)}"
    finally:
        await seat.close()
    missed = seat.missed_turns_so_far()
    rollout = Rollout(
        trial,
        table.seat_in(trial.task),
        tuple(turns),
        error=error,
        unusable=missed.own,
        lost=missed.others,
        problems=missed.problems,
    )
    return rollout if error else await table.add_scores(rollout, seat)


async def _play(seat: EnvSession, policy: Policy, turns: list[PolicyTurn]) -> None:
    """Play to the end; turns are appended as they are taken."""
    while True:
        observed = await seat.next()
        if turns:
            last = turns.pop()
            turns.append(
                PolicyTurn(last.observation, last.reply, *seat.reply_result(last.observation))
            )
        if observed is None:
            return
        reply = await _ask_policy(policy, observed)
        seat.answer(reply)
        turns.append(PolicyTurn(observed, reply, None))


async def _ask_policy(policy: Policy, observed: Observed) -> Answer:
    replying: object = policy(observed)
    if not inspect.isawaitable(replying):
        raise _NoPolicyError(
            'expected an async policy, "async def policy(observation)", found one that gives '
            f"{replying!r:.80} at once"
        )
    reply: Answer = await replying
    return reply


def _affects_all(failure: Exception) -> bool:
    """Whether it would break off every other episode, too."""
    return isinstance(failure, _NoPolicyError) or (
        isinstance(failure, ModelError) and failure.fatal
    )
