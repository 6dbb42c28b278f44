"""What became of each background resident, and why, in words."""

from __future__ import annotations

from sociolab.town.trace.intervals import Intervals, common, joined
from sociolab.town.trace.records import Noted
from sociolab.worlds.stss.scoring.evidence import Evidence, partner_of
from sociolab.worlds.stss.scoring.result import Account, Fate

WORDS: dict[Fate, str] = {
    "took part": "took part",
    "left too soon": "took part, but not for long enough",
    "without the performer": "came, but was never there together with the performer",
    "elsewhere": "did it at the right time, but in another place",
    "another time": "did it, but at another time",
    "doing something else": "was there at the right time, doing something else",
    "did not come": "had agreed, and did not come",
    "declined": "was told, and agreed to nothing",
    "never told": "was never told",
    "heard of it": "heard of it from others only",
    "did not run it": "was asked, and ran no errand",
    "was not asked": "was at an errand, but had not been asked",
}


def account(seen: Evidence, who: str, when: Intervals, least: int) -> Account:
    """The account of somebody who took part in an event at `when`."""
    if when:
        fate: Fate = "took part" if seen.long_enough(when, least) else "left too soon"
        return Account(who, fate, seen.minutes(when), when, WORDS[fate])
    fate, near = _came_near(seen, who, least) or (_uninvolved(seen, who), ())
    return Account(who, fate, 0.0, (), WORDS[fate], near)


def helper_account(seen: Evidence, who: str, ran: bool) -> Account:
    """The account of a resident who might have helped; `ran` if an errand that counts is theirs."""
    when = joined(piece for one in seen.task.errands for piece in seen.on_errand(one, who))
    if ran:
        fate: Fate = "took part"
    elif who in seen.asked:
        fate = "left too soon" if when else "did not run it"
    else:
        fate = "was not asked" if when else _uninvolved(seen, who)
    return Account(who, fate, seen.minutes(when), when, WORDS[fate])


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


def _uninvolved(seen: Evidence, who: str) -> Fate:
    if _noted(seen, who):
        return "did not come"
    told = {partner_of(talk, who) for talk in seen.talks if who in (talk.who, talk.other)}
    if seen.task.performer in told:
        return "declined"
    return "heard of it" if told else "never told"


def _noted(seen: Evidence, who: str) -> bool:
    """Whether somebody noted something on that date that is about the task."""
    return any(
        noted.day == seen.task.day and (seen.about.said(noted.what) or seen.about.said(noted.place))
        for noted in seen.trajectory.records(Noted, who)
    )
