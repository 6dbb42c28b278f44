"""Panels of judges, computed by hand."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from sociolab import Count
from sociolab.analysis import RunValues, Value
from sociolab.analysis.panel import JudgePanel, build_panel, panel_findings, panel_section
from sociolab.core import ConfigError, JudgeId, Measure, Method
from sociolab.core.score import judge_title

GOAL = Measure("goal", 0, 10, title="GOAL")
KNOWLEDGE = Measure("knowledge", 0, 10, title="KNO")
JUDGES = ("one", "two", "three")


def run_of(plays: dict[str, tuple[float | None, ...]], measure: Measure = GOAL) -> RunValues:
    """Plays by the scenario that each is of."""
    values = tuple(
        Value(
            "r", "sotopia", f"trial-{cluster}", "t", cluster, None, 0, "ann", "scripted", None,
            judge, measure.name, value,
        )
        for cluster, scores in plays.items()
        for judge, value in zip(JUDGES, scores, strict=False)
    )  # fmt: skip
    judges = {judge: JudgeId(judge, "model", "1") for judge in JUDGES}
    return RunValues("r", "sotopia", values, judges, {measure.name: measure})


def panel(plays: dict[str, tuple[float | None, ...]], count: int = 3) -> JudgePanel:
    return build_panel(run_of(plays), JUDGES[:count])


def test_a_play_has_a_mean_a_median_and_its_disagreement() -> None:
    (play,) = panel({"a": (2, 3, 7)}).plays
    # sd of 2, 3, 7: mean 4, squares 4 + 1 + 9 = 14, / 2 = 7.
    assert (play.mean, play.median, play.range) == (4, 3, 5)
    assert play.sd == pytest.approx(7**0.5)


def test_a_play_that_one_judge_failed_on_is_incomplete_and_no_mean_of_two() -> None:
    found = panel({"a": (2, 3, 7), "b": (9, 9, None)})
    broken = found.plays[1]
    assert broken.scores == (9, 9, None)
    assert [broken.mean, broken.median, broken.range, broken.sd] == [None] * 4
    (finding,) = panel_findings(found)
    assert finding.estimate is not None
    assert (finding.estimate.value, finding.estimate.n, finding.more["failed"]) == (4, 1, 1)
    section = panel_section(found, 2)
    assert any(
        "1 of 2 scores of the panel are incomplete (a judge or the episode failed 1)" in caution
        for caution in section.cautions
    )


def test_who_cannot_tell_did_not_fail() -> None:
    # "b": three says that it cannot tell; "c": three failed and two cannot tell; "d": not judged.
    run = run_of({"a": (2, 3, 7), "b": (9, 9), "c": (4, None, None), "d": (5, 5)})
    values = tuple(v for v in run.values if (v.cluster, v.judge) != ("c", "two"))
    (one,) = run_of({"b": (None,)}).values
    untold = (
        one._replace(judge="three"),
        one._replace(judge="two", trial="trial-c", cluster="c"),
    )
    run = RunValues(run.run, run.world, values, run.judges, run.measures, untold)
    found = build_panel(run, JUDGES)
    assert {play.cluster: play.lack for play in found.plays} == {
        "a": None, "b": "cannot tell", "c": "failed", "d": "not judged"
    }  # fmt: skip
    assert found.plays[2].lacks == (None, "cannot tell", "failed")
    section = panel_section(found, 2)
    by = {table.heading: table for table in section.tables}
    counts = ("episodes", "seats", "failed", "not judged", "cannot tell")
    assert by["Scores of the panel"].columns[3:] == counts
    assert by["Scores of the panel"].rows[0][3:] == ("1", "1", "1", "1", "1")
    assert by["GOAL by agent"].rows[0][3:] == ("1", "1", "1", "1", "1")
    told = "failed 1, a judge has not judged it 1, a judge cannot tell 1"
    assert any(told in caution for caution in section.cautions)


def test_a_score_of_zero_is_a_score() -> None:
    (play,) = panel({"a": (0, 0, 0)}).plays
    assert (play.mean, play.range, play.sd) == (0, 0, 0)


def test_the_panel_is_the_mean_over_plays_with_each_judge_beside_it() -> None:
    (finding,) = panel_findings(panel({"a": (2, 3, 7), "b": (6, 6, 6), "c": (5, 7, 6)}))
    assert finding.estimate is not None
    assert finding.estimate.value == pytest.approx((4 + 6 + 6) / 3)
    assert finding.more["median"].value == pytest.approx((3 + 6 + 6) / 3)
    assert finding.more["range"].value == pytest.approx((5 + 0 + 2) / 3)
    judges = [finding.more[f"by {judge}"].value for judge in JUDGES]
    assert judges == pytest.approx([13 / 3, 16 / 3, 19 / 3])
    assert finding.counts == (Count("episode", 3), Count("seat", 3))


def test_judges_disagree_where_they_differ_by_more_than_the_points() -> None:
    found = panel({"a": (2, 3, 7), "b": (6, 6, 6), "c": (5, 7, 6)})
    shares = [panel_findings(found, apart)[0].more["apart"].value for apart in (0, 1.5, 2, 5)]
    assert shares == pytest.approx([2 / 3, 2 / 3, 1 / 3, 0])


def test_of_two_judges_the_median_is_the_mean() -> None:
    (play,) = panel({"a": (2, 7)}, 2).plays
    assert play.mean == play.median == 4.5


def test_a_measure_that_not_all_judges_give_is_left_out_and_named() -> None:
    goal, knowledge = run_of({"a": (2, 3, 7)}), run_of({"a": (1, 2)}, KNOWLEDGE)
    measures = {**goal.measures, **knowledge.measures}
    both = RunValues("r", "sotopia", goal.values + knowledge.values, goal.judges, measures)
    found = build_panel(both, JUDGES)
    assert (found.left_out, {play.measure for play in found.plays}) == (("knowledge",), {"goal"})
    assert any("left out: knowledge" in caution for caution in panel_section(found, 2).cautions)


def test_a_play_that_a_judge_did_not_judge_is_incomplete() -> None:
    found = panel({"a": (2, 3, 7), "b": (2, 3)})
    assert [play.complete for play in found.plays] == [(2, 3, 7), None]


def test_a_panel_takes_two_judges_of_this_run() -> None:
    with pytest.raises(ConfigError, match="two judges or more"):
        build_panel(run_of({"a": (2, 3, 7)}), ("one", "one"))
    with pytest.raises(ConfigError, match='"four" scored nothing in r'):
        build_panel(run_of({"a": (2, 3, 7)}), ("one", "four"))


def of_methods(**methods: Method) -> RunValues:
    """A run in which judges of these names and methods gave a play 2, 3, 7."""
    run = run_of({"a": (2, 3, 7)[: len(methods)]})
    values = tuple(
        value._replace(judge=name) for value, name in zip(run.values, methods, strict=True)
    )
    judges = {name: JudgeId(name, method) for name, method in methods.items()}
    return replace(run, values=values, judges=judges)


@pytest.mark.parametrize(
    "methods",
    [
        {"heuristic": "heuristic", "people": "people"},
        {"heuristic": "heuristic", "gpt": "model"},
        {"rules": "rules", "gpt": "model", "people": "people"},
        {"rules": "rules", "heuristic": "heuristic"},
        {"stand_in": "scripted", "gpt": "model"},
    ],
)
def test_rule_based_scores_are_averaged_with_nothing_else(methods: dict[str, Method]) -> None:
    told = " and ".join(judge_title(name, method) for name, method in methods.items())
    told = told.replace(" and ", ", ", len(methods) - 2)
    with pytest.raises(ConfigError, match=re.escape(f"found {told}: the mean of such scores")):
        build_panel(of_methods(**methods), tuple(methods))


def test_models_and_people_make_a_panel_that_says_so_before_anything_else() -> None:
    found = build_panel(of_methods(gpt="model", claude="model", people="people"), ("gpt", "people"))
    assert found.plays[0].scores == (2, 7)
    section = panel_section(found, 2)
    assert section.cautions[0].startswith("Models (gpt) and people (people) are averaged here")


def test_a_panel_of_one_method_has_no_such_caution_unless_it_is_rule_based() -> None:
    assert panel_section(panel({"a": (2, 3, 7)}), 2).cautions == ()
    found = build_panel(of_methods(one="heuristic", two="heuristic"), ("one", "two"))
    assert [caution[:10] for caution in panel_section(found, 2).cautions] == [
        "Judge one:", "Judge two:",
    ]  # fmt: skip


def test_the_section_shows_scores_disagreement_and_where_it_is_largest() -> None:
    section = panel_section(panel({"a": (2, 3, 7), "b": (6, 6, 6), "c": (5, 7, 6)}), 2)
    by = {table.heading: table for table in section.tables}
    assert by["GOAL: where they differ most"].rows[0][2:] == ("2.00", "3.00", "7.00", "5.00")
    assert by["Each judge alone"].rows == (("GOAL", "4.33", "5.33", "6.33"),)
    assert by["GOAL by agent"].rows[0][0] == "scripted"
    assert "more than 2 on 33 % [0 %, 100 %] of the episodes" in section.sentences[0]


def test_a_panel_without_a_complete_play_says_so() -> None:
    section = panel_section(panel({"a": (None, 3, 7)}), 2)
    assert section.sentences == ("No episode was scored by all judges of the panel.",)


def test_judges_that_share_no_measure_say_so() -> None:
    goal, knowledge = run_of({"a": (2,)}), run_of({"a": (None, 2)}, KNOWLEDGE)
    values = (*goal.values, knowledge.values[1])
    found = build_panel(
        replace(goal, values=values, measures=goal.measures | knowledge.measures), JUDGES[:2]
    )
    assert found.plays == ()
    assert found.left_out == ("goal", "knowledge")
    section = panel_section(found, 2)
    assert section.sentences == ("No episode was scored by all judges of the panel.",)
    assert section.tables == (), "nothing but heads"
