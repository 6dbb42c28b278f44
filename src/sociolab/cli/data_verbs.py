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
    Replace,
    Settings,
    Store,
    calling,
    option,
)

verbs = typer.Typer()


@verbs.command(
    epilog="Example: sociolab write anteval-information --writer openai/MODEL --name own"
)
def write(
    world: Annotated[
        str, typer.Argument(metavar="WORLD", help="anteval-information or anteval-intention.")
    ],
    writer: Annotated[str, option("--writer", "SPEC", "Such as openai/MODEL.")],
    name: Annotated[str, option("--name", "NAME", "What to call the data set.")],
    settings: Settings = None,
    seed: Annotated[int, option("--seed", "N", "Of all that is drawn; default 0.")] = 0,
    replace: Replace = False,
    store: Store = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    models: ModelsFile = None,
    in_flight: InFlight = None,
    budget: Budget = None,
) -> None:
    """Have a model write sessions: people and knowledge, to play."""
    from sociolab.cli import writing as verb
    from sociolab.cli.options import settings_of

    flags = {
        "world": world,
        "writer": writer,
        "name": name,
        "settings": settings_of(settings or ()),
        "seed": seed,
        "replace": replace,
        **calling(locals()),
    }
    verb.write(flags)


@verbs.command(epilog="Example: sociolab build stss-talk --seeds 1-2 --total 100 --name small")
def build(
    world: Annotated[str, typer.Argument(metavar="WORLD", help="stss-talk.")],
    seeds: Annotated[str, option("--seeds", "N-M", "Of the towns that are lived.")] = "1-6",
    total: Annotated[int, option("--total", "N", "Conversation tasks.", min=1)] = 325,
    data: Annotated[OptText, option("--data", "TOWN", "An imported town; default: ours.")] = None,
    name: Annotated[OptText, option("--name", "NAME", "What to call the data set.")] = None,
    out: Annotated[
        OptPath, option("--out", "DIR", "The folder to write; it names the set, too.")
    ] = None,
    replace: Replace = False,
) -> None:
    """Freeze conversation tasks from the days of a town, to play.

    The tasks of the town are lived first.
    """
    from sociolab.app.towns.building import Build
    from sociolab.cli import build as verb

    verb.build(world, Build(seeds, total, data, name, out, replace))


@verbs.command("import", epilog="Example: sociolab import sotopia DOWNLOADED --name public")
def import_(
    format: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="sotopia, sotopia-episodes, dnd, crd3, fireball, dnd-transcript, stss, run or "
            "ratings.",
        ),
    ],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The folder or file to read.")],
    name: Annotated[
        OptText,
        option("--name", "NAME", "What to call it here; a run keeps its own, ratings are: people."),
    ] = None,
    run: Annotated[OptText, option("--run", "RUN", "Of ratings: the run.")] = None,
    replace: Replace = False,
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
        format, path, name=name, run=run, replace=replace, hints=hints, correct=correct, store=store
    )


@verbs.command(epilog="Example: sociolab export first turns.jsonl --as turns")
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
        OptText, option("--as", "FORM", "Examples to train on: turns, sft or pairs.")
    ] = None,
    measure: Annotated[
        OptTexts, option("--measure", "NAME", "What is the reward. Repeat it.")
    ] = None,
    by: Annotated[
        OptText, option("--by", "JUDGE", "Who gave it: one of several, or heuristic.")
    ] = None,
    least: Annotated[OptFloat, option("--min", "VALUE", "Only what earned this much.")] = None,
    agent: Annotated[OptText, option("--agent", "LABEL", "Only turns of this agent.")] = None,
    seat: Annotated[OptText, option("--seat", "SEAT", "Only this seat: its id, or 1, 2...")] = None,
    world: Annotated[OptText, option("--world", "WORLD", "Only runs of this world.")] = None,
    asked: Annotated[OptText, option("--asked", "NAME", 'Only "act", or this question.')] = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="Of sft: one chat for an episode and seat.")
    ] = False,
    margin: Annotated[
        OptFloat, option("--margin", "VALUE", "Of pairs: the least difference.")
    ] = None,
    split: Annotated[OptText, option("--split", "scenario:SHARE", "Hold scenarios out.")] = None,
    seed: Annotated[OptInt, option("--seed", "N", "Of what is held out; default 0.")] = None,
    gzip: Annotated[bool, typer.Option("--gzip", help="Compress; so does a .gz name.")] = False,
    replace: Replace = False,
    store: Store = None,
) -> None:
    """Write a run to a file, or runs as examples to train a model on.

    A run as JSON lines or Parquet; examples as turns, chats or preferred pairs.
    """
    from sociolab.cli import exporting as verb
    from sociolab.cli.options import refuse, several

    if form is None:
        refuse({
            "--measure": measure, "--by": by, "--min": least, "--agent": agent, "--seat": seat,
            "--world": world, "--asked": asked, "--whole": whole, "--margin": margin,
            "--split": split, "--seed": seed, "--gzip": gzip,
        }, "is for examples: add --as turns, sft or pairs")  # fmt: skip
        verb.export(runs or (), path, parquet=parquet, replace=replace, store=store)
        return
    from sociolab.core.errors import ConfigError
    from sociolab.training.examples import Wanted, share_of

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
