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
"""Replies to what is asked; called for many episodes at once in `rollouts`."""
OnError: TypeAlias = Literal["mark", "raise"]
"""What becomes of an episode that breaks off in `rollouts`: marked by its `error`, or raised."""
__all__ = ["Answer", "Environment", "Observed", "Policy", "Rollout", "Step"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRecord:
    """What a seat earned and missed in an episode.

    When it is over, `rewards` are what the judges gave the seat and `episode_scores` what they gave
    the episode, by judge and metric, and `episode` is the record. An unknown reward is None:
    `reward_status` says why ("disputed", "reported", "failed"...) and `reward_bounds` how low and
    how high it could be; `failures` tells what failed.

    `unusable` counts the turns and answers that the policy failed to give in this episode so far,
    each after its last attempt; `lost` those that the other seats failed to give. `problems` tells
    the first of its own and the first of theirs.
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
    """What came of a reply.

    `observation` is what is asked next, None when the episode is over (`done`). `usable` says
    whether the reply could be used, `problem` why not; it is None where the episode ended before
    the reply counted.
    """

    observation: Observed | None
    usable: bool | None = None
    problem: str = ""

    @property
    def done(self) -> bool:
        """Whether the episode is over."""
        return self.observation is None


@dataclass(frozen=True, slots=True)
class PolicyTurn:
    """What was asked, what the policy replied, and whether that was usable, as in `Step`."""

    observation: Observed
    reply: Answer
    usable: bool | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Rollout(SeatRecord):
    """An episode that a policy played.

    `error` says what broke it off (a failed call of the partner, a bug of the policy or of a
    plugin): there are no rewards then, and `episode` is None.
    """

    trial: Trial = field(repr=False)
    seat: str
    turns: tuple[PolicyTurn, ...] = field(repr=False)
    error: str = ""


Played = TypeVar("Played", bound=SeatRecord)


class SeatConfig(EnvironmentConfig, WorldConfig, JudgeChoice):
    """All that shapes an environment: its own arguments, too."""


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
        self._table = EnvFactory(described, partner, seat)
        self._now: EnvSession | None = None
        self._busy = ""
        self._elsewhere = LoopThread()

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
        session, request = self._now, self._now.waiting
        session.answer(reply)
        observed = await session.next()
        usable, problem = session.taken(request)
        missed = session.not_given()
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
        self._now = None
        return await self._table.judged(step, session)

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
        rollouts: dict[str, Rollout] = {}

        async def work() -> None:
            for trial in waiting:
                rollouts[trial.id] = await play_out(self._table, trial, policy, on_error)

        workers = [asyncio.ensure_future(work()) for _ in range(min(n, in_flight))]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        return tuple(rollouts[trial.id] for trial in trials)

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


POLICY = Agent("policy", "plugin")
"""Who plays the seat, as trials and episodes name it."""


class EnvFactory:
    """All that episodes of a policy need; `seat` is a place in the task, from 0, or an id.

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
        self._begun: Counter[str] = Counter()
        for task in self.tasks:
            self.seat_in(task)

    def next_trial(self, task_id: str | None = None) -> Trial:
        """The next task in order, or the one of this id, as a repeat that was not played yet."""
        task = self._task(task_id)
        repeat = self._begun[task.id]
        self._begun[task.id] += 1
        seat, other = self.seat_in(task), self._partner.id
        cast = tuple(CastMember(each, POLICY if each == seat else other) for each in task.seats)
        world, seed = self.config.world, self.config.seed
        key = trial_id(world, self._kit.data, task, cast, repeat, seed)
        return Trial(key, world, task, cast, repeat, seed)

    def begin(self, trial: Trial) -> EnvSession:
        """The episode of a trial, under way from now on; in the running event loop."""
        seat = self.seat_in(trial.task)
        partners = {each: self._partner.player for each in trial.task.seats if each != seat}
        return EnvSession(self._kit.world, trial, seat, partners, self._make_player)

    async def judged(self, played: Played, session: EnvSession) -> Played:
        """The last step or the rollout of an episode that is over, with what the policy's seat
        earned in it."""
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

    def _task(self, task_id: str | None) -> Task:
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
    """What was given as a policy is none: no episode can be played by it."""


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
        if on_error == "raise" or _of_all(failure):
            raise
        error = _error_text(failure)
    finally:
        await seat.close()
    missed = seat.not_given()
    rollout = Rollout(
        trial,
        table.seat_in(trial.task),
        tuple(turns),
        error=error,
        unusable=missed.own,
        lost=missed.others,
        problems=missed.problems,
    )
    return rollout if error else await table.judged(rollout, seat)


async def _play(seat: EnvSession, policy: Policy, turns: list[PolicyTurn]) -> None:
    """Play to the end; the turns are kept as they are taken."""
    while True:
        observed = await seat.next()
        if turns:
            last = turns.pop()
            turns.append(PolicyTurn(last.observation, last.reply, *seat.taken(last.observation)))
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


def _of_all(failure: Exception) -> bool:
    """Whether it would break off every other episode, too."""
    return isinstance(failure, _NoPolicyError) or (
        isinstance(failure, ModelError) and failure.fatal
    )


def _error_text(failure: Exception) -> str:
    if isinstance(failure, SociolabError):
        return f"{type(failure).__name__}: {failure}"
    return f"the policy broke: {describe_error(failure)}"
