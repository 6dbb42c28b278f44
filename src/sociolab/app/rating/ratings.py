"""Ratings by people into a run, from records or a file: checked whole, then stored.

What a rating is, `sociolab.app.rating.rating_record` says; what files hold, docs/ratings.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sociolab.app.rating.rateable import Rateable
from sociolab.app.rating.rating_file import Line, Wrong, read_lines
from sociolab.app.rating.rating_record import Rating
from sociolab.app.rating.rating_set import Place, Placed, Standing, people_judge
from sociolab.core.errors import ConfigError
from sociolab.report.words import plural
from sociolab.store.connect import checked_name, lock_run, store_path
from sociolab.store.sqlite import Store

__all__ = ["Kept", "Rating", "import_ratings", "keep_ratings", "people_judge"]

PEOPLE = "people"
"""What a set of ratings is called that was given no other name."""

_FIRST = 5
"""How many wrong lines a message tells of."""


@dataclass(frozen=True, slots=True)
class Kept:
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
) -> Kept:
    """Store ratings as the set `name` of a run, all or none.

        keep_ratings(store, "my-run", [Rating("094bb6f6", "gurdeep-sandhu", "anna", "goal", 7)])

    What is stored already is left as it is; `replace_all` puts these in the place of the whole set.
    ConfigError, and nothing stored, where there is none, or where one is of an episode, a seat or a
    dimension that the run does not have, out of its range, given twice, or in contradiction to what
    is stored; a message counts them from 1. StoreError while another process works on the run.
    """
    lines = [Line(number, rating) for number, rating in enumerate(ratings, 1)]
    return _keep(store, run, _Given(lines, (), "", "rating"), name, replace_all)


def import_ratings(
    file: Path, run: str, *, name: str = PEOPLE, replace_all: bool = False, store: Path | None
) -> tuple[str, ...]:
    """`keep_ratings` of a file; sentences on what was kept. ConfigError for wrong lines, too."""
    checked_name(name)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{file} cannot be read ({error.strerror}); name another file") from error
    given = _Given(*read_lines(data), f"{file}: ", "line")
    with Store.open(store_path(store), create=False) as opened:
        kept = _keep(opened, run, given, name, replace_all)
    old = kept.ratings - kept.fresh
    return (
        f"read {plural(kept.ratings, 'rating')} by {plural(kept.raters, 'rater')} of "
        f"{plural(kept.plays, 'play')} in {plural(kept.episodes, 'episode')}; "
        f"kept {kept.fresh:,} as {name} of {run}{f', {old:,} were there already' if old else ''}",
        f"compare them with judges: sociolab agree {run}",
    )


@dataclass(frozen=True, slots=True)
class _Given:
    """Ratings and what is wrong with others; `place` begins a message, `unit` is what it counts."""

    lines: Sequence[Line]
    wrong: Sequence[Wrong]
    place: str
    unit: str


def _keep(store: Store, run: str, given: _Given, name: str, replace_all: bool) -> Kept:
    judge = people_judge(checked_name(name))
    with lock_run(store.path, run):
        ratings, wrong = _checked(given, Rateable.of(store, run))
        standing = Standing.of(store, run, judge)
        kept = Standing() if replace_all else standing
        for rating in ratings:
            if told := kept.contradicted(rating, name):
                wrong.append(Wrong(rating.number, told))
        _refuse(given, wrong)
        fresh = [rating for rating in ratings if rating.place not in kept.scores]
        with store.transaction():
            if replace_all:
                standing.delete(store, run, judge)
            kept.add(store, run, judge, fresh)
    return Kept(
        ratings=len(ratings),
        raters=len({rating.rater for rating in ratings}),
        plays=len({(rating.trial, rating.score.seat) for rating in ratings}),
        episodes=len({rating.trial for rating in ratings}),
        fresh=len(fresh),
    )


def _checked(given: _Given, run: Rateable) -> tuple[list[Placed], list[Wrong]]:
    ratings: list[Placed] = []
    wrong = list(given.wrong)
    seen: dict[Place, int] = {}
    for line in given.lines:
        try:
            trial = run.episode(line.rating.episode)
            score = run.score(line.rating, trial)
        except ConfigError as error:
            wrong.append(Wrong(line.number, str(error)))
            continue
        rating = Placed(line.number, trial, line.rating.rater, score)
        first = seen.setdefault(rating.place, line.number)
        if first != line.number:
            told = (
                f"expected one rating of {line.rating.dimension} by {rating.rater} for this seat, "
                f"found a second (the first in {given.unit} {first})"
            )
            wrong.append(Wrong(line.number, told))
        ratings.append(rating)
    return ratings, wrong


def _refuse(given: _Given, wrong: Sequence[Wrong]) -> None:
    """ConfigError where anything is wrong, or nothing is there."""
    if wrong:
        ordered = sorted(wrong, key=lambda each: each.line)
        told = "; ".join(f"{given.unit} {each.line}: {each.what}" for each in ordered[:_FIRST])
        more = f"; and {len(ordered) - _FIRST:,} more" if len(ordered) > _FIRST else ""
        count = plural(len(ordered), f"{given.unit} is", f"{given.unit}s are")
        raise ConfigError(f"{given.place}{count} wrong and nothing was imported: {told}{more}")
    if not given.lines:
        raise ConfigError(f"{given.place}expected at least one rating, found none")
