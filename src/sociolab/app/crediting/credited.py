"""Credit for turns as the store holds it: an attachment of its trial, shown beside the turns."""

from __future__ import annotations

import json

from pydantic import ValidationError

from sociolab.analysis.credit_words import with_credit
from sociolab.analysis.credits import merged
from sociolab.core.episode import Episode
from sociolab.core.errors import StoreError
from sociolab.core.ports import Transcript
from sociolab.judging.credit_record import CreditRecord
from sociolab.report.transcript_view import TranscriptOf
from sociolab.store.database import replaced
from sociolab.store.store import Store

CREDIT = "credit"
"""The attachment; each piece is the JSON text of a `CreditRecord`, the latest last."""


def keep_credit(store: Store, run: str, trial: str, record: CreditRecord) -> None:
    """Add a judging to what the trial has; one that says nothing new is not added again."""
    piece = replaced(json.dumps(record.model_dump(), ensure_ascii=False)).encode()
    *_, last = (b"", *store.attachment(run, trial, CREDIT))
    if piece != last:
        store.attach(run, trial, CREDIT, piece)


def credit_of(store: Store, run: str, trial: str) -> tuple[CreditRecord, ...]:
    """What each judge said last of a trial's turns; nothing where none was asked."""
    return merged(judgings_of(store, run, trial))


def judgings_of(store: Store, run: str, trial: str) -> tuple[CreditRecord, ...]:
    """All that judges said of a trial's turns, in this order."""
    try:
        pieces = store.attachment(run, trial, CREDIT)
        return tuple(CreditRecord.model_validate_json(piece) for piece in pieces)
    except ValidationError as error:
        raise StoreError(
            f"the credit for turns of {trial} was written in another form than this sociolab "
            "reads; use the version that wrote it"
        ) from error


def credited(store: Store, run: str, transcript_of: TranscriptOf) -> TranscriptOf:
    """Transcripts of a run's episodes, with the credit that is kept of them as notes."""

    def transcript(episode: Episode) -> Transcript:
        return with_credit(transcript_of(episode), credit_of(store, run, episode.trial.id))

    return transcript
