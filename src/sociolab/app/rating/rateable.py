"""What can be rated in a run: its played episodes, their seats, and the measures."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sociolab.app.rating.rating_record import Rating, quoted

from sociolab.analysis.rated_signature import signed
from sociolab.core.episode import Trial
from sociolab.core.errors import ConfigError
from sociolab.core.score import Measure, Score
from sociolab.report.result import run_of_episodes
from sociolab.store.sqlite import Store
from sociolab.worlds.sotopia.evaluation import DIMENSIONS


@dataclass(frozen=True, slots=True)
class Rateable:
    """The trials of a run by id, which of them were played, the measures by name.

    `whole` are the measures of whole episodes.
    """

    run: str
    trials: Mapping[str, Trial]
    ids: Sequence[str]
    played: frozenset[str]
    measures: Mapping[str, Measure]
    whole: frozenset[str]

    @classmethod
    def of(cls, store: Store, run: str) -> Rateable:
        """What a run holds; ConfigError if it holds no episodes."""
        rows = store.trials(run)
        measures, whole = _measures(store, run)
        return cls(
            run,
            {row.trial.id: row.trial for row in rows},
            sorted(row.trial.id for row in rows),
            frozenset(row.trial.id for row in rows if row.status == "played"),
            measures,
            whole,
        )

    def episode(self, wanted: str) -> str:
        """The id of the episode; ConfigError says what is wrong with this one."""
        if wanted in self.trials:
            found = [wanted]
        else:
            first = bisect_left(self.ids, wanted)
            found = [name for name in self.ids[first : first + 2] if name.startswith(wanted)]
        if not found:
            raise ConfigError(f"expected an episode of {self.run}, found {quoted(wanted)}")
        if len(found) > 1:
            some = " and ".join(found)
            raise ConfigError(f"expected one episode, found {quoted(wanted)}, which begins {some}")
        if found[0] not in self.played:
            raise ConfigError(f"expected an episode that was played, found {quoted(wanted)}")
        return found[0]

    def score(self, rating: Rating, trial: str) -> Score:
        """The rating as a score; ConfigError where its dimension, seat or score cannot be."""
        measure = self.measures.get(rating.dimension)
        if measure is None:
            known = ", ".join(self.measures) or "none: judge the run first"
            raise ConfigError(f"expected a dimension ({known}), found {quoted(rating.dimension)}")
        seat = self._seat(rating, measure, self.trials[trial].task.seats)
        kind = "a whole number" if measure.whole else "a number"
        if not measure.low <= rating.score <= measure.high or (
            measure.whole and rating.score != int(rating.score)
        ):
            raise ConfigError(
                f"expected {kind} from {measure.low:g} to {measure.high:g} as {measure.name}, "
                f"found {rating.score:g}"
            )
        reason = signed(rating.rater, rating.reason, rating.seconds, rating.when)
        return Score(measure, seat, rating.score, reason)

    def _seat(self, rating: Rating, measure: Measure, seats: Sequence[str]) -> str | None:
        seat = rating.seat or None
        if measure.name not in self.whole:
            if seat not in seats:
                raise ConfigError(
                    f"expected a seat ({', '.join(seats)}), found {quoted(rating.seat)}"
                )
        elif seat is not None:
            raise ConfigError(
                f"expected no seat, as {measure.name} is of the whole episode, "
                f"found {quoted(rating.seat)}"
            )
        return seat


def _measures(store: Store, run: str) -> tuple[dict[str, Measure], frozenset[str]]:
    """What can be rated in a run: SOTOPIA's dimensions; elsewhere, all that judges scored so far.

    Also, which of these are of whole episodes.
    """
    if run_of_episodes(store, run).world == "sotopia":
        return {measure.name: measure for measure in DIMENSIONS}, frozenset()
    found: dict[str, Measure] = {}
    whole: set[str] = set()
    for row in store.judgings(run):
        for verdict in row.verdicts if row.trial is not None else ():
            found.setdefault(verdict.measure.name, verdict.measure)
            if verdict.seat is None:
                whole.add(verdict.measure.name)
    return found, frozenset(whole)
