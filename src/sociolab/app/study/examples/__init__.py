"""A study of each kind to start from, as a TOML file with remarks."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any, get_args

from sociolab.core.errors import ConfigError
from sociolab.store.studies import StudyKind

KINDS: tuple[StudyKind, ...] = get_args(StudyKind)


def example(kind: str) -> str:
    """The file of a kind of study; ConfigError if there is none."""
    if kind not in KINDS:
        raise ConfigError(f'expected a kind of study ({", ".join(KINDS)}), found "{kind}"')
    return files(__package__).joinpath(f"{kind}.toml").read_text("utf-8")


def example_values(kind: str) -> dict[str, Any]:
    """What the file of a kind of study holds; ConfigError if there is none."""
    return tomllib.loads(example(kind))
