"""Who gets what of the goods, as both agreed, and what it is worth to each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

from sociolab.core.episode import Moved
from sociolab.worlds.sotopia.checks.acts import Act, Reading, Sign, Take
from sociolab.worlds.sotopia.checks.agreement import Talk
from sociolab.worlds.sotopia.checks.language import plain_language
from sociolab.worlds.sotopia.checks.outcome import Agreed, CannotTell, NoAgreement, Outcome
from sociolab.worlds.sotopia.checks.reading import read
from sociolab.worlds.sotopia.checks.shares import Goods, Share, Split
from sociolab.worlds.sotopia.checks.words import FILLERS, words
from sociolab.worlds.sotopia.scenarios import DivisionGoal
from sociolab.worlds.sotopia.scene import PHYSICAL, Casting

HIGHEST = 10

Division: TypeAlias = dict[str, dict[str, int]]
"""For each seat, how many of each good it gets."""

_ARTICLES = frozenset({"a", "an", "the"})
_TAKING = frozenset({"take", "keep", "have"})  # as a deed, it is done by who writes it
_SEVERAL = 3  # deeds with goods

_KEEPS_ARTICLES = FILLERS - _ARTICLES


def division_formula(goal: DivisionGoal, share: dict[str, int]) -> tuple[float, str]:
    """What a share is worth to a seat, 0 to 10, and the formula with its numbers."""
    total = sum(goal.values[good] * count for good, count in goal.counts.items())
    own = sum(goal.values[good] * count for good, count in share.items())
    if total <= 0:
        return 0.0, "nothing is worth anything to this seat: 0"
    value = HIGHEST * own / total
    return value, f"10 x own points / all points = 10 x {own:g} / {total:g} = {value:.4g}"


def agreed_division(casting: Casting, moves: Sequence[Moved]) -> Outcome[Division]:
    """The division of all goods that both seats agreed on."""
    facts = [goal.facts for goal in casting.scenario.goals]
    goals = [fact for fact in facts if fact is not None and fact.kind == "division"]
    seats = [character.id for character in casting.characters]
    if len(seats) != 2:
        return CannotTell("rules read a division between two seats only")
    if not goals[0].counts or any(goal.counts != goals[0].counts for goal in goals):
        return CannotTell("the seats' goals do not name the same goods")
    goods = _goods(tuple(goals[0].counts.items()))
    talk: Talk[Split] = Talk(seats, issues=goods.counts)
    topic: str | None = None
    deeds = 0
    for move in moves:
        text = " ".join(action.text for action in move.actions)
        if text and move.seat in talk.state.seats:
            said = words(text, _KEEPS_ARTICLES)
            deed = move.actions[0].kind == PHYSICAL
            if deed and said and said[0] in _TAKING:
                said = ["i", *said]
            reading = _reading(said, goods, seats.index(move.seat), topic)
            deeds += deed and any(isinstance(act, Take) for act in reading.acts)
            talk.hear(move, text, reading)
            topic = goods.named_last(said)
        talk.see_off(move)
    return _outcome(talk, goods, seats, deeds)


@lru_cache(maxsize=256)
def _goods(counts: tuple[tuple[str, int], ...]) -> Goods:
    return Goods(dict(counts))


def _reading(said: list[str], goods: Goods, speaker: int, topic: str | None) -> Reading[Split]:
    """Assent and refusal as in any talk, then the proposals."""
    reading: Reading[Split] = read(
        plain_language(), [word for word in said if word not in _ARTICLES], []
    )
    shares = goods.proposals(said, speaker, topic)
    if not shares or Sign.MOCK in reading.acts:
        return reading
    acts: tuple[Act[Split], ...] = (*reading.acts, *map(_take, shares))
    asks_else = reading.asks_else and not any(share.asked for share in shares)
    return reading._replace(acts=acts, asks_else=asks_else)


def _take(share: Share) -> Take[Split]:
    values = () if share.split is None else (share.split,)
    return Take(values, issue=share.good, asked=share.asked, partial=bool(share.doubt))


def _outcome(talk: Talk[Split], goods: Goods, seats: list[str], deeds: int) -> Outcome[Division]:
    outcome = talk.outcome()
    match outcome:
        case Agreed(value=splits, evidence=evidence):
            division = {
                seat: {good: splits[good][index] for good in goods.counts}
                for index, seat in enumerate(seats)
            }
            return Agreed(division, evidence)
        case NoAgreement() if deeds >= _SEVERAL:
            return CannotTell("goods were taken and handed over, piece by piece")
        case NoAgreement():
            return _in_part(talk, goods) or outcome
        case CannotTell():
            return outcome


def _in_part(talk: Talk[Split], goods: Goods) -> CannotTell | None:
    """Some goods are settled, and on the others the seats do not differ as far as can be seen."""
    settled = talk.state.settled()
    stands = [stands.keys() - settled for stands in talk.state.seats.values()]
    if settled and not set.intersection(*stands):
        missing = ", ".join(good for good in goods.counts if good not in settled)
        return CannotTell(f"there is agreement, but nothing clear on: {missing}")
    return None
