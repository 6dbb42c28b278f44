"""Ratings by people as they enter a run: checked and stored as one set."""

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
from sociolab.core.names import describe_invisible, fold_name, normalize_text
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
from sociolab.report.words import join_names, plural
from sociolab.store.connect import checked_name, lock_run
from sociolab.store.store import Store

LONGEST_REASON = 10_000
"""Characters of a reason."""
LONGEST_RATER = 40
_SHOWN = 40
_RATER = re.compile(rf"\w[\w.-]{{0,{LONGEST_RATER - 1}}}")


@dataclass(frozen=True, slots=True)
class Rating:
    """One person's rating of a seat of an episode on one dimension.

    `episode` is the id of a played episode, or an unambiguous beginning of it. `seat` is "" for a
    metric of the whole episode. `rater` is a pseudonym: it is stored, exported and shown. `score`
    is in the dimension's range or, for a yes/no question, one of `NO_ANSWERS`. `seconds` is how
    long the rating took, `when` the time it was given, as ISO 8601 with its zone (stored in UTC);
    None and "" if unknown. ConfigError for a record that cannot be a rating of any run.

    >>> from sociolab import Rating
    >>> Rating("094bb6f6", "ann", "rater-1", "goal", 7, when="2026-03-01T15:05:00+01:00").when
    '2026-03-01T14:05:00Z'
    >>> Rating("094bb6f6", "ann", "Anna Smith", "goal", 7)
    Traceback (most recent call last):
        ...
    sociolab.core.errors.ConfigError: expected a pseudonym as rater, ...
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
        for name in ("episode", "seat", "rater", "dimension"):
            object.__setattr__(self, name, normalize_text(getattr(self, name)))
            if invisible := describe_invisible(getattr(self, name)):
                found = f"{quote(getattr(self, name))}, with an invisible {invisible}"
                raise ConfigError(f"expected visible characters as {name}, found {found}")
            if not getattr(self, name) and name != "seat":
                raise ConfigError(f"expected {_WITH_ARTICLE[name]}, found none")
        if not _RATER.fullmatch(self.rater):
            raise ConfigError(
                "expected a pseudonym as rater, of at most 40 letters, digits, dots, underscores "
                f"and hyphens, found {quote(self.rater)}"
            )
        if self.score not in NO_ANSWERS and not (
            isinstance(self.score, float | int) and math.isfinite(self.score)
        ):
            raise ConfigError(f"expected a number as score, found {quote(self.score)}")
        if self.seconds is not None and not 0 <= self.seconds < math.inf:
            raise ConfigError(
                f"expected seconds from 0 or nothing, found {quote(f'{self.seconds:g}')}"
            )
        if len(self.reason) > LONGEST_REASON:
            raise ConfigError(
                f"expected a reason of at most {LONGEST_REASON:,} characters, "
                f"found {len(self.reason):,}"
            )
        object.__setattr__(self, "when", _to_utc(self.when))

    def verdict(self, measure: Measure, seat: str | None) -> Score | Unscored:
        rated_by = RatedBy(self.rater, self.seconds, self.when)
        if isinstance(self.score, str):
            return Unscored(measure, seat, self.reason, self.score, rated_by=rated_by)
        return Score(measure, seat, self.score, self.reason, rated_by)


def on_scale(measure: Measure, score: float | NotKnown) -> bool:
    """Whether a score is possible on a metric: a point of its scale or, for a yes/no question, also
    one of `NO_ANSWERS`."""
    if isinstance(score, str):
        return measure.yes_no and score in NO_ANSWERS
    return measure.low <= score <= measure.high and (not measure.whole or score == int(score))


def expected_score(measure: Measure) -> str:
    """In words, such as "a whole number from 0 to 10 as goal"."""
    if measure.yes_no:
        return f"yes, no, {' or '.join(NO_ANSWERS)} as {measure.name}"
    kind = "a whole number" if measure.whole else "a number"
    return f"{kind} from {measure.low:g} to {measure.high:g} as {measure.name}"


def format_score(score: float | NotKnown) -> str:
    """A score as files and pages write it."""
    return score if isinstance(score, str) else f"{score:g}"


NumberedRating: TypeAlias = tuple[int, Rating]
"""A rating with the number of its line, from 1."""

PEOPLE = "people"
"""The default name of a set of ratings."""


@dataclass(frozen=True, slots=True)
class KeptRatings:
    """How many ratings were read, by how many raters, of how many seats and episodes.

    `fresh` counts those that were not stored before, `doubles` second ratings by the same rater of
    the same seat and dimension.
    """

    ratings: int
    raters: int
    seats: int
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

    A seat may be named by its number (from 1) or by the name of who sits there, a dimension by its
    title. Ratings that are stored already are left as they are; `replace_all` replaces the whole
    set. ConfigError, and nothing stored, where there is no rating, or one has an unknown episode,
    seat or dimension, is out of range, given twice, or contradicts a stored one; a message counts
    them from 1. ConfigError, too, if `name` is a study. StoreError while another process works on
    the run.

    >>> from sociolab import Rating, RunConfig, keep_ratings, open_store, run
    >>> result = run(RunConfig(limit=1, name="first", store=f"{folder}/lab.db"))
    >>> with open_store(f"{folder}/lab.db") as store:
    ...     trial = store.trials("first")[0].trial
    ...     kept = keep_ratings(store, "first", [Rating(trial.id, "1", "anna", "goal", 7)])
    >>> kept.ratings, kept.raters
    (1, 1)
    """
    lines = tuple(enumerate(ratings, 1))
    incoming = IncomingRatings(lines, (), "", "rating", duplicates)
    return keep_incoming(store, run, incoming, name, replace_all)


Duplicates: TypeAlias = Literal["refuse", "first", "mean", "keep"]
"""How a second rating of the same seat and dimension by the same rater is treated: as an error; the
first counts; their mean counts; or it counts as another rater's ("anna.2")."""


_MOST = 20
"""Errors listed in a message."""


@dataclass(frozen=True, slots=True)
class WrongLine:
    line: int
    what: str


@dataclass(frozen=True, slots=True)
class IncomingRatings:
    """Ratings, and what is wrong with others; `place` begins an error message, `unit` is what its
    numbers count."""

    lines: Sequence[NumberedRating]
    wrong: Sequence[WrongLine]
    place: str
    unit: str
    duplicates: Duplicates = "refuse"


def keep_incoming(
    store: Store, run: str, incoming: IncomingRatings, name: str, replace_all: bool
) -> KeptRatings:
    """`keep_ratings`, with problems of other lines in the same message."""
    judge = people_judge(checked_name(name, "set of ratings"))
    if any(row.name == name for row in store.studies.all()):
        raise ConfigError(f'"{name}" is a study; import under another --name')
    with lock_run(store.path, run):
        ratings, doubles, wrong = _check_ratings(incoming, Rateable.load(store, run))
        standing = RatingSet.load(store, run, judge)
        existing = RatingSet() if replace_all else standing
        for rating in ratings:
            if problem := existing.find_contradiction(rating, name):
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
        seats=len({(rating.trial, rating.score.seat) for rating in ratings}),
        episodes=len({rating.trial for rating in ratings}),
        fresh=len(fresh),
        doubles=doubles,
    )


def _check_ratings(
    incoming: IncomingRatings, run: Rateable
) -> tuple[list[PlacedRating], int, list[WrongLine]]:
    """The valid ratings, how many were doubles, and what is wrong with the others."""
    wrong = list(incoming.wrong)
    by_place: dict[RatingPlace, list[PlacedRating]] = {}
    twice: dict[tuple[int, int, str], list[PlacedRating]] = {}
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
            twice.setdefault((number, several[0].number, rating.rater), []).append(rating)
    for (number, first, rater), doubles in twice.items():
        metrics = join_names(dict.fromkeys(each.score.measure.name for each in doubles))
        problem = (
            f"expected one rating of {metrics} by {rater} for this seat, found a second (the first "
            f"in {incoming.unit} {first}); --duplicates first, mean or keep says what becomes of it"
        )
        wrong.append(WrongLine(number, problem))
    pseudonyms = _OtherRaters({rater for _, _, rater, _ in by_place})
    ratings = [
        r
        for several in by_place.values()
        for r in _merge_duplicates(several, incoming.duplicates, pseudonyms)
    ]
    return ratings, sum(map(len, by_place.values())) - len(by_place), wrong


class _OtherRaters:
    """Names for whoever a rater's second, third ... ratings count as: "anna.2". A long name is
    truncated, so that no name exceeds the limit."""

    def __init__(self, reserved: Collection[str]) -> None:
        self._names_in_use = set(reserved)
        self._names: dict[tuple[str, int], str] = {}

    def name(self, rater: str, number: int) -> str:
        """The same for the same rater and number, and nobody else's."""
        if (rater, number) not in self._names:
            ends = (f".{i}" for i in count(number))
            names = (f"{rater[: LONGEST_RATER - len(end)]}{end}" for end in ends)
            self._names[rater, number] = next(
                name for name in names if name not in self._names_in_use
            )
            self._names_in_use.add(self._names[rater, number])
        return self._names[rater, number]


def _merge_duplicates(
    several: Sequence[PlacedRating], duplicates: Duplicates, pseudonyms: _OtherRaters
) -> Sequence[PlacedRating]:
    """What is kept of one rater's ratings of the same seat and dimension."""
    first = several[0]
    if len(several) == 1 or duplicates in ("first", "refuse"):
        return [first]
    if duplicates == "keep":
        renamed = [first]
        for number, rating in enumerate(several[1:], 2):
            assert rating.score.rated_by is not None
            rater = pseudonyms.name(rating.rater, number)
            rated_by = replace(rating.score.rated_by, rater=rater)
            renamed.append(
                replace(rating, rater=rater, score=replace(rating.score, rated_by=rated_by))
            )
        return renamed
    values = [rating.score.value for rating in several if isinstance(rating.score, Score)]
    if not values:
        return [first]
    value = fmean(values)
    is_whole = first.score.measure.whole and value.is_integer()
    reasons = dict.fromkeys(filter(None, (reason_of(rating.score) for rating in several)))
    measure = replace(first.score.measure, whole=is_whole)
    score = Score(measure, first.score.seat, value, "; ".join(reasons), RatedBy(first.rater))
    return [replace(first, score=score)]


def _refuse(incoming: IncomingRatings, wrong: Sequence[WrongLine]) -> None:
    """ConfigError where anything is wrong, or there are no ratings."""
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
    """The trials of a run by id, which of them were played, and the metrics by name.

    `name_index` maps names and titles of metrics, as `normalize_name` writes them, to their names;
    `episode_level` holds the metrics of whole episodes. The first of `guides` shows who is in an
    episode.
    """

    run: str
    trials: Mapping[str, Trial]
    ids: Sequence[str]
    played: frozenset[str]
    measures: Mapping[str, Measure]
    name_index: Mapping[str, str]
    episode_level: frozenset[str]
    guides: Sequence[RatingGuide]

    @classmethod
    def load(cls, store: Store, run: str) -> Rateable:
        """ConfigError if the run holds no episodes."""
        rows, guides = store.trials(run), _guides(store, run)
        measures, episode_level = _rateable_measures(store, run, guides)
        name_index, declared = dict[str, str](), store.run(run).declared
        for dimension in (each for guide in guides for each in guide.guides):
            titles = (
                dimension.title,
                dimension.measure.title,
                declared.metric(dimension.name).label,
            )
            name_index |= {normalize_name(title): dimension.name for title in titles if title}
        name_index |= {normalize_name(name): name for name in measures}
        return cls(
            run,
            {row.trial.id: row.trial for row in rows},
            sorted(row.trial.id for row in rows),
            frozenset(row.trial.id for row in rows if row.status == "played"),
            measures,
            name_index,
            episode_level,
            guides,
        )

    def episode(self, prefix: str) -> str:
        """Resolve an id or its beginning; ConfigError says what is wrong with it."""
        if prefix in self.trials:
            matches = [prefix]
        else:
            first = bisect_left(self.ids, prefix)
            matches = [name for name in self.ids[first : first + 2] if name.startswith(prefix)]
        if not matches:
            raise ConfigError(f"expected an episode of {self.run}, found {quote(prefix)}")
        if len(matches) > 1:
            some = " and ".join(matches)
            raise ConfigError(f"expected one episode, found {quote(prefix)}, which begins {some}")
        if matches[0] not in self.played:
            raise ConfigError(f"expected an episode that was played, found {quote(prefix)}")
        return matches[0]

    def measure(self, dimension: str) -> Measure | None:
        """The metric of this name or title, or None."""
        return self.measures.get(self.name_index.get(normalize_name(dimension), ""))

    def score(self, rating: Rating, trial: str) -> Score | Unscored:
        """The rating as a verdict; ConfigError where its dimension, seat or score is not
        possible."""
        measure = self.measure(rating.dimension)
        if measure is None:
            names = ", ".join(self.measures) or "none: judge the run first"
            raise ConfigError(f"expected a dimension ({names}), found {quote(rating.dimension)}")
        seat = self._seat(rating, measure, self.trials[trial])
        if not on_scale(measure, rating.score):
            raise ConfigError(
                f"expected {expected_score(measure)}, found {format_score(rating.score)}"
            )
        return rating.verdict(measure, seat)

    def _seat(self, rating: Rating, measure: Measure, trial: Trial) -> str | None:
        if measure.name in self.episode_level:
            if rating.seat:
                raise ConfigError(
                    f"expected no seat, as {measure.name} is of the whole episode, "
                    f"found {quote(rating.seat)}"
                )
            return None
        seats, number = trial.task.seats, SEAT_NUMBER.fullmatch(rating.seat)
        if rating.seat in seats:
            return rating.seat
        if number and int(number[1]) <= len(seats):
            return seats[int(number[1]) - 1]
        matches = {seat for name, seat in self._names(trial) if normalize_name(rating.seat) == name}
        if len(matches) != 1:
            raise ConfigError(
                f"expected a seat ({', '.join(seats)}), its number or the name of who sits there, "
                f"found {quote(rating.seat)}"
            )
        return matches.pop()

    def _names(self, trial: Trial) -> Iterable[tuple[str, str]]:
        """The names of those in an episode, with their seats."""
        try:
            people = self.guides[0].rated_scene(Episode(trial, ())).people if self.guides else ()
        except ConfigError:  # a task that its world does not know
            people = ()
        return [
            (normalize_name(name), who.seat) for who in people for name in (who.name, who.full_name)
        ]


def _rateable_measures(
    store: Store, run: str, guides: Sequence[RatingGuide]
) -> tuple[dict[str, Measure], frozenset[str]]:
    """What can be rated in a run: what its world's guides cover, else all that judges scored.

    Also, which of these metrics are of whole episodes.
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
    """The judge in whose name all ratings of this set are stored."""
    return JudgeId(name, "people", digest("ratings", name))


def delete_ratings(store: Store, run: str, name: str) -> None:
    """Delete a set of ratings.

    ConfigError where it is a study's; StoreError while another process works on the run.
    """
    if any(row.name == name for row in store.studies.all()):
        raise ConfigError(f'"{name}" is a study: use `sociolab study delete {name}`')
    judge = people_judge(name)
    with lock_run(store.path, run), store.transaction():
        RatingSet.load(store, run, judge).delete(store, run, judge)


RatingPlace: TypeAlias = tuple[str, str | None, str, str]
"""Trial, seat, rater and metric."""


@dataclass(frozen=True, slots=True)
class PlacedRating:
    """A valid rating; `number` is its place among those given, from 1."""

    number: int
    trial: str
    rater: str
    score: Score | Unscored

    @property
    def place(self) -> RatingPlace:
        """What identifies it: nobody rates the same twice."""
        return self.trial, self.score.seat, self.rater, self.score.measure.name


@dataclass(frozen=True, slots=True)
class RatingSet:
    """The stored ratings of a set, the number of each rater's judgings, and all judgings."""

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

    def find_contradiction(self, rating: PlacedRating, name: str) -> str:
        """What is wrong with a rating that is stored with another score, or ""."""
        stored, score = self.scores.get(rating.place), rating.score
        if stored is None or rated_value(stored) == rated_value(score):
            return ""
        return (
            f"{rating.rater}'s {score.measure.name} rating is stored in the set {name} as "
            f"{format_score(rated_value(stored))}, found {format_score(rated_value(score))}; "
            "--replace replaces the whole set"
        )

    def delete(self, store: Store, run: str, judge: JudgeId) -> None:
        for trial, number in self.judgings:
            store.verdicts.delete(run, judge, trial=trial, judging=number)

    def add(self, store: Store, run: str, judge: JudgeId, fresh: Iterable[PlacedRating]) -> None:
        """Store new ratings, a judging for each rater and episode, with the summaries they
        complete.

        Raters keep their numbers; new raters get the next ones, in alphabetical order.
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
            verdicts = [*scores, *_summaries(guides, rater, (*stored, *scores))]
            store.verdicts.add(run, judge, verdicts, trial=trial, judging=numbers[rater])


def reason_of(verdict: Score | Unscored) -> str:
    return verdict.reason if isinstance(verdict, Score) else verdict.why


def rated_value(verdict: Score | Unscored) -> float | NotKnown:
    """The score, or why there is none (see `NO_ANSWERS`)."""
    return verdict.value if isinstance(verdict, Score) else verdict.kind


def _guides(store: Store, run: str) -> tuple[RatingGuide, ...]:
    """The rating guides of the run's world; empty where it has none, or is not installed."""
    world = find_world(store.run(run).world)
    return tuple(world.guide(name) for name in world.guides) if world is not None else ()


def _summaries(
    guides: Sequence[RatingGuide], rater: str, scores: Sequence[Score | Unscored]
) -> Iterable[Score]:
    """The world's summary for each seat that the rater has rated on all metrics of a guide."""
    for guide in guides:
        for seat in sorted({score.seat for score in scores if score.seat is not None}):
            rated = {score.measure.name for score in scores if score.seat == seat}
            if guide.summary is not None and rated >= {d.name for d in guide.guides}:
                summary = guide.summary(tuple(s for s in scores if isinstance(s, Score)), seat)
                if isinstance(summary, Score):
                    yield replace(summary, reason="", rated_by=RatedBy(rater))


SEAT_NUMBER = re.compile(r"(?:agent|person|participant|player|seat|p)?[ _-]?([1-9])", re.IGNORECASE)
"""A seat by its number, such as "2", "agent_2" or "P2"."""


def normalize_name(text: str) -> str:
    """A name in lower case, in one Unicode form, with single spaces between its parts."""
    return fold_name(re.sub(r"[\W_]+", " ", normalize_text(text)))


def quote(value: object) -> str:
    """A short quotation on one line, for error messages."""
    text = cell_text(value)
    cut = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    printable = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in cut)
    return f'"{printable}"'


def cell_text(cell: object) -> str:
    """A cell as text; "" for None, "?" for what Python does not convert."""
    try:
        return "" if cell is None else str(cell).strip()
    except (ValueError, RecursionError):  # more digits, or deeper
        return "?"


_WITH_ARTICLE = {"episode": "an episode", "rater": "a rater", "dimension": "a dimension"}


def _to_utc(text: str) -> str:
    """Convert a time to UTC, to the second; ConfigError for what is none, or has no zone."""
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
            f"found {quote(text)}"
        ) from error
