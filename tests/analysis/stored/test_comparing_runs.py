"""Two agents of stored runs compared: figures by hand, and what is refused or cautioned."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.stored.comparing_runs import GOAL, JUDGE, add_run
from report.small_run import ALPHA, HEURISTIC, SCRIPTED, build
from sociolab.analysis import CompareRequest, Conclusions, compare_runs, overview_table
from sociolab.core import ConfigError, Measure, Score, Unscored
from sociolab.stats import t_quantile
from sociolab.store import Store

SMALL = CompareRequest(("small",), ALPHA, SCRIPTED, "heuristic")


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Store]:
    build(tmp_path / "small.db")
    with Store.open(tmp_path / "small.db") as opened:
        yield opened


def said(found: Conclusions) -> str:
    return " ".join(sentence for section in found.sections for sentence in section.sentences)


def cautioned(found: Conclusions) -> str:
    return " ".join(sentence for section in found.sections for sentence in section.cautions)


def test_two_agents_of_the_small_run_by_hand(small: Store) -> None:
    """Alpha minus scripted, same task, seat and partner.

    lamp 4-3, 6-7, 5-2, 8-2: sum 9. bike 6-1 (the other three have a missing value): 5. noise 8-4,
    10-5, 9-6, 10-4: 18. Mean 32 / 9. Deviations of the clusters' sums 9 - 128/9, 5 - 32/9,
    18 - 128/9. Weights w 4/9, 1/9, 4/9, c = w^2 / (1 - w) = 16/45, 1/72, 16/45; degrees of
    freedom 1 / (33/81 + .725^2 - .253033) = 1 / .68.
    Of the 4 ways to flip, one reaches 32.
    """
    comparison = compare_runs(small, SMALL).comparison
    assert comparison is not None
    goal = comparison.metrics["goal"].test
    assert (goal.pairs, goal.clusters) == (9, 3)
    assert goal.mean_a == pytest.approx(66 / 9)
    assert goal.mean_b == pytest.approx(34 / 9)
    assert goal.difference.value == pytest.approx(32 / 9)
    squares = ((9 - 128 / 9) ** 2 + (18 - 128 / 9) ** 2) / 45 + (5 - 32 / 9) ** 2 / 72
    half = t_quantile(0.975, 1 / 0.68) * math.sqrt(squares)
    assert goal.difference.low == pytest.approx(32 / 9 - half, rel=1e-6)
    assert (goal.p, goal.permutation.smallest) == (0.25, 0.25)
    # Social rules are equal in all pairs, p = 1, which no flip can change, and believability is
    # never seen: neither is a test, and goal is the only one.
    assert (goal.holm_p, comparison.metrics["social_rules"].test.holm_p) == (0.25, None)
    assert comparison.metrics["believability"].test.p is None
    assert (goal.effect.better, goal.effect.equal, goal.effect.worse) == (3, 0, 0)
    assert comparison.counts["play"].matched == 12
    assert comparison.metrics["goal"].missing == (0, 3)
    assert comparison.metrics["social_rules"].test.pairs == 10


def test_what_the_small_run_shows_in_words(small: Store) -> None:
    found = compare_runs(small, SMALL)
    words = said(found)
    assert "12 pairs of seats, matched by task, seat, partner and repeat" in words
    assert "Intervals and p are clustered by scenario (3)" in words
    assert "offline judge: scores only what is on record; not comparable" in words
    assert "scripted is rule-based" in words
    # 32/9 -+ 6.038 with 3 clusters: no p below 0.25.
    assert "B): GOAL [\N{MINUS SIGN}2.48, 9.59]. So few" in words
    assert "All pairs are equal in SOC" in words
    assert "Not compared: BEL" in words
    assert "No pass^k of GOAL, SOC and BEL" in words
    warned = cautioned(found)
    assert "With only 3 scenarios, intervals, p and" in warned
    assert "small: 1 trial failed." in warned
    assert "Up to 0 matched seats of A and 3 of B lack a value" in warned


def test_the_other_way_round_all_signs_turn(small: Store) -> None:
    one = compare_runs(small, SMALL).comparison
    other = compare_runs(small, replace(SMALL, agent=SCRIPTED, other=ALPHA)).comparison
    assert one is not None
    assert other is not None
    a, b = one.metrics["goal"].test, other.metrics["goal"].test
    assert a.difference.value == pytest.approx(-(b.difference.value or 0))
    assert (a.p, a.effect.better) == (b.p, b.effect.worse)


TEN = {f"t{i}": (5.0 + i % 2, 5.0) for i in range(10)}


def test_a_difference_that_is_shown_is_said_with_its_interval(store: Store) -> None:
    add_run(store, "one", "openai/x", {name: (b + 2, a + 2) for name, (a, b) in TEN.items()},
            partner="openai/p")  # fmt: skip
    add_run(store, "two", "openai/y", TEN, partner="openai/p")
    found = compare_runs(store, CompareRequest(("one", "two")))
    # Even tasks differ by 2 and 2, odd ones by 1 and 3: 2 in each cluster, no interval.
    assert found.comparison is not None
    goal = found.comparison.metrics["goal"].test
    assert goal.difference.value == 2
    assert goal.p == pytest.approx(2 / 2**10)
    words = said(found)
    assert "GOAL is higher for A by 2.00" in words
    assert "interval: none, no variation between clusters); p = 0.002, after" in words
    assert cautioned(found) == ""


def test_no_difference_shown_is_not_called_equal(store: Store) -> None:
    add_run(store, "one", "x", {f"t{i}": (5 + (1, -1, 0, 1)[i % 4],) for i in range(12)})
    add_run(store, "two", "y", {f"t{i}": (5,) for i in range(12)})
    found = compare_runs(store, CompareRequest(("one", "two")))
    words = said(found)
    # 3 clusters of each: 1, -1, 0, 1. Mean 0.25; d^2: 6 * 0.5625 + 3 * 1.5625 + 3 * 0.0625 = 8.25;
    # se = sqrt(12 / 11 * 8.25) / 12 = 0.25; t(11) = 2.200985: -0.30 to 0.80. Skewed to the left:
    # d^3 6 * 0.421875 - 3 * 1.953125 - 3 * 0.015625 = -3.375, so -0.493382 by scipy and by hand;
    # shift 1.1 * 0.25 * -0.493382 * sqrt(132) / 10 / (6 sqrt(12)) * 10.688670 = -0.0802.
    assert "B) in GOAL [\N{MINUS SIGN}0.38, 0.80]. This is not evidence" in words
    assert "This is not evidence of equality" in words
    assert "If the observed 0.25 in GOAL were the true difference, detecting it would take" in words
    assert "Each task was played once" not in words  # no threshold: nothing is counted
    assert "Each agent played with itself" in cautioned(found)


def test_one_agent_with_another_seed_is_called_noise(store: Store) -> None:
    add_run(store, "one", "x", TEN, seed=1)
    add_run(store, "two", "x", TEN, seed=2)
    found = compare_runs(store, CompareRequest(("one", "two")))
    assert "the same agent with the same settings (seeds 1 and 2)" in said(found)
    assert found.sections[0].title == "A: x in one vs. B: x in two"
    assert cautioned(found) == ""


def test_one_agent_under_other_settings_of_the_world_is_no_noise(store: Store) -> None:
    add_run(store, "one", "x", TEN)
    add_run(store, "two", "x", TEN, world_settings={"tdp": "true"})
    found = compare_runs(store, CompareRequest(("one", "two")))
    words = said(found)
    assert "the same agent with the same settings (seeds 0 and 0): what else differs" in words
    assert "noise" not in words
    assert "differ in tdp: not set in one | true in two." in cautioned(found)


def test_a_measure_may_be_called_as_tables_call_it(store: Store) -> None:
    title = Measure("conversation_sr", 0, 1, title="conversation SR")
    add_run(store, "one", "x", {"t0": (1,), "t1": (0,)}, measure=title)
    add_run(store, "two", "y", {"t0": (1,), "t1": (1,)}, measure=title)
    found = compare_runs(store, CompareRequest(("one", "two"), measures=("Conversation SR",)))
    assert found.comparison is not None
    assert list(found.comparison.metrics) == ["conversation_sr"]


def test_other_partners_and_settings_are_cautioned(store: Store) -> None:
    add_run(store, "one", "x", TEN, partner="p", attempts=3)
    add_run(store, "two", "y", TEN, partner="q", attempts=1, world_settings={"turns": "5"})
    warned = cautioned(compare_runs(store, CompareRequest(("one", "two"))))
    assert "A met p, B met q" in warned
    assert "attempts: 3 in one | 1 in two." in warned
    assert "turns: not set in one | 5 in two." in warned


def test_of_several_runs_each_setting_that_differs_is_told_once(store: Store) -> None:
    add_run(store, "one", "x", TEN, partner="p")
    for name, without in (("two", "plan"), ("three", "memory")):
        of_world = {"mind": "big", "without": without}
        add_run(store, name, "x", TEN, partner="p", world_settings=of_world)
    warned = compare_runs(store, CompareRequest(("one", "two", "three"))).sections[0].cautions
    assert warned == (
        "The runs differ in mind: not set in one | big in two and three.",
        "The runs differ in without: not set in one | plan in two | memory in three.",
    )


def test_equal_means_of_unmatched_episodes_are_tested_and_no_pairs_are_claimed(
    store: Store,
) -> None:
    add_run(store, "one", "x", {"a": (1.0,), "b": (9.0,), "c": (5.0,)}, partner="p")
    add_run(store, "two", "y", {"d": (4.0,), "e": (6.0,), "f": (5.0,)}, partner="p")
    found = compare_runs(store, CompareRequest(("one", "two")))
    assert "are equal in" not in said(found)
    assert "No significant difference (95 % interval of A \N{MINUS SIGN} B) in GOAL [" in said(
        found
    )
    assert found.comparison is not None
    overview = overview_table([found.comparison], "x", "y")
    assert overview.rows[0][-1] == "\N{EN DASH}"
    assert "episodes not matched (3 of A, 3 of B)" in overview.notes[0]
    add_run(store, "six", "y", {"d": (5.0,), "e": (5.0,), "f": (5.0,)}, partner="p")
    add_run(store, "seven", "x", {"a": (5.0,), "b": (5.0,), "c": (5.0,)}, partner="p")
    assert "All episodes are equal in GOAL" in said(
        compare_runs(store, CompareRequest(("six", "seven")))
    )


def test_repeats_are_passed_or_not(store: Store) -> None:
    add_run(store, "one", "x", TEN)
    found = compare_runs(store, CompareRequest(("one",), ks=(1, 2), threshold=6))
    assert found.comparison is None
    (passed,) = found.passing
    # 5 of 20 plays reach 6, never both of a task.
    assert [of.estimate.value for of in passed.estimates] == [0.25, 0]


def test_only_repeats_that_both_agents_played_count_in_a_comparison(store: Store) -> None:
    add_run(store, "one", "x", {"t0": (9, 9, 1), "t1": (9, 9, 1)}, partner="p")
    add_run(store, "two", "y", {"t0": (9, 1), "t1": (1, 1), "t2": (9, 9)}, partner="p")
    found = compare_runs(store, CompareRequest(("one", "two"), ks=(1, 2), threshold=6))
    assert found.comparison is not None
    assert (
        found.comparison.metrics["goal"].test.mean_a,
        found.comparison.metrics["goal"].test.pairs,
    ) == (9, 4)
    x, y, difference = found.passing
    assert [of.estimate.value for of in x.estimates] == [1, 1]
    assert [of.estimate.value for of in y.estimates] == [0.25, 0]
    assert [of.estimate.value for of in difference.estimates] == [0.75, 1]
    assert "no other episodes (GOAL: 4 pairs of 2 tasks)" in said(found)


def test_tasks_of_one_id_must_be_the_same_task(store: Store) -> None:
    add_run(store, "one", "x", TEN)
    add_run(store, "two", "y", TEN, content='{"other": 1}')
    with pytest.raises(ConfigError, match=r"different data: 10 of 10 common tasks .* such as t0"):
        compare_runs(store, CompareRequest(("one", "two")))


def test_tasks_of_one_id_must_have_the_same_seats(store: Store) -> None:
    add_run(store, "one", "x", TEN)
    add_run(store, "two", "y", TEN, seats=("bob", "ann"))
    with pytest.raises(ConfigError, match=r"different data: 10 of 10 common tasks .* such as t0"):
        compare_runs(store, CompareRequest(("one", "two")))


def test_what_could_not_be_scored_in_one_seat_is_counted_in_that_seat(store: Store) -> None:
    untold = (Unscored(GOAL, "bob", "no price was named"),)
    add_run(store, "one", "x", TEN, also=untold)
    add_run(store, "two", "y", TEN, also=untold)
    found = compare_runs(store, CompareRequest(("one", "two"), seats=True))
    assert found.comparison is not None
    assert found.comparison.metrics["goal"].unscored == (20, 20)
    assert {seat: one.metrics["goal"].unscored for seat, one in found.seats.items()} == {
        "ann": (0, 0)
    }


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        (CompareRequest(("one", "away")), "only runs of one world"),
        (CompareRequest(("one", "judged")), "different prompts or settings"),
        (CompareRequest(("one", "one")), "found one twice"),
        (CompareRequest(("one", "two", "else"), other="y"), "--with names the second agent of two"),
        (CompareRequest(("one", "two"), measures=("charm",)), 'no values of "charm"; it has goal'),
        (CompareRequest(("one", "two"), agent="z"), '--agent: "z" has no values in one; it has x'),
        (CompareRequest(("one",), other="y"), "name both"),
        (CompareRequest(("one", "two"), judge="z"), 'no judge "z" scored one'),
    ],
)
def test_what_cannot_be_compared_is_refused(
    store: Store, wanted: CompareRequest, problem: str
) -> None:
    add_run(store, "one", "x", TEN)
    add_run(store, "two", "y", TEN)
    add_run(store, "away", "y", TEN, world="stss")
    add_run(store, "else", "y", {"other": (1,)})
    add_run(store, "judged", "y", TEN, judge=replace(JUDGE, settings="j2"))
    with pytest.raises(ConfigError, match=problem):
        compare_runs(store, wanted)


def test_an_agent_among_several_must_be_named(small: Store) -> None:
    add_run(small, "one", "x", TEN, judge=HEURISTIC)
    with pytest.raises(ConfigError, match="small has 2 agents with values"):
        compare_runs(small, CompareRequest(("small", "one"), judge="heuristic"))


def test_the_partner_of_a_run_need_not_be_ruled_out_by_name(store: Store) -> None:
    for name, agent in (("one", "x"), ("two", "y")):
        add_run(store, name, agent, TEN, partner="p")
        for row in store.trials(name):  # the judge scores the partner's seat, too
            store.verdicts.add(name, JUDGE, [Score(GOAL, "bob", 9)], trial=row.trial.id)
    found = compare_runs(store, CompareRequest(("one", "two"))).comparison
    assert found is not None
    assert (found.a.agent, found.b.agent) == ("x", "y")


def test_one_run_is_not_named_twice(small: Store) -> None:
    with pytest.raises(ConfigError, match="found small twice; to compare two agents of one run"):
        compare_runs(small, replace(SMALL, runs=("small", "small")))
