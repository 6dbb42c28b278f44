"""What a comparison concludes in words, on differences written down by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from declared_worlds import declared
from sociolab import Section
from sociolab.analysis import ComparedAgents, ComparedSide, Value, compare_agents, overview_table
from sociolab.analysis.comparison_tables import (
    comparison_document,
    comparison_findings,
    comparison_section,
)
from sociolab.analysis.matching import MATCHES
from sociolab.core import JudgeId, Measure
from sociolab.report.difference_charts import forest
from sociolab.report.formatting import NOTHING

MEASURES = {
    "goal": Measure("goal", 0, 10, title="GOAL"),
    "knowledge": Measure("knowledge", 0, 10, title="KNO"),
    "believability": Measure("believability", 0, 10, title="BEL"),
}


def side(agent: str, scores: Mapping[str, Sequence[float]]) -> ComparedSide:
    values = tuple(
        Value("r", "sotopia", f"t{i}", f"t{i}", f"scene {i}", None, 0, "ann", agent, "p", "j",
              measure, score)
        for measure, some in scores.items()
        for i, score in enumerate(some)
    )  # fmt: skip
    return ComparedSide(agent, "r", agent, values, {})


def section(differences: Mapping[str, Sequence[float]]) -> Section:
    """A is so much higher than B in each scenario, a pair in each."""
    b = side("y", {name: [1.0] * len(some) for name, some in differences.items()})
    a = side("x", {name: [1.0 + gap for gap in some] for name, some in differences.items()})
    judge = ("j", JudgeId("j", "model"))
    measures = {name: MEASURES[name] for name in differences}
    return comparison_section(
        compare_agents("sotopia", a, b, judge, measures, declared("sotopia")), "Judged by j.", ()
    )


SIX, MIXED = (1, 2, 3, 1, 2, 3), (1, -1, 0, 1, -1, 0)
"""All six differ in one direction: p = 2 / 2^6 = 0.031; half of them do."""


ABOUT = "A: x; B: y; scale of 0 to 10, higher is better; judge: j"


def test_the_verdict_is_on_the_main_metric() -> None:
    # 2 with se sqrt(6 / 5 * 4) / 6 = 0.365, t(5) = 2.571.
    better = "A does better in GOAL: A \N{MINUS SIGN} B = 2.00 [1.06, 2.94], p = 0.031"
    assert section({"goal": SIX, "knowledge": MIXED}).verdict == f"{better} ({ABOUT})."
    # Four of six scenarios differ: p cannot fall below 2 / 2^4.
    none = section({"goal": MIXED, "knowledge": SIX}).verdict
    assert none.startswith("Cannot tell: so few scenarios differ that no difference in GOAL could")
    twelve = section({"goal": MIXED * 2}).verdict
    assert twelve.startswith("No difference found in GOAL: A \N{MINUS SIGN} B = 0.00 [")
    equal = section({"goal": [0] * 6}).verdict
    assert equal == f"No difference: all pairs are equal in GOAL ({ABOUT})."
    worse = section({"goal": [-0.5, -0.4, -0.6] * 5}).verdict
    assert worse.startswith("B does better in GOAL: A \N{MINUS SIGN} B = \N{MINUS SIGN}0.50 [")


def test_the_main_metric_is_not_corrected_for_others() -> None:
    # GOAL is declared as main; among two others 0.031 cannot outlast the correction.
    found = section({"goal": SIX, "knowledge": SIX, "believability": MIXED})
    text = " ".join(found.sentences)
    assert "GOAL is higher for A by 2.00" in text
    assert "KNO is higher" not in text
    assert "Undecided (95 % interval of A \N{MINUS SIGN} B): KNO" in text
    assert "yet p = 0.031, 0.062 corrected" in text
    notes = " ".join(found.tables[0].notes)
    assert "GOAL is tested first; the others are corrected for 2 metrics" in notes


def test_no_other_metric_is_shown_where_the_main_one_is_not() -> None:
    text = " ".join(section({"goal": MIXED, "knowledge": SIX}).sentences)
    assert "KNO is higher" not in text
    assert "no other metric counts as significant: GOAL is tested first" in text
    alone = " ".join(section({"knowledge": SIX}).sentences)
    assert "KNO is higher for A by 2.00" in alone
    assert "tested first" not in " ".join(section({"goal": MIXED, "knowledge": MIXED}).sentences)


def test_five_scenarios_decide_nothing_and_six_are_asked_for() -> None:
    found = section({"goal": (1, 2, 3, 1, 2)})
    assert any(sentence.startswith("Undecided (95") for sentence in found.sentences)
    assert any(
        "detecting it would take 6 scenarios in all" in sentence for sentence in found.sentences
    )
    (row,) = found.tables[2].rows
    # What could be seen, scenarios, repeats, at most apart (1.8 + 2.131847 * 0.374166), least p.
    assert row[2:] == ("\N{EN DASH}", "6", "\N{EN DASH}", "2.60", "0.062")


def test_lower_is_said_as_lower() -> None:
    assert "GOAL is lower for A by 0.50" in " ".join(
        section({"goal": [-0.5, -0.4, -0.6] * 5}).sentences
    )


def test_a_small_difference_is_said_to_need_more() -> None:
    gaps = [1, -1, 1, -1, 1, -1, 1, 1, -1, 0.4]
    found = section({"goal": gaps})
    words = " ".join(found.sentences)
    # Mean 0.14, one pair in each scenario: more repeats cannot be weighed against more scenarios.
    assert "If the observed 0.14 in GOAL were the true difference, detecting it would take" in words
    assert "repeats cannot be told: each cluster has 1 pair" in words
    assert "Minimum detectable difference in GOAL: " in words


def section_in(
    gaps: Sequence[float], pairs: int, clusters: int | None, metric: str = "goal"
) -> Section:
    """As `section`, with so many pairs a scenario, of a world that has so many scenarios."""
    values = {
        agent: tuple(
            Value("r", "sotopia", f"t{i}", f"t{i}", f"scene {i // pairs}", None, 0, "ann", agent,
                  "p", "j", metric, 5 + share * gap)
            for i, gap in enumerate(gaps)
        )
        for agent, share in (("x", 1), ("y", 0))
    }  # fmt: skip
    a, b = (ComparedSide(agent, "r", agent, found, {}) for agent, found in values.items())
    world = replace(declared("sotopia"), clusters=clusters)
    judge = ("j", JudgeId("j", "model"))
    return comparison_section(
        compare_agents("sotopia", a, b, judge, {metric: MEASURES[metric]}, world), "Judged.", ()
    )


# Eight scenarios of two pairs: means 1.5, -0.5, ... about 0.5, pairs 1 apart from these.
WIDE = (2.5, 0.5, 0.5, -1.5) * 4


def needed_in(found: Section) -> str:
    return next(text for text in found.sentences if text.startswith("If the observed"))


def test_more_scenarios_than_there_are_are_said_to_be_too_many() -> None:
    # The observed 0.5. Scenario means vary by 8 x 1 / 7 = 8/7, pairs within by 2, so scenarios by
    # 8/7 - 2/2 = 1/7. With r times the pairs, the mean over G scenarios varies by (1/7 + 1/r) / G.
    # d = 0.5 / sqrt(8/7) = 0.468, so some (1.96 + 0.84)^2 / 0.468^2 + 1.92 = 37.8 scenarios.
    free = needed_in(section_in(WIDE, 2, None))
    assert "would take 38 scenarios in all, with as many episodes each; or" in free
    assert "There are only" not in needed_in(section_in(WIDE, 2, 90))
    # On 20: t(19) detects 2.95 standard errors. (0.5 / 2.95)^2 x 20 = 0.5745 = 1/7 + 1 / r: r 2.32.
    twenty = section_in(WIDE, 2, 20)
    assert needed_in(twenty).endswith(
        "would take 38 scenarios in all, with as many episodes each. There are only 20 scenarios; "
        "on all of them, it would take 2.4 times as many repeats."
    )
    notes = " ".join(twenty.tables[2].notes)
    assert "there are only 20 scenarios, fewer than needed: GOAL" in notes


def test_no_number_of_repeats_is_promised_where_scenarios_differ_too_much() -> None:
    # Means 3.5 and -2.5 in turn about 0.5, pairs 1 apart: variance between 8 x 9 / 7 - 1 = 65/7.
    # Even without end, of 20 scenarios: 2.95 x sqrt(65/7 / 20) = 2.01.
    found = needed_in(section_in((4.5, 2.5, -1.5, -3.5) * 4, 2, 20))
    assert found.endswith(
        ". There are only 20 scenarios, and no number of repeats on these reaches it "
        "(between-scenario variance): with unlimited repeats, the minimum detectable difference "
        "is 2.01. Only new scenarios would help."
    )
    free = needed_in(section_in((4.5, 2.5, -1.5, -3.5) * 4, 2, None))
    assert "; no number of repeats on these 8 scenarios reaches it (between-scenario" in free


def test_what_repeats_could_do_is_not_known_of_one_pair_a_scenario() -> None:
    found = needed_in(section_in([1, -1, 1, -1, 1, -1, 1, 1, -1, 0.4], 1, 90))
    assert found.endswith(
        "There are only 90 scenarios, and what repeats on these could do is not known: no scenario "
        "has more than one pair (run with --repeats 2)."
    )


def test_the_chart_lies_around_zero_and_holds_every_interval() -> None:
    (figure,) = section({"goal": (1, 2, 3, 1, 2, 3), "knowledge": (1, -1, 0, 1, -1, 0)}).figures
    # GOAL: 2 with se sqrt(6 / 5 * 4) / 6 = 0.365, t(5) = 2.571: up to 2.94. The axis ends at 3.
    assert "GOAL: 2.00, 95 % interval 1.06 to 2.94" in figure.chart.description
    assert figure.chart.spec["layer"][1]["encoding"]["x"]["scale"]["domain"] == [-3, 3]
    assert "To the right of 0 A is higher" in figure.caption


def test_measures_that_no_test_could_tell_apart_are_named_and_not_counted() -> None:
    found = section({"goal": [1, 2, 3, 1, 2, 3, 1, 2], "knowledge": [0] * 8})
    notes = " ".join(found.tables[0].notes)
    assert "Holm p: corrected for 1 metric" in notes
    assert "no scenario differs and no test could reject: KNO" in notes
    goal, knowledge = found.tables[0].rows
    assert goal[-1] == goal[-2] != NOTHING
    assert knowledge[-2:] == ("1.000", NOTHING)


def test_what_settles_several_measures_is_told_for_the_level_that_they_share() -> None:
    gaps = [1, 0.5, 2, 1, 0.5, 2, 1, 0.5]
    two = {"knowledge": gaps, "believability": gaps}
    # 2^(1 - G) must be below 0.025: at least 7 scenarios, and 6 for 0.05.
    notes = " ".join(section(two).tables[2].notes)
    assert "(at least 7)" in notes
    assert "at p < 0.05 / 2 = 0.025" in notes
    notes = " ".join(section({"goal": gaps, **two}).tables[2].notes)
    assert "(at least 6)" in notes
    assert "at p < 0.05 in GOAL, which is tested first; in the others at p < 0.05 / 2" in notes
    assert "(at least 6)" in " ".join(section({"goal": gaps}).tables[2].notes)


def test_no_interval_passes_what_two_values_can_differ_by() -> None:
    # 5 and 1: mean 3, se 2, times 12.706: -22.4 to 28.4; GOAL goes from 0 to 10.
    found = section({"goal": (5, 1)})
    assert found.tables[0].rows[0][4] == "[\N{MINUS SIGN}10.00, 10.00]"
    assert "truncated at the ends of what the scale allows" in " ".join(found.tables[0].notes)


def with_untold(one: ComparedSide, goals: Mapping[int, tuple[float, float]]) -> ComparedSide:
    """The side without a score of the goal in these scenarios, but with such bounds."""
    kept, lost = [], []
    for value in one.values:
        bounds = goals.get(int(value.task[1:]))
        if bounds is None:
            kept.append(value)
        else:
            lost.append(value._replace(value=None, bounds=bounds, unscored="cannot tell"))
    return replace(one, values=tuple(kept), unscored=tuple(lost))


def compared_goals(a: ComparedSide, b: ComparedSide) -> ComparedAgents:
    return compare_agents(
        "sotopia",
        a,
        b,
        ("j", JudgeId("j", "formula")),
        {"goal": MEASURES["goal"]},
        declared("sotopia"),
    )


def test_what_could_not_be_established_bounds_the_difference() -> None:
    # A has 6 and B 4 in each of eight scenarios; of two A's score is not established, between 0
    # and 10; of one of these and another one B's is not, between 1 and 4.
    a = with_untold(side("x", {"goal": [6.0] * 8}), {6: (0, 10), 7: (0, 10)})
    b = with_untold(side("y", {"goal": [4.0] * 8}), {7: (1, 4), 0: (1, 4)})
    found = compared_goals(a, b)
    assert found.metrics["goal"].test.pairs == 5
    assert found.metrics["goal"].unscored == (2, 2)
    # Worst for A: 2 in five pairs, 6 - 4, 0 - 4, 0 - 4; best: 2 in five, 6 - 1, 10 - 4, 10 - 1.
    assert found.metrics["goal"].bounds == ((5 * 2 + 2 - 4 - 4) / 8, (5 * 2 + 5 + 6 + 9) / 8)
    measured = comparison_document(found)["measures"]["goal"]
    assert (measured["not_established_a"], measured["not_established_b"]) == (2, 2)
    assert measured["bounds"] == (0.5, 3.75)
    told = comparison_section(found, "Judged by j.", ())
    assert (
        "GOAL could not be established in 2 matched episodes of A and 2 of B. Whatever their "
        "scores, the difference lies within [0.50, 3.75]: its sign would not change."
    ) in told.cautions
    assert told.tables[0].columns[-1] == "bounds"
    assert told.tables[0].rows[0][-1] == "[0.50, 3.75]"


def test_what_is_established_in_too_few_episodes_does_not_lead() -> None:
    # Of 16 plays, three have no goal: 81 %; five: 69 %.
    a, b = (side(name, {"goal": [6.0, 5] * 4, "knowledge": [2.0, 1] * 4}) for name in "xy")
    metrics = {name: MEASURES[name] for name in ("goal", "knowledge")}
    declared_ = replace(declared("sotopia"), main=("goal",))

    def leading(lost: int) -> str:
        thin = with_untold(side("x", {"goal": [6.0, 5] * 4}), dict.fromkeys(range(lost), (0, 10)))
        rest = (value for value in a.values if value.measure == "knowledge")
        thin = replace(thin, values=(*thin.values, *rest))
        judge = ("j", JudgeId("j", "formula"))
        return compare_agents("sotopia", thin, b, judge, metrics, declared_).main.measure.name

    assert [leading(lost) for lost in (0, 3, 5)] == ["goal", "goal", "knowledge"]


def test_a_difference_that_they_could_turn_round_is_not_decided() -> None:
    a = with_untold(side("x", {"goal": [6.0] * 6}), {4: (0, 10), 5: (0, 10)})
    found = compared_goals(a, side("y", {"goal": [4.0] * 6}))
    assert found.metrics["goal"].bounds == ((4 * 2 - 4 - 4) / 6, (4 * 2 + 6 + 6) / 6)
    a = with_untold(side("x", {"goal": [6.0] * 6}), dict.fromkeys((3, 4, 5), (0, 10)))
    found = compared_goals(a, side("y", {"goal": [4.0] * 6}))
    (told,) = (one for one in comparison_section(found, "", ()).cautions if "established" in one)
    assert told.endswith(
        "the difference lies within [\N{MINUS SIGN}1.00, 4.00]: its sign could change."
    )


def test_where_all_is_established_no_bounds_are_shown() -> None:
    found = compared_goals(side("x", {"goal": [6.0] * 6}), side("y", {"goal": [4.0] * 6}))
    assert found.metrics["goal"].bounds == (2, 2)
    assert comparison_section(found, "", ()).tables[0].columns[-1] == "Holm p"


def test_the_lower_value_is_the_better_one_where_the_world_says_so() -> None:
    measure = Measure("hallucination", 0, 1, title="hallucinated")
    a, b = (side(who, {"hallucination": [value] * 6}) for who, value in (("x", 0.1), ("y", 0.4)))
    found = compare_agents(
        "anteval-information", a, b, ("j", JudgeId("j", "model")), {"hallucination": measure},
        declared("anteval-information"),
    )  # fmt: skip
    section = comparison_section(found, "", ())
    assert "hallucinated is lower for A by 0.300, which is better" in " ".join(section.sentences)
    table = section.tables[0]
    assert table.rows[0][0] == "hallucinated \N{DOWNWARDS ARROW}"
    assert "lower is better where marked \N{DOWNWARDS ARROW}" in table.legend
    (panel,) = forest(comparison_findings(found), found.declared, "x", "y")["vconcat"]
    assert panel["data"]["values"][0]["row"] == "hallucinated \N{DOWNWARDS ARROW}"
    assert panel["data"]["values"][0]["beside"].startswith("\N{MINUS SIGN}0.300")


def test_holms_correction_is_named_only_where_something_was_tested() -> None:
    def notes(gaps: Sequence[float]) -> str:
        return " ".join(section({"goal": gaps}).tables[0].notes)

    assert "Holm p: corrected for 1 metric" in notes((1, 2, 3))
    assert "Holm p" not in notes((0, 0, 0))


def test_the_overview_says_which_metric_was_matched_how() -> None:
    a, b = (side(name, {key: [1.0, 2.0, 4.0] for key in MEASURES}) for name in "xy")
    judge = ("j", JudgeId("j", "model"))
    exact, blocks = (
        compare_agents("sotopia", a, b, judge, {name: one}, declared("sotopia"), match=match)
        for (name, one), match in zip([*MEASURES.items()][:2], MATCHES, strict=False)
    )
    first, second, *_ = overview_table([exact, blocks], "x", "y").notes
    assert first.startswith("GOAL by j: pairs matched by task, seat, partner and repeat; ")
    assert second.startswith("KNO by j: pairs (of blocks of episodes) matched by scenario and")
    alone, *_ = overview_table([blocks], "x", "y").notes
    assert "KNO" not in alone
