"""A judge for two agents in a bargain: what each asked for last, as far as it named a price."""

from __future__ import annotations

import re

from sociolab.core import Episode
from sociolab.judging import JudgeId, Measure, Score, Unscored

ASKED = Measure("asked", 0, 1_000)


class LastPrice:
    """Of a seat that never named a price, it cannot tell."""

    id = JudgeId("last_price", "rules")

    async def judge(self, episode: Episode, judging: int = 0) -> list[Score | Unscored]:
        verdicts: list[Score | Unscored] = []
        for seat in episode.trial.task.seats:
            moves = [move for move in episode.moves if move.seat == seat]
            said = [action.text for move in moves for action in move.actions]
            prices = re.findall(r"\$(\d+)", " ".join(said))
            if prices:
                verdicts.append(Score(ASKED, seat, float(prices[-1])))
            else:
                verdicts.append(Unscored(ASKED, seat, "they never name a price"))
        return verdicts
