"""Why an episode ended, in words for one of the people in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sociolab.app.floor.screen import Last
from sociolab.app.floor.view import as_seen
from sociolab.core.episode import ActionSpace, Ended, Episode, Event, Moved
from sociolab.core.ports import World
from sociolab.engine.visibility import leaves
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
ALL_TURNS = "All turns have been used."
YOU_LEFT, PARTNER_LEFT = "You left.", "Your partner left."


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
    if row.status == "playing" and state == "done":
        return ""  # others still answer the last question; this person has just read why
    ended = events[-1] if events else None
    if row.status != "played" or not isinstance(ended, Ended):
        return BROKEN
    if ended.reason != "left":
        return ALL_TURNS if ended.reason == "turn limit" else "It is over."
    return YOU_LEFT if ended.seat == seat else PARTNER_LEFT


def how_it_ended(events: Iterable[Event], seat: str, seats: int, space: ActionSpace | None) -> str:
    """The same while the last question is asked: the event that says so comes after it."""
    moves = (event for event in events if isinstance(event, Moved))
    left = [move.seat for move in moves if space and leaves(move, space)]
    if seats - len(left) > 1:
        return ALL_TURNS
    return YOU_LEFT if left[-1] == seat else PARTNER_LEFT
