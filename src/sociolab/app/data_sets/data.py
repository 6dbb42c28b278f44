"""Which data a world plays: its own, an imported set by name, or a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sociolab.app.registry import names, world_plugin
from sociolab.core.errors import ConfigError
from sociolab.core.ports import WorldKit
from sociolab.engine.scene import FailurePolicy
from sociolab.engine.setup import WorldSetup
from sociolab.store.place import data_home


def load_world(
    name: str,
    data: str | None = None,
    policy: FailurePolicy = FailurePolicy(),  # noqa: B008  frozen
    settings: Mapping[str, str] | None = None,
    seed: int = 0,
) -> WorldKit:
    """The world over its data; ConfigError if either is not there, or a setting is wrong."""
    found = world_plugin(name)
    folder = None if data is None else data_folder(name, data)
    return found(WorldSetup(folder, policy, settings or {}, seed))


def data_folder(world: str, data: str) -> Path:
    """The folder of an imported data set, or the folder that is named outright.

    An imported set goes before a folder of the same name; `./NAME` is the folder.
    """
    if data in imported_names(world):
        return imported_folder(world, data)
    if Path(data).is_dir():
        return Path(data)
    known = ", ".join(imported_names(world)) or "none"
    raise ConfigError(
        f'--data: expected a folder or an imported data set (there is: {known}), found "{data}"'
    )


def imported_folder(world: str, name: str) -> Path:
    """Where an imported data set lies, whether it is there or not."""
    return data_home() / "data" / world / name


def imported_names(world: str) -> tuple[str, ...]:
    """The data sets imported for a world."""
    folder = data_home() / "data" / world
    if not folder.is_dir():
        return ()
    return tuple(
        sorted(
            found.name
            for found in folder.iterdir()
            if found.is_dir() and not found.name.startswith(".")
        )
    )


def world_names() -> tuple[str, ...]:
    """The worlds that are installed."""
    return names("sociolab.worlds")
