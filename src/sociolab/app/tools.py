"""Run the commands and recipes of worlds, with access to the store, models and a budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel

from sociolab.app.data.importing import OWN, Import, Reader, import_anything
from sociolab.app.players.models import Models, ModelSpec, parse
from sociolab.app.registry import world_plugin, worlds_that
from sociolab.app.run.config import JudgeConfig, RunConfig
from sociolab.app.run.play import Progress, run_async
from sociolab.app.run.session import check_description, models_among, run_for_replies
from sociolab.app.run_sync import run_sync
from sociolab.core.errors import ConfigError
from sociolab.core.ports import ChatModel
from sociolab.models.budget import Budget
from sociolab.models.config import EndpointSpec
from sociolab.plugin.context import Findings, Tool
from sociolab.plugin.options import Described, ModelAccess, checked
from sociolab.report.exam import EXAM
from sociolab.report.result import result_of
from sociolab.report.schema import RunResult
from sociolab.report.words import money, plural
from sociolab.runner.progress import TalliedReplies, Tally
from sociolab.store.connect import store_path
from sociolab.store.store import Store


@dataclass(slots=True)
class Lab:
    """The `plugin.context.Context` of one call of a command."""

    access: ModelAccess
    models: Models
    replies: TalliedReplies
    budget: Budget
    say: Callable[[str], None]
    opened: ExitStack
    readers: Mapping[str, Reader] = field(default_factory=dict)
    _store: Store | None = None

    @property
    def store(self) -> Store:
        """The open store; it is opened at first use, and must exist."""
        if self._store is None:
            store = Store.open(store_path(self.access.store), create=False)
            self._store = self.opened.enter_context(store)
        return self._store

    @property
    def base_url(self) -> str | None:
        return self.access.base_url

    def tell(self, step: str) -> None:
        self.say(step)

    def model(self, spec: str, flag: str) -> ChatModel:
        return self.models.cached(_model_spec(spec, flag), self.replies, self.budget)

    def embedder(self, spec: str, flag: str) -> ChatModel:
        return self.models.embedder(spec, self.replies, self.budget, flag)

    def endpoint(self, spec: str, flag: str) -> tuple[EndpointSpec, str]:
        parsed = _model_spec(spec, flag)
        return self.models.endpoint(parsed), parsed.model

    def estimate(self, run: Mapping[str, Any]) -> Mapping[str, Any]:
        from sociolab.app.preflight.estimate import estimate

        config = self._complete(RunConfig, run)
        stored = self._stored(str(config.name))
        played = stored.run(str(config.name)).played if stored else 0
        expected = estimate(config)
        return expected.document() | {"exams": expected.exam_documents(), "played": played}

    async def play(self, runs: Sequence[Mapping[str, Any]]) -> Sequence[RunResult]:
        configs = [self._complete(RunConfig, run) for run in runs]
        for config in configs:
            check_description(config)
        exams = self._cost_of_exams()
        results: list[RunResult] = []
        names = [str(config.name) for config in configs]
        for number, config in enumerate(configs, 1):
            self.tell(f"{number} of {plural(len(configs), 'run')}: {config.name}")
            budget = self._remaining_budget(str(config.name), names, exams)
            bounded = config.model_copy(update={"budget": budget})
            played = await run_async(bounded, on_progress=_progress_reporter(self.tell))
            results.append(played.result)
            if results[-1].stopped:
                break
        return results

    async def judge(
        self,
        runs: Sequence[str],
        judges: Sequence[str],
        settings: Mapping[str, str],
        exam: Literal["on", "off"] = "on",
    ) -> Sequence[RunResult]:
        from sociolab.app.run.judge import judge_run_async

        results = []
        choice = {"judges": judges, "settings": settings, "exam": exam}
        exams = self._cost_of_exams()
        for run in runs if judges else ():
            config = self._complete(JudgeConfig, choice)
            bounded = config.model_copy(update={"budget": self._remaining_budget(run, runs, exams)})
            self.tell(f"judging {run}")
            results.append((await judge_run_async(run, bounded, repeats=1)).result)
            if results[-1].stopped:
                return results
        return [result_of(self.store, run) for run in runs]

    async def estimate_judging(
        self,
        run: str,
        judges: Sequence[str],
        settings: Mapping[str, str],
        exam: Literal["on", "off"] = "on",
    ) -> Mapping[str, Any]:
        from sociolab.app.preflight.judging_estimate import estimate_judging_in

        choice = {"judges": judges, "settings": settings, "exam": exam}
        config = self._complete(JudgeConfig, choice)
        expected = await estimate_judging_in(self.store, run, config)
        played = {"trials": expected.trials + expected.done, "played": expected.done}
        return expected.document() | {"exams": expected.exam_documents()} | played

    def import_file(
        self, format: str, path: Path, name: str, *, run: str = "", duplicates: str = "refuse"
    ) -> tuple[str, ...]:
        request = Import(path, name, False, self.access.store, run=run, duplicates=duplicates)
        return import_anything(format, request, self.readers)

    def runs_with(self, trials: Collection[str]) -> tuple[str, ...]:
        if not store_path(self.access.store).exists():
            return ()
        runs = self.store.runs_with(trials)
        return tuple(run for run in runs if {*trials} <= {*self.store.trial_ids(run)})

    async def stand_ins(self, specs: Sequence[str]) -> tuple[str, ...]:
        return await self.models.stand_ins(models_among(*specs))

    def _remaining_budget(self, run: str, runs: Sequence[str], exams: float) -> float | None:
        """The budget of one of these runs: what the others, and exams beyond those that had cost
        `exams` dollars before, have not spent. The run itself subtracts what it has spent."""
        if self.access.budget is None:
            return None
        spent = self._cost_of_exams() - exams
        for name in runs:
            if name != run and (stored := self._stored(name)):
                spent += stored.calls.totals(name).usd or 0.0
        return max(self.access.budget - spent, 0)

    def _cost_of_exams(self) -> float:
        """Dollars that all exams in the store have cost so far; they are runs of their own."""
        if self.access.budget is None or not store_path(self.access.store).exists():
            return 0.0
        names = [row.name for row in self.store.runs() if row.keeps == EXAM]
        return sum(self.store.calls.totals(name).usd or 0.0 for name in names)

    def _complete(self, kind: type[Described], fields: Mapping[str, Any]) -> Described:
        access = {name: getattr(self.access, name) for name in ModelAccess.model_fields}
        return checked(kind, {**access, **fields}, "run")

    def _stored(self, run: str) -> Store | None:
        """The store, if it exists and holds this run."""
        if not store_path(self.access.store).exists():
            return None
        return self.store if self.store.has_run(run) else None

    @contextmanager
    def keep_replies(
        self, world: str, about: tuple[str, Mapping[str, str | None]]
    ) -> Iterator[str]:
        path = store_path(self.access.store)
        with run_for_replies(self.store, path, world, about, self.replies) as run:
            self.budget.carry_over(self.store.calls.totals(run))
            yield run


_REPORT_EVERY = 10.0
"""Seconds."""


def _progress_reporter(tell: Callable[[str], None]) -> Callable[[Progress], None]:
    """A callback that reports a run's progress, at most every `_REPORT_EVERY` seconds."""
    last = time.monotonic()

    def report(state: Progress) -> None:
        nonlocal last
        if time.monotonic() - last >= _REPORT_EVERY:
            last = time.monotonic()
            tell(f"{state.run}: {state.done:,}/{plural(state.total, 'trial')}, {money(state.usd)}")

    return report


def _model_spec(text: str, flag: str) -> ModelSpec:
    spec = parse(text, flag)
    if isinstance(spec, ModelSpec):
        return spec
    raise ConfigError(f'--{flag}: expected a model such as openai/MODEL, found "{text}"')


ToolKind: TypeAlias = Literal["tools", "recipes"]
"""Commands of a world, or recipes for the tables of its paper."""


def tool_names(kind: ToolKind = "tools") -> tuple[str, ...]:
    worlds = map(world_plugin, worlds_that(lambda world: bool(getattr(world, kind))))
    return tuple(dict.fromkeys(name for world in worlds for name in getattr(world, kind)))


def find_tool(name: str, kind: ToolKind = "tools") -> Tool | None:
    """The command with this name, of the first world that has one; None where no world has."""
    worlds = worlds_that(lambda world: name in getattr(world, kind))
    tool: Tool | None = getattr(world_plugin(worlds[0]), kind)[name]() if worlds else None
    return tool


def run_tool(
    tool: Tool,
    config: BaseModel,
    tell: Callable[[str], None],
    store: Path | None = None,
    readers: Mapping[str, Reader] = OWN,
) -> Findings:
    """Run a command and return its findings; `store` is used where its config names none, and
    `readers` read the formats that no world does."""
    access = config
    if not isinstance(access, ModelAccess):
        access = ModelAccess(store=getattr(config, "store", None) or store)
    elif store is not None and access.store is None:
        access = access.model_copy(update={"store": store})

    async def work() -> Findings:
        with ExitStack() as opened:
            models, replies = Models(access), TalliedReplies(Tally())
            lab = Lab(access, models, replies, Budget(access.budget), tell, opened, readers)
            try:
                return await tool.run(lab, config)
            finally:
                await models.close()

    return run_sync(work)
