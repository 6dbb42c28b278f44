"""With which versions a run was played, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sociolab.report.schema import RunResult

_SHORT = 10
"""Characters of a commit's hash that are shown."""


def made_with(result: RunResult) -> str:
    """The versions of the run, and of its later parts where they are others; "" if none is
    recorded."""
    return "; then ".join(_words(one) for one in _parts(result))


def changed_versions(result: RunResult) -> str:
    """That parts of a run were played by different versions, as a sentence; "" where they were not.

    Of sociolab and of Python; other commits are other work of the user, which `made_with` names.
    """
    parts = [(one.get("sociolab"), one.get("python")) for one in _parts(result)]
    if len(set(parts)) < 2:
        return ""
    told = ", then ".join(_versions(*part) for part in dict.fromkeys(parts))
    return f"parts of the run were played by different versions ({told}): they may differ by it"


def _parts(result: RunResult) -> list[Mapping[str, Any]]:
    settings = result.settings if isinstance(result.settings, dict) else {}
    later = settings.get("resumed_with")
    first = settings.get("made_with")
    found = [*([first] if first else []), *(later if isinstance(later, list) else [])]
    if later and not first:
        found.insert(0, {})
    return [one for one in found if isinstance(one, dict)]


def _words(part: Mapping[str, Any]) -> str:
    git = part.get("git")
    if not isinstance(git, dict):
        return _versions(part.get("sociolab"), part.get("python"))
    state = " with changes" if git.get("changed") else ""
    where = f"commit {str(git.get('commit'))[:_SHORT]}{state}"
    return f"{_versions(part.get('sociolab'), part.get('python'))}, {where}"


def _versions(sociolab: object, python: object) -> str:
    return f"sociolab {sociolab}, Python {python}" if sociolab else "versions not recorded"
