"""What users write, read: TOML files, and what is wrong with a value, in a clause."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sociolab.core.errors import ConfigError
from sociolab.core.redaction import redacted


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file; ConfigError where it cannot be read, with the line where it is broken."""
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error
    except RecursionError as error:
        raise ConfigError(
            f"{path} cannot be read: expected lists and tables a few levels deep, found hundreds"
        ) from error


def first_problem(error: ValidationError) -> str:
    """The first problem of a validation in one clause: where, what was expected, what was found."""
    item = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in item["loc"]) or "the file"
    if item["type"] == "extra_forbidden":
        return f'"{place}" is no field; check its spelling'
    expected = f"{place}: {item['msg'][:1].lower()}{item['msg'][1:]}"
    # The headers of an endpoint hold secrets.
    found = redacted(repr(item["input"]), lookalikes=True)
    return expected if "headers" in item["loc"] else f"{expected}, found {found}"
