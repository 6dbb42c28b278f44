"""The code of somebody's Python class as a part of the settings by which it is known.

Settings with code read "MIX:REST@CODE": MIX is a hash of both others, so that the beginning of the
whole already tells two of them apart; REST is what the settings are without the code.

CODE is "OWN+IMPORTS", digests of the class's own modules and of those that they import; OWN alone
where they import none.
"""

from __future__ import annotations

import re

from sociolab.core.seeding import digest

OPTIONS = "options"
"""By label, the options of models.toml that a model was asked with: to be read by people, since
what identifies an agent or a judge holds them already."""

UNKNOWN = "unknown code"
"""Stands for a code that nobody could read: it is not known to be the same as any other."""

_CODE = rf"[0-9a-f]{{16}}(?:\+[0-9a-f]{{16}})?|{UNKNOWN}"
_WITH_CODE = re.compile(rf"[0-9a-f]{{16}}:(?P<rest>.*)@(?P<code>{_CODE})", re.S)
_MARK = 4


def with_code(rest: str, code: str) -> str:
    """Settings that hold a code: one or two digests of 16 characters, or `UNKNOWN`."""
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


def same_code(one: str, other: str) -> bool:
    """Whether two codes are known to be the same."""
    return one == other != UNKNOWN


def mark(code: str) -> str:
    """A short mark of a code, such as "3f2a"; "?" of an unknown one."""
    if code == UNKNOWN:
        return "?"
    return (digest(code) if "+" in code else code)[:_MARK]
