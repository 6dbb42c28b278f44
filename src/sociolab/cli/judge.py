"""`sociolab judge`: stored episodes, another judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from sociolab.app.runs.config import config_of
from sociolab.app.runs.judge import judge_run
from sociolab.cli.output import say, show_result
from sociolab.cli.progress import watch
from sociolab.report.words import plural

if TYPE_CHECKING:
    from sociolab.report.schema import RunResult


def judge(run: str, flags: dict[str, Any], *, repeats: int, as_json: bool) -> None:
    """Judge and print the tables of the run, old judges included."""
    given = {key: value for key, value in flags.items() if value is not None}
    config = config_of(given, "judge")
    try:
        result = judge_run(run, config, repeats=repeats, watch=watch(lambda name: None))
    except KeyboardInterrupt:
        say("interrupted; what was judged is stored, the same command goes on from here")
        raise typer.Exit(130) from None
    show_result(result, config.store, as_json=as_json)
    in_vain = _in_vain(result, config.judges)
    for sentence in in_vain:
        say(sentence)
    broken = [one for one in result.failures.first if (one.kind, one.cause) == ("scores", "plugin")]
    for one in broken:
        say(one.problem)
    raise typer.Exit(1 if result.stopped or in_vain or broken else 0)


def _in_vain(result: RunResult, judges: Sequence[str]) -> tuple[str, ...]:
    """The judges asked for that failed on every play, in a sentence each."""
    found = []
    # A judge of one's own is called as its class.
    names = [t.rpartition(":")[2] if t.startswith("python:") else t for t in judges]
    for judge in dict.fromkeys(name.partition("?")[0] for name in names):
        mine = [entry for entry in result.scores if entry.judge == judge and not entry.by]
        failed = sum(entry.failures for entry in mine)
        if failed and not any(entry.n for entry in mine):
            found.append(f"{judge} gave no score: all of {plural(failed, 'score')} are missing")
    return tuple(found)
