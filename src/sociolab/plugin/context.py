"""What is handed to a world's own command: the store, models whose replies are kept, a voice?"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel
from rich.console import Console

from sociolab.core.ports import ChatModel
from sociolab.models.config import EndpointSpec
from sociolab.report.schema import RunResult
from sociolab.report.section import Section, documents
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

    def kept(
        self, world: str, about: tuple[str, Mapping[str, str | None]]
    ) -> AbstractContextManager[str]:
        """While this is open, replies are kept in a run without trials, and found there.

        `about` is the kind of work and what it is done with: the same again finds the same replies.
        """
        ...


class Findings(Protocol):
    """What a command found, to print."""

    @property
    def sections(self) -> Sequence[Section]:
        """What stands in the terminal and on a page; what `show` prints is none of it."""
        ...

    @property
    def results(self) -> Sequence[RunResult]:
        """The runs that a page of it is about."""
        ...

    def show(self, console: Console) -> None:
        """Print what is no section."""
        ...

    def document(self) -> dict[str, Any]:
        """All of it as one JSON object."""
        ...


@dataclass(frozen=True, slots=True)
class SectionFindings:
    """Findings that are sections and nothing else."""

    sections: Sequence[Section]
    results: Sequence[RunResult] = ()

    def show(self, console: Console) -> None:
        """Nothing: the sections say it all."""

    def document(self) -> dict[str, Any]:
        """The sections as one JSON object."""
        return {"sections": documents(self.sections)}


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
