"""Verbs to try things out with; what they do loads when they are called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sociolab.cli.options import BaseUrl, KeyEnv, ModelsFile, OptPath, StoreFile, option

verbs = typer.Typer()


@verbs.command(epilog="Example: sociolab endpoint --port 8765 --latency-ms 200 --faults 0.1")
def endpoint(
    port: Annotated[int, option("--port", "N", "0: any free one.", min=0, max=65535)] = 8765,
    latency_ms: Annotated[
        float, option("--latency-ms", "MS", "How long a reply takes.", min=0)
    ] = 0.0,
    distribution: Annotated[
        str, option("--latency", "constant|lognormal|uniform", "How that varies.")
    ] = "constant",
    faults: Annotated[
        float, option("--faults", "SHARE", "Share of replies that fail.", min=0, max=1)
    ] = 0.0,
    seed: Annotated[int, option("--seed", "N", "Of faults, latency and texts.")] = 0,
    by_hand: Annotated[
        OptPath, option("--by-hand", "DIR", "Lay requests down as files, await replies.")
    ] = None,
) -> None:
    """Serve a local OpenAI-compatible endpoint, for tests."""
    from sociolab.cli import endpoint as verb

    verb.endpoint(port, latency_ms, distribution, faults, seed, by_hand)


@verbs.command(epilog="Example: sociolab doctor openai/MODEL --base-url http://127.0.0.1:8000/v1")
def doctor(
    spec: Annotated[
        str,
        typer.Argument(
            metavar="SPEC", help="An agent or judge: openai/gpt-x, python:module:Class."
        ),
    ],
    world: Annotated[
        str, option("--world", "WORLD", "Where one that is no model plays a short episode.")
    ] = "sotopia",
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    models: ModelsFile = None,
) -> None:
    """Check an agent or judge by one call or a short episode.

    Says what is wrong, if something is.
    """
    from sociolab.cli import doctor as verb

    verb.doctor(spec, world=world, base_url=base_url, key_env=key_env, models=models)


@verbs.command(epilog="Example: sociolab demo --html demo-report.html")
def demo(
    html: Annotated[Path, option("--html", "FILE", "The page to write.")] = Path(
        "demo-report.html"
    ),
    store: StoreFile = None,
) -> None:
    """Play every world offline and write a report."""
    from sociolab.cli import demo as verb

    verb.demo(html=html, store=store)
