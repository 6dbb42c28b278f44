"""Line charts: where points and axes stand, and what is told to those who do not see them."""

from __future__ import annotations

import re

import pytest

from sociolab.report.charts import Dot
from sociolab.report.lines import line_chart

RISE = (Dot("c1", 2.0, 1.0, 3.0), Dot("c2", 4.0, 3.0, 5.0), Dot("c3", 6.0, 5.0, 7.0))


def drawn(*dots: Dot, low: float = 0, high: float = 10) -> str:
    return str(line_chart("k", "GOAL", dots, low, high))


def points(svg: str) -> list[tuple[float, float]]:
    found = re.search(r'<polyline class="curve" points="([^"]*)"', svg)
    assert found is not None
    pairs = (pair.split(",") for pair in found[1].split())
    return [(float(x), float(y)) for x, y in pairs]


def ticks(svg: str) -> list[str]:
    return re.findall(r'text-anchor="end">([^<]*)</text>', svg)


def test_higher_values_stand_higher_and_later_ones_further_right() -> None:
    (x1, y1), (x2, y2), (x3, y3) = points(drawn(*RISE))
    assert x1 < x2 < x3
    assert y1 > y2 > y3
    assert y1 - y2 == pytest.approx(y2 - y3)


def test_the_axis_holds_all_intervals_and_ends_where_the_scale_does() -> None:
    assert ticks(drawn(*RISE)) == ["0", "2", "4", "6", "8"]
    assert ticks(drawn(Dot("a", 9.0, 8.0, 10.0), Dot("b", 9.5, 9.0, 10.0)))[-1] == "10"
    assert ticks(drawn(Dot("a", -9.7, -10.0, -9.0), low=-10, high=0))[0] == "\N{MINUS SIGN}10"


@pytest.mark.parametrize("value", [0.0, 5.0, 10.0])
def test_equal_values_anywhere_on_the_scale_are_drawn(value: float) -> None:
    svg = drawn(Dot("a", value, None, None), Dot("b", value, None, None))
    (_, y1), (_, y2) = points(svg)
    assert y1 == y2
    assert len(set(ticks(svg))) == len(ticks(svg)) >= 2


def test_a_run_without_a_value_keeps_its_place_and_is_told() -> None:
    svg = drawn(RISE[0], Dot("c2", None, None, None), RISE[2])
    assert [x for x, _ in points(svg)] == [x for x, _ in points(drawn(*RISE))][::2]
    assert "c2: no value" in svg
    assert "c1: 2.00, 95 % interval 1.00 to 3.00" in svg
    assert 'class="ci"' in svg


def test_nothing_to_draw_is_still_a_chart() -> None:
    assert points(drawn(Dot("a", None, None, None))) == []
