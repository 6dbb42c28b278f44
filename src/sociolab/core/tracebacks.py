"""Errors of users' code on one line: what was raised, and where in their files."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from traceback import FrameSummary, extract_tb

from pydantic import ValidationError

from sociolab.core.redaction import redact

_OURS = f"{Path(__file__).parents[1]}{os.sep}"
_MOST = 400


def describe_error(error: BaseException) -> str:
    """An error on one line, such as "KeyError: 'x' (my_agent.py, line 12, in reply)".

    The place is the innermost one in a user's own file, or else in an installed package; there is
    none where the traceback holds only this package and Python's own library. Of a group, the first
    error is described and the rest are counted. Keys and passwords are redacted.
    """
    if isinstance(error, BaseExceptionGroup):
        first, *rest = _leaves(error)
        return f"{describe_error(first)}, and {len(rest)} more" if rest else describe_error(first)
    message = _format_message(error)
    name = type(error).__name__
    text = redact(f"{name}: {message}" if message else name, lookalikes=True)
    place = None if isinstance(error, SyntaxError) else _place(error)  # it names its own place
    return f"{text} ({place})" if place else text


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def format_place(frame: FrameSummary) -> str:
    """A frame's place, such as "my_agent.py, line 12, in reply"."""
    return f"{Path(frame.filename).name}, line {frame.lineno}, in {frame.name}"


def is_users_own(frame: FrameSummary) -> bool:
    """Whether a frame is in a user's own file: not ours, Python's, or an installed package's."""
    return _is_foreign(frame) and not frame.filename.startswith(_installed())


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


def raised_in_users_file(error: BaseException) -> bool:
    """Whether an error passed through a user's own file or an installed package."""
    return _place(error) is not None


def _place(error: BaseException) -> str | None:
    frames = list(reversed(extract_tb(error.__traceback__)))
    frame = next(filter(is_users_own, frames), None) or next(filter(_is_foreign, frames), None)
    return format_place(frame) if frame else None


def _is_foreign(frame: FrameSummary) -> bool:
    """Whether a frame is neither of this package nor of Python's own library.

    Installed packages come first, since their folder may lie within Python's.
    """
    if frame.filename.startswith(_OURS):
        return False
    if frame.filename.startswith(_installed()):
        return True
    return not frame.filename.startswith(_standard_library())


@cache
def _installed() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return paths["purelib"], paths["platlib"]


@cache
def _standard_library() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return paths["stdlib"], paths["platstdlib"], "<frozen", "<string>"
