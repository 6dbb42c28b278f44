"""The code of somebody's Python class as a part of the settings by which it is known.

Settings with code read "MIX:REST@CODE": MIX is a hash of both others, so that the beginning of the
whole already tells two of them apart; REST is what the settings are without the code.
"""

from __future__ import annotations

import re

from sociolab.core.seeding import digest

UNKNOWN = "unknown code"
"""Stands for a code that nobody could read: it is not known to be the same as any other."""

_WITH_CODE = re.compile(rf"[0-9a-f]{{16}}:(?P<rest>.*)@(?P<code>[0-9a-f]{{16}}|{UNKNOWN})", re.S)
_MARK = 4


def with_code(rest: str, code: str) -> str:
    """Settings that hold a code: a digest of 16 characters, or `UNKNOWN`."""
    return f"{digest(rest, code)}:{rest}@{code}"


def without_code(settings: str) -> str:
    """The settings but for the code; the same where they hold none."""
    found = _WITH_CODE.fullmatch(settings)
    return found["rest"] if found else settings


def code_in(label: str, settings: str) -> str | None:
    """The code in an agent's settings; None of an agent that is no Python class.

    `UNKNOWN` where a Python class played whose code was not read, or not recorded.
    """
    found = _WITH_CODE.fullmatch(settings)
    if found:
        return found["code"]
    return UNKNOWN if label.startswith("python:") else None


def mark(code: str) -> str:
    """A short mark of a code, such as "3f2a"; "?" of an unknown one."""
    return "?" if code == UNKNOWN else code[:_MARK]
