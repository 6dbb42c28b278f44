"""A rater hands in the ratings of an episode: all there and in order, or told what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sociolab.app.rating.dealing import held
from sociolab.app.rating.drafts import Draft, Place, drafts_of, in_range
from sociolab.app.rating.keeping import MEASURES, Given, keep_ratings
from sociolab.app.rating.qualifying import qualified, references_of
from sociolab.app.rating.studies import Play, RateStudy
from sociolab.app.rating.words import one_line, reason_problem
from sociolab.store.store import Store
from sociolab.store.studies import ParticipantRow


@dataclass(frozen=True, slots=True)
class Missing:
    """What is not in order yet, of which seat and dimension."""

    seat: str
    dimension: str
    what: str


def places(store: Store, study: RateStudy, play: Play) -> tuple[Place, ...]:
    """What is asked of an episode: each dimension of each seat; in the test, what the references
    hold."""
    if play.stage == "test":
        return tuple(references_of(study.plan)[play.trial])
    seats = store.episode(study.run, play.trial).trial.task.seats
    return tuple((seat, measure.name) for seat in seats for measure in study.measures)


def missing(
    asked: Sequence[Place], drafts: Mapping[Place, Draft], least_words: int
) -> tuple[Missing, ...]:
    """What stands in the way of handing in, in the order of the form."""
    found = []
    for seat, dimension in asked:
        draft = drafts.get((seat, dimension), Draft())
        score = draft.score
        if score is None or not in_range(MEASURES[dimension], score):
            found.append(Missing(seat, dimension, "choose a point on the scale"))
        if problem := reason_problem(one_line(draft.reason), least_words):
            found.append(Missing(seat, dimension, problem))
    return tuple(found)


def hand_in(store: Store, study: RateStudy, who: ParticipantRow, play: Play) -> tuple[Missing, ...]:
    """Store a rater's ratings of an episode; nothing is stored while something is missing.

    Behind the last reference of the test it is seen whether the rater goes on; who does not is
    "refused".
    """
    with store.transaction():
        row = held(store, study.name, who.pk, play.trial)
        if row is None or row.state == "done":
            return ()  # handed in by another window of the same person
        drafts = drafts_of(store, study.name, who.pk, play.trial)
        asked = places(store, study, play)
        if found := missing(asked, drafts, study.plan.least_words):
            return found
        if play.stage == "rate":
            keep_ratings(store, study.run, study.name, _ratings(who, play, asked, drafts))
        store.studies.progress(row.pk, "done")
        if qualified(store, study.name, study.plan, who) is False:
            store.studies.stand(who.pk, "refused")
    return ()


def _ratings(
    who: ParticipantRow, play: Play, asked: Sequence[Place], drafts: Mapping[Place, Draft]
) -> list[Given]:
    found = []
    now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    for seat, dimension in asked:
        draft = drafts[seat, dimension]
        assert draft.score is not None
        reason, seconds = one_line(draft.reason), round(draft.seconds, 1)
        found.append(Given(play.trial, seat, who.id, dimension, draft.score, reason, seconds, now))
    return found
