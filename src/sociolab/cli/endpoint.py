"""`sociolab endpoint`: the local endpoint in the foreground."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import cast, get_args

import typer

from sociolab.cli.output import say
from sociolab.core.errors import ConfigError
from sociolab.endpoint.server import run_forever
from sociolab.endpoint.settings import Distribution, EndpointSettings


def endpoint(
    port: int,
    latency_ms: float,
    distribution: str,
    faults: float,
    seed: int,
    by_hand: Path | None,
) -> None:
    """Serve until Ctrl-C: the base URL on stdout first, the counts on stderr at the end."""
    if distribution not in get_args(Distribution):
        expected = ", ".join(get_args(Distribution))
        raise ConfigError(f'--latency: expected one of {expected}, found "{distribution}"')
    settings = replace(
        EndpointSettings.with_faults(faults, seed=seed),
        latency_ms=latency_ms,
        latency=cast(Distribution, distribution),
        by_hand=by_hand,
    )
    if by_hand is not None:
        say(f"each request is laid down in {by_hand} and waits for its reply file; Ctrl-C ends")
    counters = run_forever(settings, port=port, announce=_announce)
    for name, value in asdict(counters).items():
        say(f"{name}: {value}")


def _announce(url: str) -> None:
    typer.echo(url)
    say(f"try: sociolab doctor openai/any --base-url {url}")
