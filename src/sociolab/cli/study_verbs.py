"""`sociolab study`: what its verbs do is imported only when they are called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sociolab.cli.options import Json, OptPath, OptText, Store, Sure, option

study = typer.Typer(
    help="Studies with people: set up, invite, collect, export, forget.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Name = Annotated[str, typer.Argument(metavar="STUDY", help="`sociolab study list` names all.")]
Address = Annotated[str, option("--public-url", "URL", "Where participants reach the app.")]
_HERE = "http://127.0.0.1:8000"
Out = Annotated[OptPath, option("--out", "FILE", "A new file for the links, readable by you only.")]


@study.command(epilog="Example: sociolab study example rate")
def example(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="play, rate, impressions or review.")],
) -> None:
    """Print a study to start from: put it into a file and edit it."""
    from sociolab.cli import study as verb

    verb.example(kind)


@study.command(epilog="Example: sociolab study create my-study.toml")
def create(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A TOML file; `sociolab study example` makes one."),
    ],
    name: Annotated[OptText, option("--name", "NAME", "Else the one in the file.")] = None,
    store: Store = None,
) -> None:
    """Set up a study.

    It is closed until you open it.
    """
    from sociolab.cli import study as verb

    verb.create(file, name, store)


@study.command("list", epilog="Example: sociolab study list")
def list_(
    store: Store = None,
    json: Json = False,
) -> None:
    """List the studies of a store, and how far they are."""
    from sociolab.cli import study as verb

    verb.show(store, as_json=json)


@study.command("open", epilog="Example: sociolab study open talks")
def open_(name: Name, store: Store = None) -> None:
    """Let participants in."""
    from sociolab.cli import study as verb

    verb.set_open(name, store, is_open=True)


@study.command(epilog="Example: sociolab study close talks")
def close(name: Name, store: Store = None) -> None:
    """Keep participants out; nothing is lost."""
    from sociolab.cli import study as verb

    verb.set_open(name, store, is_open=False)


@study.command(epilog="Example: sociolab study invite talks 10")
def invite(
    name: Name,
    count: Annotated[int, typer.Argument(metavar="COUNT", min=1, max=1000, help="How many.")],
    public_url: Address = _HERE,
    out: Out = None,
    store: Store = None,
) -> None:
    """Make secret links, and print them as CSV: they are shown this once."""
    from sociolab.cli import study as verb

    verb.invite(name, count, public_url, out, store)


@study.command(epilog="Example: sociolab study reissue talks p-7kq3fm")
def reissue(
    name: Name,
    participant: Annotated[str, typer.Argument(metavar="PARTICIPANT", help="Such as p-7kq3fm.")],
    public_url: Address = _HERE,
    out: Out = None,
    store: Store = None,
) -> None:
    """Give a participant another link; the old one opens nothing then."""
    from sociolab.cli import study as verb

    verb.reissue(name, participant, public_url, out, store)


@study.command(epilog="Example: sociolab study export talks talks-data")
def export(
    name: Name,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new or empty folder.")],
    store: Store = None,
) -> None:
    """Write everything that a study holds into files, with a README."""
    from sociolab.cli import study as verb

    verb.export(name, folder, store)


@study.command(epilog="Example: sociolab study forget talks p-7kq3fm")
def forget(
    name: Name,
    participant: Annotated[str, typer.Argument(metavar="PARTICIPANT", help="Such as p-7kq3fm.")],
    yes: Sure = False,
    store: Store = None,
) -> None:
    """Delete a participant, and all that this person did."""
    from sociolab.cli import study as verb

    verb.forget(name, participant, store, sure=yes)


@study.command(epilog="Example: sociolab study delete talks")
def delete(name: Name, yes: Sure = False, store: Store = None) -> None:
    """Delete a study, with all participants and all that they did."""
    from sociolab.cli import study as verb

    verb.delete(name, store, sure=yes)


@study.command(epilog="Example: sociolab study scrub")
def scrub(store: Store = None) -> None:
    """Write the store anew, so that nothing deleted is left in its file."""
    from sociolab.cli import study as verb

    verb.scrub(store)
