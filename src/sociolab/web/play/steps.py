"""Whether a participant of a play study has something to play."""

from __future__ import annotations

from sociolab.store.store import Store
from sociolab.studies.play_records import Records, is_over, why_over
from sociolab.web.taking import Taking


def next_step(store: Store, who: Taking) -> str | None:
    """The page to play on; None where this participant is done."""
    plan, run = who.settings.play, who.study.run
    if plan is None or run is None:
        return None
    records, person = Records(store, who.study.name, run), who.participant.pk
    playing = any(one.state == "open" for one in records.of(person))
    return "/play" if playing or not is_over(records, plan, person) else None


def note(store: Store, who: Taking) -> str:
    """Why a participant has not played all that was planned for them, in a sentence for them; ""
    where there is nothing to tell."""
    plan, run = who.settings.play, who.study.run
    if plan is None or run is None:
        return ""
    return why_over(Records(store, who.study.name, run), plan, who.participant.pk)
