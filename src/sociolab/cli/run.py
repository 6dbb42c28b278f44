"""`sociolab run`: play, or estimate, the run that options and a TOML file describe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from sociolab.app.run.config import RunConfig, check_file, merge_flags, over_prompts, write_run
from sociolab.cli.options import (
    DryRun,
    Full,
    Json,
    Latency,
    OptPath,
    option,
    refuse_latency,
    takes,
)
from sociolab.cli.output import say, say_next, show_result, show_sections
from sociolab.core.errors import ConfigError, StorageError

verbs = typer.Typer()
_INTERRUPTED = 130


class _RunCommand(TyperCommand):
    """Takes the switches of installed worlds for settings: `--tdp` for `--set tdp=true`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = {flag for param in self.params for flag in param.opts} | {"--help"}
        unknown = {word for word in args if word.startswith("--") and word.split("=")[0] not in own}
        if unknown:
            from sociolab.app.registry import switches

            unknown &= {f"--{name.replace('_', '-')}" for name in switches()}
        arguments = [
            f"--set={word[2:].replace('-', '_')}=true" if word in unknown else word for word in args
        ]
        return super().parse_args(ctx, arguments)


@verbs.command(
    cls=_RunCommand, epilog="Example: sociolab run sotopia --limit 20 --seed 1 --name first"
)
@takes(RunConfig)
def run(
    file: Annotated[OptPath, option("--file", "FILE", "A description of the run, in TOML.")] = None,
    write_file: Annotated[
        OptPath, option("--write-file", "FILE", "Write a description of this run.")
    ] = None,
    *,
    options: dict[str, Any],
    dry_run: DryRun = False,
    latency: Latency = None,
    full: Full = False,
    json: Json = False,
) -> None:
    """Play tasks, judge the episodes, print an overview.

    The run is described by options, a file, or both; options override the file.
    """
    if write_file is not None:
        check_file(write_file)
    config, remarks = merge_flags(file, options)
    if "world" not in config.model_fields_set:
        raise ConfigError("which world? expected `sociolab run sotopia`, or a --file that names it")
    for remark in remarks:
        say(remark)
    refuse_latency(latency, dry_run)
    each = over_prompts(config)
    if json and len(each) > 1:
        raise ConfigError("--json: expected one prompt set, found several; `report` shows each run")
    if dry_run:
        from sociolab.app.preflight.estimate import estimate
        from sociolab.cli.progress import ticking

        with ticking(10, partial(say, "still simulating what it takes ...")):
            expected = [estimate(one, latency) for one in each]
        sections = [one.section() for one in expected]
        if len(each) > 1:
            sections = [
                replace(section, title=f"{section.title}: {one.name}")
                for section, one in zip(sections, each, strict=True)
            ]
        show_sections(sections, expected[0].document, as_json=json)
        _write_description(write_file, config, f"play it: sociolab run --file {write_file}")
        return
    # Only once the run is in the store, so that a run that cannot begin leaves no file behind.
    on_start = partial(_write_description, write_file, config, "the run starts now")
    if len(each) == 1:
        raise typer.Exit(play_and_show(config, on_start, full=full, as_json=json))
    raise typer.Exit(_play_over_prompts(each, on_start, full=full))


def _play_over_prompts(
    configs: tuple[RunConfig, ...], on_start: Callable[[], None], *, full: bool
) -> int:
    """Play a run under each prompt set, one after the other; returns the worst of their codes."""
    from sociolab.app.run.session import check_description

    for config in configs:  # a mistake in the last would show when the others are paid for
        check_description(config)
    codes = list[int]()
    for config in configs:
        codes.append(play_and_show(config, None if codes else on_start, full=full, as_json=False))
        if codes[-1] == _INTERRUPTED:
            return codes[-1]
    names = [str(config.name) for config in configs]
    compared = [("compare", *names, "--over", "prompts")] if len(configs[0].agents) > 1 else []
    say_next([("variance", *names), *compared], configs[0].store)
    return max(codes)


def _write_description(file: Path | None, config: RunConfig, remark: str) -> None:
    if file is not None:
        write_run(file, config)
        say(f"wrote {file}; {remark}")


def play_and_show(
    config: RunConfig, on_start: Callable[[], None] | None = None, *, full: bool, as_json: bool
) -> int:
    """Play, print the overview, all tables or JSON, and return the exit code.

    `on_start` is called as soon as the run is in the store. The exit code is 1 where a trial or a
    judge failed or the run stopped early, and 130 after Ctrl-C.
    """
    from sociolab.app.run.play import cautions, run as play
    from sociolab.app.run.session import interrupted_result
    from sociolab.cli.progress import watch
    from sociolab.report.run_facts import judge_failures

    by_person = "human" in config.players
    if by_person:  # one scene at a time, and no display that writes between the lines
        config = config.model_copy(update={"episodes": 1})
    for sentence in cautions(config):
        say(sentence)
    started: list[str] = []

    def note_name(name: str) -> None:
        started.append(name)
        if on_start is not None:
            on_start()

    try:
        result = play(config, watch(note_name, plain=by_person)).result
    except StorageError as error:
        if started and config.name is None:
            raise StorageError(f"{error} (with --name {started[0]})") from error
        raise
    except KeyboardInterrupt:
        if started:
            result = interrupted_result(config, started[0])
            show_result(result, config.store, as_json=as_json, full=full)
            say(f"interrupted; the same command with --name {started[0]} resumes from here")
        return _INTERRUPTED
    show_result(result, config.store, as_json=as_json, full=full)
    unjudged = [*judge_failures(result, config.store)]
    for sentence in unjudged:
        say(sentence)
    return 1 if result.failed or unjudged or result.stopped else 0
