"""How values spread, counted by hand."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from sociolab.report.distributions import bin_edges, counts, histograms, told
from sociolab.report.result import PlayValue, ScoreDistribution
from sociolab.report.schema import MeasureEntry

GOAL = MeasureEntry(measure="goal", title="GOAL", low=0, high=10, whole=True)
SHARE = MeasureEntry(measure="f1", title="F1", low=0, high=1, whole=False)
OPEN = MeasureEntry(measure="turns", title="turns", low=0, high=None, whole=False)


def spread(*values: float, agent: str = "alpha", missing: int = 0) -> ScoreDistribution:
    points = tuple(PlayValue(value, f"t{i}", "ann") for i, value in enumerate(values))
    return ScoreDistribution(agent, "heuristic", "goal", points, missing)


def test_whole_numbers_have_a_bin_each() -> None:
    edges = bin_edges(0, 10, whole=True)
    assert (len(edges), edges[0], edges[-1]) == (12, -0.5, 10.5)
    assert counts((0, 4, 4, 10), edges) == (1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1)


def test_other_scales_have_ten_bins_and_a_value_on_an_edge_is_in_the_upper() -> None:
    edges = bin_edges(0, 1, whole=False)
    assert counts((0, 0.1, 0.3, 0.7, 1), edges) == (1, 1, 0, 1, 0, 0, 0, 1, 0, 1)
    assert len(bin_edges(-100, 100, whole=True)) == 11


def test_a_value_outside_the_scale_is_not_lost() -> None:
    assert sum(counts((-3, 14), bin_edges(0, 10, whole=True))) == 2


def test_a_spread_is_told_in_words() -> None:
    assert told(spread(4, 8, 5, missing=2)) == "alpha: 3 plays, 4 to 8, median 5, 2 missing"
    assert told(spread(-1, -1)) == "alpha: 2 plays, all −1"  # noqa: RUF001
    assert told(spread(missing=1)) == "alpha: no values, 1 missing"


@pytest.mark.parametrize("measure", [GOAL, SHARE, OPEN])
def test_bars_stay_within_the_chart(measure: MeasureEntry) -> None:
    high = measure.high or 30
    root = ElementTree.fromstring(
        str(histograms("k", "t", [spread(0, high, high), spread(agent="none")], measure))
    )
    width = float(root.attrib["viewBox"].split()[2])
    bars = list(root.iter("rect"))
    assert len(bars) == 2
    assert all(0 < float(r.attrib["x"]) < width - float(r.attrib["width"]) for r in bars)
    heights = sorted(float(rect.attrib["height"]) for rect in bars)
    assert heights[0] == pytest.approx(heights[1] / 2)


def test_failures_stand_beside_the_bars_and_names_are_text() -> None:
    plot = str(histograms("k", "<t>", [spread(1, agent="</svg><script>", missing=3)], GOAL))
    assert "3 failed" in plot
    assert "<script" not in plot
    assert ElementTree.fromstring(plot)[0].text == "<t>"
