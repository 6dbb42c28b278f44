"""`sociolab judge`: stored episodes, another judge."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import typer

from sociolab.app.runs.config import config_of
from sociolab.app.runs.judge import judge_run
from sociolab.cli.judges_failed import judges_failed
from sociolab.cli.output import say, show_result
from sociolab.cli.progress import watch
from sociolab.runner.tally import Tally


def judge(run: str, flags: dict[str, Any], *, repeats: int, as_json: bool) -> None:
    """Judge and print the tables of the run, old judges included."""
    given = {key: value for key, value in flags.items() if value is not None}
    config = config_of(given, "judge")
    tallies: list[Tally] = []

    def watched(name: str, tally: Tally) -> AbstractContextManager[None]:
        tallies.append(tally)
        return watch(lambda name: None)(name, tally)

    try:
        result = judge_run(run, config, repeats=repeats, watch=watched)
    except KeyboardInterrupt:
        say("interrupted; what was judged is stored, the same command goes on from here")
        raise typer.Exit(130) from None
    show_result(result, config.store, as_json=as_json)
    failed = judges_failed(result, config.store, tallies[0].judges)
    for sentence in failed:
        say(sentence)
    raise typer.Exit(1 if result.stopped or failed else 0)
