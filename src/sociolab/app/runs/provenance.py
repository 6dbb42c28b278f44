"""With what a run was made: versions, and the state of the user's own repository."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sociolab import __version__
from sociolab.core.episode import Json

MADE_WITH = "made_with"
RESUMED_WITH = "resumed_with"
TAGS = "tags"
OPTIONS = "options"
"""By label, the options of models.toml that a model was asked with: to be read by people, since
what identifies an agent or a judge holds them already."""

BESIDE = frozenset({MADE_WITH, RESUMED_WITH, TAGS, OPTIONS})
"""Settings that tell of a run and are no part of what it plays: they may differ when it resumes."""

GIT_SECONDS = 2.0
_GIT = ("git", "status", "--porcelain=v2", "--branch", "--untracked-files=no")


def made_with() -> dict[str, Json]:
    """The versions of sociolab and Python and, in a git work tree, its commit, and whether tracked
    files differ from it (`changed`)."""
    found: dict[str, Json] = {"sociolab": __version__, "python": platform.python_version()}
    return found | {"git": git} if (git := git_state(Path.cwd())) else found


def git_state(folder: Path) -> dict[str, Json] | None:
    """The commit of the work tree that a folder lies in, and whether tracked files were changed.

    None outside of one, before its first commit, without git, and where git does not answer within
    two seconds: a run does not depend on it.
    """
    if not any((place / ".git").exists() for place in (folder, *folder.parents)):
        return None
    import subprocess  # outside of a work tree nobody needs it

    try:
        done = subprocess.run(
            _GIT,
            cwd=folder,
            # It only reads: no lock and no index is to be written beside the user's own git.
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=GIT_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    lines = done.stdout.decode(errors="replace").splitlines()
    heads = [line.split()[-1] for line in lines if line.startswith("# branch.oid ")]
    if not heads or heads[0] == "(initial)":
        return None
    return {"commit": heads[0], "changed": any(not line.startswith("#") for line in lines)}


def resumed(was: Mapping[str, Any], now: Mapping[str, Json]) -> dict[str, Json]:
    """The settings of a run that goes on: as they were, with what it goes on with where that is
    new, and with tags that are new."""
    found = dict(was)
    known = [was.get(MADE_WITH), *was.get(RESUMED_WITH, ())]
    if now[MADE_WITH] not in known:
        found[RESUMED_WITH] = [*was.get(RESUMED_WITH, ()), now[MADE_WITH]]
    return with_tags(found, now.get(TAGS) or ())


def with_tags(settings: Mapping[str, Any], tags: Any) -> dict[str, Json]:
    """The settings with these tags too."""
    both = list(dict.fromkeys((*(settings.get(TAGS) or ()), *tags)))
    return {**settings, TAGS: both} if both else dict(settings)
