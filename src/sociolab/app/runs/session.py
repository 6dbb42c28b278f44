"""One run, opened: its world, its place in the store, its players and judges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sociolab.app.data_sets.data import load_world
from sociolab.app.data_sets.task_lists import list_hashes, wanted_tasks
from sociolab.app.players.cast import NO_JUDGE, Casting, Seatable
from sociolab.app.players.models import Models
from sociolab.app.players.own_code import as_known
from sociolab.app.players.specs import HUMAN, ModelSpec, parse
from sociolab.app.runs.config import RunConfig
from sociolab.app.runs.provenance import MADE_WITH, OPTIONS, TAGS, made_with, resumed
from sociolab.app.runs.resuming import check_same
from sociolab.core.episode import Json, Trial
from sociolab.core.errors import ConfigError
from sociolab.core.ports import Judge, Player, Role, WorldKit
from sociolab.engine.scene import FailurePolicy
from sociolab.models.budget import Budget
from sociolab.report.result import RunResult, result_of
from sociolab.runner.bounded import LONGEST_REPLY
from sociolab.runner.plan import trials
from sociolab.runner.tally import TalliedReplies, Tally
from sociolab.store.lock import lock_run
from sociolab.store.names import checked_name
from sociolab.store.place import store_path
from sociolab.store.replies import RunReplies
from sociolab.store.sqlite import Store


@dataclass(frozen=True, slots=True)
class Seated:
    """Who plays: the agents that are compared, and the partner that all of them meet."""

    agents: tuple[Seatable, ...]
    partner: Seatable | None

    @property
    def all(self) -> tuple[Seatable, ...]:
        """Agents and partner."""
        return (*self.agents, self.partner) if self.partner else self.agents

    def players(self) -> dict[str, Player]:
        """By label; an agent that is also the partner plays as the agent."""
        return {seatable.id.label: seatable.player for seatable in reversed(self.all)}


@dataclass(frozen=True)
class Session:
    """Everything that `play_all` needs, and what must be closed after it."""

    config: RunConfig
    name: str
    kit: WorldKit
    store: Store
    models: Models
    seated: Seated
    judges: tuple[Judge, ...]
    replies: TalliedReplies
    tally: Tally


@contextmanager
def open_session(config: RunConfig) -> Iterator[Session]:
    """Open or resume the run of a description, and hold its lock.

    ConfigError where the description is wrong, or differs from what the run of this name was; a
    store is made only for a description that is in order.
    """
    kit = world_of(config)
    tally, models, budget = Tally(), Models(config), Budget(config.budget)
    replies = TalliedReplies(tally)
    casting = Casting(kit, models, replies, budget, patience_of(config), tally.waits)
    seated = seat_all(config, casting)
    judges = wanted_judges(config, casting, seated)
    settings = _settings(config, kit, seated, judges) | _options(config, models)
    plan = plan_of(config, kit, seated)
    path = store_path(config.store)
    wanted = checked_name(config.name) if config.name else None
    with Store.open(path, synced=HUMAN in (*config.agents, config.partner)) as store:
        name = wanted or fresh_name(store, config.world)
        with lock_run(path, name), store.failing_fast():
            store.check_room()
            if store.has_run(name):
                row = store.run(name)
                check_same(row, settings)
                known = store.judges(name)
                judges = tuple(as_known(judge, known) for judge in judges)
                if isinstance(row.settings, dict):
                    store.set_settings(name, resumed(row.settings, settings))
                budget.carry_over(store.totals(name))
            else:
                store.create_run(name, config.world, settings, plan)
            replies.keep_in(RunReplies(store, name))
            yield Session(config, name, kit, store, models, seated, judges, replies, tally)


def world_of(config: RunConfig) -> WorldKit:
    """The world of a description; ConfigError if it, its data or a setting is wrong."""
    policy = failure_policy(config)
    return load_world(config.world, config.data, policy, config.settings, config.seed)


def failure_policy(config: RunConfig) -> FailurePolicy:
    """How often a seat is asked, and what a failed turn does."""
    return FailurePolicy(config.attempts, config.on_failed_turn)


def patience_of(config: RunConfig) -> float:
    """How many seconds somebody's own player may take to reply, and a judge for an episode."""
    return LONGEST_REPLY if config.agent_timeout is None else config.agent_timeout


def fresh_name(store: Store, world: str) -> str:
    """A name for a run that was given none: world, date and time, and a number if need be."""
    base = f"{world}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    name, number = base, 2
    while store.has_run(name):
        name, number = f"{base}-{number}", number + 1
    return name


def seat_all(config: RunConfig, casting: Casting) -> Seated:
    """The agents and the partner of a description; ConfigError for one that is not there."""
    background = casting.kit.background
    agents = tuple(casting.agent(text, "agent") for text in dict.fromkeys(config.agents))
    if background and not config.partner and (own := [one.id.label for one in agents if one.own]):
        raise ConfigError(
            f"{own[0]} plays the performer alone: say who plays everybody else, --background "
            "endpoint/model (or --background scripted, a smoke test of which nothing is scored)"
        )
    role: Role = "background" if background else "partner"
    partner = casting.agent(config.partner, role) if config.partner else None
    return Seated(agents, partner)


SMOKE = "smoke"
"""Among a run's settings: why nothing in it is a result."""


def smoke_of(kit: WorldKit, seated: Seated) -> str:
    """Why a run is but a smoke test: other performers among scripted residents; "" if it is not."""
    partner = seated.partner
    if not kit.background or partner is None or partner.id.label not in kit.players:
        return ""
    others = any(one.id.label not in kit.players for one in seated.agents)
    return "scripted background" if others else ""


def plan_of(config: RunConfig, kit: WorldKit, seated: Seated) -> tuple[Trial, ...]:
    """The trials that a description lays out."""
    return trials(
        config.world,
        kit.world.data,
        wanted_tasks(config.world, kit.world, config.tasks, config.limit),
        [agent.id for agent in seated.agents],
        seated.partner.id if seated.partner else None,
        repeats=config.repeats,
        seed=config.seed,
        casts=kit.casts,
    )


def wanted_judges(config: RunConfig, casting: Casting, seated: Seated) -> tuple[Judge, ...]:
    """The checks of the world, then the judges named; the heuristic one for offline play only."""
    wanted = config.judges
    if not wanted:
        by_rules = tuple(casting.kit.judges)[:1]
        if any(agent.calls_model for agent in seated.all):
            if not config.readers:
                raise ConfigError(
                    "a run with models needs a judge: --judge endpoint/model, or --judge "
                    f"{NO_JUDGE} to play only"
                )
            by_rules = ()
        wanted = by_rules
    named = [casting.judge(text) for text in dict.fromkeys(wanted) if text != NO_JUDGE]
    readers = [casting.reader(text) for text in dict.fromkeys(config.readers)]
    return (*casting.kit.checks, *named, *readers)


def _options(config: RunConfig, models: Models) -> dict[str, Json]:
    """What models.toml adds to the specs of a description, if it adds anything."""
    partner = (config.partner,) if config.partner else ()
    texts = (*config.agents, *partner, *config.judges, *config.readers)
    specs = (parse(text, "agent") for text in texts if text != NO_JUDGE)
    listed = {one.label: models.listed(one) for one in specs if isinstance(one, ModelSpec)}
    found: dict[str, Json] = {label: words for label, words in listed.items() if words}
    return {OPTIONS: found} if found else {}


def interrupted_result(config: RunConfig, name: str) -> RunResult:
    """What an interrupted run has so far."""
    with Store.open(store_path(config.store), create=False) as store:
        return result_of(store, name, stopped="interrupted")


def _settings(
    config: RunConfig,
    kit: WorldKit,
    seated: Seated,
    judges: Sequence[Judge],
) -> dict[str, Json]:
    """What makes a run's results what they are; stored with it, and compared when it resumes."""
    data, partner = kit.world.data, seated.partner
    lists = list_hashes(config.world, kit.world, config.tasks)
    settings: dict[str, Any] = {
        "data": [data.name, data.version, data.hash],
        "data_source": config.data,
        "agents": [[agent.id.label, agent.id.settings] for agent in seated.agents],
        "partner": [partner.id.label, partner.id.settings] if partner else None,
        "judges": [[judge.id.name, judge.id.settings] for judge in judges],
        "tasks": config.tasks,
        "limit": config.limit,
        "repeats": config.repeats,
        "seed": config.seed,
        "attempts": config.attempts,
        "on_failed_turn": config.on_failed_turn,
        "max_failed_turns": config.max_failed_turns,
        "world_settings": dict(config.settings) or None,
    }
    # Only where there are some, so that runs from before there were lists go on.
    settings |= {"task_lists": lists} if lists else {}
    settings |= {TAGS: list(config.tags)} if config.tags else {}
    smoke = smoke_of(kit, seated)
    settings |= {SMOKE: smoke} if smoke else {}
    return settings | {MADE_WITH: made_with()}
