"""The worlds as tasks of Inspect: `inspect eval sociolab/WORLD --model M --model-role partner=P`.

A sample is a trial of the plan that `sociolab run` would make, played by the same engine, players
and judges; an epoch is a repeat. Worlds with a common first word are a task together, too.
"""

from __future__ import annotations

import os
import sys
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from sociolab.app.players.casting import NO_JUDGE, Casting, Seatable
from sociolab.app.players.models import Models
from sociolab.app.registry import names
from sociolab.app.run.config import RunConfig, config_of
from sociolab.app.run.session import (
    Seated,
    choose_judges,
    patience_of,
    plan_of,
    seat_all,
    smoke_of,
    world_of,
)
from sociolab.core.episode import ACT, Episode, Event, Trial
from sociolab.core.errors import (
    ConfigError,
    SociolabError,
    WorldError,
    missing_extra,
    stops_all,
)
from sociolab.core.ports import Judge, NoReply, Player, Reply, Request, WorldKit
from sociolab.core.score import JudgeId, Verdict
from sociolab.engine.driver import drive
from sociolab.inspect.logs import (
    RECORD,
    SCRIPTED,
    about_trial,
    conversation,
    describe_event,
    marks_of,
    scene_text,
    seats_of,
    write_record,
)
from sociolab.inspect.models import EVALUATED, CallError, InspectModels
from sociolab.inspect.scores import COVERAGE, METRICS, Naming, coverage_score, inspect_scores
from sociolab.models.budget import Budget
from sociolab.models.cache import NullReplyStore
from sociolab.runner.guard import ForeignPlayer
from sociolab.runner.judging import failures_of, verdicts_of
from sociolab.runner.local import spoiled
from sociolab.runner.plan import trial_id
from sociolab.runner.progress import Waits

try:
    import inspect_ai
    from inspect_ai._util.error import PrerequisiteError
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.log import transcript
    from inspect_ai.model import ModelOutput, model_roles
    from inspect_ai.solver import TaskState, solver
    from inspect_ai.util import span
except ImportError as _missing:
    raise missing_extra("sociolab's tasks of Inspect need", "inspect", "inspect-ai") from _missing

Several: TypeAlias = "str | Sequence[str] | None"
"""A text, or those between its commas: Inspect splits the values of -T at commas."""


@dataclass(frozen=True, slots=True)
class Played:
    """A world in an eval: its players, its judges, and its trials by the ids of samples."""

    config: RunConfig
    kit: WorldKit
    models: Models
    seated: Seated
    judges: tuple[Judge, ...]
    prefix: str
    waits: Waits = field(default_factory=Waits)
    under_way: set[str] = field(default_factory=set)

    def trials(self) -> Iterator[tuple[str, Trial]]:
        """The trials, each with the id of its sample: that of its task and, where that is played
        in several casts, the seat of the agent."""
        plan = plan_of(self.config, self.kit, self.seated)
        casts = Counter(trial.task.id for trial in plan)
        for trial in plan:
            seats = " and ".join(self.evaluated(trial))
            name = f"{self.prefix}{trial.task.id}"
            yield (name if casts[trial.task.id] == 1 else f"{name}, {seats}"), trial

    def evaluated(self, trial: Trial) -> tuple[str, ...]:
        """The seats of the agent that is evaluated."""
        return seats_of(trial, self.seated.agents[0].id.label)

    def repeat(self, trial: Trial, number: int) -> Trial:
        """The trial as `sociolab run --repeats` would repeat it, from 0."""
        world, data = self.config.world, self.kit.data
        key = trial_id(world, data, trial.task, trial.cast, number, trial.seed)
        return replace(trial, id=key, repeat=number)

    @property
    def smoke(self) -> str:
        """Why no score is a result; "" if they may be."""
        scripted = self.seated.agents[0].id.kind == "rules"
        return smoke_of(self.kit, self.seated) or (SCRIPTED if scripted else "")

    @property
    def naming(self) -> Naming:
        named = [each.id for each in self.judges if each not in self.kit.checks]
        return Naming(named[0] if named else None, self.kit.declared.main, self.prefix)

    def player(self, trial: Trial, seatable: Seatable, called: dict[str, str]) -> Player:
        player = seatable.player
        if seatable.own:
            label, patience = seatable.id.label, patience_of(None)
            player = ForeignPlayer(player, label, trial.task.id, patience, self.waits)
        return _SpannedPlayer(player, called, seatable.id.kind != "rules")


@dataclass(frozen=True, slots=True)
class _SpannedPlayer:
    """A player whose turns are spans of the sample's transcript, where it calls a model."""

    player: Player
    called: dict[str, str]
    spans: bool

    async def reply(self, request: Request, memory: Any) -> Reply | NoReply:
        name = self.called[request.seat] = request.observation.you or request.seat
        if not self.spans:
            return await self.player.reply(request, memory)
        asked = "" if request.name == ACT else f", {request.name}"
        async with span(f"{name}, turn {request.turn + 1}{asked}", type="agent"):
            return await self.player.reply(request, memory)


# ------------------------------------------------------------------ a sample


async def play_episode(played: Played, trial: Trial) -> Episode:
    """Play a trial in the running sample; each event is shown in its transcript as it happens."""
    called: dict[str, str] = {}
    agents = {each.id.label: each for each in reversed(played.seated.all)}
    players = {
        member.seat: played.player(trial, agents[member.agent], called) for member in trial.cast
    }
    spoken = played.kit.declared.spoken

    def record(event: Event) -> None:
        if text := describe_event(event, called, spoken):
            transcript().info(text, source=RECORD)

    play = played.kit.world.play(trial.task, trial.id, trial.seed)
    return Episode(trial, await drive(play, players, record))


async def judge_episode(played: Played, episode: Episode) -> dict[JudgeId, tuple[Verdict, ...]]:
    """The verdicts of all judges; one that breaks has failed, and the others go on."""
    judgings: dict[JudgeId, tuple[Verdict, ...]] = {}
    for judge in played.judges:
        async with span(f"judge {judge.id.label}", type="judge"):
            try:
                judgings[judge.id] = await verdicts_of(judge, episode)
            except SociolabError as error:
                if stops_all(error):
                    raise
                judgings[judge.id] = failures_of(error, (), episode.trial.task.seats)
    return judgings


@asynccontextmanager
async def _sample_of(played: Played, trial: Trial) -> AsyncIterator[None]:
    """The running sample plays this trial. An error of Inspect, such as a limit of the sample, is
    raised as it was."""
    providers = [each for each in played.models.opened_providers if isinstance(each, InspectModels)]
    for provider in providers:
        provider.begin(trial.id)
    played.under_way.add(trial.id)
    try:
        yield
    except CallError as error:
        raise error.__cause__ or error from error
    finally:
        for provider in providers:
            provider.end(trial.id)
        await played.models.release(trial.id)
        played.under_way.discard(trial.id)
        if not played.under_way:  # nobody says when the last sample is over
            await played.models.close()


def _fill_in(state: Any, played: Played, episode: Episode) -> None:
    """The conversation as the sample's messages."""
    shown, own = played.kit.world.transcript(episode), played.evaluated(episode.trial)
    state.messages, last = conversation(shown, own)
    state.output = ModelOutput.from_content(played.seated.agents[0].id.label, last)


def _opening(played: Played, trial: Trial) -> str:
    """The scene of a trial, before anything happens in it."""
    try:
        shown = played.kit.world.transcript(Episode(trial, ()))
    except WorldError:  # of a plugin that cannot show an episode without events
        return trial.task.id
    return scene_text(shown)


# ------------------------------------------------------------------ tasks


def open_world(
    world: str, prefix: str, options: Mapping[str, Any], agent: str, partner: str | None
) -> Played:
    """Load a world and seat its players; ConfigError where an option is wrong, and where models
    play without a judge."""
    roles = model_roles()
    judges, readers = (_texts(options[name]) for name in ("judge", "reader"))
    given = {
        "world": world,
        "agents": agent,
        "partner": partner or ("inspect/partner" if "partner" in roles else None),
        "judges": judges or (["inspect/judge"] if "judge" in roles else []),
        "readers": readers or (["inspect/reader"] if "reader" in roles else []),
        "tasks": ",".join(_texts(options["tasks"])) or None,
        "settings": _settings(options["settings"]),
        **{name: options[name] for name in ("limit", "seed", "data", "attempts")},
    }
    config = config_of(given, "-T")
    kit, models = world_of(config), Models(config)
    casting = Casting(kit, models, NullReplyStore(), Budget())
    seated = seat_all(config, casting)
    if any(each.calls_model for each in seated.all) and not (config.judges or config.readers):
        raise ConfigError(
            "models that play need a judge: --model-role judge=MODEL, or -T judge=SPEC "
            f"({', '.join((*kit.judges, NO_JUDGE))})"
        )
    return Played(config, kit, models, seated, choose_judges(config, casting, seated), prefix)


def _texts(value: Several) -> list[str]:
    return [value] if isinstance(value, str) else list(map(str, value or ()))


def _settings(value: Mapping[str, Any] | Several) -> dict[str, Any]:
    """Settings of a world as an object, or as "name=value,name=value"."""
    if isinstance(value, Mapping):
        return dict(value)
    pairs = [text.partition("=") for part in _texts(value) for text in part.split(",")]
    if bad := [name for name, equals, _ in pairs if not equals]:
        raise ConfigError(f'-T settings: expected NAME=VALUE, found "{bad[0]}"')
    return {name: text for name, _, text in pairs}


def play_worlds(worlds: Sequence[str], agent: str, partner: str | None, **options: Any) -> Any:
    """The task that plays these worlds; an error of the user's is Inspect's PrerequisiteError."""
    if os.getcwd() not in sys.path:  # for python:my_agent:Class and inspect/my_agent:polite
        sys.path.append(os.getcwd())
    prefix = {world: f"{world.partition('-')[2]}: " if len(worlds) > 1 else "" for world in worlds}
    try:
        every = [open_world(world, prefix[world], options, agent, partner) for world in worlds]
        planned = {name: (each, trial) for each in every for name, trial in each.trials()}
    except SociolabError as error:
        raise PrerequisiteError(str(error)) from error
    samples = [
        Sample(input=_opening(each, trial), id=name, metadata=about_trial(trial))
        for name, (each, trial) in planned.items()
    ]

    @solver(name="episode")
    def episode() -> Any:
        async def solve(state: TaskState, generate: Any) -> TaskState:
            played, first = planned[str(state.sample_id)]
            trial = played.repeat(first, state.epoch - 1)
            judgings: Mapping[JudgeId, tuple[Verdict, ...]] = {}
            state.scores = {COVERAGE: coverage_score({}, "not finished")}  # as at a limit
            async with _sample_of(played, trial):
                done = await play_episode(played, trial)
                _fill_in(state, played, done)
                problem = spoiled(done, played.config.max_failed_turns)
                if not problem:
                    judgings = await judge_episode(played, done)
            if problem:
                state.scores = {COVERAGE: coverage_score({}, problem)}
            else:
                state.scores = inspect_scores(judgings, played.evaluated(done.trial), played.naming)
            state.store.set(RECORD, write_record(done, judgings, problem))
            return state

        return solve

    return inspect_ai.Task(
        dataset=MemoryDataset(samples, name=",".join(worlds)),
        solver=episode(),
        metrics=METRICS,
        # No reduction: each episode counts once, and those of a scenario are one cluster.
        epochs=inspect_ai.Epochs(1, []),
        **marks_of("; ".join(dict.fromkeys(each.smoke for each in every if each.smoke))),
    )


def _register(name: str, worlds: Sequence[str]) -> Callable[..., Any]:
    """Register the task of these worlds under a name."""

    def play(
        agent: str = f"inspect/{EVALUATED}",
        partner: str | None = None,
        judge: Several = None,
        reader: Several = None,
        tasks: Several = None,
        limit: int | None = None,
        seed: int = 0,
        settings: Any = None,
        data: str | None = None,
        attempts: int = 3,
    ) -> Any:
        return play_worlds(
            worlds, agent, partner, judge=judge, reader=reader, tasks=tasks, limit=limit,
            seed=seed, settings=settings, data=data, attempts=attempts,
        )  # fmt: skip

    play.__name__ = play.__qualname__ = name
    task: Callable[..., Any] = inspect_ai.task(name=name)(play)
    return task


def _task_names() -> dict[str, tuple[str, ...]]:
    """By name of task the worlds that it plays: each by itself, and those with a common first
    word."""
    worlds = names("sociolab.worlds")
    families: dict[str, list[str]] = defaultdict(list)
    for world in worlds:
        families[world.partition("-")[0]].append(world)
    together = {
        name: tuple(several)
        for name, several in families.items()
        if len(several) > 1 and name not in several
    }
    return together | {world.replace("-", "_"): (world,) for world in worlds}


TASKS = {name: _register(name, worlds) for name, worlds in _task_names().items()}
"""Inspect's tasks by name; an entry point has Inspect load this module."""
