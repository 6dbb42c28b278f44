"""Whether a run is being played just now, by whichever process."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def being_played(store: Path, run: str) -> bool:
    """Whether a living process holds the lock of this run.

    The lock is only looked at: to try it would keep off a run that is just about to begin.
    """
    path = store.resolve()
    file = path.with_name(f"{path.name}-locks") / f"{run}.lock"
    try:
        holder = file.read_text("ascii")
    except (OSError, UnicodeDecodeError, ValueError):
        return False
    return holder.isdecimal() and len(holder) < 12 and _lives(int(holder))


def _lives(process: int) -> bool:
    if sys.platform == "win32":
        return True  # Windows removes no lock that is held, and signal 0 would end the process
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True  # somebody else's process
    return True
