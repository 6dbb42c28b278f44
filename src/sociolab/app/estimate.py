"""What a run would cost, before a cent is spent: episodes played on prompts alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sociolab.analysis.figures import listed
from sociolab.app.anywhere import run_anywhere
from sociolab.app.cast import Casting
from sociolab.app.config import RunConfig
from sociolab.app.models import Models
from sociolab.app.session import plan_of, seat_all, wanted_judges, world_of
from sociolab.app.specs import ModelSpec
from sociolab.app.stand_ins import MadeUpModel, Spend, of_ours, own_labels, without_own
from sociolab.core.episode import Episode, Event, Trial
from sociolab.core.ports import ChatModel, Judge, Player, ReplyStore, Usage, WorldKit
from sociolab.engine.drive import drive
from sociolab.models.budget import Budget
from sociolab.models.prices import Price
from sociolab.models.unkept import Unkept

SAMPLE = 30
"""Trials that are measured, evenly spread over the plan; the rest is taken to be like them."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls, tokens and dollars by model, for all trials of a plan; None: no price is known.

    Every scene is taken to last until its turn limit, with replies of about 150 characters and no
    reply asked for again, and nothing is taken to be cached by the provider. `open_ended`: how many
    calls a trial makes hangs on what is done in it, as in a town. `uncounted` are agents and judges
    of somebody's own code, which was made but never called: what it calls itself is not known.
    """

    trials: int
    measured: int
    models: dict[str, Spend]
    prices: dict[str, Price | None]
    open_ended: bool = False
    uncounted: tuple[str, ...] = ()

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
        return {
            "schema": 1,
            "dry_run": True,
            "trials": self.trials,
            "models": models,
            "not_counted": list(self.uncounted),
        }

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
        if self.uncounted:
            lines.append(
                f"not counted: calls which {listed(self.uncounted)} may make on their own; a "
                "stand-in played and none of their code was asked anything, so what they do may "
                "make the figures of others differ, too"
            )
        elif not self.models:
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
        return MadeUpModel(name, self.spends.setdefault(name, Spend()))


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
    players = without_own(kit, seated).players()
    sample = [plan[i * len(plan) // min(SAMPLE, len(plan))] for i in range(min(SAMPLE, len(plan)))]
    if models.spends:
        for trial in sample:
            await _measure(kit, trial, players, of_ours(judges))
    factor = len(plan) / len(sample)
    for spend in models.spends.values():
        spend.calls = round(spend.calls * factor)
        spend.prompt = round(spend.prompt * factor)
        spend.completion = round(spend.completion * factor)
    uncounted = own_labels(seated, judges)
    return Estimate(
        len(plan), len(sample), models.spends, models.known_prices, kit.open_ended, uncounted
    )


async def _measure(
    kit: WorldKit, trial: Trial, players: dict[str, Player], judges: tuple[Judge, ...]
) -> None:
    events: list[Event] = []
    cast = {member.seat: players[member.agent] for member in trial.cast}
    play = kit.world.play(trial.task, trial.id, trial.seed)
    await drive(play, cast, events.append)
    for judge in judges:
        await judge.judge(Episode(trial, tuple(events)))
