"""The offline judge: a figure only for what is on record, and for nothing else.

Among scripted players what was agreed is on record, and with it how far a goal with a formula was
reached and what was gained. Everything else in SOTOPIA-Eval needs somebody who understands what was
said: without a model or people as judges there are no such scores, and no overall.
"""

from __future__ import annotations

import math

from sociolab.core.episode import Episode
from sociolab.core.score import JudgeId, Measure, Score, Unscored, Verdict
from sociolab.core.seeding import digest
from sociolab.worlds.sotopia.dimensions import FINANCIAL, GOAL
from sociolab.worlds.sotopia.outcome import AT_TARGET, HIGHEST, goals_of, recorded, verdicts
from sociolab.worlds.sotopia.scene import casting_from


class HeuristicJudge:
    """GOAL and FIN where the goals have a formula and the outcome is on record; nothing else."""

    def __init__(self) -> None:
        self.id = JudgeId("heuristic", "heuristic", digest("heuristic", "2"))

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """What is on record of each seat's goal and gain; a repeated judging says the same."""
        casting = casting_from(episode.trial.task.content)
        outcome = recorded(casting, episode.moves)
        found: list[Verdict] = []
        for seat, goal in goals_of(casting).items():
            measures = (GOAL, FINANCIAL) if goal.kind in ("price", "division") else (GOAL,)
            if outcome is None:
                why = "no outcome is on record: somebody here is no scripted player"
                found += [Unscored(measure, seat, why) for measure in measures]
                continue
            value = next(v for v in verdicts(casting, outcome) if v.seat == seat)
            assert isinstance(value, Score)  # what is on record is established
            found.append(_rounded(GOAL, seat, value.value, value.reason))
            if FINANCIAL in measures:
                found.append(_gain(seat, goal.kind, value.value, outcome.terms is not None))
        return tuple(found)


def _gain(seat: str, kind: str, value: float, gained: bool) -> Score:
    """From the goal's value: 6 is the target price, 5 is half of what the goods are worth."""
    if not gained:
        return Score(FINANCIAL, seat, 0, "nothing changed hands: no agreement")
    if kind == "division":
        reason = f"goods worth {value:.3g} of 10, less 5 for half of them"
        return _rounded(FINANCIAL, seat, value - 5, reason)
    gain = value - AT_TARGET
    scaled = 5 * gain / ((HIGHEST - AT_TARGET) if gain > 0 else AT_TARGET)
    reason = f"the price is worth {value:.3g} of 10, the own target 6: -5 to 5 over that range"
    return _rounded(FINANCIAL, seat, scaled, reason)


def _rounded(measure: Measure, seat: str, value: float, reason: str) -> Score:
    """The value as a whole number, half points up, inside the measure's range."""
    whole = min(measure.high, max(measure.low, math.floor(value + 0.5)))
    return Score(measure, seat, whole, f"{reason}; {value:.3g} counts as {whole:g}")
