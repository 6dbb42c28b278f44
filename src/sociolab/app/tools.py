"""How is a command of a world run: with the store open, models kept, and money counted?"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel

from sociolab.app.players.models import Models, ModelSpec, parse
from sociolab.app.registry import world_plugin, worlds_that
from sociolab.app.run.config import JudgeConfig, RunConfig
from sociolab.app.run.play import Progress, run_async
from sociolab.app.run.session import check_description, kept_in_a_run, models_among
from sociolab.app.run_sync import run_sync
from sociolab.core.errors import ConfigError
from sociolab.core.ports import ChatModel
from sociolab.models.budget import Budget
from sociolab.models.config import EndpointSpec
from sociolab.plugin.context import Findings, Tool
from sociolab.plugin.options import Described, ModelAccess, checked
from sociolab.report.result import result_of
from sociolab.report.schema import RunResult
from sociolab.report.words import money, plural
from sociolab.runner.progress import TalliedReplies, Tally
from sociolab.store.connect import store_path
from sociolab.store.store import Store


@dataclass(slots=True)
class Lab:
    """The store, the models and the money of one piece of work: a `plugin.context.Context`.

    The store is opened when it is first asked for.
    """

    access: ModelAccess
    models: Models
    replies: TalliedReplies
    budget: Budget
    say: Callable[[str], None]
    opened: ExitStack
    _store: Store | None = None

    @property
    def store(self) -> Store:
        """The store, open."""
        if self._store is None:
            store = Store.open(store_path(self.access.store), create=False)
            self._store = self.opened.enter_context(store)
        return self._store

    @property
    def base_url(self) -> str | None:
        """Where openai/MODEL is served, if it was said."""
        return self.access.base_url

    def tell(self, step: str) -> None:
        """Say how far the work is."""
        self.say(step)

    def model(self, spec: str, flag: str) -> ChatModel:
        """The model of a spec, kept and counted."""
        return self.models.cached(_model_spec(spec, flag), self.replies, self.budget)

    def endpoint(self, spec: str, flag: str) -> tuple[EndpointSpec, str]:
        """Where the model of a spec is served, and what it is called there."""
        parsed = _model_spec(spec, flag)
        return self.models.endpoint(parsed), parsed.model

    def estimate(self, run: Mapping[str, Any]) -> Mapping[str, Any]:
        """The dry run of a run, and how many of its trials are played already."""
        from sociolab.app.preflight.estimate import estimate

        config = self._described(RunConfig, run)
        stored = self._stored(str(config.name))
        played = stored.run(str(config.name)).played if stored else 0
        found = estimate(config)
        return found.document() | {"exams": found.exam_documents(), "played": played}

    async def play(self, runs: Sequence[Mapping[str, Any]]) -> Sequence[RunResult]:
        """Play runs one after the other, within the budget that is left of this work's."""
        configs = [self._described(RunConfig, run) for run in runs]
        for config in configs:
            check_description(config)
        results: list[RunResult] = []
        names = [str(config.name) for config in configs]
        for number, config in enumerate(configs, 1):
            self.tell(f"{number} of {plural(len(configs), 'run')}: {config.name}")
            bounded = config.model_copy(update={"budget": self._left(str(config.name), names)})
            results.append(await run_async(bounded, on_progress=_telling(self.tell)))
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
        """Have stored runs judged, within the budget that is left of this work's."""
        from sociolab.app.run.judge import judge_run_async

        results = []
        choice = {"judges": judges, "settings": settings, "exam": exam}
        for run in runs if judges else ():
            config = self._described(JudgeConfig, choice)
            bounded = config.model_copy(update={"budget": self._left(run, runs)})
            self.tell(f"judging {run}")
            results.append(await judge_run_async(run, bounded, repeats=1))
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
        """What a judging would take, and how many episodes need none."""
        from sociolab.app.preflight.estimate import estimate_judging

        choice = {"judges": judges, "settings": settings, "exam": exam}
        config = self._described(JudgeConfig, choice)
        found, judged = await estimate_judging(self.store, run, config)
        return found.document() | {"exams": found.exam_documents(), "played": judged}

    async def stand_ins(self, specs: Sequence[str]) -> tuple[str, ...]:
        """Those of these models that the local stand-in endpoint serves."""
        return await self.models.stand_ins(models_among(*specs))

    def _left(self, run: str, runs: Sequence[str]) -> float | None:
        """What is left of the budget for one of these runs, which knows what it has spent."""
        if self.access.budget is None:
            return None
        return max(self.access.budget - sum(self._spent(name) for name in runs if name != run), 0)

    def _described(self, kind: type[Described], fields: Mapping[str, Any]) -> Described:
        access = {name: getattr(self.access, name) for name in ModelAccess.model_fields}
        return checked(kind, {**access, **fields}, "run")

    def _stored(self, run: str) -> Store | None:
        """The store, where it holds this run."""
        if not store_path(self.access.store).exists():
            return None
        return self.store if self.store.has_run(run) else None

    def _spent(self, run: str) -> float:
        stored = self._stored(run)
        return (stored.calls.totals(run).usd or 0.0) if stored else 0.0

    @contextmanager
    def kept(self, world: str, about: tuple[str, Mapping[str, str | None]]) -> Iterator[str]:
        """While this is open, replies are kept in a run without trials."""
        path = store_path(self.access.store)
        with kept_in_a_run(self.store, path, world, about, self.replies) as run:
            self.budget.carry_over(self.store.calls.totals(run))
            yield run


_TOLD_EVERY = 10.0
"""Seconds."""


def _telling(tell: Callable[[str], None]) -> Callable[[Progress], None]:
    """Says every few seconds how far a run is."""
    last_told = time.monotonic()

    def progress(state: Progress) -> None:
        nonlocal last_told
        if time.monotonic() - last_told >= _TOLD_EVERY:
            last_told = time.monotonic()
            tell(f"{state.run}: {state.done:,}/{plural(state.total, 'trial')}, {money(state.usd)}")

    return progress


def _model_spec(text: str, flag: str) -> ModelSpec:
    spec = parse(text, flag)
    if isinstance(spec, ModelSpec):
        return spec
    raise ConfigError(f'--{flag}: expected a model such as openai/MODEL, found "{text}"')


ToolKind: TypeAlias = Literal["tools", "recipes"]
"""Commands of a world, or the tables of its paper."""


def tool_names(kind: ToolKind = "tools") -> tuple[str, ...]:
    """The commands of the installed worlds."""
    worlds = map(world_plugin, worlds_that(lambda world: bool(getattr(world, kind))))
    return tuple(dict.fromkeys(name for world in worlds for name in getattr(world, kind)))


def tool_called(name: str, kind: ToolKind = "tools") -> Tool | None:
    """The command of this name of an installed world, of the first that has one; None: of none."""
    worlds = worlds_that(lambda world: name in getattr(world, kind))
    tool: Tool | None = getattr(world_plugin(worlds[0]), kind)[name]() if worlds else None
    return tool


def run_tool(
    tool: Tool, config: BaseModel, tell: Callable[[str], None], store: Path | None = None
) -> Findings:
    """The findings of a tool, in this store where its config names none."""
    access = config
    if not isinstance(access, ModelAccess):
        access = ModelAccess(store=getattr(config, "store", None) or store)
    elif store is not None and access.store is None:
        access = access.model_copy(update={"store": store})

    async def work() -> Findings:
        with ExitStack() as opened:
            models, replies = Models(access), TalliedReplies(Tally())
            lab = Lab(access, models, replies, Budget(access.budget), tell, opened)
            try:
                return await tool.run(lab, config)
            finally:
                await models.close()

    return run_sync(work)
