"""What one tries out first: a local endpoint, whether a spec works, a demonstration."""

from __future__ import annotations

import os
import shlex
import sys
import webbrowser
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from sociolab.app.run.config import RunConfig
from sociolab.cli.options import Json, OptPath, OptTexts, StoreFile, TaskFilter, option, takes
from sociolab.cli.output import say, show_sections
from sociolab.core.errors import ConfigError, WorldError, did_you_mean
from sociolab.plugin.options import FIRST_WORLD, EndpointAccess

if TYPE_CHECKING:
    from sociolab.models.budget import Price
    from sociolab.report.result import RunResult
    from sociolab.report.section import Section

verbs = typer.Typer()

QUIET = 10
"""Seconds after which `doctor` says that it still waits."""

STILL_WAITING = (
    "no answer from {spec} after {seconds} s: still waiting; a server that is loading a model or "
    "limits requests is waited for, Ctrl-C stops"
)


@verbs.command(epilog="Example: sociolab endpoint --latency-ms 200 --weather bucket:500")
def endpoint(
    port: Annotated[int, option("--port", "N", "0: any free one.", min=0, max=65535)] = 8765,
    latency_ms: Annotated[float, option("--latency-ms", "MS", "Latency of a reply.", min=0)] = 0.0,
    latency_shape: Annotated[
        str, option("--latency-shape", "constant|lognormal|uniform", "Distribution of latencies.")
    ] = "constant",
    faults: Annotated[
        float, option("--faults", "SHARE", "Share of replies that fail.", min=0, max=1)
    ] = 0.0,
    weather: Annotated[
        OptTexts,
        option(
            "--weather",
            "KIND",
            "bucket:N[,BURST] (limit of N requests a minute), cut:N (context of N tokens, longer "
            "prompts are cut silently) or loop[:SHARE] (replies run until max_tokens). Repeatable.",
        ),
    ] = None,
    seed: Annotated[int, option("--seed", "N", "Random seed.")] = 0,
    by_hand: Annotated[
        OptPath, option("--by-hand", "DIR", "Write requests as files and wait for reply files.")
    ] = None,
) -> None:
    """Serve a local endpoint in place of a model, for tests.

    It speaks chat completions, Messages and embeddings.
    """
    from sociolab.endpoint.server import run_forever
    from sociolab.endpoint.settings import Distribution, EndpointSettings

    settings = replace(
        EndpointSettings.with_faults(faults, seed=seed).with_weather(*(weather or ())),
        latency_ms=latency_ms,
        latency_shape=cast(Distribution, latency_shape),
        by_hand=by_hand,
    )
    if by_hand is not None:
        say(f"each request is written to {by_hand} and waits for its reply file; Ctrl-C stops")
    counters = run_forever(settings, port=port, announce=_announce)
    for name, value in asdict(counters).items():
        say(f"{name}: {value}")


@verbs.command(epilog="Example: sociolab doctor openai/MODEL --base-url http://127.0.0.1:8000/v1")
@takes(EndpointAccess, "base_url", "key_env", "models")
def doctor(
    spec: Annotated[
        str,
        typer.Argument(
            metavar="SPEC", help="An agent or judge: openai/gpt-x, python:module:Class."
        ),
    ],
    world: Annotated[
        str, option("--world", "WORLD", "World in which other agents play a short episode.")
    ] = FIRST_WORLD,
    tasks: TaskFilter = None,
    *,
    options: dict[str, Any],
) -> None:
    """Check an agent or judge with one call or a short episode.

    Says what is wrong, if anything is.
    """
    from sociolab.app.preflight.doctor import examine

    waiting = Timer(QUIET, say, (STILL_WAITING.format(spec=spec, seconds=QUIET),))
    waiting.daemon = True
    waiting.start()
    try:
        finding = examine(spec, EndpointAccess(**options), world, tasks)
    finally:
        waiting.cancel()
    typer.echo(finding.sentence)
    raise typer.Exit(0 if finding.well else 1)


@verbs.command(epilog="Example: sociolab prices gpt-4o")
@takes(EndpointAccess, "models")
def prices(
    search: Annotated[
        str, typer.Argument(metavar="[SEARCH]", help="Part of provider/model; default: all.")
    ] = "",
    *,
    options: dict[str, Any],
    json: Json = False,
) -> None:
    """Show the prices of hosted models.

    Prices in models.toml come first, and override those in the shipped table.
    """
    from sociolab.app.players.models import load_models
    from sociolab.models.prices import shipped_prices
    from sociolab.report.section import Section, TextTable

    shipped = shipped_prices()
    own = load_models(EndpointAccess(**options).models).prices
    entries: list[tuple[str, Price, int | None, str]]
    entries = [(name, entry.price, None, "models.toml") for name, entry in own.items()]
    entries += [
        (name, row.price, row.context, "shipped")
        for row in shipped.rows.values()
        if (name := f"{row.provider}/{row.model}") not in own
    ]
    matches = [entry for entry in entries if search.lower() in entry[0].lower()]
    if not matches:
        like = did_you_mean(search, [entry[0].partition("/")[2] for entry in entries])
        raise ConfigError(
            f'expected a part of provider/model, found no price for "{search}"{like}; add one to '
            'models.toml under [prices."ENDPOINT/MODEL"]'
        )
    objects = [
        {"model": name, **asdict(price), "context": context, "source": source}
        for name, price, context, source in matches
    ]
    rows = [
        (name, f"{price.input:g}", "" if price.cached is None else f"{price.cached:g}",
         f"{price.output:g}", f"{context:,}" if context else "", source)
        for name, price, context, source in matches
    ]  # fmt: skip
    columns = ("model", "input", "cached input", "output", "context", "source")
    note = f"shipped: {shipped.about.partition(';')[0]}"
    table = TextTable("Dollars per million tokens", columns, tuple(rows), (note,), words=(5,))
    document = {"schema": 1, "about": shipped.about, "prices": objects}
    show_sections([Section("Prices", tables=(table,))], lambda: document, as_json=json)


@verbs.command(epilog="Example: sociolab demo --html demo-report.html")
def demo(
    html: Annotated[Path, option("--html", "FILE", "The page to write.")] = Path(
        "demo-report.html"
    ),
    opens: Annotated[
        bool, typer.Option("--open/--no-open", help="Show the town in your browser.")
    ] = True,
    store: StoreFile = None,
) -> None:
    """Play every world offline and write a page.

    All tasks of every world with scripted players, scored without a model. First comes a day in
    town, which a browser shows while the rest is played, if there is a screen. Next to FILE.html,
    FILE-tables.html holds all tables and charts, FILE-town.html the replay of a day in town, and
    FILE.db the episodes, unless you name a --store: your own is left alone.
    """
    from sociolab.app.data.sets import world_names
    from sociolab.app.results import write_page
    from sociolab.app.run.play import run as play
    from sociolab.report.score_tables import headline
    from sociolab.store.store import open_store
    from sociolab.web.page_files import write_demo_page

    if not html.parent.is_dir():
        raise ConfigError(
            f"--html: there is no folder {html.parent}; name a file in a folder that exists"
        )
    store = store or html.with_name(f"{html.stem}.db")
    say("Scripted players in every world, no model and no network: baselines, not results.")
    results: list[RunResult] = []
    broken = False
    worlds = tuple(dict.fromkeys((FIRST_WORLD, *world_names())))
    if town := _first_town(worlds, html):
        say(f"A day in town, to watch meanwhile:  {town.resolve().as_uri()}")
        if opens and sys.stderr.isatty() and _has_screen():
            webbrowser.open(town.resolve().as_uri())
    for world in worlds:
        config = RunConfig(world=world, agents=("scripted",), store=store, name=f"demo-{world}")
        try:
            result = play(config).result
        except (ConfigError, WorldError) as error:  # of this world alone
            say(f"{world} is left out: {error}")
            broken = True
            continue
        figure = headline(result)
        score = (
            f"{figure.metric} {figure.text} {figure.interval}".rstrip() if figure else "not scored"
        )
        failed = f", {result.failed:,} failed" if result.failed else ""
        say(f"  {result.run:26} {result.played:>5,} episodes{failed}   {score}")
        results.append(result)
    sections = _tool_sections(results, store)
    store_flag = f" --store {shlex.quote(str(store))}"
    tables = html.with_stem(f"{html.stem}-tables")
    with open_store(store) as opened:
        write_page(opened, results, tables, sections)
        write_demo_page(opened, results, html, tables, store_flag)
    say(f"Inspect every episode, and replay the town:  sociolab web{store_flag}")
    say(f"Open in a browser:  {html.resolve().as_uri()}")
    raise typer.Exit(1 if broken or any(result.failed for result in results) else 0)


def _first_town(worlds: Sequence[str], html: Path) -> Path | None:
    """Write the replay of one day beside the page, before all else is played; None where no world
    has a town, or its first day fails."""
    from sociolab.app.registry import worlds_that
    from sociolab.app.run.play import run as play
    from sociolab.report.export import write_report
    from sociolab.store.store import open_store
    from sociolab.web.page_files import town_files, town_name

    towns = worlds_that(lambda plugin: plugin.town is not None)
    for world in [world for world in worlds if world in towns][:1]:
        with TemporaryDirectory() as folder:
            store = Path(folder, "town.db")
            try:
                config = RunConfig(world=world, agents=("scripted",), store=store, limit=1)
                result = play(config).result
            except (ConfigError, WorldError):  # the demo says so when it plays the whole world
                return None
            with open_store(store) as opened:
                for file in town_files(opened, result):
                    write_report(town_name(html), file.html)
                    return town_name(html)
    return None


def _has_screen() -> bool:
    """Whether a browser would have a window; elsewhere, one might take over the terminal."""
    return sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )


def _announce(url: str) -> None:
    typer.echo(url)
    say(f"try: sociolab doctor openai/any --base-url {url}")


def _tool_sections(results: Sequence[RunResult], store: Path) -> tuple[Section, ...]:
    """Sections by the worlds' own commands that have something to demonstrate on these runs."""
    from sociolab.app.registry import world_plugin, worlds_that
    from sociolab.app.tools import run_tool

    runs = {result.world: result.run for result in results}
    sections: list[Section] = []
    for world in worlds_that(lambda installed: bool(installed.tools)):
        for make in world_plugin(world).tools.values():
            tool = make()
            if tool.demo and world in runs and (config := tool.demo(runs)) is not None:
                try:
                    sections += run_tool(tool, config, lambda remark: None, store).sections
                except ConfigError as error:  # an extra that is not installed
                    say(f"a section on {world} is left out: {error}")
    return tuple(sections)
