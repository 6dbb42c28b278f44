"""`sociolab export`: a run as JSON lines or Parquet, or runs as examples to train a model on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sociolab.cli.output import say
from sociolab.core.errors import ConfigError

if TYPE_CHECKING:
    from sociolab.training.examples import Wanted


TABLES = ("scores.parquet", "turns.parquet", "calls.parquet")


def export(
    runs: Sequence[str], path: Path, *, parquet: bool, replace: bool, store: Path | None
) -> None:
    """Write the one run, whole; nothing is left half-written."""
    from sociolab.app.queries import open_store
    from sociolab.training.export import free_output, no_run

    named(runs, path)
    if len(runs) != 1:
        raise ConfigError(
            f"a whole run goes into a file of its own, found {len(runs)} runs; export them one by "
            "one, or as examples with --as"
        )
    with open_store(store) as opened:
        if not (parquet and str(path) == runs[0]):  # a folder may well be called as its run
            no_run(path, opened, runs)
        for one in [path / table for table in TABLES] if parquet and path.is_dir() else ():
            free_output(one, replace=replace)
        if not parquet:
            free_output(path, replace=replace)
        if parquet:
            from sociolab.store.parquet import export_parquet

            export_parquet(opened, runs[0], path)
        else:
            from sociolab.store.export import export_run

            export_run(opened, runs[0], path)
    say(f"wrote {path}")


def export_examples(
    runs: Sequence[str], path: Path, wanted: Wanted, store: Path | None, *, replace: bool
) -> None:
    """Write examples, and say how many there are and what was left out."""
    from sociolab.training.export import export_training

    named(runs, path)
    for sentence in export_training(runs, path, wanted, store, replace=replace).sentences():
        say(sentence)


def named(runs: Sequence[str], path: Path) -> None:
    """ConfigError where one name was given, so that it is not known what it is of."""
    if not runs:
        raise ConfigError(
            f'expected RUN... FILE, found "{path}" alone; name the run and the file to write'
        )
