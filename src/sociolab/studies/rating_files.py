"""Read a file of ratings: its columns are recognized by their names, and the reading is
reported."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import cast, get_args

from sociolab.core.errors import ConfigError
from sociolab.core.names import normalize_text
from sociolab.core.score import NO_ANSWERS, NotKnown
from sociolab.report.words import join_names, plural
from sociolab.store.connect import store_path
from sociolab.store.store import Store
from sociolab.studies.rating_tables import RatingSheet, Row, read_table
from sociolab.studies.ratings import (
    PEOPLE,
    Duplicates,
    IncomingRatings,
    NumberedRating,
    Rateable,
    Rating,
    WrongLine,
    cell_text,
    expected_score,
    keep_incoming,
    normalize_name,
    quote,
)

FIELDS: Mapping[str, tuple[str, ...]] = {
    "episode": ("episode id", "episode pk", "pk"),
    "seat": (),
    "rater": ("annotator", "annotator id", "rater id"),
    "dimension": (),
    "score": (),
    "reason": ("reasoning",),
    "seconds": ("lead time", "worktimeinseconds"),
    "when": (),
}
"""The fields of a rating, and other names for their columns, as `normalize_name` writes them."""
PLATFORM = ("prolific pid", "prolific id", "participant id", "worker id", "workerid", "worker")
"""Recruiting platforms' names for the rater's column, whose values are always hashed."""
RESPONSE = "responseid"
"""Qualtrics's name for the column that stands for the rater where no other does."""
IGNORED = "ignore"

_PLATFORM_ID = re.compile(r"[0-9a-f]{24}|A[0-9A-Z]{9,20}|[^@\s]+@[^@\s]+")
"""A worker of Prolific or of Mechanical Turk, or an e-mail address."""
_BLANK = frozenset({"", "na", "n/a", "nan", "none", "null"})
_NUMBER = re.compile(r"[+-]?\d{1,15}([.,]\d{1,15})?")
_THOUSANDS = re.compile(r"[+-]?\d{1,3},\d{3}")
_SPOILED = re.compile(r"[0-9]([.,][0-9]+)?E\+[0-9]+", re.IGNORECASE)
"""What a spreadsheet makes of a long number, such as 1.09E+15."""


@dataclass(frozen=True, slots=True)
class RatingColumn:
    """What a column holds: a field of a rating or, with a `dimension`, its score or reason; of a
    `seat`, if the column's name has one."""

    name: str
    field: str
    dimension: str = ""
    seat: str = ""

    def __str__(self) -> str:
        of = ".reason" if self.dimension and self.field == "reason" else ""
        return f"{self.dimension or self.field}{of}{f'@{self.seat}' if self.seat else ''}"


@dataclass(frozen=True, slots=True)
class RatingColumns:
    """The columns of a file: long, with a rating in each row, or wide, with several."""

    fields: Mapping[str, RatingColumn]
    scores: tuple[RatingColumn, ...] = ()
    reasons: Mapping[tuple[str, str], RatingColumn] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    hashed: bool = False

    def known_fields(self, column: RatingColumn, cells: Mapping[str, object]) -> dict[str, str]:
        """What the column of a wide table says of its score: dimension, seat, and the reason."""
        texts = {"dimension": column.dimension} | ({"seat": column.seat} if column.seat else {})
        if reason := self.reasons.get((column.dimension, column.seat)):
            texts["reason"] = cell_text(cells[reason.name])
        return texts

    @property
    def lines(self) -> tuple[str, ...]:
        """The report: which columns were recognized, and which were left out."""
        every = (*self.fields.values(), *self.scores, *self.reasons.values())
        mapped = [f"{column.name} = {column}" for column in every if column.name != str(column)]
        report = {"columns read as": mapped, "columns left out": self.left_out}
        return tuple(f"{what}: {', '.join(names)}" for what, names in report.items() if names)


@dataclass(slots=True)
class RatingFile:
    """A file as it was read: ratings, wrong lines, and sentences on how it was read."""

    ratings: list[NumberedRating] = field(default_factory=list)
    wrong: list[WrongLine] = field(default_factory=list)
    lines: tuple[str, ...] = ()
    blank: int = 0
    hashed: int = 0


def import_ratings(
    file: Path,
    run: str = "",
    *,
    store: Path | None,
    name: str = PEOPLE,
    replace_all: bool = False,
    mapped: Sequence[str] = (),
    duplicates: str = "refuse",
) -> tuple[str, ...]:
    """`keep_ratings` for a file; returns sentences on how it was read and what was stored.

    Without `run` it is the run that has the file's episodes. `mapped` holds "COLUMN=MEANING" for
    columns. ConfigError for wrong lines, too.
    """
    if duplicates not in get_args(Duplicates):
        choices = ", ".join(get_args(Duplicates))
        raise ConfigError(f"--duplicates: expected {choices}, found {quote(duplicates)}")
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{file} cannot be read ({error.strerror}); name another file") from error
    table = read_table(data, file)
    if not table.wrong and not any(row.cells for row in table.rows):
        how = f" ({'; '.join(table.lines)})" if table.lines else ""
        raise ConfigError(f"{file}: expected at least one rating, found none{how}")
    with Store.open(store_path(store), create=False) as opened:
        run = run or _find_run(opened, table, mapped, file)
        read = read_ratings(table, Rateable.load(opened, run), mapped, opened.salt)
        incoming = IncomingRatings(
            read.ratings, read.wrong, f"{file}: ", table.unit, cast(Duplicates, duplicates)
        )
        counts = keep_incoming(opened, run, incoming, name, replace_all)
    old = counts.ratings - counts.fresh
    merged = {
        "first": "first kept",
        "mean": "mean kept",
        "keep": "both kept, the second as another rater's",
    }
    doubles = f"{plural(counts.doubles, 'duplicate rating')}: {merged.get(duplicates)}"
    return (
        *read.lines,
        *((doubles,) if counts.doubles else ()),
        f"read {plural(counts.ratings, 'rating')} by {plural(counts.raters, 'rater')} of "
        f"{plural(counts.seats, 'seat')} of {plural(counts.episodes, 'episode')}; "
        f'stored {counts.fresh:,} in the set "{name}" of run {run}'
        f"{f', {old:,} already there' if old else ''}",
        f"compare them with judges: sociolab agree {run}",
    )


def _find_run(store: Store, table: RatingSheet, mapped: Sequence[str], file: Path) -> str:
    """The run with the table's episodes; ConfigError if it is not one."""
    mapped_to = {name.strip(): to.strip() for name, _, to in (o.rpartition("=") for o in mapped)}
    ids = {
        normalize_text(cell_text(cell))
        for row in table.rows
        for name, cell in row.by_name().items()
        if mapped_to.get(name, _field_called(_plain_name(name))) == "episode"
    }
    if not ids:
        heads = _quote_names(table.rows[0].names if table.rows else ())
        raise ConfigError(
            f"{file}: expected a column of episodes, found none among {heads}; "
            "--map COLUMN=episode names it"
        )
    runs = store.runs_with(ids)
    if len(runs) != 1:
        which = f"found them in {join_names(runs)}" if runs else "found none that has them"
        raise ConfigError(
            f"{file}: expected the episodes of one run, {which}; name the run by --run RUN"
        )
    return runs[0]


def read_ratings(
    table: RatingSheet, run: Rateable, mapped: Sequence[str] = (), salt: bytes = b""
) -> RatingFile:
    """The ratings of a table, and what is wrong with its other rows.

    Platform ids are hashed with `salt`. ConfigError for an impossible `mapped`.
    """
    meanings = _parse_map(mapped, run)
    rating_file = RatingFile(wrong=[*table.wrong])
    heads: dict[tuple[str, ...], RatingColumns | str] = {}
    for row in table.rows:
        if row.names not in heads:
            heads[row.names] = recognize_columns(row.names, meanings, run)
        columns = heads[row.names]
        if isinstance(columns, RatingColumns):
            if row.cells is not None:
                _read_row(row, columns, run, salt, rating_file)
        elif row.cells is None:
            rating_file.wrong = [WrongLine(row.number, columns)]
            break
        else:
            rating_file.wrong.append(WrongLine(row.number, columns))
    if heads and (unused := [name for name in meanings if not any(name in head for head in heads)]):
        raise ConfigError(
            f"--map: expected a column of the file, found {quote(unused[0])}; it has "
            f"{_quote_names(next(iter(heads)))}"
        )
    lines = list(table.lines)
    lines += (
        line for head in heads.values() if isinstance(head, RatingColumns) for line in head.lines
    )
    if rating_file.blank:
        lines.append(f"blank cells, which are no ratings: {rating_file.blank:,}")
    if rating_file.hashed:
        platform = "raters with a platform's id or an address, which is hashed"
        lines.append(f"ratings by {platform}: {rating_file.hashed:,}")
    rating_file.lines = tuple(dict.fromkeys(lines))
    return rating_file


# ------------------------------------------------------------------ columns

_OF_SEAT = r"(?:(?:agent|person|participant|player|seat|p) ?)?(?P<{}>[1-9])"
_PART = r"(?: (?P<{}>reason|reasoning|comment|score|rating))?"
_WIDE = re.compile(
    rf"(?:{_OF_SEAT.format('before')} )?(?P<what>.+?)"
    rf"(?:{_PART.format('part')} {_OF_SEAT.format('behind')})?{_PART.format('end')}"
)
"""A column of a wide table: "agent_1 Believability", "goal_p2_reason", "goal_reasoning_2"."""
_PLACE = re.compile(r"\A(?:(?:Input|Answer)\.|(?:.+\.)?player\.)")
"""What Mechanical Turk and oTree write before a column's own name."""
_MEANING = re.compile(r"(?P<what>[^.@]+)(?P<reason>\.reason)?(?:@(?P<seat>.+))?")


def recognize_columns(
    names: tuple[str, ...], meanings: Mapping[str, RatingColumn], run: Rateable
) -> RatingColumns | str:
    """What these columns hold, or a sentence on why no file can have them."""
    if twice := [name for name, times in Counter(names).items() if name and times > 1]:
        return f"expected each column once, found {quote(twice[0])} twice"
    chosen = [meanings.get(name) or _recognize_column(name, run) for name in names]
    held = {choice.field for choice in chosen if choice and not choice.dimension}
    wide = not {"dimension", "score"} <= held
    fields: dict[str, RatingColumn] = {}
    cells: dict[tuple[str, str, str], RatingColumn] = {}
    out = []
    for name, column in zip(names, chosen, strict=True):
        if column is None or column.field == IGNORED or (column.dimension and not wide):
            suggestion = _suggest_meaning(name, run, chosen) if column is None else ""
            out.append(
                f"{name} (did you mean {suggestion}?)" if suggestion else name or "(unnamed)"
            )
            continue
        first = (
            cells.setdefault((column.field, column.dimension, column.seat), column)
            if column.dimension
            else fields.setdefault(column.field, column)
        )
        if first is not column:
            return f"expected each column once, found {quote(first.name)} and {quote(name)}"
    if "rater" not in fields and (own := [name for name in out if _plain_name(name) == RESPONSE]):
        fields["rater"] = RatingColumn(own[0], "rater")
        out.remove(own[0])
    scores = tuple(cell for cell in cells.values() if cell.field == "score")
    needed = ["episode", "seat", "rater", "dimension", "score"]
    if wide and scores:
        needed = needed[:3] if not all(score.seat for score in scores) else ["episode", "rater"]
    if missing := [name for name in needed if name not in fields]:
        return (
            f"expected the columns {', '.join(needed)}, found no {missing[0]} among "
            f"{_quote_names(names)}; --map COLUMN={missing[0]} names it"
        )
    reasons = {(o.dimension, o.seat): o for o in cells.values() if o.field == "reason"}
    hashed = _plain_name(fields["rater"].name) in PLATFORM
    return RatingColumns(fields, scores if wide else (), reasons, tuple(out), hashed)


def _recognize_column(name: str, run: Rateable) -> RatingColumn | None:
    """What a column of this name holds; None if that is unknown."""
    called = _plain_name(name)
    if field_name := _field_called(called):
        return RatingColumn(name, field_name)
    if called in run.name_index:
        return RatingColumn(name, "score", run.name_index[called])
    match = _WIDE.fullmatch(called)
    if match is None or match["what"] not in run.name_index:
        return None
    part = "score" if (match["part"] or match["end"]) in (None, "score", "rating") else "reason"
    seat = match["before"] or match["behind"] or ""
    return RatingColumn(name, part, run.name_index[match["what"]], seat)


def _plain_name(name: str) -> str:
    return normalize_name(_PLACE.sub("", name))


def _field_called(name: str) -> str:
    """The field of a rating that a column of this plain name holds, or ""."""
    if name in PLATFORM:
        return "rater"
    return next((called for called, others in FIELDS.items() if name in (called, *others)), "")


def _suggest_meaning(name: str, run: Rateable, read: Sequence[RatingColumn | None]) -> str:
    """A close match among the meanings that no column has yet, or ""."""
    match = _WIDE.fullmatch(_plain_name(name))
    if match is None:
        return ""
    meanings = {**{field_name: field_name for field_name in FIELDS}, **run.name_index}
    seat = match["before"] or match["behind"] or ""
    held = {column.dimension or column.field for column in read if column and column.seat == seat}
    free = [called for called, meaning in meanings.items() if meaning not in held]
    return next(
        (meanings[called] for called in get_close_matches(match["what"], free, 1, 0.75)), ""
    )


def _parse_map(mapped: Sequence[str], run: Rateable) -> dict[str, RatingColumn]:
    """Parse --map, by column; ConfigError where it names nothing that a column can hold."""
    meanings = {}
    for option in mapped:
        name, equals, meaning = (part.strip() for part in option.rpartition("="))
        match = _MEANING.fullmatch(meaning)
        what = normalize_name(match["what"]) if match else ""
        dimension = run.name_index.get(what, "")
        plain = match and not match["reason"] and not match["seat"]
        if (
            not name
            or not equals
            or not match
            or not (dimension or (plain and what in (*FIELDS, IGNORED)))
        ):
            raise ConfigError(
                f"--map: expected COLUMN=MEANING, where MEANING is {', '.join(FIELDS)}, {IGNORED}, "
                "or a dimension, such as goal, goal@2 (of the second seat) or goal.reason@2, found "
                f"{quote(option)}"
            )
        part = "reason" if match["reason"] else "score"
        seat = match["seat"] or ""
        meanings[name] = (
            RatingColumn(name, part, dimension, seat) if dimension else RatingColumn(name, what)
        )
    return meanings


def _quote_names(names: Sequence[str]) -> str:
    return ", ".join(quote(name) for name in names[:12]) or "none"


# ------------------------------------------------------------------ rows


def _read_row(
    row: Row,
    columns: RatingColumns,
    run: Rateable,
    salt: bytes,
    rating_file: RatingFile,
) -> None:
    """Add the ratings of a row, or what is wrong with it."""
    number, cells = row.number, row.by_name()
    values = {name: cells[column.name] for name, column in columns.fields.items()}
    score, time = values.pop("score", None), values.pop("seconds", None)
    if columns.scores:  # then it is that of several ratings
        time = None
    if lost := [name for name in ("episode", "rater") if _is_spoiled(values[name])]:
        problem = (
            f"expected an id as {lost[0]}, found {quote(values[lost[0]])}, which a spreadsheet "
            "made of a longer one; export the file again with this column as text"
        )
        rating_file.wrong.append(WrongLine(number, problem))
        return
    for name, cell in values.items():
        if isinstance(cell, bool) or not isinstance(cell, str | int | None):
            rating_file.wrong.append(
                WrongLine(number, f"expected text as {name}, found {quote(cell)}")
            )
            return
    texts = {"seat": ""} | {name: cell_text(cell) for name, cell in values.items()}
    hashed = columns.hashed or _PLATFORM_ID.fullmatch(texts["rater"])
    if hashed and texts["rater"]:
        key = hashlib.blake2b(texts["rater"].encode("utf-8", "replace"), digest_size=6, key=salt)
        texts["rater"] = f"r-{key.hexdigest()}"
    wide = [(columns.known_fields(column, cells), cells[column.name]) for column in columns.scores]
    for known_fields, cell in wide or [({}, score)]:
        if _is_blank(cell):
            rating_file.blank += 1
            continue
        try:
            rating_file.ratings.append(
                (number, _build_rating(texts | known_fields, run, cell, time))
            )
            rating_file.hashed += bool(hashed)
        except ConfigError as error:
            rating_file.wrong.append(WrongLine(number, str(error)))


def _is_spoiled(cell: object) -> bool:
    """Whether it is an id of which a spreadsheet made a number with at most 15 digits."""
    large = isinstance(cell, float) and abs(cell) >= 1e15
    return large or bool(_SPOILED.fullmatch(cell_text(cell)))


def _build_rating(texts: Mapping[str, str], run: Rateable, cell: object, time: object) -> Rating:
    score: float | NotKnown | None = _parse_number(cell)
    seconds, measure = _parse_number(time), run.measure(texts["dimension"])
    if measure is None or measure.yes_no:
        score = _ANSWERS.get(cell_text(cell).casefold(), score)
    if score is None:
        expected = expected_score(measure) if measure else "a number as score"
        raise ConfigError(f"expected {expected}, found {quote(cell)}")
    if not _is_blank(time) and seconds is None:
        raise ConfigError(f"expected seconds from 0 or nothing, found {quote(time)}")
    return Rating(score=score, seconds=seconds, **texts)


_ANSWERS: Mapping[str, float | NotKnown] = {
    "yes": 1.0,
    "no": 0.0,
    **{kind: kind for kind in NO_ANSWERS},
}
"""Answers that stand for a score of a yes/no question."""


def _is_blank(cell: object) -> bool:
    return (isinstance(cell, float) and math.isnan(cell)) or cell_text(cell).casefold() in _BLANK


def _parse_number(cell: object) -> float | None:
    """A finite number, with a point or a comma; None for anything else, or possible thousands."""
    if isinstance(cell, bool):
        return None
    if isinstance(cell, (int, float)):
        try:
            return float(cell) if math.isfinite(cell) else None
        except OverflowError:
            return None
    text = cell_text(cell).replace("\N{MINUS SIGN}", "-")
    if not _NUMBER.fullmatch(text) or _THOUSANDS.fullmatch(text):
        return None
    return float(text.replace(",", "."))
