"""The objective check of goals, as a judge: what rules can read off the transcript.

Goals without facts get no verdict at all; a goal with facts gets a value or "cannot tell". So the
coverage of the check is scored / (scored + cannot tell). "Cannot tell" is the default: 0 for "no
agreement" takes a recognised refusal of the last proposal, or a seat that leaves instead of
answering it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, TypeAlias

from sociolab.core.episode import Episode, Moved
from sociolab.core.score import JudgeId, Score, Unscored, Verdict
from sociolab.core.seeding import digest
from sociolab.worlds.sotopia.checks.division import agreed_division, division_formula
from sociolab.worlds.sotopia.checks.friend import found_friend, friend_formula
from sociolab.worlds.sotopia.checks.option import agreed_option, option_formula
from sociolab.worlds.sotopia.checks.outcome import Agreed, CannotTell, NoAgreement, Outcome, told
from sociolab.worlds.sotopia.checks.price import agreed_price, price_formula
from sociolab.worlds.sotopia.dimensions import GOAL_CHECKED
from sociolab.worlds.sotopia.scenarios import (
    DivisionGoal,
    FriendGoal,
    OptionGoal,
    PriceGoal,
)
from sociolab.worlds.sotopia.scene import Casting, casting_from

RULES = "3"
"""The version of the rules: to be raised whenever a transcript may be read differently."""

Checkable: TypeAlias = PriceGoal | DivisionGoal | FriendGoal | OptionGoal


class GoalCheck:
    """Judges goals that have facts which rules can check: prices, shares, friends, options."""

    def __init__(self) -> None:
        self._id = JudgeId("rules:goal", "rules", digest("goal check", RULES))

    @property
    def id(self) -> JudgeId:
        """Named in every score."""
        return self._id

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """The verdicts on an episode; judging again gives the same."""
        return checked(episode)


def checked(episode: Episode) -> tuple[Verdict, ...]:
    """The verdicts on an episode; kept for a while, since the heuristic judge asks next."""
    for known, found in tuple(_recent):  # by identity: to hash all that was said takes long
        if known is episode:
            return found
    found = verdicts(casting_from(episode.trial.task.content), episode.moves)
    _recent.append((episode, found))
    return found


_recent: deque[tuple[Episode, tuple[Verdict, ...]]] = deque(maxlen=16)


def verdicts(casting: Casting, moves: Sequence[Moved]) -> tuple[Verdict, ...]:
    """A verdict for each seat whose goal can be checked; none where there is no such goal."""
    goals = {
        character.id: goal.facts
        for character, goal in zip(casting.characters, casting.scenario.goals, strict=True)
        if goal.facts is not None and goal.facts.kind != "ask"
    }
    if not goals:
        return ()
    if not moves:
        return tuple(Unscored(GOAL_CHECKED, seat, "nobody took a turn") for seat in goals)
    if len({goal.kind for goal in goals.values()}) > 1:
        why = "the seats have goals of different kinds"
        return tuple(Unscored(GOAL_CHECKED, seat, why) for seat in goals)
    outcome = _outcome(next(iter(goals.values())), casting, moves)
    return tuple(_verdict(seat, goal, outcome) for seat, goal in goals.items())


def _outcome(goal: Checkable, casting: Casting, moves: Sequence[Moved]) -> Outcome[Any]:
    # By kind and not by class: an isinstance check of a pydantic class takes microseconds.
    if goal.kind == "price":
        return agreed_price(casting, moves)
    if goal.kind == "division":
        return agreed_division(casting, moves)
    if goal.kind == "friend":
        return found_friend(casting, moves)
    return agreed_option(casting, moves)


def _verdict(seat: str, goal: Checkable, outcome: Outcome[Any]) -> Verdict:
    match outcome:
        case Agreed(value=agreed, evidence=evidence):
            value, formula = _value(seat, goal, agreed)
            return Score(GOAL_CHECKED, seat, value, f"{formula} ({told(evidence)})")
        case NoAgreement(why=why):
            return Score(GOAL_CHECKED, seat, 0.0, f"no agreement: 0 ({why})")
        case CannotTell(why=why):
            return Unscored(GOAL_CHECKED, seat, why)


def _value(seat: str, goal: Checkable, agreed: Any) -> tuple[float, str]:
    """What the agreement is worth to the seat, and the formula with its numbers."""
    if goal.kind == "price":
        return price_formula(goal, agreed)
    if goal.kind == "division":
        return division_formula(goal, agreed[seat])
    if goal.kind == "friend":
        return friend_formula(agreed)
    return option_formula(goal, agreed)
