"""Episodes to train policies in: any seats of a world, played from outside.

The world, the partners, the judges and the engine are those of a run; only the replies of the
outside seats come from elsewhere. Scripted partners and rule-based judges make it deterministic:
the same seed, tasks and replies give the same prompts and the same rewards.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, Self, TypeAlias, get_args

from sociolab.app.data.sets import select_tasks
from sociolab.app.players.casting import NO_JUDGE, Casting, Seatable
from sociolab.app.players.models import Models
from sociolab.app.run.config import ArenaConfig, WorldConfig
from sociolab.app.run.session import patience_of, world_of
from sociolab.app.run_sync import LoopThread
from sociolab.core.episode import Agent, CastMember, Episode, Task, Trial
from sociolab.core.errors import ConfigError
from sociolab.core.ports import Player
from sociolab.judging.credit import CreditJudge, CreditRecord, build_story
from sociolab.models.budget import Budget
from sociolab.models.cache import NullReplyStore
from sociolab.plugin.options import FIRST_WORLD, checked
from sociolab.runner.guard import ForeignPlayer
from sociolab.runner.plan import trial_id
from sociolab.training.examples import parse_share
from sociolab.training.export import draw_heldout
from sociolab.training.rewards import ArenaJudges
from sociolab.training.session import ArenaSession, SessionRules
from sociolab.training.turns import model_player_of

Split: TypeAlias = Literal["train", "test"]
Seats: TypeAlias = "int | str | Sequence[int | str]"
"""A seat by its place in the task, from 0, or by its id; several of them; or "all"."""

POLICY = Agent("policy", "plugin")
"""The agent of the seats that are played from outside, in trials and episodes."""


class _Description(ArenaConfig, WorldConfig):
    """The full configuration of an arena, its own arguments included."""


class Arena:
    """A world to train in. Made once; `begin` starts an episode in about a millisecond or less, and
    any number of them may be under way at once.

    >>> from sociolab import Arena
    >>> with Arena("sotopia", tasks="bargain", split_by="scenario:0.3", seed=1) as arena:
    ...     session = arena.begin(seats=0, partner="haggler:1")
    ...     session.observation.prompt[0]["role"]
    ...     step = session.step('{"action": "speak", "text": "Would you pay $200?"}')
    ...     len(arena.tasks()), len(arena.tasks("test"))
    'system'
    (70, 30)

    `partner` plays the seats that are not played from outside, unless `begin` names another: a
    spec, or an object with `async def reply(self, request, memory)`. `judge`, `reader` and `credit`
    are specs of one judge each: of episodes (default: the world's rule-based one; or "none"), of
    what was agreed, where a goal has a formula, and of single turns (docs/credit.md). The world's
    own checks always count; a mere baseline gives no reward unless it is named. `metric` is the
    reward: without it, the first of the world's main metrics that is scored, by `judge` if it is
    named.

    `tasks` is one text, as after --tasks. `split_by` "scenario:0.3" holds out about three tenths of
    the scenarios for `split="test"`, the same as `export --split` with this `seed`, which is also
    that of the episodes. `config` holds what else counts (data, settings, limit, attempts,
    base_url, budget...). Calls of models are not kept. A partner of your own that takes longer than
    `agent_timeout` fails as in a run. ConfigError for a description that is wrong.
    """

    def __init__(
        self,
        world: str = FIRST_WORLD,
        *,
        partner: str | Player = "scripted",
        judge: str | None = None,
        reader: str | None = None,
        credit: str | None = None,
        metric: str | None = None,
        tasks: str | None = None,
        split_by: str | None = None,
        seed: int = 0,
        config: ArenaConfig | None = None,
    ) -> None:
        if not isinstance(config, ArenaConfig | None):
            raise ConfigError(f"config: expected an ArenaConfig, found {config!r:.80}")
        if not isinstance(tasks, str | None):
            raise ConfigError(
                'tasks: expected a filter as for --tasks, such as "bargain" or "ID,ID", found '
                f"{tasks!r:.80}"
            )
        given = {"world": world, "tasks": tasks, "seed": seed}
        self._config = checked(
            _Description, (config.model_dump() if config else {}) | given, "Arena"
        )
        self._kit = kit = world_of(self._config)
        self._data = kit.data  # a hash of all that is played
        self._models = Models(self._config)
        self._budget = Budget(self._config.budget)
        patience = patience_of(self._config.agent_timeout)
        self._casting = Casting(kit, self._models, NullReplyStore(), self._budget, patience)
        self._partners: dict[str, Seatable] = {}
        self._partner = self._seatable(partner)
        self._credit = CreditJudge(self._casting.model(credit, "judge")) if credit else None
        named = self._casting.judge(judge) if judge and judge != NO_JUDGE else None
        others = ([named] if named else []) if judge else [*kit.judges.values()][:1]
        readers = [self._casting.reader(reader)] if reader else []
        self._judges = (*kit.checks, *others, *readers)
        judges = ArenaJudges(
            self._judges,
            named,
            metric,
            kit.declared,
            self._credit_of if self._credit else None,
        )
        standing = kit.standing
        by_turn = standing and metric in (None, standing.metric) and named is None
        self._thread = LoopThread()
        self._rules = SessionRules(
            kit.world,
            model_player_of(kit),
            judges.score,
            standing.worth if standing and by_turn else _no_offers,
            self._thread,
            self._models.release,
        )
        every = select_tasks(self._config.world, kit.world, tasks, self._config.limit)
        self._tasks = {task.id: task for task in every}
        self._splits = _split(self._config.world, every, split_by, seed)
        self._heldout = {task.id for task in self._splits["test"]}
        self._lock = threading.Lock()
        self._next: Counter[Split] = Counter()
        self._repeats: Counter[str] = Counter()

    @property
    def world(self) -> str:
        return self._config.world

    @property
    def spent(self) -> float:
        """Dollars that partners and judges have cost so far."""
        return self._budget.spent

    @property
    def splits(self) -> tuple[Split, ...]:
        """The splits that hold tasks."""
        return tuple(split for split, tasks in self._splits.items() if tasks)

    def require_seats(self, seats: Seats) -> None:
        """ConfigError where a task has not these seats."""
        for task in self._tasks.values():
            outside_seats(task, seats)

    def tasks(self, split: Split = "train") -> tuple[str, ...]:
        """The ids of the tasks of a split, in the order in which they are played."""
        return tuple(task.id for task in self._of_split(split))

    def task(self, task_id: str) -> Task:
        """The task with this id; ConfigError if there is none."""
        if task_id not in self._tasks:
            raise ConfigError(
                f'there is no task "{task_id}" among the {len(self._tasks)} of this arena; its '
                "method `tasks` names them"
            )
        return self._tasks[task_id]

    def begin(
        self,
        task: str | None = None,
        *,
        seats: Seats = 0,
        partner: str | Player | None = None,
        split: Split = "train",
        repeat: int | None = None,
        seed: int | None = None,
    ) -> ArenaSession:
        """Begin an episode of this task, or of the next of the split, and play until an outside
        seat is asked.

        When all tasks of a split were played, they come again as the next repeat; the same task,
        `repeat` and `seed` is the same episode again, for groups. A session is `done` at once where
        the episode is over before any outside seat is asked. ConfigError for an unknown task, seat
        or partner; what breaks the episode is raised (ModelError, WorldError).
        """
        session = self._session(task, seats, partner, split, repeat, seed)
        self._thread.run(session.start())
        return session

    async def begin_async(
        self,
        task: str | None = None,
        *,
        seats: Seats = 0,
        partner: str | Player | None = None,
        split: Split = "train",
        repeat: int | None = None,
        seed: int | None = None,
    ) -> ArenaSession:
        """`begin` in the running event loop, to be played there by `step_async`."""
        session = self._session(task, seats, partner, split, repeat, seed)
        await session.start()
        return session

    def close(self) -> None:
        """Break off what `begin` began, and close connections."""
        self._thread.run(self._models.close())
        self._thread.close()

    async def close_async(self) -> None:
        """Close the connections that sessions of this event loop opened."""
        await self._models.close()
        self._thread.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close_async()

    def _session(
        self,
        task_id: str | None,
        seats: Seats,
        partner: str | Player | None,
        split: Split,
        repeat: int | None,
        seed: int | None,
    ) -> ArenaSession:
        with self._lock:
            task = self._find_task(task_id, split)
            if repeat is None:
                repeat = self._repeats[task.id]
                self._repeats[task.id] += 1
        outside = outside_seats(task, seats)
        inside = [seat for seat in task.seats if seat not in outside]
        other = self._partner if partner is None else self._seatable(partner)
        cast = tuple(
            CastMember(seat, POLICY if seat in outside else other.id) for seat in task.seats
        )
        world, seed = self._config.world, self._config.seed if seed is None else seed
        key = trial_id(world, self._data, task, cast, repeat, seed)
        trial = Trial(key, world, task, cast, repeat, seed)
        part: Split = "test" if task.id in self._heldout else "train"
        partners = {seat: self._guarded(other, task) for seat in inside}
        return ArenaSession(self._rules, trial, part, outside, partners)

    def _guarded(self, partner: Seatable, task: Task) -> Player:
        """A partner's player; users' own is bounded, as in a run."""
        if not partner.own:
            return partner.player
        waits, seconds = self._casting.waits, self._casting.patience
        return ForeignPlayer(partner.player, partner.id.label, task.id, seconds, waits)

    def _find_task(self, task_id: str | None, split: Split) -> Task:
        if task_id is None:
            tasks = self._of_split(split)
            self._next[split] += 1
            return tasks[(self._next[split] - 1) % len(tasks)]
        return self.task(task_id)

    def _of_split(self, split: Split) -> Sequence[Task]:
        if split not in get_args(Split):
            raise ConfigError(f'split: expected "train" or "test", found {split!r:.80}')
        if not self._splits[split]:
            raise ConfigError(
                'this arena holds no tasks out for "test": give it split_by="scenario:0.3"'
            )
        return self._splits[split]

    def _seatable(self, partner: str | Player) -> Seatable:
        if isinstance(partner, str):
            if partner not in self._partners:
                self._partners[partner] = self._casting.agent(partner, "partner")
            return self._partners[partner]
        kind = type(partner)
        player = self._casting.python_player(kind.__name__, partner)
        agent = Agent(kind.__name__, "own code", f"{kind.__module__}:{kind.__qualname__}")
        return Seatable(agent, player)

    async def _credit_of(self, episode: Episode) -> CreditRecord | None:
        """The credit for turns; None where nobody has a goal."""
        assert self._credit is not None
        transcript = self._kit.world.transcript(episode)
        story = build_story(transcript, episode.trial.task.seats, ["goal"])
        if not story.with_stakes:
            return None
        return await self._credit.credit(episode.trial.id, story)


def _no_offers(episode: Episode) -> Mapping[str, float]:
    return {}


def _split(
    world: str, tasks: Sequence[Task], by: str | None, seed: int
) -> Mapping[Split, tuple[Task, ...]]:
    """The tasks of each split; ConfigError where one of them would be empty."""
    if by is None:
        return {"train": tuple(tasks), "test": ()}
    scenarios = {(world, task.cluster) for task in tasks}
    heldout = draw_heldout(scenarios, parse_share(by, "split_by"), seed)
    test = tuple(task for task in tasks if (world, task.cluster) in heldout)
    train = tuple(task for task in tasks if (world, task.cluster) not in heldout)
    if not train or not test:
        raise ConfigError(
            f"{by} leaves nothing in {'train' if test else 'test'}: all {len(scenarios)} "
            "scenarios go to the other part; give another share, or more scenarios"
        )
    return {"train": train, "test": test}


def outside_seats(task: Task, seats: Seats) -> tuple[str, ...]:
    """The seats that are played from outside, in the order of the task."""
    if seats == "all":
        return task.seats
    wanted = [seats] if isinstance(seats, int | str) else list(seats)
    for seat in wanted:
        if seat not in task.seats and not (isinstance(seat, int) and 0 <= seat < len(task.seats)):
            raise ConfigError(
                f'seats: expected "all", 0 to {len(task.seats) - 1}, or one of '
                f"{', '.join(task.seats)}, as in the task {task.id}, found {seat!r}"
            )
    if not wanted:
        raise ConfigError("seats: expected one at least, found none")
    found = {task.seats[seat] if isinstance(seat, int) else seat for seat in wanted}
    return tuple(seat for seat in task.seats if seat in found)
