"""A scripted player with a wish to argue for: with cue cards, or with no facts at all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sociolab.core.episode import Action
from sociolab.worlds.sotopia.scenarios import AskGoal
from sociolab.worlds.sotopia.scripted.closing import close, part
from sociolab.worlds.sotopia.scripted.hearing import heard
from sociolab.worlds.sotopia.scripted.moment import Moment
from sociolab.worlds.sotopia.scripted.wording import persuade as words
from sociolab.worlds.sotopia.scripted.wording import shared


@dataclass(slots=True)
class _Talk:
    """How the argument stands. Indices count the lines of the history."""

    spoke: int = 0
    they_spoke: int = 0
    they_offered: int | None = None
    invited: bool = False
    refused: int = 0
    agreed: bool = False
    settled: int = 0
    parted: int | None = None
    appealed: bool = False


def persuade(moment: Moment, goal: AskGoal) -> Action:
    """The next action of somebody with cue cards: ask, give reasons, meet in the middle or not."""
    talk = _talk(moment)
    ending = _ending(moment, talk)
    if ending is not None:
        return ending
    said, temper = moment.said, moment.temper
    if goal.ask not in said:
        return moment.plainly(_opening(moment) + goal.ask)
    if talk.they_offered is not None and _takes(moment, talk):
        text = moment.word(words.TAKE_MIDDLE)
        joined = goal.middle not in said and moment.chance.random() < 0.7
        return moment.plainly(f"{text} {goal.middle}" if joined else text)
    if talk.spoke >= temper.patience or moment.left <= 2:
        return _last(moment, talk)
    if talk.they_offered is not None:
        return moment.plainly(moment.word(words.REFUSE_MIDDLE))
    if _pause(moment, talk):
        return moment.shows(shared.THINKING)
    fresh = [reason for reason in goal.reasons if reason not in said]
    due = _middle_at(moment, len(fresh)) - 2 * talk.invited
    if goal.middle not in said and talk.spoke >= due:
        return moment.plainly(f"{moment.word(words.BEFORE_MIDDLE)} {goal.middle}")
    if fresh:
        return moment.speak(_lead(moment) + fresh[0])
    asks = moment.chance.random() < 0.35 and not talk.invited
    table = words.ASK_WAY if asks else words.INSIST
    return moment.plainly(moment.word(table))


def converse(moment: Moment) -> Action:
    """The next action of somebody whose goal has no facts: talk about what the context names,
    look for a compromise, and stay silent on the goal itself."""
    talk = _talk(moment)
    ending = _ending(moment, talk)
    if ending is not None:
        return ending
    if talk.spoke == 0 and talk.they_spoke:
        return moment.speak(moment.greeting() + moment.word(words.VIEW))
    if talk.spoke == 0:
        topic = context_topic(moment.view.context)
        text = moment.word(words.TOPIC, {"topic": topic}) if topic else moment.word(words.TOPICLESS)
        return moment.speak(moment.greeting() + text)
    if talk.they_offered is not None and _takes(moment, talk):
        return moment.plainly(moment.word(words.TAKE_MIDDLE))
    if talk.spoke >= moment.temper.patience or moment.left <= 2:
        return _last(moment, talk)
    if talk.they_offered is not None:
        return moment.plainly(moment.word(words.REFUSE_MIDDLE))
    if _pause(moment, talk):
        return moment.shows(shared.THINKING)
    if talk.spoke >= _middle_at(moment, 0) + 1 and not words.SUGGEST.spoke(moment.said):
        return moment.plainly(moment.word(words.SUGGEST))
    return moment.speak(moment.word(words.VIEW))


def _ending(moment: Moment, talk: _Talk) -> Action | None:
    if talk.agreed:
        return close(moment, talk.settled, shared.SETTLED, {})
    if talk.parted is not None and talk.spoke:
        return part(moment, talk.parted, shared.GAVE_UP)
    return None


def _opening(moment: Moment) -> str:
    greeting = "" if moment.own else moment.greeting()
    if moment.talk:
        return greeting + moment.word(words.HEAR) + " "
    lead = moment.word(words.BEFORE_ASK) + " " if moment.chance.random() < 0.6 else ""
    return greeting + lead


def _lead(moment: Moment) -> str:
    draw = moment.chance.random()
    if draw < 0.55:
        return moment.word(words.HEAR) + " "
    return moment.word(words.BEFORE_REASON) + " " if draw < 0.8 else ""


def _takes(moment: Moment, talk: _Talk) -> bool:
    """Whether to take the partner's compromise: the soft at once, the firm late or never."""
    firmness = moment.temper.firmness
    if moment.left <= 2:
        return firmness < 0.85
    willing = 1.15 - 1.1 * firmness + 0.25 * talk.refused + 0.06 * max(0, talk.spoke - 2)
    return moment.chance.random() < willing


def _middle_at(moment: Moment, reasons_left: int) -> int:
    """After how many own lines somebody offers a compromise; the very firm do not."""
    firmness = moment.temper.firmness
    if firmness > 0.85:
        return 99
    return 2 + round(3 * firmness + moment.habit) + (reasons_left > 1)


def _last(moment: Moment, talk: _Talk) -> Action:
    """Give in, appeal once more, or give up."""
    temper = moment.temper
    if temper.firmness < 0.45 and talk.they_spoke and moment.chance.random() < 0.7:
        return moment.plainly(moment.word(words.YIELD))
    if not talk.appealed and moment.left > 1 and moment.chance.random() < 0.6:
        return moment.plainly(moment.word(words.LAST_APPEAL))
    return moment.plainly(moment.word(shared.GAVE_UP))


def _pause(moment: Moment, talk: _Talk) -> bool:
    return (
        not moment.quiet
        and talk.spoke > 1
        and moment.left > 3
        and moment.chance.random() < 0.14 - 0.1 * moment.temper.talk
    )


def _talk(moment: Moment) -> _Talk:
    talk = _Talk()
    for index, own, text in moment.talk:
        if own:
            _hear_self(talk, index, text)
            continue
        said = heard(text)
        talk.they_spoke += 1
        talk.invited = said.invites
        # What a scripted partner agrees to may hold a "not" of its own terms.
        agrees = _own_move(text) == "agree" or (said.agrees and not said.refuses)
        if talk.spoke and not talk.agreed and agrees:
            talk.agreed, talk.settled = True, index
        elif said.offers:
            talk.they_offered, talk.parted = index, None
        if not talk.agreed and talk.parted is None and said.parts:
            talk.parted = index
    return talk


def _hear_self(talk: _Talk, index: int, text: str) -> None:
    talk.spoke += 1
    talk.they_offered = None
    match _own_move(text):
        case "agree":
            talk.agreed, talk.settled = True, index
        case "give up":
            talk.parted = index if talk.parted is None else talk.parted
        case "refuse":
            talk.refused += 1
        case "appeal":
            talk.appealed = True


@lru_cache(maxsize=4096)
def _own_move(text: str) -> str:
    """What an own line did, of the things that decide what follows."""
    if words.TAKE_MIDDLE.spoke(text) or words.YIELD.spoke(text):
        return "agree"
    if shared.GAVE_UP.spoke(text):
        return "give up"
    if words.REFUSE_MIDDLE.spoke(text):
        return "refuse"
    return "appeal" if words.LAST_APPEAL.spoke(text) else ""


_PHRASE = re.compile(
    r"\b(?:an?|the|their|this) ((?:[a-z][a-z-]+ ){0,2}?[a-z][a-z-]{3,})"
    r"(?=[.,;:]|$| (?:of|in|at|on|for|to|and|with|that|which|is|are|was|has|from|by|about|who|near"
    r"|between|after)\b)"
)
_VAGUE_WORDS = (
    "afternoon another are bar based been both chance colleague colleagues conversation "
    "couple end evening first friend friends front has have home individual individuals is "
    "line middle morning most night of one other others park parties partner partners "
    "party people person relationship representative rest same scene second sibling "
    "siblings side situation stranger strangers that them third time together two walk way "
    "which who whom"
)
_VAGUE = frozenset(_VAGUE_WORDS.split())


@lru_cache(maxsize=512)
def context_topic(context: str) -> str:
    """What the scene is about, as a phrase for "the ...", from the context alone; "" if unclear.

    >>> context_topic("Conversation at an annual charity event between two attendees.")
    'annual charity event'
    """
    for match in _PHRASE.finditer(context[:2000]):
        phrase = match.group(1)
        if not _VAGUE & set(phrase.split()):
            return phrase
    return ""
