"""`sociolab data`: your own characters and tasks; what its verbs do loads when they are called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

data = typer.Typer(
    help="Check and complete your own characters and tasks.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@data.command("check")
def data_check(
    folder: Annotated[Path, typer.Argument(help="A folder with your characters and tasks.")],
    world: Annotated[str, typer.Option("--world")] = "sotopia",
) -> None:
    """Check a data set of your own: every file, every reference."""
    from sociolab.cli import data as verb

    verb.check(folder, world)


@data.command("cast")
def data_cast(
    folder: Annotated[Path, typer.Argument(help="A folder with characters and scenarios.")],
    per_scenario: Annotated[int, typer.Option("--per-scenario", min=1)] = 5,
    seed: Annotated[int, typer.Option("--seed")] = 0,
    world: Annotated[str, typer.Option("--world")] = "sotopia",
) -> None:
    """Write tasks.jsonl: pairs of characters for each scenario, by its constraints."""
    from sociolab.cli import data as verb

    verb.cast(folder, per_scenario, seed, world)
