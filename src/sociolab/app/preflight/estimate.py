"""What a run would take, before a cent is spent: calls counted, tokens measured, cost and time."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import ValidationError

from sociolab.analysis.formatting import listed
from sociolab.app.players.casting import Casting
from sociolab.app.players.models import HUMAN, Models, ModelSpec, parse
from sociolab.app.players.own_code import OwnJudge
from sociolab.app.run.config import RunConfig
from sociolab.app.run.session import Seated, plan_of, seat_all, wanted_judges, world_of
from sociolab.app.run_sync import run_sync
from sociolab.core.episode import Action, Episode, Event, Json, Trial
from sociolab.core.errors import StoreError
from sociolab.core.ports import (
    CallKey,
    ChatModel,
    ChatReply,
    DryRun,
    Judge,
    NoReply,
    Player,
    Prompt,
    Question,
    Reply,
    ReplyStore,
    Request,
    Role,
    Usage,
    World,
    WorldKit,
)
from sociolab.core.seeding import interleave, stream
from sociolab.endpoint.chat import ChatBody, ChatMessage
from sociolab.endpoint.counters import PromptPrefixes
from sociolab.endpoint.schemas import Draw, prose, sample
from sociolab.engine.drive import drive
from sociolab.models.budget import CHARACTERS_A_TOKEN, Budget, Price, tokens_in
from sociolab.models.cache import NullReplyStore
from sociolab.prompting.structured import schema_of
from sociolab.report.section import Section, TextTable
from sociolab.report.words import money, percent, plural
from sociolab.store.connect import store_path
from sociolab.store.store import Store

SAMPLE = 30
"""Tasks on which the length of the agents' prompts is measured."""

SIMULATED = 3
"""Tasks that are simulated where calls cannot be counted otherwise: each takes a second or two."""

READ_OUT = 3
"""Seats of a simulation whose prompts are measured, for each question."""

WIDEST = 2.0
"""The high end of a range of turns over its low end, at most."""

SHORT_EPISODE = 8
"""Turns after which episodes end at the low end, if they have as many. 154 public SOTOPIA episodes
between models had 9.2 on average, of at most 20 (see benchmarks/bench_estimates.py)."""

SHORT_TEXT, LONG_TEXT = 150, 250
"""Characters of a text at the low end, and at the most; in those episodes 203 on average."""

_UNPRICED = Price(1.0, 4.0)
"""Weighs tokens where a price is missing: those written mostly cost four times those read."""

_LAST = 200
"""Calls whose mean is what a call takes."""

_LOOKED_AT = 20_000
"""Calls of the store, the latest, among which they are looked for."""


# ------------------------------------------------------------------ the estimate


@dataclass(slots=True)
class CallCounts:
    """Calls and their tokens; `cached` prompt tokens repeat the beginning of an earlier prompt."""

    calls: int = 0
    prompt: int = 0
    cached: int = 0
    completion: int = 0

    def add(self, other: CallCounts, times: float = 1) -> None:
        """So many times the other's, rounded."""
        self.calls += round(other.calls * times)
        self.prompt += round(other.prompt * times)
        self.cached += round(other.cached * times)
        self.completion += round(other.completion * times)

    def usd(self, price: Price | None, *, cached: bool = False) -> float | None:
        """Dollars, with all or nothing of what repeats read from the provider's cache; None where
        there is no price."""
        repeated = self.cached if cached else 0
        return price.of(Usage(self.prompt, self.completion, repeated)) if price else None


Parts: TypeAlias = dict[tuple[str, Role], CallCounts]
"""By model and role."""


@dataclass(slots=True)
class Case:
    """What a run takes if all its trials go like this, by model and role.

    `longest` counts the calls of each model in the trial that has most of them. `seconds` is None
    where it is not known how long a call takes.
    """

    name: str
    parts: Parts = field(default_factory=lambda: defaultdict(CallCounts))
    longest: Counter[str] = field(default_factory=Counter)
    seconds: float | None = None

    @property
    def models(self) -> dict[str, CallCounts]:
        """The sums by model."""
        found: dict[str, CallCounts] = defaultdict(CallCounts)
        for (model, _), part in sorted(self.parts.items()):
            found[model].add(part)
        return dict(found)

    @property
    def whole(self) -> CallCounts:
        """The sum of all."""
        found = CallCounts()
        for part in self.parts.values():
            found.add(part)
        return found

    def add_trials(self, parts: Mapping[tuple[str, Role], CallCounts], count: float = 1) -> None:
        """So many trials more that each take this."""
        calls: Counter[str] = Counter()
        for (model, role), part in parts.items():
            self.parts[model, role].add(part, count)
            calls[model] += part.calls
        self.longest |= calls


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """What a run would take: `cases` are the low and the high end of a range and, in a world of
    turns, the most that it can be.

    In a world of turns, episodes end after `SHORT_EPISODE` turns at the low end. At the most they
    all go to their turn limit, at which calls are exact: only a reply that must be asked for again
    comes on top. The high end is the most, or what lies at `WIDEST` times the low end if that is
    less. Where the number of calls depends on what is done (a town), days are simulated (see
    `WorldKit.dry_run`).

    Tokens are measured on `measured` of the tasks, at four characters each. Dollars are without the
    provider's cache unless it is said otherwise. `prices` has every model of the run, with None
    for one whose price is not known, of which `no_price` is a sentence; `addresses` says
    where each would be called. `uncounted` are agents and judges of the user's own code, whose
    calls nobody knows.

    >>> found = estimate(RunConfig(agents=("openai/m",), judges=("none",)))  # doctest: +SKIP
    >>> found.most.models["openai/m"].calls  # doctest: +SKIP
    9000
    """

    trials: int
    tasks: int
    measured: int
    cases: tuple[Case, ...]
    prices: dict[str, Price | None]
    time: str = ""
    about: str = ""
    uncounted: tuple[str, ...] = ()
    addresses: Mapping[str, str] = field(default_factory=dict)
    no_price: str = ""

    @property
    def range(self) -> tuple[Case, Case]:
        """The low and the high end."""
        return self.cases[0], self.cases[min(1, len(self.cases) - 1)]

    @property
    def most(self) -> Case:
        """The case that takes most."""
        return self.cases[-1]

    @property
    def unpriced(self) -> tuple[str, ...]:
        """The models whose cost is not known."""
        return tuple(sorted(name for name, price in self.prices.items() if price is None))

    def usd(self, case: Case, *, cached: bool = False) -> float | None:
        """Dollars of all models together; None if one of them has no price."""
        found = [part.usd(self.prices[name], cached=cached) for name, part in case.models.items()]
        known = [usd for usd in found if usd is not None]
        return sum(known) if len(known) == len(found) else None

    def document(self) -> dict[str, Any]:
        """As JSON; a cost that is not known is null."""
        return {
            "schema": 1,
            "dry_run": True,
            "trials": self.trials,
            "tasks": self.tasks,
            "measured_tasks": self.measured,
            "cases": [
                {
                    "case": case.name,
                    "calls": sum(part.calls for part in case.parts.values()),
                    "cost_usd": self.usd(case),
                    "cost_usd_cached": self.usd(case, cached=True),
                    "seconds": case.seconds,
                    "models": {
                        model: {**self._figures(model, part), "roles": self._roles(case, model)}
                        for model, part in case.models.items()
                    },
                }
                for case in self.cases
            ],
            "no_price": list(self.unpriced),
            "not_counted": list(self.uncounted),
            "addresses": dict(self.addresses),
        }

    def _roles(self, case: Case, model: str) -> dict[str, Any]:
        parts = sorted(case.parts.items())
        return {role: self._figures(model, one) for (name, role), one in parts if name == model}

    def _figures(self, model: str, part: CallCounts) -> dict[str, Any]:
        price = self.prices[model]
        return {
            "calls": part.calls,
            "prompt_tokens": part.prompt,
            "repeated_tokens": part.cached,
            "completion_tokens": part.completion,
            "cost_usd": part.usd(price),
            "cost_usd_cached": part.usd(price, cached=True),
        }

    def section(self) -> Section:
        """As a table, with what it rests on."""
        said = [
            f"{plural(self.trials, 'trial')} of {plural(self.tasks, 'task')}; no model was called, "
            "nothing was stored"
        ]
        said += [f"{model} at {address}" for model, address in self.addresses.items()]
        cautions = []
        if self.no_price:
            cautions.append(f"{self.no_price}: until then, that cost is unknown")
        if self.uncounted:
            cautions.append(
                f"not counted: calls that {listed(self.uncounted)} may make; that code was not "
                "asked anything, and what it does can change the other figures too"
            )
        if not self.prices:
            said += [] if self.uncounted else ["no model is called: this run is free"]
            return Section("Dry run", tuple(said), tuple(cautions))
        return Section("Dry run", (*said, self.time), tuple(cautions), (self._table(),))

    def _table(self) -> TextTable:
        caching = any(price and price.cached is not None for price in self.prices.values())
        low, high = self.range
        rows = []
        for key in sorted({**low.parts, **high.parts}):
            ends = [case.parts.get(key, CallCounts()) for case in (low, high)]
            usd = [[end.usd(self.prices[key[0]], cached=c) for end in ends] for c in (False, True)]
            rows.append((*key, *_cells(ends, usd, caching=caching)))
        if len(rows) > 1:
            usd = [[self.usd(case, cached=one) for case in (low, high)] for one in (False, True)]
            rows.append(("total", "", *_cells([low.whole, high.whole], usd, caching=caching)))
        columns = ["model", "role", "calls", "tokens in", "tokens out", "cost"]
        columns += ["if cached"] if caching else []
        return TextTable("Calls, tokens, cost", tuple(columns), tuple(rows), self._notes(), (1,))

    def _notes(self) -> tuple[str, ...]:
        whole, usd = self.most.whole, self.usd(self.most)
        cost = "" if usd is None else f" and {money(usd)}"
        calls = (
            f"range: from episodes of {SHORT_EPISODE} turns with texts of {SHORT_TEXT} characters "
            f"to the turn limit with {LONG_TEXT}, cut at twice the low end; at most "
            f"{plural(whole.calls, 'call')}{cost} if every episode runs to its turn limit and no "
            "reply has to be asked for again"
        )
        tokens = (
            f"tokens: measured on the prompts of {plural(self.measured, 'task')}, at four "
            "characters a token; a model that thinks first writes more"
        )
        cached = (
            "if cached: the cost if the provider's cache has all that prompts repeat from the "
            f"start of earlier ones: {percent(whole.cached / max(whole.prompt, 1))} of tokens in"
        )
        priced = any(price and price.cached is not None for price in self.prices.values())
        return (self.about or calls, tokens, *([cached] if priced else []))


def _cells(
    ends: Sequence[CallCounts], usd: Sequence[Sequence[float | None]], *, caching: bool
) -> tuple[str, ...]:
    counts = [[getattr(end, name) for end in ends] for name in ("calls", "prompt", "completion")]
    dollars = [["no price" if one is None else money(one) for one in both] for both in usd]
    told = [[_count(one) for one in both] for both in counts] + dollars[: 1 + caching]
    return tuple("–".join(dict.fromkeys(both)) for both in told)  # noqa: RUF001


def _count(number: int) -> str:
    """In full below 10,000, and else in thousands or millions."""
    if number < 10_000:
        return f"{number:,}"
    return f"{number / 1e3:.0f}k" if number < 1e6 else f"{number / 1e6:,.2f}M"


# ------------------------------------------------------------------ how it is made


def estimate(config: RunConfig, latency: float | None = None) -> RunEstimate:
    """What the run of a description would take. Nothing is called and nothing is stored.

    `latency`: seconds a call; else as last measured in the store. ConfigError as the run itself
    would raise it.
    """
    return run_sync(lambda: _estimate(config, latency))


async def _estimate(config: RunConfig, latency: float | None) -> RunEstimate:
    kit = world_of(config)
    models = _MeasuringModels(config)
    casting = Casting(kit, models, NullReplyStore(), Budget())
    seated = seat_all(config, casting)
    plan = plan_of(config, kit, seated)
    judges = wanted_judges(config, casting, seated)
    own = _own_labels(seated, judges)
    tasks = {trial.task.id for trial in plan}
    if not models.specs:
        return RunEstimate(len(plan), len(tasks), 0, (Case("low"),), {}, uncounted=own)
    by_rules = (*kit.checks, *kit.judges.values())
    asking = [one for one in judges if one not in by_rules and not isinstance(one, OwnJudge)]
    agents = _models_of(seated)
    ruled = {
        one.id.label: one.player for one in seated.all if not one.own and one.id.label not in agents
    }
    work = _Work(config, kit, models, plan, agents, ruled, asking)
    prices = {name: models.price(spec) for name, spec in models.specs.items()}
    if kit.dry_run is None:
        low, most, measured = await work.in_turns()
        cases: tuple[Case, ...] = (low, between(low, most, prices), most)
    else:
        cases, measured = await work.simulated(kit.dry_run)
    last = _last_seconds(store_path(config.store))
    at_once = None if kit.dry_run else min(config.episodes, len(plan))
    paces = [models.paces(case, last if latency is None else lambda _: latency) for case in cases]
    for case, each in zip(cases, paces, strict=True):
        if each and all(pace.seconds is not None for pace in each):
            case.seconds = seconds_in_all(each, at_once)
    about = kit.dry_run.about if kit.dry_run else ""
    time = _time_line(cases[:2], paces[-1], latency)
    where = {name: models.endpoint(spec).base_url for name, spec in sorted(models.specs.items())}
    unpriced = [spec for name, spec in sorted(models.specs.items()) if not prices[name]]
    missing = models.no_price(*unpriced) if unpriced else ""
    return RunEstimate(
        len(plan), len(tasks), measured, cases, prices, time, about, own, where, missing
    )


def between(low: Case, most: Case, prices: Mapping[str, Price | None]) -> Case:
    """The high end: the most, or as much of the way there as costs `WIDEST` times the low end."""
    known = None not in prices.values()
    weights = {name: (price if known else None) or _UNPRICED for name, price in prices.items()}
    share = 1.0
    for cached in (False, True):
        least, whole = (
            sum(part.usd(weights[name], cached=cached) or 0.0 for name, part in case.models.items())
            for case in (low, most)
        )
        if whole > WIDEST * least > 0:
            share = min(share, (WIDEST - 1) * least / (whole - least))
    found = Case("high", longest=low.longest | most.longest)
    for case, weight in ((low, 1 - share), (most, share)):
        for key, part in case.parts.items():
            found.parts[key].add(part, weight)
    return found


@dataclass(frozen=True, slots=True)
class _ModelAgent:
    """An agent that is a model: which, in what role, and as a player that measures its prompts."""

    model: str
    role: Role
    dialect: str
    player: Player


def _models_of(seated: Seated) -> dict[str, _ModelAgent]:
    """Those agents that are models, by label; an agent that is also the partner is the agent."""
    found: dict[str, _ModelAgent] = {}
    for one in reversed(seated.all):
        spec = parse(one.id.label, "agent")
        if isinstance(spec, ModelSpec):
            role: Role = "partner" if one is seated.partner else "agent"
            found[one.id.label] = _ModelAgent(_name(spec), role, spec.settings.dialect, one.player)
    return found


def _own_labels(seated: Seated, judges: Sequence[Judge]) -> tuple[str, ...]:
    """Whose code may make calls that nobody here sees: agents and judges, each once."""
    agents = [one.id.label for one in seated.all if one.own and one.id.label != HUMAN]
    deciding = [one.label for one in judges if isinstance(one, OwnJudge)]
    return tuple(dict.fromkeys([*agents, *deciding]))


@dataclass(frozen=True, slots=True)
class _Work:
    """A plan on its way to an estimate.

    How often a seat is asked does not depend on which model sits there: so each task is played once
    for all its casts and repeats, and who sits where is read off the plan.
    """

    config: RunConfig
    kit: WorldKit
    models: _MeasuringModels
    plan: tuple[Trial, ...]
    agents: Mapping[str, _ModelAgent]
    ruled: Mapping[str, Player]
    judges: Sequence[Judge]

    async def in_turns(self) -> tuple[Case, Case, int]:
        """The low end, the most, and the number of tasks on which prompts were measured.

        Stand-ins play every task, which counts the calls. Tasks that ask the same of each seat are
        alike, and the prompts of a sample of these stand for all.
        """
        low, _ = await self._case("low", _StandIn(SHORT_TEXT, SHORT_EPISODE))
        most, measured = await self._case("most", _StandIn(LONG_TEXT))
        return low, most, measured

    async def _case(self, name: str, stand_in: _StandIn) -> tuple[Case, int]:
        """Episodes in which everybody speaks like this, and the number of tasks measured."""
        self.models.characters = stand_in.characters
        alike: dict[frozenset[tuple[tuple[int, str], int]], list[Trial]] = defaultdict(list)
        judged: dict[str, Parts] = {}
        for trial in self._a_trial_a_task():
            sheet = _Sheet(trial.task.seats)
            everybody = dict.fromkeys(trial.task.seats, _Seat(sheet, stand_in))
            events = await _play(self.kit.world, trial, everybody)
            alike[frozenset(sheet.asked.items())].append(trial)
            judged[trial.task.id] = await self._judged(trial, events)
        players = {agent.dialect: agent.player for agent in self.agents.values()}
        seats: dict[tuple[str, str], tuple[CallCounts, ...]] = {}
        measured = 0
        for several in alike.values():
            sample = self._sample(several, ceil(SAMPLE * len(several) / len(judged)))
            measured += len(sample)
            for dialect, player in players.items():
                found = await self._measured(sample, player, stand_in)
                seats |= {(trial.task.id, dialect): found for trial in several}
        case = Case(name)
        for trial in self.plan:
            parts: Parts = defaultdict(CallCounts, judged[trial.task.id])
            for index, member in enumerate(trial.cast):
                if agent := self.agents.get(member.agent):
                    part = seats[trial.task.id, agent.dialect][index]
                    parts[agent.model, self._role(agent, index)].add(part)
            case.add_trials(parts)
        return case, measured

    async def simulated(self, dry_run: DryRun) -> tuple[tuple[Case, ...], int]:
        """Both ends, and the number of tasks that were simulated.

        Who sits where a rule-based player does is played by it, all others by that of the dry run;
        the ends are shares of what they are asked.
        """
        tasks = self._a_trial_a_task()
        mixed = interleave(self._sample(tasks, len(tasks)), lambda trial: trial.task.tags)
        sample = mixed[:SIMULATED]
        casts: dict[tuple[str, ...], list[Trial]] = defaultdict(list)
        for trial in self.plan:
            casts[tuple(dict.fromkeys(member.agent for member in trial.cast))].append(trial)
        cases = tuple(map(Case, ("low", "high")))
        simulated: dict[tuple[str, ...], tuple[tuple[CallCounts, ...], Parts]] = {}
        for _, several in sorted(casts.items()):
            of_task = {trial.task.id: trial for trial in several}
            for task in sample:
                trial = replace(of_task[task.id], id=task.id)
                labels = [member.agent for member in trial.cast]
                key = (task.id, *(label if label in self.ruled else "" for label in labels))
                if key not in simulated:
                    simulated[key] = await self._simulated(dry_run.world, trial, dry_run.player)
                seats, judged = simulated[key]
                for case, share in zip(cases, dry_run.shares, strict=True):
                    parts: Parts = defaultdict(CallCounts)
                    for index, (label, part) in enumerate(zip(labels, seats, strict=True)):
                        if agent := self.agents.get(label):
                            parts[agent.model, self._role(agent, index)].add(part, share)
                    for by, part in judged.items():
                        parts[by].add(part)
                    case.add_trials(parts, len(several) / len(sample))
        return cases, len(sample)

    def _role(self, agent: _ModelAgent, seat: int) -> Role:
        """As what an agent is called: but for the first seat all may be in the background."""
        return "background" if self.kit.background and seat else agent.role

    def _a_trial_a_task(self) -> list[Trial]:
        """One trial of each task, the same in whatever order the agents are named."""
        tasks: dict[str, Trial] = {}
        for trial in sorted(self.plan, key=lambda one: [member.agent for member in one.cast]):
            tasks.setdefault(trial.task.id, replace(trial, id=trial.task.id, repeat=0))
        return list(tasks.values())

    def _sample(self, trials: Sequence[Trial], wanted: int) -> list[Trial]:
        drawn = stream(self.config.seed, "dry run", trials[0].task.id)
        return drawn.sample(trials, min(wanted, len(trials)))

    async def _measured(
        self, sample: Sequence[Trial], player: Player, stand_in: _StandIn
    ) -> tuple[CallCounts, ...]:
        """By seat, what a trial like these takes where a model in this dialect sits there."""
        whole = [CallCounts() for _ in sample[0].task.seats]
        for trial in sample:
            sheet = _Sheet(trial.task.seats)
            everybody = dict.fromkeys(trial.task.seats, _Seat(sheet, stand_in, player))
            await _play(self.kit.world, trial, everybody)
            seats = {seat: index for index, seat in enumerate(trial.task.seats)}
            for _, key, part in self.models.taken():
                whole[seats[key.seat]].add(part)
        found = [CallCounts() for _ in whole]
        for mean, part in zip(found, whole, strict=True):
            mean.add(part, 1 / len(sample))
        return tuple(found)

    async def _simulated(
        self, world: World, trial: Trial, decides: Player
    ) -> tuple[tuple[CallCounts, ...], Parts]:
        """What a trial takes by seat, if models sat everywhere but where a rule-based player does;
        and what its judges take."""
        sheet = _Sheet(trial.task.seats)
        players: dict[str, Player] = {}
        for member in trial.cast:
            agent = self.agents.get(member.agent)
            model = agent.player if agent else None
            deciding = self.ruled.get(member.agent, decides)
            players[member.seat] = _Seat(sheet, deciding, model, READ_OUT)
        events = await _play(world, trial, players)
        return sheet.parts(self.models.taken()), await self._judged(trial, events)

    async def _judged(self, trial: Trial, events: tuple[Event, ...]) -> Parts:
        """What those judges take that are models."""
        for judge in self.judges:
            await judge.judge(Episode(trial, events))
        found: Parts = defaultdict(CallCounts)
        for model, key, part in self.models.taken():
            found[model, key.role].add(part)
        return found


async def _play(world: World, trial: Trial, players: Mapping[str, Player]) -> tuple[Event, ...]:
    return await drive(world.play(trial.task, trial.id, trial.seed), players, lambda _: None)


# ------------------------------------------------------------------ who plays

Call: TypeAlias = tuple[str, CallKey, CallCounts]
"""Of which model, for what, and what it takes."""


class _Sheet:
    """How often each seat was asked what, and of whom the prompts were measured."""

    def __init__(self, seats: Sequence[str]) -> None:
        self._seats = {seat: index for index, seat in enumerate(seats)}
        self._read: dict[str, set[str]] = defaultdict(set)
        self.asked: Counter[tuple[int, str]] = Counter()
        """By the number of the seat and the name of the question."""

    def ask(self, request: Request) -> None:
        """A seat is asked this, for the first time."""
        self.asked[self._seats[request.seat], request.name] += 1

    def reads(self, request: Request, most: int | None) -> bool:
        """Whether its prompt is measured: of all seats, or of the first that are asked the like."""
        read = self._read[request.name]
        if most is None or len(read) < most:
            read.add(request.seat)
        return request.seat in read

    def parts(self, measured: Sequence[Call]) -> tuple[CallCounts, ...]:
        """By seat, what all that was asked takes; the mean of what was measured stands for what
        was not."""
        calls: dict[tuple[int, str], list[CallCounts]] = defaultdict(list)
        alike: dict[str, list[CallCounts]] = defaultdict(list)
        for _, key, part in measured:
            calls[self._seats[key.seat], key.name].append(part)
            alike[key.name].append(part)
        found = [CallCounts() for _ in self._seats]
        for (index, name), count in self.asked.items():
            known = calls[index, name] or alike[name]
            whole = CallCounts()
            for part in known:
                whole.add(part)
            found[index].add(whole, count / max(len(known), 1))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class _Seat:
    """A seat whose questions are counted and, for their length, put to a measuring model; what the
    model makes up is not what is played."""

    sheet: _Sheet
    decides: Player
    model: Player | None = None
    most: int | None = None

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """What the deciding player replies."""
        if request.attempt == 1:
            self.sheet.ask(request)
            if self.model is not None and self.sheet.reads(request, self.most):
                await self.model.reply(request, memory)
        return await self.decides.reply(request, memory)


@dataclass(frozen=True, slots=True)
class _StandIn:
    """A player that speaks so many characters a turn, and leaves in turn `turns`, if there is such
    a number; in answers to questions it leaves out all that has a default."""

    characters: int = SHORT_TEXT
    turns: int | None = None

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """An action, or an answer of the right form."""
        wanted = request.wanted
        draw = Draw(
            stream(request.seed, request.trial, request.seat, request.turn), self.characters
        )
        leaves = self.turns is not None and request.turn + 1 >= self.turns
        if not isinstance(wanted, Question):
            fitting = [kind for kind in wanted.kinds if kind.leaves == leaves] or wanted.kinds
            kind = next((one for one in fitting if one.has_text), fitting[0])
            text = prose(draw.random, draw.characters) if kind.has_text else ""
            given = sample(kind.fields.model_json_schema(), draw) if kind.fields else {}
            return Reply((Action(kind.name, text, fields=given),))
        fields = wanted.reply.model_fields
        drawn = sample(json.loads(schema_of(wanted.reply).text), draw)
        given = {name: drawn[name] for name, one in fields.items() if one.is_required()}
        if wanted.leaves:
            given[wanted.leaves] = leaves
        try:
            return Reply(wanted.reply.model_validate(given))
        except ValidationError as error:
            return NoReply("unreadable", str(error), again=False)


@dataclass
class _MeasuringModels(Models):
    """Models that make replies of the right form up instead of calling, and measure."""

    specs: dict[str, ModelSpec] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    characters: int = (SHORT_TEXT + LONG_TEXT) // 2
    """The length of each text that is made up."""

    def kept(self, spec: ModelSpec, replies: ReplyStore, budget: Budget) -> ChatModel:
        """A model that measures; a wrong endpoint is refused as in a real run."""
        self.endpoint(spec)
        self.specs[_name(spec)] = spec
        return _MeasuringModel(_name(spec), self)

    def taken(self) -> list[Call]:
        """The calls since the last time."""
        taken = list(self.calls)
        self.calls.clear()
        return taken

    def paces(self, case: Case, seconds: Callable[[str], float | None]) -> list[CallRate]:
        """How fast each model that is called can be."""
        found = []
        for name, part in case.models.items():
            end = self.endpoint(self.specs[name])
            limits = end.name, seconds(name), end.in_flight, end.requests_per_minute
            found.append(CallRate(name, *limits, part.calls, case.longest[name]))
        return found


@dataclass(frozen=True, slots=True)
class _MeasuringModel:
    """A chat model that makes its replies up.

    What is asked again is not measured: that a made-up reply was of no use says nothing of a real
    one.
    """

    label: str
    models: _MeasuringModels
    prefixes: PromptPrefixes = field(default_factory=PromptPrefixes)

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        """A reply of the right form."""
        draw = Draw(stream(key.turn, key.trial, key.seat), self.models.characters)
        if prompt.schema is None:
            text = f"speak: {prose(draw.random, draw.characters)}"
        else:
            text = json.dumps(sample(json.loads(prompt.schema.text), draw))
        if key.attempt == 1:
            messages = tuple(ChatMessage(one.role, one.text) for one in prompt.messages)
            schema = prompt.schema.text if prompt.schema else ""
            repeated = self.prefixes.repeated(ChatBody("", messages, schema, {}, b""))
            tokens = round(repeated / CHARACTERS_A_TOKEN), round(len(text) / CHARACTERS_A_TOKEN)
            self.models.calls.append((self.label, key, CallCounts(1, tokens_in(prompt), *tokens)))
        return ChatReply(text)


def _name(spec: ModelSpec) -> str:
    """A model as it is priced: without its options."""
    return f"{spec.endpoint}/{spec.model}"


# ------------------------------------------------------------------ how long it takes


@dataclass(frozen=True, slots=True)
class CallRate:
    """How fast one model can be called: seconds a call (None: not known), and its endpoint's
    limits. `calls` are those of the whole plan, `longest` those of the trial that has most."""

    model: str
    endpoint: str
    seconds: float | None
    in_flight: int
    per_minute: float | None
    calls: int
    longest: int


def seconds_in_all(paces: Sequence[CallRate], at_once: int | None) -> float:
    """How long the calls of a plan take: as long as the busiest endpoint and, where `at_once`
    trials are under way and the calls of each wait for one another, no shorter than those."""
    ends = {pace.endpoint for pace in paces}
    busiest = max(_busy([pace for pace in paces if pace.endpoint == one]) for one in ends)
    if at_once is None:
        return busiest
    one_by_one = sum(pace.calls * (pace.seconds or 0) for pace in paces) / at_once
    longest = sum(pace.longest * (pace.seconds or 0) for pace in paces)
    return max(busiest, one_by_one, longest)


def _busy(paces: Sequence[CallRate]) -> float:
    """Seconds in which an endpoint can answer all its calls."""
    answering = sum(pace.calls * (pace.seconds or 0) for pace in paces) / paces[0].in_flight
    rate = paces[0].per_minute
    return answering if rate is None else max(answering, sum(p.calls for p in paces) / rate * 60)


def _time_line(cases: Sequence[Case], paces: Sequence[CallRate], given: float | None) -> str:
    """How long it takes, and what that rests on. `given`: seconds a call, as the user says."""
    unknown = [pace.model for pace in paces if pace.seconds is None]
    if unknown:
        return (
            f"time: not known, since the store has no call to {', '.join(unknown)} yet; give the "
            "seconds of a call with --latency"
        )
    found = list(dict.fromkeys(_duration(case.seconds or 0) for case in (cases[0], cases[-1])))
    ends = sorted({(pace.endpoint, pace.in_flight) for pace in paces})
    limits = ", ".join(f"{most} at once to {name}" for name, most in ends)
    if given is not None:
        rests = f"at {given:g} s a call as given"
    else:
        each = ", ".join(f"{pace.seconds:.2g} s for {pace.model}" for pace in paces)
        rests = f"at the last measured seconds a call ({each})"
    return f"time: about {' to '.join(found)}, {rests}, {limits}, no call failing"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def _last_seconds(path: Path) -> Callable[[str], float | None]:
    """How long the latest calls to a model took, on average; None where the store has none."""

    @cache
    def seconds(model: str) -> float | None:
        if not path.is_file():
            return None
        try:
            with closing(Store.open(path, create=False)) as store:
                return store.calls.latest_seconds(model, _LAST, _LOOKED_AT)
        except StoreError:  # the run itself will say what is wrong with it
            return None

    return seconds
