"""A run as a TOML file: read as a person writes one, and written as a run was called."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sociolab.app.new_file import free_file, write_new
from sociolab.app.runs.config import RunConfig, config_of
from sociolab.app.user_files import read_toml
from sociolab.core.errors import ConfigError
from sociolab.core.redaction import redacted

FLAG = "--write-file"

SPELLINGS = {
    "agent": "agents",
    "background": "partner",
    "judge": "judges",
    "reader": "readers",
    "set": "settings",
    "tag": "tags",
}
"""Flags whose names differ from those of the fields that they give."""

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def read_run(path: Path) -> dict[str, Any]:
    """The fields of a run that a TOML file describes, under their own names.

    A flag's spelling will do for a field (`agent`, `in-flight`), and `tdp = true` for its setting.
    ConfigError where the file is no TOML or gives a field twice; `config_of` checks the rest.
    """
    found: dict[str, Any] = {}
    for key, value in read_toml(path).items():
        plain = key.replace("-", "_")
        field = SPELLINGS.get(plain, plain)
        if field in found:
            raise ConfigError(f'{path}: "{key}" gives "{field}" a second time; leave one of them')
        found[field] = value
    if isinstance(tdp := found.get("tdp"), bool):
        del found["tdp"]
        settings = found.get("settings", {})
        if tdp and isinstance(settings, dict):
            found["settings"] = {**settings, "tdp": True}
    return found


def described(path: Path | None, flags: Mapping[str, Any]) -> tuple[RunConfig, tuple[str, ...]]:
    """The run of a file with the flags beside it, and a sentence on what these change.

    A flag wins over the file; of the world's settings, each by itself. ConfigError for a field
    that is wrong.
    """
    if path is None:
        return config_of(dict(flags), "run"), ()
    written = read_run(path)
    both = {**written, **flags}
    theirs = written.get("settings")
    if isinstance(theirs, dict) and flags.get("settings"):
        both["settings"] = {**theirs, **flags["settings"]}
    config = config_of(both, str(path))
    return config, _overridden(path, config_of(written, str(path)), config)


def _overridden(path: Path, written: RunConfig, config: RunConfig) -> tuple[str, ...]:
    """Which fields of the file the flags have changed, if any."""
    changed = [
        f"{name} {_said(getattr(config, name))} instead of {_said(getattr(written, name))}"
        for name in RunConfig.model_fields
        if name in written.model_fields_set and getattr(written, name) != getattr(config, name)
    ]
    return (f"flags beside {path}: {'; '.join(changed)}",) if changed else ()


def _said(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key}={one}" for key, one in value.items()) or "none"
    return str(value)


def check_file(path: Path) -> None:
    """ConfigError where no description can be written there."""
    free_file(path, FLAG)


def write_run(path: Path, config: RunConfig) -> None:
    """Write what describes a run to a new TOML file, for `run --file`.

    Only what was given. A key never is: a description holds the name of its variable at most, and
    what looks like one elsewhere, such as in an address, is left out.
    """
    write_new(path, FLAG, run_toml(config))


def run_toml(config: RunConfig) -> str:
    """The description of a run as TOML."""
    given = config.model_dump(exclude_unset=True, exclude_none=True) | {"world": config.world}
    settings = given.pop("settings", {})
    order = [name for name in RunConfig.model_fields if name in given]
    lines = ["# Play it: sociolab run --file FILE", *(f"{x} = {_toml(given[x])}" for x in order)]
    if settings:
        lines += ["", "[settings]", *_table(settings)]
    return "\n".join(lines) + "\n"


def _table(settings: Mapping[str, str]) -> Iterator[str]:
    for name, value in settings.items():
        yield f"{name if _BARE.fullmatch(name) else _toml(name)} = {_toml(value)}"


def _toml(value: object) -> str:
    """A value; TOML's strings are those of JSON, but for a character that it wants escaped."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, int | float):
        return repr(value)
    text = redacted(str(value), lookalikes=True)
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
