"""Who takes part: a browser that was bound to a participant's link, and to nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from fastapi import Depends, Request
from starlette.requests import HTTPConnection
from starlette.responses import Response

from sociolab.store.store import Store
from sociolab.store.studies import ParticipantRow, StudyRow
from sociolab.studies.participants import digest
from sociolab.studies.settings import StudySettings
from sociolab.web.refusals import Missing, Refused
from sociolab.web.security.visits import fresh_secret
from sociolab.web.site import site_of, store_of

COOKIE = "sociolab-participant"
"""One for each participant: its path is that of the participant's pages."""

OVER = ("finished", "refused", "left")


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

    @property
    def over(self) -> bool:
        """Whether nothing more is asked of the participant."""
        return self.participant.state in OVER

    @property
    def agreed(self) -> bool:
        """Whether the participant gave consent, where the study asks for it."""
        return self.participant.state == "consented" or not self.settings.consent


NextStep: TypeAlias = Callable[[Store, Taking], str | None]
"""Where (under `Taking.home`, such as "/play") a participant has something to do; None: done."""


def secret_of(request: HTTPConnection) -> str:
    """The secret of a participant's browser, on their pages; "" anywhere else."""
    path: str = request.scope["path"]
    return request.cookies.get(_cookie(request), "") if path.startswith("/take/") else ""


def _cookie(request: HTTPConnection) -> str:
    return f"__Secure-{COOKIE}" if site_of(request).settings.secure else COOKIE


def home(study: str, participant: str) -> str:
    """The address of a participant's pages."""
    return f"/take/{study}/{participant}"


def bind(request: Request, participant: ParticipantRow, answer: Response) -> bool:
    """Bind the browser that gets `answer` to a participant; False if another browser is."""
    secret = fresh_secret()
    if not store_of(request).studies.bind(participant.pk, digest(secret)):
        return False
    answer.set_cookie(
        _cookie(request),
        secret,
        max_age=180 * 24 * 3600,
        path=home(participant.study, participant.id),
        httponly=True,
        secure=site_of(request).settings.secure,
        samesite="lax",
    )
    return True


def bound(request: HTTPConnection, study: str, participant: str) -> Taking:
    """Who asks, however far that participant has come. A dependency of the pages around what a
    study does.

    Missing where the browser is not the participant's: there is one answer, whether or not the
    study or the participant exists, so that nobody learns which do.
    """
    store = site_of(request).store
    secret = secret_of(request)
    row = store.studies.participant_of_session(digest(secret)) if secret else None
    if row is None or (row.study, row.id) != (study, participant):
        raise Missing(
            "There is nothing here for this browser. If you take part in a study, use the browser "
            "in which you opened your link; if you cannot, ask those who sent it for a new one. "
            "If the study or your part in it was deleted, nothing more is asked of you."
        )
    _slow_down(request, row)
    found = store.studies.get(study)
    return Taking(found, StudySettings.model_validate(found.settings), row)


def _slow_down(request: HTTPConnection, row: ParticipantRow) -> None:
    """Refuse whoever asks too often. The limit of a browser (see Guard) does not hold for a program
    that drops its cookie each time; without this one it could keep others from being served."""
    wait = site_of(request).requests.take(str(row.pk))
    if wait:
        seconds = math.ceil(wait)
        raise Refused(f"Too many requests; try again in {seconds} s.", 429, seconds)


def taking(request: HTTPConnection, study: str, participant: str) -> Taking:
    """Who asks, as a dependency of what a study does, under /take/{study}/{participant}.

    Missing where the browser is not this participant's. Refused where the study is closed, consent
    was not given, or the participant is done with the study.
    """
    who = bound(request, study, participant)
    if who.over:
        raise Refused("Your part in this study is over. Nothing more is asked of you.")
    if not who.study.open:
        raise Refused("This study is closed at the moment. What you did so far is kept.")
    if not who.agreed:
        raise Refused("This comes after your consent. Open the link that you were given again.")
    return who


Bound: TypeAlias = Annotated[Taking, Depends(bound)]
"""For the signature of a page before, between or after what a study does."""

Participant: TypeAlias = Annotated[Taking, Depends(taking)]
"""For the signature of a page: `def play(who: Participant)`."""
