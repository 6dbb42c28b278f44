"""The folder of a data set that is being made: put in its place only when it is complete."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sociolab.app.data_sets.data import imported_folder
from sociolab.app.fresh_folder import fresh_folder
from sociolab.core.errors import ConfigError
from sociolab.store.connect import checked_name


@contextmanager
def new_data_set(kind: str, name: str, *, replace: bool) -> Iterator[Path]:
    """A folder to make, which becomes the data set of this kind (a world, or "dnd") and name.

    Left early, it leaves all as it was. ConfigError as `free_place`, or where nothing can be
    written.
    """
    with fresh_folder(free_place(kind, name, replace=replace)) as fresh:
        yield fresh


def free_place(kind: str, name: str, *, replace: bool) -> Path:
    """Where a data set of this kind and name belongs.

    ConfigError for a name that cannot be, or that is taken and not to be replaced.
    """
    place = imported_folder(kind, checked_name(name))
    if place.exists() and not replace:
        raise ConfigError(
            f'a data set called "{name}" is there already; choose another --name, or add --replace'
        )
    return place
