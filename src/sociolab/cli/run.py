"""`sociolab run`: a run is described by options and a file, estimated or played, and printed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from sociolab.app.run.config import RunConfig, check_file, described, write_run
from sociolab.cli.options import Full, Json, OptFloat, OptPath, option, takes
from sociolab.cli.output import judges_failed, say, show_result, show_sections
from sociolab.core.errors import ConfigError, StorageError

TDP = "tdp"
"""The setting of a world in which a performer plans for a target."""

verbs = typer.Typer()


@verbs.command(epilog="Example: sociolab run sotopia --limit 20 --seed 1 --name first")
@takes(RunConfig)
def run(
    file: Annotated[OptPath, option("--file", "TOML", "A description of the run.")] = None,
    write_file: Annotated[
        OptPath, option("--write-file", "TOML", "Write a description of this run.")
    ] = None,
    *,
    given: dict[str, Any],
    tdp: Annotated[
        bool, typer.Option("--tdp", help="STSS: target-driven planning (--set tdp=true).")
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Estimate calls, tokens, cost and time without running."),
    ] = False,
    latency: Annotated[
        OptFloat,
        option("--latency", "SECONDS", "Seconds per call, for --dry-run.", min=0),
    ] = None,
    full: Full = False,
    json: Json = False,
) -> None:
    """Play tasks, judge the episodes, print an overview.

    What the options and the file describe; an option wins over the file.
    """
    if write_file is not None:
        check_file(write_file)
    if tdp:
        if "tdp" in given.get("settings", {}):
            raise ConfigError('--set: "tdp" is given twice')
        given["settings"] = {**given.get("settings", {}), "tdp": "true"}
    config, remarks = described(file, given)
    if "world" not in config.model_fields_set:
        raise ConfigError("which world? expected `sociolab run sotopia`, or a --file that names it")
    for remark in remarks:
        say(remark)
    if tdp:
        _check_tdp(config.world)
    if latency is not None and not dry_run:
        raise ConfigError("--latency is for an estimate: say --dry-run too, or leave it out")
    if dry_run:
        _estimate(config, latency, as_json=json)
        _write(write_file, config)
        return
    begun = partial(_write, write_file, config)  # nothing is written of a run that cannot begin
    raise typer.Exit(play_and_show(config, begun, full=full, as_json=json))


def _check_tdp(world: str) -> None:
    """ConfigError for a world in which nobody plans for a target (STSS appendix B)."""
    from sociolab.app.registry import worlds_that

    planning = worlds_that(
        lambda one: one.settings is not None and TDP in one.settings.model_fields
    )
    if world not in planning:
        raise ConfigError(
            f"--tdp (target-driven planning) is for the worlds {' and '.join(planning)}, found "
            f"{world}: leave it out"
        )


def _write(file: Path | None, config: RunConfig) -> None:
    """Write the description, if it is wanted."""
    if file is not None:
        write_run(file, config)
        say(f"wrote {file}; play it: sociolab run --file {file}")


def play_and_show(
    config: RunConfig, begun: Callable[[], None] | None = None, *, full: bool, as_json: bool
) -> int:
    """Play, print the overview, all tables or JSON, and return the exit code; `begun` is called as
    soon as the run is in the store."""
    from sociolab.app.run.play import run as play
    from sociolab.app.run.session import interrupted_result
    from sociolab.cli.progress import watch

    by_person = "human" in (*config.agents, config.partner)
    if by_person:  # one scene at a time, and no display that writes between the lines
        config = config.model_copy(update={"episodes": 1})
    name_seen: list[str] = []

    def seen(name: str) -> None:
        name_seen.append(name)
        if begun is not None:
            begun()

    try:
        result = play(config, watch(seen, plain=by_person))
    except StorageError as error:
        if name_seen and config.name is None:
            raise StorageError(f"{error} (with --name {name_seen[0]})") from error
        raise
    except KeyboardInterrupt:
        if name_seen:
            result = interrupted_result(config, name_seen[0])
            show_result(result, config.store, as_json=as_json, full=full)
            say(f"interrupted; the same command with --name {name_seen[0]} resumes from here")
        return 130
    show_result(result, config.store, as_json=as_json, full=full)
    unjudged = judges_failed(result, config.store)
    for sentence in unjudged:
        say(sentence)
    return 1 if result.failed or unjudged or result.stopped else 0


def _estimate(config: RunConfig, latency: float | None, *, as_json: bool) -> None:
    from sociolab.app.preflight.estimate import estimate

    found = estimate(config, latency)
    show_sections([found.section()], found.document, as_json=as_json)
