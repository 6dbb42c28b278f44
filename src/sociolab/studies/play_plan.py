"""The plan of a play study: its trials, the partners and judges, and the pace of the partners."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product

from sociolab.app.data.sets import list_hashes, load_world, select_tasks, world_names
from sociolab.app.players.casting import NO_JUDGE, Casting, Seatable
from sociolab.app.players.models import Models
from sociolab.app.players.own_code import OwnJudge
from sociolab.app.registry import worlds_that
from sociolab.core.episode import HUMAN, PARTICIPANT, Agent, CastMember, Episode, Json, Task, Trial
from sociolab.core.errors import ConfigError, ModelError, SociolabError, StoreError
from sociolab.core.instructions import INSTRUCTIONS
from sociolab.core.ports import (
    CallKey,
    ChatModel,
    ChatReply,
    Judge,
    NoReply,
    Player,
    Prompt,
    Reply,
    Request,
    WorldKit,
)
from sociolab.core.score import Method, Verdict
from sociolab.core.seeding import digest, stream
from sociolab.engine.scene import FailurePolicy
from sociolab.models.budget import Budget
from sociolab.plugin.options import ModelAccess
from sociolab.runner.judging import failures_of, stored_cells, verdicts_of
from sociolab.runner.plan import every_seating, trial_id
from sociolab.runner.progress import TalliedReplies, Tally, Waits
from sociolab.store.store import Store
from sociolab.studies.settings import PlayPlan

FAILURE_POLICY = FailurePolicy()
"""For partners; what a person sends is checked before it is accepted."""


@dataclass(frozen=True)
class PartnerCast:
    """The partners and judges of a study; created anew whenever the study is opened.

    `waits` knows which of them is running at the moment, and so blocks everything else.
    """

    kit: WorldKit
    models: Models
    replies: TalliedReplies
    budget: Budget
    partners: tuple[Seatable, ...]
    stand_in: Seatable | None
    judges: tuple[Judge, ...]
    waits: Waits

    @property
    def others(self) -> tuple[Seatable, ...]:
        return (*self.partners, *((self.stand_in,) if self.stand_in else ()))


def load_played_world(plan: PlayPlan) -> WorldKit:
    """ConfigError where there is no such world, or people cannot take a seat in it."""
    if plan.world not in world_names():
        names = ", ".join(world_names())
        raise ConfigError(f'world: there is no world "{plan.world}"; expected one of {names}')
    kit = load_world(plan.world, plan.data, FAILURE_POLICY, plan.settings, plan.seed)
    if kit.model_player is not None:
        raise ConfigError(
            f'world: people cannot take a seat in "{plan.world}"; choose '
            f"one of {', '.join(worlds_that(lambda plugin: plugin.people))}"
        )
    return kit


def load_partner_cast(plan: PlayPlan) -> PartnerCast:
    """Load the partners and judges of a plan; ConfigError for an unknown one."""
    kit = load_played_world(plan)
    models, budget = Models(ModelAccess()), Budget(plan.budget)
    tally = Tally()
    replies = TalliedReplies(tally)
    casting = Casting(kit, models, replies, budget, waits=tally.waits)
    partners = tuple(_partner(casting, text) for text in dict.fromkeys(plan.partners))
    stand_in = _partner(casting, plan.stand_in) if plan.stand_in else None
    judging = replace(casting, kit=with_errors_as_failures(kit))
    named = [judging.judge(text) for text in dict.fromkeys(plan.judges) if text != NO_JUDGE]
    judges = (*kit.checks, *named)
    return PartnerCast(kit, models, replies, budget, partners, stand_in, judges, tally.waits)


def trials_of(
    plan: PlayPlan, partner_cast: PartnerCast | None = None, sizes: Sequence[int] = ()
) -> tuple[Trial, ...]:
    """The trials of a plan, ordered by repeat and then by task, so that a study cut short is
    balanced. `sizes`: for each of these numbers of people in an episode (default: the plan's).

    ConfigError where a world, task, partner or judge is wrong, or there are too few seats for
    people.
    """
    partner_cast = partner_cast or load_partner_cast(plan)
    tasks = select_tasks(plan.world, partner_cast.kit.world, plan.tasks, plan.limit)
    if not tasks:
        raise ConfigError("tasks: none fits; name task ids, tags or scenario=ID")
    sized = [plan.model_copy(update={"people": size}) for size in sizes or (plan.people,)]
    return tuple(
        trial_with(plan, partner_cast, task, cast, play)
        for play, task in product(range(plan.plays), tasks)
        for one in sized
        for cast in _casts(one, partner_cast, task)
    )


def trial_with(
    plan: PlayPlan, partner_cast: PartnerCast, task: Task, cast: Sequence[CastMember], play: int
) -> Trial:
    """The trial of a task with a cast; `play` numbers repeats of the same from 0."""
    data = partner_cast.kit.data
    key = trial_id(plan.world, data, task, cast, play, plan.seed)
    return Trial(key, plan.world, task, tuple(cast), play, plan.seed)


def cast_of(
    plan: PlayPlan, task: Task, people: Sequence[str], partner: Agent | None
) -> tuple[CastMember, ...]:
    person = people_agent(plan)
    who = {seat: person if seat in people else partner for seat in task.seats}
    return tuple(CastMember(seat, agent) for seat, agent in who.items() if agent)


def people_agent(plan: PlayPlan) -> Agent:
    """The agent that stands for people, with the settings of this study."""
    settings = digest(HUMAN, "web", plan.turn_seconds, plan.missed)
    return Agent(HUMAN, "person", PARTICIPANT, settings=settings)


def seats_for_people(kit: WorldKit, task: Task) -> tuple[str, ...]:
    """The seats that a person can take: those of an agent under evaluation (in AntEval, the party's
    but not the NPC's)."""
    casts = (kit.casts or every_seating)(("person",), "partner", task.seats)
    seats = {seat for cast in casts for seat, who in zip(task.seats, cast, strict=True)
             if who == "person"}  # fmt: skip
    return tuple(seat for seat in task.seats if seat in seats)


def run_settings(plan: PlayPlan, partner_cast: PartnerCast | None = None) -> Mapping[str, Json]:
    """The settings of the study's run: those of any run, and how this one is played."""
    partner_cast = partner_cast or load_partner_cast(plan)
    data, person = partner_cast.kit.data, people_agent(plan)
    agents = (person, *(partner.id for partner in partner_cast.partners))
    lists = list_hashes(plan.world, partner_cast.kit.world, plan.tasks)
    settings: dict[str, Json] = {
        "data": [data.name, data.version, data.hash],
        "data_source": plan.data,
        "agents": [[agent.label, agent.settings] for agent in agents],
        "partner": None,
        "judges": [judge.id.as_row() for judge in partner_cast.judges],
        "tasks": plan.tasks,
        "limit": plan.limit,
        "repeats": plan.plays,
        "seed": plan.seed,
        "attempts": FAILURE_POLICY.attempts,
        "on_failed_turn": FAILURE_POLICY.then,
        # A person who misses turns drops out (`missed`); what was played until then is theirs.
        "max_failed_turns": 1.0,
        "world_settings": dict(plan.settings) or None,
        "people": plan.people,
        "turn_seconds": plan.turn_seconds,
        "missed": plan.missed,
        "words_a_minute": plan.words_a_minute,
        "stand_in": plan.stand_in,
    }
    instructions = partner_cast.kit.instructions
    settings |= {INSTRUCTIONS: instructions.as_json()} if instructions else {}
    return settings | ({"task_lists": lists} if lists else {})


def metrics_by_method(
    partner_cast: PartnerCast, trials: Sequence[Trial]
) -> Mapping[str, frozenset[Method]] | None:
    """The metrics of seats that the judges of a plan give, and by which methods; None where a judge
    is a user's own, which may give any.

    They are read off the verdicts on episodes without turns, for which no model is called.
    """
    if any(isinstance(judge, OwnJudge) for judge in partner_cast.judges):
        return None
    methods: dict[str, set[Method]] = {}
    for judge, trial in product(partner_cast.judges, {t.task.id: t for t in trials}.values()):
        if judge.id.method == "model":
            judge = partner_cast.kit.model_judge(_Silent(judge.id.name))
        for verdict in asyncio.run(verdicts_of(judge, Episode(trial, ()))):
            if verdict.seat is not None:
                methods.setdefault(verdict.measure.name, set()).add(judge.id.method)
    return {metric: frozenset(found) for metric, found in methods.items()}


@dataclass(frozen=True, slots=True)
class _Silent:
    """A model that is not to be called."""

    label: str

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        raise ModelError(f"{self.label} is not called", cause="connection")


def _partner(casting: Casting, text: str) -> Seatable:
    if text.strip() == HUMAN:
        raise ConfigError(
            'partners: "human" is a person at a terminal; set how many people play together with '
            '"people", and name a partner such as "scripted" or endpoint/model'
        )
    return casting.agent(text, "partner")


def _casts(
    plan: PlayPlan, partner_cast: PartnerCast, task: Task
) -> Iterator[tuple[CastMember, ...]]:
    open_seats = seats_for_people(partner_cast.kit, task)
    if plan.people > len(open_seats):
        raise ConfigError(
            f"people: {plan.people} people cannot sit in {task.id}, which has "
            f"{len(open_seats)} seats for people; set fewer"
        )
    partners = tuple(player.id for player in partner_cast.partners)
    if plan.people < len(task.seats) and not partners:
        raise ConfigError(
            f"partners: {len(task.seats) - plan.people} seats of {task.id} are left for a partner; "
            'name one, such as "scripted"'
        )
    for partner in partners if plan.people < len(task.seats) else (None,):
        for people in combinations(open_seats, plan.people):
            yield cast_of(plan, task, people, partner)


Sleep = Callable[[float], Awaitable[None]]


def with_errors_as_failures(kit: WorldKit) -> WorldKit:
    """The kit with model judges for which an error fails one call, and never ends the study."""
    return replace(kit, model_judge=lambda model: kit.model_judge(_ErrorEndsCall(model)))


async def verdicts_or_failures(
    store: Store, run: str, judge: Judge, episode: Episode
) -> tuple[Verdict, ...]:
    """A judge's verdicts on an episode; where it breaks, failures on all metrics that it gives
    elsewhere.

    StoreError passes through: that is not the judge's fault.
    """
    try:
        return await verdicts_of(judge, episode)
    except StoreError:
        raise
    except SociolabError as error:
        return failures_of(error, stored_cells(store, run, judge.id), episode.trial.task.seats)


@dataclass(frozen=True, slots=True)
class _ErrorEndsCall:
    """A model whose errors end only one call."""

    model: ChatModel

    @property
    def label(self) -> str:
        return self.model.label

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        try:
            return await self.model.complete(prompt, key)
        except ModelError as error:
            raise ModelError(str(error), cause=error.cause, tries=error.tries) from error


READING = 4.0
"""People read this many times faster than they type."""
SPREAD = (0.7, 1.3)
"""A turn takes between these shares of its usual time."""
THINKING = (1.5, 5.0)
"""Seconds before anything is typed."""
ARRIVING = (4.0, 20.0)
"""Seconds until a partner seems to have entered the waiting room."""
PATIENCE = (0.7, 1.0)
"""A stand-in joins after between these shares of the longest wait."""
LONGEST = 0.8
"""The most that a reply may take of a turn's time."""
USUAL = 15
"""Words of a turn, for a seat without earlier turns."""


@dataclass(frozen=True, slots=True)
class TypingPace:
    """A partner's speed: `words_a_minute` (0: replies at once), in turns of `turn_seconds`."""

    words_a_minute: int
    turn_seconds: float
    seed: int

    def turn(self, request: Request, reply: Reply | NoReply | None) -> float:
        """Seconds from being asked to having answered: reading, thinking, typing. A reply that
        failed takes as long as the seat's usual turn."""
        if self.words_a_minute == 0:
            return 0.0
        random = stream(self.seed, "pace", request.trial, request.seat, request.turn, request.name)
        if not isinstance(reply, Reply):
            own = [len(line.text.split()) for line in request.observation.history if line.you]
            typed = round(sum(own) / len(own)) if own else USUAL
        elif isinstance(reply.value, tuple):
            typed = sum(len(action.text.split()) for action in reply.value)
        else:
            typed = len(reply.value.model_dump_json().split())
        words = typed + _count_unread_words(request) / READING
        took = words / self.words_a_minute * 60 * random.uniform(*SPREAD)
        return min(took + random.uniform(*THINKING), LONGEST * self.turn_seconds)

    def arrival(self, *who: str | int) -> float:
        """Seconds until a partner seems to have come; equal for equal `who`."""
        if self.words_a_minute == 0:
            return 0.0
        return stream(self.seed, "arrival", *who).uniform(*ARRIVING)

    def patience(self, seconds: float, *who: str | int) -> float:
        """Seconds until a stand-in joins: not always the longest wait, which would give it away."""
        if self.words_a_minute == 0:
            return seconds
        return seconds * stream(self.seed, "patience", *who).uniform(*PATIENCE)


@dataclass(frozen=True, slots=True)
class PacedPlayer:
    """A player whose turns take a human time, which includes its own computing time over all
    attempts. A turn that fails for good, and an error, take as long as any other turn.

    A player that needs longer than a turn has let it go by, as a person would have.
    """

    player: Player
    pace: TypingPace
    sleep: Sleep = asyncio.sleep
    _began: dict[tuple[str, str, str], tuple[int, float]] = field(default_factory=dict)
    """By trial, seat and name of the request: the turn, and when it was first asked."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """The player's own reply, not before its time."""
        began = self._first_asked(request)
        try:
            async with asyncio.timeout_at(began + self.pace.turn_seconds) as limit:
                reply = await self.player.reply(request, memory)
        except StoreError:
            raise  # the episode is cut off, and this request repeated later
        except Exception as error:  # a failure takes the time of a turn, too
            if not (isinstance(error, TimeoutError) and limit.expired()):
                await self._rest(request, None, began)
                raise
            return NoReply("timeout", f"no answer in {self.pace.turn_seconds:g} s", again=False)
        last = (
            isinstance(reply, Reply)
            or not reply.again
            or request.attempt >= FAILURE_POLICY.attempts
        )
        if last:
            await self._rest(request, reply, began)
        return reply

    def _first_asked(self, request: Request) -> float:
        key, time = (request.trial, request.seat, request.name), asyncio.get_running_loop().time()
        turn, began = self._began.get(key, (None, time))
        if turn != request.turn or request.attempt == 1:
            began = time
            self._began[key] = request.turn, time
        return began

    async def _rest(self, request: Request, reply: Reply | NoReply | None, began: float) -> None:
        if request.optional:
            return  # nobody waits for it, so its timing reveals nothing
        took = asyncio.get_running_loop().time() - began
        rest = self.pace.turn(request, reply) - took
        if rest > 0:
            await self.sleep(rest)


def _count_unread_words(request: Request) -> int:
    """Words since this seat's own last line."""
    words = 0
    for line in reversed(request.observation.history):
        if line.you:
            break
        words += len(line.text.split())
    return words
