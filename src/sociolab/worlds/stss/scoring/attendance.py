"""Who took part in an event, and when, as the task's type has it (STSS section 5.1)."""

from __future__ import annotations

from sociolab.town.trajectory import Intervals, common
from sociolab.worlds.stss.scoring.evidence import Evidence


def attendances(seen: Evidence) -> dict[str, Intervals]:
    """When each background resident took part.

    Companions and an appointment's partner must be together with the performer, who must be at
    the action, too: in the same arena, even where the
    task names a whole sector; each companion for itself.
    """
    task = seen.task
    if task.type == "appointment":
        return {task.partner: _together(seen, task.partner)}
    if task.type == "inviting companions":
        return {who: _together(seen, who) for who in task.background}
    return {who: seen.present(who) for who in task.background}


def at_once(seen: Evidence) -> Intervals:
    """When performer and partner were at the action at the same time, in whatever places."""
    one, other = (seen.at_the_action(who) for who in (seen.task.performer, seen.task.partner))
    return seen.in_time(common(one, other))


def host_absent(seen: Evidence, least: int) -> bool:
    """Whether a public activity was held without its host: the performer was not at its place."""
    here = seen.in_time(seen.at_the_place(seen.task.performer))
    return seen.task.type == "public activity" and not seen.long_enough(here, least)


def goal(
    seen: Evidence, attended: dict[str, Intervals], least: int, *, any_host: bool = False
) -> float:
    """The share of the expected who took part, 1 at most; for an appointment 1, 0.5 or 0.

    The host of a public activity who is absent is one more who was expected and did not come:
    guests alone are never 1. With `any_host` they are, as in the paper.
    """
    came = sum(seen.long_enough(when, least) for when in attended.values())
    expected = seen.task.expected
    if seen.task.type != "appointment":
        missing = not any_host and host_absent(seen, least)
        return min(came, expected) / (expected + missing)
    if came:
        return 1.0
    return 0.5 if seen.long_enough(at_once(seen), least) else 0.0


def _together(seen: Evidence, who: str) -> Intervals:
    performer = seen.task.performer
    when = common(seen.present(who), seen.present(performer))
    return common(when, seen.trajectory.together(performer, who)) if when else ()
