"""`sociolab import`: data sets and episodes made elsewhere."""

from __future__ import annotations

from pathlib import Path

import typer

from sociolab.app.data.importing import OWN, Import, import_anything, world_formats
from sociolab.core.errors import ConfigError

_RATINGS, _RUN = "ratings", "run"
_NAMES = {_RATINGS: "people", _RUN: ""}
"""What is imported without --name is called: of a run, as in its file."""


def import_(
    format: str,
    path: Path,
    *,
    name: str | None,
    run: str | None,
    replace: bool,
    hints: bool,
    correct: bool,
    store: Path | None,
) -> None:
    """Import, and print what was read and what was odd about it."""
    if run is not None and format != _RATINGS:
        raise ConfigError(f"--run: expected with ratings only, found with {format}; leave it out")
    if name == "" or (name is None and format in world_formats()):
        raise ConfigError("--name: expected what to call it here, found nothing")
    flags = {"--no-hints": not hints, "--correct": correct}
    given = frozenset(flag for flag, on in flags.items() if on)
    wanted = Import(path, name or _NAMES.get(format, ""), replace, store, given, run or "")
    for sentence in import_anything(format, wanted, {**OWN, _RATINGS: _import_ratings}):
        typer.echo(sentence)


def _import_ratings(wanted: Import) -> tuple[str, ...]:
    """Ratings by people (docs/ratings.md) as a set of a run's judgings."""
    from sociolab.studies.ratings import import_ratings

    if not wanted.run:
        raise ConfigError("ratings are of a run's plays: add --run NAME")
    return import_ratings(
        wanted.path,
        wanted.run,
        name=wanted.name,
        replace_all=wanted.replace,
        store=wanted.store,
    )
