"""A partner or judge of one's own that awaits nothing keeps every page waiting: the log says who.

Nothing else runs then, so that this is seen from a thread of its own.
"""

from __future__ import annotations

import logging
import threading

from sociolab.app.floor.plan import Company
from sociolab.app.players.own_code import OwnJudge
from sociolab.runner.waits import Waits

log = logging.getLogger("sociolab.floor")

EVERY = 5.0
"""Seconds from one look to the next."""


class Watch:
    """Looks whether somebody's code blocks a study's plays, from `begin` until `end`."""

    def __init__(self, study: str, company: Company) -> None:
        self._study, self._company = study, company
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Look from now on, if there is any code but ours."""
        others, judges = self._company.others, self._company.judges
        if any(one.own for one in others) or any(isinstance(one, OwnJudge) for one in judges):
            self._thread = threading.Thread(target=self._work, name="blocked", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Look no more, and say who held up others now and then."""
        for sentence in self._company.waits.held_up_words():
            log.warning("study %s: %s", self._study, sentence)
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while not self._over.wait(EVERY):
            tell_blocked(self._study, self._company.waits)


def tell_blocked(study: str, waits: Waits) -> None:
    """Say in the log who works past its time, if anybody; each is told of once."""
    for who in waits.blocked():
        log.error(
            "study %s: %s; no page of this server answers meanwhile: kill the server, mend this "
            "code, and start the server again: what was played goes on from where it was",
            study,
            who,
        )
