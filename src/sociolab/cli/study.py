"""`sociolab study`: what its verbs do and print."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TextIO

import typer

from sociolab.cli.output import confirm, console, print_json, say
from sociolab.core.errors import ConfigError, StoreError
from sociolab.store.connect import lock_run, store_path
from sociolab.store.store import Store
from sociolab.store.studies import StudyRow
from sociolab.studies import export as exporting
from sociolab.studies import participants as forgetting
from sociolab.studies import participants as links
from sociolab.studies import settings as examples
from sociolab.studies import setup
from sociolab.studies.progress import StudyProgress, progress_of


def example(kind: str) -> None:
    """Print the example of a kind."""
    typer.echo(examples.example(kind), nl=False)


def create(file: Path, name: str | None, store: Path | None) -> None:
    """Set up the study of a file."""
    named, settings = setup.read_study(file)
    with Store.open(store_path(store), synced=True) as opened:
        row = setup.create(opened, name or named, settings)
    say(f"{row.name} is set up, and closed; what next:")
    say(f"  sociolab study invite {row.name} 10    makes ten links")
    say(f"  sociolab study open {row.name}         lets participants in")
    say("  sociolab web                           serves it")


def show(store: Path | None, *, as_json: bool) -> None:
    """The studies of a store."""
    with _opened(store) as opened:
        rows = [(row, progress_of(opened, row.name)) for row in opened.studies.all()]
    if as_json:
        print_json({"studies": [_document(row, found) for row, found in rows]})
        return
    from rich.table import Table

    if not rows:
        say("no studies yet; `sociolab study example play > my-play-study.toml` is a beginning")
        return
    table = Table("study", "kind", "state", "finished", "done", box=None)
    for row, found in rows:
        table.add_row(
            row.name,
            row.kind,
            "open" if row.open else "closed",
            f"{found.people['finished']} of {found.invited} people",
            f"{found.done}{f' of {found.planned}' if found.planned is not None else ''} "
            f"{found.unit}",
        )
    console().print(table)


def set_open(name: str, store: Path | None, *, is_open: bool) -> None:
    """Open or close a study."""
    with _opened(store) as opened:
        opened.studies.change(name, open=is_open)
    say(f"{name} is {'open' if is_open else 'closed'}")


def invite(name: str, count: int, address: str, file: Path | None, store: Path | None) -> None:
    """Make links and print them, or write them to a file."""
    with _opened(store) as opened, _links_file(file) as out:
        _write_links(links.invite(opened, name, count), address, out)


def reissue(
    name: str, participant: str, address: str, file: Path | None, store: Path | None
) -> None:
    """Make another link for a participant and print it, or write it to a file."""
    with _opened(store) as opened, _links_file(file) as out:
        _write_links((links.reissue(opened, name, participant),), address, out)


def export(name: str, folder: Path, store: Path | None) -> None:
    """Write a study into a folder."""
    with _opened(store) as opened, _private():
        names = exporting.export(opened, name, folder)
    say(f"wrote {', '.join(names)} into {folder}")


def forget(name: str, participant: str, store: Path | None, *, sure: bool) -> None:
    """Delete a participant."""
    with _opened(store) as opened:
        opened.studies.participant(name, participant)
        confirm(f"Delete {participant} of {name} and everything this person did, for good?", sure)
        with _kept_to_us(opened, name):
            gone = forgetting.forget(opened, name, participant)
    say(
        f"deleted {participant}: {gone.answers} answers, {gone.ratings} ratings, {gone.episodes} "
        "episodes; copies that you exported, and reports, are yours to delete"
    )


def delete(name: str, store: Path | None, *, sure: bool) -> None:
    """Delete a study."""
    with _opened(store) as opened:
        row = opened.studies.get(name)
        played = f" and the run {row.run} that was played in it" if row.kind == "play" else ""
        confirm(f"Delete the study {name}, all its participants{played}, for good?", sure)
        forgetting.forget_study(opened, name)
    say(f"deleted {name}")


def scrub(store: Path | None) -> None:
    """Write the store anew."""
    with _opened(store) as opened:
        opened.scrub()
    say("the store holds nothing that was deleted")


def _opened(store: Path | None) -> Store:
    return Store.open(store_path(store), create=False, synced=True)


@contextmanager
def _kept_to_us(store: Store, study: str) -> Iterator[None]:
    """Keep the app from playing the study's run meanwhile."""
    row = store.studies.get(study)
    if row.kind != "play" or row.run is None:
        yield
        return
    with ExitStack() as held:
        try:
            held.enter_context(lock_run(store.path, row.run))
        except StoreError as error:
            raise ConfigError(
                f"{error.args[0].split(';')[0]}; where that is `sociolab web`, delete on the page "
                f"of the study, or close it first: sociolab study close {study}"
            ) from error
        yield


@contextmanager
def _private() -> Iterator[None]:
    """Only their owner can read the files and open the folders that are made meanwhile."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def _links_file(file: Path | None) -> Iterator[TextIO]:
    """Where links go: a new file, or the screen. It is there before any link is made, since what
    cannot be written then is lost."""
    if file is None:
        yield sys.stdout
        return
    try:
        with _private():
            out = file.open("x", encoding="utf-8", newline="")
    except OSError as error:
        raise ConfigError(
            f"--out: expected a new file in a folder that exists, found {file} "
            f"({error.strerror}); name another"
        ) from error
    try:
        with out:
            yield out
    except BaseException:
        file.unlink()
        raise
    say(f"wrote {file}")


def _write_links(made: Iterable[links.Link], address: str, file: TextIO) -> None:
    out = csv.writer(file, lineterminator="\n")
    out.writerow(("participant", "link"))
    out.writerows((link.participant, address.rstrip("/") + link.path) for link in made)
    say("these links are shown this once; the store knows only hashes of them")


def _document(row: StudyRow, found: StudyProgress) -> dict[str, object]:
    return {
        "name": row.name,
        "kind": row.kind,
        "open": row.open,
        "run": row.run,
        "people": dict(found.people),
        "assignments": dict(found.given),
        "done": found.done,
        "planned": found.planned,
        "unit": found.unit,
    }
