"""`sociolab data`: your own characters and tasks; what its verbs do loads when they are called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sociolab.cli.options import option

data = typer.Typer(
    help="Check and complete your own characters and tasks.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@data.command("check", epilog="Example: sociolab data check mine")
def data_check(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A folder with your characters and tasks.")
    ],
    world: Annotated[str, option("--world", "WORLD", "Whose data.")] = "sotopia",
) -> None:
    """Check a data set of your own: every file, every reference."""
    from sociolab.cli import data as verb

    verb.check(folder, world)


@data.command("cast", epilog="Example: sociolab data cast mine --per-scenario 5")
def data_cast(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A folder with characters and scenarios.")
    ],
    per_scenario: Annotated[int, option("--per-scenario", "N", "Pairs of each.", min=1)] = 5,
    seed: Annotated[int, option("--seed", "N", "Of the pairs.")] = 0,
    world: Annotated[str, option("--world", "WORLD", "Whose data.")] = "sotopia",
) -> None:
    """Write tasks.jsonl: pairs of characters for each scenario.

    The constraints of the scenario say who may play it.
    """
    from sociolab.cli import data as verb

    verb.cast(folder, per_scenario, seed, world)
