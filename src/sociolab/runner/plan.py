"""A plan: tasks x casts x repeats, laid out as trials."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

from sociolab.core.episode import Agent, CastMember, Task, Trial
from sociolab.core.errors import ConfigError, did_you_mean
from sociolab.core.ports import CastRule, DataId
from sociolab.core.seeding import digest, interleave

Seated = TypeVar("Seated")


def every_seating(
    agents: Sequence[Seated], partner: Seated | None, seats: Sequence[str]
) -> tuple[tuple[Seated, ...], ...]:
    """All casts. Without a partner: every ordered choice of agents, self-play included.

    With a partner: each agent in each seat once, the partner in all the others. With one agent and
    no partner: the agent plays itself, once.
    """
    if partner is None:
        return tuple(product(agents, repeat=len(seats)))
    casts = []
    for agent in agents:
        for seat in range(len(seats)):
            cast = [partner] * len(seats)
            cast[seat] = agent
            casts.append(tuple(cast))
    return tuple(dict.fromkeys(casts))


def plan_trials(
    world: str,
    data: DataId,
    tasks: Sequence[Task],
    agents: Sequence[Agent],
    partner: Agent | None,
    *,
    repeats: int,
    seed: int,
    casts: CastRule | None = None,
) -> tuple[Trial, ...]:
    """All trials: repeat by repeat, task by task, so that a run cut short is still balanced."""
    planned = []
    for repeat, task in product(range(repeats), tasks):
        for cast in (casts or every_seating)(agents, partner, task.seats):
            members = tuple(map(CastMember, task.seats, cast))
            key = trial_id(world, data, task, members, repeat, seed)
            planned.append(Trial(key, world, task, members, repeat, seed))
    return tuple(planned)


def trial_id(
    world: str, data: DataId, task: Task, cast: Sequence[CastMember], repeat: int, seed: int
) -> str:
    """The hash of what defines a trial, so that the same plan finds its trials again."""
    members = [part for m in cast for part in (m.seat, m.agent, m.identity.settings)]
    code = [m.identity.code for m in cast if m.identity.code is not None]
    return digest(world, data.hash, task.id, *members, repeat, seed, *code)


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `count` parts of a plan, from 1: every `count`-th trial in the order of their ids.

    Ids are hashes, so a shard's size is right to one trial, and no task, seat or agent gathers in
    it as it would if every n-th trial of the plan were taken.
    """

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard that a text such as "3/16" names; ValueError if it names none."""
        match = re.fullmatch(r"0*([1-9]\d{0,5})/0*([1-9]\d{0,5})", text, re.ASCII)
        if match is None or int(match[1]) > int(match[2]):
            raise ValueError(f'expected I/N with I from 1 to N, such as 3/16, found "{text}"')
        return cls(int(match[1]), int(match[2]))

    def pick(self, trials: Iterable[str]) -> frozenset[str]:
        """The ids of this shard among all trial ids of a plan."""
        return frozenset(sorted(trials)[self.number - 1 :: self.count])


def filter_tasks(
    tasks: Sequence[Task],
    expression: str | None,
    limit: int | None,
    lists: Mapping[str, Collection[str]] | None = None,
) -> tuple[Task, ...]:
    """The tasks that a filter names: ids, tags, `scenario=ID` and lists, combined with commas.

    A task is taken if any part between commas fits; a part may join several with `+`, all of
    which must fit (`bargain+hard`). `lists`: the ids of the tasks in each list, by its name. A
    `limit` takes tasks of as many clusters as there are, before it takes a second of any.
    ConfigError for a part that fits nothing.
    """
    lists = lists or {}
    chosen = list(tasks)
    if expression is not None:
        parts = [part.strip() for part in expression.split(",") if part.strip()]
        if not parts:
            raise ConfigError("--tasks is empty; name task ids, tags or scenario=ID")
        for part in parts:
            if not any(_fits(task, part, lists) for task in tasks):
                tags = sorted({tag for task in tasks for tag in task.tags})
                ids = {word for task in tasks for word in (task.id, f"scenario={task.cluster}")}
                near = did_you_mean(part, (*tags, *lists, *sorted(ids)))
                raise ConfigError(
                    f'--tasks: "{part}" matches no task{near}; expected a task id, scenario=ID, a '
                    f"list of `sociolab list task-lists`, or tags such as {', '.join(tags[:12])}"
                )
        chosen = [task for task in tasks if any(_fits(task, part, lists) for part in parts)]
    if limit is None or limit >= len(chosen):
        return tuple(chosen)
    return interleave(chosen, lambda task: task.cluster)[:limit]


def _fits(task: Task, part: str, lists: Mapping[str, Collection[str]]) -> bool:
    return all(
        task.cluster == word[len("scenario=") :]
        if word.startswith("scenario=")
        else word == task.id or word in task.tags or task.id in lists.get(word, ())
        for word in (word.strip() for word in part.split("+"))
    )
