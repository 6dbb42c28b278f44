"""An arena as a native environment of verifiers' v1 API (extra `verifiers`): two seats, two agents.

Name it by its id, `sociolab-verifiers`: the module `sociolab_verifiers` exports what stands here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from typing import Any, Self

import aiohttp
from pydantic import model_validator

from sociolab.core.errors import ConfigError, SociolabError, missing_extra
from sociolab.plugin.options import FIRST_WORLD
from sociolab.training.arena import Arena, Seats, Split
from sociolab.training.rewards import Reward

try:
    import verifiers.v1 as vf
    from verifiers.v1.dialects.chat import message_to_wire
except ImportError as _missing:
    raise missing_extra("sociolab-verifiers needs", "verifiers", "verifiers") from _missing


class UnknownRewardError(SociolabError):
    """The reward of a seat cannot be told: its trace counts in no mean, and is not trained on."""


class SeatsTask(vf.Task[vf.TaskData]):
    """A task of the world, to be played by both seats."""

    @property
    def key(self) -> str:
        return str(self.data.id or super().key)


class SeatsTasksetConfig(vf.TasksetConfig):
    """Which tasks are played; see `Arena`."""

    world: str = FIRST_WORLD
    tasks: str | None = None
    split: Split = "train"
    split_by: str | None = None
    seed: int = 0

    def arena(self, **judging: Any) -> Arena:
        return Arena(
            self.world, tasks=self.tasks, split_by=self.split_by, seed=self.seed, **judging
        )


class SeatsTaskset(vf.Taskset[SeatsTask, SeatsTasksetConfig]):
    """The tasks of a split of an arena."""

    def load(self) -> Iterator[SeatsTask]:
        with self.config.arena() as arena:
            for task in arena.tasks(self.config.split):
                yield SeatsTask(vf.TaskData(id=task, name=task), self.config.task)


class SeatsConfig(vf.EnvConfig):
    """The agents of the seats, how episodes are judged, and what the other's reward is worth."""

    first: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    second: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    partner: str | None = None
    """Who plays the second seat instead of the agent `second`, such as "haggler:3"."""
    judge: str | None = None
    reader: str | None = None
    metric: str | None = None
    other_weight: float = 0.0
    """The weight of the other seat's reward in a seat's own: 0 is selfish, 1 the sum of both. Not
    with a `partner`, whose reward is not told."""

    @model_validator(mode="after")
    def _weigh_agents_only(self) -> Self:
        if self.partner is not None and self.other_weight:
            raise ValueError(
                "other_weight: expected 0 with a partner, whose reward is not told, found "
                f"{self.other_weight}; leave out one of the two"
            )
        return self


class SeatsEnv(vf.Env[SeatsConfig]):
    """An episode of a task: each seat is an agent with a chat of its own."""

    async def start(self) -> None:
        config = self.config
        self._arena = config.taskset.arena(
            judge=config.judge, reader=config.reader, metric=config.metric
        )

    async def stop(self) -> None:
        if hasattr(self, "_arena"):  # else it did not start
            await self._arena.close_async()

    async def run(self, task: SeatsTask, agents: vf.Agents) -> None:
        """Play to the end; ConfigError for a task that has not two seats."""
        partner = self.config.partner
        seats: Seats = "all" if partner is None else 0
        # The rollouts of a task form a group, which plays one episode: the first repeat.
        session = await self._arena.begin_async(
            task.data.id, seats=seats, partner=partner, repeat=0
        )
        first, *others = session.trial.task.seats
        if len(others) != 1:
            raise ConfigError(f"{task.data.id}: expected 2 seats, found {len(others) + 1}")
        agent_of = {first: agents.first, others[0]: agents.second}
        chats: dict[str, vf.Interaction] = {}
        async with session, AsyncExitStack() as stack:
            while (seen := session.observation) is not None:
                new = list(seen.new)
                if seen.seat not in chats:
                    system = new.pop(0)["content"] if new[0]["role"] == "system" else None
                    own = task.with_data(system_prompt=system, prompt=None)
                    chats[seen.seat] = await stack.enter_async_context(
                        agent_of[seen.seat].interaction(own)
                    )
                segment = await chats[seen.seat].turn(new)
                if segment.terminated:
                    break
                await session.step_async(segment.last_reply)
            rewards = session.rewards or dict.fromkeys(session.seats, Reward(None, "unscored"))
            for seat, chat in chats.items():
                own, *other = sorted(rewards.items(), key=lambda each: each[0] != seat)
                chat.trace.info["rewards"] = [reward._asdict() for _, reward in (own, *other)]

    async def finalize(self, task: SeatsTask, episode: vf.Episode) -> None:
        """Record what each seat earned and, weighted, what the other did. An unknown reward is an
        error of its trace, which verifiers leaves out of its means."""
        weights = {"own": 1.0, "other": self.config.other_weight}
        for trace in episode.traces:
            rewards = dict(zip(weights, trace.info["rewards"], strict=False))
            for name, reward in rewards.items():
                if weights[name] and reward["value"] is None:
                    trace.agent.trainable = False
                    trace.rewards.clear()
                    trace.record_error(UnknownRewardError(f"{name}: {reward['status']}"))
                    break
                if weights[name]:
                    trace.record_reward(name, reward["value"], weights[name])

    def complete(self, episode: vf.Episode) -> bool:
        """Whether `--resume` keeps it: an unknown reward is a result."""
        errors = [*episode.errors, *(error for trace in episode.traces for error in trace.errors)]
        return all(error.type == UnknownRewardError.__name__ for error in errors)


class ChatHarness(vf.Harness[vf.HarnessConfig]):
    """A chat without tools, in this process: a call for each turn."""

    APPENDS_SYSTEM_PROMPT = SUPPORTS_RESUME = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: Mapping[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Send the conversation; verifiers adds sampling, and records prompt and reply."""
        system, prompt = self.resolve_prompt(data)
        messages = [{"role": "system", "content": system}] if system else []
        body = {"model": ctx.model, "messages": [*messages, *map(message_to_wire, prompt)]}
        headers = {"Authorization": f"Bearer {secret}"}
        url = f"{endpoint}/chat/completions"
        async with (
            aiohttp.ClientSession(headers=headers) as client,
            client.post(url, json=body, timeout=aiohttp.ClientTimeout(None)) as answer,
        ):
            said = await answer.text()
        return vf.ProgramResult(0, "", "") if answer.ok else vf.ProgramResult(1, "", said)
