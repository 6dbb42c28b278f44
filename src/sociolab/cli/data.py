"""`sociolab data`: a data set of one's own."""

from __future__ import annotations

from pathlib import Path

import typer

from sociolab.app.data.own import cast_sotopia
from sociolab.app.data.own import check as check_folder
from sociolab.core.errors import ConfigError


def check(folder: Path, world: str) -> None:
    """Print what is in it, or the first thing that is wrong."""
    typer.echo(check_folder(folder, world))


def cast(folder: Path, per_scenario: int, seed: int, world: str) -> None:
    """Write its tasks."""
    if world != "sotopia":
        raise ConfigError(f'only the world sotopia casts characters, found "{world}"')
    typer.echo(cast_sotopia(folder, per_scenario, seed))
