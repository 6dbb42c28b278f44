"""People rate episodes: who gets what, drafts and submission, the test, and disagreements."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any, Literal, TypeAlias

from sociolab.app.run_cache import RUN_CACHE
from sociolab.core.errors import ConfigError, StoreError
from sociolab.core.score import NO_ANSWERS, JudgeId, Measure, NotKnown, RatedBy, Score, Unscored
from sociolab.plugin.shown import RatedScene
from sociolab.report.exam import MarkedCase, exam_entry, marked_cases
from sociolab.report.result import run_of_episodes
from sociolab.store.store import Store
from sociolab.store.studies import ParticipantRow, StudyRow
from sociolab.studies.assignment import (
    ItemPool,
    assign_next,
    assignment_of,
    has_next,
    hold_item,
)
from sociolab.studies.rating_rules import (
    guide_of,
    one_line,
    quote_problem,
    rated_measures,
    reason_problem,
)
from sociolab.studies.ratings import PlacedRating, Rating, RatingSet, on_scale, people_judge
from sociolab.studies.settings import RatePlan, StudySettings

RESEARCHER = "researcher"
"""Who signs a decision on a disagreement."""
CHECK = "annotation.check"
"""The name of the answer that keeps what a review of annotations made of one of them."""
SeatDimension: TypeAlias = tuple[str, str]
"""Seat and dimension."""
Stage: TypeAlias = Literal["test", "rate"]


@dataclass(frozen=True, slots=True)
class RateStudy:
    """A study in which people rate the episodes of `run`; `episodes` are those dealt to raters.

    `test` says by episode what is asked of it before: of `run`, by the plan's references, or, of
    the run `exam`, by the world's exam ("": none).
    """

    name: str
    run: str
    plan: RatePlan
    measures: tuple[Measure, ...]
    episodes: tuple[str, ...]
    test: Mapping[str, tuple[SeatDimension, ...]]
    exam: str = ""

    def run_of(self, play: RatedEpisode) -> str:
        """The run that holds an episode."""
        return self.exam if self.exam and play.stage == "test" else self.run


@dataclass(frozen=True, slots=True)
class RatedEpisode:
    """What a rater has before them: an episode, and whether it is of the test or counts."""

    trial: str
    stage: Stage


def rate_study(store: Store, row: StudyRow) -> RateStudy:
    """The study of this row; ConfigError where it is of another kind, or its plan names what is
    not there. Episodes that are not played any more (somebody was forgotten) are left out."""
    settings = StudySettings.model_validate(row.settings)
    plan = settings.rate
    if plan is None:
        raise ConfigError(f'expected a study of ratings, found "{row.name}", which is of another')
    run = run_of_episodes(store, row.run or plan.run)
    guide = guide_of(store, run.name, plan.guide)
    measures = {dimension.name: dimension.measure for dimension in guide.guides}
    played = dict.fromkeys(store.trial_ids(run.name, "played"))
    for trial in named_in(plan):
        if trial not in played:
            _check_is_there(store, run.name, trial)
    plan = plan.model_copy(
        update={"references": tuple(r for r in plan.references if r.episode in played)}
    )
    chosen = measures_of(plan, measures)
    if settings.exam_run:
        test = _exam_places(store, settings.exam_run, {measure.name for measure in chosen})
    else:
        test = {trial: tuple(places) for trial, places in references_of(plan).items()}
    episodes = tuple(t for t in plan.episodes or played if t in played and t not in test)
    return RateStudy(row.name, run.name, plan, chosen, episodes, test, settings.exam_run)


def _exam_places(
    store: Store, run: str, dimensions: Collection[str]
) -> dict[str, tuple[SeatDimension, ...]]:
    """What an exam asks of each of its cases, of these dimensions; a case of others is left out."""
    if not store.has_run(run):
        raise ConfigError(f"expected the run {run} with the exam of raters, found none; it is gone")
    settings: Any = store.run(run).settings
    cases = settings["cases"]
    places = {
        trial: tuple((seat, name) for name, seat, *_ in cases[trial]["expected"]
                     if seat is not None and name in dimensions)
        for trial in store.trial_ids(run, "played")
    }  # fmt: skip
    return {trial: some for trial, some in places.items() if some}


def studies_with_exam(store: Store, run: str) -> tuple[StudyRow, ...]:
    """The studies whose raters sit the exam in this run."""
    return tuple(row for row in store.studies.all() if _exam_run(row) == run)


def delete_exam_ratings(store: Store, run: str) -> None:
    """Delete what the raters of a run's studies said in exams; the exams stay."""
    for row in store.studies.all():
        exam = _exam_run(row)
        if row.run == run and exam and store.has_run(exam):
            judge = people_judge(row.name)
            with store.transaction():
                RatingSet.load(store, exam, judge).delete(store, exam, judge)


def _exam_run(row: StudyRow) -> str:
    settings: Any = row.settings
    return str(settings.get("exam_run", ""))


def named_in(plan: RatePlan) -> tuple[str, ...]:
    """The episodes that a plan names."""
    return (*plan.episodes, *(reference.episode for reference in plan.references))


def not_played(run: str, trial: str) -> ConfigError:
    """What is wrong with an episode that cannot be rated."""
    return ConfigError(f'expected an episode of {run} that was played, found "{trial}"')


def _check_is_there(store: Store, run: str, trial: str) -> None:
    try:
        store.trial_pk(run, trial)
    except StoreError:
        raise not_played(run, trial) from None


def measures_of(plan: RatePlan, measures: Mapping[str, Measure]) -> tuple[Measure, ...]:
    """The measures that are asked for, in the order of the guide; all if the plan names none."""
    for name in plan.dimensions:
        if name not in measures:
            names = ", ".join(measures)
            raise ConfigError(f'expected dimensions out of {names}, found "{name}"')
    return tuple(
        m for name, m in measures.items() if name in plan.dimensions or not plan.dimensions
    )


def next_episode(store: Store, study: RateStudy, who: ParticipantRow) -> RatedEpisode | None:
    """What the rater rates next, dealt to them; None where there is nothing more for them."""
    test = next_test(store, study, who)
    if test is not None:
        hold_item(store, study.name, who.pk, test)
        return RatedEpisode(test, "test")
    if not may_rate(store, study, who):
        return None
    trial = assign_next(
        store, study.name, who.pk, episode_pool(store, study, who), played_by(store, study, who)
    )
    return None if trial is None else RatedEpisode(trial, "rate")


def has_more(store: Store, study: RateStudy, who: ParticipantRow) -> bool:
    """Whether `next_episode` would find something."""
    if next_test(store, study, who) is not None:
        return True
    if not may_rate(store, study, who):
        return False
    barred = played_by(store, study, who)
    return has_next(store, study.name, who.pk, episode_pool(store, study, who), barred)


def given_episode(
    store: Store, study: RateStudy, who: ParticipantRow, trial: str
) -> RatedEpisode | None:
    """The play, if this rater was given it and has not handed in the ratings yet."""
    row = assignment_of(store, study.name, who.pk, trial)
    if row is None or row.state == "done":
        return None
    if trial in study.test:
        return RatedEpisode(trial, "test")
    return RatedEpisode(trial, "rate") if trial in study.episodes else None


def next_test(store: Store, study: RateStudy, who: ParticipantRow) -> str | None:
    """The first episode of the test that this rater has not rated; None behind it."""
    if who.state == "refused":
        return None
    done = {
        row.item for row in store.studies.assignments(study.name, who.pk) if row.state == "done"
    }
    return next((trial for trial in study.test if trial not in done), None)


def episode_pool(store: Store, study: RateStudy, who: ParticipantRow) -> ItemPool:
    """The episodes, each for so many raters; one on which they disagree is for one more, as is one
    of an annotation that failed the guidelines, for raters of whom none did."""
    failed = failed_annotations(store, study.name)
    again = [] if who.pk in dict(failed) else [trial for _, trial in failed]
    more = (*_disputed(store, study), *again)
    plan = study.plan
    return ItemPool(study.episodes, plan.raters, plan.each, more, _casts(store, study))


def failed_annotations(store: Store, study: str) -> tuple[tuple[int, str], ...]:
    """Whose ratings (by key) of which episode failed the guidelines, and no longer count."""
    return tuple(
        (each.participant, each.item)
        for each in store.studies.answers(study, name=CHECK)
        if isinstance(each.value, dict) and each.value["meets"] is False
    )


def _casts(store: Store, study: RateStudy) -> Mapping[str, str]:
    """Who played each episode: raters are dealt evenly over agents, so that a severe one does not
    fall on one of them."""

    def find() -> Mapping[str, str]:
        return {
            row.trial.id: ", ".join(sorted(member.agent for member in row.trial.cast))
            for row in store.trials(study.run)
        }

    return RUN_CACHE.get_or_make(store, study.run, "casts", find)


def played_by(store: Store, study: RateStudy, who: ParticipantRow) -> Collection[str]:
    """Episodes that this rater played in: the same pseudonym in a play study of the same run."""
    trials: set[str] = set()
    for other in store.studies.all():
        if other.kind == "play" and other.run == study.run:
            for person in store.studies.participants(other.name):
                if person.id == who.id:
                    trials |= {row.item for row in store.studies.assignments(other.name, person.pk)}
    return trials


def done_by(store: Store, study: RateStudy, who: ParticipantRow) -> int:
    """How many episodes this rater has handed in, the test apart."""
    rows = store.studies.assignments(study.name, who.pk)
    items = set(study.episodes)
    return sum(row.state == "done" and row.item in items for row in rows)


def _disputed(store: Store, study: RateStudy) -> frozenset[str]:
    """Episodes that want one more rater; worked out again when ratings were submitted since."""

    def find() -> frozenset[str]:
        disputed = disputes(store, study.run, study.name, study.plan)
        return frozenset(dispute.trial for dispute in disputed if dispute.open)

    return RUN_CACHE.get_or_make(store, study.run, ("disputed", study.name), find)


@dataclass(frozen=True, slots=True)
class RatingDraft:
    """A rating as far as it has come; `seconds` were spent on it."""

    score: float | NotKnown | None = None
    reason: str = ""
    seconds: float = 0.0


def keep_draft(
    store: Store, participant: int, trial: str, place: SeatDimension, draft: RatingDraft
) -> None:
    """Keep what stands in a rater's form."""
    value = {"score": draft.score, "reason": draft.reason, "seconds": draft.seconds}
    store.studies.answer(participant, trial, "/".join(place), value)  # type: ignore[arg-type]


def drafts_of(
    store: Store, study: str, participant: int, trial: str
) -> Mapping[SeatDimension, RatingDraft]:
    """What stands in a rater's form of an episode."""
    drafts: dict[SeatDimension, RatingDraft] = {}
    for answer in store.studies.answers(study, participant):
        seat, slash, dimension = answer.name.rpartition("/")
        if answer.item == trial and slash and isinstance(answer.value, dict):
            score, seconds = answer.value.get("score"), answer.value.get("seconds")
            drafts[seat, dimension] = RatingDraft(
                float(score)
                if isinstance(score, (int, float))
                else next((kind for kind in NO_ANSWERS if kind == score), None),
                str(answer.value.get("reason", "")),
                float(seconds) if isinstance(seconds, (int, float)) else 0.0,
            )
    return drafts


@dataclass(frozen=True, slots=True)
class MissingRating:
    """What is not in order yet, of which seat and dimension."""

    seat: str
    dimension: str
    what: str


def asked_places(store: Store, study: RateStudy, play: RatedEpisode) -> tuple[SeatDimension, ...]:
    """What is asked of an episode: each dimension of each seat that the world has people rate; in
    the test, what the references or the exam hold."""
    if play.stage == "test":
        return study.test[play.trial]
    seats = scene_of(store, study, play).seats
    return tuple((seat, measure.name) for seat in seats for measure in study.measures)


def scene_of(store: Store, study: RateStudy, play: RatedEpisode) -> RatedScene:
    """An episode as raters see it."""
    guide = guide_of(store, study.run, study.plan.guide)
    return guide.rated_scene(store.episode(study.run_of(play), play.trial))


def missing(
    store: Store,
    study: RateStudy,
    play: RatedEpisode,
    places: Sequence[SeatDimension],
    drafts: Mapping[SeatDimension, RatingDraft],
) -> tuple[MissingRating, ...]:
    """What stands in the way of handing in, in the order of the form."""
    lacking = []
    measures, scene = rated_measures(store, study.run), None
    if any(measures[dimension].yes_no for _, dimension in places):
        scene = scene_of(store, study, play)
    for seat, dimension in places:
        draft, measure = drafts.get((seat, dimension), RatingDraft()), measures[dimension]
        score, reason = draft.score, one_line(draft.reason)
        if score is None or not on_scale(measure, score):
            instruction = "choose an answer" if measure.yes_no else "choose a point on the scale"
            lacking.append(MissingRating(seat, dimension, instruction))
        problem = reason_problem(reason, study.plan.least_words)
        if not problem and measure.yes_no and scene is not None:
            problem = quote_problem(scene, reason, needed=score == 1)
        if problem:
            lacking.append(MissingRating(seat, dimension, problem))
    return tuple(lacking)


def submit(
    store: Store, study: RateStudy, who: ParticipantRow, play: RatedEpisode
) -> tuple[MissingRating, ...]:
    """Store a rater's ratings of an episode; nothing is stored while something is missing.

    Behind the last episode of the test it is seen whether the rater goes on; who does not is
    "refused". What is said in an exam is stored in its run.
    """
    with store.transaction():
        row = assignment_of(store, study.name, who.pk, play.trial)
        if row is None or row.state == "done":
            return ()  # handed in by another window of the same person
        drafts = drafts_of(store, study.name, who.pk, play.trial)
        places = asked_places(store, study, play)
        if lacking := missing(store, study, play, places, drafts):
            return lacking
        if play.stage == "rate" or study.exam:
            run = study.run_of(play)
            store_ratings(store, run, study.name, _ratings(who, play, places, drafts))
        store.studies.set_progress(row.pk, "done")
        if qualified(store, study, who) is False:
            store.studies.set_state(who.pk, "refused")
    return ()


def _ratings(
    who: ParticipantRow,
    play: RatedEpisode,
    places: Sequence[SeatDimension],
    drafts: Mapping[SeatDimension, RatingDraft],
) -> list[Rating]:
    ratings = []
    when = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    for seat, dimension in places:
        draft = drafts[seat, dimension]
        assert draft.score is not None
        reason, seconds = one_line(draft.reason), round(draft.seconds, 1)
        ratings.append(
            Rating(play.trial, seat, who.id, dimension, draft.score, reason, seconds, when)
        )
    return ratings


def store_ratings(store: Store, run: str, study: str, ratings: Sequence[Rating]) -> None:
    """Store ratings in the study's set, all or none; what a rater gave before stands.

    Each rater has one number of judgings in the set, and what the world sums up is added for each
    seat whose measures are all there. The run is not locked, since nothing is played here: that two
    raters never take one number is the transaction's doing.
    """
    judge, measures = people_judge(study), rated_measures(store, run)
    raters = {rating.rater for rating in ratings}
    with store.transaction():
        standing = RatingSet()
        for number, before in given_ratings(store, run, judge):
            standing.numbers[before.rater] = number
            if before.rater in raters and before.dimension in measures:
                place = (before.episode, before.seat, before.rater, before.dimension)
                standing.scores[place] = _score(before, measures)
        placed = [
            PlacedRating(number, rating.episode, rating.rater, _score(rating, measures))
            for number, rating in enumerate(ratings, 1)
        ]
        fresh = [rating for rating in placed if rating.place not in standing.scores]
        standing.add(store, run, judge, fresh)


def ratings_in(store: Store, run: str, study: str) -> tuple[Rating, ...]:
    """The ratings of the study's set, in the order of the plan; no overalls."""
    measures = rated_measures(store, run)
    return tuple(
        rating
        for _, rating in given_ratings(store, run, people_judge(study))
        if rating.dimension in measures
    )


def given_ratings(store: Store, run: str, judge: JudgeId) -> Iterator[tuple[int, Rating]]:
    """The ratings of a set, overalls among them, each with the number of its judging."""
    for row in store.verdicts.scores(run, judge):
        score = row.unscored if row.value is None else row.value
        if row.trial is not None and score is not None:
            by = row.rated_by or RatedBy(str(row.judging + 1))
            place = row.trial, row.seat or "", by.rater, row.measure.name
            yield row.judging, Rating(*place, score, row.text, by.seconds, by.when)


def _score(rating: Rating, measures: Mapping[str, Measure]) -> Score | Unscored:
    return rating.verdict(measures[rating.dimension], rating.seat)


@dataclass(frozen=True, slots=True)
class QualifyingResult:
    """Of `asked` references a rater was within tolerance on `near`, or of so many cases of the exam
    right; whether that is enough."""

    near: int
    asked: int
    passed: bool


def references_of(plan: RatePlan) -> Mapping[str, Mapping[tuple[str, str], tuple[float, float]]]:
    """By episode: what is asked of it (seat and dimension), the reference and its tolerance."""
    references: dict[str, dict[tuple[str, str], tuple[float, float]]] = {}
    for reference in plan.references:
        expected = references.setdefault(reference.episode, {})
        for dimension, value in reference.scores.items():
            expected[reference.seat, dimension] = (value, reference.within)
    return references


def exam_results(store: Store, study: RateStudy) -> Mapping[str, QualifyingResult]:
    """How each rater did in the exam, as far as they have come; empty without one."""
    if not study.exam:
        return {}
    judge = people_judge(study.name)
    raters = {number: rating.rater for number, rating in given_ratings(store, study.exam, judge)}
    marked: dict[str, list[MarkedCase]] = {}
    for case in marked_cases(store, study.exam, judge):
        marked.setdefault(raters[case.sitting], []).append(case)
    entries = {rater: exam_entry(cases) for rater, cases in marked.items()}
    return {rater: QualifyingResult(e.right, e.cases, e.passed) for rater, e in entries.items()}


def qualifying_result(
    store: Store,
    study: RateStudy,
    who: ParticipantRow,
    exams: Mapping[str, QualifyingResult] | None = None,
) -> QualifyingResult | None:
    """How a rater did in the test, by `exams` where these are counted already; None while some of
    it is left to rate. A reference that was not rated is not near."""
    rows = store.studies.assignments(study.name, who.pk)
    if not {row.item for row in rows if row.state == "done"} >= set(study.test):
        return None
    if study.exam:
        return (exam_results(store, study) if exams is None else exams)[who.id]
    near = cases = 0
    for trial, references in references_of(study.plan).items():
        drafts = drafts_of(store, study.name, who.pk, trial)
        for place, (value, within) in references.items():
            draft = drafts.get(place)
            cases += 1
            near += (
                draft is not None
                and isinstance(draft.score, float)
                and (abs(draft.score - value) <= within)
            )
    passed = not cases or near / cases >= study.plan.threshold
    return QualifyingResult(near, cases, passed)


def qualified(store: Store, study: RateStudy, who: ParticipantRow) -> bool | None:
    """Whether a rater passed the test; None while some of it is left to rate."""
    result = qualifying_result(store, study, who)
    return None if result is None else result.passed


def may_rate(store: Store, study: RateStudy, who: ParticipantRow) -> bool:
    """Whether a rater may go on to the plays that count."""
    return who.state != "refused" and qualified(store, study, who) is True


@dataclass(frozen=True, slots=True)
class Dispute:
    """A play and dimension on which raters lie further apart than the plan allows.

    `ratings` are those of raters, the lowest first. `decision` is the researcher's, if there is
    one; `third` says whether more people rated it than were asked at first.
    """

    trial: str
    seat: str
    dimension: str
    ratings: tuple[Rating, ...]
    decision: Rating | None
    third: bool

    @property
    def apart(self) -> float:
        """Points between the lowest and the highest rating."""
        low, *_, high = (r.score for r in self.ratings if not isinstance(r.score, str))
        return high - low

    @property
    def open(self) -> bool:
        """Whether nothing has settled it yet."""
        return self.decision is None and not self.third


def disputes(store: Store, run: str, study: str, plan: RatePlan) -> tuple[Dispute, ...]:
    """All disagreements of a study, the open ones and the widest first."""
    return found_among(ratings_in(store, run, study), plan)


def found_among(ratings: Sequence[Rating], plan: RatePlan) -> tuple[Dispute, ...]:
    """The disagreements among these ratings."""
    by_place: dict[tuple[str, str, str], list[Rating]] = {}
    for rating in ratings:
        by_place.setdefault((rating.episode, rating.seat, rating.dimension), []).append(rating)
    wide = []
    for place, at_place in by_place.items():
        scored = [
            (r.score, r.rater, r)
            for r in at_place
            if r.rater != RESEARCHER and not isinstance(r.score, str)
        ]
        by = sorted(scored, key=itemgetter(0, 1))
        if len(by) > 1 and by[-1][0] - by[0][0] > plan.disagreement:
            decision = next((r for r in at_place if r.rater == RESEARCHER), None)
            ratings = tuple(r for *_, r in by)
            wide.append(Dispute(*place, ratings, decision, len(by) > plan.raters))
    return tuple(sorted(wide, key=lambda d: (not d.open, -d.apart, d.trial, d.seat, d.dimension)))


def settle(
    store: Store, run: str, study: str, plan: RatePlan, place: tuple[str, str, str],
    value: float, reason: str,
) -> None:  # fmt: skip
    """Keep the researcher's decision on a disagreement as a rating of its own.

    ConfigError where there is no such disagreement, it is decided already, the score is not on the
    scale or the reason says nothing.
    """
    trial, seat, dimension = place
    by_place = {(d.trial, d.seat, d.dimension): d for d in disputes(store, run, study, plan)}
    if place not in by_place:
        raise ConfigError(
            "expected an episode and dimension on which raters disagree, found another"
        )
    if by_place[place].decision is not None:
        raise ConfigError("this disagreement is decided already; a rating is never overwritten")
    measure = rated_measures(store, run)[dimension]
    if not on_scale(measure, value):
        raise ConfigError(
            f"expected a whole number from {measure.low:g} to {measure.high:g} as {dimension}, "
            f"found {value:g}"
        )
    reason = one_line(reason)
    if problem := reason_problem(reason, 1):
        raise ConfigError(f"{problem[0].upper()}{problem[1:]}.")
    store_ratings(store, run, study, [Rating(trial, seat, RESEARCHER, dimension, value, reason)])
