"""Judges that break, and one that has recovered."""

from __future__ import annotations

from typing import ClassVar

from sociolab.core import Episode, JudgeId, Measure, ModelError, Score, Verdict

WARMTH = Measure("warmth", 0, 10)


class Moody:
    """Gives every seat a seven, unless it is told to be `down`; then it breaks in some way."""

    id = JudgeId("Moody", "rules", "1")
    down: ClassVar[Exception | None] = None

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        if Moody.down is not None:
            raise Moody.down
        return tuple(Score(WARMTH, seat, 7.0) for seat in episode.trial.task.seats)


def no_credit() -> ModelError:
    return ModelError("the account has no credit", cause="refused", fatal=True)
