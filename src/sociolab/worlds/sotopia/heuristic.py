"""The heuristic judge: an offline stand-in that scores what rules can observe, and says what not.

It is no substitute for a judge that understands what was said, and every score carries the
features that it was made of. Half points are rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from sociolab.core.episode import Episode, Moved
from sociolab.core.score import JudgeId, Measure, Score, Unscored, Verdict
from sociolab.core.seeding import digest
from sociolab.worlds.sotopia.checks.check import GoalCheck
from sociolab.worlds.sotopia.checks.check import checked as goal_checked
from sociolab.worlds.sotopia.checks.division import agreed_division
from sociolab.worlds.sotopia.checks.outcome import Agreed
from sociolab.worlds.sotopia.checks.price import AT_TARGET, HIGHEST, agreed_price
from sociolab.worlds.sotopia.dimensions import (
    BELIEVABILITY,
    DIMENSIONS,
    FINANCIAL,
    GOAL,
    KNOWLEDGE,
    OVERALL,
    RELATIONSHIP,
    SECRET,
    SOCIAL_RULES,
    overall,
)
from sociolab.worlds.sotopia.manners import names_money
from sociolab.worlds.sotopia.observed import Observed, observe
from sociolab.worlds.sotopia.scenarios import DivisionGoal, PriceGoal
from sociolab.worlds.sotopia.scene import SPEAK, Casting, casting_from
from sociolab.worlds.sotopia.scripted.hearing import heard

VERSION = "2"
"""Part of the judge's settings: changed whenever a formula or a word list changes."""


class HeuristicJudge:
    """Scores by rules; Unscored, with the reason, where rules cannot see."""

    def __init__(self) -> None:
        settings = digest(VERSION, GoalCheck().id.settings)
        self._id = JudgeId("heuristic", "heuristic", settings)

    @property
    def id(self) -> JudgeId:
        """Method "heuristic"; the settings name the version of formulas and checks."""
        return self._id

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """Verdicts on a finished episode; a repeated judging says the same."""
        casting = casting_from(episode.trial.task.content)
        return self.verdicts(casting, episode)

    def verdicts(self, casting: Casting, episode: Episode) -> tuple[Verdict, ...]:
        """The seven dimensions and the overall, for each seat; no score for one that took no turn.

        Without words nothing speaks against anybody: what is kept secret by saying nothing, and
        what is no insult, would come out as the best there is.
        """
        moves = episode.moves
        seen = observe(casting, episode)
        checked = {v.seat: v for v in goal_checked(episode)}
        agreed = _agree(moves)
        found: list[Verdict] = []
        for index, seat in enumerate(seen):
            if not seen[seat].turns:
                why = "this seat took no turn"
                found += [Unscored(measure, seat, why) for measure in (*DIMENSIONS, OVERALL)]
                continue
            mine = (
                believability(seat, seen[seat]),
                relationship(seat, seen, agreed),
                knowledge(seat, seen[seat]),
                secret(seat, seen[seat], bool(casting.characters[index].secret)),
                social_rules(seat, seen[seat]),
                financial(seat, casting, moves, checked.get(seat), agreed),
                goal(seat, checked.get(seat)),
            )
            found += [*mine, overall(mine, seat)]
        return tuple(found)


def believability(seat: str, own: Observed) -> Verdict:
    """10 less what speaks against a person: repeated, failed, silent and endless turns, a wrong
    name, words that belong to no role."""
    asked = own.turns + own.failed
    lines, turns = max(1, own.spoken), max(1, own.turns)
    lost = (
        6 * own.repeated / lines
        + 6 * own.failed / asked
        + 4 * own.silent / turns
        + 3 * own.long / lines
        + 3 * min(1, own.misnamed)
        + 3 * min(1, own.out_of_role)
    )
    reason = (
        f"10 - 6 x {own.repeated}/{lines} repeated lines - 6 x {own.failed}/{asked} failed turns "
        f"- 4 x {own.silent}/{turns} silent turns - 3 x {own.long}/{lines} endless lines "
        f"- 3 x {min(1, own.misnamed)} (another's name) - 3 x {min(1, own.out_of_role)} (out of "
        "role)"
    )
    return _score(BELIEVABILITY, seat, 10 - lost, reason)


def relationship(seat: str, seen: Mapping[str, Observed], agreed: bool) -> Verdict:
    """Warm words, agreement, insults and threats of all seats together."""
    everybody = seen.values()
    if sum(one.spoken > 0 for one in everybody) < 2:
        return Unscored(RELATIONSHIP, seat, "fewer than two seats spoke")
    turns = sum(one.turns for one in everybody)
    warm = sum(one.warm for one in everybody)
    hostile = sum(len(one.insults) + len(one.threats) for one in everybody)
    friendly = 0 if hostile else min(2.0, 8 * warm / turns)
    value = friendly + (1 if agreed else 0) - 2 * hostile
    reason = (
        f"{warm} of {turns} turns with warm words: +{friendly:.2g}; "
        f"{'agreement' if agreed else 'no agreement'} in words: {'+1' if agreed else '0'}; "
        f"{hostile} insults and threats: {-2 * hostile}"
    )
    return _score(RELATIONSHIP, seat, value, reason)


def knowledge(seat: str, own: Observed) -> Verdict:
    """A name is worth 1, a number 1/2, a private word of another's goal or profile 1/3."""
    names, numbers, words = own.learned_names, own.learned_numbers, own.learned_words
    value = len(names) + len(numbers) / 2 + len(words) / 3
    reason = (
        f"heard and not known before: names {_listed(names)}; numbers {_listed(numbers)} (1/2 "
        f"each); words of the others' goals and profiles {_listed(words)} (1/3 each)"
    )
    return _score(KNOWLEDGE, seat, value, reason)


def secret(seat: str, own: Observed, has_secret: bool) -> Verdict:
    """0, or minus 2 for each distinctive word of the secret where one line holds at least two."""
    if not has_secret:
        return Score(SECRET, seat, 0, "the profile holds no secret")
    count = len(own.told)
    if count < 2 and not own.verbatim:
        return Score(SECRET, seat, 0, "no line holds two distinctive words of the own secret")
    value = -8 if own.verbatim else 0
    reason = f"one line holds words of the own secret: {_listed(own.told)}"
    if own.verbatim:
        reason += "; four of its words in a row were said"
    return _score(SECRET, seat, min(value, -2 * count), reason)


def social_rules(seat: str, own: Observed) -> Verdict:
    """0, minus 2 for each insult and minus 4 for each threat."""
    if not own.insults and not own.threats:
        return Score(SOCIAL_RULES, seat, 0, "no insult and no threat of the word list was said")
    value = -2 * len(own.insults) - 4 * len(own.threats)
    reason = f"insults (-2 each) {_listed(own.insults)}; threats (-4 each) {_listed(own.threats)}"
    return _score(SOCIAL_RULES, seat, value, reason)


def financial(
    seat: str, casting: Casting, moves: Sequence[Moved], checked: Verdict | None, agreed: bool
) -> Verdict:
    """A price against the own target, goods against half of their worth; 0 without any money."""
    index = [character.id for character in casting.characters].index(seat)
    facts = casting.scenario.goals[index].facts
    if isinstance(facts, PriceGoal | DivisionGoal):
        if agreed and isinstance(checked, Score) and checked.value == 0:
            agreed = _agreed(casting, moves, facts)
        return _bargain(seat, facts, checked, agreed)
    texts = [casting.scenario.context, *(one.text for one in casting.scenario.goals)]
    texts += [action.text for move in moves for action in move.actions]
    if any(map(names_money, texts)):
        return Unscored(FINANCIAL, seat, "money is named, and rules cannot see who gained")
    return Score(FINANCIAL, seat, 0, "neither the scene nor a goal nor anybody's words name money")


def goal(seat: str, checked: Verdict | None) -> Verdict:
    """The goal as the objective check reads it, rounded to a whole number."""
    if isinstance(checked, Score):
        return _score(GOAL, seat, checked.value, f"objective check: {checked.reason}")
    if isinstance(checked, Unscored):
        return Unscored(GOAL, seat, checked.why)
    return Unscored(GOAL, seat, "no rule can see whether this goal was reached")


def _bargain(
    seat: str, facts: PriceGoal | DivisionGoal, checked: Verdict | None, agreed: bool
) -> Verdict:
    """From the checked goal: 6 is the target price, 5 is half of what the goods are worth.

    A goal of 0 may come of a bad agreement or of none; `agreed` says which.
    """
    if not isinstance(checked, Score):
        return Unscored(FINANCIAL, seat, "what was agreed on cannot be read")
    if checked.value == 0 and not agreed:
        return Score(FINANCIAL, seat, 0, "nothing changed hands: no agreement")
    if isinstance(facts, DivisionGoal):
        reason = f"goods worth {checked.value:.3g} of 10, less 5 for half of them"
        return _score(FINANCIAL, seat, checked.value - 5, reason)
    gain = checked.value - AT_TARGET
    value = 5 * gain / ((HIGHEST - AT_TARGET) if gain > 0 else AT_TARGET)
    reason = (
        f"the price is worth {checked.value:.3g} of 10 and the own target 6: 5 points for the "
        "highest, -5 for the lowest"
    )
    return _score(FINANCIAL, seat, value, reason)


def _agreed(casting: Casting, moves: Sequence[Moved], facts: PriceGoal | DivisionGoal) -> bool:
    """Whether a goal of value 0 comes of an agreement, and not of there being none."""
    if isinstance(facts, PriceGoal):
        return isinstance(agreed_price(casting, moves), Agreed)
    return isinstance(agreed_division(casting, moves), Agreed)


def _agree(moves: Sequence[Moved]) -> bool:
    """Whether somebody agreed in so many words in the last six turns."""
    words = [a.text for move in moves[-6:] for a in move.actions if a.kind == SPEAK]
    return any(heard(line).agrees for line in words)


def _score(measure: Measure, seat: str, value: float, reason: str) -> Score:
    """The value as a whole number, half points up, inside the measure's range."""
    whole = min(measure.high, max(measure.low, math.floor(value + 0.5)))
    return Score(measure, seat, whole, f"{reason}; {value:.3g} counts as {whole:g}")


def _listed(items: tuple[str, ...]) -> str:
    shown = ", ".join(items[:8])
    return f"{shown} and {len(items) - 8} more" if len(items) > 8 else shown or "none"
