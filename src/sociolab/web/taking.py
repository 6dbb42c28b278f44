"""Who takes part: a browser that was bound to a participant's link, and to nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from fastapi import Depends
from starlette.requests import HTTPConnection
from starlette.responses import Response

from sociolab.app.study.settings import StudySettings
from sociolab.store.sqlite import Store
from sociolab.store.studies import ParticipantRow, StudyRow
from sociolab.web.refusals import Refused
from sociolab.web.security.visits import fresh_secret
from sociolab.web.site import site_of

COOKIE = "sociolab-participant"
"""One for each participant: its path is that of the participant's pages."""


@dataclass(frozen=True, slots=True)
class Taking:
    """A participant in a study, asking."""

    study: StudyRow
    settings: StudySettings
    participant: ParticipantRow

    @property
    def home(self) -> str:
        """Where all pages of this participant are; the first of them leads to what is next."""
        return home(self.study.name, self.participant.id)


NextStep: TypeAlias = Callable[[Store, Taking], str | None]
"""Where (under `Taking.home`, such as "/play") a participant has something to do; None: done."""


def home(study: str, participant: str) -> str:
    """The address of a participant's pages."""
    return f"/take/{study}/{participant}"


def digest(secret: str) -> bytes:
    """What the store knows of a secret: its SHA-256."""
    return hashlib.sha256(secret.encode()).digest()


def bind(store: Store, participant: ParticipantRow, answer: Response, *, secure: bool) -> bool:
    """Bind the browser that gets `answer` to a participant; False if another browser is."""
    secret = fresh_secret()
    if not store.bind(participant.pk, digest(secret)):
        return False
    answer.set_cookie(
        COOKIE,
        secret,
        max_age=180 * 24 * 3600,
        path=home(participant.study, participant.id),
        httponly=True,
        secure=secure,
        samesite="lax",
    )
    return True


def taking(request: HTTPConnection, study: str, participant: str) -> Taking:
    """Who asks, as a dependency of pages under /take/{study}/{participant}; Refused where the
    browser is not this participant's, or the study is closed."""
    store = site_of(request).store
    secret = request.cookies.get(COOKIE, "")
    row = store.participant_of_session(digest(secret)) if secret else None
    if row is None or (row.study, row.id) != (study, participant):
        raise Refused(
            "This page belongs to somebody who takes part in a study. If that is you, use the "
            "browser in which you opened your link; if you cannot, ask those who sent it for a "
            "new one."
        )
    found = store.study(study)
    if not found.open:
        raise Refused("This study is closed at the moment. What you did so far is kept.", 403)
    return Taking(found, StudySettings.model_validate(found.settings), row)


Participant: TypeAlias = Annotated[Taking, Depends(taking)]
"""For the signature of a page: `def play(who: Participant)`."""
