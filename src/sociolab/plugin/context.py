"""What is handed to a world's own command: the store, models whose replies are kept, a voice?"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from pydantic import BaseModel

from sociolab.core.ports import ChatModel
from sociolab.models.config import EndpointSpec
from sociolab.report.finding import documents, tidy_rows
from sociolab.report.schema import RunResult
from sociolab.report.section import Section
from sociolab.store.store import Store


class Context(Protocol):
    """All of it. `store` is open; `tell` hears of slow steps."""

    @property
    def store(self) -> Store:
        """The store, open."""
        ...

    @property
    def base_url(self) -> str | None:
        """Where openai/MODEL is served, if it was said."""
        ...

    def tell(self, step: str) -> None:
        """Say how far the work is."""
        ...

    def model(self, spec: str, flag: str) -> ChatModel:
        """The model of a spec such as openai/MODEL, its replies kept and its money counted;
        ConfigError, naming the flag, where the spec is none."""
        ...

    def endpoint(self, spec: str, flag: str) -> tuple[EndpointSpec, str]:
        """Where the model of a spec is served, and what it is called there."""
        ...

    def estimate(self, run: Mapping[str, Any]) -> Mapping[str, Any]:
        """What a run would take, described as in a file for `run --file`: the JSON object of its
        dry run, how many of its trials are "played" already, and the "exams" that its judges have
        not sat: judge, world, "run" (several runs may have one in common), "calls" and "cost_usd".
        Nothing is called or stored."""
        ...

    async def play(self, runs: Sequence[Mapping[str, Any]]) -> Sequence[RunResult]:
        """Play these named runs one after the other, or what is missing of them, with the models
        and within the budget of this work; fewer results where it stopped early.

        ConfigError, before anything is played, where a description is wrong.
        """
        ...

    async def judge(
        self,
        runs: Sequence[str],
        judges: Sequence[str],
        settings: Mapping[str, str],
        exam: Literal["on", "off"] = "on",
    ) -> Sequence[RunResult]:
        """Have stored runs judged by these models, where they have not judged yet, by the prompts
        that the settings name; their results."""
        ...

    async def estimate_judging(
        self,
        run: str,
        judges: Sequence[str],
        settings: Mapping[str, str],
        exam: Literal["on", "off"] = "on",
    ) -> Mapping[str, Any]:
        """What such a judging would take, as `estimate`; its trials are the episodes that were
        played, "played" those that all of these have judged."""
        ...

    async def stand_ins(self, specs: Sequence[str]) -> tuple[str, ...]:
        """Those of these models that the local stand-in endpoint serves, by label."""
        ...

    def kept(
        self, world: str, about: tuple[str, Mapping[str, str | None]]
    ) -> AbstractContextManager[str]:
        """While this is open, replies are kept in a run without trials, and found there.

        `about` is the kind of work and what it is done with: the same again finds the same replies.
        """
        ...


@dataclass(frozen=True, slots=True)
class Findings:
    """What a command found: sections for the terminal, and for a page that is about these runs.

    `figures` are its JSON object; None: the sections as they stand. `rows` are its CSV file, a
    record a line; empty: a line for each figure of the findings in its tables.
    """

    sections: Sequence[Section]
    results: Sequence[RunResult] = ()
    figures: Mapping[str, Any] | None = None
    rows: Sequence[Mapping[str, Any]] = ()

    def document(self) -> dict[str, Any]:
        """All of it as one JSON object."""
        if self.figures is None:
            return {"sections": documents(self.sections)}
        return dict(self.figures)

    def figure_rows(self) -> Sequence[Mapping[str, Any]]:
        """What a CSV file holds."""
        tables = (table for section in self.sections for table in section.tables)
        return self.rows or list(tidy_rows(tables))


@dataclass(frozen=True, slots=True)
class Tool:
    """A command of a world, `sociolab NAME`: what it is asked (`config`, whose fields are its
    options, see `plugin.options`), and how it is done.

    A config that inherits `StoreAccess` or `ModelAccess` has their options, too. `about` is its
    help, `example` what to write behind its name. `page`: its sections can be written as a page,
    about the runs of its findings. `demo` is what to ask it in a demonstration, of the runs of each
    world, by name.
    """

    config: type[BaseModel]
    run: Callable[[Context, Any], Coroutine[Any, Any, Findings]]
    about: str = ""
    example: str = ""
    page: bool = False
    demo: Callable[[Mapping[str, str]], BaseModel | None] | None = None
