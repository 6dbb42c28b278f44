"""pass^k over the repeats of a setting, by hand."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sociolab.analysis import ComparedAgents, ComparedSide, Value, compare_agents
from sociolab.analysis.consistency import (
    consistency_section,
    passing,
    passing_document,
    passing_matched,
    thresholds,
)
from sociolab.core import ConfigError, Declared, JudgeId, Measure, Metric

GOAL = Measure("goal", 0, 10, title="GOAL")
SOC = Measure("social_rules", -10, 0, title="SOC")
SHARE = Measure("gcsr", 0, 1, title="GCSR")
MEASURES = {"goal": GOAL, "social_rules": SOC, "gcsr": SHARE}


def value(task: str, seat: str, repeat: int, goal: float | None) -> Value:
    return Value(
        "r", "sotopia", f"{task}{repeat}", task, f"scene of {task}", None, repeat, seat, "x", "x",
        "j", "goal", goal,
    )  # fmt: skip


def side(rows: Mapping[tuple[str, str], tuple[float | None, ...]]) -> ComparedSide:
    values = tuple(
        value(task, seat, i, goal)
        for (task, seat), goals in rows.items()
        for i, goal in enumerate(goals)
    )
    return ComparedSide("x", "r", "x", values, {})


def two_agents() -> ComparedAgents:
    """x and y with the partner p, and plays of each that the other has no counterpart of:

    task     x with p    y with p
    lamp     9, 9, 1     9, 1, 1
    bike     9, 9, 9     1, 9, -     "-": a score that is missing
    noise    1, 1, 1     not played; and x met y, where it always failed
    """
    plays: dict[tuple[str, str], dict[str, tuple[float | None, ...]]] = {
        ("x", "p"): {"lamp": (9, 9, 1), "bike": (9, 9, 9), "noise": (1, 1, 1)},
        ("x", "y"): {"lamp": (1, 1, 1), "bike": (1, 1, 1)},
        ("y", "p"): {"lamp": (9, 1, 1), "bike": (1, 9, None)},
    }
    sides = {
        agent: ComparedSide(
            agent,
            "r",
            agent,
            tuple(
                value(task, "ann", i, goal)._replace(agent=agent, partner=partner)
                for (who, partner), rows in plays.items()
                if who == agent
                for task, goals in rows.items()
                for i, goal in enumerate(goals)
            ),
            {},
        )
        for agent in ("x", "y")
    }
    return compare_agents(
        "sotopia", sides["x"], sides["y"], ("j", JudgeId("j", "model")), {"goal": GOAL}
    )


def test_two_agents_are_held_against_each_other_on_their_pairs_alone() -> None:
    found = two_agents()
    assert found.metrics["goal"].test.pairs == 5
    a, b, difference = passing_matched(found, {"goal": 8}, (1, 2, 3))
    # lamp: x succeeds in 2 of 3 pairs, y in 1; bike: x in 2 of 2, y in 1. The third play of bike
    # has no value for y, so that it counts for neither.
    assert [of.estimate.value for of in a.estimates] == pytest.approx([5 / 6, 2 / 3, 0])
    assert [of.estimate.value for of in b.estimates] == pytest.approx([5 / 12, 0, 0])
    assert [of.estimate.value for of in difference.estimates] == pytest.approx([5 / 12, 2 / 3, 0])
    assert [(one.side, one.plays, one.most) for one in (a, b, difference)] == [
        ("x", 5, 3), ("y", 5, 3), (None, 5, 3),
    ]  # fmt: skip
    for one in (a, b, difference):
        assert [(of.estimate.n, of.left_out) for of in one.estimates] == [(2, 0), (2, 0), (1, 1)]


def test_the_interval_of_their_difference_is_paired_by_task_and_clustered() -> None:
    *_, difference = passing_matched(two_agents(), {"goal": 8}, (1, 2))
    # By task x is ahead by 1/3 and 1/2: 5/12 +- 12.706 * (1/12), which passes 1 and is cut there.
    first = difference.estimates[0].estimate
    assert (first.low, first.high) == pytest.approx((5 / 12 - 12.7062 / 12, 1), abs=1e-4)
    assert first.clusters == 2
    assert passing_document(difference)["side"] is None


def test_the_table_of_two_agents_says_on_which_plays_it_rests() -> None:
    section = consistency_section(passing_matched(two_agents(), {"goal": 8}, (1, 2)), MEASURES)
    (table,) = section.tables
    assert table.columns == ("metric", "k", "A", "B", "A \N{MINUS SIGN} B", "tasks")
    assert table.rows[0][2:] == (
        "0.833 [0.129, 0.996]",
        "0.417 [0.000, 1.000]",
        "0.417 [\N{MINUS SIGN}0.642, 1.000]",
        "2",
    )
    words = " ".join((*section.sentences, *table.notes))
    assert "GOAL: 5 pairs of 2 tasks" in words
    assert "not corrected" in words


def test_the_two_seats_of_a_task_are_not_repeats_of_each_other() -> None:
    one = side({("lamp", "ann"): (9, 9), ("lamp", "bob"): (1, 9), ("bike", "ann"): (9, 2)})
    (found,) = passing([one], {"goal": 8}, (1, 2))
    # ann of lamp always succeeds, bob of lamp and ann of bike once of two.
    assert found.most == 2
    assert [of.estimate.value for of in found.estimates] == pytest.approx([4 / 6, 1 / 3])
    assert [of.estimate.n for of in found.estimates] == [3, 3]


def test_settings_with_too_few_plays_are_left_out_and_counted() -> None:
    one = side({("lamp", "ann"): (9, None, 9), ("bike", "ann"): (9, 8, 1), ("noise", "ann"): (8,)})
    (found,) = passing([one], {"goal": 8}, (1, 2, 3, 4))
    # At k = 3 only bike has three plays with a value, and one of them fails.
    assert [of.estimate.value for of in found.estimates] == [pytest.approx(8 / 9), 2 / 3, 0, None]
    assert [of.left_out for of in found.estimates] == [0, 1, 2, 3]
    section = consistency_section([found], {"goal": GOAL})
    (table,) = section.tables
    assert [row[:3] for row in table.rows] == [("x", "GOAL", k) for k in "123"]
    notes = " ".join(table.notes)
    assert "x, GOAL: 1 task at k = 2, 2 tasks at k = 3" in notes
    assert "no task has that many scored episodes: k = 4" in notes


def test_without_repeats_nothing_is_claimed() -> None:
    (found,) = passing([side({("lamp", "ann"): (9,)})], {"goal": 8}, (1, 2))
    section = consistency_section([found], {"goal": GOAL})
    assert section.tables == ()
    assert "played once, so nothing can be said" in " ".join(section.sentences)


def test_a_success_is_not_chosen_silently_but_for_shares() -> None:
    assert thresholds(MEASURES, None, named=False) == {"gcsr": 1.0}
    assert thresholds(MEASURES, 8, named=False) == {"goal": 8}
    assert thresholds(MEASURES, 0, named=False) == {"social_rules": 0}
    said = " ".join(consistency_section([], {"goal": GOAL}).sentences)
    assert said == "No pass^k of GOAL: set --threshold to define success."


def test_a_threshold_that_tells_nothing_apart_is_refused() -> None:
    with pytest.raises(ConfigError, match="--threshold 8 tells no episodes apart"):
        thresholds(MEASURES, 8, named=True)
    with pytest.raises(ConfigError, match="goal 0 to 10"):
        thresholds({"goal": GOAL}, 0, named=False)
    with pytest.raises(ConfigError, match="goal 0 to 10"):
        thresholds({"goal": GOAL}, 11, named=False)


def test_where_every_play_succeeds_the_interval_is_what_that_leaves() -> None:
    rows = {(f"task {i}", "ann"): (9.0, 9.0) for i in range(6)}
    (found,) = passing([side(rows)], {"goal": 8}, (1, 2))
    # 0.025^(1/6) = 0.541; of plays that always fail mirrored.
    assert [of.estimate.low for of in found.estimates] == pytest.approx([0.540742] * 2, abs=1e-5)
    (table,) = consistency_section([found], {"goal": GOAL}).tables
    assert table.rows[0] == ("x", "GOAL", "1", "1.000 [0.541, 1.000]", "6")
    assert "Gaffke's where clusters crowd at one end of the scale" in " ".join(table.notes)
    (never,) = passing([side(dict.fromkeys(rows, (1.0, 1.0)))], {"goal": 8}, (1,))
    (table,) = consistency_section([never], {"goal": GOAL}).tables
    assert table.rows[0][3:] == ("0.000 [0.000, 0.459]", "6")


def test_a_figure_without_interval_has_a_reason_and_none_passes_the_scale() -> None:
    (alone,) = passing([side({("lamp", "ann"): (9, 9)})], {"goal": 8}, (1,))
    (table,) = consistency_section([alone], {"goal": GOAL}).tables
    assert table.rows[0][3:] == ("1.000", "1")
    assert "where no interval is shown: 1 cluster" in table.notes
    two = side({("lamp", "ann"): (9, 9), ("bike", "ann"): (9, 1)})
    (table,) = consistency_section(passing([two], {"goal": 8}, (1,)), {"goal": GOAL}).tables
    assert table.rows[0][3:] == ("0.750 [0.112, 0.994]", "2")
    assert "crowd at one end" in " ".join(table.notes)


def test_where_lower_is_better_a_play_succeeds_from_the_threshold_down() -> None:
    lower = Declared(metrics=(Metric("goal", better="lower"), Metric("gcsr", better="lower")))
    assert thresholds(MEASURES, None, lower, named=False) == {"gcsr": 0.0}
    plays = {("lamp", "ann"): (1.0, 2.0), ("sofa", "ann"): (9.0, 2.0)}
    (found,) = passing([side(plays)], {"goal": 2}, (1, 2), lower)
    # 3 of 4 plays have 2 or less; both repeats of one of two tasks.
    assert [one.estimate.value for one in found.estimates] == [0.75, 0.5]
