"""Turns that were asked for and not given: the policy's own, and those of the other seats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sociolab.core.episode import ACT, Event, Unusable


@dataclass(frozen=True, slots=True)
class NotGiven:
    """How many turns and answers no attempt at gave anything usable, and the first problem of
    one's own and of the others' (who, when, what), as far as there are any."""

    own: int = 0
    others: int = 0
    problems: tuple[str, ...] = ()


def not_given(events: Sequence[Event], seat: str) -> NotGiven:
    """What a seat and the others failed to give in these events; the same in every world."""
    lost = [one for one in events if isinstance(one, Unusable) and one.final and not one.optional]
    own = [one for one in lost if one.seat == seat]
    others = [one for one in lost if one.seat != seat]
    return NotGiven(len(own), len(others), tuple(_told(some[0]) for some in (own, others) if some))


def _told(one: Unusable) -> str:
    what = "" if one.name == ACT else f", {one.name}"
    return f"{one.seat} at turn {one.turn + 1}{what}: {one.problem}"
