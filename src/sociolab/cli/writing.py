"""`sociolab write`: sessions by a model."""

from __future__ import annotations

from typing import Any

import typer
from pydantic import ValidationError

from sociolab.app.data.writing import WriteConfig
from sociolab.app.data.writing import write as write_sessions
from sociolab.app.user_files import first_problem
from sociolab.cli.output import say
from sociolab.core.errors import ConfigError


def write(flags: dict[str, Any]) -> None:
    """Have them written, and print what came of it."""
    try:
        config = WriteConfig.model_validate({k: v for k, v in flags.items() if v is not None})
    except ValidationError as error:
        raise ConfigError(f"write: {first_problem(error)}") from error
    for sentence in write_sessions(config, say):
        typer.echo(sentence)
