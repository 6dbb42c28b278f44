"""A world's own command (`Tool`), what it can use (`Context`) and what it returns (`Findings`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import BaseModel

from sociolab.core.ports import ChatModel
from sociolab.models.config import EndpointSpec
from sociolab.report.finding import documents, tidy_rows
from sociolab.report.schema import RunResult
from sociolab.report.section import Section
from sociolab.store.store import Store


class Context(Protocol):
    """The store, models within a budget, and runs, for a command of a world."""

    @property
    def store(self) -> Store:
        """The open store."""
        ...

    @property
    def base_url(self) -> str | None:
        """The address of --base-url, for openai/MODEL; None without."""
        ...

    def tell(self, step: str) -> None:
        """Report progress to the user."""
        ...

    def model(self, spec: str, flag: str) -> ChatModel:
        """The model of a spec such as openai/MODEL, whose replies are stored, and whose cost counts
        against the budget; ConfigError, naming the flag, for another spec."""
        ...

    def embedder(self, spec: str, flag: str) -> ChatModel:
        """The embedding model of a spec such as openai/MODEL, or from a checkpoint's folder. Each
        message is a text, each line of the reply its vector (`models.vectors`); stored and paid as
        for `model`."""
        ...

    def endpoint(self, spec: str, flag: str) -> tuple[EndpointSpec, str]:
        """The endpoint of a spec's model, and the model's name there."""
        ...

    def estimate(self, run: Mapping[str, Any]) -> Mapping[str, Any]:
        """The JSON object of a dry run, with the number of trials "played" already, and the
        "exams" that its judges have not sat: judge, world, "run" (which several runs may share),
        "calls" and "cost_usd".

        `run` has the fields of a file for `run --file`. No model is called, and nothing is stored.
        """
        ...

    async def play(self, runs: Sequence[Mapping[str, Any]]) -> Sequence[RunResult]:
        """Play named runs, or resume them, one after the other, within the budget.

        There are fewer results than runs if it stopped early. ConfigError, before anything is
        played, where a description is invalid.
        """
        ...

    async def judge(
        self,
        runs: Sequence[str],
        judges: Sequence[str],
        settings: Mapping[str, str],
        exam: Literal["on", "off"] = "on",
    ) -> Sequence[RunResult]:
        """Judge stored runs with these models, where scores are missing, and return the results;
        `settings` may name a prompt set."""
        ...

    async def estimate_judging(
        self,
        run: str,
        judges: Sequence[str],
        settings: Mapping[str, str],
        exam: Literal["on", "off"] = "on",
    ) -> Mapping[str, Any]:
        """The JSON object of a dry run of `judge`; its trials are the played episodes, and "played"
        counts those that all of these judges have judged."""
        ...

    def import_file(
        self, format: str, path: Path, name: str, *, run: str = "", duplicates: str = "refuse"
    ) -> tuple[str, ...]:
        """`sociolab import FORMAT PATH --name NAME`; returns what it says. ConfigError for a file
        that cannot be imported. The store is made if there is none."""
        ...

    def runs_with(self, trials: Collection[str]) -> tuple[str, ...]:
        """The stored runs that have all of these trials."""
        ...

    async def stand_ins(self, specs: Sequence[str]) -> tuple[str, ...]:
        """The labels of those models that the local stand-in endpoint serves."""
        ...

    def keep_replies(
        self, world: str, about: tuple[str, Mapping[str, str | None]]
    ) -> AbstractContextManager[str]:
        """In its context, replies of `model` are stored in a run without trials, whose name it
        yields.

        `about` is a kind of work and its parameters; the same work finds its stored replies.
        """
        ...


@dataclass(frozen=True, slots=True)
class Findings:
    """The result of a command: sections to print and, with its runs, for a page.

    `figures` is its JSON object; None stands for the sections. `rows` become its CSV file; if there
    are none, it has a line for each figure in the tables.
    """

    sections: Sequence[Section]
    results: Sequence[RunResult] = ()
    figures: Mapping[str, Any] | None = None
    rows: Sequence[Mapping[str, Any]] = ()

    def document(self) -> dict[str, Any]:
        if self.figures is None:
            return {"sections": documents(self.sections)}
        return dict(self.figures)

    def figure_rows(self) -> Sequence[Mapping[str, Any]]:
        """The rows of the CSV file."""
        tables = (table for section in self.sections for table in section.tables)
        return self.rows or list(tidy_rows(tables))


@dataclass(frozen=True, slots=True)
class Tool:
    """A command of a world, `sociolab NAME`.

    The fields of `config` are its options (see `plugin.options`); a config that inherits
    `StoreAccess` or `ModelAccess` has their options, too. `about` is its help, and `example` the
    arguments of the example there. `page`: whether --html, --latex, --markdown and --csv write its
    findings. `demo` makes the config for `sociolab demo` from the names of the runs by world; None
    if it has nothing to show.
    """

    config: type[BaseModel]
    run: Callable[[Context, Any], Coroutine[Any, Any, Findings]]
    about: str = ""
    example: str = ""
    page: bool = False
    demo: Callable[[Mapping[str, str]], BaseModel | None] | None = None
