"""What became of each background resident, and why, in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sociolab.town.clock import clock_time
from sociolab.town.trace import Noted
from sociolab.town.trajectory import Intervals, common, joined
from sociolab.worlds.stss.scoring.errands import done_at
from sociolab.worlds.stss.scoring.evidence import Evidence, partner_of
from sociolab.worlds.stss.scoring.keywords import spoken_place
from sociolab.worlds.stss.scoring.result import Account, ErrandDone, Fate

WORDS: dict[Fate, str] = {
    "took part": "took part",
    "left too soon": "took part, but not for long enough",
    "without the performer": "came, but was never there together with the performer",
    "elsewhere": "did it at the right time, but in another place",
    "another time": "did it, but at another time",
    "doing something else": "was there at the right time, doing something else",
    "another room": "had agreed and was there, but in another room or doing something else",
    "did not come": "had agreed, and did not come",
    "noted nothing": "was told, and noted no promise",
    "never told": "was never told",
    "heard of it": "heard of it from others only",
    "same errand": "did the same errand",
    "before asked": "was at an errand, but only before being told of it",
    "did not run it": "was told of an errand, and ran none",
    "was not asked": "was at an errand, but had not been told of it",
}
OPEN_WORDS: dict[Fate, str] = {
    "elsewhere": "did it on the right day, but in another place",
    "another time": "did it, but on another day",
}
"""The words where the time is open, and with it no time is the right one."""


def account(seen: Evidence, who: str, when: Intervals, least: int) -> Account:
    """The account of somebody who took part in an event at `when`."""
    if when:
        fate: Fate = "took part" if seen.long_enough(when, least) else "left too soon"
        return Account(who, fate, seen.minutes(when), when, WORDS[fate])
    uninvolved = _uninvolved(seen, who)
    fate, near = _came_near(seen, who, least) or _kept_a_note(seen, who, least) or (uninvolved, ())
    words = WORDS[fate] if seen.task.start else OPEN_WORDS.get(fate, WORDS[fate])
    unaware = ", and was never told" if near and uninvolved == "never told" else ""
    return Account(who, fate, 0.0, (), words + unaware, near)


def helper_account(seen: Evidence, who: str, errands: Sequence[ErrandDone], least: int) -> Account:
    """The account of a resident who might have helped; `errands` say whose doing counts."""
    when = joined(piece for one in seen.task.errands for piece in seen.on_errand(one, who))
    fate, words = _helped(seen, who, errands, least, bool(when))
    return Account(who, fate, seen.minutes(when), when, words)


def _helped(
    seen: Evidence, who: str, errands: Sequence[ErrandDone], least: int, was_there: bool
) -> tuple[Fate, str]:
    if any(who == one.who for one in errands):
        fate: Fate = "took part"
    elif who not in seen.asked:
        fate = "was not asked" if was_there else _uninvolved(seen, who)
    elif than := _same_errand(seen, who, errands, least):
        return "same errand", f"{WORDS['same errand']} {than}"
    elif _did_any(seen, who, least):
        fate = "before asked"
    else:
        fate = "left too soon" if was_there else "did not run it"
    return fate, WORDS[fate]


def _same_errand(seen: Evidence, who: str, errands: Sequence[ErrandDone], least: int) -> str:
    """Whether a helper did an errand later or earlier than who counts; "" if they did none."""
    for errand, counted in zip(seen.task.errands, errands, strict=True):
        step = done_at(seen, errand, who, seen.asked[who], least)
        if step is not None and counted.step is not None:
            return "later" if step >= counted.step else "earlier"
    return ""


def _did_any(seen: Evidence, who: str, least: int) -> bool:
    """Whether somebody did an errand at any time of the date, before being asked, too."""
    return any(done_at(seen, errand, who, 0, least) is not None for errand in seen.task.errands)


def _came_near(seen: Evidence, who: str, least: int) -> tuple[Fate, Intervals] | None:
    """What was amiss with somebody who came near to taking part, and when that was; None if not."""
    task, acting, here = seen.task, seen.at_the_action(who), seen.at_the_place(who)
    # Where place or time are open, being somewhere at some time comes near to nothing.
    idle = seen.in_time(here) if task.place and task.start else ()
    ways: tuple[tuple[Fate, Intervals, int], ...] = (
        ("without the performer", seen.present(who), 0),
        ("elsewhere", seen.in_time(acting), least),
        ("another time", common(acting, here), least),
        ("doing something else", idle, least),
    )
    for fate, when, needed in ways:
        if seen.long_enough(when, needed):
            return fate, when
    return None


def _kept_a_note(seen: Evidence, who: str, least: int) -> tuple[Fate, Intervals] | None:
    """When somebody who had noted it was at its place, in whichever room; None if never."""
    if not seen.task.place:
        return None
    there = seen.trajectory.presence(who, spoken_place(seen.task.place))
    for noted in _notes(seen, who):
        when = seen.in_time(common(there, _time_of(seen, noted)))
        if seen.long_enough(when, least):
            return "another room", when
    return None


def _time_of(seen: Evidence, noted: Noted) -> Intervals:
    """The event's, or what was noted where that is open; the whole date where neither says."""
    if seen.task.start or not noted.start:
        return (seen.window,)
    start = datetime.combine(noted.day, clock_time(noted.start))
    clock = seen.trajectory.clock
    return ((clock.step(start), clock.step(start + timedelta(minutes=noted.minutes))),)


def _uninvolved(seen: Evidence, who: str) -> Fate:
    if _notes(seen, who):
        return "did not come"
    told = {partner_of(talk, who) for talk in seen.talks if who in (talk.who, talk.other)}
    if seen.task.performer in told:
        return "noted nothing"
    return "heard of it" if told else "never told"


def _notes(seen: Evidence, who: str) -> tuple[Noted, ...]:
    """What somebody noted for that date that is about the task."""
    noted = seen.trajectory.records(Noted, who)
    return tuple(one for one in noted if one.day == seen.task.day and seen.about.noted(one))
