"""The goal's score by the rule of the authors' public code, beside the paper's (STSS appendix A.1).

Their code reads what residents have in hand and where it is planned, from one step to the next, and
never where anybody stands. An action counts from its first step, the walk to it included. Their
keywords are substrings of the action's text; a place is a substring of the planned address.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import groupby
from typing import TypeAlias

from sociolab.town.clock import Clock, parse_time
from sociolab.town.trace import Did
from sociolab.town.trajectory import ActionSpan, Trajectory
from sociolab.worlds.stss.task import Errand, SocialTask


@dataclass(frozen=True, slots=True)
class InHand:
    """What a resident has in hand from step `start` until `end`, and where that is planned."""

    start: int
    end: int
    what: str
    place: str
    talking: bool


InHandOf: TypeAlias = Mapping[str, Sequence[InHand]]
"""By resident, in the order of the task's background."""


@dataclass(frozen=True, slots=True)
class AuthorsGoal:
    """The score from 0 to 1, and the residents whose actions make it.

    `began`: of an event with a start, when each resident first began on it that day.
    """

    goal: float
    who: tuple[str, ...]
    began: Mapping[str, datetime] = field(default_factory=dict)


def goal_authors(task: SocialTask, trajectory: Trajectory) -> AuthorsGoal:
    """The score as the authors' code counts it, by type of task.

    Public and online activities: the share of those wanted who begin such an action between the
    event's start and end, both included, by the time of day alone, on any date. Companions: the
    largest share at one moment at which the performer is at it, too. Appointment: 0.5 where both
    are at it at one moment of any day, 1 where that is planned in one arena. Help: 0.5 for one of
    the errands by anybody, 1 where one resident does both in order. The performer never counts.
    """
    in_hand = {who: tuple(_in_hand(trajectory.actions(who))) for who in task.background}
    performer = tuple(_in_hand(trajectory.actions(task.performer)))
    match task.type:
        case "appointment":
            return _appointment(task, performer, in_hand[task.partner])
        case "inviting companions":
            return _companions(task, performer, in_hand)
        case "asking for help":
            return _help(task, in_hand)
        case _:
            return _event(task, trajectory.clock, in_hand)


def _in_hand(spans: Sequence[ActionSpan]) -> Iterator[InHand]:
    """A resident's actions, each from where it begins to where its text, place or object
    changes."""
    for (what, place, _, talking), same in groupby(spans, lambda span: _in_address(span.did)):
        joined = tuple(same)
        yield InHand(joined[0].start, joined[-1].end, what, place, talking)


def _in_address(did: Did) -> tuple[str, str, str, bool]:
    """Text, place, object, and whether it is a talk. The text holds the entry of the plan, too; a
    talk is held with somebody and at no place."""
    if did.state == "talking":
        return did.doing, "", "", True
    text = did.doing if did.block in did.doing else f"{did.block} ({did.doing})"
    return text, did.place, did.object, False


def _at_it(words: Sequence[str], place: str, action: InHand) -> bool:
    return place in action.place and any(word.lower() in action.what.lower() for word in words)


def _words(task: SocialTask) -> Sequence[str]:
    return task.keywords or (task.activity,)


def _share(task: SocialTask, who: Sequence[str]) -> AuthorsGoal:
    wanted = task.target_num - 1 if task.target_num else task.expected
    return AuthorsGoal(min(len(who) / wanted, 1.0), tuple(who))


def _event(task: SocialTask, clock: Clock, in_hand: InHandOf) -> AuthorsGoal:
    start = datetime.combine(task.day, parse_time(task.start))
    begins, ends = start.time(), (start + timedelta(minutes=task.minutes)).time()

    def begun(actions: Sequence[InHand]) -> list[datetime]:
        return [clock.at(a.start) for a in actions if _at_it(_words(task), task.place, a)]

    moments = {who: begun(actions) for who, actions in in_hand.items()}
    who = [who for who, each in moments.items() if any(begins <= m.time() <= ends for m in each)]
    on_the_day = {
        who: next((moment for moment in each if moment.date() == task.day), None)
        for who, each in moments.items()
    }
    began = {who: moment for who, moment in on_the_day.items() if moment is not None}
    return replace(_share(task, who), began=began)


def _appointment(
    task: SocialTask, performer: Sequence[InHand], partner: Sequence[InHand]
) -> AuthorsGoal:
    def at_it(action: InHand) -> bool:
        return not action.talking and _at_it(_words(task), "", action)

    one_arena = [
        own.place == other.place
        for own in filter(at_it, performer)
        for other in filter(at_it, partner)
        if max(own.start, other.start) < min(own.end, other.end)
    ]
    if not one_arena:
        return AuthorsGoal(0.0, ())
    return AuthorsGoal(1.0 if any(one_arena) else 0.5, (task.partner,))


def _companions(task: SocialTask, performer: Sequence[InHand], in_hand: InHandOf) -> AuthorsGoal:
    def at_it(action: InHand) -> bool:
        named = task.place.lower() in action.what.lower()
        return _at_it(_words(task), "" if named else task.place, action)

    own = tuple(filter(at_it, performer))
    others = {who: tuple(filter(at_it, actions)) for who, actions in in_hand.items()}
    # Who is at it changes only where somebody begins or ends.
    begun = sorted({action.start for actions in (own, *others.values()) for action in actions})
    at_once = (
        [who for who, actions in others.items() if _any_at(actions, moment)]
        for moment in begun
        if _any_at(own, moment)
    )
    return _share(task, max(at_once, key=len, default=[]))


def _any_at(actions: Sequence[InHand], step: int) -> bool:
    return any(action.start <= step < action.end for action in actions)


def _help(task: SocialTask, in_hand: InHandOf) -> AuthorsGoal:
    def runs(errand: Errand, actions: Sequence[InHand]) -> list[int]:
        return [
            n
            for n, action in enumerate(actions)
            if not action.talking and _at_it(errand.keywords, errand.place, action)
        ]

    helpers = []
    for who, actions in in_hand.items():
        first, second = (runs(errand, actions) for errand in task.errands)
        if first and second and first[0] <= second[-1]:
            return AuthorsGoal(1.0, (who,))
        helpers += [who] if first or second else []
    return AuthorsGoal(0.5 if helpers else 0.0, tuple(helpers))
