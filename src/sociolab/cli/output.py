"""What verbs print: results as tables or JSON on stdout; remarks, and what failed, on stderr."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sociolab.core.errors import ConfigError

if TYPE_CHECKING:
    from rich.console import Console

    from sociolab.analysis.agent_labels import AgentNames
    from sociolab.report.result import RunResult
    from sociolab.report.section import Section, Spec
    from sociolab.store.store import Store


_ENDLESS = 100_000
"""Columns into a pipe or a file: more than any line has."""


def endless() -> bool:
    """Whether lines are printed whole: into a pipe or a file, unless COLUMNS says how wide."""
    return not sys.stdout.isatty() and not os.environ.get("COLUMNS", "").isdigit()


def console() -> Console:
    """Where tables are printed: as wide as the terminal, and else as wide as they are."""
    from rich.console import Console

    return Console(width=_ENDLESS) if endless() else Console()


@contextmanager
def resumable(remark: str) -> Iterator[None]:
    """Work that Ctrl-C ends with a sentence on what is kept."""
    try:
        yield
    except KeyboardInterrupt:
        say(f"interrupted; {remark}")
        raise typer.Exit(130) from None


def say(text: str) -> None:
    """A remark for the reader at the terminal, beside the result."""
    typer.echo(text, err=True)


def confirm(question: str, sure: bool) -> None:
    """Go on only where the user is sure, or says so; exit code 1 if not.

    ConfigError where nobody answers.
    """
    try:
        if sure or typer.confirm(question, err=True):
            return
    except typer.Abort as gone:
        say("")
        if sys.stdin.isatty():
            raise KeyboardInterrupt from gone
        raise ConfigError(f"{question} No terminal to ask at; add --yes to confirm") from gone
    say("nothing was deleted")
    raise typer.Exit(1)


def print_json(document: dict[str, Any]) -> None:
    """A document on stdout."""
    typer.echo(json.dumps(document, ensure_ascii=False, indent=2))


def show_sections(
    sections: Sequence[Section],
    document: Callable[[], dict[str, Any]],
    *,
    as_json: bool,
    written: Iterable[Path | None] = (),
) -> None:
    """Sections on the terminal, or the document that says the same; and which files there are."""
    if as_json:
        print_json(document())
    else:
        from sociolab.report.terminal import printed

        console().print(printed(sections, endless=endless()))
    say_written(written)


def say_written(files: Iterable[Path | None]) -> None:
    """Which files there are now; None: one that was not wanted."""
    for file in files:
        if file is not None:
            say(f"wrote {file}")


@dataclass(frozen=True, slots=True)
class VerbResult:
    """What a verb found, for every medium: sections, the document that says the same, and rows.

    The page is of these runs, whose agents and judges it calls by `names`, with these sections
    first. `printed` and `paper` are the sections for the terminal and for LaTeX and Markdown,
    where these are others; `rows` have the same keys each; `figure` is what is drawn.
    """

    runs: Sequence[str]
    sections: Sequence[Section]
    document: Callable[[], dict[str, Any]]
    rows: Callable[[], Sequence[Mapping[str, Any]]] = tuple
    figure: Spec | None = None
    printed: Sequence[Section] | None = None
    paper: Sequence[Section] | None = None
    names: AgentNames | None = None


@dataclass(frozen=True, slots=True)
class Media:
    """Where a verb's result goes, as its flags say: to these files, and to the terminal as tables
    or as JSON. ConfigError, before any work, where no figure can be drawn into its file."""

    html: Path | None = None
    latex: Path | None = None
    markdown: Path | None = None
    csv: Path | None = None
    figure: Path | None = None
    json: bool = False

    def __post_init__(self) -> None:
        if self.figure is not None:
            from sociolab.report.figures import drawing

            drawing(self.figure)

    def show(self, store: Store, result: VerbResult) -> None:
        """Write the files that are wanted, print the rest, and say which files there are."""
        settings = [store.run(run).settings for run in result.runs]
        self.write_page(store, result)
        written = [self.html, *self.write_files(result, settings)]
        printed = result.sections if result.printed is None else result.printed
        show_sections(printed, result.document, as_json=self.json, written=written)

    def write_page(self, store: Store, result: VerbResult) -> None:
        """Write the page, if one is wanted."""
        if self.html is not None:
            from sociolab.analysis.agent_labels import AS_LABELLED
            from sociolab.app.results import write_page
            from sociolab.report.result import details_of

            names = result.names or AS_LABELLED
            details = [names.details(details_of(store, run)) for run in result.runs]
            write_page(store, details, self.html, result.sections, names=names)

    def write_files(self, result: VerbResult, settings: Sequence[object] = ()) -> list[Path]:
        """Write the tables for a paper, the rows as CSV (ConfigError without any) and the figure,
        those that are wanted, and return which these are. By the `settings` of the runs, tables and
        figure say where no language model replied."""
        from sociolab.report import export
        from sociolab.report.section import noted
        from sociolab.report.words import stand_in_notes

        served = stand_in_notes(*settings)
        paper = result.sections if result.paper is None else result.paper
        for path, text_of in ((self.latex, export.latex), (self.markdown, export.markdown)):
            if path is not None:
                export.write_report(path, text_of([noted(section, served) for section in paper]))
        if self.csv is not None:
            if not (rows := result.rows()):
                raise ConfigError(f"{self.csv} is not written: no figure has a value")
            heads = [key for key, value in rows[0].items() if not isinstance(value, list)]
            cells = ([row[key] for key in heads] for row in rows)
            export.write_report(self.csv, export.csv_text(heads, cells))
        if self.figure is not None and result.figure is not None:
            from sociolab.report.figures import write_figure

            write_figure(self.figure, result.figure, served)
        files = (self.latex, self.markdown, self.csv, self.figure)
        return [path for path in files if path is not None]


def show_result(
    result: RunResult,
    path: Path | None,
    *,
    as_json: bool,
    full: bool = False,
    details: bool = False,
    rename: Mapping[str, str] | None = None,
) -> None:
    """A run in at most 40 lines, or in full, or as its documented JSON object; and what to type
    next."""
    if as_json:
        typer.echo(result.as_json())
        return
    from sociolab.report.run_facts import evaluated
    from sociolab.report.terminal import full_report, overview

    agents = evaluated(result)
    if full or details:
        console().print(full_report(result, details=details, endless=endless()))
    else:
        compared = None
        if len(agents) == 2 and result.scores:
            from sociolab.analysis.run_comparison import two_agents
            from sociolab.store.store import open_store

            with open_store(path) as store:
                compared = two_agents(store, result, rename)
        console().print(overview(result, compared, endless=endless()))
    run = result.run
    steps: list[tuple[str, ...]] = [("list", "episodes", "--run", run)]
    if len(agents) == 2:
        steps.insert(0, ("compare", run))
    if not full:
        steps.append(("report", run, "--full"))
    say_next(steps, path)


def say_next(steps: Sequence[Sequence[str]], store: Path | None) -> None:
    """What to type next, a command a line."""
    where = ("--store", str(store)) if store else ()
    typed = [shlex.join(("sociolab", *words, *where)) for words in steps]
    say("Next: " + "\n      ".join(typed))
