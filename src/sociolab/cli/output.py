"""What verbs print: results as tables or JSON on stdout; remarks, and what failed, on stderr."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sociolab.core.errors import ConfigError
from sociolab.core.score import JudgeId

if TYPE_CHECKING:
    from rich.console import Console

    from sociolab.analysis.agent_names import AgentNames
    from sociolab.core.errors import Cause
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
def resumable(kept: str) -> Iterator[None]:
    """Work that Ctrl-C ends with a sentence on what is kept."""
    try:
        yield
    except KeyboardInterrupt:
        say(f"interrupted; {kept}")
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


def page_of(
    store: Store,
    runs: Sequence[str],
    sections: Sequence[Section],
    html: Path | None,
    names: AgentNames | None = None,
) -> None:
    """Write a page of these runs with these sections first, if one is asked for; `names`: what
    agents and judges are called."""
    if html is not None:
        from sociolab.analysis.agent_names import AS_LABELLED
        from sociolab.app.results import write_page
        from sociolab.report.result import details_of

        names = names or AS_LABELLED
        found = [names.details(details_of(store, run)) for run in runs]
        write_page(store, found, html, sections, names=names)


def write_files(
    sections: Sequence[Section],
    latex: Path | None,
    markdown: Path | None,
    csv: Path | None = None,
    rows: Callable[[], Sequence[Mapping[str, Any]]] = tuple,
    figure: Path | None = None,
    drawn: Spec | None = None,
    settings: Sequence[object] = (),
) -> list[Path]:
    """Write those files that are wanted, and say which these are: the tables of sections, rows that
    have the same keys as CSV (ConfigError without any), and what is `drawn` as a figure. By the
    `settings` of the runs, tables and figure say where no language model replied."""
    from sociolab.report import export
    from sociolab.report.section import noted
    from sociolab.report.words import stand_in_notes

    served = stand_in_notes(*settings)
    for path, made in ((latex, export.latex), (markdown, export.markdown)):
        if path is not None:
            export.write_report(path, made([noted(section, served) for section in sections]))
    if csv is not None:
        if not (found := rows()):
            raise ConfigError(f"{csv} is not written: no figure has a value")
        heads = [key for key, value in found[0].items() if not isinstance(value, list)]
        cells = ([row[key] for key in heads] for row in found)
        export.write_report(csv, export.csv_text(heads, cells))
    if figure is not None and drawn is not None:
        from sociolab.report.figures import write_figure

        write_figure(figure, drawn, served)
    return [path for path in (latex, markdown, csv, figure) if path is not None]


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
            from sociolab.analysis.compare_runs import two_agents
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


# ------------------------------------------------------------------ judges that failed

_OF_REPLIES: frozenset[Cause] = frozenset(
    ("unreadable", "not allowed", "truncated", "content filter", "context overflow", "incomplete"),
)
"""Here the judge answered, and single answers could not be used: those are counted, no more."""


def judges_failed(
    result: RunResult, store: Path | None, only: Collection[JudgeId] | None = None
) -> tuple[str, ...]:
    """In a sentence each: judges that broke, were late or could not be reached, and those that gave
    no score at all; how many scores are missing, and why. Empty if there are none, or none of those
    named in `only`."""
    return tuple(_sentences(result, store, only))


def _sentences(
    result: RunResult, store: Path | None, only: Collection[JudgeId] | None
) -> Iterator[str]:
    from sociolab.report.words import plural

    where = f" --store {store}" if store else ""
    scored = {entry.judge for entry in result.scores if entry.n}
    ids = {entry.judge: entry.id for entry in result.judges}
    for one in result.failures.first:
        if one.kind != "scores" or one.cause == "incomplete" or one.judge is None:
            continue
        if only is not None and ids[one.judge] not in only:
            continue
        in_vain = one.judge not in scored
        if in_vain or one.cause not in _OF_REPLIES:
            scores = f"{plural(one.count, 'score')} {'is' if one.count == 1 else 'are'} missing"
            none = ", which gave none" if in_vain else ""
            yield (
                f"{scores} of the judge {one.judge}{none} ({one.cause}: {one.problem}); "
                f"`sociolab judge {result.run} --judge ...{where}` judges again what it failed on"
            )
