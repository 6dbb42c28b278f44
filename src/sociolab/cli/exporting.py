"""`sociolab export`: a run as JSON lines or Parquet, or runs as examples to train a model on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sociolab.cli.output import say
from sociolab.core.errors import ConfigError

if TYPE_CHECKING:
    from sociolab.app.training.wanted import Wanted


def export(runs: Sequence[str], path: Path, *, parquet: bool, store: Path | None) -> None:
    """Write the one run, whole; nothing is left half-written."""
    from sociolab.app.stored import open_store

    if len(runs) != 1:
        raise ConfigError(
            f"a whole run goes into a file of its own, found {len(runs)} runs; export them one by "
            "one, or as examples with --as"
        )
    with open_store(store) as opened:
        if parquet:
            from sociolab.store.parquet import export_parquet

            export_parquet(opened, runs[0], path)
        else:
            from sociolab.store.export import export_run

            export_run(opened, runs[0], path)
    say(f"wrote {path}")


def export_examples(runs: Sequence[str], path: Path, wanted: Wanted, store: Path | None) -> None:
    """Write examples, and say how many there are and what was left out."""
    from sociolab.app.training.export import export_training

    for sentence in export_training(runs, path, wanted, store).sentences():
        say(sentence)


def refuse(flags: Mapping[str, object]) -> None:
    """ConfigError where one of these flags, which are for examples, was given without --as."""
    for flag, value in flags.items():
        if value not in (None, False):
            raise ConfigError(f"{flag} is for examples: add --as turns, sft or pairs")
