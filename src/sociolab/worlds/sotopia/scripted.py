"""The scripted player of SOTOPIA: the smoke test of an installation, never a result.

It plays any seat offline, from what that seat may observe. What it means stands in the acts of its
actions, and it understands others by their acts alone: it reads no words. Among scripted players
all that is agreed is so on record. Beside a model, a person or somebody's code it keeps the scene
going, makes its offers, and agrees to nothing, since it cannot know what was said.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import product
from operator import mul
from random import Random
from typing import Any

from sociolab.core.episode import Act, Action, Json
from sociolab.core.errors import WorldError
from sociolab.core.ports import Line, NoReply, Question, Reply, Request
from sociolab.core.seeding import stream
from sociolab.worlds.sotopia.outcome import (
    ACCEPT,
    CLOSING,
    DECLINE,
    HIGHEST,
    OFFER,
    definite_name,
    find_agreement,
    price_value,
    share_value,
)
from sociolab.worlds.sotopia.scenarios import (
    AskGoal,
    Character,
    DivisionGoal,
    Facts,
    FriendGoal,
    OptionGoal,
    PriceGoal,
    RelationshipType,
)
from sociolab.worlds.sotopia.scene import LEAVE, PACKAGE, SPEAK, SotopiaView

ASK, CHAT, GO = "ask", "chat", "go"
"""Further acts: an argument, small talk, a goodbye. None of them settles anything."""

_MIDDLE = "middle"
"""The offer of a compromise where a goal has no formula."""


class ScriptedPlayer:
    """Plays by rules from the goal's facts; how firmly depends on the character.

    A pure function of the observation, the seed, the trial, the seat and the turn: it keeps no
    memory, and knows neither the partner's goal nor anybody's secret.
    """

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """Act on the observation; WorldError where it is not SOTOPIA's."""
        view = request.observation.view
        if not isinstance(view, SotopiaView):
            raise WorldError(
                "the scripted player of sotopia plays SotopiaView observations; "
                f"found a {type(view).__name__}"
            )
        if isinstance(request.expected, Question):
            return _answer(request.expected, request.observation.history, view)
        return Reply((_Turn(request, view).action(),))


def _answer(question: Question, lines: Sequence[Line], view: SotopiaView) -> Reply | NoReply:
    """What was agreed, as the acts tell; no answer where somebody wrote none."""
    if question.name != CLOSING or not all(a.acts for line in lines for a in line.actions):
        return NoReply("gave up", "a scripted player reads no words", again=False)
    facts = view.goal.facts
    friend = facts is not None and facts.kind == "friend"
    blank: dict[str, Json] = dict.fromkeys(question.reply.model_fields)
    blank |= {"outcome": "not found", "offer": "", "acceptance": ""}
    if not friend:
        blank |= {"outcome": "nothing", "in_words": ""}
    deal = find_agreement(_acts_of(lines), len(view.others) + 1)
    if deal is None or facts is None:
        return Reply(question.reply.model_validate(blank))
    if facts.kind == "division":
        share: dict[str, int] = deal.terms
        own = share if deal.by == _ME else {g: n - share.get(g, 0) for g, n in facts.counts.items()}
        terms: dict[str, Json] = dict(own)
    else:
        terms = {facts.kind: deal.terms}
    offer, acceptance = (lines[n].actions[0].text for n in (deal.offered, deal.accepted))
    words = {"outcome": "found" if friend else "agreed", "offer": offer, "acceptance": acceptance}
    return Reply(question.reply.model_validate(blank | terms | words))


_ME = ""
"""Whose acts are one's own, where the others go by how one calls them."""


def _acts_of(lines: Sequence[Line]) -> Iterator[tuple[str, Sequence[Act]]]:
    for line in lines:
        yield _ME if line.you else line.who, [act for a in line.actions for act in a.acts]


# ------------------------------------------------------------------ a turn


class _Turn:
    """One turn of one seat: what has happened so far, and how to put what comes next."""

    def __init__(self, request: Request, view: SotopiaView) -> None:
        obs = request.observation
        self._view, self._lines = view, obs.history
        self._chance = stream(request.seed, request.trial, request.seat, request.turn)
        self._mine = [line for line in obs.history if line.you]
        self._theirs = [line for line in obs.history if not line.you]
        self._seats = len(obs.others) + 1
        self._left = max(1, (obs.limit - obs.turn + self._seats - 1) // self._seats)

    def action(self) -> Action:
        """What this seat does now."""
        facts = self._view.goal.facts
        if facts is None:
            return self._chats()
        if facts.kind == "ask":
            return self._argues(facts)
        return self._bargains(facts)

    def _bargains(self, goal: PriceGoal | DivisionGoal | OptionGoal | FriendGoal) -> Action:
        """Down a ladder of offers, each as good as or worse than the last, until one is taken."""
        ladder = _ladder(goal, _firmness(self._view.me))
        step = sum(1 for act in self._own_acts() if act.kind == OFFER)
        if self._understands():
            settled = find_agreement(_acts_of(self._lines), self._seats)
            if settled is not None:
                return self._ends("settled")
            offer = self._standing_offer()
            if offer is not None and _worth(goal, offer) >= _worth_of_next(goal, ladder, step):
                own = _own_terms(goal, offer)
                return self._says(goal.kind, "accept", _word_terms(own), Act(ACCEPT))
            if step >= len(ladder) or self._any_act(GO):
                return self._ends("parted")
        elif step >= len(ladder):
            return self._waits(_word_terms(ladder[-1]), goal.kind)
        how = "open" if step == 0 else "last" if step == len(ladder) - 1 else "counter"
        terms = ladder[step]
        item = goal.item if goal.kind == "price" else ""
        decline = [Act(DECLINE)] if step else []
        return self._says(
            goal.kind, how, _word_terms(terms), *decline, Act(OFFER, terms), item=item
        )

    def _argues(self, goal: AskGoal) -> Action:
        """The request, its reasons, a compromise; an agreeable partner takes the compromise."""
        if self._understands():
            if find_agreement(_acts_of(self._lines), self._seats) is not None:
                return self._ends("settled")
            if self._any_act(GO):
                return self._ends("parted")
            if self._standing_offer() is not None:
                if _firmness(self._view.me) < 0.6:
                    return self._says("ask", "accept", "", Act(ACCEPT))
                if self._left <= 3:
                    return self._says("ask", "decline", "", Act(DECLINE))
        own = len(self._mine)
        cards = (goal.ask, *goal.reasons, goal.middle)
        if own < len(cards):
            act = Act(OFFER, _MIDDLE) if own == len(cards) - 1 else Act(ASK, own)
            return self._speaks(f"{self._greeting()}{cards[own]}", act)
        return self._ends("parted") if self._understands() else self._waits("", "")

    def _chats(self) -> Action:
        if self._understands() and (len(self._mine) >= 4 or self._any_act(GO)):
            return self._ends("goodbye")
        return self._says("chat", "open" if not self._mine else "more", "", Act(CHAT))

    # -------------------------------------------------------------- what others meant

    def _understands(self) -> bool:
        """Whether all that the others did carries acts; nothing done yet is understood, too."""
        return all(action.acts for line in self._theirs for action in line.actions)

    def _own_acts(self) -> Iterator[Act]:
        return (act for line in self._mine for action in line.actions for act in action.acts)

    def _any_act(self, kind: str) -> bool:
        return any(act.kind == kind for _, acts in _acts_of(self._lines) for act in acts)

    def _standing_offer(self) -> Any:
        """The terms that somebody else offered last, unless they were declined since."""
        terms = None
        for who, acts in _acts_of(self._lines):
            for act in acts:
                if act.kind == OFFER:
                    terms = act.what if who != _ME else None
                elif act.kind == DECLINE and who != _ME:
                    terms = None
        return terms

    # -------------------------------------------------------------- how it is put

    def _ends(self, how: str) -> Action:
        """A last word, and then off."""
        if any(act.kind == GO for act in self._own_acts()):
            return Action(LEAVE, acts=(Act(GO),))
        return self._speaks(self._line(how), Act(GO))

    def _waits(self, terms: str, kind: str) -> Action:
        """Beside somebody who is not understood: politely, and without agreeing to anything."""
        if kind and self._chance.random() < 0.5:
            return self._speaks(f"{self._line('again')} {terms}.", Act(CHAT))
        return self._speaks(self._line("listens"), Act(CHAT))

    def _says(self, table: str, key: str, terms: str, *acts: Act, item: str = "") -> Action:
        line = self._line(key, table).format(terms=terms, item=definite_name(item))
        return self._speaks(f"{self._greeting()}{line[0].upper()}{line[1:]}", *acts)

    def _speaks(self, text: str, *acts: Act) -> Action:
        return Action(SPEAK, text, acts=acts)

    def _greeting(self) -> str:
        if self._mine:
            return ""
        label, partner = next(iter(self._view.others.items()))
        stranger = partner.name is None or partner.relationship is RelationshipType.STRANGER
        return self._line("greet_stranger" if stranger else "greet_known").format(name=label) + " "

    def _line(self, key: str, table: str = "") -> str:
        """One of the lines of a table; not the one said last, if there is another."""
        lines = _lines()[table][key] if table else _lines()[key]
        previous = self._mine[-1].actions[0].text if self._mine else ""
        return _drawn([line for line in lines if line not in previous] or lines, self._chance)


# ------------------------------------------------------------------ offers


def _ladder(goal: PriceGoal | DivisionGoal | OptionGoal | FriendGoal, firmness: float) -> list[Any]:
    """The offers that this seat makes one after the other, the best for itself first."""
    match goal.kind:
        case "price":
            return _prices(goal, firmness)
        case "division":
            return _shares(goal, firmness)
        case "option":
            ranked = sorted(goal.options, key=lambda name: -goal.options[name])
            return [name for name in ranked if goal.options[name] >= 2 + 3 * firmness] or ranked[:1]
        case _:
            return [friend.name for friend in goal.friends]


def _prices(goal: PriceGoal, firmness: float) -> list[float]:
    """Six prices from an opening to 5 to 25 % beyond the target, on a round grid."""
    slack = 0.05 + 0.2 * (1 - firmness)
    if goal.role == "seller":
        first, last = max(goal.listed, goal.target), goal.target * (1 - slack)
    else:
        first = min(goal.target * (0.95 - 0.2 * firmness), goal.listed * 0.95)
        last = min(goal.target * (1 + slack), max(goal.listed, goal.target))
    grid = 10.0 ** max(0, math.floor(math.log10(max(goal.listed, 1))) - 1)
    steps = [first + (last - first) * (n / 5) ** (0.7 + firmness) for n in range(6)]
    return [max(1.0, round(price / grid) * grid) for price in steps]


def _shares(goal: DivisionGoal, firmness: float) -> list[dict[str, int]]:
    """Six shares, from 9 points of 10 to 5 or 6; of those worth enough that of fewest pieces."""
    worths = [goal.values[good] for good in goal.counts]
    total = sum(map(mul, worths, goal.counts.values()))
    pieces = product(*(range(count + 1) for count in goal.counts.values()))
    valued = sorted((sum(n), HIGHEST * sum(map(mul, worths, n)) / total, n) for n in pieces)
    levels = (9 - n / 5 * (4 - firmness) for n in range(6))
    shares = (next(share for _, value, share in valued if value >= least) for least in levels)
    return [dict(zip(goal.counts, share, strict=True)) for share in shares]


def _own_terms(goal: Facts, offered: Any) -> Any:
    """What an offer of somebody else means for this seat."""
    if goal.kind == "division":
        return {good: count - offered.get(good, 0) for good, count in goal.counts.items()}
    return offered


def _worth(goal: Facts, offered: Any) -> float:
    """What an offer of somebody else is worth to this seat, 0 to 10."""
    match goal.kind:
        case "price":
            return price_value(goal, offered)[0]
        case "division":
            return share_value(goal, _own_terms(goal, offered))[0]
        case "option":
            return goal.options.get(offered, 0.0)
        case "friend":
            return 10.0 if offered in {friend.name for friend in goal.friends} else -1.0
        case _:
            return 0.0


def _worth_of_next(goal: Facts, ladder: Sequence[Any], step: int) -> float:
    """What an offer must be worth to be taken: as much as the next own one, or as the last."""
    if goal.kind == "friend":
        return 10.0
    own = ladder[min(step, len(ladder) - 1)]
    return share_value(goal, own)[0] if goal.kind == "division" else _worth(goal, own)


def _word_terms(terms: Any) -> str:
    """Terms as they are said: "$1,250", "2 hats and 1 of the books", "at noon"."""
    if isinstance(terms, float):
        return f"${terms:,.2f}".removesuffix(".00")
    if isinstance(terms, dict):
        # Goods are named in the plural.
        parts = [
            f"{n} of the {good}" if n == 1 else f"{n} {good}" for good, n in terms.items() if n
        ]
        return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1]))) if parts else "none"
    return str(terms)


# ------------------------------------------------------------------ character


def _firmness(character: Character) -> float:
    """From 0.2 (gives in) to 0.8 (hardly moves), by agreeableness."""
    level = character.big_five.agreeableness if character.big_five else "average"
    return {"high": 0.2, "average": 0.5, "low": 0.8}[level]


def _drawn(lines: Sequence[str], chance: Random) -> str:
    return lines[int(chance.random() * len(lines))]


@cache
def _lines() -> dict[str, Any]:
    text = files(PACKAGE).joinpath("data", "scripted_lines.toml").read_text("utf-8")
    return tomllib.loads(text)
