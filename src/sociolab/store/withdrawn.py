"""What was said and is to be gone: not only from the tables, but from the bytes of the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sociolab.core.errors import StoreError
from sociolab.store.trials import TrialTable


class WithdrawalTable(TrialTable):
    """Deletion for people who want their data gone."""

    @contextmanager
    def thoroughly(self) -> Iterator[None]:
        """A transaction; what is deleted inside is then gone from the file and from its log.

        The whole file is written anew: free pages, old versions of rows and the words of the
        search index may all hold copies. StoreError where that could not be done.
        """
        with self.transaction():
            yield
        self.scrub()

    def scrub(self) -> None:
        """Write the file anew, without any free page, and empty its log.

        StoreError where others read for so long that the log cannot be emptied, or where the disk
        is full; nothing is lost then.
        """
        self.commit()
        # Merged into one, so that words which occur nowhere any more leave the index.
        self.execute("INSERT INTO episode_words (episode_words) VALUES ('optimize')")
        self.execute("VACUUM")
        busy = self.row("PRAGMA wal_checkpoint(TRUNCATE)")[0]
        if busy:
            raise StoreError(
                f"deleted, but another program is reading {self.path}, whose log may still hold "
                "copies; end that program, then run `sociolab study scrub`"
            )

    def reset_trial(self, run: str, trial: str) -> None:
        """Forget all that was played, asked and judged in a trial; it is planned again.

        Let nobody play the run meanwhile, or make sure that this trial is not being played.
        """
        pk, run_pk = self.trial_pk(run, trial), self.run_pk(run)
        with self.transaction():
            for table in ("events", "judgings", "attachments"):
                self.execute(f"DELETE FROM {table} WHERE trial = ?", (pk,))
            for table in ("calls", "call_failures"):
                self.execute(f"DELETE FROM {table} WHERE run = ? AND trial = ?", (run_pk, trial))
            self.execute("DELETE FROM episode_words WHERE rowid = ?", (pk,))
            self.set_status(run, trial, "planned")
