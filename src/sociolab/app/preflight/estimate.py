"""What a run would take, before a cent is spent: calls counted, tokens measured, cost and time."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cache
from math import ceil, sqrt
from pathlib import Path
from typing import TypeAlias

from pydantic import ValidationError

from sociolab.app.data.sets import load_world
from sociolab.app.players.casting import Casting
from sociolab.app.players.models import HUMAN, Models, ModelSpec, parse
from sociolab.app.players.own_code import OwnJudge
from sociolab.app.preflight.run_estimate import CallCounts, Case, Parts, RunEstimate
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
from sociolab.store.connect import store_path
from sociolab.store.store import Store

SAMPLE = 30
"""Tasks on which the length of the agents' prompts is measured."""

SIMULATED = 6
"""Tasks that are simulated where calls cannot be counted otherwise: each takes about a second."""

READ_OUT = 3
"""Seats of a simulation whose prompts are measured, for each question."""

WIDEST = 2.0
"""The high end of a range of turns over its low end, at most."""

TOWN_WIDTH = 3.0
"""The high end of what depends on what is done over its low end, at least: models differ."""

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
        about = (
            f"from episodes of {SHORT_EPISODE} turns with texts of {SHORT_TEXT} characters to the "
            f"turn limit with {LONG_TEXT}, cut at twice the low end"
        )
    else:
        cases, measured, about = await work.simulated(kit.dry_run)
    last = _last_seconds(store_path(config.store))
    at_once = None if kit.dry_run else min(config.episodes, len(plan))
    paces = [models.paces(case, last if latency is None else lambda _: latency) for case in cases]
    for case, each in zip(cases, paces, strict=True):
        if each and all(pace.seconds is not None for pace in each):
            case.seconds = seconds_in_all(each, at_once)
    time = _time_line(cases[:2], paces[-1], latency)
    where = {name: models.endpoint(spec).base_url for name, spec in sorted(models.specs.items())}
    unpriced = [spec for name, spec in sorted(models.specs.items()) if not prices[name]]
    missing = models.no_price(*unpriced) if unpriced else ""
    return RunEstimate(
        len(plan), len(tasks), measured, cases, prices, time, about, own, where, missing
    )


async def estimate_judging(store: Store, run: str, config: RunConfig) -> tuple[RunEstimate, int]:
    """What it takes to have the episodes of a stored run judged, and how many are judged already.

    Prompts are those that the judges would get; nothing is called and nothing is stored.
    """
    row = store.run(run)
    kit = load_world(row.world, settings=row.world_settings | config.settings)
    models = _MeasuringModels(config)
    casting = Casting(kit, models, NullReplyStore(), Budget())
    judges = [casting.judge(text) for text in config.judges]
    played = [one.trial for one in store.trials(run) if one.status == "played"]
    case, done = Case("low"), 0
    for trial in played:
        known = store.verdicts.judged
        due = [one for one in judges if not known(run, one.id, trial=trial.id, judging=0)]
        done += not due
        for judge in due:
            await judge.judge(Episode(trial, store.events(run, trial.id)))
        parts: Parts = defaultdict(CallCounts)
        for model, key, part in models.taken():
            parts[model, key.role].add(part)
        case.add_trials(parts)
    prices = {name: models.price(spec) for name, spec in models.specs.items()}
    tasks = len({trial.task.id for trial in played})
    return RunEstimate(len(played), tasks, tasks, (case,), prices), done


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


def share_range(dry_run: DryRun, seats: float) -> tuple[float, float]:
    """The ends of a range that depends on what is done, where models play so many seats: shares of
    what the dry run's player is asked.

    Sums over seats that vary by themselves are spread like a gamma distribution: its 2.5 % and
    97.5 % quantiles (Wilson and Hilferty 1931). The ends are `TOWN_WIDTH` apart at least.
    """
    shape = max(seats, 1) * (dry_run.share / dry_run.spread) ** 2
    low, high = (
        max(1 - 1 / (9 * shape) + normal / (3 * sqrt(shape)), 0) ** 3 for normal in (-1.96, 1.96)
    )
    apart = sqrt(TOWN_WIDTH)
    return dry_run.share * min(low, 1 / apart), dry_run.share * max(high, apart)


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

    async def simulated(self, dry_run: DryRun) -> tuple[tuple[Case, ...], int, str]:
        """Both ends, the number of tasks that were simulated, and what the range rests on.

        Who sits where a rule-based player does is played by it, all others by that of the dry run.
        What is asked whatever is done counts in full; the ends are shares of the rest.
        """
        tasks = self._a_trial_a_task()
        mixed = interleave(self._sample(tasks, len(tasks)), lambda trial: trial.task.tags)
        sample = mixed[:SIMULATED]
        casts: dict[tuple[str, ...], list[Trial]] = defaultdict(list)
        for trial in self.plan:
            casts[tuple(dict.fromkeys(member.agent for member in trial.cast))].append(trial)
        simulated: dict[tuple[str, ...], tuple[tuple[_Asked, ...], Parts]] = {}
        trials: list[tuple[Parts, Parts, float]] = []
        seats = 0.0
        for _, several in sorted(casts.items()):
            of_task = {trial.task.id: trial for trial in several}
            times = len(several) / len(sample)
            for task in sample:
                trial = replace(of_task[task.id], id=task.id)
                labels = [member.agent for member in trial.cast]
                key = (task.id, *(label if label in self.ruled else "" for label in labels))
                if key not in simulated:
                    simulated[key] = await self._simulated(dry_run, trial)
                asked, judged = simulated[key]
                sure: Parts = defaultdict(CallCounts, judged)
                rest: Parts = defaultdict(CallCounts)
                for index, label in enumerate(labels):
                    if agent := self.agents.get(label):
                        by = agent.model, self._role(agent, index)
                        always, depending = asked[index]
                        sure[by].add(always)
                        rest[by].add(depending)
                        seats += times * bool(depending.calls)
                trials.append((sure, rest, times))
        shares = share_range(dry_run, seats)
        cases = tuple(map(Case, ("low", "high")))
        for case, share in zip(cases, shares, strict=True):
            for sure, rest, times in trials:
                parts: Parts = defaultdict(CallCounts)
                for counts, factor in ((sure, 1), (rest, share)):
                    for by, part in counts.items():
                        parts[by].add(part, factor)
                case.add_trials(parts, times)
        low, high = shares
        about = (
            f"{low:.2g} to {high:.2g} times {dry_run.about}; the fewer seats models play (here "
            f"{seats:.0f}), the wider the range"
        )
        return cases, len(sample), about

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

    async def _simulated(self, dry_run: DryRun, trial: Trial) -> tuple[tuple[_Asked, ...], Parts]:
        """What a trial takes by seat, if models sat everywhere but where a rule-based player does;
        and what its judges take."""
        sheet = _Sheet(trial.task.seats)
        players: dict[str, Player] = {}
        for member in trial.cast:
            agent = self.agents.get(member.agent)
            model = agent.player if agent else None
            deciding = self.ruled.get(member.agent, dry_run.player)
            players[member.seat] = _Seat(sheet, deciding, model, READ_OUT)
        events = await _play(dry_run.world, trial, players)
        return sheet.parts(self.models.taken(), dry_run.always), await self._judged(trial, events)

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

_Asked: TypeAlias = tuple[CallCounts, CallCounts]
"""What a seat is asked whatever is done in a trial, and what depends on what is done."""


def _kind(request: Request) -> str:
    """The question, of several at once without its number ("importance:2")."""
    return request.name.partition(":")[0]


class _Sheet:
    """How often each seat was asked what, and of whom the prompts were measured."""

    def __init__(self, seats: Sequence[str]) -> None:
        self._seats = {seat: index for index, seat in enumerate(seats)}
        self._read: dict[str, set[str]] = defaultdict(set)
        self.asked: Counter[tuple[int, str]] = Counter()
        """By the number of the seat and the name of the question."""

    def ask(self, request: Request) -> None:
        """A seat is asked this, for the first time."""
        self.asked[self._seats[request.seat], _kind(request)] += 1

    def reads(self, request: Request, most: int | None) -> bool:
        """Whether its prompt is measured: of all seats, or of the first that are asked the like."""
        read = self._read[_kind(request)]
        if most is None or len(read) < most:
            read.add(request.seat)
        return request.seat in read

    def parts(self, measured: Sequence[Call], always: Mapping[str, float]) -> tuple[_Asked, ...]:
        """By seat, what all that was asked takes; the mean of what was measured stands for what
        was not."""
        calls: dict[tuple[int, str], list[CallCounts]] = defaultdict(list)
        alike: dict[str, list[CallCounts]] = defaultdict(list)
        for _, key, part in measured:
            calls[self._seats[key.seat], key.name].append(part)
            alike[key.name].append(part)
        found = [(CallCounts(), CallCounts()) for _ in self._seats]
        for (index, name), count in self.asked.items():
            known = calls[index, name] or alike[name]
            whole = CallCounts()
            for part in known:
                whole.add(part)
            times = count * always.get(name, 1) / max(len(known), 1)
            found[index][name not in always].add(whole, times)
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
