"""A talk read by rules: which conditions of its task are met at its end (STSS section 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from sociolab.town.thoughts import Line
from sociolab.worlds.stss.talk.conditions import Condition
from sociolab.worlds.stss.talk.findings import Finding, Occasion
from sociolab.worlds.stss.talk.rules.agreed_place import PlaceAgreed
from sociolab.worlds.stss.talk.rules.agreed_time import TimeAgreed
from sociolab.worlds.stss.talk.rules.help_asked import Help
from sociolab.worlds.stss.talk.rules.inviting import Invitation
from sociolab.worlds.stss.talk.rules.reading import Said, said_in
from sociolab.worlds.stss.talk.rules.taken_as_asked import serious, taken_as_asked
from sociolab.worlds.stss.talk.rules.told_place import PlaceTold
from sociolab.worlds.stss.talk.rules.told_time import TimeTold


def findings_in_talk(occasion: Occasion, lines: Sequence[Line]) -> tuple[Finding, ...]:
    """One finding for each condition, in order; what is said later overrides what was said before.

    A quote is a word-for-word part of one line.
    """
    said = said_in(occasion, lines)
    turns = [list(group) for _, group in groupby(said, key=lambda one: one.line)]
    if occasion.task.type == "asking for help":
        help_ = Help(occasion)
        for turn in turns:
            help_.line(turn)
        return tuple(_of_help(condition, help_) for condition in occasion.conditions)
    return tuple(_finding(occasion, condition, turns) for condition in occasion.conditions)


def _of_help(condition: Condition, found: Help) -> Finding:
    if condition.kind == "request":
        quote = found.requests.get(condition.errand, "")
        return Finding(condition, bool(quote), quote)
    quote = found.told(condition.errand)
    return Finding(condition, bool(quote), quote)


def _finding(occasion: Occasion, condition: Condition, turns: Sequence[Sequence[Said]]) -> Finding:
    match condition.kind:
        case "time told":
            time = TimeTold(occasion)
            _go_through(time, turns)
            return Finding(condition, time.met, time.hour.quote if time.met else "")
        case "time agreed":
            agreed = TimeAgreed(occasion)
            _go_through(agreed, turns)
            return Finding(condition, agreed.met, agreed.quote if agreed.met else "")
        case "place told":
            place = PlaceTold(occasion, condition.place)
            _go_through(place, turns)
            return Finding(condition, place.met, place.place.quote if place.met else "")
        case "place agreed":
            where = PlaceAgreed(occasion)
            _go_through(where, turns)
            if not where.met and where.unopposed:
                hour = TimeAgreed(occasion)
                _go_through(hour, turns)
                return Finding(condition, hour.met, where.unopposed if hour.met else "")
            return Finding(condition, where.met, where.quote if where.met else "")
        case _:
            invitation = Invitation(occasion.task.type == "appointment")
            meant = serious(turns) if occasion.task.type == "appointment" else turns
            _go_through(invitation, meant)
            if not invitation.met and occasion.task.type in _ARRANGED and _named(turns):
                # Who agrees on an hour for the matter has been asked, in whatever words.
                agreed = TimeAgreed(occasion)
                _go_through(agreed, turns)
                hint = taken_as_asked(meant) if occasion.task.type == "appointment" else ""
                quote = agreed.quote if agreed.met else hint
                return Finding(condition, bool(quote), quote)
            return Finding(condition, invitation.met, invitation.words)


_ARRANGED = ("appointment", "inviting companions")


def _named(turns: Sequence[Sequence[Said]]) -> bool:
    return any(one.about for turn in turns for one in turn)


def _go_through(
    state: TimeTold | TimeAgreed | PlaceTold | PlaceAgreed | Invitation,
    turns: Sequence[Sequence[Said]],
) -> None:
    for turn in turns:
        state.line(turn)
