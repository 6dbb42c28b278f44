"""Verbs that make data sets, and move runs and data in and out; what they do loads when called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sociolab.cli.options import (
    BaseUrl,
    Budget,
    InFlight,
    KeyEnv,
    ModelsFile,
    OptPath,
    OptText,
    RunName,
    Settings,
    Store,
)

verbs = typer.Typer()


@verbs.command()
def write(
    world: Annotated[str, typer.Argument(help="anteval-information or anteval-intention.")],
    writer: Annotated[str, typer.Option("--writer", metavar="SPEC", help="Such as openai/MODEL.")],
    name: Annotated[str, typer.Option("--name", help="What to call the data set.")],
    settings: Settings = None,
    seed: Annotated[int, typer.Option("--seed", help="Of all that is drawn; default 0.")] = 0,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace a data set of this name.")
    ] = False,
    store: Store = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    models: ModelsFile = None,
    in_flight: InFlight = None,
    budget: Budget = None,
) -> None:
    """Have a model write the people and the knowledge of sessions: a data set to play."""
    from sociolab.cli import writing as verb
    from sociolab.cli.settings import settings_of

    flags = {
        "world": world,
        "writer": writer,
        "name": name,
        "settings": settings_of(settings),
        "seed": seed,
        "replace": replace,
        "store": store,
        "base_url": base_url,
        "key_env": key_env,
        "models": models,
        "in_flight": in_flight,
        "budget": budget,
    }
    verb.write(flags)


@verbs.command()
def build(
    world: Annotated[str, typer.Argument(help="stss-talk.")],
    seeds: Annotated[
        str, typer.Option("--seeds", metavar="N-M", help="Of the towns that are lived.")
    ] = "1-6",
    total: Annotated[int, typer.Option("--total", min=1, help="Conversation tasks.")] = 325,
    data: Annotated[
        OptText, typer.Option("--data", metavar="TOWN", help="An imported town; default: ours.")
    ] = None,
    name: Annotated[OptText, typer.Option("--name", help="What to call the data set.")] = None,
    out: Annotated[
        OptPath,
        typer.Option("--out", metavar="DIR", help="The folder to write; it names the set, too."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace what is there of this name.")
    ] = False,
) -> None:
    """Live a town's tasks and freeze conversation tasks from them: a data set to play."""
    from sociolab.app.building import Build
    from sociolab.cli import build as verb

    verb.build(world, Build(seeds, total, data, name, out, replace))


@verbs.command("import")
def import_(
    format: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="sotopia, sotopia-episodes, dnd, crd3, fireball, dnd-transcript, stss, run or "
            "ratings.",
        ),
    ],
    path: Annotated[Path, typer.Argument(help="The folder or file to read.")],
    name: Annotated[
        OptText, typer.Option("--name", help="What to call it here; of ratings: people.")
    ] = None,
    run: Annotated[OptText, typer.Option("--run", help="Of ratings: the run.")] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace what is there of this name.")
    ] = False,
    no_hints: Annotated[
        bool, typer.Option("--no-hints", help="Leave out hints at a strategy in public goals.")
    ] = False,
    correct: Annotated[
        bool, typer.Option("--correct", help="Mend the defects that are found (stss).")
    ] = False,
    store: Store = None,
) -> None:
    """Import a data set, or episodes, made elsewhere."""
    from sociolab.cli import importing as verb

    hints = not no_hints
    verb.import_(
        format,
        path,
        name=name,
        run=run,
        replace=replace,
        hints=hints,
        correct=correct,
        store=store,
    )


@verbs.command()
def export(
    run: RunName,
    path: Annotated[Path, typer.Argument(help="The file, or folder for Parquet, to write.")],
    parquet: Annotated[
        bool, typer.Option("--parquet", help="Tables of scores, turns and calls.")
    ] = False,
    store: Store = None,
) -> None:
    """Write a whole run to JSON lines, or its tables to Parquet."""
    from sociolab.cli import exporting as verb

    verb.export(run, path, parquet=parquet, store=store)


@verbs.command()
def rename(
    old: Annotated[str, typer.Argument(help="The run's name.")],
    new: Annotated[str, typer.Argument(help="Its new name.")],
    store: Store = None,
) -> None:
    """Rename a run."""
    from sociolab.cli import listing as verb

    verb.rename(old, new, store=store)


@verbs.command()
def delete(
    run: RunName,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    store: Store = None,
) -> None:
    """Delete a run with everything in it."""
    from sociolab.cli import listing as verb

    verb.delete(run, yes=yes, store=store)
