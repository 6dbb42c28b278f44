"""A scripted buyer or seller: opens high or low, concedes, accepts, walks away."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from sociolab.core.episode import Action
from sociolab.worlds.sotopia.scenarios import PriceGoal
from sociolab.worlds.sotopia.scripted.closing import close, part
from sociolab.worlds.sotopia.scripted.concession import progress, rounds
from sociolab.worlds.sotopia.scripted.hearing import Heard, heard
from sociolab.worlds.sotopia.scripted.moment import Moment
from sociolab.worlds.sotopia.scripted.temper import Temper
from sociolab.worlds.sotopia.scripted.wording import bargain as words
from sociolab.worlds.sotopia.scripted.wording import shared

_STEPS = ((30, 0.5), (100, 1), (300, 5), (1000, 10), (3000, 25), (10000, 50))
_ARTICLE = re.compile(r"^(?:an?|the) ", re.IGNORECASE)
_NOUN_ENDS = re.compile(r",| (?:from|with|on|in|of which|that|for) ")


@dataclass(slots=True)
class _Talk:
    """What has been said about the price so far. Indices count the lines of the history."""

    mine: float | None = None
    theirs: float | None = None
    own_offers: int = 0
    their_offers: int = 0
    agreed: float | None = None
    settled: int = 0
    invited: bool = False
    last_word: bool = False
    parted: int | None = None


def bargain(moment: Moment, goal: PriceGoal) -> Action:
    """The next action of a buyer or seller."""
    talk = _talk(moment, goal)
    if talk.agreed is not None:
        seal = words.SEAL_SELL if goal.role == "seller" else words.SEAL_BUY
        return close(moment, talk.settled, seal, {"price": money(talk.agreed)})
    steps = rounds(moment.temper, moment.habit)
    asked = _next_offer(moment, goal, talk, steps)
    if talk.theirs is not None and _acceptable(moment, goal, talk, asked):
        return moment.plainly(moment.word(words.ACCEPT, {"price": money(talk.theirs)}))
    if talk.parted is not None:
        return part(moment, talk.parted, words.WALK)
    if talk.last_word:
        return moment.plainly(moment.word(words.WALK))
    return _offer(moment, goal, talk, asked, steps)


def reservation(goal: PriceGoal, temper: Temper) -> float:
    """The worst price that this side takes: 7 to 23 % beyond its target, less where firm."""
    slack = 0.05 + 0.2 * (1 - temper.firmness)
    if goal.role == "seller":
        return goal.target * (1 - slack)
    return min(goal.target * (1 + slack), max(goal.listed, goal.target))


def money(value: float) -> str:
    """A price as it is said: "$1,250", "$14.50"."""
    return f"${value:,.0f}" if value == int(value) else f"${value:,.2f}"


def _offer(moment: Moment, goal: PriceGoal, talk: _Talk, asked: float, steps: int) -> Action:
    """Name a price, or first look at the thing."""
    seller = goal.role == "seller"
    item = _noun(goal.item)
    if talk.own_offers == 0:
        if not seller and moment.own == 0 and moment.habit < 0.2 + moment.temper.talk:
            return moment.plainly(moment.greeting() + moment.word(words.ASK_AVAILABLE, item))
        table = words.OPEN_SELL if seller else words.OPEN_BUY
        greeting = "" if moment.own else moment.greeting()
        text = moment.word(table, {**item, "price": money(asked)})
        return moment.speak(greeting + text, shared.BANTER)
    invite = words.INVITE_SELL if seller else words.INVITE_BUY
    if talk.their_offers == 0 and not talk.invited:
        return moment.plainly(moment.word(invite))
    if not moment.quiet and moment.left > 3 and moment.chance.random() < 0.1:
        return moment.does(words.PRESENT if seller else words.LOOK, item)
    if talk.own_offers >= steps or moment.left <= 2:
        return moment.plainly(moment.word(words.LAST_WORD, {"price": money(asked)}))
    between = _between(moment, goal, talk)
    if between is not None:
        return moment.plainly(moment.word(words.MEET_BETWEEN, {"price": money(between)}))
    if asked == talk.mine:
        return moment.speak(moment.word(words.HOLD, {"price": money(asked)}), shared.BANTER)
    table = words.COUNTER_SELL if seller else words.COUNTER_BUY
    return moment.speak(moment.word(table, {"price": money(asked)}), shared.BANTER)


def _next_offer(moment: Moment, goal: PriceGoal, talk: _Talk, steps: int) -> float:
    """The price to ask next: never back behind an own offer, never more than a step ahead of the
    partner's moves, and never the target itself, which is private."""
    least = reservation(goal, moment.temper)
    step = min(talk.own_offers, talk.their_offers + 1)
    share = progress(step, steps, moment.temper)
    grid = next((size for limit, size in _STEPS if goal.listed < limit), 100)
    if goal.role == "seller":
        first = max(goal.listed, goal.target)
        price = math.ceil((first + (least - first) * share) / grid) * grid
        price = price + grid if price == goal.target else price
        return price if talk.mine is None else min(price, talk.mine)
    first = min(goal.target * (0.95 - 0.3 * moment.temper.firmness), goal.listed * 0.95)
    price = max(grid, math.floor((first + (least - first) * share) / grid) * grid)
    price = price - grid if price == goal.target > grid else price
    return price if talk.mine is None else max(price, talk.mine)


def _acceptable(moment: Moment, goal: PriceGoal, talk: _Talk, asked: float) -> bool:
    """Whether to take the partner's price: it is as good as what one would ask next, or it is
    bearable and there is little hope for better."""
    assert talk.theirs is not None
    sign = 1 if goal.role == "seller" else -1
    if sign * (talk.theirs - asked) >= 0:
        return True
    if sign * (talk.theirs - reservation(goal, moment.temper)) < 0:
        return False
    late = moment.left <= 2 or talk.last_word or talk.parted is not None
    close_by = abs(talk.theirs - asked) <= 0.03 * goal.listed and talk.own_offers > 1
    return late or (close_by and moment.chance.random() < 0.6)


def _between(moment: Moment, goal: PriceGoal, talk: _Talk) -> float | None:
    """The middle of the two offers, where they are close and it is bearable."""
    if talk.theirs is None or talk.mine is None or talk.own_offers < 2:
        return None
    gap = abs(talk.mine - talk.theirs)
    grid = next((size for limit, size in _STEPS if goal.listed < limit), 100)
    if gap > 0.15 * goal.listed or gap < 2 * grid or moment.chance.random() > 0.35:
        return None
    middle = round((talk.mine + talk.theirs) / 2 / grid) * grid
    sign = 1 if goal.role == "seller" else -1
    bearable = sign * (middle - reservation(goal, moment.temper)) >= 0
    return middle if bearable and middle != goal.target else None


def _talk(moment: Moment, goal: PriceGoal) -> _Talk:
    talk = _Talk()
    for index, own, text in moment.talk:
        said = heard(text)
        if own:
            _hear_self(talk, index, text, said, goal)
        else:
            _hear_partner(talk, index, said, goal)
    return talk


def _hear_self(talk: _Talk, index: int, text: str, said: Heard, goal: PriceGoal) -> None:
    invite = words.INVITE_SELL if goal.role == "seller" else words.INVITE_BUY
    talk.invited = talk.invited or invite.spoke(text)
    if words.WALK.spoke(text):
        talk.parted = index if talk.parted is None else talk.parted
    if talk.agreed is not None or not said.sums:
        return
    price = said.sums[-1]
    if price == talk.theirs and said.agrees:
        talk.agreed, talk.settled = price, index
        return
    talk.mine = price
    talk.own_offers += 1
    talk.last_word = talk.last_word or words.LAST_WORD.spoke(text)


def _hear_partner(talk: _Talk, index: int, said: Heard, goal: PriceGoal) -> None:
    prices = said.sums
    if not prices and talk.agreed is None:
        prices = tuple(n for n in said.numbers if 0.3 <= n / goal.listed <= 1.5)
    known = (talk.mine, talk.agreed)
    fresh = [p for p in prices if p not in known and 0.05 <= p / goal.listed <= 3]
    if fresh:
        talk.agreed = talk.parted = None
        talk.theirs = fresh[-1]
        talk.their_offers += 1
    elif talk.agreed is None and talk.mine is not None and _takes(said, talk.mine in prices):
        talk.agreed, talk.settled = talk.mine, index
    if talk.agreed is None and talk.parted is None and said.parts:
        talk.parted = index


def _takes(said: Heard, named: bool) -> bool:
    """Whether a line takes the price on the table: in so many words, or by naming it flatly."""
    return said.agrees or (named and not said.refuses and not said.asks)


@lru_cache(maxsize=512)
def _noun(item: str) -> dict[str, str]:
    """The item as it is spoken of: "a small camper van, nineteen years old": "camper van"."""
    name = _ARTICLE.sub("", item.strip())
    short = _NOUN_ENDS.split(name, maxsplit=1)[0].split()
    return {"item": " ".join(short[-2:]) or name}
