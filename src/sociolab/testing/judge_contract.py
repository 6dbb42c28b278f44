"""What every judge must keep to."""

# ruff: noqa: D102  a test is called by what it shows

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sociolab.core.episode import Ended, Episode, Event, Unusable
from sociolab.core.ports import Judge
from sociolab.core.score import Measure, Score, ScoreFailure, Unscored, Verdict


class JudgeContract:
    """Inherit and return your judge, finished episodes of its world, and its measures.

    `pure` says that the same episode gives the same verdicts; a model judge sets it to False.
    """

    pure = True

    def judge(self) -> Judge:
        """A fresh judge."""
        raise NotImplementedError

    def episodes(self) -> Sequence[Episode]:
        """Finished episodes that the judge can judge, of different kinds."""
        raise NotImplementedError

    def measures(self) -> Sequence[Measure]:
        """All measures for which it may give a verdict."""
        raise NotImplementedError

    def test_its_id_says_who_judged(self) -> None:
        first, second = self.judge().id, self.judge().id
        assert first == second, f"the same judge has the same id; found {first} and {second}"
        assert first.name, "a judge has a name"

    def test_there_is_a_verdict_for_each_measure_and_seat_or_none(self) -> None:
        for episode in self.episodes():
            verdicts = self._judged(episode)
            given = [(verdict.measure.name, verdict.seat) for verdict in verdicts]
            assert len(set(given)) == len(given), f"one verdict each, found {given}"
            seats = episode.trial.task.seats
            for measure in self.measures():
                of = {seat for name, seat in given if name == measure.name}
                assert of <= set(seats) or of == {None}, (
                    f"{measure.name}: a verdict for the episode or for seats among {seats}, "
                    f"found some for {of}"
                )

    def test_its_verdicts_are_of_its_measures(self) -> None:
        measures = {measure.name: measure for measure in self.measures()}
        for episode in self.episodes():
            for verdict in self._judged(episode):
                assert measures.get(verdict.measure.name) == verdict.measure, (
                    f"one of {sorted(measures)}, with its range; found {verdict.measure}"
                )
                assert isinstance(verdict, Score | ScoreFailure | Unscored), f"found {verdict!r}"
                if isinstance(verdict, Score):
                    measure = verdict.measure
                    assert measure.low <= verdict.value <= measure.high, f"found {verdict}"

    def test_what_is_no_score_says_why(self) -> None:
        for episode in self.episodes():
            for verdict in self._judged(episode):
                match verdict:
                    case ScoreFailure():
                        assert verdict.problem, f"a failure says what is wrong; found {verdict}"
                    case Unscored():
                        assert verdict.why, f"who cannot tell says why; found {verdict}"

    def test_it_says_the_same_twice(self) -> None:
        if not self.pure:
            return
        for episode in self.episodes():
            assert self._judged(episode) == self._judged(episode)

    def test_an_episode_without_turns_gets_no_score(self) -> None:
        for episode in self.episodes():
            for events in _without_turns(episode):
                for verdict in self._judged(Episode(episode.trial, events)):
                    assert not isinstance(verdict, Score), (
                        f"nothing happened that could be scored; found {verdict}"
                    )

    def _judged(self, episode: Episode) -> tuple[Verdict, ...]:
        return asyncio.run(self.judge().judge(episode))


def _without_turns(episode: Episode) -> tuple[tuple[Event, ...], ...]:
    """The trial before anything happened, and with a turn that failed and no other."""
    seat = episode.trial.task.seats[0]
    failed = Unusable(0, seat, "act", 1, "unreadable", "found an empty reply", "", final=True)
    return (), (failed, Ended("failed turn", 0, seat))
