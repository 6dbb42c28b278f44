"""What seats claim of goods that are divided, by rules that are the same for people and agents.

A claim is a number or "all" before the name of a good, of whoever is named before it in the
sentence: "I need two food" claims two for the speaker, "you can have 1 hat" leaves the rest. Where
an action carries terms (a submitted deal, a scripted player), these are the claim. The rules miss
much of what people mean, for either side alike, and decide no outcome.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sociolab.core.episode import Action, Episode, Json
from sociolab.core.ports import ClosingReport, Negotiation
from sociolab.core.score import Score, Verdict
from sociolab.worlds.sotopia.closing_form import deed_of
from sociolab.worlds.sotopia.evaluation import GOAL_CHECKED
from sociolab.worlds.sotopia.outcome import OFFER, Claim, claim_of, goals_of
from sociolab.worlds.sotopia.scenarios import DivisionGoal, casting_from
from sociolab.worlds.sotopia.scene import SPEAK

_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SENTENCE = re.compile(r"[.?!;\n]+")
_WHO = re.compile(
    r"\b(?:(?P<me>i|i['\u2019]?(?:m|ll|d|ve)|me)|you(?:['\u2019](?:ll|d|ve|re))?)\b", re.I
)


def negotiation(episode: Episode, verdicts: Sequence[Verdict]) -> Negotiation | None:
    """Whether the seats agreed, by the verdicts on their goals, whether one walked away, and how
    often they conceded; None without a goal that has a formula.

    Whoever leaves a scene that closes by selections only ends the talk.
    """
    casting = casting_from(episode.trial.task.content)
    goals = goals_of(casting)
    if not goals:
        return None
    scores = [v for v in verdicts if isinstance(v, Score) and v.measure == GOAL_CHECKED]
    outcome = scores[0].outcome if scores else None
    agreed = None if outcome is None else bool(outcome["agreed"])
    walked = None
    if agreed is not None and casting.scenario.closing != "selections":
        left = episode.ended is not None and episode.ended.reason == "left"
        walked = left and not agreed
    goal = next(iter(goals.values()))
    conceded = _concessions(goal, episode) if goal.kind == "division" else None
    return Negotiation(agreed, walked, conceded)


def closing_reports(episode: Episode) -> Mapping[str, ClosingReport]:
    """What each seat answered to the closing question; empty without a goal that has a formula."""
    casting = casting_from(episode.trial.task.content)
    claims = {seat: claim_of(casting, episode, seat) for seat in goals_of(casting)}
    return {seat: _report(claim) if claim else ClosingReport() for seat, claim in claims.items()}


def _report(claim: Claim) -> ClosingReport:
    said: Json = claim.words
    if isinstance(claim.terms, Mapping):
        said = {**claim.terms}
    elif claim.terms is not None:
        said = claim.terms
    return ClosingReport(claim.status, said, claim.offer, claim.acceptance)


def _concessions(goal: DivisionGoal, episode: Episode) -> int:
    """The turns in which a seat claims fewer of a good than it last did."""
    count, last = 0, dict[tuple[str, str], int]()
    for move in episode.moves:
        claimed = {
            (move.seat, good): n
            for action in move.actions
            for good, n in read_claims(goal.counts, action).items()
        }
        count += any(n < last.get(key, n) for key, n in claimed.items())
        last |= claimed
    return count


def read_claims(counts: Mapping[str, int], action: Action) -> dict[str, int]:
    """How many of each good its speaker claims in an action; empty without a claim.

    >>> from sociolab.agents import Action
    >>> from sociolab.worlds import sotopia
    >>> said = Action("speak", "I want 2 hats. You can have all balls!")
    >>> sotopia.read_claims({"hats": 3, "balls": 1}, said)
    {'hats': 2, 'balls': 0}
    """
    offers = [act.what for act in (deed_of(action), *action.acts) if act and act.kind == OFFER]
    if offers and isinstance(offers[-1], Mapping):
        return {good: int(str(offers[-1].get(good, 0))) for good in counts}
    found: dict[str, int] = {}
    for sentence in _SENTENCE.split(action.text) if action.kind == SPEAK else ():
        for good, most in counts.items():
            for match in _amounts(good).finditer(sentence):
                before = [who for who in _WHO.finditer(sentence) if who.end() <= match.start()]
                amount = _number(match[1].lower(), most)
                if before and amount <= most:
                    found[good] = amount if before[-1]["me"] else most - amount
    return found


def _amounts(good: str) -> re.Pattern[str]:
    name = re.escape(good.removesuffix("s"))
    between = r"(?:(?:of|more|the|extra|packages?|packs?)\s+)*"
    return re.compile(rf"\b(\d+|all|{'|'.join(_NUMBERS)})\s+{between}{name}s?\b", re.I)


def _number(word: str, most: int) -> int:
    if word == "all":
        return most
    return 1 + _NUMBERS.index(word) if word in _NUMBERS else int(word)
