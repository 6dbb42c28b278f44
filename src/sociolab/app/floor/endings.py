"""Why an episode ended, in words for one of the people in it."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.app.floor.screen import Last
from sociolab.app.floor.view import as_seen
from sociolab.core.episode import Ended, Episode, Event
from sociolab.core.ports import World
from sociolab.store.studies import Progress
from sociolab.store.trials import TrialRow

AWAY = "You were away for several turns, so it was ended. What you did until then is kept."
PARTNER_AWAY = "Your partner did not come back, so it ends here. What you did is kept, and counts."
PARTNER_LOST = (
    "Your partner cannot go on, so it ends here early. That is not your doing: what you did is "
    "kept, and counts."
)
TAKEN_BACK = "Somebody who took part wished to be forgotten, so what was played here is deleted."
BROKEN = "It could not go on for a technical reason. What you did is kept, and counts."


def taken_back(trial: str) -> Last:
    """A play that was deleted: what others may have played there since is none of theirs."""
    return Last(trial=trial, why=TAKEN_BACK, history=())


def last_of(
    world: World, row: TrialRow, events: tuple[Event, ...], seat: str, state: Progress
) -> Last:
    """How a trial ended for a seat, and what that seat saw of it."""
    _, history = as_seen(world, Episode(row.trial, events), seat)
    return Last(trial=row.trial.id, why=_why(row, events, seat, state), history=history)


def _why(row: TrialRow, events: Sequence[Event], seat: str, state: Progress) -> str:
    if state == "given up":
        return AWAY
    if row.cause == "gave up":
        return PARTNER_AWAY
    if row.status == "failed" and row.cause != "plugin":
        return PARTNER_LOST
    ended = events[-1] if events else None
    if row.status != "played" or not isinstance(ended, Ended):
        return BROKEN
    if ended.reason != "left":
        return "All turns are taken." if ended.reason == "turn limit" else "It is over."
    return "You left." if ended.seat == seat else "Your partner left."
