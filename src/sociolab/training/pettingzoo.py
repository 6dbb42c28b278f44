"""Sessions of an arena in the forms of PettingZoo and Gymnasium (the extra `pettingzoo`)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Space
from pettingzoo import AECEnv

from sociolab.core.episode import Task
from sociolab.core.errors import ConfigError
from sociolab.core.ports import Player
from sociolab.training.arena import Arena, Seats, Split, outside_seats
from sociolab.training.session import ArenaSession, Observed

_HIGHEST = 100_000
"""No turn, and no number of attempts, is higher."""


class TextSpace(Space[str]):  # type: ignore[misc]  # without the extra it is Any
    """Any text; a sample is a line that names a number, as a model would write it."""

    def __init__(self) -> None:
        super().__init__((), np.str_)

    def contains(self, x: object) -> bool:
        return isinstance(x, str)

    def sample(self, mask: object = None, probability: object = None) -> str:
        words = f"What about ${self.np_random.integers(1, 1000)}?"
        return json.dumps({"action": "speak", "text": words})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TextSpace)

    __hash__ = None  # type: ignore[assignment]  # spaces have a state, and are no keys


def observation_space() -> Dict:
    numbers = Box(0, _HIGHEST, (2,), np.int64)
    return Dict({"observation": numbers, "prompt": TextSpace(), "new": TextSpace()})


def observation_of(observed: Observed | None) -> dict[str, Any]:
    """The turn and the attempt, the whole prompt and what is new in it, as texts; zeros and empty
    texts for a seat that was not asked yet."""
    numbers = (observed.turn, observed.attempt) if observed else (0, 0)
    prompt, new = (observed.prompt, observed.new) if observed else ([], [])
    return {
        "observation": np.array(numbers, np.int64),
        "prompt": "\n\n".join(message["content"] for message in prompt),
        "new": "\n\n".join(message["content"] for message in new),
    }


def begin_seeded(
    arena: Arena, seed: int | None, split: Split, seats: Seats, partner: str | Player | None
) -> ArenaSession:
    """The next episode; with a seed, the one that the seed selects, the same each time."""
    tasks = arena.tasks(split)
    if seed is None:
        return arena.begin(seats=seats, partner=partner, split=split)
    task = tasks[seed % len(tasks)]
    return arena.begin(task, seats=seats, partner=partner, repeat=0, seed=seed)


def info_of(observed: Observed | None) -> dict[str, Any]:
    """The prompt as chat messages and the schema of the reply; empty where nothing is asked."""
    return {"messages": observed.prompt, "schema": observed.schema} if observed else {}


class ArenaAec(AECEnv):  # type: ignore[misc]  # without the extra it is Any
    """Seats of an arena as agents in PettingZoo's turn-based form, called `seat_0`, `seat_1`...

    An observation is a dict: `prompt` is the whole prompt, `new` what is new in it, and
    `observation` the turn and the attempt. An action is the text of a reply. The info of an agent
    has its `messages` (the prompt as a chat), the `schema` of the reply, whether its last reply was
    `usable` with its `problem`, and at the end the `status` of its reward. An unknown reward is
    NaN, so that no mean counts it as 0. The seats must have the same places in all tasks of the
    split. `turn_based_aec_to_parallel` makes it a parallel one.
    """

    def __init__(
        self,
        arena: Arena,
        *,
        seats: Seats = "all",
        partner: str | Player | None = None,
        split: Split = "train",
    ) -> None:
        super().__init__()
        self.metadata = {"name": "sociolab_v0", "render_modes": [], "is_parallelizable": True}
        self.render_mode = None
        self._arena, self._seats, self._partner, self._split = arena, seats, partner, split
        tasks = [arena.task(name) for name in arena.tasks(split)]
        every = {
            tuple(_name_seats(task)[seat] for seat in outside_seats(task, seats)) for task in tasks
        }
        if len(every) > 1:
            found = " and ".join(map(str, sorted(every, key=str)))
            raise ConfigError(
                f"expected the same seats in all tasks, found {found}; choose tasks with `tasks`"
            )
        (names,) = every
        self.possible_agents = list(names)
        self._spaces = {agent: (observation_space(), TextSpace()) for agent in names}
        self._session: ArenaSession | None = None

    def observation_space(self, agent: str) -> Space[Any]:
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> Space[str]:
        return self._spaces[agent][1]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode; with a seed, the one that the seed selects, the same each time."""
        self.close()
        self._session = begin_seeded(self._arena, seed, self._split, self._seats, self._partner)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, self._session.done)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._seen: dict[str, Observed] = {}
        self._look(self._session)

    def step(self, action: str | None) -> None:
        agent, session = self.agent_selection, self._session
        if session is None:
            raise ConfigError("no episode is under way: call reset first")
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        names = _name_seats(session.trial.task)
        (seat,) = (seat for seat, name in names.items() if name == agent)
        assert action is not None
        _, _, terminated, truncated, info = session.step(action, seat)
        self._cumulative_rewards[agent] = 0.0
        for other, earned in info["rewards"].items():
            self.rewards[names[other]] = math.nan if earned is None else earned
        self._accumulate_rewards()
        self.infos[agent] = {"usable": info["usable"], "problem": info["problem"]}
        for other, reward in session.rewards.items():
            self.infos[names[other]]["status"] = reward.status
        self.terminations = dict.fromkeys(self.agents, terminated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self._look(session)

    def observe(self, agent: str) -> dict[str, Any]:
        return observation_of(self._seen.get(agent))

    def close(self) -> None:
        """Break off the episode; the arena stays open."""
        if self._session is not None:
            self._session.close()

    def _look(self, session: ArenaSession) -> None:
        """Take in what seats are asked, and select the first of them."""
        names = _name_seats(session.trial.task)
        for seat, observed in session.observations.items():
            self._seen[names[seat]] = observed
            self.infos[names[seat]] |= info_of(observed)
        asked = session.observation
        self.agent_selection = names[asked.seat] if asked else self.agents[0]


def _name_seats(task: Task) -> dict[str, str]:
    return {seat: f"seat_{place}" for place, seat in enumerate(task.seats)}


class ArenaGym(gymnasium.Env):  # type: ignore[misc]  # without the extra it is Any
    """One seat of an arena in Gymnasium's form, with the observations and actions of `ArenaAec`."""

    def __init__(
        self,
        arena: Arena,
        *,
        seat: int = 0,
        partner: str | Player | None = None,
        split: Split = "train",
    ) -> None:
        self.observation_space, self.action_space = observation_space(), TextSpace()
        self._arena, self._seat, self._partner, self._split = arena, seat, partner, split
        self._session: ArenaSession | None = None

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode; with a seed, the one that the seed selects, the same each time."""
        super().reset(seed=seed)
        self.close()
        self._session = begin_seeded(self._arena, seed, self._split, self._seat, self._partner)
        observed = self._session.observation
        return observation_of(observed), info_of(observed)

    def step(self, action: str) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """The five values; an unknown reward is NaN."""
        if self._session is None:
            raise ConfigError("no episode is under way: call reset first")
        observed, reward, terminated, truncated, info = self._session.step(action)
        earned = math.nan if reward is None else reward
        told = {**info, **info_of(observed)}
        return observation_of(observed), earned, terminated, truncated, told

    def close(self) -> None:
        """Break off the episode; the arena stays open."""
        if self._session is not None:
            self._session.close()
