"""The store: everything that was planned, played, paid for and judged, in one SQLite file."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from sociolab.store.attachments import AttachmentTable
from sociolab.store.calls import CallTable
from sociolab.store.connect import connect
from sociolab.store.events import EventTable
from sociolab.store.outcomes import OutcomeTable
from sociolab.store.search import SearchTable
from sociolab.store.studies import StudyTable
from sociolab.store.totals import TotalsTable


class Store(
    EventTable, OutcomeTable, CallTable, TotalsTable, AttachmentTable, StudyTable, SearchTable
):
    """One open store, for one thread; others may read while it writes.

    What a method wrote is on disk when it returns. The replies of a run are kept through
    `RunReplies`; two processes are kept off one run by `lock_run`.
    """

    @classmethod
    def open(cls, path: Path, create: bool = True, *, synced: bool = False) -> Self:
        """The store at `path`, made there if `create` and there is none; one that cannot be
        written can be read.

        `synced`: what is committed survives a power cut too. That is for what people are told is
        stored; what a model said can be asked for again.

        StoreError if it cannot be opened, is not ours, or is newer than this sociolab.
        """
        return cls(connect(path, create, synced=synced), path)
