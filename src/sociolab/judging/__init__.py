"""From episodes to scores, and the names that a judge of your own needs (docs/agents.md).

A judge is an object with an `id` and `async def judge(self, episode: Episode, judging: int = 0)`,
which gives one score a measure and seat: a `Score`, an `Unscored`, or a `ScoreFailure`.
"""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.core.episode import (
        Answered as Answered,
        Ended as Ended,
        Episode as Episode,
        Moved as Moved,
    )
    from sociolab.core.ports import Judge as Judge
    from sociolab.core.score import (
        JudgeId as JudgeId,
        Measure as Measure,
        Score as Score,
        ScoreFailure as ScoreFailure,
        Unscored as Unscored,
        Verdict as Verdict,
    )
    from sociolab.judging.credit import (
        Cell as Cell,
        Credit as Credit,
        CreditJudge as CreditJudge,
        CreditRecord as CreditRecord,
        Story as Story,
        build_story as build_story,
    )
    from sociolab.judging.llm_judge import LlmJudge as LlmJudge
    from sociolab.judging.quoting import match_quote as match_quote
    from sociolab.judging.reader import MissingValue as MissingValue, NoValue as NoValue
else:
    __getattr__, __dir__ = load_public_names(__name__)
