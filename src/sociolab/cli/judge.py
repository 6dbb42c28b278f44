"""`sociolab judge`: stored episodes, another judge; a judge, labelled data."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import typer
from pydantic import ValidationError

from sociolab.app.runs.config import config_of
from sociolab.app.runs.judge import judge_run
from sociolab.app.user_files import first_problem
from sociolab.cli.judges_failed import judges_failed
from sociolab.cli.output import say, show_result, show_sections
from sociolab.cli.progress import watch
from sociolab.core.errors import ConfigError
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


def validates(of_run: Mapping[str, object], of_data: Mapping[str, object]) -> bool:
    """Whether a judge is to be validated; ConfigError where the arguments of both are mixed."""
    if all(of_data[name] is None for name in of_data):
        if of_run["RUN"] is None:
            raise ConfigError(
                "expected a RUN whose episodes are judged, or --validate SPEC --data DIR, found "
                "neither"
            )
        return False
    missing = [name for name in ("--validate", "--data") if of_data[name] is None]
    if missing:
        raise ConfigError(f"{_given(of_data)} needs {' and '.join(missing)}")
    if any(of_run.values()):
        raise ConfigError(f"--validate judges no run: leave out {_given(of_run)}")
    return True


def _given(arguments: Mapping[str, object]) -> str:
    return ", ".join(name for name, value in arguments.items() if value is not None)


def validate(flags: dict[str, Any], *, as_json: bool) -> None:
    """Compare a judge's answers with labels, and print sections or one JSON object."""
    from sociolab.app.runs import validate as validation

    try:
        config = validation.ValidationConfig.model_validate(
            {key: value for key, value in flags.items() if value is not None}
        )
    except ValidationError as error:
        raise ConfigError(f"judge --validate: {first_problem(error)}") from error
    try:
        found = validation.validate(config, watch(lambda name: None))
    except KeyboardInterrupt:
        say("interrupted; replies are stored, the same command resumes")
        raise typer.Exit(130) from None
    show_sections([validation.section(found)], partial(validation.document, found), as_json=as_json)
    if found.stopped:
        say(f"stopped with {found.waiting} items left: {found.stopped}; the same command resumes")
    elif found.in_vain:
        say("no answer could be used: nothing was validated")
    raise typer.Exit(1 if found.stopped or found.in_vain else 0)
