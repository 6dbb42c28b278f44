"""The study that a researcher's page is of."""

from __future__ import annotations

from sociolab.store.store import Store
from sociolab.store.studies import StudyKind, StudyRow
from sociolab.web.refusals import Missing


def study_row(store: Store, name: str, kind: StudyKind) -> StudyRow:
    """The study of this name and kind; Missing if there is none."""
    for row in store.studies.all():
        if row.name == name and row.kind == kind:
            return row
    raise Missing(f"There is no such study ({_KINDS[kind]}).")


_KINDS = {
    "play": "of play",
    "rate": "of ratings",
    "impressions": "of impressions",
    "review": "of scenario reviews",
}
