"""A participant's browser: its cookie, and opaque names for the items that it was assigned."""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, TypeAlias
from urllib.parse import parse_qsl, urlencode

from fastapi import Depends, Path, Request
from starlette.requests import HTTPConnection
from starlette.responses import Response

from sociolab.store.studies import ParticipantRow, StudyRow
from sociolab.studies.participants import declined, hash_secret
from sociolab.studies.recruiting import is_to_be_screened
from sociolab.studies.settings import StudySettings
from sociolab.web.security import fresh_secret, participant_cookie, secret_of
from sociolab.web.site import Missing, Refused, site_of, store_of

OVER = ("finished", "refused", "left")


@dataclass(frozen=True, slots=True)
class Taking:
    """A participant who makes a request, and their study."""

    study: StudyRow
    settings: StudySettings
    participant: ParticipantRow

    @property
    def home(self) -> str:
        """The base address of this participant's pages."""
        return home(self.study.name, self.participant.id)

    @property
    def over(self) -> bool:
        """Whether the participant is done with the study."""
        return self.participant.state in OVER

    @property
    def agreed(self) -> bool:
        """Whether the participant gave consent, or none is needed."""
        return self.participant.state == "consented" or not self.settings.consent

    @property
    def declined(self) -> bool:
        """Whether the participant refused consent; others in the state "refused" did not
        qualify."""
        return declined(self.settings, self.participant)


def home(study: str, participant: str) -> str:
    return f"/take/{study}/{participant}"


def bind(request: Request, participant: ParticipantRow, answer: Response) -> bool:
    """Bind the browser that gets `answer` to a participant; False if another browser is bound."""
    secret = fresh_secret()
    if not store_of(request).studies.bind(participant.pk, hash_secret(secret)):
        return False
    answer.set_cookie(
        participant_cookie(request),
        secret,
        max_age=180 * 24 * 3600,
        path=home(participant.study, participant.id),
        httponly=True,
        secure=site_of(request).settings.secure,
        samesite="lax",
    )
    return True


PLATFORM_COOKIE = "sociolab-platform"


def keep_platform_ids(
    request: Request, participant: ParticipantRow, answer: Response, ids: Mapping[str, str]
) -> None:
    """Let the participant's own browser keep what the platform's addresses get back: the server
    does not read its store's ids for that."""
    answer.set_cookie(
        PLATFORM_COOKIE,
        urlencode(ids),
        max_age=180 * 24 * 3600,
        path=home(participant.study, participant.id),
        httponly=True,
        secure=site_of(request).settings.secure,
        samesite="lax",
    )


def platform_ids_in(request: Request) -> Mapping[str, str]:
    return dict(parse_qsl(request.cookies.get(PLATFORM_COOKIE, "")[:5000]))


def bound(request: HTTPConnection, study: str, participant: str) -> Taking:
    """The participant who makes a request, in whatever state: a dependency of the pages around the
    activity.

    Missing where the browser is not the participant's. The message is the same whether or not the
    study or the participant exists, so that nobody learns which do.
    """
    store = site_of(request).store
    secret = secret_of(request)
    row = store.studies.participant_of_session(hash_secret(secret)) if secret else None
    if row is None or (row.study, row.id) != (study, participant):
        raise Missing(
            "There is nothing here for this browser. If you take part in a study, use the browser "
            "in which you opened your link; if you cannot, ask those who sent it for a new one. "
            "If the study or your part in it was deleted, nothing more is asked of you."
        )
    # A browser's limit (see Guard) does not stop a program that drops its cookie each time.
    wait = site_of(request).requests.take(str(row.pk))
    if wait:
        seconds = math.ceil(wait)
        raise Refused(f"Too many requests; try again in {seconds} s.", 429, seconds)
    study_row = store.studies.get(study)
    return Taking(study_row, StudySettings.model_validate(study_row.settings), row)


def taking(request: HTTPConnection, study: str, participant: str) -> Taking:
    """The participant who makes a request: a dependency of the study's activity, under
    /take/{study}/{participant}.

    Missing where the browser is not this participant's. Refused where the study is closed, consent
    was not given, or the participant is done.
    """
    who = bound(request, study, participant)
    if who.over:
        raise Refused("Your part in this study is over. Nothing more is asked of you.")
    if not who.study.open:
        raise Refused("This study is closed at the moment. What you did so far is kept.")
    if not who.agreed:
        raise Refused("This comes after your consent. Open the link that you were given again.")
    if is_to_be_screened(site_of(request).store, who.settings, who.participant):
        raise Refused("A few questions come before this. Open the link that you were given again.")
    return who


Bound: TypeAlias = Annotated[Taking, Depends(bound)]
"""For the signature of a page before, between or after what a study does."""

Participant: TypeAlias = Annotated[Taking, Depends(taking)]
"""For the signature of a page: `def play(who: Participant)`."""
UNKNOWN = "unknown"
"""Stands for the id where a token is none of this participant's; no id is equal to it."""


def token(who: Taking, item: str) -> str:
    """The opaque name of an item for this participant; it differs between participants."""
    key, text = who.settings.code_key.encode(), f"episode/{who.participant.id}/{item}"
    return hmac.new(key, text.encode("utf-8", "replace"), hashlib.sha256).hexdigest()[:16]


def find_item(who: Taking, name: str, items: Iterable[str]) -> str:
    """The participant's item with this token, else `UNKNOWN`. An id is no token: to accept it would
    confirm that it was guessed right."""
    return next((item for item in items if token(who, item) == name), UNKNOWN)


def _item(request: Request, who: Participant, token: Annotated[str, Path(max_length=64)]) -> str:
    assignments = store_of(request).studies.assignments(who.study.name, who.participant.pk)
    return find_item(who, token, dict.fromkeys(row.item for row in assignments))


Item: TypeAlias = Annotated[str, Depends(_item)]
"""For the signature of a page at an address with a {token}: the item that it stands for."""
