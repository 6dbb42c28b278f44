from __future__ import annotations

from sociolab.report.result import PlayValue, ScoreDistribution
from sociolab.report.schema import (
    Failures,
    JudgeEntry,
    MeasureEntry,
    RunResult,
    ScoreEntry,
    TokenTotals,
)
from sociolab.web.watch.charts import mean_charts, spread_charts

GOAL = MeasureEntry(measure="goal", title="GOAL", low=0, high=10, whole=True)
EVEN = MeasureEntry(measure="even", title="EVEN", low=0, high=10, whole=True)
OPEN = MeasureEntry(measure="cost", title="cost", low=0, high=None, whole=False)


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


def test_a_chart_of_means_holds_the_figures_of_the_table_and_says_them() -> None:
    (group,) = mean_charts(
        result(entry("a", "goal", 3.0), entry("b", "goal", 5.0), entry("c", "goal", None))
    )
    (chart,) = group.charts
    rows = [
        (row["who"], row["value"], row["low"], row["high"]) for row in chart.spec["data"]["values"]
    ]
    assert rows == [("a", 3.0, 2.0, 4.0), ("b", 5.0, 4.0, 6.0)]
    assert chart.told == (
        "GOAL by lab/judge: a 3.00 [2.00, 4.00], n 4; b 5.00 [4.00, 6.00], n 4; c not scored"
    )
    scale = chart.spec["layer"][1]["encoding"]["x"]["scale"]
    assert scale == {"domain": [0.0, 10.0]}, "the whole scale, so that small differences look small"
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
    rows = group.charts[0].spec["data"]["values"]
    assert [row["who"] for row in rows] == ["all types", "norms", "conflict"]


def test_a_spread_counts_every_play_once() -> None:
    values = (0.0, 3.0, 3.0, 10.0)
    spread = ScoreDistribution(
        "a", "lab/judge", "goal", tuple(PlayValue(v, "t", "s") for v in values), 2
    )
    (group,) = spread_charts(result(entry("a", "goal", 4.0)), [spread], 5)
    (chart,) = group.charts
    assert chart.number == 5
    filled = {row["from"]: row["plays"] for row in chart.spec["data"]["values"] if row["plays"]}
    assert filled == {-0.5: 1, 2.5: 2, 9.5: 1}
    assert "4 plays, 0 to 10, median 3, 2 missing" in chart.told
