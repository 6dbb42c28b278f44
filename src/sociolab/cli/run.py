"""`sociolab run`: play, judge, print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from sociolab.app.config import RunConfig, config_of, read_toml
from sociolab.app.play import run as play
from sociolab.cli.output import print_json, say, show_result
from sociolab.cli.progress import watch
from sociolab.core.errors import ConfigError

TDP_WORLDS = ("stss", "stss-talk")
"""The worlds in which a performer plans for a target (TDP, STSS appendix B)."""


def run(
    flags: dict[str, Any], file: Path | None, *, tdp: bool, dry_run: bool, as_json: bool
) -> None:
    """Play what the flags and the file describe; a flag wins over the file."""
    described = read_toml(file) if file else {}
    given = {key: value for key, value in flags.items() if value is not None}
    if "world" not in given and "world" not in described:
        raise ConfigError("which world? expected `sociolab run sotopia`, or a --file that names it")
    config = config_of({**described, **given}, str(file) if file else "run")
    if tdp and config.world not in TDP_WORLDS:
        raise ConfigError(
            f"--tdp (target-driven planning) is for the worlds {' and '.join(TDP_WORLDS)}, found "
            f"{config.world}: leave it out"
        )
    if dry_run:
        _estimate(config, as_json=as_json)
        return
    raise typer.Exit(play_and_show(config, as_json=as_json))


def play_and_show(config: RunConfig, *, as_json: bool) -> int:
    """Play, print tables or JSON, and return the exit code."""
    from sociolab.app.session import interrupted_result

    by_person = "human" in (*config.agents, config.partner)
    if by_person:  # one scene at a time, and no display that writes between the lines
        config = config.model_copy(update={"episodes": 1})
    name_seen: list[str] = []
    try:
        result = play(config, watch(name_seen.append, plain=by_person))
    except KeyboardInterrupt:
        if name_seen:
            result = interrupted_result(config, name_seen[0])
            show_result(result, config.store, as_json=as_json)
            say(f"interrupted; the same command with --name {name_seen[0]} goes on from here")
        return 130
    show_result(result, config.store, as_json=as_json)
    broken = result.failed or "plugin" in result.failures.scores
    return 1 if broken or result.stopped else 0


def _estimate(config: RunConfig, *, as_json: bool) -> None:
    from sociolab.app.estimate import estimate

    found = estimate(config)
    if as_json:
        print_json(found.document())
    else:
        for line in found.sentences():
            typer.echo(line)
