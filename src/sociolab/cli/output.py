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
"""Width in columns of output into a pipe or a file: more than any line has."""


def endless() -> bool:
    """Whether lines are never wrapped or cut: into a pipe or a file, unless COLUMNS is set."""
    return not sys.stdout.isatty() and not os.environ.get("COLUMNS", "").isdigit()


def console() -> Console:
    """A console for tables, as wide as the terminal; see `endless` for where there is none."""
    from rich.console import Console

    return Console(width=_ENDLESS) if endless() else Console()


@contextmanager
def resumable(remark: str) -> Iterator[None]:
    """End with exit code 130 at Ctrl-C, after a remark on what is stored and how to resume."""
    try:
        yield
    except KeyboardInterrupt:
        say(f"interrupted; {remark}")
        raise typer.Exit(130) from None


def say(text: str) -> None:
    """Print a remark to stderr, so that stdout holds nothing but the result."""
    typer.echo(text, err=True)


def confirm(question: str, sure: bool) -> None:
    """Ask the user, unless they are `sure` already; exit with 1 if they decline.

    ConfigError where there is no terminal to ask at.
    """
    try:
        if sure or typer.confirm(question, err=True):
            return
    except typer.Abort as abort:
        say("")
        if sys.stdin.isatty():
            raise KeyboardInterrupt from abort
        raise ConfigError(f"{question} No terminal to ask at; add --yes to confirm") from abort
    say("nothing was deleted")
    raise typer.Exit(1)


def print_json(document: dict[str, Any]) -> None:
    typer.echo(json.dumps(document, ensure_ascii=False, indent=2))


def show_sections(
    sections: Sequence[Section],
    document: Callable[[], dict[str, Any]],
    *,
    as_json: bool,
    written: Iterable[Path | None] = (),
) -> None:
    """Print sections, or the document with the same content, and name the files written."""
    if as_json:
        print_json(document())
    else:
        from sociolab.report.terminal import printed

        console().print(printed(sections, endless=endless()))
    say_written(written)


def say_written(files: Iterable[Path | None]) -> None:
    """Name the files that were written; None stands for one that was not requested."""
    for file in files:
        if file is not None:
            say(f"wrote {file}")


@dataclass(frozen=True, slots=True)
class VerbResult:
    """What a verb computed, for every medium: sections, the same as a JSON document, and rows.

    A page shows these sections, then the `runs`, with agents and judges renamed by `names`.
    `printed` are the sections for the terminal and `paper` those for LaTeX and Markdown, where
    they differ. All `rows` have the same keys; they become the CSV.
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
    """Where a verb's result goes: into these files, and to the terminal as tables or as JSON.

    ConfigError, before any work, for a figure file of a type that cannot be drawn.
    """

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
        """Write the requested files, print the result, and name the files."""
        settings = [store.run(run).settings for run in result.runs]
        self.write_page(store, result)
        written = [self.html, *self.write_files(result, settings)]
        printed = result.sections if result.printed is None else result.printed
        show_sections(printed, result.document, as_json=self.json, written=written)

    def write_page(self, store: Store, result: VerbResult) -> None:
        if self.html is not None:
            from sociolab.analysis.agent_labels import AS_LABELLED
            from sociolab.app.results import write_page
            from sociolab.report.result import details_of

            names = result.names or AS_LABELLED
            details = [names.details(details_of(store, run)) for run in result.runs]
            write_page(store, details, self.html, result.sections, names=names)

    def write_files(self, result: VerbResult, settings: Sequence[object] = ()) -> list[Path]:
        """Write what was requested of LaTeX, Markdown, CSV and figure, and return these files.

        `settings` are those of the runs: tables and figure note where a stand-in replied in place
        of a language model. ConfigError for a CSV without rows.
        """
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


def show_result(result: RunResult, path: Path | None, *, as_json: bool, full: bool = False) -> None:
    """Print a run that was just played, in at most 40 lines, in full, or as its documented JSON
    object."""
    from sociolab.analysis.run_comparison import two_agents
    from sociolab.report.verdict import run_verdict
    from sociolab.store.store import open_store

    with open_store(path) as store:
        compared = two_agents(store, result)
    if as_json:
        typer.echo(result.as_json(run_verdict(result, compared)))
    else:
        show_run(result, compared, path, full=full)


def show_run(
    result: RunResult,
    compared: Section | None,
    path: Path | None,
    *,
    full: bool = False,
    details: bool = False,
    rename: Mapping[str, str] | None = None,
    beside: Sequence[Section] = (),
) -> None:
    """Print a run in at most 40 lines, or in full, with the comparison of its two agents if it has
    two, then the sections `beside` it, and suggest commands to type next."""
    from sociolab.report.run_facts import evaluated
    from sociolab.report.terminal import full_report, overview, printed

    if full or details:
        from sociolab.analysis.two_rules import two_rules
        from sociolab.store.store import open_store

        console().print(full_report(result, compared, details=details, endless=endless()))
        with open_store(path) as store:
            section = two_rules(store, result, rename)
        if section is not None:
            console().print(printed((section,), endless=endless()))
    else:
        console().print(overview(result, compared, endless=endless()))
    if beside:
        console().print(printed(beside, endless=endless()))
    run = result.run
    steps: list[tuple[str, ...]] = [("list", "episodes", "--run", run)]
    if len(evaluated(result)) == 2:
        steps.insert(0, ("compare", run))
    if not full:
        steps.append(("report", run, "--full"))
    say_next(steps, path)


def say_next(steps: Sequence[Sequence[str]], store: Path | None) -> None:
    """Suggest commands, each given as its words without `sociolab`, one on a line."""
    where = ("--store", str(store)) if store else ()
    commands = [shlex.join(("sociolab", *words, *where)) for words in steps]
    say("Next: " + "\n      ".join(commands))
