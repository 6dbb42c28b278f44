"""The store: everything that was planned, played, paid for and judged, in one SQLite file."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from sociolab.store.calls import CallTable, TotalsTable
from sociolab.store.connect import connect
from sociolab.store.runs import AttachmentTable, EventTable
from sociolab.store.search import SearchTable
from sociolab.store.studies import StudyTable
from sociolab.store.verdicts import OutcomeTable


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

        StoreError if it cannot be opened, is not ours, or has a schema that this sociolab does not
        read.
        """
        return cls(connect(path, create, synced=synced), path)

    def damage(self) -> Iterator[str]:
        """What is damaged, in a clause each; nothing where the store is in order.

        Everything is read: pages, indexes, and all that runs hold. Attachments have a checksum and
        prompts a hash; a letter that was changed in another text stays unnoticed.
        """
        try:
            found = self.rows("PRAGMA integrity_check(10)")
            yield from (f"the file: {said}" for (said,) in found if said != "ok")
            names = [run.name for run in self.runs()]
        except Exception as error:  # noqa: BLE001  damage may break whoever reads it in any way
            yield _told(error)
            return
        for name in names:
            for what, read in (
                ("calls", self.calls_with_prompts),
                ("episodes", self._all_played),
                ("scores", self.judgings),
            ):
                try:
                    deque(read(name), maxlen=0)
                except Exception as error:  # noqa: BLE001
                    yield f"the {what} of the run {name}: {_told(error)}"

    def _all_played(self, run: str) -> Iterator[object]:
        for trial in self.trial_ids(run):
            yield self.episode(run, trial)
            for title in self.attachments(run, trial):
                yield from self.attachment(run, trial, title)


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
