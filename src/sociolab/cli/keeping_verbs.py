"""Verbs that keep order among runs, and `sociolab store`; what they do loads when called."""

from __future__ import annotations

from typing import Annotated

import typer

from sociolab.cli.options import Json, RunName, RunNames, StoreFile, Sure

verbs = typer.Typer()

store = typer.Typer(
    help="See how large the store is, make it smaller, and look for damage.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@verbs.command(epilog="Example: sociolab rename first baseline")
def rename(
    old: Annotated[str, typer.Argument(metavar="RUN", help="The run's name.")],
    new: Annotated[str, typer.Argument(metavar="NAME", help="Its new name.")],
    store: StoreFile = None,
) -> None:
    """Rename a run."""
    from sociolab.cli import housekeeping as verb

    verb.rename(old, new, store=store)


@verbs.command(epilog="Example: sociolab tag first pilot")
def tag(
    run: RunName,
    words: Annotated[list[str], typer.Argument(metavar="WORD", help="To find the run by.")],
    remove: Annotated[bool, typer.Option("--remove", help="Take them from it.")] = False,
    store: StoreFile = None,
) -> None:
    """Give a run words to find it by.

    `sociolab list runs --tag WORD` finds it.
    """
    from sociolab.cli import housekeeping as verb

    verb.tag(run, words, remove=remove, store=store)


@verbs.command(epilog="Example: sociolab delete first second")
def delete(
    runs: RunNames,
    yes: Sure = False,
    store: StoreFile = None,
) -> None:
    """Delete runs with everything in them."""
    from sociolab.cli import housekeeping as verb

    verb.delete(runs, yes=yes, store=store)


@store.command("size", epilog="Example: sociolab store size")
def store_size(store: StoreFile = None, json: Json = False) -> None:
    """Say where the store is, how many runs it holds and how large it is."""
    from sociolab.cli import housekeeping as verb

    verb.show_size(store, as_json=json)


@store.command("vacuum", epilog="Example: sociolab store vacuum")
def store_vacuum(store: StoreFile = None) -> None:
    """Give back the room that deleted runs left.

    Not while a run is being played.
    """
    from sociolab.cli import housekeeping as verb

    verb.vacuum(store)


@store.command("check", epilog="Example: sociolab store check")
def store_check(store: StoreFile = None) -> None:
    """Look for damage: read everything, and compare checksums.

    Exit code 1 where something is damaged.
    """
    from sociolab.cli import housekeeping as verb

    verb.check(store)
