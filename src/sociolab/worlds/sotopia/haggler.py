"""A fixed partner to train against in bargains and divisions, which reads numerals and a few words.

`haggler:1` gives in to anything, `haggler:5` hardly at all. It is a pure function of what its seat
sees, and no player for results: nobody talks like this. What was agreed with it is on record
(`plain_offers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sociolab.core.episode import Act, Action, Json
from sociolab.core.errors import ConfigError, WorldError
from sociolab.core.ports import NoReply, Player, Question, Reply, Request
from sociolab.worlds.sotopia.closing_form import (
    ACCEPT_DEAL,
    SELECTION,
    SUBMIT,
    answered,
    selection_of,
    submitted,
)
from sociolab.worlds.sotopia.outcome import ACCEPT, OFFER, find_agreement, share_value
from sociolab.worlds.sotopia.plain_offers import (
    HAGGLER,
    UNCLEAR,
    Haggled,
    Turn,
    hear,
    on_table,
    other_side,
)
from sociolab.worlds.sotopia.scenarios import AT_TARGET, STEP, DivisionGoal, PriceGoal
from sociolab.worlds.sotopia.scene import LEAVE, SPEAK, SotopiaView
from sociolab.worlds.sotopia.scripted import (
    lines_since_refusal,
    load_lines,
    smallest_shares,
    word_terms,
)

_ME = ""
"""Stands for this seat among those who acted."""


@dataclass(frozen=True, slots=True)
class Degree:
    """The worth of the least that it takes (of prices also below 0), the number of offers by which
    it gets there, and how many lines that bring nothing it bears with."""

    least: float
    offers: int
    patience: int


DEGREES = (
    Degree(-2.0, 3, 5),
    Degree(0.5, 4, 4),
    Degree(2.0, 5, 3),
    Degree(3.5, 6, 2),
    Degree(5.0, 7, 1),
)


@dataclass(frozen=True, slots=True)
class Haggler:
    """Opens high, gives way offer by offer, and accepts what is worth its next offer. A change of
    what it does is a new `version`."""

    degree: Degree
    version: int = 3

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """Act; ConfigError in a scene without a price or goods to divide between two."""
        view = request.observation.view
        expected = request.expected
        if isinstance(expected, Question) and expected.name != SELECTION:
            return NoReply("gave up", "the outcome is on record", again=False)
        if not isinstance(view, SotopiaView):
            raise WorldError(f"the haggler plays SotopiaView, found a {type(view).__name__}")
        goal = view.goal.facts
        if not isinstance(goal, PriceGoal | DivisionGoal) or len(view.others) != 1:
            raise ConfigError(
                "the haggler plays bargains and divisions between two, found another scene; choose "
                'tasks, such as "bargain"'
            )
        turns = list(
            hear(
                goal,
                (
                    (_ME if line.you else line.who, line.actions)
                    for line in request.observation.history
                ),
            )
        )
        lines = request.observation.history
        refused = [a.fields for line in lines if line.you for a in line.actions if a.kind == SUBMIT]
        deal = find_agreement(turns[len(lines) - len(lines_since_refusal(lines)) :], 2)
        share = None
        if deal is not None:
            share = deal.terms if deal.by == _ME else other_side(goal, deal.terms)
        if isinstance(expected, Question):
            answer = selection_of(share, goal.counts if goal.kind == "division" else ())
            return Reply(expected.reply.model_validate(answer))
        if share in refused:
            deal = share = None
        if share is not None and expected.get(SUBMIT):
            return Reply((submitted(share),))
        if goal.kind == "division" and expected.get(ACCEPT_DEAL):
            return Reply((self._answer_deal(goal, turns),))
        return Reply((self._act(goal, turns, settled=deal is not None),))

    def _answer_deal(self, goal: DivisionGoal, turns: Sequence[Turn]) -> Action:
        """Accept the deal that was submitted if it is worth the next offer."""
        made = sum(who == _ME and act.kind == OFFER for who, acts in turns for act in acts)
        offers, (_, terms) = offers_of(goal, self.degree), on_table(turns)
        least = offers[min(made, len(offers) - 1)]
        if _is_worth(goal, other_side(goal, terms), least):
            return answered()
        return answered(load_lines()["ask"]["decline"][1])

    def _act(self, goal: Haggled, turns: Sequence[Turn], *, settled: bool) -> Action:
        say, offers = load_lines()["haggler"], offers_of(goal, self.degree)
        own = [act.kind for who, acts in turns if who == _ME for act in acts]
        made = own.count(OFFER)
        in_vain = own.count(UNCLEAR) + max(0, made - len(offers))
        left = any(act.kind == LEAVE for _, acts in turns for act in acts)
        if left or settled or in_vain > self.degree.patience:
            return Action(LEAVE, acts=(Act(LEAVE),))
        if turns and (turns[-1][0] == _ME or turns[-1][1][0].kind == UNCLEAR):
            return Action(SPEAK, say[f"unclear_{goal.kind}"], acts=(Act(UNCLEAR),))
        terms, (by, offered) = offers[min(made, len(offers) - 1)], on_table(turns)
        if offered is not None and by != _ME:
            mine = other_side(goal, offered)
            if _is_worth(goal, mine, terms):
                text = say[f"accept_{goal.kind}"].format(terms=word_terms(mine))
                return Action(SPEAK, text, acts=(Act(ACCEPT),))
        text = say[goal.kind].format(terms=word_terms(terms))
        return Action(SPEAK, text, acts=(Act(OFFER, terms),))


def hagglers() -> dict[str, Player]:
    """The players by name."""
    return {f"{HAGGLER}:{number}": Haggler(degree) for number, degree in enumerate(DEGREES, 1)}


def offers_of(goal: Haggled, degree: Degree) -> list[Any]:
    """Its offers, from the best for itself (10 points, 9.5 in a division) down to the least."""
    first = 10 if goal.kind == "price" else 9.5
    worths = [
        first - (first - degree.least) * n / (degree.offers - 1) for n in range(degree.offers)
    ]
    if goal.kind == "division":
        return smallest_shares(goal, worths)
    sign = 1 if goal.role == "seller" else -1
    prices = [goal.target * (1 + sign * STEP * (worth - AT_TARGET)) for worth in worths]
    if goal.role == "seller":
        prices[0] = max(goal.listed, prices[0])
    return [max(1.0, float(round(price))) for price in prices]


def _is_worth(goal: Haggled, offered: Any, own: Any) -> bool:
    """Whether these terms are at least as good as one's own."""
    if goal.kind == "price":
        return bool(offered >= own if goal.role == "seller" else offered <= own)
    return share_value(goal, offered)[0] >= share_value(goal, own)[0]
