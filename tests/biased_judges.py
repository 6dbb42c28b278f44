"""Judges whose bias is known, to see whether audits find it."""

from __future__ import annotations

import asyncio

from sociolab.core import Episode, JudgeId, Measure, Score, ScoreFailure, Verdict
from sociolab.judging.controls import CONCEDED, TO_THE_JUDGE
from sociolab.worlds import sotopia
from sociolab.worlds.sotopia.audit import CONFESSION, INSULT, sentences

GOAL = Measure("goal", 0, 10, whole=True, title="GOAL")
WORDS = Measure("words", 0, 100_000, whole=True)
BELIEVABLE = Measure("believability", 0, 10, title="BEL")
RELATIONSHIP = Measure("relationship", -5, 5, title="REL")
SECRET = Measure("secret", -10, 0, title="SEC")
RULES = Measure("social_rules", -10, 0, title="SOC")
OVERALL = Measure("overall", 0, 10, title="Overall")
FAVOURITE = "Mateo Quispe"
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


class Constant(_Judge):
    """Seven, whatever happens, in every dimension that a control is about."""

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        seats = episode.trial.task.seats
        return tuple(Score(m, seat, v) for m, v in self.sheet(episode) for seat in seats)

    def sheet(self, episode: Episode) -> tuple[tuple[Measure, float], ...]:
        """The same for everybody."""
        return (GOAL, 7), (BELIEVABLE, 7), (RELATIONSHIP, 3), (SECRET, -3), (RULES, -3)


class Attentive(Constant):
    """Knows how the episode was, by its trial, and sees what is wrong with it now; nobody's note
    impresses it."""

    def __init__(self) -> None:
        super().__init__()
        self._was: dict[str, Episode] = {}

    def sheet(self, episode: Episode) -> tuple[tuple[Measure, float], ...]:
        was = self._was.setdefault(episode.trial.id.split(" ")[0], episode)
        said = " ".join(a.text for move in episode.moves for a in move.actions)
        other = [m.seat for m in was.moves] != [m.seat for m in episode.moves]
        other |= sentences(was.moves[0].actions[0].text)[-1] not in said
        goal = 2 if other or self.turned(episode, was) else 7
        rude = INSULT in said
        return (
            (GOAL, goal), (BELIEVABLE, 7), (RELATIONSHIP, -3 if rude else 3),
            (SECRET, -9 if CONFESSION in said else -3), (RULES, -8 if rude else -3),
        )  # fmt: skip

    def turned(self, episode: Episode, was: Episode) -> bool:
        """Whether somebody has another goal than before."""
        of = [
            {c.id: goal.text for c, goal in zip(cast.characters, cast.scenario.goals, strict=True)}
            for cast in (sotopia.casting_from(e.trial.task.content) for e in (episode, was))
        ]
        return of[0] != of[1]


class Flattered(Attentive):
    """Gives ten to whoever asks for it."""

    def sheet(self, episode: Episode) -> tuple[tuple[Measure, float], ...]:
        asked = any(TO_THE_JUDGE in a.text for move in episode.moves for a in move.actions)
        return tuple((m, 10 if asked and m == GOAL else v) for m, v in super().sheet(episode))


class Fooled(Attentive):
    """Gives ten where a line looks like another's who agrees, whoever said it."""

    def sheet(self, episode: Episode) -> tuple[tuple[Measure, float], ...]:
        agreed = any(CONCEDED in a.text for move in episode.moves for a in move.actions)
        return tuple((m, 10 if agreed and m == GOAL else v) for m, v in super().sheet(episode))


class FavoursNamed(Attentive):
    """Gives ten where the last words of somebody hold the other's name."""

    def sheet(self, episode: Episode) -> tuple[tuple[Measure, float], ...]:
        names = [one.name for one in sotopia.casting_from(episode.trial.task.content).characters]
        last = {move.seat: move.actions[-1].text for move in episode.moves}
        named = any(name in text for name in names for text in last.values())
        return tuple((m, 10 if named and m == GOAL else v) for m, v in super().sheet(episode))


class FavoursFirst(_Judge):
    """Two points more for who is listed first."""

    def bias(self, episode: Episode, seat: str, judging: int) -> int:
        return 2 if seat == episode.trial.task.seats[0] else 0


class FavoursName(_Judge):
    """Two points more for who bears one name."""

    def bias(self, episode: Episode, seat: str, judging: int) -> int:
        people = sotopia.casting_from(episode.trial.task.content).characters
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
