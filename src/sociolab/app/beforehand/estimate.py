"""What a run would cost, before a cent is spent: episodes played on prompts alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sociolab.analysis.figures import listed
from sociolab.app.anywhere import run_anywhere
from sociolab.app.beforehand.estimate_words import (
    Pace,
    cached_words,
    dollars,
    role_lines,
    seconds_in_all,
    time_line,
)
from sociolab.app.beforehand.measuring import Measured, MeasuringModel, Part, last_seconds
from sociolab.app.beforehand.stand_ins import Spend, of_ours, own_labels, without_own
from sociolab.app.players.cast import Casting
from sociolab.app.players.models import Models
from sociolab.app.players.specs import ModelSpec
from sociolab.app.runs.config import RunConfig
from sociolab.app.runs.session import plan_of, seat_all, wanted_judges, world_of
from sociolab.core.episode import Episode, Event, Trial
from sociolab.core.ports import ChatModel, Judge, Player, ReplyStore, Role, Usage, WorldKit
from sociolab.engine.drive import drive
from sociolab.models.budget import Budget
from sociolab.models.prices import Price
from sociolab.models.unkept import Unkept
from sociolab.store.place import store_path

SAMPLE = 30
"""Trials that are measured, evenly spread over the plan; the rest is taken to be like them."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls, tokens and dollars by model, for all trials of a plan; None: no price is known.
    `addresses` are the base URLs that the models would be called at.

    Every scene is taken to last until its turn limit, with replies of about 150 characters and no
    reply asked for again; dollars are without the provider's cache, where nothing else is said.
    `parts` are the same by role, `time` says how long it takes. `open_ended`: how many
    calls a trial makes hangs on what is done in it, as in a town. `uncounted` are agents and judges
    of somebody's own code, which was made but never called: what it calls itself is not known.
    """

    trials: int
    measured: int
    models: dict[str, Spend]
    prices: dict[str, Price | None]
    open_ended: bool = False
    uncounted: tuple[str, ...] = ()
    parts: dict[str, dict[Role, Part]] = field(default_factory=dict)
    time: str = ""
    seconds: float | None = None
    addresses: dict[str, str] = field(default_factory=dict)

    def usd(self, model: str) -> float | None:
        """Dollars of one model."""
        price, spend = self.prices[model], self.models[model]
        return price.of(Usage(spend.prompt, spend.completion)) if price else None

    def document(self) -> dict[str, Any]:
        """As JSON."""
        models = {
            name: {
                "address": self.addresses[name],
                "calls": spend.calls,
                "prompt_tokens": spend.prompt,
                "completion_tokens": spend.completion,
                "cost_usd": self.usd(name),
                "roles": {role: self._part(name, part) for role, part in self.parts[name].items()},
            }
            for name, spend in self.models.items()
        }
        return {
            "schema": 1,
            "dry_run": True,
            "trials": self.trials,
            "models": models,
            "seconds": self.seconds,
            "not_counted": list(self.uncounted),
        }

    def _part(self, model: str, part: Part) -> dict[str, Any]:
        price = self.prices[model]
        return {
            "calls": part.calls,
            "prompt_tokens": part.prompt,
            "repeated_tokens": part.cached,
            "completion_tokens": part.completion,
            "cost_usd": dollars(part, price, cached=False) if price else None,
            "cost_usd_cached": dollars(part, price, cached=True) if price else None,
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
                f"{name} at {self.addresses[name]}: {spend.calls} calls, "
                f"{spend.prompt:,} tokens read, {spend.completion:,} written, {money}"
                f"{cached_words(list(self.parts[name].values()), self.prices[name])}"
            )
            lines += role_lines(name, self.parts[name], self.prices[name])
        if self.time:
            lines.append(self.time)
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
    addresses: dict[str, str] = field(default_factory=dict)

    measured: dict[str, Measured] = field(default_factory=dict)
    specs: dict[str, ModelSpec] = field(default_factory=dict)

    def kept(self, spec: ModelSpec, replies: ReplyStore, budget: Budget) -> ChatModel:
        """A model that measures; a wrong endpoint is refused as in a real run."""
        address = self.endpoint(spec).base_url
        name = f"{spec.endpoint}/{spec.model}"
        self.known_prices[name], self.specs[name] = self.price(spec), spec
        self.addresses[name] = address
        spend = self.spends.setdefault(name, Spend())
        return MeasuringModel(name, spend, self.measured.setdefault(name, Measured()))

    def paces(self, factor: float, seconds: Callable[[str], float | None]) -> list[Pace]:
        """How fast each model that was called can be; `factor`: trials of the plan for one of the
        sample."""
        found = []
        for name, measured in self.measured.items():
            if not measured.trials:
                continue
            end = self.endpoint(self.specs[name])
            calls, longest = measured.trials.values(), max(measured.trials.values())
            found.append(
                Pace(name, end.name, seconds(name), end.in_flight, end.requests_per_minute,
                     round(sum(calls) * factor), longest)
            )  # fmt: skip
        return found


def estimate(config: RunConfig, latency: float | None = None) -> Estimate:
    """Play a sample of the plan on measuring models. ConfigError as a real run would raise it.

    `latency`: seconds a call, for the time that it takes; else as last measured in the store.
    """
    return run_anywhere(lambda: _estimate(config, latency))


async def _estimate(config: RunConfig, latency: float | None) -> Estimate:
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
    parts = {
        name: {role: part.times(factor) for role, part in measured.parts.items()}
        for name, measured in models.measured.items()
    }
    last = last_seconds(store_path(config.store))
    paces = models.paces(factor, last if latency is None else lambda _model: latency)
    at_once = None if kit.open_ended else min(config.episodes, len(plan))
    known = bool(paces) and all(pace.seconds is not None for pace in paces)
    return Estimate(
        len(plan),
        len(sample),
        models.spends,
        models.known_prices,
        kit.open_ended,
        own_labels(seated, judges),
        parts,
        time_line(paces, at_once, latency) if paces else "",
        seconds_in_all(paces, at_once) if known else None,
        models.addresses,
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
