"""A scripted player who divides goods: proposes, gives up what it values least, accepts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from sociolab.core.episode import Action
from sociolab.worlds.sotopia.scenarios import DivisionGoal
from sociolab.worlds.sotopia.scripted.closing import close, part
from sociolab.worlds.sotopia.scripted.concession import progress, rounds
from sociolab.worlds.sotopia.scripted.hearing import Heard, heard
from sociolab.worlds.sotopia.scripted.moment import Moment
from sociolab.worlds.sotopia.scripted.shares import Share, in_words, rest, speakers_share, spoken_of
from sociolab.worlds.sotopia.scripted.wording import division as words

_LONGEST = 165


@dataclass(slots=True)
class _Talk:
    """What has been said so far; every share is this seat's own. Indices count the lines."""

    proposed: list[Mapping[str, int]] = field(default_factory=list)
    theirs: Mapping[str, int] | None = None
    wants: dict[str, float] = field(default_factory=dict)
    asked: bool = False
    agreed: bool = False
    settled: int = 0
    last_word: bool = False
    parted: int | None = None


def divide(moment: Moment, goal: DivisionGoal) -> Action:
    """The next action of somebody who divides goods."""
    talk = _talk(moment, goal)
    if talk.agreed:
        return close(moment, talk.settled, words.SEAL, {})
    steps = rounds(moment.temper, moment.habit)
    level = _level(moment, len(talk.proposed), steps)
    share = _share(goal, talk, level)
    if talk.theirs is not None and _acceptable(moment, goal, talk, min(level, worth(share, goal))):
        return moment.plainly(moment.word(words.ACCEPT, _slots(talk.theirs, goal)))
    if talk.parted is not None:
        return part(moment, talk.parted, words.WALK)
    if talk.last_word:
        return moment.plainly(moment.word(words.WALK))
    return _propose(moment, goal, talk, share, steps)


def worth(share: Mapping[str, int], goal: DivisionGoal) -> float:
    """What a share is worth to this side, as a part (0 to 1) of having everything."""
    total = sum(goal.values[good] * count for good, count in goal.counts.items())
    return sum(goal.values[good] * share[good] for good in goal.counts) / total if total else 1.0


def floor(moment: Moment) -> float:
    """The least that this side takes, as a part of having everything: .43 to .63."""
    return 0.4 + 0.25 * moment.temper.firmness


def _level(moment: Moment, step: int, steps: int) -> float:
    """What this side asks for at an own proposal, counted from 0."""
    first = 0.8 + 0.15 * moment.temper.firmness
    return first + (floor(moment) - first) * progress(step, steps, moment.temper)


def _acceptable(moment: Moment, goal: DivisionGoal, talk: _Talk, level: float) -> bool:
    assert talk.theirs is not None
    value = worth(talk.theirs, goal)
    if value >= level:
        return True
    late = moment.left <= 2 or talk.last_word or talk.parted is not None
    return late and value >= floor(moment)


def _propose(moment: Moment, goal: DivisionGoal, talk: _Talk, share: Share, steps: int) -> Action:
    greeting = "" if moment.own else moment.greeting()
    nothing_yet = not (talk.proposed or talk.asked or talk.theirs or _was_asked(moment))
    if nothing_yet and moment.habit < 0.55 - 0.4 * moment.temper.firmness:
        return moment.plainly(greeting + moment.word(words.ASK_WHAT_MATTERS))
    calm = not moment.quiet and talk.proposed and moment.left > 3
    if calm and moment.chance.random() < 0.1:
        first_good, count = next(iter(goal.counts.items()))
        return moment.does(words.SORT, {"good": spoken_of(first_good, count)})
    if len(talk.proposed) >= steps or moment.left <= 2:
        return moment.plainly(moment.word(words.LAST_WORD, _slots(share, goal)))
    first = not talk.proposed and talk.theirs is None
    text = moment.word(words.PROPOSE_FIRST if first else words.PROPOSE, _slots(share, goal))
    if _was_asked(moment):
        best = max(goal.counts, key=lambda good: goal.values[good] * goal.counts[good])
        wish = moment.word(words.TELL_WHAT_MATTERS, {"good": spoken_of(best, goal.counts[best])})
        text = f"{wish} {text}" if len(wish) + len(text) < _LONGEST else wish
    return moment.plainly(greeting + text)


def _share(goal: DivisionGoal, talk: _Talk, level: float) -> Share:
    """The own share to propose: everything, less what costs this side least for what it seems to
    be worth to the other, one piece at a time, while it stays worth `level`."""
    share = dict(goal.counts)
    modest = min(goal.counts, key=lambda g: goal.values[g] if goal.counts[g] else math.inf)
    total = sum(goal.values[good] * count for good, count in goal.counts.items()) or 1.0
    value = 1.0
    order = sorted(goal.counts, key=lambda g: goal.values[g] / (1 + talk.wants.get(g, 0.0)))
    for good in order:
        cost = goal.values[good] / total
        while share[good] and value - cost >= level - 1e-9:
            share[good] -= 1
            value -= cost
    if share == goal.counts and share[modest] > 0:
        share[modest] -= 1
    if share in talk.proposed:
        for good in order:
            if share[good] and value - goal.values[good] / total >= level - 0.12:
                return {**share, good: share[good] - 1}
    return share


def _slots(share: Mapping[str, int], goal: DivisionGoal) -> dict[str, str]:
    return {
        "mine": in_words(share, goal.counts),
        "yours": in_words(rest(share, goal.counts), goal.counts),
    }


def _was_asked(moment: Moment) -> bool:
    return bool(moment.talk) and words.ASK_WHAT_MATTERS.spoke(moment.talk[-1][2])


def _talk(moment: Moment, goal: DivisionGoal) -> _Talk:
    talk = _Talk()
    counts = tuple(goal.counts.items())
    for index, own, text in moment.talk:
        said = heard(text)
        share = speakers_share(text, counts)
        if own:
            _hear_self(talk, index, text, share, said)
            continue
        if share is None:
            _hear_wish(talk, text, goal)
        else:
            share = rest(share, goal.counts)
        mine = talk.proposed[-1] if talk.proposed else None
        if share is not None and share != mine:
            talk.agreed, talk.theirs, talk.parted = False, share, None
            for good, count in goal.counts.items():
                kept = (count - share[good]) / count if count else 0.0
                talk.wants[good] = talk.wants.get(good, 0.0) + kept
        elif (
            mine is not None
            and not talk.agreed
            and (said.agrees or (share == mine and not said.asks and not said.refuses))
        ):
            talk.agreed, talk.settled = True, index
        if not talk.agreed and talk.parted is None and said.parts:
            talk.parted = index
    return talk


def _hear_self(
    talk: _Talk, index: int, text: str, share: Mapping[str, int] | None, said: Heard
) -> None:
    if words.WALK.spoke(text):
        talk.parted = index if talk.parted is None else talk.parted
    elif words.ASK_WHAT_MATTERS.spoke(text):
        talk.asked = True
    if share is None or talk.agreed:
        return
    if share == talk.theirs and said.agrees:
        talk.agreed, talk.settled = True, index
        return
    talk.proposed.append(share)
    talk.last_word = talk.last_word or words.LAST_WORD.spoke(text)


def _hear_wish(talk: _Talk, text: str, goal: DivisionGoal) -> None:
    lowered = text.lower()
    for good in goal.counts:
        if good.lower() in lowered:
            talk.wants[good] = talk.wants.get(good, 0.0) + 1.0
