"""Figures of audits, computed by hand."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from declared_worlds import declared
from sociolab import Finding
from sociolab.analysis import RepeatedScore, ScoreChange, control_findings, score_changes
from sociolab.analysis.audit import (
    ALL,
    CHANGE,
    DIFFERENCE,
    EQUAL,
    MOVED,
    SD,
    change_findings,
    controls_section,
    controls_verdict,
    grouped_findings,
    list_conditions,
    repeat_findings,
    repeat_section,
    repeated_scores,
    variant_section,
)
from sociolab.core import (
    Episode,
    Measure,
    Score,
    ScoreFailure,
    Task,
    Trial,
    Unscored,
    Variant,
    Verdict,
)
from sociolab.report.formatting import NOTHING
from sociolab.stats import TRUNCATED_NOTE

GOAL = Measure("goal", 0, 10, title="GOAL")
CHANGEABLE = Measure("relationship", -5, 5, title="REL")
OVERALL = Measure("overall", -30 / 7, 40 / 7, title="Overall")
DECLARED = declared("sotopia")
TRIAL = Trial("t", "sotopia", Task("lamp", ("ann", "bob"), "sale", "{}"), (), 0, 0)


def by(effects: tuple[Finding, ...]) -> dict[tuple[str, str], Any]:
    return {(e.metric.name, e.about["figure"]): e for e in effects if e.metric}


def repeated(*scores: float | None, cluster: str = "a", measure: Measure = GOAL) -> RepeatedScore:
    return RepeatedScore(f"{cluster}{scores}", cluster, "ann", measure, scores)


def moved(
    before: float | None,
    after: float | None,
    *,
    was: str = "",
    now: str = "",
    cluster: str = "a",
    measure: Measure = GOAL,
) -> ScoreChange:
    return ScoreChange("t", cluster, "ann", measure, was, now, before, after)


def test_repeats_are_told_by_sd_equal_pairs_and_distance() -> None:
    # 2, 4, 6: sd 2; distances 2, 4, 2, mean 8/3; no pair equal. 5, 5, 8: sd sqrt(3); distances
    # 0, 3, 3, mean 2; one pair of three equal.
    found = by(repeat_findings([repeated(2, 4, 6), repeated(5, 5, 8, cluster="b")]))
    assert found["goal", SD].estimate.value == pytest.approx((2 + 3**0.5) / 2)
    assert found["goal", EQUAL].estimate.value == pytest.approx(1 / 6)
    assert found["goal", DIFFERENCE].estimate.value == pytest.approx(7 / 3)
    # Two clusters: half of the t interval is t(0.975; 1) = 12.706 times |8/3 - 2| / 2 = 4.235; no
    # distance is below 0.
    apart = found["goal", DIFFERENCE].estimate
    assert apart.low == 0
    assert apart.high == pytest.approx(7 / 3 + 12.706 / 3, abs=1e-3)


def test_no_interval_of_repeats_passes_what_the_scale_allows() -> None:
    # On a scale from 0 to 10 two scores are at most 10 apart, with a standard deviation of
    # 10 / sqrt(2). One of the two clusters lies at the end, 0.
    found = by(repeat_findings([repeated(0, 9), repeated(5, 5, cluster="b")]))
    for what, top in ((SD, 10 / 2**0.5), (DIFFERENCE, 10)):
        estimate = found["goal", what].estimate
        assert estimate.method == "end"
        assert 0 <= (estimate.low or 0) < (estimate.high or 0) <= top
    assert found["goal", EQUAL].estimate.method == "end"


def test_no_interval_of_an_effect_passes_what_the_scale_allows() -> None:
    # REL from -5 to 5: a score moves by 10 at most, either way; all measures by 100 % of a scale.
    rows = [
        moved(-4, 0, now="x", measure=CHANGEABLE),
        moved(1, 0, now="x", cluster="b", measure=CHANGEABLE),
        moved(0, 4, now="x"),
        moved(1, 0, now="x", cluster="b"),
    ]
    found = by(change_findings(rows))
    for measure, width in (("relationship", 10), ("goal", 10), (ALL, 100)):
        of_x, size = found[measure, "x"].estimate, found[measure, MOVED].estimate
        assert (of_x.low, of_x.high, of_x.note) == (-width, width, TRUNCATED_NOTE)
        assert (size.low, size.high, size.note) == (0, width, TRUNCATED_NOTE)


def test_an_interval_within_the_scale_is_not_called_cut() -> None:
    # Gains 1, 2, 3 in three scenarios: 2 +- 4.302653 / sqrt(3) = 2.484138.
    rows = [
        moved(2, 2 + gain, now="x", cluster=c) for gain, c in zip((1, 2, 3), "abc", strict=True)
    ]
    estimate = by(change_findings(rows))["goal", "x"].estimate
    assert estimate.low == pytest.approx(2 - 2.484138, abs=1e-5)
    assert estimate.note == ""
    (table,) = variant_section("padding", "words", change_findings(rows), DECLARED).tables
    # The mean absolute change has the same half, and cannot be below 0.
    assert table.rows[0][1:3] == ("+2.00 [\N{MINUS SIGN}0.48, +4.48]", "2.00 [0.00, 4.48]")
    assert any("truncated at" in note for note in table.notes)
    larger = [
        moved(2, 6 + gain, now="x", cluster=c) for gain, c in zip((1, 2, 3), "abc", strict=True)
    ]
    (table,) = variant_section("padding", "words", change_findings(larger), DECLARED).tables
    assert not any("truncated at" in note for note in table.notes)


def test_a_missing_score_is_counted_and_the_others_still_are_compared() -> None:
    cells = [repeated(2, None, 6), repeated(None, 4, None, cluster="b")]
    found = by(repeat_findings(cells))
    assert found["goal", DIFFERENCE].estimate.value == 4
    assert (found["goal", DIFFERENCE].estimate.n, found["goal", DIFFERENCE].more["missing"]) == (
        1,
        3,
    )


def test_the_effect_of_a_condition_is_the_score_in_it_minus_the_score_out_of_it() -> None:
    rows = [
        moved(7, 4, was="first"),  # 3 points for being first
        moved(5, 6, now="first", cluster="b"),  # 1 point
    ]
    found = by(change_findings(rows))
    assert found["goal", "first"].estimate.value == 2
    assert found["goal", CHANGE].estimate.value == -1
    assert found["goal", MOVED].estimate.value == 2


def test_two_names_have_opposite_effects() -> None:
    rows = [moved(7, 5, was="Mia", now="Noah"), moved(6, 7, was="Noah", now="Mia", cluster="b")]
    found = by(change_findings(rows))
    assert found["goal", "Mia"].estimate.value == 1.5
    assert found["goal", "Noah"].estimate.value == -1.5
    assert list_conditions(found.values()) == ("Mia", "Noah")


def test_a_condition_on_both_sides_has_no_effect() -> None:
    assert list_conditions(change_findings([moved(7, 5, was="Mia", now="Mia")])) == ()


def test_where_nobody_was_in_a_condition_before_no_mean_change_is_told() -> None:
    rows = [moved(5, 7, now="padded"), moved(5, 4, now="other padded")]
    found = by(change_findings(rows))
    assert ("goal", CHANGE) not in found
    assert found["goal", "padded"].estimate.value == 2
    assert found["goal", "other padded"].estimate.value == -1


def test_a_pair_with_a_missing_score_is_no_change_of_zero() -> None:
    rows = [moved(5, None, now="padded"), moved(5, 8, now="padded", cluster="b")]
    effect = by(change_findings(rows))["goal", "padded"]
    assert effect.estimate.value == 3
    assert (effect.estimate.n, effect.more["missing"]) == (1, 1)


def test_missing_pairs_are_counted_for_their_own_condition_only() -> None:
    found = by(change_findings([moved(5, None, now="padded"), moved(5, 8, now="other padded")]))
    assert [found["goal", what].more["missing"] for what in ("padded", "other padded")] == [1, 0]


def test_all_measures_together_are_in_percent_of_their_scales_without_the_overall() -> None:
    rows = [
        moved(5, 7, now="x"),  # 20 % of 10
        moved(0, -1, now="x", measure=CHANGEABLE),  # -10 % of 10
        moved(1, 9, now="x", measure=OVERALL),
    ]
    found = by(change_findings(rows))
    assert found[ALL, "x"].estimate.value == pytest.approx(5)
    assert (ALL, "x") not in by(change_findings(rows[:1]))


def test_shares_of_equal_scores_are_not_scaled() -> None:
    cells = [repeated(2, 2), repeated(1, 1, measure=CHANGEABLE)]
    found = by(repeat_findings(cells))
    assert found[ALL, EQUAL].estimate.value == 1


def test_the_order_of_rows_does_not_matter() -> None:
    chance = random.Random(1)
    rows = [
        moved(chance.randint(0, 9), chance.randint(0, 9), now="x", cluster=f"c{i % 50}")
        for i in range(200)
    ]
    shuffled = chance.sample(rows, len(rows))
    one, other = by(change_findings(rows)), by(change_findings(shuffled))
    for key, effect in one.items():
        assert other[key].estimate.value == effect.estimate.value
        assert other[key].estimate.low == pytest.approx(effect.estimate.low, abs=1e-12)


# ------------------------------------------------------------------ from verdicts


def scored(measure: Measure, seat: str | None, value: float) -> Verdict:
    return Score(measure, seat, value)


def test_verdicts_become_changes_of_the_seats_that_are_compared() -> None:
    variant = Variant("x", Episode(TRIAL, ()), (("bob", "", "padded"),), "men")
    before = [scored(GOAL, "ann", 3), scored(GOAL, "bob", 4), scored(OVERALL, None, 1)]
    after = [scored(GOAL, "bob", 6), scored(GOAL, "ann", 3), scored(OVERALL, None, 2)]
    expected = ScoreChange("t", "sale", "bob", GOAL, "", "padded", 4, 6, "men")
    assert score_changes(TRIAL, variant, before, after) == (expected,)


def test_what_the_judge_cannot_tell_is_no_row_and_a_failure_is_a_missing_score() -> None:
    failure = ScoreFailure(GOAL, "ann", "unreadable", "no number")
    unseen = Unscored(CHANGEABLE, "ann", "rules cannot see it")
    found = repeated_scores(TRIAL, ([failure, unseen], [scored(GOAL, "ann", 3), unseen]))
    assert found == (RepeatedScore("t", "sale", "ann", GOAL, (None, 3)),)
    told_once = repeated_scores(TRIAL, ([unseen], [scored(CHANGEABLE, "ann", 3)]))
    assert told_once[0].scores == (None, 3)


def test_groups_are_told_apart_where_there_are_several() -> None:
    rows = [replace(moved(5, 7), group="men"), replace(moved(5, 4), group="women")]
    found = grouped_findings(rows)
    assert {g: by(e)["goal", MOVED].estimate.value for g, e in found.items()} == {
        "men": 2, "women": 1,
    }  # fmt: skip
    assert grouped_findings(rows[:1]) == {}


def test_a_group_that_is_never_judged_in_the_main_measure_has_no_pairs_of_it() -> None:
    judged = replace(moved(5, 7), group="a")
    without = replace(moved(1, 2, measure=CHANGEABLE), group="b")
    changes = [judged, without]
    section = variant_section(
        "padding", "words", change_findings(changes), DECLARED, groups=grouped_findings(changes)
    )
    assert section.tables[-1].rows[1] == ("b", NOTHING, "0", "0")


# ------------------------------------------------------------------ to read


def noisy(distance: float) -> tuple[Finding, ...]:
    return repeat_findings([repeated(5, 5 + distance + i, cluster=c) for i, c in enumerate("ab")])


def test_a_move_no_larger_than_that_of_judging_again_is_called_so() -> None:
    effects = change_findings([moved(5, 6, now="x"), moved(5, 7, now="x", cluster="b")])
    section = variant_section("padding", "words", effects, DECLARED, repeats=noisy(1))
    assert any("says nothing about the change" in caution for caution in section.cautions)
    rows = [moved(2, 8 + i / 10, now="x", cluster=c) for i, c in enumerate("abcd")]
    clear = variant_section("padding", "words", change_findings(rows), DECLARED, repeats=noisy(1))
    assert clear.cautions == ()
    assert any(
        "Judged again unchanged, it moves by 1.50" in sentence for sentence in clear.sentences
    )


def test_a_judge_that_is_not_moved_is_told_in_one_sentence() -> None:
    effects = change_findings([moved(5, 5, now="x"), moved(4, 4, now="x", cluster="b")])
    section = variant_section("order", "reversed", effects, DECLARED, repeats=noisy(1), without=3)
    assert section.sentences == ("GOAL: no score changes, in 2 pairs.",)
    assert section.cautions == ("3 episodes without such a variant left out.",)


def test_an_interval_that_holds_zero_is_put_in_words() -> None:
    effects = change_findings([moved(5, 6, now="x"), moved(5, 4.5, now="x", cluster="b")])
    said = " ".join(variant_section("order", "reversed", effects, DECLARED).sentences)
    assert "which is not distinguishable from 0" in said


def test_where_nothing_was_scored_nothing_is_claimed() -> None:
    effects = change_findings([moved(5, None, now="x")])
    section = variant_section("order", "reversed", effects, DECLARED)
    assert section.sentences == ("No episode was scored both ways.",)
    assert section.tables[0].rows == (("GOAL", NOTHING, NOTHING, "0", "1"),)
    assert variant_section("order", "reversed", (), DECLARED).tables == ()
    assert repeat_section((), 3, DECLARED).sentences == ("No episode was scored twice.",)


def test_a_measure_that_some_seats_lack_leaves_a_dash() -> None:
    rows = [
        moved(5, 6, now="padded"),
        moved(5, 6, now="other padded"),
        moved(1, 2, now="padded", measure=CHANGEABLE),
    ]
    section = variant_section("padding", "words", change_findings(rows), DECLARED)
    rel = next(row for row in section.tables[0].rows if row[0] == "REL")
    assert rel[1:3] == (NOTHING, "+1.00")


def test_many_conditions_stand_in_a_table_of_their_own_with_a_warning() -> None:
    names = [f"Name{i}" for i in range(20)]
    rows = [
        moved(5 + i, 5, was=name, now="Mia", cluster=c) for i, name in enumerate(names[:5])
        for c in "ab"
    ] + [moved(1, 2, was=name, now="Mia", cluster="c") for name in names[5:]]  # fmt: skip
    section = variant_section("names", "swapped", change_findings(rows), DECLARED)
    (table,) = [one for one in section.tables if one.heading == "GOAL by condition"]
    assert [row[0] for row in table.rows[:2]] == ["Name4", "Name3"]
    assert "left out: 15 that occur in one scenario only" in table.notes


def test_the_share_of_equal_scores_is_a_rate() -> None:
    # 2 of 3 single pairs: Clopper and Pearson's, .094 to .992.
    cells = [repeated(5, 5, cluster="a"), repeated(5, 5, cluster="b"), repeated(5, 6, cluster="c")]
    section = repeat_section(repeat_findings(cells), 2, DECLARED)
    assert section.tables[0].rows[0][2] == "67 % [9 %, 99 %]"
    assert section.tables[0].rows[0][3].startswith("0.33 [0.01, ")
    assert section.tables[0].heading == "2 judgings of the same episode"


def test_seats_and_episodes_of_repeated_judgings_are_counted_apart() -> None:
    both = [RepeatedScore("t", "a", seat, GOAL, (5, 6)) for seat in ("ann", "bob")]
    whole = RepeatedScore("t", "a", None, OVERALL, (1, 1))
    goal, overall = repeat_section(repeat_findings([*both, whole]), 2).tables[0].rows
    assert (goal[4:], overall[4:]) == (("1", "2", "0"), ("1", NOTHING, "0"))


def test_figures_have_one_minus_sign_and_one_dash_for_nothing() -> None:
    effects = change_findings([moved(5, 3, now="x"), moved(5, None, now="x")])
    section = variant_section("order", "reversed", effects, DECLARED)
    (row,) = section.tables[0].rows
    assert row[1] == "\N{MINUS SIGN}2.00"
    assert not [cell for cell in row if cell.startswith("-")]


@pytest.mark.parametrize(
    ("befores", "verdict"),
    [
        # All move as they should; below six clusters, that may be chance: 2 / 2^5 > .05 > 2 / 2^6.
        ([8] * 5, "5 scenarios: 0 of 2 controls can be decided; about 6 are needed"),
        ([8] * 6, "passes 2 of 2 controls"),
        # Half are at the end of the scale already: a control of twelve has six with room to move.
        ([8, 0] * 5, "passes 1 of 1 control; 10 scenarios: 1 of 2 controls can be decided; about "
         "12 are needed"),
        ([0] * 7, "passes 1 of 1 control; 7 scenarios: 1 of 2 controls can be decided; no other "
         "score has room to move"),
    ],
)  # fmt: skip
def test_a_verdict_counts_the_controls_that_so_many_scenarios_can_decide(
    befores: list[int], verdict: str
) -> None:
    lower = [moved(one, max(one - 5, 0), now="x", cluster=f"{n}") for n, one in enumerate(befores)]
    equal = [moved(one, one, now="x", cluster=f"{n}") for n, one in enumerate(befores)]
    found = (
        *control_findings("cut", {"goal": "down"}, lower),
        *control_findings("to the judge", {"goal": "still"}, equal),
    )
    assert controls_verdict(found, "scenario") == f"Verdict: {verdict}."


def test_a_control_is_shown_with_what_moved_as_it_should() -> None:
    # All of six scenarios move: at least .025^(1/6) = 54 % do.
    lower = [moved(8, 3, now="x", cluster=f"{n}") for n in range(6)]
    (table,) = controls_section(control_findings("cut", {"goal": "down"}, lower), "scenario").tables
    change = "\N{MINUS SIGN}5.00"
    share, rate = "100 % [54 %, 100 %]", "0 % [0 %, 46 %]"
    assert table.rows == (("cut", "GOAL", "lower", share, rate, change, "6", "passes"),)


def test_the_rate_counts_scores_that_moved_though_their_mean_stayed() -> None:
    ways = [moved(5, 5 + 3 * (-1) ** n, now="x", cluster=f"{n}") for n in range(6)]
    (found,) = control_findings("forged", {"goal": "still"}, ways)
    assert (found.more["change"].value, found.more["rate"].value) == (0, 1)
