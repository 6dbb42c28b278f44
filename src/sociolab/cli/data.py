"""`sociolab data`: a data set of one's own."""

from __future__ import annotations

from pathlib import Path

import typer

from sociolab.app.data.own import cast as cast_folder
from sociolab.app.data.own import check as check_folder


def check(folder: Path, world: str) -> None:
    """Print what is in it, or the first thing that is wrong."""
    typer.echo(check_folder(folder, world))


def cast(folder: Path, per_scenario: int, seed: int, world: str) -> None:
    """Write its tasks."""
    typer.echo(cast_folder(folder, world, per_scenario, seed))
