"""Stores for tests of the web app: something of everything in them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from play_clients import COOKIE, home
from sociolab import RunConfig, run
from sociolab.store import Store
from sociolab.studies import StudySettings, create_study, hash_secret, invite

PEOPLE = 3
"""Participants of each study: some requests end a participant's part."""


@dataclass(frozen=True)
class Names:
    """What is in a store, by the names that addresses use.

    `episodes` are a run and a trial each, `pairs` a study and a participant; `cookies` (name,
    path, value) are theirs, and `secret` holds links that nobody has used.
    """

    run: tuple[str, ...]
    trial: tuple[str, ...]
    seat: tuple[str, ...]
    episodes: tuple[tuple[str, str], ...]
    pairs: tuple[tuple[str, str], ...]
    secret: tuple[str, ...]
    cookies: tuple[tuple[str, str, str], ...]

    def of(self, parameter: str) -> tuple[str, ...]:
        """Names that a parameter of this name may take; none if it is none of these."""
        if parameter in ("study", "participant"):
            return tuple(pair[parameter == "participant"] for pair in self.pairs)
        found: tuple[str, ...] = getattr(self, parameter, ())
        return found if parameter in ("run", "trial", "seat", "secret") else ()


def filled_store(path: Path) -> Names:
    """A store with a run of every world and a study of every kind."""
    runs = []
    for world, limit in (("sotopia", 3), ("anteval-information", 1), ("stss-talk", 2), ("stss", 1)):
        runs.append(run(RunConfig(world=world, limit=limit, store=path, name=world)).result.run)
    with Store.open(path) as store:
        found = [(name, row.trial) for name in runs for row in store.trials(name)[:2]]
        pairs, cookies, secrets = [], [], []
        for kind, plan in _PLANS.items():
            values = {"title": kind, "debriefing": "Some partners are programs.", kind: plan}
            create_study(store, kind, StudySettings.model_validate(values))
            store.studies.change(kind, open=True)
            for link in invite(store, kind, PEOPLE):
                row = store.studies.participant(kind, link.participant)
                value = f"{kind}-{row.id}".ljust(43, "x")
                store.studies.bind(row.pk, hash_secret(value))
                pairs.append((kind, row.id))
                cookies.append((COOKIE, home(kind, row.id), value))
            secrets += [link.secret for link in invite(store, kind, 2)]
    seats = {seat for _, trial in found for seat in trial.task.seats[:2]}
    return Names(
        tuple(runs),
        tuple(trial.id for _, trial in found),
        tuple(sorted(seats)),
        tuple((name, trial.id) for name, trial in found),
        tuple(pairs),
        tuple(secrets),
        tuple(cookies),
    )


_PLANS: dict[str, dict[str, Any]] = {
    "play": {"limit": 4, "words_a_minute": 0},
    "rate": {"run": "sotopia"},
    "impressions": {"run": "anteval-information", "below": 1.0},
    "review": {"limit": 3},
}
