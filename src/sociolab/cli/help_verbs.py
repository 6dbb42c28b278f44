"""Verbs to try things out with; what they do loads when they are called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sociolab.cli.options import BaseUrl, KeyEnv, ModelsFile, OptPath, Store

verbs = typer.Typer()


@verbs.command()
def endpoint(
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0: any free one.")] = 8765,
    latency_ms: Annotated[float, typer.Option("--latency-ms", min=0)] = 0.0,
    distribution: Annotated[
        str, typer.Option("--latency", metavar="constant|lognormal|uniform")
    ] = "constant",
    faults: Annotated[
        float, typer.Option("--faults", min=0, max=1, help="Share of replies that fail.")
    ] = 0.0,
    seed: Annotated[int, typer.Option("--seed", help="Of faults, latency and texts.")] = 0,
    by_hand: Annotated[
        OptPath,
        typer.Option("--by-hand", metavar="DIR", help="Lay requests down as files, await replies."),
    ] = None,
) -> None:
    """Serve a local OpenAI-compatible endpoint, for tests."""
    from sociolab.cli import endpoint as verb

    verb.endpoint(port, latency_ms, distribution, faults, seed, by_hand)


@verbs.command()
def doctor(
    spec: Annotated[
        str, typer.Argument(help="An agent or judge: openai/gpt-x, python:module:Class.")
    ],
    world: Annotated[
        str, typer.Option("--world", help="Where one that is no model plays a short episode.")
    ] = "sotopia",
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    models: ModelsFile = None,
) -> None:
    """Check a spec with one call or a short episode, and say what is wrong."""
    from sociolab.cli import doctor as verb

    verb.doctor(spec, world=world, base_url=base_url, key_env=key_env, models=models)


@verbs.command()
def demo(
    html: Annotated[Path, typer.Option("--html", metavar="FILE")] = Path("demo-report.html"),
    store: Store = None,
) -> None:
    """Play every world offline and write a report."""
    from sociolab.cli import demo as verb

    verb.demo(html=html, store=store)
