"""`sociolab import`: data sets and episodes made elsewhere."""

from __future__ import annotations

from pathlib import Path

import typer

from sociolab.app.importing import Import, import_anything


def import_(
    format: str,
    path: Path,
    *,
    name: str,
    replace: bool,
    hints: bool,
    correct: bool,
    store: Path | None,
) -> None:
    """Import, and print what was read and what was odd about it."""
    for sentence in import_anything(format, Import(path, name, replace, hints, correct, store)):
        typer.echo(sentence)
