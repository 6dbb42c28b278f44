"""Runs, episodes, scores and model calls in one SQLite file."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.store.calls import RunReplies as RunReplies
    from sociolab.store.checking import (
        find_damage as find_damage,
        verify_runs as verify_runs,
    )
    from sociolab.store.connect import lock_run as lock_run
    from sociolab.store.export import (
        export_run as export_run,
        import_run as import_run,
    )
    from sociolab.store.notes import NoteRow as NoteRow
    from sociolab.store.parquet import (
        CALLS as CALLS,
        LEDGER as LEDGER,
        SCORES as SCORES,
        TURNS as TURNS,
        export_parquet as export_parquet,
    )
    from sociolab.store.store import (
        Store as Store,
        TrialRow as TrialRow,
        open_store as open_store,
    )
    from sociolab.store.studies import ParticipantRow as ParticipantRow
    from sociolab.store.verdicts import (
        JudgingCounts as JudgingCounts,
        JudgingRow as JudgingRow,
        ScoreRow as ScoreRow,
    )
else:
    __getattr__, __dir__ = load_public_names(__name__)
