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
    OptFloat,
    OptInt,
    OptPath,
    OptText,
    OptTexts,
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
    from sociolab.app.towns.building import Build
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
        OptText,
        typer.Option(
            "--name", help="What to call it here; a run keeps its own, ratings are: people."
        ),
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
    runs: Annotated[
        list[str] | None, typer.Argument(metavar="RUN", help="The runs' names.")
    ] = None,
    *,
    path: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file, or folder for Parquet, to write.")
    ],
    parquet: Annotated[
        bool, typer.Option("--parquet", help="Tables of scores, turns, calls and prompts.")
    ] = False,
    form: Annotated[
        OptText,
        typer.Option("--as", metavar="FORM", help="Examples to train on: turns, sft or pairs."),
    ] = None,
    measure: Annotated[
        OptTexts,
        typer.Option("--measure", metavar="NAME", help="What is the reward. Repeat it."),
    ] = None,
    by: Annotated[
        OptText, typer.Option("--by", metavar="JUDGE", help="Who gave it; if several judged.")
    ] = None,
    least: Annotated[
        OptFloat, typer.Option("--min", metavar="VALUE", help="Only what earned this much.")
    ] = None,
    agent: Annotated[
        OptText, typer.Option("--agent", metavar="LABEL", help="Only turns of this agent.")
    ] = None,
    seat: Annotated[
        OptText, typer.Option("--seat", metavar="SEAT", help="Only this seat: its id, or 1, 2...")
    ] = None,
    world: Annotated[
        OptText, typer.Option("--world", metavar="WORLD", help="Only runs of this world.")
    ] = None,
    asked: Annotated[
        OptText, typer.Option("--asked", metavar="NAME", help='Only "act", or this question.')
    ] = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="Of sft: one chat for an episode and seat.")
    ] = False,
    margin: Annotated[
        OptFloat, typer.Option("--margin", metavar="VALUE", help="Of pairs: the least difference.")
    ] = None,
    split: Annotated[
        OptText, typer.Option("--split", metavar="scenario:SHARE", help="Hold scenarios out.")
    ] = None,
    seed: Annotated[OptInt, typer.Option("--seed", help="Of what is held out; default 0.")] = None,
    gzip: Annotated[bool, typer.Option("--gzip", help="Compress; so does a .gz name.")] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Write over what is there.")] = False,
    store: Store = None,
) -> None:
    """Write a run to JSON lines or Parquet, or runs as examples to train a model on."""
    from sociolab.cli import exporting as verb

    if form is None:
        verb.refuse({
            "--measure": measure, "--by": by, "--min": least, "--agent": agent, "--seat": seat,
            "--world": world, "--asked": asked, "--whole": whole, "--margin": margin,
            "--split": split, "--seed": seed, "--gzip": gzip,
        })  # fmt: skip
        verb.export(runs or (), path, parquet=parquet, replace=replace, store=store)
        return
    from sociolab.app.training.wanted import Wanted, share_of
    from sociolab.cli.settings import several
    from sociolab.core.errors import ConfigError

    if parquet:
        raise ConfigError("--parquet writes tables and --as examples: give one of the two")
    wanted = Wanted(
        form=form,
        measures=tuple(dict.fromkeys(several(measure) or ())),
        least=least,
        by=by,
        agent=agent,
        seat=seat,
        world=world,
        asked=asked,
        whole=whole,
        margin=margin,
        heldout=None if split is None else share_of(split),
        seed=seed or 0,
        gzip=gzip,
    )
    verb.export_examples(runs or (), path, wanted, store, replace=replace)
