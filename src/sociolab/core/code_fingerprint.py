"""The code of somebody's Python class, by which two versions of an agent or a judge are told apart.

A code is "OWN+IMPORTS", digests of the class's own modules and of those that they import; OWN alone
where they import none.
"""

from __future__ import annotations

from sociolab.core.seeding import digest

OPTIONS = "options"
"""By label, the options of models.toml that a model was asked with: to be read by people, since
what identifies an agent or a judge holds them already."""

UNKNOWN = "unknown code"
"""Stands for a code that nobody could read: it is not known to be the same as any other."""

_MARK = 4


def same_code(code: str, other: str) -> bool:
    """Whether two codes are known to be the same."""
    return code == other != UNKNOWN


def mark(code: str) -> str:
    """A short mark of a code, such as "3f2a"; "?" of an unknown one."""
    if code == UNKNOWN:
        return "?"
    return (digest(code) if "+" in code else code)[:_MARK]
