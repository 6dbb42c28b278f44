"""The price that buyer and seller agreed on, and what it is worth to each of them.

Our own scenarios state the rule in the goal's text: the target is worth 6 points of 10, every
5 % of the target better one point more, every 5 % worse one point less, within 0 and 10, and no
deal is worth 0. The published scenarios say only that a bonus rewards a better price than the
target and a penalty follows a worse one; the same rule is applied to them.
"""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.core.episode import Moved
from sociolab.worlds.sotopia.checks.acts import Found, Reading, Sign, Take
from sociolab.worlds.sotopia.checks.agreement import Talk
from sociolab.worlds.sotopia.checks.amounts import Number, numbers
from sociolab.worlds.sotopia.checks.language import money_language
from sociolab.worlds.sotopia.checks.outcome import Agreed, CannotTell, Outcome
from sociolab.worlds.sotopia.checks.reading import read
from sociolab.worlds.sotopia.checks.standing import Standing
from sociolab.worlds.sotopia.checks.words import word_set, words
from sociolab.worlds.sotopia.scenarios import PriceGoal
from sociolab.worlds.sotopia.scene import Casting

AT_TARGET = 6
STEP = 0.05
HIGHEST = 10

_SEVERAL = word_set("two three four five six seven eight nine ten both all each")

# What part of the listed price or the targets an amount may be and still be a price.
_PLAIN = (0.4, 1.6)
_WITH_CURRENCY = (0.2, 5.0)


def price_formula(goal: PriceGoal, price: float) -> tuple[float, str]:
    """What a price is worth to a seat, 0 to 10, and the formula with its numbers."""
    gain = price - goal.target if goal.role == "seller" else goal.target - price
    raw = AT_TARGET + gain / (STEP * goal.target)
    value = min(HIGHEST, max(0.0, raw))
    better = "price - target" if goal.role == "seller" else "target - price"
    text = (
        f"6 + ({better}) / (5 % of target) = "
        f"6 + ({_difference(goal, price)}) / {STEP * goal.target:g} = {raw:.4g}"
    )
    return value, text if value == raw else f"{text}, clipped to {value:g}"


def agreed_price(casting: Casting, moves: Sequence[Moved]) -> Outcome[float]:
    """The price that all seats agreed on."""
    facts = [goal.facts for goal in casting.scenario.goals]
    goals = [fact for fact in facts if fact is not None and fact.kind == "price"]
    sellers = {
        character.id
        for character, fact in zip(casting.characters, facts, strict=True)
        if fact is not None and fact.kind == "price" and fact.role == "seller"
    }
    listed = goals[0].listed
    cues, reader = money_language(), _Prices(goals)
    talk: Talk[float] = Talk((c.id for c in casting.characters), known=(listed,))
    middles: set[float] = set()
    for move in moves:
        text = " ".join(action.text for action in move.actions)
        if text and move.seat in talk.state.seats:
            said, found = reader.mark(words(text))
            reading = read(cues, said, found)
            if move.seat in sellers and not talk.state.seats[move.seat]:
                reading = _with_listed(reading, found, listed)
            if Sign.MIDDLE in reading.acts:
                reading = _with_middle(reading, talk.state, middles)
            talk.hear(move, text, reading)
        talk.see_off(move)
    outcome = talk.outcome()
    if isinstance(outcome, Agreed):
        if reader.several:
            return CannotTell("they bargain for more than one piece")
        return Agreed(outcome.value[""], outcome.evidence)
    return outcome


def _with_listed(
    reading: Reading[float], found: list[Found[float]], listed: float
) -> Reading[float]:
    """A seller who names the listed price stands for it until it names another."""
    if not any(item.value == listed for item in found):
        return reading
    return reading._replace(acts=(Take((listed,), soft=True), *reading.acts))


def _with_middle(
    reading: Reading[float], state: Standing[float], middles: set[float]
) -> Reading[float]:
    """To meet halfway is to stand for the mean of two prices, or for the mean named before."""
    acts = tuple(act for act in reading.acts if act is not Sign.MIDDLE)
    prices = [stand.values[0] for stand in state.on("") if len(stand.values) == 1]
    said = any(isinstance(act, Take) and act.values for act in acts)
    if said or len(prices) != 2 or prices[0] == prices[1]:
        return reading._replace(acts=acts)
    middle = next((price for price in prices if price in middles), sum(prices) / 2)
    middles.add(middle)
    takes = tuple(act for act in acts if not isinstance(act, Take))
    return reading._replace(acts=(*takes, Take((middle,))))


class _Prices:
    """Finds the amounts of money in a turn that may be prices of the thing for sale."""

    def __init__(self, goals: Sequence[PriceGoal]) -> None:
        known = [amount for goal in goals for amount in (goal.listed, goal.target)]
        self._low, self._high = min(known), max(known)
        self.several = False

    def mark(self, said: list[str]) -> tuple[list[str], list[Found[float]]]:
        """The words with every amount replaced by "#", and the amounts."""
        marked: list[str] = []
        found: list[Found[float]] = []
        at = 0
        for number in numbers(said):
            price = self._price(number)
            if price is None:
                continue
            marked += said[at : number.start]
            marked.append("#")
            found.append(price)
            self.several = self.several or _for_several(said, number)
            at = _past_fluff(said, number.end)
        return marked + said[at:], found

    def _price(self, number: Number) -> Found[float] | None:
        low, high = _WITH_CURRENCY if number.money else _PLAIN
        if not number.percent and low * self._low <= number.value <= high * self._high:
            return Found(number.value)
        return Found(None, telling=False) if number.money or number.percent else None


_AFTER = word_set("cash flat total")
_LINKS = word_set("is sounds seems works would will does was feels")


def _past_fluff(said: list[str], at: int) -> int:
    """Skip "in cash", and "for the bicycle" where a verb follows: 220 for the bicycle is fine."""
    if said[at : at + 2] == ["in", "cash"]:
        return at + 2
    if at < len(said) and said[at] in _AFTER:
        return at + 1
    if at < len(said) and said[at] == "for":
        for verb in range(at + 2, min(at + 6, len(said))):
            if said[verb] in _LINKS:
                return verb
            if said[verb] in (",", ".", "?", "!", "and", "but"):
                break
    return at


def _for_several(said: list[str], number: Number) -> bool:
    """900 for two phones, 900 for 2 of them; not: 900 for both of us."""
    after = said[number.end : number.end + 4]
    if after[:1] != ["for"] or "us" in after or len(after) < 3:
        return False
    return after[1] in _SEVERAL or (after[1].isdigit() and 1 < int(after[1]) < 20)


def _difference(goal: PriceGoal, price: float) -> str:
    if goal.role == "seller":
        return f"{price:g} - {goal.target:g}"
    return f"{goal.target:g} - {price:g}"
