"""Ratings by people, from a file into a run: checked whole, then stored; see docs/ratings.md."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from sociolab.analysis.rated import signature, signed
from sociolab.app.rating_file import Line, Wrong, quoted, read_lines
from sociolab.app.session import store_path
from sociolab.core.episode import Trial
from sociolab.core.errors import ConfigError
from sociolab.core.score import JudgeId, Measure, Score
from sociolab.core.seeding import digest
from sociolab.store.lock import lock_run
from sociolab.store.names import checked_name
from sociolab.store.sqlite import Store
from sociolab.worlds.sotopia.dimensions import DIMENSIONS, overall

PEOPLE = "people"
"""What a set of ratings is called that was given no other name."""

_FIRST = 5
"""How many wrong lines a message tells of."""

_Place: TypeAlias = tuple[str, str | None, str, str]
"""Trial, seat, rater and measure."""


@dataclass(frozen=True, slots=True)
class _Rating:
    """A line that is in order."""

    line: int
    trial: str
    rater: str
    score: Score

    @property
    def place(self) -> _Place:
        return self.trial, self.score.seat, self.rater, self.score.measure.name


def people_judge(name: str) -> JudgeId:
    """Who rated, to a report: all raters of the set of this name together."""
    return JudgeId(name, "people", digest("ratings", name))


def import_ratings(
    file: Path, run: str, *, name: str = PEOPLE, replace_all: bool = False, store: Path | None
) -> tuple[str, ...]:
    """Store the ratings of a file as the set `name` of a run; sentences on what was kept.

    What is stored already is left as it is; `replace_all` puts the file in the place of the whole
    set. ConfigError, and nothing stored, where a line is wrong or contradicts what is stored.
    """
    judge = people_judge(checked_name(name))
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{file} cannot be read ({error.strerror}); name another file") from error
    lines, wrong = read_lines(data)
    path = store_path(store)
    with Store.open(path, create=False) as opened, lock_run(path, run):
        ratings, more = _checked(lines, _Run.of(opened, run))
        standing = _Standing.of(opened, run, judge)
        kept = _Standing() if replace_all else standing
        more += [found for rating in ratings if (found := kept.contradicted(rating, name))]
        _refuse(file, [*wrong, *more])
        if not ratings:
            raise ConfigError(f"{file} holds no ratings; expected a line for each")
        fresh = [rating for rating in ratings if rating.place not in kept.scores]
        with opened.transaction():
            if replace_all:
                standing.delete(opened, run, judge)
            _store(opened, run, judge, fresh, kept)
    return _told(run, name, ratings, len(fresh))


@dataclass(frozen=True, slots=True)
class _Run:
    """What can be rated: the trials by id, which of them were played, the measures by name.

    `whole` are the measures of whole episodes.
    """

    name: str
    trials: Mapping[str, Trial]
    ids: Sequence[str]
    played: frozenset[str]
    measures: Mapping[str, Measure]
    whole: frozenset[str]

    @classmethod
    def of(cls, store: Store, run: str) -> _Run:
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
            raise ConfigError(f"expected an episode of {self.name}, found {quoted(wanted)}")
        if len(found) > 1:
            some = " and ".join(found)
            raise ConfigError(f"expected one episode, found {quoted(wanted)}, which begins {some}")
        if found[0] not in self.played:
            raise ConfigError(f"expected an episode that was played, found {quoted(wanted)}")
        return found[0]

    def score(self, line: Line, trial: str) -> Score:
        """The rating; ConfigError where its dimension, seat or score cannot be."""
        measure = self.measures.get(line.dimension)
        if measure is None:
            known = ", ".join(self.measures) or "none: judge the run first"
            raise ConfigError(f"expected a dimension ({known}), found {quoted(line.dimension)}")
        seats = self.trials[trial].task.seats
        seat = line.seat or None
        if measure.name in self.whole:
            if seat is not None:
                raise ConfigError(
                    f"expected no seat, as {measure.name} is of the whole episode, "
                    f"found {quoted(line.seat)}"
                )
        elif seat not in seats:
            raise ConfigError(f"expected a seat ({', '.join(seats)}), found {quoted(line.seat)}")
        kind = "a whole number" if measure.whole else "a number"
        if not measure.low <= line.score <= measure.high or (
            measure.whole and line.score != int(line.score)
        ):
            raise ConfigError(
                f"expected {kind} from {measure.low:g} to {measure.high:g} as {measure.name}, "
                f"found {line.score:g}"
            )
        return Score(measure, seat, line.score, signed(line.rater, line.reason, line.seconds))


def _measures(store: Store, run: str) -> tuple[dict[str, Measure], frozenset[str]]:
    """What can be rated in a run: SOTOPIA's dimensions; elsewhere, all that judges scored so far.

    Also, which of these are of whole episodes.
    """
    if store.run(run).world == "sotopia":
        return {measure.name: measure for measure in DIMENSIONS}, frozenset()
    found: dict[str, Measure] = {}
    whole: set[str] = set()
    for row in store.judgings(run):
        for verdict in row.verdicts if row.trial is not None else ():
            found.setdefault(verdict.measure.name, verdict.measure)
            if verdict.seat is None:
                whole.add(verdict.measure.name)
    return found, frozenset(whole)


def _checked(lines: Sequence[Line], run: _Run) -> tuple[list[_Rating], list[Wrong]]:
    ratings: list[_Rating] = []
    wrong: list[Wrong] = []
    seen: dict[_Place, int] = {}
    for line in lines:
        try:
            trial = run.episode(line.episode)
            rating = _Rating(line.number, trial, line.rater, run.score(line, trial))
        except ConfigError as error:
            wrong.append(Wrong(line.number, str(error)))
            continue
        first = seen.setdefault(rating.place, line.number)
        if first != line.number:
            wrong.append(
                Wrong(
                    line.number,
                    f"expected one rating of {line.dimension} by {line.rater} for this seat, "
                    f"found a second (the first in line {first})",
                )
            )
        ratings.append(rating)
    return ratings, wrong


@dataclass(frozen=True, slots=True)
class _Standing:
    """What is stored of a set: the scores, and the number of each rater's judgings."""

    scores: dict[_Place, Score] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    judgings: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, store: Store, run: str, judge: JudgeId) -> _Standing:
        scores: dict[_Place, Score] = {}
        numbers: dict[str, int] = {}
        judgings: list[tuple[str, int]] = []
        for row in store.judgings(run, judge):
            judgings.append((str(row.trial), row.judging))
            for verdict in row.verdicts:
                if isinstance(verdict, Score):
                    rater = signature(verdict.reason)[0] or str(row.judging + 1)
                    numbers[rater] = row.judging
                    place = (str(row.trial), verdict.seat, rater, verdict.measure.name)
                    scores[place] = verdict
        return cls(scores, numbers, tuple(judgings))

    def contradicted(self, rating: _Rating, name: str) -> Wrong | None:
        """What is wrong with a rating that is stored already, with another score."""
        stored, score = self.scores.get(rating.place), rating.score
        if stored is None or stored.value == score.value:
            return None
        return Wrong(
            rating.line,
            f"expected {score.measure.name} {stored.value:g} by {rating.rater}, which is stored as "
            f"{name} (--replace puts a file in its place), found {score.value:g}",
        )

    def delete(self, store: Store, run: str, judge: JudgeId) -> None:
        for trial, number in self.judgings:
            store.delete_verdicts(run, judge, trial=trial, judging=number)


def _store(
    store: Store, run: str, judge: JudgeId, fresh: Iterable[_Rating], kept: _Standing
) -> None:
    """Store new ratings, a judging for each rater and episode, with the overall they complete."""
    by: dict[tuple[str, str], list[_Rating]] = {}
    for rating in fresh:
        by.setdefault((rating.rater, rating.trial), []).append(rating)
    new = sorted({rater for rater, _ in by} - set(kept.numbers))
    after = max(kept.numbers.values(), default=-1) + 1
    numbers = {**kept.numbers, **{rater: after + i for i, rater in enumerate(new)}}
    before: dict[tuple[str, str], list[Score]] = {}
    for (trial, _, rater, _), score in kept.scores.items():
        before.setdefault((rater, trial), []).append(score)
    for (rater, trial), ratings in sorted(by.items()):
        scores = sorted((rating.score for rating in ratings), key=_order)
        stored = before.get((rater, trial), [])
        store.add_verdicts(
            run,
            judge,
            [*scores, *_overalls(rater, (*stored, *scores))],
            trial=trial,
            judging=numbers[rater],
        )


def _order(score: Score) -> tuple[str, int, str]:
    names = [dimension.name for dimension in DIMENSIONS]
    name = score.measure.name
    return score.seat or "", names.index(name) if name in names else len(names), name


def _overalls(rater: str, scores: Sequence[Score]) -> Iterable[Score]:
    """SOTOPIA's overall for each seat whose seven dimensions one rater has rated."""
    for seat in sorted({score.seat for score in scores if score.seat is not None}):
        mine = {score.measure for score in scores if score.seat == seat}
        if mine >= set(DIMENSIONS):
            found = overall(tuple(scores), seat)
            if isinstance(found, Score):
                yield replace(found, reason=signed(rater, ""))


def _refuse(file: Path, wrong: Sequence[Wrong]) -> None:
    if not wrong:
        return
    ordered = sorted(wrong, key=lambda each: each.line)
    told = "; ".join(f"line {each.line}: {each.what}" for each in ordered[:_FIRST])
    more = f"; and {len(ordered) - _FIRST} more" if len(ordered) > _FIRST else ""
    count = "1 line is wrong" if len(ordered) == 1 else f"{len(ordered)} lines are wrong"
    raise ConfigError(f"{file}: {count} and nothing was imported: {told}{more}")


def _told(run: str, name: str, ratings: Sequence[_Rating], fresh: int) -> tuple[str, ...]:
    raters = len({rating.rater for rating in ratings})
    plays = len({(rating.trial, rating.score.seat) for rating in ratings})
    episodes = len({rating.trial for rating in ratings})
    old = len(ratings) - fresh
    return (
        f"read {len(ratings)} ratings by {raters} raters of {plays} plays in {episodes} episodes; "
        f"kept {fresh} as {name} of {run}{f', {old} were there already' if old else ''}",
        f"compare them with judges: sociolab agree {run}",
    )
