"""Fingerprints of the source of a user's agent or judge, which tell its versions apart.

A code is "OWN+IMPORTS", digests of the class's own modules and of those that they import; OWN alone
where they import none.
"""

from __future__ import annotations

from sociolab.core.seeding import digest

OPTIONS = "options"
"""Key of a run's settings: by label, the options of models.toml that a model was called with.

For people to read; the identity of an agent or a judge contains them already.
"""

UNKNOWN = "unknown code"
"""Stands for source that could not be read, and equals no code, not even itself."""

_MARK = 4


def same_code(code: str, other: str) -> bool:
    """Whether two codes are equal and neither is unknown."""
    return code == other != UNKNOWN


def short_code(code: str) -> str:
    """A short mark of a code, such as "3f2a"; "?" of an unknown one."""
    if code == UNKNOWN:
        return "?"
    return (digest(code) if "+" in code else code)[:_MARK]
