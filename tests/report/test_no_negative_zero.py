"""What rounds to zero is written 0.00, whatever its sign."""

from __future__ import annotations

import pytest

from sociolab.core import Measure, Score
from sociolab.report import MeasureEntry
from sociolab.report.charts import Dot, dot_chart
from sociolab.report.formatting import figure, plain
from sociolab.report.transcript_views import _remark
from sociolab.report.words import first_digits, minus, number


@pytest.mark.parametrize("value", [-0.0, -0.001, -0.004999, 0.004])
def test_figures_of_reports_and_analyses(value: float) -> None:
    goal = MeasureEntry(measure="goal", title="GOAL", low=-10, high=10, whole=False)
    assert minus(number(value, goal)) == "0.00"
    assert figure(value, Measure("goal", -10, 10)) == "0.00"
    assert plain(value) == plain(value, sign=True) == "0.00"


def test_money_and_what_is_truly_below_zero() -> None:
    assert first_digits(-0.0) == "0.00"
    assert figure(-0.006, Measure("goal", -10, 10)) == "\N{MINUS SIGN}0.01"


def test_a_judge_s_value_and_a_chart() -> None:
    remark = _remark(Score(Measure("goal", -10, 10), "ann", -0.001))
    assert remark is not None
    assert remark.value == "0.00"
    chart = dot_chart("GOAL", [Dot("x", -0.001, -0.002, 0.002)], -1, 1)
    (row,) = chart.spec["data"]["values"]
    assert row["beside"] == "0.00"
    assert chart.description == "x: 0.00, 95 % interval 0.00 to 0.00"
