"""Write and check data sets, and export runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sociolab.app.data.exporting import export_episodes, world_exporters
from sociolab.app.run.config import WriteConfig
from sociolab.cli.options import (
    OptFloat,
    OptInt,
    OptText,
    OptTexts,
    Replace,
    StoreFile,
    argument,
    option,
    refuse,
    split_names,
    takes,
)
from sociolab.cli.output import resumable, say
from sociolab.core.errors import ConfigError
from sociolab.plugin.options import FIRST_WORLD, checked

verbs = typer.Typer()

_FORMS = ", ".join(world_exporters())
"""Forms of other programs."""

_LOG = "inspect"
"""The form of a log of Inspect."""

data = typer.Typer(
    help="Check and complete your own characters and tasks.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@verbs.command(epilog="Example: sociolab write sotopia scenarios --writer openai/MODEL --to mine")
@takes(WriteConfig)
def write(
    *,
    options: dict[str, Any],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Estimate calls, tokens and cost without writing.")
    ] = False,
) -> None:
    """Have a model write a data set.

    Characters, relationships and scenarios, or sessions. Existing records are kept; the same
    command resumes where it stopped.
    """
    from sociolab.app.data.writing import rehearse, write as have_written

    config = checked(WriteConfig, options)
    with resumable("the same command resumes, and pays for no reply twice"):
        sentences = rehearse(config) if dry_run else have_written(config, say)
    for sentence in sentences:
        typer.echo(sentence)


@verbs.command(epilog="Example: sociolab export first turns.jsonl --as turns")
def export(
    runs: Annotated[list[str] | None, argument("RUN", "The runs' names.")] = None,
    *,
    path: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file, or folder for Parquet, to write.")
    ],
    parquet: Annotated[
        bool, typer.Option("--parquet", help="Tables of scores, turns, calls and prompts.")
    ] = False,
    form: Annotated[
        OptText,
        option(
            "--as",
            "FORM",
            f"bundle (the default); {_FORMS} (a folder); inspect (a log); training examples: "
            "turns, sft or pairs.",
        ),
    ] = None,
    measure: Annotated[
        OptTexts, option("--metric", "NAME", "The metric used as the reward. Repeatable.")
    ] = None,
    by: Annotated[
        OptText, option("--by", "JUDGE", "The judge whose scores are the reward, or are exported.")
    ] = None,
    least: Annotated[OptFloat, option("--min", "VALUE", "Minimum reward.")] = None,
    agent: Annotated[
        OptText, option("--agent", "LABEL", "Only turns, or the log, of this agent.")
    ] = None,
    seat: Annotated[OptText, option("--seat", "SEAT", "Only this seat: its id, or 1, 2...")] = None,
    world: Annotated[OptText, option("--world", "WORLD", "Only runs of this world.")] = None,
    question: Annotated[OptText, option("--asked", "NAME", 'Only "act", or this question.')] = None,
    whole_chats: Annotated[
        bool, typer.Option("--whole", help="With sft: one chat per episode and seat.")
    ] = False,
    margin: Annotated[
        OptFloat, option("--margin", "VALUE", "With pairs: minimum difference.")
    ] = None,
    split: Annotated[
        OptText, option("--split", "scenario:SHARE", "Hold out scenarios for testing.")
    ] = None,
    seed: Annotated[OptInt, option("--seed", "N", "Random seed of the split; default 0.")] = None,
    gzip: Annotated[bool, typer.Option("--gzip", help="Compress (implied by a .gz name).")] = False,
    replace: Replace = False,
    store: StoreFile = None,
) -> None:
    """Write a run to a file, or runs as training examples.

    A run as a bundle (for `sociolab import run`), Parquet or another program's format; examples as
    turns, chats or pairs.
    """
    if form == "bundle":
        refuse({"--parquet": parquet}, "has no use with --as bundle")
        form = None
    if form in (None, _LOG) or form in world_exporters():
        refuse({
            "--metric": measure, "--by": None if form in world_exporters() else by, "--min": least,
            "--agent": None if form == _LOG else agent,
            "--seat": seat, "--world": world, "--asked": question, "--whole": whole_chats,
            "--margin": margin, "--split": split, "--seed": seed, "--gzip": gzip,
        }, "is for examples: add --as turns, sft or pairs")  # fmt: skip
        if form:
            refuse({"--parquet": parquet, "--replace": replace}, f"has no use with --as {form}")
            _export_episodes(runs or (), path, form, agent if form == _LOG else by, store)
        else:
            _export_run(runs or (), path, parquet=parquet, replace=replace, store=store)
        return
    from sociolab.training.examples import FORMS, ExportOptions, parse_share
    from sociolab.training.export import export_training

    if form not in FORMS:
        forms = ", ".join(("bundle", *world_exporters(), _LOG, *FORMS))
        raise ConfigError(
            f'--as: expected one of {forms}, found "{form}"; for Parquet, add --parquet instead'
        )
    if parquet:
        raise ConfigError("--parquet writes tables and --as examples: give one of the two")
    options = ExportOptions(
        form=form,
        measures=tuple(dict.fromkeys(split_names(measure) or ())),
        least=least,
        by=by,
        agent=agent,
        seat=seat,
        world=world,
        asked=question,
        whole=whole_chats,
        margin=margin,
        heldout=None if split is None else parse_share(split),
        seed=seed or 0,
        gzip=gzip,
    )
    names = runs or ()
    _check_named(names, path)
    for sentence in export_training(names, path, options, store, replace=replace).sentences():
        say(sentence)


@data.command("check", epilog="Example: sociolab data check mine")
def data_check(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A folder with your characters and tasks.")
    ],
    world: Annotated[
        str, option("--world", "WORLD", "The world that the data are for.")
    ] = FIRST_WORLD,
) -> None:
    """Check your own data set: every file, every reference."""
    from sociolab.app.data.sets import check_data_set

    typer.echo(check_data_set(folder, world))


@data.command("cast", epilog="Example: sociolab data cast mine --per-scenario 5")
def data_cast(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A folder with characters and scenarios.")
    ],
    per_scenario: Annotated[int, option("--per-scenario", "N", "Pairs per scenario.", min=1)] = 5,
    seed: Annotated[int, option("--seed", "N", "Random seed.")] = 0,
    world: Annotated[
        str, option("--world", "WORLD", "The world that the data are for.")
    ] = FIRST_WORLD,
) -> None:
    """Write tasks.jsonl: pairs of characters for each scenario.

    The constraints of the scenario say who may play it.
    """
    from sociolab.app.data.sets import cast_tasks

    typer.echo(cast_tasks(folder, world, per_scenario, seed))


@data.command("revise", epilog="Example: sociolab data revise checks --to mine-2")
def data_revise(
    study: Annotated[str, typer.Argument(metavar="STUDY", help="A study of scenario reviews.")],
    to: Annotated[Path, option("--to", "FOLDER", "The new folder for the next version.")],
    store: StoreFile = None,
) -> None:
    """Make a data set's next version from reviews of its scenarios.

    Keeps, edits or rejects each by the majority of its reviews, and recasts the tasks.
    """
    from sociolab.store.store import open_store
    from sociolab.studies.reviews import revise

    with open_store(store) as opened:
        for sentence in revise(opened, study, to):
            typer.echo(sentence)


# ------------------------------------------------------------------ export


def _export_episodes(
    runs: Sequence[str], path: Path, form: str, of: str | None, store: Path | None
) -> None:
    """Write one run as another program stores episodes, with the scores of a judge, or as a log,
    of an agent."""
    from sociolab.store.store import open_store

    _check_named(runs, path)
    _check_single(runs)
    with open_store(store) as opened:
        if form == _LOG:
            from sociolab.inspect.logs import export_log  # of an extra

            say(export_log(opened, runs[0], path, of))
        else:
            say(export_episodes(opened, runs[0], path, form, of))


_TABLES = ("scores.parquet", "turns.parquet", "calls.parquet", "ledger.parquet")


def _export_run(
    runs: Sequence[str], path: Path, *, parquet: bool, replace: bool, store: Path | None
) -> None:
    """Write one run; ConfigError, before anything is written, for several or for a taken path."""
    from sociolab.store.store import open_store
    from sociolab.training.export import require_free_path, require_not_a_run

    _check_named(runs, path)
    _check_single(runs)
    with open_store(store) as opened:
        if not (parquet and str(path) == runs[0]):  # a folder may well be called as its run
            require_not_a_run(path, opened, runs)
        for file in [path / table for table in _TABLES] if parquet and path.is_dir() else ():
            require_free_path(file, replace=replace)
        if parquet:
            from sociolab.store.parquet import export_parquet

            export_parquet(opened, runs[0], path)
        else:
            from sociolab.store.export import export_run

            if path.suffix != ".zip":
                raise ConfigError(
                    f"a run is written as a bundle: expected a name that ends in .zip, found {path}"
                )
            require_free_path(path, replace=replace)
            export_run(opened, runs[0], path)
    say(f"wrote {path}")


def _check_single(runs: Sequence[str]) -> None:
    if len(runs) != 1:
        raise ConfigError(
            f"a whole run goes into a file of its own, found {len(runs)} runs; export them one by "
            "one, or as examples with --as"
        )


def _check_named(runs: Sequence[str], path: Path) -> None:
    """ConfigError where a single name was given, which may be a run's or a file's."""
    if not runs:
        raise ConfigError(
            f'expected RUN... FILE, found "{path}" alone; name the run and the file to write'
        )
