"""What a run would take, before a cent is spent: calls counted, tokens measured, cost and time."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache
from math import ceil, sqrt
from pathlib import Path
from statistics import fmean
from typing import TypeAlias

from pydantic import ValidationError

from sociolab.app.data.sets import load_world
from sociolab.app.players.casting import Casting
from sociolab.app.players.models import Models, ModelSpec, with_options
from sociolab.app.players.own_code import OwnJudge
from sociolab.app.preflight.run_estimate import (
    CallCounts,
    Case,
    ExamEstimate,
    Parts,
    ReplyLimit,
    RunEstimate,
)
from sociolab.app.run.config import JudgeChoice, JudgeConfig, RunConfig
from sociolab.app.run.exam import (
    exam_cases,
    exam_name,
    has_sat,
    models_to_examine,
    stand_ins_of,
)
from sociolab.app.run.session import (
    Seated,
    choose_judges,
    models_among,
    plan_of,
    seat_all,
    world_of,
)
from sociolab.app.run_sync import run_sync
from sociolab.core.episode import ACT, Action, Episode, Event, Json, Trial
from sociolab.core.errors import StoreError
from sociolab.core.ports import (
    CallKey,
    ChatModel,
    ChatReply,
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
from sociolab.engine.driver import drive
from sociolab.models.budget import CHARACTERS_A_TOKEN, Budget, Price, estimate_tokens
from sociolab.models.cache import NullReplyStore
from sociolab.prompting.made_up import Draw, prose, sample
from sociolab.prompting.prefixes import PromptPrefixes
from sociolab.prompting.structured import schema_of
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Sentence
from sociolab.store.connect import store_path
from sociolab.store.store import RunRow, Store

SAY = Catalogue("dry_run")

SAMPLE = 30
"""Tasks on which the length of the agents' prompts is measured."""

FEWEST_SIMULATED, MOST_SIMULATED = 4, 24
"""Simulations of one cast, where calls cannot be counted otherwise: until the standard error of
their mean cost is below a tenth of it."""

MANY_CALLS = 2_000
"""After two simulations with so many calls it is enough: sums of many calls vary little."""

_EXACT = 0.1

WIDEST = 2.0
"""The high end of a range of turns over its low end, at most."""

WITHIN = 1.5
"""Each end of a simulated range is at least this factor from what is expected: models differ."""

SHORT_EPISODE = 8
"""Turns after which episodes end at the low end, if they have as many. 154 public SOTOPIA episodes
between models had 9.2 on average, of at most 20 (see benchmarks/bench_estimates.py)."""

SHORT_TEXT, LONG_TEXT = 150, 250
"""Characters of a text at the low end, and at the most; in those episodes 203 on average."""

_COMPLAINT = "expected the words of one line, word for word, found others " * 3
"""As long as what an answer is sent back with."""

_UNPRICED = Price(1.0, 4.0)
"""Weighs tokens where a price is missing: those written mostly cost four times those read."""

_LAST = 200
"""Calls whose mean is what a call takes."""

_LOOKED_AT = 20_000
"""Calls of the store, the latest, among which they are looked for."""


def estimate(config: RunConfig, latency: float | None = None) -> RunEstimate:
    """Estimate the calls, tokens and dollars of a run. Nothing is called and nothing is stored.

    `cases` have the range; `most` is the largest, in which every episode runs to its turn limit, if
    the world has one. `latency` is the seconds per call, by default as last measured in the store.
    ConfigError as the run itself would raise it.

    >>> from sociolab import RunConfig, estimate
    >>> found = estimate(RunConfig(agents="openai/m", partner="scripted", judges="none", limit=2))
    >>> found.most.models["openai/m"].calls
    40
    """
    return run_sync(lambda: estimate_run(config, latency))


async def estimate_run(config: RunConfig, latency: float | None = None) -> RunEstimate:
    """The same in an event loop."""
    kit = world_of(config)
    models = _MeasuringModels(config)
    casting = Casting(kit, models, NullReplyStore(), Budget())
    seated = seat_all(config, casting)
    plan = plan_of(config, kit, seated)
    judges = choose_judges(config, casting, seated)
    models.readers = {judge.id.label for judge in judges if judge.id.role == "reader"}
    own = _own_labels(seated, judges)
    tasks = {trial.task.id for trial in plan}
    if not models.specs:
        return RunEstimate(len(plan), len(tasks), 0, (Case("low"),), {}, uncounted=own)
    by_rules = (*kit.checks, *kit.judges.values())
    asking = [
        judge for judge in judges if judge not in by_rules and not isinstance(judge, OwnJudge)
    ]
    agents = _models_of(seated)
    ruled = {
        seatable.id.label: seatable.player
        for seatable in seated.all
        if not seatable.own and seatable.id.label not in agents
    }
    work = _Work(config, kit, models, plan, agents, ruled, asking)
    path = store_path(config.store)
    with closing(Store.open(path, create=False)) if path.is_file() else nullcontext() as store:
        row = (
            store.run(config.name) if store and config.name and store.has_run(config.name) else None
        )
        exams = await _examined(store, config.world, row, config, casting, models)
    prices = {name: models.price(spec) for name, spec in models.specs.items()}
    expected: Case | None = None
    if kit.dry_run is None:
        low, most, measured = await work.in_turns()
        cases: tuple[Case, ...] = (low, between(low, most, prices), most)
        about: str = SAY("in_turns", turns=SHORT_EPISODE, short=SHORT_TEXT, long=LONG_TEXT)
    else:
        cases, expected, measured, about = await work.simulated(kit.dry_run, prices)
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
        len(plan),
        len(tasks),
        measured,
        cases,
        prices,
        time,
        about,
        own,
        where,
        missing,
        expected,
        models.limits(config),
        config.budget_share,
        exams,
    )


async def _examined(
    store: Store | None,
    world: str,
    run: RunRow | None,
    config: JudgeChoice,
    casting: Casting,
    models: _MeasuringModels,
) -> tuple[ExamEstimate, ...]:
    """What the exams of a world take that these judges have not sat; `run` is theirs, if stored."""
    cases, exams = exam_cases(world), []
    examinees = models_to_examine(config, stand_ins_of(run) if run else ())
    for judge in (examinee.judge(casting) for examinee in examinees):
        if store is not None and has_sat(store, world, cases, judge.id):
            continue
        case = Case("exam")
        for exam_case in cases:
            await judge.judge(exam_case.episode)
            parts: Parts = defaultdict(CallCounts)
            for model, key, part in models.taken():
                parts[model, key.role].add(part)
            case.add_trials(parts)
        if case.parts:
            exams.append(ExamEstimate(judge.id, world, exam_name(world, cases), case))
    return tuple(exams)


async def estimate_judging(store: Store, run: str, config: JudgeConfig) -> tuple[RunEstimate, int]:
    """What it takes to have the episodes of a stored run judged, and how many are judged already.

    Prompts are those that the judges would get; nothing is called and nothing is stored.
    """
    row = store.run(run)
    kit = load_world(row.world, settings=row.world_settings | config.settings)
    models = _MeasuringModels(config)
    casting = Casting(kit, models, NullReplyStore(), Budget())
    judges = [casting.judge(text) for text in config.judges]
    played = [trial_row.trial for trial_row in store.trials(run) if trial_row.status == "played"]
    case, done = Case("low"), 0
    for trial in played:
        is_judged = store.verdicts.judged
        pending = [
            candidate
            for candidate in judges
            if not is_judged(run, candidate.id, trial=trial.id, judging=0)
        ]
        done += not pending
        for judge in pending:
            await judge.judge(Episode(trial, store.events(run, trial.id)))
        parts: Parts = defaultdict(CallCounts)
        for model, key, part in models.taken():
            parts[model, key.role].add(part)
        case.add_trials(parts)
    exams = await _examined(store, row.world, row, config, casting, models)
    prices = {name: models.price(spec) for name, spec in models.specs.items()}
    tasks, limits = len({trial.task.id for trial in played}), models.limits(config)
    found = RunEstimate(len(played), tasks, tasks, (case,), prices, limits=limits, exams=exams)
    return found, done


def between(low: Case, most: Case, prices: Mapping[str, Price | None]) -> Case:
    """The high end: the most, or as much of the way there as costs `WIDEST` times the low end."""
    share = 1.0
    for cached in (False, True):
        least, highest = (_weight(case.parts, prices, cached=cached) for case in (low, most))
        if highest > WIDEST * least > 0:
            share = min(share, (WIDEST - 1) * least / (highest - least))
    high = Case("high", longest=low.longest | most.longest)
    for case, weight in ((low, 1 - share), (most, share)):
        for key, part in case.parts.items():
            high.parts[key].add(part, weight)
    return high


def _weight(parts: Parts, prices: Mapping[str, Price | None], *, cached: bool = False) -> float:
    """What parts cost, or their tokens as usual prices would weigh them where one is missing."""
    all_priced = None not in prices.values()
    return sum(
        part.usd((prices[name] if all_priced else None) or _UNPRICED, cached=cached) or 0.0
        for (name, _), part in parts.items()
    )


def chance_range(mean: float, variance: float) -> tuple[float, float]:
    """The ends of a range around a cost that varies by chance, as multiples of its mean.

    Costs that add up from what happens by chance are spread like a gamma distribution: its 2.5 %
    and 97.5 % quantiles (Wilson and Hilferty 1931), at least a factor of `WITHIN` from the mean.
    """
    if not variance:
        return 1 / WITHIN, WITHIN
    shape = mean**2 / variance
    low, high = (
        max(1 - 1 / (9 * shape) + normal / (3 * sqrt(shape)), 0) ** 3 for normal in (-1.96, 1.96)
    )
    return min(low, 1 / WITHIN), max(high, WITHIN)


def _spread(costs: Mapping[str, Sequence[float]]) -> float:
    """The variance of the cost of one trial: within tasks, if each was simulated twice or more."""
    groups = list(costs.values())
    if min(map(len, groups)) < 2:
        groups = [[cost for group in groups for cost in group]]
    squares = sum((cost - fmean(group)) ** 2 for group in groups for cost in group)
    return squares / max(sum(len(group) - 1 for group in groups), 1)


@dataclass(frozen=True, slots=True)
class _ModelAgent:
    """An agent that is a model: which, in what role, and as a player that measures its prompts."""

    model: str
    role: Role
    dialect: str
    player: Player


def _models_of(seated: Seated) -> dict[str, _ModelAgent]:
    """Those agents that are models, by label; an agent that is also the partner is the agent."""
    agents: dict[str, _ModelAgent] = {}
    for seatable in reversed(seated.all):
        if seatable.spec:
            role: Role = "partner" if seatable is seated.partner else "agent"
            dialect = seatable.spec.settings.dialect
            agents[seatable.id.label] = _ModelAgent(
                _name(seatable.spec), role, dialect, seatable.player
            )
    return agents


def _own_labels(seated: Seated, judges: Sequence[Judge]) -> tuple[str, ...]:
    """Whose code may make calls that nobody here sees: agents and judges, each once."""
    agents = [
        seatable.id.label
        for seatable in seated.all
        if seatable.own and seatable.id.kind != "person"
    ]
    deciding = [judge.label for judge in judges if isinstance(judge, OwnJudge)]
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
        most, measured = await self._case("most", _StandIn(LONG_TEXT), self.config.attempts)
        return low, most, measured

    async def _case(self, name: str, stand_in: _StandIn, attempts: int = 1) -> tuple[Case, int]:
        """Episodes in which everybody speaks like this and answers that can be complained of take
        so many attempts, and the number of tasks measured."""
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
                counts = await self._measured(sample, player, stand_in, attempts)
                seats |= {(trial.task.id, dialect): counts for trial in several}
        case = Case(name)
        for trial in self.plan:
            parts: Parts = defaultdict(CallCounts, judged[trial.task.id])
            for index, member in enumerate(trial.cast):
                if agent := self.agents.get(member.agent):
                    part = seats[trial.task.id, agent.dialect][index]
                    parts[agent.model, self._role(agent, index)].add(part)
            case.add_trials(parts)
        return case, measured

    async def simulated(
        self, world: World, prices: Mapping[str, Price | None]
    ) -> tuple[tuple[Case, ...], Case, int, str]:
        """Both ends, what is expected, the number of tasks simulated, and what the range rests on.

        Where a rule-based player sits it plays; all others reply with what a model might, made up
        as by the local endpoint. What the simulations of a task take on average is expected of it,
        and the mean of all of a task that was not simulated.
        """
        tasks = self._a_trial_a_task()
        order = interleave(self._sample(tasks, len(tasks)), lambda trial: trial.task.tags)
        casts: dict[tuple[str, ...], list[Trial]] = defaultdict(list)
        for trial in self.plan:
            casts[tuple(dict.fromkeys(member.agent for member in trial.cast))].append(trial)
        simulated: dict[tuple[object, ...], tuple[tuple[CallCounts, ...], Parts]] = {}
        expected, mean, variance = Case("expected"), 0.0, 0.0
        simulated_tasks: set[str] = set()
        for _, several in sorted(casts.items()):
            of_task = {trial.task.id: trial for trial in several}
            parts_by_task: dict[str, list[Parts]] = defaultdict(list)
            costs: dict[str, list[float]] = defaultdict(list)
            for number in range(MOST_SIMULATED):
                task = order[number % len(order)].task.id
                trial = replace(of_task[task], id=f"{task} {number // len(order)}")
                labels = [member.agent for member in trial.cast]
                ruled = [label if label in self.ruled else "" for label in labels]
                key = (trial.id, *ruled)
                if key not in simulated:
                    simulated[key] = await self._simulated(world, trial)
                parts_by_task[task].append(self._parts(labels, *simulated[key]))
                costs[task].append(_weight(parts_by_task[task][-1], prices))
                every = [cost for group in costs.values() for cost in group]
                error = sqrt(_spread(costs) / len(every))
                calls = sum(
                    p.calls
                    for group in parts_by_task.values()
                    for task_parts in group
                    for p in task_parts.values()
                )
                enough = 2 if calls > MANY_CALLS else max(FEWEST_SIMULATED, min(len(order), 6))
                if number + 1 >= enough and error <= _EXACT * fmean(every):
                    break
            trials = Counter(trial.task.id for trial in several)
            other = sum(count for task, count in trials.items() if task not in parts_by_task)
            for task, parts in parts_by_task.items():
                share = trials[task] + other * len(parts) / len(every)
                total: Parts = defaultdict(CallCounts)
                for trial_parts in parts:
                    for by, part in trial_parts.items():
                        total[by].add(part)
                each: Parts = defaultdict(CallCounts)
                for by, part in total.items():
                    each[by].add(part, 1 / len(parts))
                expected.add_trials(each, share)
            mean += len(several) * fmean(every)
            variance += (len(several) + len(several) ** 2 / len(every)) * _spread(costs)
            simulated_tasks |= parts_by_task.keys()
        ends = chance_range(mean, variance)
        cases = tuple(map(Case, ("low", "high")))
        for case, factor in zip(cases, ends, strict=True):
            case.longest = expected.longest
            for by, part in expected.parts.items():
                case.parts[by].add(part, factor)
        about = SAY("simulated", low=ends[0], high=ends[1], within=WITHIN)
        return cases, expected, len(simulated_tasks), about

    def _parts(self, labels: Sequence[str], seats: Sequence[CallCounts], judged: Parts) -> Parts:
        """What a simulated trial takes of each model, with these agents in its seats."""
        parts: Parts = defaultdict(CallCounts)
        for by, part in judged.items():
            parts[by].add(part)
        for index, label in enumerate(labels):
            if (agent := self.agents.get(label)) and seats[index].calls:
                parts[agent.model, self._role(agent, index)].add(seats[index])
        return parts

    def _role(self, agent: _ModelAgent, seat: int) -> Role:
        """As what an agent is called: but for the first seat all may be in the background."""
        return "background" if self.kit.background and seat else agent.role

    def _a_trial_a_task(self) -> list[Trial]:
        """One trial of each task, the same in whatever order the agents are named."""
        tasks: dict[str, Trial] = {}
        for trial in sorted(
            self.plan, key=lambda planned: [member.agent for member in planned.cast]
        ):
            tasks.setdefault(trial.task.id, replace(trial, id=trial.task.id, repeat=0))
        return list(tasks.values())

    def _sample(self, trials: Sequence[Trial], size: int) -> list[Trial]:
        drawn = stream(self.config.seed, "dry run", trials[0].task.id)
        return drawn.sample(trials, min(size, len(trials)))

    async def _measured(
        self, sample: Sequence[Trial], player: Player, stand_in: _StandIn, attempts: int
    ) -> tuple[CallCounts, ...]:
        """By seat, what a trial like these takes where a model in this dialect sits there."""
        totals = [CallCounts() for _ in sample[0].task.seats]
        for trial in sample:
            sheet = _Sheet(trial.task.seats)
            everybody = dict.fromkeys(trial.task.seats, _Seat(sheet, stand_in, player, attempts))
            await _play(self.kit.world, trial, everybody)
            seats = {seat: index for index, seat in enumerate(trial.task.seats)}
            for _, key, part in self.models.taken():
                totals[seats[key.seat]].add(part)
        means = [CallCounts() for _ in totals]
        for mean, part in zip(means, totals, strict=True):
            mean.add(part, 1 / len(sample))
        return tuple(means)

    async def _simulated(self, world: World, trial: Trial) -> tuple[tuple[CallCounts, ...], Parts]:
        """What a trial takes by seat, if models sat everywhere but where a rule-based player does;
        and what its judges take."""
        players: dict[str, Player] = {}
        seats = {member.seat: index for index, member in enumerate(trial.cast)}
        for member in trial.cast:
            if agent := self.agents.get(member.agent):
                players[member.seat] = agent.player
            else:
                stand_in = next(iter(self.kit.players.values()))  # for the user's own code
                players[member.seat] = self.ruled.get(member.agent, stand_in)
        events = await _play(world, trial, players)
        counts = tuple(CallCounts() for _ in seats)
        for _, key, part in self.models.taken():
            counts[seats[key.seat]].add(part)
        return counts, await self._judged(trial, events)

    async def _judged(self, trial: Trial, events: tuple[Event, ...]) -> Parts:
        """What those judges take that are models."""
        for judge in self.judges:
            await judge.judge(Episode(trial, events))
        parts: Parts = defaultdict(CallCounts)
        for model, key, part in self.models.taken():
            parts[model, key.role].add(part)
        return parts


async def _play(world: World, trial: Trial, players: Mapping[str, Player]) -> tuple[Event, ...]:
    return await drive(world.play(trial.task, trial.id, trial.seed), players, lambda _: None)


# ------------------------------------------------------------------ who plays

Call: TypeAlias = tuple[str, CallKey, CallCounts]
"""Of which model, for what, and what it takes."""


def _kind(request: Request) -> str:
    """The question, of several at once without its number ("importance:2")."""
    return request.name.partition(":")[0]


class _Sheet:
    """How often each seat was asked what."""

    def __init__(self, seats: Sequence[str]) -> None:
        self._seats = {seat: index for index, seat in enumerate(seats)}
        self.asked: Counter[tuple[int, str]] = Counter()
        """By the number of the seat and the name of the question."""

    def ask(self, request: Request) -> None:
        """A seat is asked this, for the first time."""
        self.asked[self._seats[request.seat], _kind(request)] += 1


@dataclass(frozen=True, slots=True)
class _Seat:
    """A seat whose questions are counted and, for their length, put to a measuring model; what the
    model makes up is not what is played."""

    sheet: _Sheet
    decides: Player
    model: Player | None = None
    attempts: int = 1
    """At an answer that can be complained of."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """What the deciding player replies."""
        if request.attempt == 1:
            self.sheet.ask(request)
            if self.model is not None:
                await self.model.reply(request, memory)
                requested = request.expected
                if isinstance(requested, Question) and requested.complaint is not None:
                    again = replace(request, problem=_COMPLAINT)
                    for _ in range(self.attempts - 1):
                        await self.model.reply(again, memory)
        return await self.decides.reply(request, memory)


@dataclass(frozen=True, slots=True)
class _StandIn:
    """A player that speaks so many characters a turn, and leaves in turn `turns`, if there is such
    a number; in answers to questions it leaves out all that has a default."""

    characters: int = SHORT_TEXT
    turns: int | None = None

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """An action, or an answer of the right form."""
        requested = request.expected
        draw = Draw(
            stream(request.seed, request.trial, request.seat, request.turn), self.characters
        )
        leaves = self.turns is not None and request.turn + 1 >= self.turns
        if not isinstance(requested, Question):
            fitting = [kind for kind in requested.kinds if kind.leaves == leaves] or requested.kinds
            kind = next((candidate for candidate in fitting if candidate.has_text), fitting[0])
            text = prose(draw.random, draw.characters) if kind.has_text else ""
            values = sample(kind.fields.model_json_schema(), draw) if kind.fields else {}
            to = request.observation.others[:1] if kind.recipients == "required" else ()
            return Reply((Action(kind.name, text, to, fields=values),))
        fields = requested.reply.model_fields
        drawn = sample(json.loads(schema_of(requested.reply).text), draw)
        values = {name: drawn[name] for name, info in fields.items() if info.is_required()}
        if requested.leaves:
            values[requested.leaves] = leaves
        try:
            return Reply(requested.reply.model_validate(values))
        except ValidationError as error:
            return NoReply("unreadable", str(error), again=False)


@dataclass
class _MeasuringModels(Models):
    """Models that make replies of the right form up instead of calling, and measure."""

    specs: dict[str, ModelSpec] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    characters: int = (SHORT_TEXT + LONG_TEXT) // 2
    """The length of each text that is made up."""
    needs: dict[str, int] = field(default_factory=dict)
    """Tokens that a reply may take, by the kind of question."""
    readers: Set[str] = frozenset()
    """The judges, by label, that read outcomes."""

    def kind(self, key: CallKey) -> str:
        """What a call asks for, in words: "turn", "closing question", "judge"."""
        if key.role == "judge":
            return _READER if key.name in self.readers else _JUDGE
        name = key.name.partition(":")[0].replace("_", " ")
        return {ACT: "turn", "closing": "closing question"}.get(name, name)

    def cached(self, spec: ModelSpec, replies: ReplyStore, budget: Budget) -> ChatModel:
        """A model that measures; a wrong endpoint is refused as in a real run."""
        self.endpoint(spec)
        self.specs[_name(spec)] = spec
        model = _MeasuringModel(_name(spec), self)
        return with_options(model, self.options(spec), self.config.reply_room)

    def limits(self, config: JudgeChoice) -> dict[str, dict[str, ReplyLimit]]:
        """Where replies are cut, by spec and kind of question: whoever plays may be asked all that
        anybody was, since players are measured for one another."""
        played = sorted(
            set(self.needs) - {_JUDGE, _READER}, key=lambda name: (-self.needs[name], name)
        )
        limits: dict[str, dict[str, ReplyLimit]] = defaultdict(dict)
        for kinds, texts in (
            (played, config.players),
            ([_JUDGE], config.judges),
            ([_READER], config.readers),
        ):
            for spec in models_among(*texts):
                cap = self.options(spec).max_tokens
                for kind in kinds:
                    if needs := self.needs.get(kind):
                        limits[spec.label][kind] = ReplyLimit(cap or needs, needs)
        return dict(sorted(limits.items()))

    def taken(self) -> list[Call]:
        """The calls since the last time."""
        calls = list(self.calls)
        self.calls.clear()
        return calls

    def paces(self, case: Case, seconds: Callable[[str], float | None]) -> list[CallRate]:
        """How fast each model that is called can be."""
        rates = []
        for name, part in case.models.items():
            end = self.endpoint(self.specs[name])
            limits = end.name, seconds(name), end.in_flight, end.requests_per_minute
            rates.append(CallRate(name, *limits, part.calls, case.longest[name]))
        return rates


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
        kind = self.models.kind(key)
        self.models.needs[kind] = max(prompt.needs or 0, self.models.needs.get(kind, 0))
        drawn = stream(key.turn, key.trial, key.seat, key.name, key.attempt)
        draw = Draw(drawn, self.models.characters)
        if prompt.schema is None:
            text = f"speak: {prose(draw.random, draw.characters)}"
        else:
            text = json.dumps(sample(json.loads(prompt.schema.text), draw))
        if key.attempt == 1:
            messages = [(message.role, message.text) for message in prompt.messages]
            schema = prompt.schema.text if prompt.schema else ""
            repeated = self.prefixes.repeated(schema, messages)
            tokens = round(repeated / CHARACTERS_A_TOKEN), round(len(text) / CHARACTERS_A_TOKEN)
            self.models.calls.append(
                (self.label, key, CallCounts(1, estimate_tokens(prompt), *tokens))
            )
        return ChatReply(text)


_JUDGE, _READER = "judge", "reader"


def _name(spec: ModelSpec) -> str:
    """A model as it is priced: without its options."""
    return f"{spec.endpoint}/{spec.model}"


# ------------------------------------------------------------------ how long it takes


@dataclass(frozen=True, slots=True)
class CallRate:
    """How fast one model can be called: seconds per call (None: not known), and its endpoint's
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
    busiest = max(_busy([pace for pace in paces if pace.endpoint == end]) for end in ends)
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


def _time_line(cases: Sequence[Case], paces: Sequence[CallRate], latency: float | None) -> Sentence:
    """How long it takes, and what that rests on. `latency`: of a call, as the user says."""
    unknown = [pace.model for pace in paces if pace.seconds is None]
    if unknown:
        return SAY("no_time", models=unknown)
    ends = dict.fromkeys(_duration(case.seconds or 0) for case in (cases[0], cases[-1]))
    at_once = sorted({(pace.endpoint, pace.in_flight) for pace in paces})
    if latency is not None:
        pace = SAY("pace_given", seconds=latency)
    else:
        each = [SAY("seconds", seconds=rate.seconds, model=rate.model) for rate in paces]
        pace = SAY("pace_measured", each=each)
    return SAY(
        "time",
        time=" to ".join(ends),
        pace=pace,
        limits=[SAY("at_once", n=most, endpoint=name) for name, most in at_once],
    )


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
