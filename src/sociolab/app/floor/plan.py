"""What a play study lays out: the seats for people x the partners x the tasks x the plays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from pathlib import Path

from sociolab.app.data_sets.data import load_world, world_names
from sociolab.app.data_sets.task_lists import list_hashes, wanted_tasks
from sociolab.app.floor.judges import lasting
from sociolab.app.players.cast import NO_JUDGE, Casting, Seatable
from sociolab.app.players.models import Models
from sociolab.app.players.specs import HUMAN
from sociolab.app.study.settings import PlayPlan
from sociolab.core.episode import CastMember, Json, Task, Trial
from sociolab.core.errors import ConfigError
from sociolab.core.metrics import AgentKind, Declared
from sociolab.core.ports import Judge, WorldKit
from sociolab.core.seeding import digest
from sociolab.engine.scene import FailurePolicy
from sociolab.models.budget import Budget
from sociolab.runner.plan import AgentId, every_seating, trial_id
from sociolab.runner.tally import TalliedReplies, Tally
from sociolab.runner.waits import Waits

POLICY = FailurePolicy()
"""What a person sends is checked before it is taken; the attempts are for partners."""


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Models are served where `models.toml` says."""

    base_url: str | None = None
    key_env: str | None = None
    models: Path | None = None
    in_flight: int | None = None


@dataclass(frozen=True)
class Company:
    """Whom people play with, and who judges; made anew whenever the study is opened.

    `waits` knows who of them works at the moment, while nothing else can.
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
        """Everybody who plays and is no person."""
        return (*self.partners, *((self.stand_in,) if self.stand_in else ()))


def world_of(plan: PlayPlan) -> WorldKit:
    """The world that is played; ConfigError where it is none that people can sit in."""
    if plan.world not in world_names():
        known = ", ".join(world_names())
        raise ConfigError(f'world: there is no world "{plan.world}"; expected one of {known}')
    kit = load_world(plan.world, plan.data, POLICY, plan.settings, plan.seed)
    if kit.model_player is not None:
        raise ConfigError(
            f'world: in "{plan.world}" the minds of residents are asked what they think, and no '
            "person can take a seat; play sotopia or anteval-information"
        )
    return kit


def company_of(plan: PlayPlan, kit: WorldKit | None = None) -> Company:
    """Partners and judges of a plan; ConfigError for one that is not there."""
    kit = kit or world_of(plan)
    models, budget = Models(Endpoints()), Budget(plan.budget)
    tally = Tally()
    replies = TalliedReplies(tally)
    casting = Casting(kit, models, replies, budget, waits=tally.waits)
    partners = tuple(_partner(casting, text) for text in dict.fromkeys(plan.partners))
    stand_in = _partner(casting, plan.stand_in) if plan.stand_in else None
    judging = replace(casting, kit=lasting(kit))
    named = [judging.judge(text) for text in dict.fromkeys(plan.judges) if text != NO_JUDGE]
    judges = (*kit.checks, *named)
    return Company(kit, models, replies, budget, partners, stand_in, judges, tally.waits)


def plan_of(plan: PlayPlan, company: Company | None = None) -> tuple[Trial, ...]:
    """The trials of a plan, play by play and task by task, so that a study cut short is balanced.

    ConfigError where a world, task, partner or judge is wrong, or the people find no seats.
    """
    company = company or company_of(plan)
    tasks = wanted_tasks(plan.world, company.kit.world, plan.tasks, plan.limit)
    if not tasks:
        raise ConfigError("tasks: none fits; name task ids, tags or scenario=ID")
    return tuple(
        trial_with(plan, company, task, cast, play)
        for play, task in product(range(plan.plays), tasks)
        for cast in _casts(plan, company, task)
    )


def trial_with(
    plan: PlayPlan, company: Company, task: Task, cast: Sequence[CastMember], play: int
) -> Trial:
    """The trial of a task with a cast; `play` numbers the plays of the same from 0."""
    data = company.kit.world.data
    key = trial_id(plan.world, data, task, cast, play, plan.seed)
    return Trial(key, plan.world, task, tuple(cast), play, plan.seed)


def cast_of(
    plan: PlayPlan, task: Task, people: Sequence[str], partner: AgentId | None
) -> tuple[CastMember, ...]:
    """People in these seats, the partner in all others."""
    person = human(plan)
    who = {seat: person if seat in people else partner for seat in task.seats}
    return tuple(
        CastMember(seat, agent.label, agent.settings) for seat, agent in who.items() if agent
    )


def human(plan: PlayPlan) -> AgentId:
    """People, with what is peculiar to how they play here."""
    return AgentId(HUMAN, digest(HUMAN, "web", plan.turn_seconds, plan.missed))


def seats_for_people(kit: WorldKit, task: Task) -> tuple[str, ...]:
    """The seats that a person can take: those of an agent under evaluation (at an AntEval table
    the party's, not the NPC's)."""
    casts = (kit.casts or every_seating)(("person",), "partner", task.seats)
    taken = {seat for cast in casts for seat, who in zip(task.seats, cast, strict=True)
             if who == "person"}  # fmt: skip
    return tuple(seat for seat in task.seats if seat in taken)


def declared_of(company: Company) -> Declared:
    """What the world declares, and what each agent is."""
    agents: dict[str, AgentKind] = {one.id.label: one.kind for one in company.others}
    return replace(company.kit.declared, agents={HUMAN: "person", **agents})


def run_settings(plan: PlayPlan, company: Company | None = None) -> Mapping[str, Json]:
    """What the settings of the study's run hold: what those of any run do, and how it is played."""
    company = company or company_of(plan)
    data, person = company.kit.world.data, human(plan)
    agents = (person, *(one.id for one in company.partners))
    lists = list_hashes(plan.world, company.kit.world, plan.tasks)
    settings: dict[str, Json] = {
        "data": [data.name, data.version, data.hash],
        "data_source": plan.data,
        "agents": [[one.label, one.settings] for one in agents],
        "partner": None,
        "judges": [[judge.id.name, judge.id.settings] for judge in company.judges],
        "tasks": plan.tasks,
        "limit": plan.limit,
        "repeats": plan.plays,
        "seed": plan.seed,
        "attempts": POLICY.attempts,
        "on_failed_turn": POLICY.then,
        # A person who misses turns drops out (`missed`); what was played until then is theirs.
        "max_failed_turns": 1.0,
        "world_settings": dict(plan.settings) or None,
        "people": plan.people,
        "turn_seconds": plan.turn_seconds,
        "missed": plan.missed,
        "words_a_minute": plan.words_a_minute,
        "stand_in": plan.stand_in,
    }
    return settings | ({"task_lists": lists} if lists else {})


def _partner(casting: Casting, text: str) -> Seatable:
    if text.strip() == HUMAN:
        raise ConfigError(
            'partners: "human" is a person at this terminal; set how many people play together '
            'with "people", and name a partner such as "scripted" or endpoint/model'
        )
    return casting.agent(text, "partner")


def _casts(plan: PlayPlan, company: Company, task: Task) -> Iterator[tuple[CastMember, ...]]:
    open_seats = seats_for_people(company.kit, task)
    if plan.people > len(open_seats):
        raise ConfigError(
            f"people: {plan.people} people cannot sit in {task.id}, which has "
            f"{len(open_seats)} seats for people; set fewer"
        )
    partners = tuple(one.id for one in company.partners)
    if plan.people < len(task.seats) and not partners:
        raise ConfigError(
            f"partners: {len(task.seats) - plan.people} seats of {task.id} are left for a partner; "
            'name one, such as "scripted"'
        )
    for partner in partners if plan.people < len(task.seats) else (None,):
        for people in combinations(open_seats, plan.people):
            yield cast_of(plan, task, people, partner)
