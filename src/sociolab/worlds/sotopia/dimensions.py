"""The seven dimensions of SOTOPIA-Eval and their ranges (SOTOPIA section 3)."""

from __future__ import annotations

from sociolab.core.score import Measure, Score, ScoreFailure, Unscored, Verdict

BELIEVABILITY = Measure("believability", 0, 10, whole=True, title="BEL")
RELATIONSHIP = Measure("relationship", -5, 5, whole=True, title="REL")
KNOWLEDGE = Measure("knowledge", 0, 10, whole=True, title="KNO")
SECRET = Measure("secret", -10, 0, whole=True, title="SEC")
SOCIAL_RULES = Measure("social_rules", -10, 0, whole=True, title="SOC")
FINANCIAL = Measure("financial", -5, 5, whole=True, title="FIN")
GOAL = Measure("goal", 0, 10, whole=True, title="GOAL")

DIMENSIONS = (BELIEVABILITY, RELATIONSHIP, KNOWLEDGE, SECRET, SOCIAL_RULES, FINANCIAL, GOAL)

OVERALL = Measure(
    "overall",
    sum(d.low for d in DIMENSIONS) / len(DIMENSIONS),
    sum(d.high for d in DIMENSIONS) / len(DIMENSIONS),
    title="Overall",
)
"""The unweighted mean of the seven, -30/7 to 40/7 (Table F.1: 19.69 / 7 = 2.81)."""

GOAL_CHECKED = Measure("goal_checked", 0, 10, title="goal (checked)")
"""The goal as rules read it off the transcript; beside the judge's, never in the overall."""


def overall(verdicts: tuple[Verdict, ...], seat: str) -> Verdict:
    """The overall of one seat, from its seven verdicts; no value where one of them has none."""
    mine = {v.measure.name: v for v in verdicts if v.seat == seat}
    values = []
    for dimension in DIMENSIONS:
        match mine.get(dimension.name):
            case Score(value=value):
                values.append(value)
            case ScoreFailure() as failure:
                problem = f"{dimension.name} is missing: {failure.problem}"
                return ScoreFailure(OVERALL, seat, "incomplete", problem)
            case Unscored():
                return Unscored(OVERALL, seat, f"{dimension.name} cannot be observed")
            case _:
                problem = f"{dimension.name} was not judged"
                return ScoreFailure(OVERALL, seat, "incomplete", problem)
    return Score(OVERALL, seat, sum(values) / len(DIMENSIONS))
