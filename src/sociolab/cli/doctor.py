"""`sociolab doctor`: does a spec work? One call tells, or one short episode."""

from __future__ import annotations

from pathlib import Path

import typer

from sociolab.app.preflight.doctor import examine
from sociolab.app.run.config import RunConfig


def doctor(
    spec: str, *, world: str, base_url: str | None, key_env: str | None, models: Path | None
) -> None:
    """Print what was found in a sentence; exit code 1 if the spec does not work."""
    config = RunConfig(world=world, base_url=base_url, key_env=key_env, models=models)
    finding = examine(spec, config)
    typer.echo(finding.sentence)
    raise typer.Exit(0 if finding.well else 1)
