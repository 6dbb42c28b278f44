"""Judges whose bias is known, to see whether audits find it."""

from __future__ import annotations

import asyncio

from sociolab.core.episode import Episode
from sociolab.core.score import JudgeId, Measure, Score, ScoreFailure, Verdict
from sociolab.worlds.sotopia.scene import casting_from

GOAL = Measure("goal", 0, 10, whole=True, title="GOAL")
WORDS = Measure("words", 0, 100_000, whole=True)
BELIEVABLE = Measure("believability", 0, 10, title="BEL")
OVERALL = Measure("overall", 0, 10, title="Overall")
FAVOURITE = "Fergal Muldowney"
AT_JUDGING = (0, 1, 3)


class _Judge:
    def __init__(self) -> None:
        self.id = JudgeId(type(self).__name__, "scripted", "1")

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        return tuple(self.verdict(episode, seat, judging) for seat in episode.trial.task.seats)

    def verdict(self, episode: Episode, seat: str, judging: int) -> Verdict:
        return Score(GOAL, seat, 5 + self.bias(episode, seat, judging))

    def bias(self, episode: Episode, seat: str, judging: int) -> int:
        return 0


class Fair(_Judge):
    """Sees nothing that audits change."""


class FavoursFirst(_Judge):
    """Two points more for who is listed first."""

    def bias(self, episode: Episode, seat: str, judging: int) -> int:
        return 2 if seat == episode.trial.task.seats[0] else 0


class FavoursName(_Judge):
    """Two points more for who bears one name."""

    def bias(self, episode: Episode, seat: str, judging: int) -> int:
        people = casting_from(episode.trial.task.content).characters
        return 2 if {p.id: p.name for p in people}[seat] == FAVOURITE else 0


class CountsWords(_Judge):
    """The words that a seat says."""

    def verdict(self, episode: Episode, seat: str, judging: int) -> Verdict:
        return Score(WORDS, seat, spoken(episode, seat))


class ByWords:
    """An overall without a model: the words that a seat says in a turn, as far as ten."""

    id = JudgeId("by-words", "rules")

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        seats = episode.trial.task.seats
        turns = {seat: sum(move.seat == seat for move in episode.moves) or 1 for seat in seats}
        return tuple(
            Score(measure, seat, min(10.0, round(spoken(episode, seat) / turns[seat], 1)))
            for measure in (BELIEVABLE, OVERALL)
            for seat in seats
        )


class ByNumber(_Judge):
    """0, 1 or 3 points more, by the number of the judging."""

    def bias(self, episode: Episode, seat: str, judging: int) -> int:
        return AT_JUDGING[judging]


class FailsOnSecond(_Judge):
    """Fails on the seat that is not listed first."""

    def verdict(self, episode: Episode, seat: str, judging: int) -> Verdict:
        if seat != episode.trial.task.seats[0]:
            return ScoreFailure(GOAL, seat, "unreadable", "no number", "ten-ish")
        return Score(GOAL, seat, 5)


class Fails(_Judge):
    """Fails on every seat."""

    def verdict(self, episode: Episode, seat: str, judging: int) -> Verdict:
        return ScoreFailure(GOAL, seat, "unreadable", "no number", "ten-ish")


class Breaks(_Judge):
    """Has a bug."""

    def verdict(self, episode: Episode, seat: str, judging: int) -> Verdict:
        raise KeyError("goal")


class BreaksOnSecond(_Judge):
    """Has a bug that shows when it judges for the second time."""

    def bias(self, episode: Episode, seat: str, judging: int) -> int:
        return {0: 0, 2: 0}[judging]


class Sleeps(_Judge):
    """Takes its time."""

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        await asyncio.sleep(60)
        return await super().judge(episode, judging)


def spoken(episode: Episode, seat: str) -> int:
    """The words in all actions of a seat."""
    actions = (a for move in episode.moves if move.seat == seat for a in move.actions)
    return sum(len(action.text.split()) for action in actions)
