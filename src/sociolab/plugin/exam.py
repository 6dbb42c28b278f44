"""The exam that a world ships: read from a TOML file of its package, and checked."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from importlib.resources import files
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field

from sociolab.core.episode import Episode
from sociolab.core.errors import ConfigError, WorldError
from sociolab.core.exam import MISSES, CaseKind, ExamCase, ExpectedScore, Form
from sociolab.core.reading import record
from sociolab.core.score import Measure
from sociolab.core.tracebacks import describe_error


class CaseRow(BaseModel):
    """What every case has; a world's own row adds what its episode is made of.

    `expect` lists metric, seat ("" for the whole episode), and the lowest and highest right score.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    kind: CaseKind
    form: Form
    expect: tuple[tuple[str, str, float, float], ...] = Field(min_length=1)


Row = TypeVar("Row", bound=CaseRow)


def read_exam(
    package: str, file: str, kind: type[Row], episode: Callable[[Row], Episode]
) -> tuple[ExamCase, ...]:
    """The cases of a file in the package's `data`, a table `[[case]]` each, in their order.

    WorldError, with the file and the case, where one cannot be read.
    """
    cases = []
    for number, fields in enumerate(_tables(package, file), 1):
        id_ = fields.get("id", number) if isinstance(fields, dict) else number
        place = f"{package}, {file}, case {id_}"
        try:
            row = record(place, kind, fields)
            made = episode(row)
        except ConfigError as error:
            raise WorldError(str(error)) from error
        except Exception as error:  # somebody's code
            raise WorldError(f"{place}: no episode: {describe_error(error)}") from error
        expected = (ExpectedScore(name, seat or None, *ends) for name, seat, *ends in row.expect)
        cases.append(ExamCase(row.kind, row.form, made, tuple(expected)))
    return tuple(cases)


def _tables(package: str, file: str) -> list[Any]:
    text = files(package).joinpath("data", file).read_text("utf-8")
    try:
        tables = tomllib.loads(text).get("case")
    except tomllib.TOMLDecodeError as error:
        raise WorldError(f"{package}, {file} is not valid TOML: {error}") from error
    if not isinstance(tables, list):
        raise WorldError(f"{package}, {file}: expected tables [[case]], found none")
    return tables


def check_exam(
    world: str, cases: Iterable[Any], metrics: Collection[str], measures: Iterable[Measure]
) -> None:
    """WorldError, in a sentence, where an exam of a world cannot be sat.

    `metrics` are the names that the world declares, with a star for a series (none: any will do),
    `measures` those whose ranges are known.
    """
    ids, forms = set[str](), set[str]()
    ranges = {measure.name: measure for measure in measures}
    names = (*dict.fromkeys((*metrics, *ranges)),)
    for case in cases:
        problem = _problem(case, names, ranges)
        if not problem and case.id in ids:
            problem = "expected an id of its own, found it twice"
        if problem:
            of = f", case {case.id}" if isinstance(case, ExamCase) else ""
            raise WorldError(f'the world "{world}": exam{of}: {problem}')
        ids.add(case.id)
        forms.add(case.form)
    if missing := [form for form in get_args(Form) if form not in forms]:
        raise WorldError(
            f'the world "{world}": exam: expected cases of the forms A and B, found none of '
            f"{' or '.join(missing)}"
        )


def _problem(case: Any, names: Collection[str], ranges: Mapping[str, Measure]) -> str:
    """What is wrong with a case; "" for nothing."""
    if not isinstance(case, ExamCase):
        return f"expected an ExamCase, found {case!r:.80}"
    for what, value, known in (
        ("kind", case.kind, MISSES),
        ("form", case.form, get_args(Form)),
    ):
        if value not in known:
            return f'{what}: expected {", ".join(known)}, found "{value}"'
    seats = case.episode.trial.task.seats
    for one in case.expected:
        if one.seat is not None and one.seat not in seats:
            return f'expected a seat of its task ({", ".join(seats)}), found "{one.seat}"'
        if names and not any(fnmatchcase(one.metric, name) for name in names):
            return f'expected a metric of the world ({", ".join(names)}), found "{one.metric}"'
        least, most, of = -math.inf, math.inf, ""
        if (measure := ranges.get(one.metric)) is not None:
            least, most = measure.low, measure.high
            of = f" of {least:g} to {most:g}"
        if not least <= one.low <= one.high <= most:
            return (
                f"{one.metric}: expected the lowest and the highest right score{of}, found "
                f"{one.low:g} and {one.high:g}"
            )
    return "" if case.expected else "expected a score that is right, found none"
