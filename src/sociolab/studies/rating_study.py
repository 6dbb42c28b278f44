"""Rating episodes by people: assignment, drafts and submission, the qualifying test,
disagreements."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import itemgetter
from statistics import median
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
"""The rater's name in ratings that decide a disagreement."""
CHECK = "annotation.check"
"""The name of the answer that holds the review of an annotation."""
SeatDimension: TypeAlias = tuple[str, str]
"""Seat and dimension."""
Stage: TypeAlias = Literal["test", "rate"]
TEST_WORDS = 3
"""Words of a reason in a test."""
WORDS_PER_MINUTE = 200
"""Of a reader who is careful."""
SECONDS_PER_RATING = (12, 30)
"""Without and with a reason."""


@dataclass(frozen=True, slots=True)
class RateStudy:
    """A study in which people rate the episodes of `run`; `episodes` are those assigned to raters.

    `test` maps the episodes of the qualifying test to what is rated in them: episodes of `run` with
    the plan's references or, in the run `exam`, the world's exam ("": none).
    """

    name: str
    run: str
    plan: RatePlan
    measures: tuple[Measure, ...]
    episodes: tuple[str, ...]
    test: Mapping[str, tuple[SeatDimension, ...]]
    exam: str = ""

    def run_of(self, rated: RatedEpisode) -> str:
        return self.exam if self.exam and rated.stage == "test" else self.run

    def least_words(self, rated: RatedEpisode) -> int:
        """Words that a reason needs at least; 0: it is optional. In a test against references it
        never is: researchers read the reasons before they take somebody on (SOTOPIA, D.3)."""
        by_reading = rated.stage == "test" and not self.exam
        return max(self.plan.least_words, TEST_WORDS) if by_reading else self.plan.least_words


@dataclass(frozen=True, slots=True)
class RatedEpisode:
    """An episode that a rater has to rate, and whether it belongs to the test."""

    trial: str
    stage: Stage


def rate_study(store: Store, row: StudyRow) -> RateStudy:
    """Read a study in which people rate; episodes deleted with a participant's data are left out.

    ConfigError for a study of another kind, or a plan that names what does not exist.
    """
    settings = StudySettings.model_validate(row.settings)
    plan = settings.rate
    if plan is None:
        raise ConfigError(f'expected a study of ratings, found "{row.name}", which is of another')
    run = run_of_episodes(store, row.run or plan.run)
    guide = guide_of(store, run.name, plan.guide)
    measures = {dimension.name: dimension.measure for dimension in guide.guides}
    played = dict.fromkeys(store.trial_ids(run.name, "played"))
    for trial in planned_episodes(plan):
        if trial not in played:
            try:
                store.trial_pk(run.name, trial)
            except StoreError:
                raise not_played(run.name, trial) from None
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
    """What an exam asks about each case in these dimensions; cases of other dimensions are left
    out."""
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
    """Delete the exam ratings of all raters of a run's studies; the exams stay."""
    for row in store.studies.all():
        exam = _exam_run(row)
        if row.run == run and exam and store.has_run(exam):
            judge = people_judge(row.name)
            with store.transaction():
                RatingSet.load(store, exam, judge).delete(store, exam, judge)


def _exam_run(row: StudyRow) -> str:
    settings: Any = row.settings
    return str(settings.get("exam_run", ""))


def planned_episodes(plan: RatePlan) -> tuple[str, ...]:
    return (*plan.episodes, *(reference.episode for reference in plan.references))


def not_played(run: str, trial: str) -> ConfigError:
    return ConfigError(f'expected an episode of {run} that was played, found "{trial}"')


def measures_of(plan: RatePlan, measures: Mapping[str, Measure]) -> tuple[Measure, ...]:
    """The metrics of the plan, in the order of the guide; all if the plan names none."""
    for name in plan.dimensions:
        if name not in measures:
            names = ", ".join(measures)
            raise ConfigError(f'expected dimensions out of {names}, found "{name}"')
    return tuple(
        m for name, m in measures.items() if name in plan.dimensions or not plan.dimensions
    )


def next_episode(store: Store, study: RateStudy, who: ParticipantRow) -> RatedEpisode | None:
    """Assign the rater an episode and return it, test episodes first; None if none is left."""
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
    """Whether `next_episode` would return one."""
    if next_test(store, study, who) is not None:
        return True
    if not may_rate(store, study, who):
        return False
    barred = played_by(store, study, who)
    return has_next(store, study.name, who.pk, episode_pool(store, study, who), barred)


def assigned_episode(
    store: Store, study: RateStudy, who: ParticipantRow, trial: str
) -> RatedEpisode | None:
    """The episode, if it is assigned to this rater and not submitted yet."""
    row = assignment_of(store, study.name, who.pk, trial)
    if row is None or row.state == "done":
        return None
    if trial in study.test:
        return RatedEpisode(trial, "test")
    return RatedEpisode(trial, "rate") if trial in study.episodes else None


def next_test(store: Store, study: RateStudy, who: ParticipantRow) -> str | None:
    """The first test episode that this rater has not rated; None after the last."""
    if who.state == "refused":
        return None
    done = {
        row.item for row in store.studies.assignments(study.name, who.pk) if row.state == "done"
    }
    return next((trial for trial in study.test if trial not in done), None)


def episode_pool(store: Store, study: RateStudy, who: ParticipantRow) -> ItemPool:
    """The episodes, each for as many raters as planned. One more rater is due where raters disagree
    and, for raters without failed annotations, where an annotation failed the guidelines."""
    failed = failed_annotations(store, study.name)
    again = [] if who.pk in dict(failed) else [trial for _, trial in failed]
    more = (*_disputed(store, study), *again)
    plan = study.plan
    return ItemPool(study.episodes, plan.raters, plan.each, more, _casts(store, study))


def failed_annotations(store: Store, study: str) -> tuple[tuple[int, str], ...]:
    """The annotations, as (participant's key, episode), that failed the guidelines and no longer
    count."""
    return tuple(
        (each.participant, each.item)
        for each in store.studies.answers(study, name=CHECK)
        if isinstance(each.value, dict) and each.value["meets"] is False
    )


def _casts(store: Store, study: RateStudy) -> Mapping[str, str]:
    """The agents of each episode: raters get episodes of all agents evenly, so that a severe rater
    does not weigh on one agent."""

    def compute() -> Mapping[str, str]:
        return {
            row.trial.id: ", ".join(sorted(member.agent for member in row.trial.cast))
            for row in store.trials(study.run)
        }

    return RUN_CACHE.get_or_make(store, study.run, "casts", compute)


def played_by(store: Store, study: RateStudy, who: ParticipantRow) -> Collection[str]:
    """The episodes that this rater played in: the same pseudonym in a play study of the same
    run."""
    trials: set[str] = set()
    for other in store.studies.all():
        if other.kind == "play" and other.run == study.run:
            for person in store.studies.participants(other.name):
                if person.id == who.id:
                    trials |= {row.item for row in store.studies.assignments(other.name, person.pk)}
    return trials


def done_by(store: Store, study: RateStudy, who: ParticipantRow) -> int:
    """How many episodes the rater has rated, without those of the test."""
    rows = store.studies.assignments(study.name, who.pk)
    items = set(study.episodes)
    return sum(row.state == "done" and row.item in items for row in rows)


def _disputed(store: Store, study: RateStudy) -> frozenset[str]:
    """Episodes that need one more rater; cached until ratings are submitted."""

    def compute() -> frozenset[str]:
        disputed = disputes(store, study.run, study.name, study.plan)
        return frozenset(dispute.trial for dispute in disputed if dispute.open)

    return RUN_CACHE.get_or_make(store, study.run, ("disputed", study.name), compute)


@dataclass(frozen=True, slots=True)
class RatingDraft:
    """A rating in progress; `seconds` is the time spent on it."""

    score: float | NotKnown | None = None
    reason: str = ""
    seconds: float = 0.0


def keep_draft(
    store: Store, participant: int, trial: str, place: SeatDimension, draft: RatingDraft
) -> None:
    value = {"score": draft.score, "reason": draft.reason, "seconds": draft.seconds}
    store.studies.answer(participant, trial, "/".join(place), value)  # type: ignore[arg-type]


def drafts_of(
    store: Store, study: str, participant: int, trial: str
) -> Mapping[SeatDimension, RatingDraft]:
    """The drafts of a rater's form of an episode."""
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
    """What is missing or wrong in the rating of a seat and dimension."""

    seat: str
    dimension: str
    what: str


def rated_places(store: Store, study: RateStudy, rated: RatedEpisode) -> tuple[SeatDimension, ...]:
    """What is rated in an episode: each dimension of each seat that raters see; in the test, what
    the references or the exam hold."""
    if rated.stage == "test":
        return study.test[rated.trial]
    seats = scene_of(store, study, rated).seats
    return tuple((seat, measure.name) for seat in seats for measure in study.measures)


def scene_of(store: Store, study: RateStudy, rated: RatedEpisode) -> RatedScene:
    guide = guide_of(store, study.run, study.plan.guide)
    return guide.rated_scene(store.episode(study.run_of(rated), rated.trial))


def expected_minutes(study: RateStudy, rated: RatedEpisode, scene: RatedScene, count: int) -> int:
    """About how long an episode with this many ratings takes, in minutes: to read it, and to rate.

    A guess from lengths, made before anybody has rated. SOTOPIA's raters took "around 15 minutes"
    for 14 ratings with reasons (D.3).
    """
    told = [scene.context, *(line.text for line in scene.lines)]
    told += [text for one in scene.people for text in (one.about, one.goal, one.secret)]
    words = sum(len(text.split()) for text in told if text)
    seconds = SECONDS_PER_RATING[study.least_words(rated) > 0]
    return max(1, round(words / WORDS_PER_MINUTE + count * seconds / 60))


def usual_minutes(store: Store, study: RateStudy, looked_at: int = 9) -> int:
    """The median of `expected_minutes` over the study's first episodes; 0 where it has none."""
    guesses = []
    for trial in study.episodes[:looked_at]:
        rated = RatedEpisode(trial, "rate")
        scene, places = scene_of(store, study, rated), rated_places(store, study, rated)
        guesses.append(expected_minutes(study, rated, scene, len(places)))
    return round(median(guesses)) if guesses else 0


def find_missing(
    store: Store,
    study: RateStudy,
    rated: RatedEpisode,
    places: Sequence[SeatDimension],
    drafts: Mapping[SeatDimension, RatingDraft],
) -> tuple[MissingRating, ...]:
    """What prevents submission, in the order of the form."""
    missing = []
    measures, scene = rated_measures(store, study.run), None
    if any(measures[dimension].yes_no for _, dimension in places):
        scene = scene_of(store, study, rated)
    for seat, dimension in places:
        draft, measure = drafts.get((seat, dimension), RatingDraft()), measures[dimension]
        score, reason = draft.score, one_line(draft.reason)
        if score is None or not on_scale(measure, score):
            instruction = "choose an answer" if measure.yes_no else "choose a point on the scale"
            missing.append(MissingRating(seat, dimension, instruction))
        problem = reason_problem(reason, study.least_words(rated))
        if not problem and measure.yes_no and scene is not None:
            problem = quote_problem(scene, reason, needed=score == 1)
        if problem:
            missing.append(MissingRating(seat, dimension, problem))
    return tuple(missing)


def submit(
    store: Store, study: RateStudy, who: ParticipantRow, rated: RatedEpisode
) -> tuple[MissingRating, ...]:
    """Store a rater's ratings of an episode; nothing is stored while something is missing.

    After the last test episode, a rater who did not pass becomes "refused". Ratings of an exam are
    stored in its run.
    """
    with store.transaction():
        row = assignment_of(store, study.name, who.pk, rated.trial)
        if row is None or row.state == "done":
            return ()  # submitted from another window of the same person
        drafts = drafts_of(store, study.name, who.pk, rated.trial)
        places = rated_places(store, study, rated)
        if missing := find_missing(store, study, rated, places, drafts):
            return missing
        if rated.stage == "rate" or study.exam:
            run = study.run_of(rated)
            store_ratings(store, run, study.name, _ratings(who, rated, places, drafts))
        store.studies.set_progress(row.pk, "done")
        if qualified(store, study, who) is False:
            store.studies.set_state(who.pk, "refused")
    return ()


def _ratings(
    who: ParticipantRow,
    rated: RatedEpisode,
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
            Rating(rated.trial, seat, who.id, dimension, draft.score, reason, seconds, when)
        )
    return ratings


def store_ratings(store: Store, run: str, study: str, ratings: Sequence[Rating]) -> None:
    """Store ratings in the study's set, all or none; ratings given before are kept.

    Each rater has one judging number in the set, and the world's summary is added for each seat
    that is rated on all metrics. The run is not locked, since no episode is played here; the
    transaction keeps two raters from the same number.
    """
    judge, measures = people_judge(study), rated_measures(store, run)
    raters = {rating.rater for rating in ratings}
    with store.transaction():
        standing = RatingSet()
        for number, before in numbered_ratings(store, run, judge):
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
    """The ratings of the study's set in plan order, without the world's summaries."""
    measures = rated_measures(store, run)
    return tuple(
        rating
        for _, rating in numbered_ratings(store, run, people_judge(study))
        if rating.dimension in measures
    )


def numbered_ratings(store: Store, run: str, judge: JudgeId) -> Iterator[tuple[int, Rating]]:
    """The ratings of a set, summaries included, each with the number of its judging."""
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
    """In how many of the `total` references a rater was within tolerance (`near`), or how many exam
    cases they got right, and whether that is enough."""

    near: int
    total: int
    passed: bool


def references_of(plan: RatePlan) -> Mapping[str, Mapping[tuple[str, str], tuple[float, float]]]:
    """By episode: the seats and dimensions rated in it, each with reference and tolerance."""
    references: dict[str, dict[tuple[str, str], tuple[float, float]]] = {}
    for reference in plan.references:
        expected = references.setdefault(reference.episode, {})
        for dimension, value in reference.scores.items():
            expected[reference.seat, dimension] = (value, reference.within)
    return references


def exam_results(store: Store, study: RateStudy) -> Mapping[str, QualifyingResult]:
    """By rater; empty without an exam."""
    if not study.exam:
        return {}
    judge = people_judge(study.name)
    raters = {number: rating.rater for number, rating in numbered_ratings(store, study.exam, judge)}
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
    """A rater's result in the test; None while some of it is not rated.

    `exams` may pass results that are computed already. A reference without a rating is
    missed.
    """
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
    """Whether a rater passed the test; None while some of it is not rated."""
    result = qualifying_result(store, study, who)
    return None if result is None else result.passed


def may_rate(store: Store, study: RateStudy, who: ParticipantRow) -> bool:
    """Whether a rater may rate the episodes that count."""
    return who.state != "refused" and qualified(store, study, who) is True


@dataclass(frozen=True, slots=True)
class Dispute:
    """A seat and dimension whose ratings differ by more than the plan allows.

    `ratings` are those of raters, lowest first. `decision` is the researcher's, if there is one;
    `third`: more people rated it than first planned.
    """

    trial: str
    seat: str
    dimension: str
    ratings: tuple[Rating, ...]
    decision: Rating | None
    third: bool

    @property
    def apart(self) -> float:
        """The difference between the highest and the lowest rating, in points."""
        low, *_, high = (r.score for r in self.ratings if not isinstance(r.score, str))
        return high - low

    @property
    def open(self) -> bool:
        return self.decision is None and not self.third


def disputes(store: Store, run: str, study: str, plan: RatePlan) -> tuple[Dispute, ...]:
    """All disagreements of a study, the open and widest ones first."""
    return find_disputes(ratings_in(store, run, study), plan)


def find_disputes(ratings: Sequence[Rating], plan: RatePlan) -> tuple[Dispute, ...]:
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


def decide_dispute(
    store: Store, run: str, study: str, plan: RatePlan, place: tuple[str, str, str],
    value: float, reason: str,
) -> None:  # fmt: skip
    """Store the researcher's decision on a disagreement as a rating of its own.

    ConfigError where there is no such disagreement, it is decided already, the score is not on the
    scale or the reason is empty.
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
