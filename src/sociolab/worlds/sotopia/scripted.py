"""The scripted player of SOTOPIA, for smoke tests of an installation, never for results.

It plays any seat offline, from what that seat may observe. The acts of its actions say what it
means, and it understands others by their acts alone, not by their words. Among scripted players
every agreement is therefore on record. With a model, a person or a user's code it keeps the scene
going, makes its offers, and agrees to nothing, since it cannot know what was said; but it answers a
deal in a form, and submits some before the turns run out, each worth less to it than the last.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import product
from operator import mul
from typing import Any

from sociolab.core.episode import Act, Action, ActionSpace, Json
from sociolab.core.errors import WorldError
from sociolab.core.ports import Line, NoReply, Question, Reply, Request
from sociolab.core.seeding import stream
from sociolab.worlds.sotopia.closing_form import (
    ACCEPT_DEAL,
    SELECTION,
    SUBMIT,
    answered,
    rest_of,
    selection_of,
    submitted,
)
from sociolab.worlds.sotopia.outcome import (
    ACCEPT,
    CLOSING,
    DECLINE,
    HIGHEST,
    OFFER,
    AgreedTerms,
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
"""Further acts: an argument, small talk, a goodbye. None of them makes an agreement."""

_SUBMITTED = 4
"""The deals that it submits to whoever it does not understand, in its last turns."""

_MIDDLE = "middle"
"""The terms of a compromise where a goal has no formula."""


class ScriptedPlayer:
    """A rule-based player; its firmness depends on the character's agreeableness.

    A pure function of the observation, seed, trial, seat and turn: it keeps no memory, and uses
    neither the partner's goal nor any secret.
    """

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """Act or answer; WorldError if the observation is not SOTOPIA's."""
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
    """What was agreed by the acts; no answer where somebody's actions carry none."""
    facts, told = view.goal.facts, all(a.acts for line in lines for a in line.actions)
    if told and question.name == SELECTION and facts is not None and facts.kind == "division":
        deal = find_agreement(_acts_in(lines), len(view.others) + 1)
        share = None if deal is None else _own_share(facts, deal)
        return Reply(question.reply.model_validate(selection_of(share, facts.counts)))
    if question.name != CLOSING or not told:
        return NoReply("gave up", "a scripted player reads no words", again=False)
    seeks_friend = facts is not None and facts.kind == "friend"
    answer: dict[str, Json] = dict.fromkeys(question.reply.model_fields)
    answer |= {"outcome": "not found", "offer": "", "acceptance": ""}
    if not seeks_friend:
        answer |= {"outcome": "nothing", "in_words": ""}
    deal = find_agreement(_acts_in(lines), len(view.others) + 1)
    if deal is None or facts is None:
        return Reply(question.reply.model_validate(answer))
    if facts.kind == "division":
        answer |= _own_share(facts, deal)
    else:
        answer[facts.kind] = deal.terms
    offer, acceptance = (lines[n].actions[0].text for n in (deal.offered, deal.accepted))
    answer["outcome"] = "found" if seeks_friend else "agreed"
    answer |= {"offer": offer, "acceptance": acceptance}
    return Reply(question.reply.model_validate(answer))


def _own_share(goal: DivisionGoal, deal: AgreedTerms) -> dict[str, int]:
    """What this seat gets by a deal."""
    return dict(deal.terms) if deal.by == _ME else rest_of(goal.counts, deal.terms)


_ME = ""
"""Stands for this seat among the names of those who acted."""


def _acts_in(lines: Sequence[Line]) -> Iterator[tuple[str, Sequence[Act]]]:
    for line in lines:
        yield _ME if line.you else line.who, [act for a in line.actions for act in a.acts]


# ------------------------------------------------------------------ a turn


class _Turn:
    """One turn of one seat: the history, and the choice and wording of the next action."""

    def __init__(self, request: Request, view: SotopiaView) -> None:
        obs = request.observation
        self._view, self._lines, self._space = view, obs.history, request.expected
        self._chance = stream(request.seed, request.trial, request.seat, request.turn)
        self._own_lines = [line for line in obs.history if line.you]
        self._other_lines = [line for line in obs.history if not line.you]
        self._seats = len(obs.others) + 1
        self._by_form = view.closing != "question"
        self._turns_left = max(1, (obs.limit - obs.turn + self._seats - 1) // self._seats)

    def action(self) -> Action:
        facts = self._view.goal.facts
        if facts is None:
            return self._chat()
        if facts.kind == "ask":
            return self._argue(facts)
        return self._bargain(facts)

    def _bargain(self, goal: PriceGoal | DivisionGoal | OptionGoal | FriendGoal) -> Action:
        """Make offers, each as good as or worse than the last, until one is accepted."""
        ladder = _offer_ladder(goal, _firmness(self._view.me), by_form=self._by_form)
        step = sum(1 for act in self._own_acts() if act.kind == OFFER)
        refused = self._refused_deals()
        deal = find_agreement(_acts_in(lines_since_refusal(self._lines)), self._seats)
        if goal.kind == "division" and self._can(ACCEPT_DEAL):
            return self._answer_deal(goal, _worth_of_next(goal, ladder, step))
        if self._understands_others():
            if goal.kind == "division" and deal is not None and self._can(SUBMIT):
                if (share := _own_share(goal, deal)) not in refused:
                    return submitted(share)
            elif deal is not None:
                return self._say_goodbye("settled")
            offer = self._standing_offer()
            if offer is not None and _worth(goal, offer) >= _worth_of_next(goal, ladder, step):
                own = _own_terms(goal, offer)
                return self._say_line(goal.kind, "accept", word_terms(own), Act(ACCEPT))
            if step >= len(ladder) or self._any_act(GO):
                return self._say_goodbye("parted")
        elif goal.kind == "division" and self._can(SUBMIT) and self._turns_left <= _SUBMITTED:
            left = [share for share in ladder[-_SUBMITTED:] if share not in refused]
            if left:
                return submitted(left[0])
            return self._stall(word_terms(ladder[-1]), goal.kind)
        elif step >= len(ladder):
            return self._stall(word_terms(ladder[-1]), goal.kind)
        how = "open" if step == 0 else "last" if step == len(ladder) - 1 else "counter"
        terms = ladder[step]
        item = goal.item if goal.kind == "price" else ""
        decline = [Act(DECLINE)] if step else []
        return self._say_line(
            goal.kind, how, word_terms(terms), *decline, Act(OFFER, terms), item=item
        )

    def _refused_deals(self) -> list[Any]:
        """The shares that this seat submitted: none was accepted, or the scene were over."""
        own = (action for line in self._own_lines for action in line.actions)
        return [action.fields for action in own if action.kind == SUBMIT]

    def _can(self, kind: str) -> bool:
        return isinstance(self._space, ActionSpace) and self._space.get(kind) is not None

    def _answer_deal(self, goal: DivisionGoal, least: float) -> Action:
        """Answer a deal in a form, which can be read whoever submitted it."""
        shares = [a.fields for line in self._other_lines for a in line.actions if a.kind == SUBMIT]
        value, _ = share_value(goal, rest_of(goal.counts, shares[-1]))
        return answered("" if value >= least else self._draw_line("decline", "ask"))

    def _argue(self, goal: AskGoal) -> Action:
        """Make the request, give reasons, offer a compromise; accept one unless firm."""
        if self._understands_others():
            if find_agreement(_acts_in(self._lines), self._seats) is not None:
                return self._say_goodbye("settled")
            if self._any_act(GO):
                return self._say_goodbye("parted")
            if self._standing_offer() is not None:
                if _firmness(self._view.me) < 0.6:
                    return self._say_line("ask", "accept", "", Act(ACCEPT))
                if self._turns_left <= 3:
                    return self._say_line("ask", "decline", "", Act(DECLINE))
        turn = len(self._own_lines)
        cards = (goal.ask, *goal.reasons, goal.middle)
        if turn < len(cards):
            act = Act(OFFER, _MIDDLE) if turn == len(cards) - 1 else Act(ASK, turn)
            return self._speak(f"{self._greeting()}{cards[turn]}", act)
        return self._say_goodbye("parted") if self._understands_others() else self._stall("", "")

    def _chat(self) -> Action:
        if self._understands_others() and (len(self._own_lines) >= 4 or self._any_act(GO)):
            return self._say_goodbye("goodbye")
        return self._say_line("chat", "open" if not self._own_lines else "more", "", Act(CHAT))

    # -------------------------------------------------------------- what others meant

    def _understands_others(self) -> bool:
        """Whether all actions of the others carry acts; True before there are any."""
        return all(action.acts for line in self._other_lines for action in line.actions)

    def _own_acts(self) -> Iterator[Act]:
        return (act for line in self._own_lines for action in line.actions for act in action.acts)

    def _any_act(self, kind: str) -> bool:
        return any(act.kind == kind for _, acts in _acts_in(self._lines) for act in acts)

    def _standing_offer(self) -> Any:
        """The terms of another seat's last offer, unless it was declined or this seat offered."""
        terms = None
        for who, acts in _acts_in(self._lines):
            for act in acts:
                if act.kind == OFFER:
                    terms = act.what if who != _ME else None
                elif act.kind == DECLINE and who != _ME:
                    terms = None
        return terms

    # -------------------------------------------------------------- wording

    def _say_goodbye(self, how: str) -> Action:
        """Say a last word; in the turn after that, leave."""
        if any(act.kind == GO for act in self._own_acts()):
            return Action(LEAVE, acts=(Act(GO),))
        return self._speak(self._draw_line(how), Act(GO))

    def _stall(self, terms: str, kind: str) -> Action:
        """Repeat the last offer or listen, without agreeing to anything."""
        if kind and self._chance.random() < 0.5:
            return self._speak(f"{self._draw_line('again')} {terms}.", Act(CHAT))
        return self._speak(self._draw_line("listens"), Act(CHAT))

    def _say_line(self, table: str, key: str, terms: str, *acts: Act, item: str = "") -> Action:
        line = self._draw_line(key, table).format(terms=terms, item=definite_name(item))
        return self._speak(f"{self._greeting()}{line[0].upper()}{line[1:]}", *acts)

    def _speak(self, text: str, *acts: Act) -> Action:
        return Action(SPEAK, text, acts=acts)

    def _greeting(self) -> str:
        if self._own_lines:
            return ""
        label, partner = next(iter(self._view.others.items()))
        is_stranger = partner.name is None or partner.relationship is RelationshipType.STRANGER
        key = "greet_stranger" if is_stranger else "greet_known"
        return self._draw_line(key).format(name=label) + " "

    def _draw_line(self, key: str, table: str = "") -> str:
        """A random line of a table; not the last one again, if there is another."""
        lines = load_lines()[table][key] if table else load_lines()[key]
        previous = self._own_lines[-1].actions[0].text if self._own_lines else ""
        candidates = [line for line in lines if line not in previous] or lines
        return str(candidates[int(self._chance.random() * len(candidates))])


# ------------------------------------------------------------------ offers


def _offer_ladder(
    goal: PriceGoal | DivisionGoal | OptionGoal | FriendGoal, firmness: float, *, by_form: bool
) -> list[Any]:
    """The offers that this seat makes one after the other, the best for itself first."""
    match goal.kind:
        case "price":
            return _price_ladder(goal, firmness)
        case "division":
            return _share_ladder(goal, firmness, _LEAST_BY_FORM if by_form else _LEAST)
        case "option":
            ranked = sorted(goal.options, key=lambda name: -goal.options[name])
            return [name for name in ranked if goal.options[name] >= 2 + 3 * firmness] or ranked[:1]
        case _:
            return [friend.name for friend in goal.friends]


def _price_ladder(goal: PriceGoal, firmness: float) -> list[float]:
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


_LEAST, _LEAST_BY_FORM = 5.0, 3.0
"""The points of 10 at which a seat that gives in stops, in a division: fewer where a form decides,
so that its smoke test closes deals even if both want the same goods."""


def _share_ladder(goal: DivisionGoal, firmness: float, least: float) -> list[dict[str, int]]:
    """Six shares, worth from 9 points of 10 down to `least` or up to a point more."""
    return smallest_shares(goal, [9 - n / 5 * (9 - least - firmness) for n in range(6)])


def lines_since_refusal(lines: Sequence[Line]) -> Sequence[Line]:
    """The lines after the last deal in a form, which was refused if the scene goes on: what was
    agreed in talk before it is void."""
    deals = [n for n, line in enumerate(lines) if any(a.kind == SUBMIT for a in line.actions)]
    return lines[deals[-1] + 1 :] if deals else lines


def smallest_shares(goal: DivisionGoal, levels: Sequence[float]) -> list[dict[str, int]]:
    """For each level, the share that is worth as much, 0 to 10, and the least more."""
    worths = [goal.values[good] for good in goal.counts]
    total = sum(map(mul, worths, goal.counts.values()))
    pieces = product(*(range(count + 1) for count in goal.counts.values()))
    valued = sorted((sum(n), HIGHEST * sum(map(mul, worths, n)) / total, n) for n in pieces)
    shares = (next(share for _, value, share in valued if value >= least) for least in levels)
    return [dict(zip(goal.counts, share, strict=True)) for share in shares]


def _own_terms(goal: Facts, offered: Any) -> Any:
    """The terms of another seat's offer from this seat's side."""
    if goal.kind == "division":
        return {good: count - offered.get(good, 0) for good, count in goal.counts.items()}
    return offered


def _worth(goal: Facts, offered: Any) -> float:
    """What another seat's offer is worth to this one, 0 to 10; -1 for a wrong friend."""
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
    """The worth from which an offer is accepted: that of the next own offer, or of the last."""
    if goal.kind == "friend":
        return 10.0
    own = ladder[min(step, len(ladder) - 1)]
    return share_value(goal, own)[0] if goal.kind == "division" else _worth(goal, own)


def word_terms(terms: Any) -> str:
    """Terms in words: "$1,250", "2 hats and 1 of the books", "at noon"."""
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
    """Firmness by agreeableness: .2 (gives in) to .8 (hardly moves)."""
    level = character.big_five.agreeableness if character.big_five else "average"
    return {"high": 0.2, "average": 0.5, "low": 0.8}[level]


@cache
def load_lines() -> dict[str, Any]:
    text = files(PACKAGE).joinpath("data", "scripted_lines.toml").read_text("utf-8")
    return tomllib.loads(text)
