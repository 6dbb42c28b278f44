"""What a run would cost, before a cent is spent: episodes played on prompts alone."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sociolab.app.anywhere import run_anywhere
from sociolab.app.cast import Casting
from sociolab.app.config import RunConfig
from sociolab.app.models import Models
from sociolab.app.session import plan_of, seat_all, wanted_judges, world_of
from sociolab.app.specs import ModelSpec
from sociolab.core.episode import Episode, Event, Trial
from sociolab.core.ports import (
    CallKey,
    ChatModel,
    ChatReply,
    Judge,
    Player,
    Prompt,
    ReplyStore,
    Usage,
    WorldKit,
)
from sociolab.core.seeding import stream
from sociolab.engine.drive import drive
from sociolab.models.budget import Budget
from sociolab.models.endpoint.sampler import Draw, Node
from sociolab.models.endpoint.schemas import read_schema
from sociolab.models.endpoint.sentences import prose
from sociolab.models.prices import CHARACTERS_A_TOKEN, Price, tokens_in
from sociolab.models.unkept import Unkept

SAMPLE = 30
"""Trials that are measured, evenly spread over the plan; the rest is taken to be like them."""


@dataclass(slots=True)
class Spend:
    """Calls and tokens of one model."""

    calls: int = 0
    prompt: int = 0
    completion: int = 0


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls, tokens and dollars by model, for all trials of a plan; None: no price is known.

    Every scene is taken to last until its turn limit, with replies of about 150 characters and no
    reply asked for again, and nothing is taken to be cached by the provider. `open_ended`: how many
    calls a trial makes hangs on what is done in it, as in a town.
    """

    trials: int
    measured: int
    models: dict[str, Spend]
    prices: dict[str, Price | None]
    open_ended: bool = False

    def usd(self, model: str) -> float | None:
        """Dollars of one model."""
        price, spend = self.prices[model], self.models[model]
        return price.of(Usage(spend.prompt, spend.completion)) if price else None

    def document(self) -> dict[str, Any]:
        """As JSON."""
        models = {
            name: {
                "calls": spend.calls,
                "prompt_tokens": spend.prompt,
                "completion_tokens": spend.completion,
                "cost_usd": self.usd(name),
            }
            for name, spend in self.models.items()
        }
        return {"schema": 1, "dry_run": True, "trials": self.trials, "models": models}

    def sentences(self) -> list[str]:
        """As lines to read."""
        lines = [
            f"{self.trials} trials, estimated from {self.measured} of them; nothing was called, "
            "nothing is stored"
        ]
        for name, spend in self.models.items():
            usd = self.usd(name)
            money = "price unknown (add it to models.toml)" if usd is None else f"${usd:.2f}"
            lines.append(
                f"{name}: {spend.calls} calls, {spend.prompt:,} tokens read, "
                f"{spend.completion:,} written, {money}"
            )
        if self.models and self.open_ended:
            lines.append(
                "made-up replies lead to quiet days: with a model that talks more it may be twice "
                "or three times as much"
            )
        if not self.models:
            lines.append("no model is called: this run is free")
        return lines


@dataclass
class _MeasuringModels(Models):
    """Models that reply with a text of the right form instead of calling, and count."""

    spends: dict[str, Spend] = field(default_factory=dict)
    known_prices: dict[str, Price | None] = field(default_factory=dict)

    def kept(self, spec: ModelSpec, replies: ReplyStore, budget: Budget) -> ChatModel:
        """A model that measures; a wrong endpoint is refused as in a real run."""
        self.endpoint(spec)
        name = f"{spec.endpoint}/{spec.model}"
        self.known_prices[name] = self.price(spec)
        return _Measuring(name, self.spends.setdefault(name, Spend()))


@dataclass(frozen=True, slots=True)
class _Measuring:
    label: str
    spend: Spend

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        draw = Draw(stream(key.turn, key.trial, key.seat).random)
        if prompt.schema is None:
            text = f"speak: {prose(draw.random, draw.characters)}"
        else:
            text = json.dumps(_node(prompt.schema.text).sample(draw))
        self.spend.calls += 1
        self.spend.prompt += tokens_in(prompt)
        self.spend.completion += round(len(text) / CHARACTERS_A_TOKEN)
        return ChatReply(text)


@cache
def _node(schema: str) -> Node:
    return read_schema(json.loads(schema))


def estimate(config: RunConfig) -> Estimate:
    """Play a sample of the plan on measuring models. ConfigError as a real run would raise it."""
    return run_anywhere(lambda: _estimate(config))


async def _estimate(config: RunConfig) -> Estimate:
    kit = world_of(config)
    models = _MeasuringModels(config)
    casting = Casting(kit, models, Unkept(), Budget())
    seated = seat_all(config, casting)
    plan = plan_of(config, kit, seated)
    judges = wanted_judges(config, casting, seated)
    players = seated.players()
    sample = [plan[i * len(plan) // min(SAMPLE, len(plan))] for i in range(min(SAMPLE, len(plan)))]
    if models.spends:
        for trial in sample:
            await _measure(kit, trial, players, judges)
    factor = len(plan) / len(sample)
    for spend in models.spends.values():
        spend.calls = round(spend.calls * factor)
        spend.prompt = round(spend.prompt * factor)
        spend.completion = round(spend.completion * factor)
    return Estimate(len(plan), len(sample), models.spends, models.known_prices, kit.open_ended)


async def _measure(
    kit: WorldKit, trial: Trial, players: dict[str, Player], judges: tuple[Judge, ...]
) -> None:
    events: list[Event] = []
    cast = {member.seat: players[member.agent] for member in trial.cast}
    play = kit.world.play(trial.task, trial.id, trial.seed)
    await drive(play, cast, events.append)
    for judge in judges:
        await judge.judge(Episode(trial, tuple(events)))
