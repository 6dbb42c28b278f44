"""`sociolab build stss-talk`: freezes conversation tasks from a simulated town."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from sociolab.core.errors import ConfigError, StoreError
from sociolab.core.user_files import find_data_folder, fresh_folder, imported_folder, writing
from sociolab.engine.scene import FailurePolicy
from sociolab.plugin.context import Context, Findings
from sociolab.plugin.options import Flag, Names, StoreAccess
from sociolab.report.catalogue import Catalogue, Column
from sociolab.report.finding import Count, Finding
from sociolab.report.section import Section
from sociolab.store.connect import checked_name
from sociolab.store.store import Store
from sociolab.worlds.stss.talk.dataset import (
    META,
    REPORT,
    SCENARIOS,
    TalkData,
    TalkScenario,
    TallyRow,
    TaskTally,
    count_selectable,
    count_talks,
    select_talks,
    write_talks,
)
from sociolab.worlds.stss.talk.freezing import Watch, freeze_episode, freeze_towns, load_town
from sociolab.worlds.stss.world import StssSettings

SAY = Catalogue("build", "sociolab.worlds.stss.notes")
WORLD: Literal["stss-talk"] = "stss-talk"
MOST_SEEDS = 1000
SCRIPTED_DAYS = "scripted players of the mind of Generative Agents (rule-based)"
"""Who lives the days of a set that is built without a run."""


class TalkBuild(StoreAccess):
    """The configuration of `sociolab build`: `total` talks from the towns of `seeds` ("1-6",
    "1,4"), stored as an imported data set under `name`, or in a folder `out`, which is also its
    name by default. `data` names another town than our own, whose tasks each seed simulates in
    its own way. `run` names stored runs of the world stss to freeze instead, whoever played them:
    of each the first episode of each task, and of an unfinished one the hours played so far. `note`
    is what whoever reads the set should know of it."""

    world: Annotated[Literal["stss-talk"], Flag("WORLD", "WORLD", "stss-talk.")] = WORLD
    seeds: Annotated[str, Flag("--seeds", "N-M", "Random seeds of the simulated towns.")] = "1-6"
    total: Annotated[int, Flag("--total", "N", "Conversation tasks.")] = Field(default=325, ge=1)
    data: Annotated[str | None, Flag("--data", "TOWN", "An imported town; default: ours.")] = None
    run: Annotated[
        Names, Flag("--run", "RUN", "A stored run of stss, instead of simulating. Repeatable.")
    ] = ()
    name: Annotated[str | None, Flag("--name", "NAME", "Name of the data set.")] = None
    out: Annotated[
        Path | None, Flag("--out", "DIR", "The folder to write; also names the data set.")
    ] = None
    note: Annotated[str, Flag("--note", "TEXT", "A remark kept with the set.")] = ""
    replace: Annotated[bool, Flag("--replace", "", "Replace an existing one of this name.")] = False

    @property
    def command(self) -> str:
        """The command line that builds the same again."""
        runs = [part for run in self.run for part in ("--run", run)]
        lived = runs or ["--seeds", self.seeds]
        parts = ["sociolab", "build", WORLD, *lived, "--total", str(self.total)]
        parts += ["--data", self.data] if self.data else []
        parts += ["--name", self.name] if self.name else []
        parts += ["--out", str(self.out)] if self.out else []
        parts += ["--note", self.note] if self.note else []
        return shlex.join(parts)


@dataclass(frozen=True, slots=True)
class Built:
    """What was built: the set, its folder, its tally, and from how many candidates."""

    data: TalkData
    folder: Path
    tally: TaskTally
    candidates: int


def build_talks(config: TalkBuild, watch: Watch, store: Store | None = None) -> Built:
    """Simulate the tasks of all seeds, or take those of a stored run, freeze talks, choose among
    them and write the set.

    ConfigError where the configuration is wrong, something of that name exists already, or fewer
    talks were frozen than requested. If interrupted, it leaves nothing behind.
    """
    seeds = parse_seeds(config.seeds)
    name, target = _data_set_name(config), _target_folder(config)
    if config.run and config.data:
        raise ConfigError("--data: a run has its own town; leave out --data or --run")
    folder = None if config.data is None else find_data_folder("stss", config.data)
    with fresh_folder(target) as scratch:
        if config.run and store is not None:
            lives = [_freeze_run(store, run, watch) for run in config.run]
            by_id = {talk.id: talk for life in reversed(lives) for talk in reversed(life.talks)}
            talks, version = [*reversed(by_id.values())], lives[0].version
            lived_by = ", ".join(dict.fromkeys(who for life in lives for who in life.lived_by))
            where = f"the run {', '.join(config.run)}"
        else:
            talks, lived_by = freeze_towns(folder, seeds, config.total, watch), SCRIPTED_DAYS
            version = load_town(folder, seeds[0]).version
            where = f"the towns of the seeds {config.seeds}"
        possible = count_selectable(talks)
        if possible < config.total:
            raise ConfigError(
                f"expected {config.total} conversation tasks, two of a pair at most, found "
                f"{possible} in {where}; ask for fewer with --total"
                + ("" if config.run else ", or name more --seeds")
            )
        chosen = select_talks(talks, config.total)
        data = TalkData(name, version, chosen, lived_by, config.note)
        with writing(target):
            write_talks(scratch, data, config.command)
    return Built(data, target, count_talks(data.scenarios), len(talks))


@dataclass(frozen=True, slots=True)
class _FrozenRun:
    """The talks frozen from a run, the version of its town, and who lived there."""

    talks: list[TalkScenario]
    version: str
    lived_by: tuple[str, ...]


def _freeze_run(store: Store, name: str, watch: Watch) -> _FrozenRun:
    run = store.run(name)
    if run.world != "stss":
        raise ConfigError(f"--run: expected a run of stss, found {name}, a run of {run.world}")
    stored = run.settings if isinstance(run.settings, dict) else {}
    settings = StssSettings.model_validate(run.world_settings)
    on_failure: Any = stored.get("on_failed_turn", "skip")
    policy = FailurePolicy(int(str(stored.get("attempts", 3))), on_failure)
    begun = [row for row in store.trials(name) if row.status in ("played", "playing")]
    first = {row.trial.task.id: row for row in reversed(begun)}
    talks: list[TalkScenario] = []
    members: set[str] = set()
    for number, row in enumerate(reversed(first.values()), 1):
        whole = row.status == "played"
        talks += freeze_episode(store.episode(name, row.trial.id), settings, policy, whole=whole)
        members |= {member.agent for member in row.trial.cast}
        watch(number, len(first), len(talks))
    data: Any = stored.get("data")
    ruled = [agent for agent in members if run.declared.agents.get(agent) == "rules"]
    lived_by = (f"{agent} (rule-based)" if agent in ruled else agent for agent in sorted(members))
    return _FrozenRun(talks, str(data[1]), tuple(lived_by))


def parse_seeds(text: str) -> tuple[int, ...]:
    """Parse numbers and ranges into sorted seeds, each once; ConfigError for anything else.

    >>> parse_seeds("7-9,1,3")
    (1, 3, 7, 8, 9)
    """
    seeds: set[int] = set()
    for part in text.split(","):
        matched = re.fullmatch(r"\s*(\d{1,9})(?:-(\d{1,9}))?\s*", part)
        first, last = (int(matched[1]), int(matched[2] or matched[1])) if matched else (1, 0)
        if not 0 <= last - first < MOST_SEEDS:
            raise ConfigError(
                f"--seeds: expected numbers such as 1-6 or 1,4,7, at most {MOST_SEEDS} of them, "
                f'found "{text}"'
            )
        seeds.update(range(first, last + 1))
    return tuple(sorted(seeds))


# ------------------------------------------------------------------ where it lies


def _data_set_name(config: TalkBuild) -> str:
    """The name of the set, as given or from its folder; ConfigError where it is not a
    valid name."""
    if config.name is not None:
        return _check_name(config.name, "--name", "choose another")
    if config.out is not None:
        return _check_name(config.out.resolve().name, "--out", "name another, or add --name NAME")
    raise ConfigError(
        "expected --name NAME, to be played with --data NAME, or --out DIR, or both; found neither"
    )


def _check_name(name: str, flag: str, advice: str) -> str:
    try:
        return checked_name(name)
    except StoreError as error:
        raise ConfigError(
            f"{flag}: expected as name of the data set 1 to 80 letters, digits, dots, underscores "
            f'and hyphens, the first a letter or digit, found "{name[:100]}"; {advice}'
        ) from error


def _target_folder(config: TalkBuild) -> Path:
    """The folder to write; ConfigError if it holds something that must stay."""
    if config.out is not None:
        target = config.out.absolute()
        try:
            return _check_folder(target, replace=config.replace)
        except OSError as error:
            raise ConfigError(
                f"--out: {target} cannot be looked into: {error.strerror}; name another"
            ) from error
    target = imported_folder(WORLD, _data_set_name(config))
    if target.exists() and not config.replace:
        raise ConfigError(
            f'a data set called "{config.name}" is there already; choose another --name, or '
            "add --replace"
        )
    return target


def _check_folder(target: Path, *, replace: bool) -> Path:
    if not target.exists():
        return target
    if not target.is_dir():
        raise ConfigError(f"--out: expected a folder, found the file {target}; name another")
    foreign = sorted({entry.name for entry in target.iterdir()} - {META, SCENARIOS, REPORT})
    if foreign:
        raise ConfigError(
            f'--out: expected an empty folder or an older set, found "{foreign[0]}" in {target}; '
            "name another"
        )
    if any(target.iterdir()) and not replace:
        raise ConfigError(
            f"--out: {target} holds a set already; name another folder, or add --replace"
        )
    return target


# ------------------------------------------------------------------ as a command


async def build_command(lab: Context, config: TalkBuild) -> Findings:
    """Build, and report progress every few seconds."""
    last_report = [time.monotonic()]

    def watch(done: int, total: int, frozen: int) -> None:
        moment = time.monotonic()
        if done and done < total and moment - last_report[0] < _REPORT_EVERY:
            return
        last_report[0] = moment
        what = "episodes read" if config.run else "towns simulated"
        lab.tell(f"{done}/{total} {what}, {frozen} conversations frozen")

    built = build_talks(config, watch, lab.store if config.run else None)
    data, where = built.data, str(config.out) if config.out else built.data.name
    sentences = (
        SAY("frozen", n=len(data.scenarios), candidates=built.candidates, hash=data.hash),
        SAY("written", folder=str(built.folder), world=WORLD, data=where),
    )
    seeds = (Column(f"{seed}", f"{seed}", f"seed {seed}") for seed in built.tally.seeds)
    columns: tuple[str | Column, ...] = ("type", "task", "all", *seeds)
    table = SAY.table("tally", _tally_findings(built.tally), columns=columns)
    section = Section(SAY("title", name=data.name), sentences, (), (table,))
    figures = {"name": data.name, "hash": data.hash, "talks": len(data.scenarios)}
    return Findings((section,), figures=figures)


_REPORT_EVERY = 5.0
"""Seconds."""


def _tally_findings(tally: TaskTally) -> Iterator[Finding]:
    """How many conversations there are of each task and seed, then of each type, then of all."""

    def finding(kind: str, task: str, rows: Sequence[TallyRow]) -> Finding:
        by_seed = zip(*(row.by_seed for row in rows), strict=True)
        sums = {f"seed {seed}": sum(n) for seed, n in zip(tally.seeds, by_seed, strict=True)}
        count = sum(row.count for row in rows)
        return Finding(about={"type": kind, "task": task}, more={"all": count, **sums})

    for kind, rows in tally.types:
        yield from (finding(kind, row.task, [row]) for row in rows)
        yield finding(kind, str(Count("task", len(rows))), rows)
    yield finding("all", str(Count("task", len(tally.rows))), tally.rows)
