"""Exams marked by hand: whether a judge has a case right, and how many of each form."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence

from sociolab.core import ExamCase, Judge, Score

KINDS = {
    "success": 2, "failure": 1, "near miss": 1, "small talk": 1,
    "order": 2, "reversed": 1, "padding": 1, "empty": 1,
}  # fmt: skip
"""The cases of each form, by kind."""


def right(judge: Judge, case: ExamCase) -> bool:
    """Whether the judge gives all that is expected of the metrics that it gives."""
    given = {(v.seat, v.measure.name): v for v in asyncio.run(judge.judge(case.episode))}
    metrics = {metric for _, metric in given}
    bound = [one for one in case.expected if one.metric in metrics]
    assert bound, f"{case.id} expects nothing of {judge.id}"
    values = [(one, given[one.seat, one.metric]) for one in bound]
    return all(isinstance(v, Score) and one.low <= v.value <= one.high for one, v in values)


def marked(cases: Sequence[ExamCase], judge: Callable[[ExamCase], Judge]) -> dict[str, int]:
    """How many cases of each form are right, each by the judge that is made for it."""
    return Counter(case.form for case in cases if right(judge(case), case))


def shifted(cases: Sequence[ExamCase], case: ExamCase, shift: int) -> ExamCase:
    """Another case of the same form."""
    at = cases.index(case)
    return cases[at // 10 * 10 + (at + shift) % 10]
