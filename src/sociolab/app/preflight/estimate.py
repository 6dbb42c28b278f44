"""Estimate a run without calling a model: count its calls, measure tokens, derive cost and time."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from math import ceil, sqrt
from statistics import fmean

from pydantic import ValidationError

from sociolab.app.players.casting import Casting
from sociolab.app.players.own_code import OwnJudge
from sociolab.app.preflight.measuring import (
    LONG_TEXT,
    SHORT_TEXT,
    MeasuringModels,
    estimate_exams,
    price_and_time,
)
from sociolab.app.preflight.run_estimate import CallCounts, Case, Parts, RunEstimate
from sociolab.app.run.config import RunConfig
from sociolab.app.run.session import (
    Seated,
    choose_judges,
    plan_cautions,
    plan_of,
    seat_all,
    world_of,
)
from sociolab.app.run_sync import run_sync
from sociolab.core.episode import Action, Episode, Event, Json, Trial
from sociolab.core.ports import (
    Judge,
    NoReply,
    Player,
    Question,
    Reply,
    Request,
    Role,
    World,
    WorldKit,
)
from sociolab.core.seeding import interleave, stream
from sociolab.engine.driver import drive
from sociolab.models.budget import Budget, Price
from sociolab.models.cache import NullReplyStore
from sociolab.prompting.made_up import Draw, prose, sample_value
from sociolab.prompting.structured import schema_of
from sociolab.report.catalogue import Catalogue
from sociolab.store.connect import store_path
from sociolab.store.store import Store

SAY = Catalogue("dry_run")

SAMPLE = 30
"""Number of tasks on which the length of the agents' prompts is measured."""

FEWEST_SIMULATED, MOST_SIMULATED = 4, 24
"""Number of simulations of one cast, where calls cannot be counted otherwise: simulation ends when
the standard error of the mean cost is below `_EXACT` times the mean."""

MEASURED, MEASURED_SEATS = 100, 3
"""Where one simulation counts the calls: on how many questions of a kind prompts are measured, and
of how many seats, so that prompts repeat the same beginnings as those of all."""

MANY_CALLS = 2_000
"""Two simulations are enough if they have more calls than this: sums of many calls vary little."""

_EXACT = 0.1

WIDEST = 2.0
"""Maximum ratio of the high end of a range to its low end, in worlds of turns."""

WITHIN = 1.5
"""Minimum factor between the expected cost and each end of a simulated range: models differ."""

SHORT_EPISODE = 8
"""Turns of an episode at the low end, unless its limit is lower. 154 public SOTOPIA episodes
between models had 9.2 on average, with a limit of 20 (see benchmarks/bench_estimates.py)."""

_COMPLAINT = "expected the words of one line, word for word, found others " * 3
"""A complaint of typical length, for an answer that is sent back."""

_UNPRICED = Price(1.0, 4.0)
"""Weights of tokens without a price: those written usually cost four times those read."""


def estimate(config: RunConfig, latency: float | None = None) -> RunEstimate:
    """Estimate the calls, tokens, cost and time of a run. No model is called and nothing is stored.

    `cases` hold the range; `most` is the largest, in which every episode runs to its turn limit if
    the world has one. `latency` is the seconds per call, by default as last measured in the store
    at each model's address.
    Raises the ConfigErrors that the run itself would raise.

    >>> from sociolab import RunConfig, estimate
    >>> result = estimate(RunConfig(agents="openai/m", partner="scripted", judges="none", limit=2))
    >>> result.most.models["openai/m"].calls
    40
    """
    return run_sync(lambda: estimate_run(config, latency))


async def estimate_run(config: RunConfig, latency: float | None = None) -> RunEstimate:
    """`estimate` for code inside an event loop."""
    kit = world_of(config)
    models = MeasuringModels(config)
    casting = Casting(kit, models, NullReplyStore(), Budget())
    seated = seat_all(config, casting)
    plan = plan_of(config, kit, seated)
    judges = choose_judges(config, casting, seated)
    models.readers = {judge.id.label for judge in judges if judge.id.role == "reader"}
    own = _own_labels(seated, judges)
    tasks = {trial.task.id for trial in plan}
    not_shown = plan_cautions(config, kit)
    if not models.specs:
        free = (Case("low"),)
        return RunEstimate(len(plan), len(tasks), 0, free, {}, uncounted=own, not_shown=not_shown)
    by_rules = (*kit.checks, *kit.judges.values())
    asking = [
        judge for judge in judges if judge not in by_rules and not isinstance(judge, OwnJudge)
    ]
    agents = _model_agents(seated)
    ruled = {
        seatable.id.label: seatable.player
        for seatable in seated.all
        if not seatable.own and seatable.id.label not in agents
    }
    work = _Work(config, kit, models, plan, agents, ruled, asking)
    path = store_path(config.store)
    with closing(Store.open(path, create=False)) if path.is_file() else nullcontext() as store:
        exams = await estimate_exams(store, config.world, config, casting, models)
    prices, expected = models.prices, None
    if kit.dry_run is None:
        low, most, measured = await work.in_turns()
        cases: tuple[Case, ...] = (low, between(low, most, prices), most)
        about: str = SAY("in_turns", turns=SHORT_EPISODE, short=SHORT_TEXT, long=LONG_TEXT)
    else:
        cases, expected, measured, about = await work.simulated(kit.dry_run, prices)
    estimated = RunEstimate(
        len(plan),
        len(tasks),
        measured,
        cases,
        prices,
        about=about,
        uncounted=own,
        expected=expected,
        limits=models.limits(config.players, config.judges, config.readers),
        budget=config.budget_share,
        exams=exams,
        not_shown=not_shown,
    )
    at_once = None if kit.dry_run else min(config.episodes, len(plan))
    return await price_and_time(estimated, models, path, at_once, latency)


def between(low: Case, most: Case, prices: Mapping[str, Price | None]) -> Case:
    """The high end of a range: `most`, or a mixture of both that costs `WIDEST` times `low`,
    whichever is lower."""
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
    """The cost of these calls; if a price is missing, their tokens weighted by usual prices."""
    all_priced = None not in prices.values()
    return sum(
        part.usd((prices[name] if all_priced else None) or _UNPRICED, cached=cached) or 0.0
        for (name, _), part in parts.items()
    )


def chance_range(mean: float, variance: float) -> tuple[float, float]:
    """Both ends of a range around a cost that varies by chance, as multiples of its mean.

    The cost is taken to have a gamma distribution. The ends are its 2.5 % and 97.5 % quantiles
    (Wilson and Hilferty 1931), at least a factor of `WITHIN` from the mean.
    """
    if not variance:
        return 1 / WITHIN, WITHIN
    shape = mean**2 / variance
    low, high = (
        max(1 - 1 / (9 * shape) + normal / (3 * sqrt(shape)), 0) ** 3 for normal in (-1.96, 1.96)
    )
    return min(low, 1 / WITHIN), max(high, WITHIN)


def _spread(costs: Mapping[str, Sequence[float]]) -> float:
    """The variance of the cost of a trial: within tasks if each was simulated at least twice, else
    over all simulations."""
    groups = list(costs.values())
    if min(map(len, groups)) < 2:
        groups = [[cost for group in groups for cost in group]]
    squares = sum((cost - fmean(group)) ** 2 for group in groups for cost in group)
    return squares / max(sum(len(group) - 1 for group in groups), 1)


@dataclass(frozen=True, slots=True)
class _ModelAgent:
    """An agent that is a model; `player` measures the model's prompts."""

    model: str
    role: Role
    dialect: str
    player: Player


def _model_agents(seated: Seated) -> dict[str, _ModelAgent]:
    """The agents that are models, by label; one that is also the partner has the role of agent."""
    agents: dict[str, _ModelAgent] = {}
    for seatable in reversed(seated.all):
        if seatable.spec:
            role: Role = "partner" if seatable is seated.partner else "agent"
            dialect = seatable.spec.settings.dialect
            agents[seatable.id.label] = _ModelAgent(
                seatable.spec.name, role, dialect, seatable.player
            )
    return agents


def _own_labels(seated: Seated, judges: Sequence[Judge]) -> tuple[str, ...]:
    """Labels of the agents and judges whose own code may make calls that are not counted here."""
    agents = [
        seatable.id.label
        for seatable in seated.all
        if seatable.own and seatable.id.kind != "person"
    ]
    deciding = [judge.label for judge in judges if isinstance(judge, OwnJudge)]
    return tuple(dict.fromkeys([*agents, *deciding]))


@dataclass(frozen=True, slots=True)
class _Work:
    """Works out the cases of an estimate from a plan.

    The number of questions to a seat does not depend on the model in it. So each task is played
    once for all its casts and repeats, and the plan says which model sits where.
    """

    config: RunConfig
    kit: WorldKit
    models: MeasuringModels
    plan: tuple[Trial, ...]
    agents: Mapping[str, _ModelAgent]
    ruled: Mapping[str, Player]
    judges: Sequence[Judge]

    async def in_turns(self) -> tuple[Case, Case, int]:
        """In a world of turns: the low end, the maximum, and the number of tasks on which prompts
        were measured.

        Stand-in players play every task, which counts the calls. Among tasks with the same
        questions to each seat, prompts are measured on a sample.
        """
        low, _ = await self._case("low", _StandIn(SHORT_TEXT, SHORT_EPISODE))
        most, measured = await self._case("most", _StandIn(LONG_TEXT), self.config.attempts)
        return low, most, measured

    async def _case(self, name: str, stand_in: _StandIn, attempts: int = 1) -> tuple[Case, int]:
        """A case in which all seats are played by this stand-in, and each answer that may be sent
        back takes `attempts`; with the number of tasks measured."""
        self.models.characters = stand_in.characters
        alike: dict[frozenset[tuple[tuple[int, str], int]], list[Trial]] = defaultdict(list)
        judged: dict[str, Parts] = {}
        for trial in self._trial_of_each_task():
            questions = _QuestionCounts(trial.task.seats)
            seated = dict.fromkeys(trial.task.seats, _Seat(questions, stand_in))
            events = await _play(self.kit.world, trial, seated)
            alike[frozenset(questions.counts.items())].append(trial)
            judged[trial.task.id] = await self._measure_judges(trial, events)
        players = {agent.dialect: agent.player for agent in self.agents.values()}
        seats: dict[tuple[str, str], tuple[CallCounts, ...]] = {}
        measured = 0
        for several in alike.values():
            sample = self._sample(several, ceil(SAMPLE * len(several) / len(judged)))
            measured += len(sample)
            for dialect, player in players.items():
                counts = await self._measure_prompts(sample, player, stand_in, attempts)
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
        """In a simulated world: both ends of the range, the expected case, the number of tasks
        simulated, and a sentence on what the range is based on.

        Rule-based players play their seats; all others give made-up replies, like those of the
        local endpoint, or those of the world's rehearsal: then one simulation counts the calls. The
        expected cost of a task is the mean of its simulations or, if it has none, that of all
        simulations for as many seats.
        """
        tasks = self._trial_of_each_task()
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
                    simulated[key] = await self._simulate(world, trial)
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
                if self.kit.rehearsal or (number + 1 >= enough and error <= _EXACT * fmean(every)):
                    break
            trials = Counter(trial.task.id for trial in several)
            seats = {task: len(trial.task.seats) for task, trial in of_task.items()}
            other = sum(seats[task] * n for task, n in trials.items() if task not in parts_by_task)
            lived = sum(seats[task] * len(parts) for task, parts in parts_by_task.items())
            for task, parts in parts_by_task.items():
                share = trials[task] + other * len(parts) / lived
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
        about = SAY(
            "rehearsed" if self.kit.rehearsal else "simulated",
            low=ends[0],
            high=ends[1],
            within=WITHIN,
        )
        return cases, expected, len(simulated_tasks), about

    def _parts(self, labels: Sequence[str], seats: Sequence[CallCounts], judged: Parts) -> Parts:
        """The calls of a simulated trial, by model and role, with these agents in its seats."""
        parts: Parts = defaultdict(CallCounts)
        for by, part in judged.items():
            parts[by].add(part)
        for index, label in enumerate(labels):
            if (agent := self.agents.get(label)) and seats[index].calls:
                parts[agent.model, self._role(agent, index)].add(seats[index])
        return parts

    def _role(self, agent: _ModelAgent, seat: int) -> Role:
        """The role in which an agent is called: in some worlds, all seats but the first are
        background."""
        return "background" if self.kit.background and seat else agent.role

    def _trial_of_each_task(self) -> list[Trial]:
        """One trial of each task, whatever the order of the agents."""
        tasks: dict[str, Trial] = {}
        for trial in sorted(
            self.plan, key=lambda planned: [member.agent for member in planned.cast]
        ):
            tasks.setdefault(trial.task.id, replace(trial, id=trial.task.id, repeat=0))
        return list(tasks.values())

    def _sample(self, trials: Sequence[Trial], size: int) -> list[Trial]:
        drawn = stream(self.config.seed, "dry run", trials[0].task.id)
        return drawn.sample(trials, min(size, len(trials)))

    async def _measure_prompts(
        self, sample: Sequence[Trial], player: Player, stand_in: _StandIn, attempts: int
    ) -> tuple[CallCounts, ...]:
        """The mean calls and tokens of a trial in the sample, by seat, if this player sat there."""
        totals = [CallCounts() for _ in sample[0].task.seats]
        for trial in sample:
            questions = _QuestionCounts(trial.task.seats)
            seated = dict.fromkeys(trial.task.seats, _Seat(questions, stand_in, player, attempts))
            await _play(self.kit.world, trial, seated)
            seats = {seat: index for index, seat in enumerate(trial.task.seats)}
            for _, key, part in self.models.take_calls():
                totals[seats[key.seat]].add(part)
        means = [CallCounts() for _ in totals]
        for mean, part in zip(means, totals, strict=True):
            mean.add(part, 1 / len(sample))
        return tuple(means)

    async def _simulate(self, world: World, trial: Trial) -> tuple[tuple[CallCounts, ...], Parts]:
        """The calls of a trial by seat, with models in all seats without a rule-based player; and
        the calls of its judges."""
        players: dict[str, Player] = {}
        seats = {member.seat: index for index, member in enumerate(trial.cast)}
        rehearsed = _Rehearsed(self.kit.rehearsal) if self.kit.rehearsal else None
        for member in trial.cast:
            if agent := self.agents.get(member.agent):
                players[member.seat] = rehearsed or agent.player
            else:
                stand_in = next(iter(self.kit.players.values()))  # for the user's own code
                players[member.seat] = self.ruled.get(member.agent, stand_in)
        events = await _play(world, trial, players)
        counts = tuple(CallCounts() for _ in seats)
        for _, key, part in self.models.take_calls():
            counts[seats[key.seat]].add(part)
        if rehearsed:
            await self._measure_sample(trial, rehearsed.asked, counts)
        return counts, await self._measure_judges(trial, events)

    async def _measure_sample(
        self, trial: Trial, asked: Sequence[tuple[Request, Json]], counts: Sequence[CallCounts]
    ) -> None:
        """Add the calls of a rehearsal to its seats' counts. Some prompts of each kind of question
        to a role are measured, drawn at random, and stand for all."""
        seats = {member.seat: index for index, member in enumerate(trial.cast)}
        kinds: dict[tuple[str, Role, str], list[tuple[Request, Json]]] = defaultdict(list)
        for request, memory in asked:
            agent = self.agents[trial.cast[seats[request.seat]].agent]
            role = self._role(agent, seats[request.seat])
            kinds[agent.model, role, _question_kind(request)].append((request, memory))
        drawn = stream(self.config.seed, "rehearsal", trial.id)
        for several in kinds.values():
            asked_seats = sorted({request.seat for request, _ in several})
            among = drawn.sample(asked_seats, min(MEASURED_SEATS, len(asked_seats)))
            theirs = [n for n, (request, _) in enumerate(several) if request.seat in among]
            chosen = sorted(drawn.sample(theirs, min(MEASURED, len(theirs))))
            for request, memory in map(several.__getitem__, chosen):
                agent = self.agents[trial.cast[seats[request.seat]].agent]
                await agent.player.reply(request, memory)
            total = CallCounts()
            for _, _, part in self.models.take_calls():
                total.add(part)
            for seat, n in Counter(request.seat for request, _ in several).items():
                counts[seats[seat]].add(total, n / len(chosen))

    async def _measure_judges(self, trial: Trial, events: tuple[Event, ...]) -> Parts:
        for judge in self.judges:
            await judge.judge(Episode(trial, events))
        return self.models.take_parts()


async def _play(world: World, trial: Trial, players: Mapping[str, Player]) -> tuple[Event, ...]:
    return await drive(world.play(trial.task, trial.id, trial.seed), players, lambda _: None)


# ------------------------------------------------------------------ players and models


def _question_kind(request: Request) -> str:
    """The name of a question, without the number that several at once have ("importance:2")."""
    return request.name.partition(":")[0]


class _QuestionCounts:
    """Counts the questions to each seat; `counts` is by the seat's number and the question's
    name."""

    def __init__(self, seats: Sequence[str]) -> None:
        self._seats = {seat: index for index, seat in enumerate(seats)}
        self.counts: Counter[tuple[int, str]] = Counter()

    def add(self, request: Request) -> None:
        """Count the first attempt at a question."""
        self.counts[self._seats[request.seat], _question_kind(request)] += 1


@dataclass(frozen=True, slots=True)
class _Seat:
    """A player whose questions are counted and, to measure their length, put to a model as well.

    `decides` gives the replies; those of `model` are discarded. An answer that may be sent back is
    measured for so many `attempts`.
    """

    questions: _QuestionCounts
    decides: Player
    model: Player | None = None
    attempts: int = 1

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        if request.attempt == 1:
            self.questions.add(request)
            if self.model is not None:
                await self.model.reply(request, memory)
                requested = request.expected
                if isinstance(requested, Question) and requested.complaint is not None:
                    again = replace(request, problem=_COMPLAINT)
                    for _ in range(self.attempts - 1):
                        await self.model.reply(again, memory)
        return await self.decides.reply(request, memory)


@dataclass(frozen=True, slots=True)
class _Rehearsed:
    """A player whose replies are those of `decides`, and who keeps what was asked for the first
    time."""

    decides: Player
    asked: list[tuple[Request, Json]] = field(default_factory=list)

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        if request.attempt == 1:
            self.asked.append((request, memory))
        return await self.decides.reply(request, memory)


@dataclass(frozen=True, slots=True)
class _StandIn:
    """A player that speaks so many characters a turn, and leaves in turn `turns` (None: never). Its
    answers to questions leave out all fields with a default."""

    characters: int = SHORT_TEXT
    turns: int | None = None

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        requested = request.expected
        draw = Draw(
            stream(request.seed, request.trial, request.seat, request.turn), self.characters
        )
        leaves = self.turns is not None and request.turn + 1 >= self.turns
        if not isinstance(requested, Question):
            fitting = [kind for kind in requested.kinds if kind.leaves == leaves] or requested.kinds
            kind = next((candidate for candidate in fitting if candidate.has_text), fitting[0])
            text = prose(draw.random, draw.characters) if kind.has_text else ""
            values = sample_value(kind.fields.model_json_schema(), draw) if kind.fields else {}
            to = request.observation.others[:1] if kind.recipients == "required" else ()
            return Reply((Action(kind.name, text, to, fields=values),))
        fields = requested.reply.model_fields
        drawn = sample_value(json.loads(schema_of(requested.reply).text), draw)
        values = {name: drawn[name] for name, info in fields.items() if info.is_required()}
        if requested.leaves:
            values[requested.leaves] = leaves
        try:
            return Reply(requested.reply.model_validate(values))
        except ValidationError as error:
            return NoReply("unreadable", str(error), again=False)
