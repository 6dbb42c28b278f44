"""Ratings of one play that lie too far apart, and what settles them: a third rating, or the
researcher's decision, which is a rating beside the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sociolab.app.rating.keeping import MEASURES, RESEARCHER, Given, keep_ratings, ratings_in
from sociolab.app.rating.words import one_line, reason_problem
from sociolab.app.study.settings import RatePlan
from sociolab.core.errors import ConfigError
from sociolab.store.store import Store


@dataclass(frozen=True, slots=True)
class Dispute:
    """A play and dimension on which raters lie further apart than the plan allows.

    `ratings` are those of raters, the lowest first. `decision` is the researcher's, if there is
    one; `third` says whether more people rated it than were asked at first.
    """

    trial: str
    seat: str
    dimension: str
    ratings: tuple[Given, ...]
    decision: Given | None
    third: bool

    @property
    def apart(self) -> float:
        """Points between the lowest and the highest rating."""
        return self.ratings[-1].value - self.ratings[0].value

    @property
    def open(self) -> bool:
        """Whether nothing has settled it yet."""
        return self.decision is None and not self.third


def disputes(store: Store, run: str, study: str, plan: RatePlan) -> tuple[Dispute, ...]:
    """All disagreements of a study, the open ones and the widest first."""
    return found_among(ratings_in(store, run, study), plan)


def found_among(ratings: Sequence[Given], plan: RatePlan) -> tuple[Dispute, ...]:
    """The disagreements among these ratings."""
    places: dict[tuple[str, str, str], list[Given]] = {}
    for rating in ratings:
        places.setdefault((rating.trial, rating.seat, rating.dimension), []).append(rating)
    found = []
    for place, given in places.items():
        by = sorted((r for r in given if r.rater != RESEARCHER), key=lambda r: (r.value, r.rater))
        if len(by) > 1 and by[-1].value - by[0].value > plan.disagreement:
            decision = next((r for r in given if r.rater == RESEARCHER), None)
            found.append(Dispute(*place, tuple(by), decision, len(by) > plan.raters))
    return tuple(sorted(found, key=lambda d: (not d.open, -d.apart, d.trial, d.seat, d.dimension)))


def settle(
    store: Store, run: str, study: str, plan: RatePlan, place: tuple[str, str, str],
    value: float, reason: str,
) -> None:  # fmt: skip
    """Keep the researcher's decision on a disagreement as a rating of its own.

    ConfigError where there is no such disagreement, it is decided already, the score is not on the
    scale or the reason says nothing.
    """
    trial, seat, dimension = place
    found = {(d.trial, d.seat, d.dimension): d for d in disputes(store, run, study, plan)}
    if place not in found:
        raise ConfigError("expected a play and dimension on which raters disagree, found another")
    if found[place].decision is not None:
        raise ConfigError("this disagreement is decided already; a rating is never overwritten")
    measure = MEASURES[dimension]
    if not measure.low <= value <= measure.high or value != int(value):
        raise ConfigError(
            f"expected a whole number from {measure.low:g} to {measure.high:g} as {dimension}, "
            f"found {value:g}"
        )
    said = one_line(reason)
    if problem := reason_problem(said, 1):
        raise ConfigError(f"{problem[0].upper()}{problem[1:]}.")
    keep_ratings(store, run, study, [Given(trial, seat, RESEARCHER, dimension, value, said)])
