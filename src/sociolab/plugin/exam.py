"""Exams that worlds ship: read from a TOML file of the world's package, and checked."""

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
    """The fields of every case; a world's subclass adds the fields that its episode is built from.

    `expect` lists metric, seat ("" for the whole episode), and the lowest and highest right score.

    >>> import sociolab.plugin.api as lab
    >>> class GameCase(lab.CaseRow):
    ...     points: int
    >>> expect = [("fairness", "proposer", 8, 10)]
    >>> row = GameCase(id="half", kind="success", form="A", expect=expect, points=50)
    >>> row.expect
    (('fairness', 'proposer', 8.0, 10.0),)
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
    r"""Read the cases of a file in the package's `data`: one for each table `[[case]]`, in order.

    `episode` builds the episode of a row. WorldError, with the file and the case, for a case that
    cannot be read.

    >>> from pathlib import Path
    >>> import sociolab.plugin.api as lab
    >>> data = Path(folder, "my_game", "data")  # in a package of yours
    >>> data.mkdir(parents=True)
    >>> text = ("[[case]]\nid = 'half'\nkind = 'success'\nform = 'A'\n"
    ...         "expect = [['fairness', 'ann', 8, 10]]\n")
    >>> size = (data / "exam.toml").write_text(text)
    >>> def episode_of(row):
    ...     task = lab.Task(row.id, ("ann", "ben"), cluster=row.id, content="{}")
    ...     return lab.Episode(lab.Trial(row.id, "my_game", task, (), 0, 0), ())
    >>> (case,) = lab.read_exam("my_game", "exam.toml", lab.CaseRow, episode_of)
    >>> case.id, case.expected[0].metric, case.expected[0].low
    ('half', 'fairness', 8.0)
    """
    cases = []
    for number, fields in enumerate(_tables(package, file), 1):
        id_ = fields.get("id", number) if isinstance(fields, dict) else number
        place = f"{package}, {file}, case {id_}"
        try:
            row = record(place, kind, fields)
            built_episode = episode(row)
        except ConfigError as error:
            raise WorldError(str(error)) from error
        except Exception as error:  # code of a world
            raise WorldError(f"{place}: no episode: {describe_error(error)}") from error
        expected = (ExpectedScore(name, seat or None, *ends) for name, seat, *ends in row.expect)
        cases.append(ExamCase(row.kind, row.form, built_episode, tuple(expected)))
    return tuple(cases)


def _tables(package: str, file: str) -> list[Any]:
    text = (files(package) / "data" / file).read_text("utf-8")
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
    """WorldError if no judge could sit this exam of a world.

    `metrics` are the names that the world declares, with a star for a series (empty: any name is
    allowed); `measures` are those with known ranges.
    """
    ids, forms = set[str](), set[str]()
    ranges = {measure.name: measure for measure in measures}
    names = (*dict.fromkeys((*metrics, *ranges)),)
    for case in cases:
        problem = _problem(case, names, ranges)
        if not problem and case.id in ids:
            problem = "expected an id of its own, found it twice"
        if problem:
            place = f", case {case.id}" if isinstance(case, ExamCase) else ""
            raise WorldError(f'the world "{world}": exam{place}: {problem}')
        ids.add(case.id)
        forms.add(case.form)
    if missing := [form for form in get_args(Form) if form not in forms]:
        raise WorldError(
            f'the world "{world}": exam: expected cases of the forms A and B, found none of '
            f"{' or '.join(missing)}"
        )


def _problem(case: Any, names: Collection[str], ranges: Mapping[str, Measure]) -> str:
    """What is wrong with a case; "" if nothing is."""
    if not isinstance(case, ExamCase):
        return f"expected an ExamCase, found {case!r:.80}"
    for what, value, choices in (
        ("kind", case.kind, MISSES),
        ("form", case.form, get_args(Form)),
    ):
        if value not in choices:
            return f'{what}: expected {", ".join(choices)}, found "{value}"'
    seats = case.episode.trial.task.seats
    for score in case.expected:
        if score.seat is not None and score.seat not in seats:
            return f'expected a seat of its task ({", ".join(seats)}), found "{score.seat}"'
        if names and not any(fnmatchcase(score.metric, name) for name in names):
            return f'expected a metric of the world ({", ".join(names)}), found "{score.metric}"'
        least, most, in_range = -math.inf, math.inf, ""
        if (measure := ranges.get(score.metric)) is not None:
            least, most = measure.low, measure.high
            in_range = f" of {least:g} to {most:g}"
        if not least <= score.low <= score.high <= most:
            return (
                f"{score.metric}: expected the lowest and the highest right score{in_range}, found "
                f"{score.low:g} and {score.high:g}"
            )
    return "" if case.expected else "expected a score that is right, found none"
