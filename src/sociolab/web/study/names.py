"""Studies and participants as addresses name them."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Path

from sociolab.store.store import Store
from sociolab.store.studies import ParticipantRow, StudyRow
from sociolab.web.refusals import Missing

StudyName: TypeAlias = Annotated[str, Path(alias="study", max_length=80)]
ParticipantName: TypeAlias = Annotated[str, Path(alias="participant", max_length=20)]


def study_row(store: Store, name: str) -> StudyRow:
    """The study of this name; Missing if there is none."""
    found = next((row for row in store.studies.all() if row.name == name), None)
    if found is None:
        raise Missing(f'There is no study called "{name}".')
    return found


def participant_row(store: Store, study: StudyRow, name: str) -> ParticipantRow:
    """The participant of this name; Missing if there is none."""
    found = next((row for row in store.studies.participants(study.name) if row.id == name), None)
    if found is None:
        raise Missing(f'The study "{study.name}" has no participant "{name}".')
    return found
