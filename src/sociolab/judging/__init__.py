"""From episodes to scores, and the names that a judge of your own needs (docs/agents.md).

A judge is an object with an `id` and `async def judge(self, episode: Episode, judging: int = 0)`,
which gives one score a measure and seat: a `Score`, an `Unscored`, or a `ScoreFailure`.
"""

from sociolab.core.episode import Answered, Ended, Episode, Moved
from sociolab.core.ports import Judge
from sociolab.core.score import JudgeId, Measure, Score, ScoreFailure, Unscored, Verdict

__all__ = [
    "Answered",
    "Ended",
    "Episode",
    "Judge",
    "JudgeId",
    "Measure",
    "Moved",
    "Score",
    "ScoreFailure",
    "Unscored",
    "Verdict",
]
