"""Secret links: made, shown once, and known to the store by their hash only."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from sociolab.app.study.pseudonyms import pseudonym
from sociolab.core.errors import ConfigError
from sociolab.store.store import Store

MOST = 1000
"""Links made at a time."""


@dataclass(frozen=True, slots=True)
class Link:
    """A participant's link. Its secret is told now or never."""

    participant: str
    secret: str

    @property
    def path(self) -> str:
        """Where the app takes it."""
        return f"/join/{self.secret}"


def digest(secret: str) -> bytes:
    """What the store knows of a secret: its SHA-256."""
    return hashlib.sha256(secret.encode()).digest()


def invite(store: Store, study: str, count: int) -> tuple[Link, ...]:
    """Links for as many new participants; StoreError if there is no such study."""
    if not 1 <= count <= MOST:
        raise ConfigError(f"1 to {MOST} links are made at a time, found {count}")
    with store.transaction():
        taken = {row.id for row in store.studies.participants(study)}
        made = []
        for _ in range(count):
            link = Link(_fresh(taken), _secret())
            store.studies.add_participant(study, link.participant, digest(link.secret))
            made.append(link)
    return tuple(made)


def reissue(store: Store, study: str, participant: str) -> Link:
    """A new link for somebody who lost the browser or the link; the old one opens nothing now."""
    row = store.studies.participant(study, participant)
    link = Link(row.id, _secret())
    store.studies.reissue(row.pk, digest(link.secret))
    return link


def _secret() -> str:
    return secrets.token_urlsafe(24)


def _fresh(taken: set[str]) -> str:
    while (found := pseudonym()) in taken:
        pass
    taken.add(found)
    return found
