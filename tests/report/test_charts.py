"""Figures: where dots, bars and axes stand, and what is told to those who do not see them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from sociolab import RunResult
from sociolab.analysis.agreement import difference_bars
from sociolab.report import MeasureEntry, ScoreEntry
from sociolab.report.charts import (
    Dot,
    bin_edges,
    counts,
    describe_spread,
    distribution_charts,
    dot_chart,
    histograms,
    line_chart,
    mean_charts,
)
from sociolab.report.html import spec_json
from sociolab.report.result import PlayValue, ScoreDistribution
from sociolab.report.schema import Failures, JudgeEntry, TokenTotals
from sociolab.report.score_tables import PALEST, STRONGEST, shade
from sociolab.report.section import Chart
from stats.judged_items import Judged, spread

GOAL = MeasureEntry(measure="goal", title="GOAL", low=0, high=10, whole=True)
SHARE = MeasureEntry(measure="f1", title="F1", low=0, high=1, whole=False)
EVEN = MeasureEntry(measure="even", title="EVEN", low=0, high=10, whole=True)
OPEN = MeasureEntry(measure="cost", title="cost", low=0, high=None, whole=False)
HALF = Dot("alpha", 5, 4, 6)
RISE = (Dot("c1", 2.0, 1.0, 3.0), Dot("c2", 4.0, 3.0, 5.0), Dot("c3", 6.0, 5.0, 7.0))


def entry(agent: str, measure: str, value: float | None, **by: str) -> ScoreEntry:
    low, high = (None, None) if value is None else (value - 1, value + 1)
    return ScoreEntry(
        agent=agent, measure=measure, by=by, value=value, n=0 if value is None else 4,
        clusters=2, failures=1, unscored=0, low=low, high=high,
        interval="none" if value is None else "t", note="", method="model", judge="lab/judge",
    )  # fmt: skip


def result(*scores: ScoreEntry) -> RunResult:
    return RunResult(
        run="r", world="sotopia", data=None, seed=0, created="2026-01-01T00:00:00Z",
        agents=tuple(dict.fromkeys(score.agent or "" for score in scores)), partner=None,
        trials=4, played=4, failed=0, stopped="", calls=0, tokens=TokenTotals(), cost_usd=None,
        seconds=0, ends={}, failures=Failures(),
        judges=(JudgeEntry(judge="lab/judge", method="model", settings="", judgings=1),),
        measures=(GOAL, EVEN, OPEN), scores=scores, settings={}, versions={},
    )  # fmt: skip


def values(*some: float, agent: str = "alpha", missing: int = 0) -> ScoreDistribution:
    points = tuple(PlayValue(value, f"t{i}", "ann") for i, value in enumerate(some))
    return ScoreDistribution(agent, "lab/judge", "goal", points, missing)


def rows(chart: Chart) -> list[dict[str, Any]]:
    found = chart.spec["data"]["values"]
    assert isinstance(found, list)
    return found


def ticks(dots: Sequence[Dot], low: float = 0, high: float = 10) -> list[float]:
    encoding = line_chart("GOAL", dots, low, high).spec["layer"][0]["encoding"]["y"]
    assert encoding["scale"]["domain"] == [encoding["axis"]["values"][i] for i in (0, -1)]
    found = encoding["axis"]["values"]
    assert isinstance(found, list)
    return found


# ------------------------------------------------------------------ the charts of a run


def test_a_chart_of_means_holds_the_figures_of_the_table_and_says_them() -> None:
    (group,) = mean_charts(
        result(entry("a", "goal", 3.0), entry("b", "goal", 5.0), entry("c", "goal", None))
    )
    (chart,) = group.charts
    found = [(row["who"], row["value"], row["low"], row["high"]) for row in rows(chart)]
    assert found == [("a", 3.0, 2.0, 4.0), ("b", 5.0, 4.0, 6.0), ("c", None, None, None)]
    assert (group.judge, chart.title) == ("lab/judge", "GOAL")
    assert chart.description == (
        "a: 3.00, 95 % interval 2.00 to 4.00; b: 5.00, 95 % interval 4.00 to 6.00; c: not scored"
    )
    scale = chart.spec["layer"][1]["encoding"]["x"]["scale"]
    assert scale["domain"] == [0, 10], "the whole scale, so that small differences look small"
    assert chart.spec["encoding"]["y"]["scale"] == {"domain": ["a", "b", "c"]}


def test_measures_that_are_even_or_without_an_end_are_not_drawn_but_named() -> None:
    (group,) = mean_charts(
        result(
            entry("a", "goal", 3.0),
            entry("b", "goal", 5.0),
            entry("a", "even", 2.0),
            entry("b", "even", 2.0),
            entry("a", "cost", 1.0),
            entry("b", "cost", 2.0),
        )
    )
    assert [chart.title for chart in group.charts] == ["GOAL"]
    assert group.even == ("EVEN 2.00",)


def test_an_only_agent_is_shown_by_type_of_task() -> None:
    (group,) = mean_charts(
        result(
            entry("a", "goal", 3.0),
            entry("a", "goal", 2.0, type="norms"),
            entry("a", "goal", 4.0, type="conflict"),
        )
    )
    assert [row["who"] for row in rows(group.charts[0])] == ["all types", "norms", "conflict"]


def test_distributions_count_every_play_once() -> None:
    some = values(0.0, 3.0, 3.0, 10.0, agent="a", missing=2)
    (group,) = distribution_charts(result(entry("a", "goal", 4.0)), [some])
    (chart,) = group.charts
    filled = {row["from"]: row["plays"] for row in rows(chart) if row.get("plays")}
    assert filled == {-0.5: 1, 2.5: 2, 9.5: 1}
    assert chart.description == "a: 4 episodes, 0 to 10, median 3, 2 missing"


def test_names_keep_their_hyphens_and_figures_have_minus_signs() -> None:
    name = "openai/gpt-4o"
    found = (
        describe_spread(values(-5.0, -1.0, agent=name)),
        describe_spread(values(-5.0, -5.0, agent=name)),
        dot_chart("FIN", [Dot(name, -5.1, -6, 0)], -10, 0).description,
        dot_chart("FIN", [Dot(name, -5.1, None, None)], -10, 0).description,
        difference_bars("FIN", [(name, spread([Judged(3, (4, 4), "a")]))]).description,
    )
    assert found == (
        f"{name}: 2 episodes, \u22125 to \u22121, median \u22123",
        f"{name}: 2 episodes, all \u22125",
        f"{name}: \u22125.10, 95 % interval \u22126.00 to 0.00",
        f"{name}: \u22125.10, no interval",
        f"{name}: \u22121: 1",
    )


# ------------------------------------------------------------------ dots and lines


def test_its_figures_can_be_read_aloud() -> None:
    dots = [HALF, Dot("beta", 1, None, None), Dot("gamma", None, None, None)]
    assert dot_chart("GOAL", dots, 0, 10).description == (
        "alpha: 5.00, 95 % interval 4.00 to 6.00; beta: 1.00, no interval; gamma: not scored"
    )


def test_what_reaches_past_the_axis_is_cut_off_there_and_a_dot_at_its_end_is_whole() -> None:
    rule, dot, _ = dot_chart("GOAL", [Dot("a", 5, -3, 14)], 0, 10).spec["layer"]
    assert rule["mark"]["clip"]
    assert "clip" not in dot["mark"]
    ends = dot["transform"][-1]["filter"]["range"]
    assert ends == pytest.approx([0, 10], abs=1e-4)
    assert ends[0] < 0 < 10 < ends[1], "a mean that is 10 but for rounding is shown"
    assert rule["encoding"]["x"]["scale"] == {"domain": [0, 10], "nice": False}


def test_zero_is_marked_where_the_axis_crosses_it() -> None:
    def marked(low: float, high: float) -> list[float]:
        axis = dot_chart("x", [HALF], low, high).spec["layer"][0]["encoding"]["x"]["axis"]
        found = axis["values"]
        assert isinstance(found, list)
        return found

    assert marked(-4.3, 7.1) == [-4.3, 0, 7.1]
    assert marked(0, 10) == [0, 5, 10]


def test_the_axis_of_a_line_holds_all_intervals_and_ends_where_the_scale_does() -> None:
    assert ticks(RISE) == [0, 2, 4, 6, 8]
    assert ticks((Dot("a", 9.0, 8.0, 10.0), Dot("b", 9.5, 9.0, 10.0)))[-1] == 10
    assert ticks((Dot("a", -9.7, -10.0, -9.0),), low=-10, high=0)[0] == -10


@pytest.mark.parametrize("value", [0.0, 5.0, 10.0])
def test_equal_values_anywhere_on_the_scale_are_drawn(value: float) -> None:
    found = ticks((Dot("a", value, None, None), Dot("b", value, None, None)))
    assert len(set(found)) == len(found) >= 2
    assert found[0] <= value <= found[-1]


def test_a_run_without_a_value_keeps_its_place_on_the_line_and_is_told() -> None:
    chart = line_chart("GOAL", [RISE[0], Dot("c2", None, None, None), RISE[2]], 0, 10)
    assert chart.spec["encoding"]["x"]["scale"] == {"domain": ["c1", "c2", "c3"]}
    assert chart.spec["layer"][0]["transform"] == [{"filter": "isValid(datum.value)"}]
    assert "c2: no value" in chart.description
    assert "c1: 2.00, 95 % interval 1.00 to 3.00" in chart.description


def test_nothing_to_draw_is_still_a_chart() -> None:
    assert ticks((Dot("a", None, None, None),)) == [0, 5, 10]


# ------------------------------------------------------------------ how values are distributed


def test_whole_numbers_have_a_bin_each() -> None:
    edges = bin_edges(0, 10, integers=True)
    assert (len(edges), edges[0], edges[-1]) == (12, -0.5, 10.5)
    assert counts((0, 4, 4, 10), edges) == (1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1)


def test_other_scales_have_ten_bins_and_a_value_on_an_edge_is_in_the_upper() -> None:
    edges = bin_edges(0, 1, integers=False)
    assert counts((0, 0.1, 0.3, 0.7, 1), edges) == (1, 1, 0, 1, 0, 0, 0, 1, 0, 1)
    assert len(bin_edges(-100, 100, integers=True)) == 11


def test_a_value_outside_the_scale_is_not_lost() -> None:
    assert sum(counts((-3, 14), bin_edges(0, 10, integers=True))) == 2


def test_a_distribution_is_told_in_words() -> None:
    assert (
        describe_spread(values(4, 8, 5, missing=2))
        == "alpha: 3 episodes, 4 to 8, median 5, 2 missing"
    )
    assert describe_spread(values(-1, -1)) == "alpha: 2 episodes, all −1"  # noqa: RUF001
    assert describe_spread(values(missing=1)) == "alpha: no values, 1 missing"


@pytest.mark.parametrize("measure", [GOAL, SHARE, OPEN])
def test_bars_stay_on_their_axis(measure: MeasureEntry) -> None:
    high = measure.high or 30
    chart = histograms("t", [values(0, high, high), values(agent="none")], measure)
    low, top = chart.spec["spec"]["layer"][0]["encoding"]["x"]["scale"]["domain"]
    bars = [row for row in rows(chart) if row.get("plays")]
    assert sorted(row["plays"] for row in bars) == [1, 2]
    assert all(low <= row["from"] < row["to"] <= top for row in bars)


def test_failures_stand_beside_the_bars() -> None:
    (beside,) = [
        row for row in rows(histograms("t", [values(1, missing=3)], GOAL)) if "mark" in row
    ]
    assert beside == {"who": "alpha", "mark": 1, "beside": "n 1", "missing": "3 failed"}


# ------------------------------------------------------------------ labels and colours


def test_a_hostile_label_stays_data() -> None:
    label = "</script><script>alert(1)</script>&\u2028<!--"
    text = str(spec_json(dot_chart("GOAL", [Dot(label, 5, 4, 6)], 0, 10).spec))
    assert not {"<", ">", "&"} & set(text)
    assert json.loads(text)["data"]["values"][0]["who"] == label


def test_colours_span_the_values() -> None:
    assert (shade(1, 1, 3), shade(3, 1, 3)) == (PALEST, STRONGEST)
    assert shade(2, 2, 2) == pytest.approx((PALEST + STRONGEST) / 2, abs=1e-3)


@pytest.mark.parametrize(
    ("paper", "ink"), [((255, 255, 255), (27, 31, 36)), ((20, 24, 29), (228, 231, 235))]
)
def test_figures_can_be_read_on_the_strongest_colour(
    paper: tuple[int, int, int], ink: tuple[int, int, int]
) -> None:
    mixed = [p + (c - p) * STRONGEST for p, c in zip(paper, (0, 114, 178), strict=True)]
    lighter, darker = sorted((_luminance(mixed), _luminance(ink)), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) > 4.5  # WCAG 2.2, success criterion 1.4.3


def _luminance(colour: Sequence[float]) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    parts = [c / 255 for c in colour]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
