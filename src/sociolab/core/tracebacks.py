"""An error of somebody's code in one line: what it is, and where in their files it was raised."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from traceback import FrameSummary, extract_tb

from pydantic import ValidationError

from sociolab.core.redaction import redacted

_OURS = f"{Path(__file__).parents[1]}{os.sep}"
_MOST = 400


def describe_error(error: BaseException) -> str:
    """An error on one line, such as "KeyError: 'x' (my_agent.py, line 12, in reply)".

    The place is the innermost one in a user's own file, or else in an installed package; there is
    none where only this package and Python's own were under way. Of a group the first is told, and
    how many more there are. Keys and passwords are blacked out.
    """
    if isinstance(error, BaseExceptionGroup):
        first, *rest = _leaves(error)
        return f"{describe_error(first)}, and {len(rest)} more" if rest else describe_error(first)
    message = _format_message(error)
    name = type(error).__name__
    words = redacted(f"{name}: {message}" if message else name, lookalikes=True)
    place = None if isinstance(error, SyntaxError) else _place(error)  # that one names its own
    return f"{words} ({place})" if place else words


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def in_file(frame: FrameSummary) -> str:
    """A place as "my_agent.py, line 12, in reply"."""
    return f"{Path(frame.filename).name}, line {frame.lineno}, in {frame.name}"


def users_own(frame: FrameSummary) -> bool:
    """Whether a frame is of a user's own file: not of this package, Python's, or installed."""
    return _elsewhere(frame) and not frame.filename.startswith(_installed())


def _format_message(error: BaseException) -> str:
    if isinstance(error, ValidationError):
        problems = [
            f"{'.'.join(map(str, detail['loc'])) or 'it'}: {detail['msg']}"
            for detail in error.errors(include_url=False)
        ]
        text = f"{error.title}: {'; '.join(problems)}"
    else:
        text = " ".join(str(error).split())
    return text if len(text) <= _MOST else f"{text[:_MOST]}..."


def in_users_file(error: BaseException) -> bool:
    """Whether an error was raised in somebody's own code or installed package."""
    return _place(error) is not None


def _place(error: BaseException) -> str | None:
    frames = list(reversed(extract_tb(error.__traceback__)))
    frame = next(filter(users_own, frames), None) or next(filter(_elsewhere, frames), None)
    return in_file(frame) if frame else None


def _elsewhere(frame: FrameSummary) -> bool:
    """Not of this package, and not of Python's own library, in which others may be installed."""
    if frame.filename.startswith(_OURS):
        return False
    if frame.filename.startswith(_installed()):
        return True
    return not frame.filename.startswith(_pythons())


@cache
def _installed() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return paths["purelib"], paths["platlib"]


@cache
def _pythons() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return paths["stdlib"], paths["platstdlib"], "<frozen", "<string>"
