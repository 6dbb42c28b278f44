"""A user's own files: where they are, and how to write new files and folders atomically."""

from __future__ import annotations

import errno
import os
import platform
import re
import shutil
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import NoReturn

from sociolab.core.errors import ConfigError

HOME_VARIABLE = "SOCIOLAB_HOME"


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


def find_data_folder(world: str, data: str) -> Path:
    """The folder of an imported data set, or the folder at this path.

    An imported set takes precedence over a folder of the same name; `./NAME` is the folder.
    ConfigError where there is neither.
    """
    if data in imported_names(world):
        return imported_folder(world, data)
    if Path(data).is_dir():
        return Path(data)
    names = ", ".join(imported_names(world)) or "none"
    raise ConfigError(
        f'--data: expected a folder or an imported data set (there is: {names}), found "{data}"'
    )


def absolute_unless_name(name: str) -> str:
    """A bare name unchanged; a path made absolute, so that a run can be resumed from anywhere."""
    return name if Path(name).name == name else str(Path(name).expanduser().resolve())


def imported_folder(world: str, name: str) -> Path:
    """Where an imported data set lies; it need not exist."""
    return data_home() / "data" / world / name


def imported_names(world: str) -> tuple[str, ...]:
    folder = data_home() / "data" / world
    if not folder.is_dir():
        return ()
    return tuple(
        sorted(
            entry.name
            for entry in folder.iterdir()
            if entry.is_dir() and not entry.name.startswith(".")
        )
    )


def require_new_file(path: Path, flag: str) -> None:
    """ConfigError, which names the flag, where a file exists or its folder does not."""
    if path.exists() or path.is_symlink():
        raise ConfigError(f"{flag}: {path} is there already; name another file, or remove it first")
    if not path.parent.is_dir():
        raise ConfigError(
            f"{flag}: there is no folder {path.parent}; name a file in a folder that exists"
        )


def write_new(path: Path, flag: str, text: str) -> None:
    """Write a new file as UTF-8; ConfigError where it exists or cannot be written."""
    require_new_file(path, flag)
    try:
        write_atomically(path, text)
    except OSError as error:
        raise ConfigError(
            f"{flag}: {path} cannot be written ({error.strerror}); name another file"
        ) from error


def write_atomically(path: Path, text: str) -> None:
    """Write or replace a file as UTF-8; on OSError the old file is unchanged."""
    with atomic_file(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """A temporary file beside `path` to write, which replaces it when the block succeeds.

    No two processes share it. On an exception it is removed, and what was there before stays.
    IsADirectoryError for a folder.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield part
        part.replace(path)
    finally:
        with suppress(OSError):  # a name that is too long cannot even be looked for
            part.unlink(missing_ok=True)


PREFIX, FRESH, OLD = ".building", "data", "old"


@contextmanager
def fresh_folder(target: Path) -> Iterator[Path]:
    """A temporary folder to write, which replaces the target when the block succeeds.

    An error, Ctrl-C or SIGTERM leaves the target as it was. What killed processes have left beside
    it is removed. ConfigError where nothing can be written.
    """
    with _terminable():
        with writing(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            _sweep(target.parent)
            scratch = TemporaryDirectory(dir=target.parent, prefix=f"{_prefix_of(os.getpid())}-")
        with scratch as folder:
            fresh = Path(folder) / FRESH
            yield fresh
            with writing(target):
                _swap(fresh, target, Path(folder) / OLD)


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """Turn an OSError of the block into a ConfigError that names the target."""
    try:
        yield
    except OSError as error:
        raise ConfigError(
            f"expected a folder that can be written, found {target}: "
            f"{error.strerror or error}; name another, or make it writable"
        ) from error


def write_files(folder: Path, texts: Mapping[str, str]) -> None:
    """Write texts, by path ("a.md", "part/b.md"), into a new folder; ConfigError on failure."""
    with writing(folder):
        folder.mkdir(parents=True)
        for name, text in texts.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, "utf-8", newline="\n")


def _swap(fresh: Path, target: Path, old: Path) -> None:
    try:
        if target.exists():
            target.rename(old)
        fresh.rename(target)
    except BaseException:  # Ctrl-C and SIGTERM, too: put back what was there
        if old.exists() and not target.exists():
            old.rename(target)
        raise


@contextmanager
def _terminable() -> Iterator[None]:
    """Have SIGTERM raise KeyboardInterrupt; only a main thread may set a handler."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(_: int, __: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


# ------------------------------------------------------------------ what killed processes left


def _prefix_of(process: int) -> str:
    """The prefix of the names of a process's temporary folders: host and process id."""
    host = re.sub(r"\W", "_", platform.node()) or "here"
    return f"{PREFIX}-{host}-{process}"


def _sweep(folder: Path) -> None:
    """Remove temporary folders of processes of this computer that have ended.

    A folder stays that holds an old target whose replacement was interrupted.
    """
    for leftover in folder.glob(f"{PREFIX}-*-*-*"):
        process = leftover.name.split("-")[2]
        ours = process.isdigit() and leftover.name.startswith(f"{_prefix_of(int(process))}-")
        needed = (leftover / OLD).exists() and (leftover / FRESH).exists()
        if ours and not needed and not is_alive(int(process)):
            shutil.rmtree(leftover, ignore_errors=True)


def is_alive(process: int) -> bool:
    """Whether the process exists; True where the system cannot tell."""
    if os.name != "posix":
        return True  # signal 0 would end it
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # somebody else's process
        return True
    return True
