"""A judge for one agent in a bargain: what it asked for, as far as it named a price."""

from __future__ import annotations

import re

from sociolab.core import Episode
from sociolab.judging import JudgeId, Measure, Score, Unscored

ASKED = Measure("asked", 0, 1_000)


class FirstPrice:
    """Of a seat that never named a price, it cannot tell."""

    id = JudgeId("first_price", "rules")

    async def judge(self, episode: Episode, judging: int = 0) -> list[Score | Unscored]:
        return [self._of(episode, seat) for seat in episode.trial.task.seats]

    def _of(self, episode: Episode, seat: str) -> Score | Unscored:
        moves = [move for move in episode.moves if move.seat == seat]
        said = " ".join(action.text for move in moves for action in move.actions)
        if (price := re.search(r"\$(\d+)", said)) is None:
            return Unscored(ASKED, seat, "it never names a price")
        return Score(ASKED, seat, float(price[1]), f"asks for {price[0]}")
