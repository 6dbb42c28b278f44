"""Anything else that belongs to a trial (a trace, say), in pieces that are only ever added to."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from sociolab.core.redaction import redacted_bytes
from sociolab.store.trials import TrialTable


class AttachmentTable(TrialTable):
    """The attachments of a store's trials."""

    def attach(self, run: str, trial: str, name: str, data: bytes) -> None:
        """Add a piece to an attachment; compressed if that is smaller."""
        data = redacted_bytes(data)
        packed = zlib.compress(data)
        small = len(packed) < len(data)
        self.write(
            "INSERT INTO attachments (trial, name, packed, data) VALUES (?, ?, ?, ?)",
            (self.trial_pk(run, trial), name, small, packed if small else data),
        )

    def attachment(self, run: str, trial: str, name: str) -> Iterator[bytes]:
        """The pieces of an attachment in the order of writing; nothing if there is none."""
        pieces = self.rows(
            "SELECT pk FROM attachments WHERE trial = ? AND name = ? ORDER BY pk",
            (self.trial_pk(run, trial), name),
        )
        for piece in pieces:
            packed, data = self.row("SELECT packed, data FROM attachments WHERE pk = ?", piece)
            yield zlib.decompress(data) if packed else data

    def attachments(self, run: str, trial: str) -> tuple[str, ...]:
        """The names of a trial's attachments, sorted."""
        rows = self.rows(
            "SELECT DISTINCT name FROM attachments WHERE trial = ? ORDER BY name",
            (self.trial_pk(run, trial),),
        )
        return tuple(name for (name,) in rows)
