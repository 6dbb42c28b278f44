"""What researchers did with studies: who, when, and by which command."""

from __future__ import annotations

import getpass
import os
import socket
import time
from typing import NamedTuple

from sociolab.store.database import Database, as_text


class AuditEntry(NamedTuple):
    """An action: when (seconds since 1970, UTC), by which user and machine, on which study ("": the
    whole store)."""

    at: float
    who: str
    study: str
    action: str


class AuditLog:
    """The audit log of a store. It outlives the studies, and names no participant."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, action: str, study: str = "") -> None:
        """Record what the user of this process has done; nothing where the store is read-only."""
        if not self._db.frozen:
            self._db.write(
                "INSERT INTO audit_log (at, who, study, action) VALUES (?, ?, ?, ?)",
                (time.time(), _user(), study, action),
            )

    def entries(self, study: str | None = None) -> tuple[AuditEntry, ...]:
        """All entries or those of one study, oldest first."""
        rows = self._db.rows(
            "SELECT at, who, study, action FROM audit_log WHERE ?1 IS NULL OR study = ?1 "
            "ORDER BY pk",
            (study,),
        )
        return tuple(AuditEntry(at, *map(as_text, texts)) for at, *texts in rows)


def _user() -> str:
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a container whose user has no name
        name = f"uid {os.getuid()}"
    return f"{name}@{socket.gethostname()}"
