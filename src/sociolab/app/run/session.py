"""Open a run, or resume it if it is the same run: its world, players, judges, and its store."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sociolab.app.data.sets import declare_clusters, list_hashes, load_world, select_tasks
from sociolab.app.players.casting import NO_JUDGE, Casting, Seatable
from sociolab.app.players.models import Models, ModelSpec, parse
from sociolab.app.run.config import JudgeChoice, RunConfig, WorldConfig
from sociolab.core import __version__
from sociolab.core.code_fingerprint import OPTIONS, UNKNOWN, same_code, short_code
from sociolab.core.episode import Agent, Json, Trial
from sociolab.core.errors import ConfigError
from sociolab.core.instructions import (
    ADDRESSES,
    INSTRUCTIONS,
    STAND_INS,
    TAGS,
    parse_instructions,
)
from sociolab.core.metrics import TRAINING_PARTNER
from sociolab.core.ports import Judge, Player, Role, WorldKit
from sociolab.core.seeding import digest
from sociolab.engine.scene import FailurePolicy
from sociolab.models.budget import Budget
from sociolab.models.cache import NullReplyStore
from sociolab.report.words import plural
from sociolab.runner.guard import LONGEST_REPLY
from sociolab.runner.plan import plan_trials
from sociolab.runner.progress import TalliedReplies, Tally
from sociolab.store.calls import RunReplies
from sociolab.store.connect import checked_name, lock_run, store_path
from sociolab.store.store import RunRow, Store

if TYPE_CHECKING:
    from sociolab.report.result import RunResult


@dataclass(frozen=True, slots=True)
class Seated:
    """The agents that are compared, and the partner that all of them meet, if there is one."""

    agents: tuple[Seatable, ...]
    partner: Seatable | None

    @property
    def all(self) -> tuple[Seatable, ...]:
        return (*self.agents, self.partner) if self.partner else self.agents

    def players(self) -> dict[str, Player]:
        """Players by label; an agent with the label of the partner takes its place."""
        return {seatable.id.label: seatable.player for seatable in reversed(self.all)}


@dataclass(frozen=True)
class RunSession:
    """An open run; `budget` is None where another process keeps it."""

    config: RunConfig
    name: str
    kit: WorldKit
    store: Store
    models: Models
    seated: Seated
    judges: tuple[Judge, ...]
    replies: TalliedReplies
    tally: Tally
    budget: Budget | None


@dataclass(frozen=True, slots=True)
class Worker:
    """One of `count` processes that work on a run at the same time, with its trials in a store of
    its own; the `budget` is shared, and each gets its share of an endpoint's limits."""

    budget: Budget
    count: int


@contextmanager
def open_session(config: RunConfig, worker: Worker | None = None) -> Iterator[RunSession]:
    """Open or resume a run, and hold its lock.

    ConfigError where the description is invalid, or differs from that of the stored run of this
    name. A store is created only for a valid description.
    """
    if config.shard and not config.name:
        raise ConfigError(
            "--shard: expected --name, too: all shards of a run have one name, by which "
            "`sociolab store merge` puts them together"
        )
    kit = world_of(config)
    tally, models = Tally(), Models(config, worker.count if worker else 1)
    budget = worker.budget if worker else Budget(config.budget_share)
    replies = TalliedReplies(tally)
    casting = Casting(kit, models, replies, budget, patience_of(config.agent_timeout), tally.waits)
    seated = seat_all(config, casting)
    judges = choose_judges(config, casting, seated)
    settings = _settings(config, kit, seated, judges) | _option_settings(config, models)
    plan = () if worker else plan_of(config, kit, seated)  # a worker's store has its trials already
    path = store_path(config.store)
    requested_name = checked_name(config.name) if config.name else None
    by_people = any(seatable.id.kind == "person" for seatable in seated.all)
    with Store.open(path, synced=by_people) as store:
        name = requested_name or fresh_name(store, config.world)
        with lock_run(path, name), store.failing_fast():
            store.check_room()
            if store.has_run(name):
                row = store.run(name)
                had = row.settings if isinstance(row.settings, dict) else {}
                more = {} if worker else larger(had, settings)
                before = {key: had[key] for key in more}
                check_same(row, settings | before, [seatable.id for seatable in seated.all])
                if more and config.shard:
                    raise ConfigError(
                        f'the run "{name}" cannot be extended in shards, whose trials would change '
                        "places: put them together with `sociolab store merge`, and extend the "
                        "merged run"
                    )
                with store.transaction():
                    if more:
                        known = set(store.trial_ids(name))
                        store.add_trials(name, [trial for trial in plan if trial.id not in known])
                    if had:
                        store.set_settings(name, resumed(had, settings) | more)
                if worker is None:
                    budget.carry_over(store.calls.totals(name))
            else:
                declared = declare_clusters(kit, config.world, config.tasks)
                store.create_run(name, config.world, settings, plan, declared)
            replies.keep_in(RunReplies(store, name))
            yield RunSession(
                config,
                name,
                kit,
                store,
                models,
                seated,
                judges,
                replies,
                tally,
                None if worker else budget,
            )


def check_description(config: RunConfig) -> None:
    """ConfigError where a description is invalid; nothing is called and nothing is stored."""
    kit = world_of(config)
    if config.name:
        checked_name(config.name)
    casting = Casting(kit, Models(config), NullReplyStore(), Budget())
    seated = seat_all(config, casting)
    choose_judges(config, casting, seated)
    plan_of(config, kit, seated)


def world_of(config: WorldConfig) -> WorldKit:
    """Load the world of a description; ConfigError if it, its data or a setting is wrong."""
    policy = FailurePolicy(config.attempts, config.on_failed_turn)
    return load_world(config.world, config.data, policy, config.settings, config.seed)


def patience_of(agent_timeout: float | None) -> float:
    """Time limit in seconds of users' own players and judges; None stands for the default."""
    return LONGEST_REPLY if agent_timeout is None else agent_timeout


def fresh_name(store: Store, world: str) -> str:
    """A name for a run without one: world, date and time, and a number if that is taken."""
    base = f"{world}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    name, number = base, 2
    while store.has_run(name):
        name, number = f"{base}-{number}", number + 1
    return name


def seat_all(config: RunConfig, casting: Casting) -> Seated:
    """Make the agents and the partner of a description; ConfigError for an unknown one, and for a
    user's agent in a town without a background."""
    background = casting.kit.background
    agents = tuple(casting.agent(text, "agent") for text in dict.fromkeys(config.agents))
    if (
        background
        and not config.partner
        and (own := [agent.id.label for agent in agents if agent.own])
    ):
        raise ConfigError(
            f"{own[0]} plays the performer alone: say who plays everybody else, --background "
            "endpoint/model (or --background scripted, a smoke test of which nothing is scored)"
        )
    role: Role = "background" if background else "partner"
    partner = casting.agent(config.partner, role) if config.partner else None
    return Seated(agents, partner)


SMOKE = "smoke"
"""The setting of a run that says why nothing in it is a result."""


def smoke_of(kit: WorldKit, seated: Seated) -> str:
    """Why a run is only a smoke test: somebody in it is made to train against, or a model or a
    user's agent performs among scripted residents; "" if it is not."""
    if any(agent.id.label in kit.training_partners for agent in seated.all):
        return TRAINING_PARTNER
    partner = seated.partner
    if not kit.background or partner is None or partner.id.kind != "rules":
        return ""
    unscripted = any(agent.id.kind != "rules" for agent in seated.agents)
    return "scripted background" if unscripted else ""


def plan_of(config: RunConfig, kit: WorldKit, seated: Seated) -> tuple[Trial, ...]:
    return plan_trials(
        config.world,
        kit.data,
        select_tasks(config.world, kit.world, config.tasks, config.limit),
        [agent.id for agent in seated.agents],
        seated.partner.id if seated.partner else None,
        repeats=config.repeats,
        seed=config.seed,
        casts=kit.casts,
    )


def plan_cautions(config: RunConfig, kit: WorldKit) -> tuple[str, ...]:
    """What this plan will not show, as its world says before anything is played."""
    if kit.cautions is None:
        return ()
    tasks = select_tasks(config.world, kit.world, config.tasks, config.limit)
    return tuple(kit.cautions(len(tasks)))


def choose_judges(config: JudgeChoice, casting: Casting, seated: Seated) -> tuple[Judge, ...]:
    """The world's checks, then the judges and readers named; if none is named, the rule-based judge
    of a run without models. ConfigError for a run with models that names none."""
    specs = config.judges
    if not specs:
        by_rules = tuple(casting.kit.judges)[:1]
        if any(agent.calls_model for agent in seated.all):
            if not config.readers:
                raise ConfigError(
                    "a run with models needs a judge: --judge endpoint/model, or --judge "
                    f"{NO_JUDGE} to play only"
                )
            by_rules = ()
        specs = by_rules
    named = [casting.judge(text) for text in dict.fromkeys(specs) if text != NO_JUDGE]
    readers = [casting.reader(text) for text in dict.fromkeys(config.readers)]
    return (*casting.kit.checks, *named, *readers)


def _option_settings(config: RunConfig, models: Models) -> dict[str, Json]:
    """The setting with the options that models.toml adds to specs; {} if it adds none."""
    extra = {spec.label: models.extra_options(spec) for spec in models_of(config)}
    added: dict[str, Json] = {label: options for label, options in extra.items() if options}
    return {OPTIONS: added} if added else {}


def models_of(config: JudgeChoice) -> tuple[ModelSpec, ...]:
    """The models that a description names as agents, partner, judges or readers, each once."""
    return models_among(*config.specs)


def models_among(*texts: str | None) -> tuple[ModelSpec, ...]:
    """The specs of models among these texts, each once."""
    specs = (parse(text, "agent") for text in dict.fromkeys(texts) if text and text != NO_JUDGE)
    return tuple(spec for spec in specs if isinstance(spec, ModelSpec))


async def note_servers(store: Store, run: str, specs: Iterable[ModelSpec], models: Models) -> None:
    """Record in a run at which addresses its models are called, and which of them the stand-in
    endpoint serves: nothing in it is a result then."""
    called = tuple(specs)
    await note_addresses(store, run, called, models)
    if served := await models.stand_ins(called):
        had = store.run(run).settings
        store.set_settings(run, extended(had if isinstance(had, dict) else {}, STAND_INS, served))


async def note_addresses(
    store: Store, run: str, specs: Iterable[ModelSpec], models: Models
) -> None:
    """Record in a run at which addresses these models are called."""
    if addresses := await models.addresses(specs):
        had = store.run(run).settings
        called = {ADDRESSES: {name: [address] for name, address in addresses.items()}}
        store.set_settings(run, with_addresses(had if isinstance(had, dict) else {}, called))


def interrupted_result(config: RunConfig, name: str) -> RunResult:
    from sociolab.report.result import result_of

    with Store.open(store_path(config.store), create=False) as store:
        return result_of(store, name, stopped="interrupted")


def _settings(
    config: RunConfig,
    kit: WorldKit,
    seated: Seated,
    judges: Sequence[Judge],
) -> dict[str, Json]:
    """All that a run's results depend on; stored with it, and compared when it resumes."""
    data, partner = kit.data, seated.partner
    settings: dict[str, Any] = {
        "data": [data.name, data.version, data.hash],
        "data_source": config.data,
        "agents": [[agent.id.label, agent.id.settings] for agent in seated.agents],
        "partner": [partner.id.label, partner.id.settings] if partner else None,
        "judges": [judge.id.as_row() for judge in judges],
        "tasks": config.tasks,
        "limit": config.limit,
        "repeats": config.repeats,
        "seed": config.seed,
        "attempts": config.attempts,
        "on_failed_turn": config.on_failed_turn,
        "max_failed_turns": config.max_failed_turns,
        "world_settings": dict(config.settings) or None,
    }
    if_any: dict[str, Any] = {
        "task_lists": list_hashes(config.world, kit.world, config.tasks),
        TAGS: list(config.tags),
        SMOKE: smoke_of(kit, seated),
        INSTRUCTIONS: kit.instructions and kit.instructions.as_json(),
    }
    settings |= {name: value for name, value in if_any.items() if value}
    return settings | {MADE_WITH: made_with()}


def run_name_for_replies(about: tuple[str, Mapping[str, str | None]]) -> str:
    """The name of the run that `run_for_replies` opens for this work."""
    kind, parts = about
    return f"{kind}-{digest(*(f'{key}={value}' for key, value in sorted(parts.items())))}"


@contextmanager
def run_for_replies(
    store: Store,
    path: Path,
    world: str,
    about: tuple[str, Mapping[str, str | None]],
    replies: TalliedReplies,
) -> Iterator[str]:
    """While this is open, replies are stored in a run without trials, whose name it gives.

    `about` is a kind of work and its parameters, which decide the name: the same work finds the
    replies that it has paid for.
    """
    (kind, parts), name = about, run_name_for_replies(about)
    with lock_run(path, name), store.failing_fast():
        if not store.has_run(name):
            store.create_run(name, world, dict(parts), [], keeps=kind)
        replies.keep_in(RunReplies(store, name))
        yield name


# ------------------------------------------------------------------ whether a run may be resumed


def larger(was: Mapping[str, Json], current: Mapping[str, Json]) -> dict[str, Json]:
    """The limit and the repeats, where a run is resumed with more of them: its plan grows by the
    further trials."""

    def is_more(old: Any, new: Any) -> bool:
        return old is not None and (new is None or new > old)

    both = [key for key in ("limit", "repeats") if key in was and key in current]
    return {key: current[key] for key in both if is_more(was[key], current[key])}


def check_same(run: RunRow, current: dict[str, Json], agents: Iterable[Agent] = ()) -> None:
    """ConfigError unless a run is resumed with the settings, and the code, that it began with."""
    was: Mapping[str, Any] = run.settings if isinstance(run.settings, dict) else {}
    changed = changed_settings(was, current)
    if changed == ["data"] and _data_name(was) == _data_name(current):
        raise ConfigError(
            f'the run "{run.name}" cannot go on: the prompts or the data are not those '
            f"that it began with ({_format_setting(was.get('data'))}), so that its episodes would "
            f"be of two kinds; {_how_far(run)}; choose another --name, or play it to its end with "
            "that version of sociolab and of the prompts"
        )
    if changed and {*changed} <= {"limit", "repeats"}:
        raise ConfigError(
            f'the run "{run.name}" is larger ({both_settings(changed, was, current, "now")}): give '
            "the larger numbers to resume it, or this run another --name"
        )
    if changed:
        raise ConfigError(
            f'the run "{run.name}" began with other settings '
            f"({both_settings(changed, was, current, 'now')}); give this run another "
            "--name, or the old settings to resume it"
        )
    problems = list(other_code(run, current, agents))
    if problems:
        raise ConfigError(
            f'the run "{run.name}" cannot go on: {"; ".join(problems)}; {_how_far(run)}; give this '
            f"run another --name, or remove the old one by `sociolab delete {run.name}` "
            "(`sociolab list` shows all)"
        )


def changed_settings(was: Mapping[str, Any], current: Mapping[str, Any]) -> list[str]:
    """The names of the settings in which two runs differ, other than the code of judges, and other
    than settings that may differ when a run resumes."""
    # The same data may be in another folder by now.
    compared = {*was, *current} - {"data_source"} - BESIDE
    return [
        key for key in sorted(compared) if _without_code(key, was) != _without_code(key, current)
    ]


def both_settings(
    names: Sequence[str], was: Mapping[str, Any], current: Mapping[str, Any], where: str
) -> str:
    """Settings as they were and as they are `where` ("now"), without hashes.

    The data are left out where changed settings or prompts of the world explain their new hash.
    """
    if _data_name(was) == _data_name(current) and {"world_settings", INSTRUCTIONS} & {*names}:
        names = [name for name in names if name != "data"]
    return "; ".join(
        clause
        for name in names
        for clause in _changes(name, was.get(name), current.get(name), where)
    )


def _changes(name: str, was: Any, current: Any, where: str) -> Iterator[str]:
    if name == "world_settings":
        was, current = was or {}, current or {}
        for key in sorted({*was, *current}):
            if was.get(key) != current.get(key):
                yield f"{key} {was.get(key, 'not set')}, {where} {current.get(key, 'not set')}"
        return
    old, new = _format_setting(was), _format_setting(current)
    yield f"{name} {old}, {where} {'set up otherwise' if new == old else new}"


def _format_setting(value: object) -> str:
    """A setting as people write it: "openai/a, openai/b", "20"; hashes are left out."""
    if instructions := parse_instructions(value):
        return str(instructions)
    if isinstance(value, Mapping):  # task lists and their hashes
        return ", ".join(value) or "none"
    if not isinstance(value, list | tuple):
        return "none" if value is None else str(value)
    if value and isinstance(value[-1], Mapping):  # a judge
        return str(value[0])
    if value and not isinstance(value[0], list | tuple):  # a name with its hash
        return " ".join(map(str, value[:-1])) or str(value[0])
    return ", ".join(map(_format_setting, value)) or "none"


def _data_name(settings: Mapping[str, Any]) -> object:
    """Name and version of the data, without the hash."""
    data = settings.get("data")
    return data[:2] if isinstance(data, list) else data


def _how_far(run: RunRow) -> str:
    failed = f" and {run.failed:,} failed" if run.failed else ""
    return f"{run.played:,} of its {plural(run.trials, 'trial')} played{failed}"


def _without_code(key: str, settings: Mapping[str, Any]) -> object:
    if key != "judges":
        return settings.get(key)
    return [
        (label, hash_, {name: value for name, value in fields.items() if name != "code"})
        for label, hash_, fields in settings.get("judges") or []
    ]


def _judge_codes(settings: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    return [(label, fields["code"]) for label, _, fields in settings.get("judges") or []]


def other_code(run: RunRow, current: Mapping[str, Json], agents: Iterable[Agent]) -> Iterator[str]:
    """A clause for each agent, or judge in the settings, whose code is not that of the run, or
    whose code cannot be compared."""
    for agent in dict.fromkeys(agents):
        if before := run.agents.get(agent.label):
            yield from _other_code(agent.label, before.code, agent.code)
    was = run.settings if isinstance(run.settings, dict) else {}
    pairs = _pair_codes(_judge_codes(was), _judge_codes(current))
    for label, old, new in dict.fromkeys(pairs):
        yield from _other_code(f"the judge {label}", old, new)


def _other_code(who: str, before: str | None, after: str | None) -> Iterator[str]:
    if after is None:
        return
    if before is None or UNKNOWN in (before, after):
        yield f"nobody can tell whether {who} runs the code that it began with"
    elif not same_code(before, after):
        yield (
            f"the code of {who} is another one by now ({short_code(before)} when it began, "
            f"{short_code(after)} now)"
        )


def _pair_codes(
    was: Sequence[tuple[str, str | None]], current: Sequence[tuple[str, str | None]]
) -> Iterator[tuple[str, str | None, str | None]]:
    """Each label that is in both, with its code then and now: by position, since several judges may
    share a label, or by label if the lists have different ones."""
    if [label for label, _ in was] == [label for label, _ in current]:
        for (label, old), (_, new) in zip(was, current, strict=True):
            yield label, old, new
        return
    earlier = dict(was)
    yield from ((label, earlier[label], code) for label, code in current if label in earlier)


# ------------------------------------------------------------------ provenance

MADE_WITH = "made_with"
RESUMED_WITH = "resumed_with"

BESIDE = frozenset({MADE_WITH, RESUMED_WITH, TAGS, STAND_INS, ADDRESSES, OPTIONS, INSTRUCTIONS})
"""Settings on which no result depends, or that others cover; they may differ when a run resumes."""

GIT_SECONDS = 2.0
_GIT = ("git", "status", "--porcelain=v2", "--branch", "--untracked-files=no")


def made_with() -> dict[str, Json]:
    """The versions of sociolab and Python and, in a git work tree, `git_state`."""
    versions: dict[str, Json] = {"sociolab": __version__, "python": platform.python_version()}
    return versions | {"git": git} if (git := git_state(Path.cwd())) else versions


def git_state(folder: Path) -> dict[str, Json] | None:
    """The commit of the work tree of a folder, and whether tracked files were `changed` since.

    None outside a work tree, before its first commit, without git, and where git takes longer than
    two seconds: a run does not depend on it.
    """
    if not any((place / ".git").exists() for place in (folder, *folder.parents)):
        return None
    import subprocess  # needed in a work tree only

    try:
        done = subprocess.run(
            _GIT,
            cwd=folder,
            # This only reads: it must not write an index, or wait for a lock, of the user's git.
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=GIT_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    lines = done.stdout.decode(errors="replace").splitlines()
    heads = [line.split()[-1] for line in lines if line.startswith("# branch.oid ")]
    if not heads or heads[0] == "(initial)":
        return None
    return {"commit": heads[0], "changed": any(not line.startswith("#") for line in lines)}


def resumed(was: Mapping[str, Any], current: Mapping[str, Json]) -> dict[str, Json]:
    """The settings of a resumed run: as they were, plus the current versions, if they are new, and
    new tags, stand-ins and addresses."""
    settings = with_addresses(was, current)
    recorded = [was.get(MADE_WITH), *was.get(RESUMED_WITH, ())]
    if current.get(MADE_WITH, was.get(MADE_WITH)) not in recorded:
        settings[RESUMED_WITH] = [*was.get(RESUMED_WITH, ()), current[MADE_WITH]]
    return extended(extended(settings, TAGS, current.get(TAGS)), STAND_INS, current.get(STAND_INS))


def with_addresses(settings: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Json]:
    """The settings with the addresses of other ones, each once for each model."""
    addresses: dict[str, Any] = dict(settings.get(ADDRESSES) or {})
    for model, places in (more.get(ADDRESSES) or {}).items():
        addresses = extended(addresses, model, places)
    return {**settings, ADDRESSES: addresses} if addresses else dict(settings)


def extended(settings: Mapping[str, Any], key: str, more: Any) -> dict[str, Json]:
    """The settings with more values, each once, in the list under a key."""
    values = list(dict.fromkeys((*(settings.get(key) or ()), *(more or ()))))
    return {**settings, key: values} if values else dict(settings)
