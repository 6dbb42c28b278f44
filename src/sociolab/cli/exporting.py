"""`sociolab export`: a run as JSON lines or Parquet."""

from __future__ import annotations

from pathlib import Path

from sociolab.app.stored import open_store
from sociolab.cli.output import say
from sociolab.store.export import export_run


def export(run: str, path: Path, *, parquet: bool, store: Path | None) -> None:
    """Write the run; nothing is left half-written."""
    with open_store(store) as opened:
        if parquet:
            from sociolab.store.parquet import export_parquet

            export_parquet(opened, run, path)
        else:
            export_run(opened, run, path)
    say(f"wrote {path}")
