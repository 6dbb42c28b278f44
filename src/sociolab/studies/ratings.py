"""How do ratings by people get into a run? From records or a file, checked, as one set."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from sociolab.analysis.ratings import signature, signed
from sociolab.app.registry import known_world
from sociolab.core.episode import Trial
from sociolab.core.errors import ConfigError
from sociolab.core.score import (
    NO_ANSWERS,
    JudgeId,
    Measure,
    NotKnown,
    Score,
    ScoreFailure,
    Unscored,
)
from sociolab.core.seeding import digest
from sociolab.plugin.world import RatingGuide
from sociolab.report.result import run_of_episodes
from sociolab.report.words import plural
from sociolab.store.connect import checked_name, lock_run, store_path
from sociolab.store.store import Store

LONGEST_REASON = 10_000
"""Characters of a reason."""
_RATER = re.compile(r"\w[\w.-]{0,39}")
_SHOWN = 40


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
        """As it is stored, signed by the rater."""
        reason = signed(self.rater, self.reason, self.seconds, self.when)
        if isinstance(self.score, str):
            return Unscored(measure, seat, reason, self.score)
        return Score(measure, seat, self.score, reason)


def on_scale(measure: Measure, score: float | NotKnown) -> bool:
    """Whether this can be said of a measure: a point of its scale; of a yes/no question, that there
    is no answer."""
    if isinstance(score, str):
        return measure.yes_no and score in NO_ANSWERS
    return measure.low <= score <= measure.high and (not measure.whole or score == int(score))


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

    `fresh` counts those that were not stored before.
    """

    ratings: int
    raters: int
    plays: int
    episodes: int
    fresh: int


def keep_ratings(
    store: Store,
    run: str,
    ratings: Iterable[Rating],
    *,
    name: str = PEOPLE,
    replace_all: bool = False,
) -> KeptRatings:
    """Store ratings as the set `name` of a run, all or none.

        keep_ratings(store, "my-run", [Rating("094bb6f6", "gurdeep-sandhu", "anna", "goal", 7)])

    What is stored already is left as it is; `replace_all` puts these in the place of the whole set.
    ConfigError, and nothing stored, where there is none, or where one is of an episode, a seat or a
    dimension that the run does not have, out of its range, given twice, or in contradiction to what
    is stored; a message counts them from 1. StoreError while another process works on the run.
    """
    lines = tuple(enumerate(ratings, 1))
    return _keep(store, run, _GivenRatings(lines, (), "", "rating"), name, replace_all)


def import_ratings(
    file: Path, run: str, *, name: str = PEOPLE, replace_all: bool = False, store: Path | None
) -> tuple[str, ...]:
    """`keep_ratings` of a file; sentences on what was kept. ConfigError for wrong lines, too."""
    checked_name(name)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{file} cannot be read ({error.strerror}); name another file") from error
    given = _GivenRatings(*read_lines(data), f"{file}: ", "line")
    with Store.open(store_path(store), create=False) as opened:
        kept = _keep(opened, run, given, name, replace_all)
    old = kept.ratings - kept.fresh
    return (
        f"read {plural(kept.ratings, 'rating')} by {plural(kept.raters, 'rater')} of "
        f"{plural(kept.plays, 'seat')} in {plural(kept.episodes, 'episode')}; "
        f"kept {kept.fresh:,} as {name} of {run}{f', {old:,} were there already' if old else ''}",
        f"compare them with judges: sociolab agree {run}",
    )


_FIRST = 5
"""How many wrong lines a message tells of."""


@dataclass(frozen=True, slots=True)
class _GivenRatings:
    """Ratings and what is wrong with others; `place` begins a message, `unit` is what it counts."""

    lines: Sequence[NumberedRating]
    wrong: Sequence[WrongLine]
    place: str
    unit: str


def _keep(
    store: Store, run: str, given: _GivenRatings, name: str, replace_all: bool
) -> KeptRatings:
    judge = people_judge(checked_name(name))
    with lock_run(store.path, run):
        ratings, wrong = _checked(given, Rateable.of(store, run))
        standing = RatingSet.of(store, run, judge)
        kept = RatingSet() if replace_all else standing
        for rating in ratings:
            if told := kept.contradicted(rating, name):
                wrong.append(WrongLine(rating.number, told))
        _refuse(given, wrong)
        fresh = [rating for rating in ratings if rating.place not in kept.scores]
        with store.transaction():
            if replace_all:
                standing.delete(store, run, judge)
            kept.add(store, run, judge, fresh)
    return KeptRatings(
        ratings=len(ratings),
        raters=len({rating.rater for rating in ratings}),
        plays=len({(rating.trial, rating.score.seat) for rating in ratings}),
        episodes=len({rating.trial for rating in ratings}),
        fresh=len(fresh),
    )


def _checked(given: _GivenRatings, run: Rateable) -> tuple[list[PlacedRating], list[WrongLine]]:
    ratings: list[PlacedRating] = []
    wrong = list(given.wrong)
    seen: dict[RatingPlace, int] = {}
    for number, one in given.lines:
        try:
            trial = run.episode(one.episode)
            score = run.score(one, trial)
        except ConfigError as error:
            wrong.append(WrongLine(number, str(error)))
            continue
        rating = PlacedRating(number, trial, one.rater, score)
        first = seen.setdefault(rating.place, number)
        if first != number:
            told = (
                f"expected one rating of {one.dimension} by {rating.rater} for this seat, "
                f"found a second (the first in {given.unit} {first})"
            )
            wrong.append(WrongLine(number, told))
        ratings.append(rating)
    return ratings, wrong


def _refuse(given: _GivenRatings, wrong: Sequence[WrongLine]) -> None:
    """ConfigError where anything is wrong, or nothing is there."""
    if wrong:
        ordered = sorted(wrong, key=lambda each: each.line)
        told = "; ".join(f"{given.unit} {each.line}: {each.what}" for each in ordered[:_FIRST])
        more = f"; and {len(ordered) - _FIRST:,} more" if len(ordered) > _FIRST else ""
        count = plural(len(ordered), f"{given.unit} is", f"{given.unit}s are")
        raise ConfigError(f"{given.place}{count} wrong and nothing was imported: {told}{more}")
    if not given.lines:
        raise ConfigError(f"{given.place}expected at least one rating, found none")


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

    def score(self, rating: Rating, trial: str) -> Score | Unscored:
        """The rating as a verdict; ConfigError where its dimension, seat or score cannot be."""
        measure = self.measures.get(rating.dimension)
        if measure is None:
            known = ", ".join(self.measures) or "none: judge the run first"
            raise ConfigError(f"expected a dimension ({known}), found {quoted(rating.dimension)}")
        seat = self._seat(rating, measure, self.trials[trial].task.seats)
        kind = "a whole number" if measure.whole else "a number"
        if not on_scale(measure, rating.score):
            raise ConfigError(
                f"expected {kind} from {measure.low:g} to {measure.high:g} as {measure.name}, "
                f"found {shown_score(rating.score)}"
            )
        return rating.verdict(measure, seat)

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
    """What can be rated in a run: what its world has a guide to; else all that judges scored.

    Also, which of these are of whole episodes.
    """
    run_of_episodes(store, run)
    if guides := _guides(store, run):
        return {one.name: one.measure for each in guides for one in each.guides}, frozenset()
    found: dict[str, Measure] = {}
    whole: set[str] = set()
    for row in store.verdicts.judgings(run):
        for verdict in row.verdicts if row.trial is not None else ():
            found.setdefault(verdict.measure.name, verdict.measure)
            if verdict.seat is None:
                whole.add(verdict.measure.name)
    return found, frozenset(whole)


def people_judge(name: str) -> JudgeId:
    """Who rated, to a report: all raters of the set of this name together."""
    return JudgeId(name, "people", digest("ratings", name))


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
    def of(cls, store: Store, run: str, judge: JudgeId) -> RatingSet:
        """The set of this judge in a run; empty where there is none."""
        scores: dict[RatingPlace, Score | Unscored] = {}
        numbers: dict[str, int] = {}
        judgings: list[tuple[str, int]] = []
        for row in store.verdicts.judgings(run, judge):
            judgings.append((str(row.trial), row.judging))
            for verdict in row.verdicts:
                if not isinstance(verdict, ScoreFailure):
                    rater = signature(said_of(verdict))[0] or str(row.judging + 1)
                    numbers[rater] = row.judging
                    place = (str(row.trial), verdict.seat, rater, verdict.measure.name)
                    scores[place] = verdict
        return cls(scores, numbers, tuple(judgings))

    def contradicted(self, rating: PlacedRating, name: str) -> str:
        """What is wrong with a rating that is stored already, with another score; or ""."""
        stored, score = self.scores.get(rating.place), rating.score
        if stored is None or given(stored) == given(score):
            return ""
        return (
            f"expected {score.measure.name} {shown_score(given(stored))} by {rating.rater}, which "
            f"is stored as {name} (--replace puts a file in its place), found "
            f"{shown_score(given(score))}"
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
        names = [one.name for guide in guides for one in guide.guides]

        def order(score: Score | Unscored) -> tuple[str, int, str]:
            name = score.measure.name
            return score.seat or "", names.index(name) if name in names else len(names), name

        before: dict[tuple[str, str], list[Score | Unscored]] = {}
        for (trial, _, rater, _), score in self.scores.items():
            before.setdefault((rater, trial), []).append(score)
        for (rater, trial), ratings in sorted(by.items()):
            scores = sorted((rating.score for rating in ratings), key=order)
            stored = before.get((rater, trial), [])
            said = [*scores, *_sums(guides, rater, (*stored, *scores))]
            store.verdicts.add(run, judge, said, trial=trial, judging=numbers[rater])


def said_of(verdict: Score | Unscored) -> str:
    """The signed reason of a rating."""
    return verdict.reason if isinstance(verdict, Score) else verdict.why


def given(verdict: Score | Unscored) -> float | NotKnown:
    """What a rater gave."""
    return verdict.value if isinstance(verdict, Score) else verdict.kind


def _guides(store: Store, run: str) -> tuple[RatingGuide, ...]:
    """How people rate in the world of a run; empty where it does not say, or is not installed."""
    world = known_world(store.run(run).world)
    return tuple(world.guide(name) for name in world.guides) if world is not None else ()


def _sums(
    guides: Sequence[RatingGuide], rater: str, scores: Sequence[Score | Unscored]
) -> Iterable[Score]:
    """What the world sums up, for each seat of which one rater has rated all."""
    for guide in guides:
        for seat in sorted({score.seat for score in scores if score.seat is not None}):
            mine = {score.measure for score in scores if score.seat == seat}
            if guide.summary is not None and mine >= {one.measure for one in guide.guides}:
                found = guide.summary(tuple(s for s in scores if isinstance(s, Score)), seat)
                if isinstance(found, Score):
                    yield replace(found, reason=signed(rater, ""))


def quoted(found: object) -> str:
    """What was found, short and on one line, in quotes."""
    text = text_of(found)
    cut = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in cut)
    return f'"{shown}"'


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
        found = datetime.fromisoformat(text)
        if found.tzinfo is None:
            raise ValueError
        return f"{found.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    except (ValueError, OverflowError) as error:
        raise ConfigError(
            "expected a time with its zone as when, such as 2026-03-01T14:05:00Z, "
            f"found {quoted(text)}"
        ) from error


REQUIRED = ("episode", "seat", "rater", "dimension", "score")
OPTIONAL = ("reason", "seconds")
MOMENT = "when"
"""Optional, too: when the rating was given."""
IGNORED = ("agent", "played_by")
"""Who played: a run knows that itself, and better."""
_NUMBER = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{1,15})?")
_TEXTS = ("episode", "seat", "rater", "dimension", "reason")
_SEPARATORS = (",", ";", "\t")
_Cells: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class WrongLine:
    """What is wrong with a line: what was expected, and what found."""

    line: int
    what: str


def read_lines(data: bytes) -> tuple[tuple[NumberedRating, ...], tuple[WrongLine, ...]]:
    """The ratings of a file, and what is wrong with its other lines; never an exception.

    A file whose first letter is "{" holds JSON objects, a line each; any other but "[" is CSV with
    a head, its columns parted by commas, semicolons or tabs.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return (), (
            WrongLine(line, f"expected text in UTF-8, found byte 0x{data[error.start]:02x}"),
        )
    found: list[NumberedRating] = []
    wrong: list[WrongLine] = []
    for row in _json(text) if text.lstrip()[:1] in ("{", "[") else _csv(text):
        if isinstance(row, WrongLine):
            wrong.append(row)
            continue
        made = _line(*row)
        (wrong if isinstance(made, WrongLine) else found).append(made)  # type: ignore[arg-type]
    return tuple(found), tuple(wrong)


def _json(text: str) -> Iterator[tuple[int, _Cells] | WrongLine]:
    for number, row in enumerate(text.split("\n"), 1):
        if not row.strip():
            continue
        try:
            found = json.loads(row, object_pairs_hook=_Pairs)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, _Pairs):
            yield WrongLine(number, f"expected a JSON object, found {quoted(row.strip())}")
        elif problem := _columns([name for name, _ in found]):
            yield WrongLine(number, problem)
        else:
            yield number, dict(found)


class _Pairs(list[tuple[str, object]]):
    """A JSON object with all its keys, also those that occur twice."""


def _csv(text: str) -> Iterator[tuple[int, _Cells] | WrongLine]:
    head = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=head.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    names: list[str] = []
    began = 1
    try:
        for row in rows:
            number, began = began, rows.line_num + 1
            if not any(cell.strip() for cell in row):
                continue
            if not names:
                names = [cell.strip().lower() for cell in row]
                if problem := _columns(names):
                    yield WrongLine(number, problem)
                    return
            elif len(row) != len(names):
                yield WrongLine(number, f"expected {len(names)} cells, found {len(row)}")
            else:
                yield number, dict(zip(names, row, strict=True))
    except csv.Error as error:
        yield WrongLine(began, f"expected CSV, found what cannot be read as such ({error})")


def _columns(names: Sequence[str]) -> str:
    """What is wrong with these names of columns, or ""."""
    known = (*REQUIRED, *OPTIONAL, MOMENT, *IGNORED)
    if missing := [name for name in REQUIRED if name not in names]:
        found = ", ".join(quoted(name) for name in names[:8]) or "none"
        return f"expected the columns {', '.join(REQUIRED)}, found no {missing[0]} among {found}"
    for i, name in enumerate(names):
        if name not in known:
            return f"expected no columns but {', '.join(known)}, found {quoted(name)}"
        if name in names[:i]:
            return f"expected each column once, found {quoted(name)} twice"
    return ""


def _line(number: int, cells: _Cells) -> NumberedRating | WrongLine:
    said: dict[str, str] = {}
    for name in (*_TEXTS, MOMENT):
        cell = cells.get(name)
        if isinstance(cell, bool) or not isinstance(cell, (str, int, type(None))):
            return WrongLine(number, f"expected text as {name}, found {quoted(cell)}")
        said[name] = text_of(cell)
    score, seconds = _given(cells["score"]), _number(cells.get("seconds"))
    if score is None:
        return WrongLine(number, f"expected a number as score, found {quoted(cells['score'])}")
    if text_of(cells.get("seconds")) and seconds is None:
        return WrongLine(
            number, f"expected seconds from 0 or nothing, found {quoted(cells['seconds'])}"
        )
    try:
        return number, Rating(score=score, seconds=seconds, **said)
    except ConfigError as error:
        return WrongLine(number, str(error))


_WORDS: Mapping[str, float | NotKnown] = {"yes": 1, "no": 0, **{word: word for word in NO_ANSWERS}}


def _given(cell: object) -> float | NotKnown | None:
    """A number, or what answers a yes/no question; None for neither."""
    return _WORDS.get(text_of(cell).casefold(), _number(cell))


def _number(cell: object) -> float | None:
    """A finite number, or None."""
    if isinstance(cell, bool):
        return None
    if isinstance(cell, (int, float)):
        try:
            return float(cell) if math.isfinite(cell) else None
        except OverflowError:
            return None
    text = text_of(cell).replace("\N{MINUS SIGN}", "-")
    return float(text) if _NUMBER.fullmatch(text) else None
