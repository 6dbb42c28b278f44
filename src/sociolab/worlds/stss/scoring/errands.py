"""Asking for help: two errands, in order, run by somebody who was asked (STSS section 5.1)."""

from __future__ import annotations

from dataclasses import dataclass

from sociolab.town.trajectory import reached, since
from sociolab.worlds.stss.scoring.evidence import Evidence
from sociolab.worlds.stss.scoring.result import ErrandDone
from sociolab.worlds.stss.task import Errand


@dataclass(frozen=True, slots=True)
class Help:
    """0, 0.5 for one errand, 1 for both in their order; and who ran each."""

    goal: float
    errands: tuple[ErrandDone, ...]


def help_given(seen: Evidence, least: int) -> Help:
    """How far the errands were run by residents who had been asked."""
    return _help(seen, seen.asked, least)


def help_by_anybody(seen: Evidence, least: int) -> Help:
    """How far the errands were run by anybody but the performer, asked or not."""
    return _help(seen, dict.fromkeys(seen.task.background, 0), least)


def _help(seen: Evidence, helping: dict[str, int], least: int) -> Help:
    """Help by residents from these steps on.

    The second errand counts towards 1 as far as it is run after the first is done; run without
    the first, or before it, it is one errand.
    """
    first, second = (_done(seen, errand, helping, least) for errand in seen.task.errands)
    if first.step is None or second.step is None:
        neither = first.step is None and second.step is None
        return Help(0.0 if neither else 0.5, (first, second))
    later = {who: max(step, first.step) for who, step in helping.items()}
    after = _done(seen, seen.task.errands[1], later, least)
    return Help(0.5, (first, second)) if after.step is None else Help(1.0, (first, after))


def _done(seen: Evidence, errand: Errand, helping: dict[str, int], least: int) -> ErrandDone:
    """Who was the first to have done an errand: for `least` minutes in all, or its own if fewer."""
    done = [
        (step, who)
        for who in seen.task.background
        if who in helping and (step := done_at(seen, errand, who, helping[who], least)) is not None
    ]
    step, who = min(done, default=(None, ""))
    return ErrandDone(errand.what, who, step)


def done_at(seen: Evidence, errand: Errand, who: str, begin: int, least: int) -> int | None:
    """The step at which a resident has done an errand, counted from `begin`; None if never."""
    steps = round(min(errand.minutes, least) * 60 / seen.trajectory.trace.seconds)
    return reached(since(seen.on_errand(errand, who), begin), steps)
