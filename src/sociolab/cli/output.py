"""What verbs print: results as tables or JSON on stdout, everything else on stderr."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from sociolab.report.result import RunResult


def say(text: str) -> None:
    """A remark for the reader at the terminal, beside the result."""
    typer.echo(text, err=True)


def print_json(document: dict[str, Any]) -> None:
    """A document on stdout."""
    typer.echo(json.dumps(document, ensure_ascii=False, indent=2))


def show_result(
    result: RunResult,
    store: Path | None,
    *,
    as_json: bool,
    details: bool = False,
    brief: bool = False,
) -> None:
    """The tables of a run, or in brief one, or its documented JSON object."""
    if as_json:
        typer.echo(result.as_json())
        return
    from rich.console import Console

    if brief:
        from sociolab.report.brief import brief_section
        from sociolab.report.section import printed

        Console().print(printed([brief_section(result)]))
    else:
        from sociolab.report.tables import print_report

        print_report(result, Console(), details=details)
    where = f" --store {store}" if store else ""
    say(f"read an episode: sociolab list episodes --run {result.run}{where}")
