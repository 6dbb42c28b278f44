"""Judges that sit an exam: one that knows all answers, and those that must not pass."""

from __future__ import annotations

import random

from biased_judges import GOAL, spoken
from sociolab.app import world_plugin
from sociolab.core import Episode, ExamCase, ExpectedScore, JudgeId, Measure, Score, Verdict
from sociolab.core.exam import SUCCESSES


def cases_of(world: str) -> tuple[ExamCase, ...]:
    made = world_plugin(world).exam
    assert made is not None
    return tuple(made())


class Knowing:
    """Gives the middle of what is right; `wrong` are cases that it gets wrong all the same."""

    def __init__(self, world: str = "sotopia", wrong: str = "") -> None:
        self.id = JudgeId("knowing", "rules", f"{world} {wrong}")
        self._cases = {one.id: one for one in cases_of(world)}
        self._wrong = wrong.split(",")

    def value(self, case: ExamCase, one: ExpectedScore) -> float:
        if case.id not in self._wrong:
            return (one.low + one.high) / 2
        return one.low - 1 if case.kind in SUCCESSES else one.high + 1

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        case = self._cases[episode.trial.id]
        return tuple(
            Score(Measure(one.metric, -20, 20), one.seat, self.value(case, one), "so it is")
            for one in case.expected
        )


class Constant(Knowing):
    """Gives the same score to everybody in everything."""

    def __init__(self, world: str = "sotopia", score: float = 5) -> None:
        super().__init__(world)
        self.id = JudgeId("constant", "rules", f"{world} {score}")
        self._score = score

    def value(self, case: ExamCase, one: ExpectedScore) -> float:
        return self._score


class YesSayer(Knowing):
    """Gives the best score that is right of anybody in a metric to everybody."""

    def __init__(self, world: str = "sotopia") -> None:
        super().__init__(world)
        self.id = JudgeId("yes-sayer", "rules", world)
        expected = [one for case in self._cases.values() for one in case.expected]
        self._best: dict[str, float] = {}
        for one in expected:
            self._best[one.metric] = max(one.high, self._best.get(one.metric, one.high))

    def value(self, case: ExamCase, one: ExpectedScore) -> float:
        return self._best[one.metric]


class Shuffled(Knowing):
    """Gives what is right of another case."""

    def __init__(self, world: str = "sotopia", seed: int = 1) -> None:
        super().__init__(world)
        self.id = JudgeId("shuffled", "rules", f"{world} {seed}")
        labels = [*self._cases.values()]
        random.Random(seed).shuffle(labels)
        self._labels = dict(zip(self._cases, labels, strict=True))

    def value(self, case: ExamCase, one: ExpectedScore) -> float:
        label = self._labels[case.id]
        mine = [o.seat for o in case.expected if o.metric == one.metric].index(one.seat)
        theirs = [o for o in label.expected if o.metric == one.metric] or [one]
        other = theirs[min(mine, len(theirs) - 1)]
        return (other.low + other.high) / 2


class Wordy:
    """Scores the goal by the words of a seat, whatever they say, in the name of any model."""

    def __init__(self, name: str = "wordy") -> None:
        self.id = JudgeId(name, "model", "1")

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        return tuple(
            Score(GOAL, seat, float((spoken(episode, seat) + len(self.id.name)) % 11))
            for seat in episode.trial.task.seats
        )
