"""Where the store lies when nobody says otherwise."""

from __future__ import annotations

import os
import sys
from pathlib import Path

VARIABLE = "SOCIOLAB_STORE"
HOME_VARIABLE = "SOCIOLAB_HOME"


def default_path() -> Path:
    """`$SOCIOLAB_STORE`, else `store.db` in `data_home()`.

    The environment is read at each call; nothing is created.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    return data_home() / "store.db"


def store_path(path: Path | None) -> Path:
    """The store that is named, or the user's own."""
    return path if path is not None else default_path()


def data_home() -> Path:
    """The user's own folder for imported data sets and `models.toml`; nothing is created.

    `$SOCIOLAB_HOME`, else `sociolab` in the user's folder for program data.
    """
    chosen = os.environ.get(HOME_VARIABLE)
    return Path(chosen).expanduser() if chosen else _user_data() / "sociolab"


def _user_data() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
