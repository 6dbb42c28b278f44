"""A scripted player who has to agree on one of several options: proposes, argues, moves down."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from sociolab.core.episode import Action
from sociolab.worlds.sotopia.scenarios import OptionGoal
from sociolab.worlds.sotopia.scripted.closing import close, part
from sociolab.worlds.sotopia.scripted.concession import progress, rounds
from sociolab.worlds.sotopia.scripted.hearing import Heard, heard, plain
from sociolab.worlds.sotopia.scripted.moment import Moment
from sociolab.worlds.sotopia.scripted.wording import options as words
from sociolab.worlds.sotopia.scripted.wording import shared

_Names: TypeAlias = tuple[tuple[str, ...], ...]

_AGAINST_BEFORE = re.compile(
    r"\b(?:not|no|can't|cannot|won't|don't|never|rather than|instead of|neither|nor)\b[^.!?;]*$"
)
_AGAINST_AFTER = re.compile(
    r",? (?:(?:is|would be|'s) (?:too|not|out|hard|difficult|bad|impossible)|isn't|doesn't|won't"
    r"|wouldn't|can't|cannot)\b"
)


@dataclass(slots=True)
class _Talk:
    """What has been said so far. Indices count the lines of the history.

    `kept` is the option that this side agreed to last; it names no other of its own accord.
    `last_named` are the options that were named last, each with who named it.
    """

    mine: str | None = None
    kept: str | None = None
    last_named: list[tuple[str, str]] = field(default_factory=list)
    named: list[str] = field(default_factory=list)
    turns: int = 0
    theirs: str | None = None
    liked: set[str] = field(default_factory=set)
    agreed: str | None = None
    settled: int = 0
    last_word: bool = False
    parted: int | None = None


def choose(moment: Moment, goal: OptionGoal) -> Action:
    """The next action of somebody who has to agree on an option."""
    talk = _talk(moment, goal)
    if talk.agreed is not None:
        return close(moment, talk.settled, words.SEAL, {"option": talk.agreed})
    steps = rounds(moment.temper, moment.habit) - 1
    best = max(goal.options.values())
    least = floor(moment, goal)
    level = best + (least - best) * progress(talk.turns, steps, moment.temper)
    if talk.theirs is not None and _acceptable(moment, goal, talk, level, least):
        return moment.plainly(moment.word(words.ACCEPT, {"option": talk.theirs}))
    if talk.parted is not None:
        return part(moment, talk.parted, words.WALK)
    if talk.last_word:
        return moment.plainly(moment.word(words.WALK))
    return _propose(moment, goal, talk, level, steps)


def floor(moment: Moment, goal: OptionGoal) -> float:
    """The least value of an option that this side accepts: 32 to 64 % of its best."""
    return max(goal.options.values()) * (0.28 + 0.4 * moment.temper.firmness)


def _acceptable(moment: Moment, goal: OptionGoal, talk: _Talk, level: float, least: float) -> bool:
    assert talk.theirs is not None
    value = goal.options[talk.theirs]
    if value >= level:
        return True
    late = moment.left <= 2 or talk.last_word or talk.parted is not None
    return late and value >= least


def _propose(moment: Moment, goal: OptionGoal, talk: _Talk, level: float, steps: int) -> Action:
    option = talk.kept or _wish(goal, talk, level)
    slots = {"option": option}
    if talk.mine is None:
        greeting = "" if moment.own else moment.greeting()
        if talk.theirs is None:
            text = moment.word(words.OPEN, {"subject": goal.subject, "option": option})
        else:
            text = moment.word(words.ANSWER, slots)
        return moment.speak(greeting + text)
    if not moment.quiet and moment.left > 3 and moment.chance.random() < 0.12:
        return moment.shows(shared.THINKING)
    if talk.turns >= steps or moment.left <= 2:
        return moment.plainly(moment.word(words.LAST_WORD, slots))
    if option == talk.mine or option in talk.named:
        return moment.speak(moment.word(words.ARGUE, slots))
    return moment.speak(moment.word(words.CONCEDE, slots))


def _wish(goal: OptionGoal, talk: _Talk, level: float) -> str:
    """The option to name next: of those that are good enough, one that the partner has spoken
    well of, else one not named yet, else the last one."""
    ranked = sorted(goal.options, key=lambda option: -goal.options[option])
    enough = [option for option in ranked if goal.options[option] >= level - 1e-9] or ranked[:1]
    liked = [option for option in enough if option in talk.liked]
    fresh = [option for option in enough if option not in talk.named]
    return (liked or fresh or [talk.mine or enough[0]])[0]


def _talk(moment: Moment, goal: OptionGoal) -> _Talk:
    talk = _Talk()
    options = tuple(goal.options)
    names = _names(options, tuple(goal.aliases.items()))
    for index, own, text in moment.talk:
        found = _mentions(text, names)
        meant = [options[number] for number, against in found if not against]
        who = moment.lines[index].who
        if own:
            _hear_self(talk, index, text, meant)
        else:
            talk.liked.update(meant)
            talk.liked.difference_update(options[number] for number, against in found if against)
            _hear_partner(talk, index, heard(text), meant, who)
        talk.last_named += [(who, option) for option in meant[-1:]]
    return talk


def _hear_self(talk: _Talk, index: int, text: str, meant: list[str]) -> None:
    if talk.parted is None and words.WALK.spoke(text):
        talk.parted = index
    if not meant or talk.agreed is not None:
        return
    if meant[-1] == talk.theirs and heard(text).agrees:
        talk.agreed = talk.kept = talk.theirs
        talk.settled = index
        return
    talk.mine = meant[-1]
    talk.named.append(talk.mine)
    talk.turns += 1
    talk.last_word = talk.last_word or words.LAST_WORD.spoke(text)


def _hear_partner(talk: _Talk, index: int, said: Heard, meant: list[str], who: str) -> None:
    """Of several options the last new one is meant: "I hoped for Sunday, Monday is too busy"."""
    fresh = [option for option in meant if option not in (talk.mine, talk.agreed)]
    if fresh:
        talk.agreed, talk.theirs, talk.parted = None, fresh[-1], None
    elif talk.mine is not None and talk.agreed is None:
        named = talk.mine in meant and not said.asks and not said.refuses
        if named or (said.agrees and _spoken_of(talk, who) == talk.mine):
            talk.agreed, talk.settled = talk.mine, index
    if talk.agreed is None and talk.parted is None and said.parts:
        talk.parted = index


def _spoken_of(talk: _Talk, who: str) -> str | None:
    """What an "agreed" of this speaker refers to: the option that somebody else named last."""
    others = (option for speaker, option in reversed(talk.last_named) if speaker != who)
    return next(others, None)


@lru_cache(maxsize=4096)
def _mentions(text: str, names: _Names) -> tuple[tuple[int, bool], ...]:
    """Which options a text names, in order, and whether it speaks against them."""
    found = []
    text = plain(text)
    for match in _pattern(names).finditer(text):
        number = int(str(match.lastgroup)[1:].partition("_")[0])
        before = text[max(0, match.start() - 40) : match.start()]
        against = _AGAINST_BEFORE.search(before) or _AGAINST_AFTER.match(text, match.end())
        found.append((number, against is not None))
    return tuple(found)


@lru_cache(maxsize=256)
def _names(options: tuple[str, ...], aliases: tuple[tuple[str, tuple[str, ...]], ...]) -> _Names:
    """The names of each option in lower case, its own first."""
    others = dict(aliases)
    return tuple(
        (option.lower(), *(alias.lower() for alias in others.get(option, ()))) for option in options
    )


@lru_cache(maxsize=256)
def _pattern(names: _Names) -> re.Pattern[str]:
    longest_first = sorted(
        ((name, number) for number, group in enumerate(names) for name in group),
        key=lambda item: -len(item[0]),
    )
    parts = [rf"(?P<o{n}_{i}>{re.escape(name)})" for i, (name, n) in enumerate(longest_first)]
    return re.compile(r"(?<!\w)(?:" + "|".join(parts) + r")(?!\w)")
