"""How do ratings by people get into a run? Checked, as one set."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from statistics import fmean
from typing import Literal, TypeAlias

from sociolab.app.registry import find_world
from sociolab.core.episode import Episode, Trial
from sociolab.core.errors import ConfigError
from sociolab.core.score import (
    NO_ANSWERS,
    JudgeId,
    Measure,
    NotKnown,
    RatedBy,
    Score,
    ScoreFailure,
    Unscored,
)
from sociolab.core.seeding import digest
from sociolab.plugin.world import RatingGuide
from sociolab.report.result import run_of_episodes
from sociolab.report.words import plural
from sociolab.store.connect import checked_name, lock_run
from sociolab.store.store import Store

LONGEST_REASON = 10_000
"""Characters of a reason."""
LONGEST_RATER = 40
_SHOWN = 40
_RATER = re.compile(rf"\w[\w.-]{{0,{LONGEST_RATER - 1}}}")


@dataclass(frozen=True, slots=True)
class Rating:
    """What one person gave one play in one dimension.

    `episode` is the id of a played episode, or a beginning of it that no other has. `seat` is ""
    for a measure of the whole episode. `rater` is a pseudonym: it is stored, exported and shown.
    `score` is in the dimension's range, or, of a yes/no question, one of `NO_ANSWERS`.
    `seconds` is how long the rating took, `when` the moment that it was given, as ISO 8601 with its
    zone (kept in UTC); None and "" where not known.
    ConfigError for a record that cannot be a rating of any run.
    """

    episode: str
    seat: str
    rater: str
    dimension: str
    score: float | NotKnown
    reason: str = ""
    seconds: float | None = None
    when: str = ""

    def __post_init__(self) -> None:
        for name in ("episode", "rater", "dimension"):
            if not getattr(self, name):
                raise ConfigError(f"expected {_AN[name]}, found none")
        if not _RATER.fullmatch(self.rater):
            raise ConfigError(
                "expected a pseudonym as rater, of at most 40 letters, digits, dots, underscores "
                f"and hyphens, found {quoted(self.rater)}"
            )
        if self.score not in NO_ANSWERS and not (
            isinstance(self.score, float | int) and math.isfinite(self.score)
        ):
            raise ConfigError(f"expected a number as score, found {quoted(self.score)}")
        if self.seconds is not None and not 0 <= self.seconds < math.inf:
            raise ConfigError(
                f"expected seconds from 0 or nothing, found {quoted(f'{self.seconds:g}')}"
            )
        if len(self.reason) > LONGEST_REASON:
            raise ConfigError(
                f"expected a reason of at most {LONGEST_REASON:,} characters, "
                f"found {len(self.reason):,}"
            )
        object.__setattr__(self, "when", _moment(self.when))

    def verdict(self, measure: Measure, seat: str | None) -> Score | Unscored:
        """As it is stored."""
        rated_by = RatedBy(self.rater, self.seconds, self.when)
        if isinstance(self.score, str):
            return Unscored(measure, seat, self.reason, self.score, rated_by=rated_by)
        return Score(measure, seat, self.score, self.reason, rated_by)


def on_scale(measure: Measure, score: float | NotKnown) -> bool:
    """Whether this can be said of a measure: a point of its scale; of a yes/no question, that there
    is no answer."""
    if isinstance(score, str):
        return measure.yes_no and score in NO_ANSWERS
    return measure.low <= score <= measure.high and (not measure.whole or score == int(score))


def expected_score(measure: Measure) -> str:
    """What can be said of a measure, in words."""
    if measure.yes_no:
        return f"yes, no, {' or '.join(NO_ANSWERS)} as {measure.name}"
    kind = "a whole number" if measure.whole else "a number"
    return f"{kind} from {measure.low:g} to {measure.high:g} as {measure.name}"


def shown_score(score: float | NotKnown) -> str:
    """A rating as files and pages write it."""
    return score if isinstance(score, str) else f"{score:g}"


NumberedRating: TypeAlias = tuple[int, Rating]
"""A rating and the number of its line, from 1."""

PEOPLE = "people"
"""What a set of ratings is called that was given no other name."""


@dataclass(frozen=True, slots=True)
class KeptRatings:
    """How many ratings were given, by how many raters, of how many plays (seats) and episodes.

    `fresh` counts those that were not stored before, `doubles` those that were given for what the
    same rater had rated already.
    """

    ratings: int
    raters: int
    plays: int
    episodes: int
    fresh: int
    doubles: int = 0


def keep_ratings(
    store: Store,
    run: str,
    ratings: Iterable[Rating],
    *,
    name: str = PEOPLE,
    replace_all: bool = False,
    duplicates: Duplicates = "refuse",
) -> KeptRatings:
    """Store ratings as the set `name` of a run, all or none.

        keep_ratings(store, "my-run", [Rating("094bb6f6", "gurdeep-sandhu", "anna", "goal", 7)])

    A seat may be named by its number (from 1) or by who sits there, a dimension by its title. What
    is stored already is left as it is; `replace_all` puts these in the place of the whole set.
    ConfigError, and nothing stored, where there is none, or where one is of an episode, a seat or a
    dimension that the run does not have, out of its range, given twice, or in contradiction to what
    is stored; a message counts them from 1. ConfigError, too, for the name of a study. StoreError
    while another process works on the run.
    """
    lines = tuple(enumerate(ratings, 1))
    incoming = GivenRatings(lines, (), "", "rating", duplicates)
    return keep(store, run, incoming, name, replace_all)


Duplicates: TypeAlias = Literal["refuse", "first", "mean", "keep"]
"""What becomes of a second rating of the same by the same rater: it is an error; the first counts;
their mean does; it counts as that of another rater ("anna.2")."""


_MOST = 20
"""How many errors a message tells."""


@dataclass(frozen=True, slots=True)
class WrongLine:
    """What is wrong with a line: what was expected, and what found."""

    line: int
    what: str


@dataclass(frozen=True, slots=True)
class GivenRatings:
    """Ratings and what is wrong with others; `place` begins a message, `unit` is what it counts."""

    lines: Sequence[NumberedRating]
    wrong: Sequence[WrongLine]
    place: str
    unit: str
    duplicates: Duplicates = "refuse"


def keep(
    store: Store, run: str, incoming: GivenRatings, name: str, replace_all: bool
) -> KeptRatings:
    """`keep_ratings`, with what is wrong with other lines told in the same message."""
    judge = people_judge(checked_name(name, "set of ratings"))
    if any(row.name == name for row in store.studies.all()):
        raise ConfigError(f'"{name}" is a study; import under another --name')
    with lock_run(store.path, run):
        ratings, doubles, wrong = _checked(incoming, Rateable.load(store, run))
        standing = RatingSet.load(store, run, judge)
        existing = RatingSet() if replace_all else standing
        for rating in ratings:
            if problem := existing.contradicted(rating, name):
                wrong.append(WrongLine(rating.number, problem))
        _refuse(incoming, wrong)
        fresh = [rating for rating in ratings if rating.place not in existing.scores]
        with store.transaction():
            if replace_all:
                standing.delete(store, run, judge)
            existing.add(store, run, judge, fresh)
    return KeptRatings(
        ratings=len(ratings),
        raters=len({rating.rater for rating in ratings}),
        plays=len({(rating.trial, rating.score.seat) for rating in ratings}),
        episodes=len({rating.trial for rating in ratings}),
        fresh=len(fresh),
        doubles=doubles,
    )


def _checked(
    incoming: GivenRatings, run: Rateable
) -> tuple[list[PlacedRating], int, list[WrongLine]]:
    """The ratings that are in order, how many were doubles, and what is wrong with others."""
    wrong = list(incoming.wrong)
    by_place: dict[RatingPlace, list[PlacedRating]] = {}
    for number, unplaced in incoming.lines:
        try:
            trial = run.episode(unplaced.episode)
            rating = PlacedRating(number, trial, unplaced.rater, run.score(unplaced, trial))
        except ConfigError as error:
            wrong.append(WrongLine(number, str(error)))
            continue
        several = by_place.setdefault(rating.place, [])
        several.append(rating)
        if incoming.duplicates == "refuse" and len(several) > 1:
            problem = (
                f"expected one rating of {rating.score.measure.name} by {rating.rater} for this "
                f"seat, found a second (the first in {incoming.unit} {several[0].number}); "
                "--duplicates first, mean or keep says what becomes of it"
            )
            wrong.append(WrongLine(number, problem))
    pseudonyms = _OtherRaters({rater for _, _, rater, _ in by_place})
    ratings = [
        r
        for several in by_place.values()
        for r in _merged(several, incoming.duplicates, pseudonyms)
    ]
    return ratings, sum(map(len, by_place.values())) - len(by_place), wrong


class _OtherRaters:
    """Names for whoever a rater's second, third ... ratings count as: "anna.2". A long name loses
    its end, so that no name is longer than one may be."""

    def __init__(self, reserved: Collection[str]) -> None:
        self._taken = set(reserved)
        self._names: dict[tuple[str, int], str] = {}

    def name(self, rater: str, number: int) -> str:
        """The same for the same rater and number, and nobody else's."""
        if (rater, number) not in self._names:
            ends = (f".{i}" for i in count(number))
            names = (f"{rater[: LONGEST_RATER - len(end)]}{end}" for end in ends)
            self._names[rater, number] = next(name for name in names if name not in self._taken)
            self._taken.add(self._names[rater, number])
        return self._names[rater, number]


def _merged(
    several: Sequence[PlacedRating], duplicates: Duplicates, pseudonyms: _OtherRaters
) -> Sequence[PlacedRating]:
    """What is kept of one rater's ratings of the same."""
    first = several[0]
    if len(several) == 1 or duplicates in ("first", "refuse"):
        return [first]
    if duplicates == "keep":
        return [first, *(_by_another(r, pseudonyms, i) for i, r in enumerate(several[1:], 2))]
    values = [rating.score.value for rating in several if isinstance(rating.score, Score)]
    if not values:
        return [first]
    value = fmean(values)
    is_whole = first.score.measure.whole and value.is_integer()
    reasons = dict.fromkeys(filter(None, (reason_of(rating.score) for rating in several)))
    measure = replace(first.score.measure, whole=is_whole)
    score = Score(measure, first.score.seat, value, "; ".join(reasons), RatedBy(first.rater))
    return [replace(first, score=score)]


def _by_another(rating: PlacedRating, pseudonyms: _OtherRaters, number: int) -> PlacedRating:
    assert rating.score.rated_by is not None
    rated_by = replace(rating.score.rated_by, rater=pseudonyms.name(rating.rater, number))
    return replace(rating, rater=rated_by.rater, score=replace(rating.score, rated_by=rated_by))


def _refuse(incoming: GivenRatings, wrong: Sequence[WrongLine]) -> None:
    """ConfigError where anything is wrong, or nothing is there."""
    if wrong:
        errors = list(dict.fromkeys(sorted(wrong, key=lambda each: each.line)))
        messages = [f"{incoming.unit} {each.line}: {each.what}" for each in errors[:_MOST]]
        messages += [f"and {len(errors) - _MOST:,} more"] if len(errors) > _MOST else []
        every = {each.line for each in errors} | {number for number, _ in incoming.lines}
        if len({each.what for each in errors}) == 1 < len(errors) == len(every):
            messages = [f"all {len(errors):,} {incoming.unit}s: {errors[0].what}"]
        count = plural(len(errors), "error")
        raise ConfigError(f"{incoming.place}{count}, nothing was imported: {'; '.join(messages)}")
    if not incoming.lines:
        raise ConfigError(f"{incoming.place}expected at least one rating, found none")


@dataclass(frozen=True, slots=True)
class Rateable:
    """The trials of a run by id, which of them were played, the measures by name.

    `called` are the names of measures by what else they are called, as `spelled`; `whole` the
    measures of whole episodes. The first of `guides` shows who is in an episode.
    """

    run: str
    trials: Mapping[str, Trial]
    ids: Sequence[str]
    played: frozenset[str]
    measures: Mapping[str, Measure]
    called: Mapping[str, str]
    whole: frozenset[str]
    guides: Sequence[RatingGuide]

    @classmethod
    def load(cls, store: Store, run: str) -> Rateable:
        """What a run holds; ConfigError if it holds no episodes."""
        rows, guides = store.trials(run), _guides(store, run)
        measures, episode_level = _measures(store, run, guides)
        called, declared = dict[str, str](), store.run(run).declared
        for dimension in (each for guide in guides for each in guide.guides):
            titles = (
                dimension.title,
                dimension.measure.title,
                declared.metric(dimension.name).label,
            )
            called |= {spelled(title): dimension.name for title in titles if title}
        called |= {spelled(name): name for name in measures}
        return cls(
            run,
            {row.trial.id: row.trial for row in rows},
            sorted(row.trial.id for row in rows),
            frozenset(row.trial.id for row in rows if row.status == "played"),
            measures,
            called,
            episode_level,
            guides,
        )

    def episode(self, prefix: str) -> str:
        """The id of the episode; ConfigError says what is wrong with this one."""
        if prefix in self.trials:
            matches = [prefix]
        else:
            first = bisect_left(self.ids, prefix)
            matches = [name for name in self.ids[first : first + 2] if name.startswith(prefix)]
        if not matches:
            raise ConfigError(f"expected an episode of {self.run}, found {quoted(prefix)}")
        if len(matches) > 1:
            some = " and ".join(matches)
            raise ConfigError(f"expected one episode, found {quoted(prefix)}, which begins {some}")
        if matches[0] not in self.played:
            raise ConfigError(f"expected an episode that was played, found {quoted(prefix)}")
        return matches[0]

    def measure(self, dimension: str) -> Measure | None:
        """The measure of this name or title; None where there is none."""
        return self.measures.get(self.called.get(spelled(dimension), ""))

    def score(self, rating: Rating, trial: str) -> Score | Unscored:
        """The rating as a verdict; ConfigError where its dimension, seat or score cannot be."""
        measure = self.measure(rating.dimension)
        if measure is None:
            names = ", ".join(self.measures) or "none: judge the run first"
            raise ConfigError(f"expected a dimension ({names}), found {quoted(rating.dimension)}")
        seat = self._seat(rating, measure, self.trials[trial])
        if not on_scale(measure, rating.score):
            raise ConfigError(
                f"expected {expected_score(measure)}, found {shown_score(rating.score)}"
            )
        return rating.verdict(measure, seat)

    def _seat(self, rating: Rating, measure: Measure, trial: Trial) -> str | None:
        if measure.name in self.whole:
            if rating.seat:
                raise ConfigError(
                    f"expected no seat, as {measure.name} is of the whole episode, "
                    f"found {quoted(rating.seat)}"
                )
            return None
        seats, number = trial.task.seats, SEAT_NUMBER.fullmatch(rating.seat)
        if rating.seat in seats:
            return rating.seat
        if number and int(number[1]) <= len(seats):
            return seats[int(number[1]) - 1]
        called = {seat for name, seat in self._names(trial) if spelled(rating.seat) == name}
        if len(called) != 1:
            raise ConfigError(
                f"expected a seat ({', '.join(seats)}), its number or the name of who sits there, "
                f"found {quoted(rating.seat)}"
            )
        return called.pop()

    def _names(self, trial: Trial) -> Iterable[tuple[str, str]]:
        """What those in an episode may be called, and their seats."""
        try:
            people = self.guides[0].rated_scene(Episode(trial, ())).people if self.guides else ()
        except ConfigError:  # a task that its world does not know
            people = ()
        return [(spelled(name), who.seat) for who in people for name in (who.name, who.full_name)]


def _measures(
    store: Store, run: str, guides: Sequence[RatingGuide]
) -> tuple[dict[str, Measure], frozenset[str]]:
    """What can be rated in a run: what its world has a guide to; else all that judges scored.

    Also, which of these are of whole episodes.
    """
    run_of_episodes(store, run)
    if guides:
        return {d.name: d.measure for guide in guides for d in guide.guides}, frozenset()
    measures: dict[str, Measure] = {}
    episode_level: set[str] = set()
    for row in store.verdicts.scores(run, texts=False):
        if row.trial is not None:
            measures.setdefault(row.measure.name, row.measure)
            if row.seat is None:
                episode_level.add(row.measure.name)
    return measures, frozenset(episode_level)


def people_judge(name: str) -> JudgeId:
    """Who rated, to a report: all raters of the set of this name together."""
    return JudgeId(name, "people", digest("ratings", name))


def delete_ratings(store: Store, run: str, name: str) -> None:
    """Delete a set of ratings. ConfigError where it is a study's; StoreError while another process
    works on the run."""
    if any(row.name == name for row in store.studies.all()):
        raise ConfigError(f'"{name}" is a study: use `sociolab study delete {name}`')
    judge = people_judge(name)
    with lock_run(store.path, run), store.transaction():
        RatingSet.load(store, run, judge).delete(store, run, judge)


RatingPlace: TypeAlias = tuple[str, str | None, str, str]
"""Trial, seat, rater and measure."""


@dataclass(frozen=True, slots=True)
class PlacedRating:
    """A rating that is in order, and which of those given it is, counted from 1."""

    number: int
    trial: str
    rater: str
    score: Score | Unscored

    @property
    def place(self) -> RatingPlace:
        """Where it belongs: nobody rates the same twice."""
        return self.trial, self.score.seat, self.rater, self.score.measure.name


@dataclass(frozen=True, slots=True)
class RatingSet:
    """What is stored of a set: the scores, and the number of each rater's judgings."""

    scores: dict[RatingPlace, Score | Unscored] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    judgings: tuple[tuple[str, int], ...] = ()

    @classmethod
    def load(cls, store: Store, run: str, judge: JudgeId) -> RatingSet:
        """The set of this judge in a run; empty where there is none."""
        scores: dict[RatingPlace, Score | Unscored] = {}
        numbers: dict[str, int] = {}
        judgings: list[tuple[str, int]] = []
        for row in store.verdicts.judgings(run, judge):
            judgings.append((str(row.trial), row.judging))
            for verdict in row.verdicts:
                if not isinstance(verdict, ScoreFailure):
                    rater = verdict.rated_by.rater if verdict.rated_by else str(row.judging + 1)
                    numbers[rater] = row.judging
                    place = (str(row.trial), verdict.seat, rater, verdict.measure.name)
                    scores[place] = verdict
        return cls(scores, numbers, tuple(judgings))

    def contradicted(self, rating: PlacedRating, name: str) -> str:
        """What is wrong with a rating that is stored already, with another score; or ""."""
        stored, score = self.scores.get(rating.place), rating.score
        if stored is None or rated_value(stored) == rated_value(score):
            return ""
        return (
            f"{rating.rater}'s {score.measure.name} rating is stored in the set {name} as "
            f"{shown_score(rated_value(stored))}, found {shown_score(rated_value(score))}; "
            "--replace replaces the whole set"
        )

    def delete(self, store: Store, run: str, judge: JudgeId) -> None:
        """Remove the set."""
        for trial, number in self.judgings:
            store.verdicts.delete(run, judge, trial=trial, judging=number)

    def add(self, store: Store, run: str, judge: JudgeId, fresh: Iterable[PlacedRating]) -> None:
        """Store new ratings, a judging for each rater and episode, and the overall they complete.

        Raters keep their numbers; new ones are numbered behind them, by name.
        """
        by: dict[tuple[str, str], list[PlacedRating]] = {}
        for rating in fresh:
            by.setdefault((rating.rater, rating.trial), []).append(rating)
        new = sorted({rater for rater, _ in by} - set(self.numbers))
        after = max(self.numbers.values(), default=-1) + 1
        numbers = {**self.numbers, **{rater: after + i for i, rater in enumerate(new)}}
        guides = _guides(store, run)
        names = [dimension.name for guide in guides for dimension in guide.guides]

        def order(score: Score | Unscored) -> tuple[str, int, str]:
            name = score.measure.name
            return score.seat or "", names.index(name) if name in names else len(names), name

        before: dict[tuple[str, str], list[Score | Unscored]] = {}
        for (trial, _, rater, _), score in self.scores.items():
            before.setdefault((rater, trial), []).append(score)
        for (rater, trial), ratings in sorted(by.items()):
            scores = sorted((rating.score for rating in ratings), key=order)
            stored = before.get((rater, trial), [])
            verdicts = [*scores, *_sums(guides, rater, (*stored, *scores))]
            store.verdicts.add(run, judge, verdicts, trial=trial, judging=numbers[rater])


def reason_of(verdict: Score | Unscored) -> str:
    """Why a rater gave it."""
    return verdict.reason if isinstance(verdict, Score) else verdict.why


def rated_value(verdict: Score | Unscored) -> float | NotKnown:
    """What a rater gave."""
    return verdict.value if isinstance(verdict, Score) else verdict.kind


def _guides(store: Store, run: str) -> tuple[RatingGuide, ...]:
    """How people rate in the world of a run; empty where it does not say, or is not installed."""
    world = find_world(store.run(run).world)
    return tuple(world.guide(name) for name in world.guides) if world is not None else ()


def _sums(
    guides: Sequence[RatingGuide], rater: str, scores: Sequence[Score | Unscored]
) -> Iterable[Score]:
    """What the world sums up, for each seat of which one rater has rated all."""
    for guide in guides:
        for seat in sorted({score.seat for score in scores if score.seat is not None}):
            rated = {score.measure.name for score in scores if score.seat == seat}
            if guide.summary is not None and rated >= {d.name for d in guide.guides}:
                summary = guide.summary(tuple(s for s in scores if isinstance(s, Score)), seat)
                if isinstance(summary, Score):
                    yield replace(summary, reason="", rated_by=RatedBy(rater))


SEAT_NUMBER = re.compile(r"(?:agent|person|participant|player|seat|p)?[ _-]?([1-9])", re.IGNORECASE)
"""A seat by its number."""


def spelled(text: str) -> str:
    """A name in small letters, its parts parted by one blank."""
    return re.sub(r"[\W_]+", " ", text).strip().casefold()


def quoted(value: object) -> str:
    """What was found, short and on one line, in quotes."""
    text = text_of(value)
    cut = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    printable = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in cut)
    return f'"{printable}"'


def text_of(cell: object) -> str:
    """A cell as text; "" for None, "?" for what Python does not write out."""
    try:
        return "" if cell is None else str(cell).strip()
    except (ValueError, RecursionError):  # more digits, or deeper
        return "?"


_AN = {"episode": "an episode", "rater": "a rater", "dimension": "a dimension"}


def _moment(text: str) -> str:
    """A moment in UTC, to the second; ConfigError for what is none, or has no zone."""
    if not text:
        return ""
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise ValueError
        return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    except (ValueError, OverflowError) as error:
        raise ConfigError(
            "expected a time with its zone as when, such as 2026-03-01T14:05:00Z, "
            f"found {quoted(text)}"
        ) from error
