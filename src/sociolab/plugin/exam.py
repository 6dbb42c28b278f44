"""Reads the exam that a world ships, from a TOML file of its package."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib.resources import files
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field

from sociolab.core.episode import Episode
from sociolab.core.exam import CaseKind, ExamCase, ExpectedScore, Form
from sociolab.core.reading import record


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
    """The cases of a file in the package's `data`, a table `[[case]]` each, in their order."""
    text = files(package).joinpath("data", file).read_text("utf-8")
    rows = [record(file, kind, fields) for fields in tomllib.loads(text)["case"]]
    return tuple(
        ExamCase(
            row.kind,
            row.form,
            episode(row),
            tuple(ExpectedScore(name, seat or None, *ends) for name, seat, *ends in row.expect),
        )
        for row in rows
    )
