"""Review of annotations: which ones agree least, and do their reasons follow the guidelines?

An annotation is all ratings that one rater gave one episode. In each batch the quarter that agrees
least is listed; one that fails the guidelines is taken out of the run's ratings, kept in the study,
and its episode goes to a qualified rater (SOTOPIA, appendix D.3).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import permutations
from math import ceil
from statistics import fmean
from typing import Any, TypeAlias

from sociolab.analysis.agreement import Agreements
from sociolab.core.episode import Json
from sociolab.core.errors import ConfigError
from sociolab.core.score import Measure
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Sentence
from sociolab.report.section import Section
from sociolab.store.store import Store
from sociolab.store.studies import AnswerRow
from sociolab.studies.rating_rules import one_line, rated_measures, reason_problem
from sociolab.studies.rating_study import (
    CHECK,
    RESEARCHER,
    RateStudy,
    numbered_ratings,
    rate_study,
    ratings_in,
    store_ratings,
)
from sociolab.studies.ratings import Rating, people_judge

SAY = Catalogue("annotations")

AnnotationKey: TypeAlias = tuple[str, str]
"""Rater and episode."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """All ratings that one rater gave one episode, as drawn into a batch (from 1).

    `distance` is the mean difference from the other raters when the batch was drawn, as a share of
    each scale: 0 is full agreement. `listed`: it is in the quarter that agrees least. `meets`:
    whether its reasons follow the guidelines; None until it is marked. `replaced` holds the ratings
    of one that fails: they are stored nowhere else.
    """

    rater: str
    episode: str
    batch: int
    distance: float
    listed: bool
    meets: bool | None = None
    why: str = ""
    replaced: tuple[Rating, ...] = ()

    @property
    def key(self) -> AnnotationKey:
        return self.rater, self.episode


def distances(
    ratings: Iterable[Rating], measures: Mapping[str, Measure]
) -> Mapping[AnnotationKey, float]:
    """How far each annotation lies from the others of its episode, from 0 (equal) to 1.

    The mean over seats, dimensions and other raters of the difference between two ratings divided
    by the length of the scale. Pairs in which one could not tell are left out, as are decisions of
    the researcher; an annotation with none beside it is missing from the result.
    """
    places: dict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    for rating in ratings:
        if rating.rater != RESEARCHER and not isinstance(rating.score, str):
            places[rating.episode, rating.seat, rating.dimension][rating.rater] = rating.score
    gaps: dict[AnnotationKey, list[float]] = defaultdict(list)
    for (episode, _, dimension), scores in places.items():
        length = measures[dimension].high - measures[dimension].low
        for rater, other in permutations(scores, 2):
            gaps[rater, episode].append(abs(scores[rater] - scores[other]) / length)
    return {key: fmean(differences) for key, differences in gaps.items()}


def least_agreeing(apart: Mapping[AnnotationKey, float]) -> frozenset[AnnotationKey]:
    """The quarter with the largest distances, rounded up, with those that tie with its last; none
    that agrees in full."""
    if not apart:
        return frozenset()
    last = sorted(apart.values(), reverse=True)[ceil(len(apart) / 4) - 1]
    return frozenset(key for key, distance in apart.items() if distance >= last and distance > 0)


def drawn_annotations(store: Store, study: str) -> tuple[Annotation, ...]:
    """All annotations that were drawn, by batch, those that agree least first."""
    names = {who.pk: who.id for who in store.studies.participants(study)}
    drawn = [
        _decode(names[each.participant], each) for each in store.studies.answers(study, name=CHECK)
    ]
    return tuple(sorted(drawn, key=lambda a: (a.batch, -a.distance, a.episode, a.rater)))


def draw_batch(store: Store, study: RateStudy) -> tuple[Annotation, ...]:
    """Draw the next batch: every annotation that has another beside it and is in no batch yet.

    ConfigError where there is none.
    """
    with store.transaction():
        before = drawn_annotations(store, study.name)
        people = {who.id: who.pk for who in store.studies.participants(study.name)}
        apart = undrawn_distances(store, study, ratings_in(store, study.run, study.name))
        if not apart:
            raise ConfigError(
                f"{study.name}: nothing to draw; expected annotations of episodes that two people "
                f"rated{' since the last batch' if before else ''}, found none. Imported ratings "
                "are not annotations: only ratings given in this study are reviewed."
            )
        number = 1 + max((earlier.batch for earlier in before), default=0)
        listed = least_agreeing(apart)
        fresh = [Annotation(*key, number, apart[key], key in listed) for key in apart]
        for new in fresh:
            store.studies.answer(people[new.rater], new.episode, CHECK, _encode(new))
    return tuple(drawn for drawn in drawn_annotations(store, study.name) if drawn.batch == number)


def undrawn_distances(
    store: Store, study: RateStudy, ratings: Sequence[Rating]
) -> Mapping[AnnotationKey, float]:
    """The distances of the annotations that the next batch would hold."""
    drawn = {annotation.key for annotation in drawn_annotations(store, study.name)}
    people = {who.id for who in store.studies.participants(study.name)}
    apart = distances(ratings, rated_measures(store, study.run))
    return {key: far for key, far in apart.items() if key not in drawn and key[0] in people}


def mark_annotation(
    store: Store, study: RateStudy, rater: str, episode: str, *, meets: bool, why: str = ""
) -> Annotation:
    """Mark whether a listed annotation follows the guidelines; the last mark counts.

    The ratings of one that fails stop counting, and its episode needs one more rater; those of one
    that meets them after all are restored. `episode` may be the beginning of an id. ConfigError
    where no such annotation is listed, or one fails without a reason.
    """
    why = one_line(why)
    if not meets and (problem := reason_problem(why, 1)):
        raise ConfigError(f"why it fails the guidelines: {problem}")
    with store.transaction():
        annotation = _find_listed(drawn_annotations(store, study.name), study.name, rater, episode)
        ratings = annotation.replaced
        if meets and ratings:
            store_ratings(store, study.run, study.name, ratings)
            ratings = ()
        elif not meets and not ratings:
            ratings = _remove_ratings(store, study, annotation)
        marked = replace(annotation, meets=meets, why=why, replaced=ratings)
        who = store.studies.participant(study.name, rater)
        store.studies.answer(who.pk, annotation.episode, CHECK, _encode(marked))
    return marked


def _find_listed(drawn: Sequence[Annotation], study: str, rater: str, episode: str) -> Annotation:
    fits = [
        a for a in drawn
        if a.listed and a.rater == rater and a.episode.startswith(episode)
    ]  # fmt: skip
    if len(fits) != 1:
        raise ConfigError(
            f'expected an annotation that is listed, as RATER:EPISODE, found "{rater}:{episode}"; '
            f"`sociolab study review {study}` lists them"
        )
    return fits[0]


def _remove_ratings(store: Store, study: RateStudy, annotation: Annotation) -> tuple[Rating, ...]:
    """Remove an annotation from the ratings of the run, and return its ratings."""
    judge, measures = people_judge(study.name), rated_measures(store, study.run)
    own = [
        (number, rating)
        for number, rating in numbered_ratings(store, study.run, judge)
        if (rating.rater, rating.episode) == annotation.key
    ]
    for number in {number for number, _ in own}:
        store.verdicts.delete(study.run, judge, trial=annotation.episode, judging=number)
    return tuple(rating for _, rating in own if rating.dimension in measures)


ComparedRating: TypeAlias = tuple[Rating, tuple[Rating, ...]]
"""A rating, and the other raters' ratings of the same seat and dimension."""


def compare_annotation(
    annotation: Annotation, ratings: Iterable[Rating], drawn: Iterable[Annotation]
) -> tuple[ComparedRating, ...]:
    """The ratings of an annotation beside those of others, failed ones too, the widest differences
    first.

    `ratings` are those that count, `drawn` all annotations.
    """
    every = (*ratings, *(r for each in drawn for r in each.replaced))
    same_episode = [r for r in every if r.episode == annotation.episode and r.rater != RESEARCHER]
    own = [r for r in same_episode if r.rater == annotation.rater]
    beside = [
        (
            rating,
            tuple(
                r for r in same_episode
                if (r.seat, r.dimension) == (rating.seat, rating.dimension)
                and r.rater != annotation.rater
            ),
        )
        for rating in own
    ]  # fmt: skip

    def spread(pair: ComparedRating) -> float:
        rating, others = pair
        scores = [r.score for r in (rating, *others) if not isinstance(r.score, str)]
        return max(scores) - min(scores) if scores else 0.0

    return tuple(sorted(beside, key=spread, reverse=True))


def summarize_review(store: Store, study: RateStudy) -> str:
    """A sentence on the results of the review; "" before a batch is drawn."""
    drawn = drawn_annotations(store, study.name)
    if not drawn:
        return ""
    failed = [annotation for annotation in drawn if annotation.meets is False]
    waits = sum(annotation.listed and annotation.meets is None for annotation in drawn)
    listed = sum(annotation.listed for annotation in drawn)
    return SAY(
        "review",
        study=study.name,
        annotations=Count("annotation", len(drawn)),
        listed=SAY("listed", n=listed) if listed else SAY("none_listed"),
        failed=len(failed),
        kept=_describe_replaced(failed, _count_lacking(store, study, failed)) if failed else "",
        waits=SAY("waits", n=waits) if waits else "",
    )


def _describe_replaced(failed: Sequence[Annotation], lacking: Sequence[int]) -> Sentence:
    """What was replaced; `lacking` counts the raters that each episode lacks now."""
    ratings = Count("rating", sum(len(annotation.replaced) for annotation in failed))
    episodes = Count("episode", len(lacking))
    raters = SAY("lacking", episodes=episodes, most=max(lacking)) if lacking else SAY("none_lacks")
    return SAY("kept", n=len(failed), ratings=ratings, raters=raters)


def _count_lacking(store: Store, study: RateStudy, failed: Sequence[Annotation]) -> list[int]:
    """How many raters each episode of these annotations lacks now, where it lacks some."""
    raters: dict[str, set[str]] = defaultdict(set)
    for rating in ratings_in(store, study.run, study.name):
        if rating.rater != RESEARCHER:
            raters[rating.episode].add(rating.rater)
    needed = Counter(annotation.episode for annotation in failed)
    lacking = (
        min(count, study.plan.raters - len(raters[episode])) for episode, count in needed.items()
    )
    return [number for number in lacking if number > 0]


def add_review_section(store: Store, agreements: Agreements) -> Agreements:
    """The agreement of people and judges, with a section on the reviews in their runs."""
    sentences = []
    for row in store.studies.all():
        included = row.kind == "rate" and row.run in agreements.ratings.runs
        if included and store.studies.answers(row.name, name=CHECK):
            sentences.append(summarize_review(store, rate_study(store, row)))
    if not sentences:
        return agreements
    first, *rest = agreements.sections
    return replace(agreements, sections=(first, Section(SAY("title"), tuple(sentences)), *rest))


def _encode(annotation: Annotation) -> Json:
    fields = asdict(annotation)
    return {name: fields[name] for name in fields if name not in ("rater", "episode")}


def _decode(rater: str, row: AnswerRow) -> Annotation:
    stored: dict[str, Any] = dict(row.value)  # type: ignore[arg-type]
    stored["replaced"] = tuple(Rating(**each) for each in stored["replaced"])
    return Annotation(rater, row.item, **stored)
