"""pass^k over the repeats of a setting, by hand."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sociolab.analysis.consistency import consistency_section, passing, thresholds
from sociolab.analysis.matching import Side
from sociolab.analysis.values import Value
from sociolab.core.errors import ConfigError
from sociolab.core.score import Measure

GOAL = Measure("goal", 0, 10, title="GOAL")
SOC = Measure("social_rules", -10, 0, title="SOC")
SHARE = Measure("gcsr", 0, 1, title="GCSR")
MEASURES = {"goal": GOAL, "social_rules": SOC, "gcsr": SHARE}


def value(task: str, seat: str, repeat: int, goal: float | None) -> Value:
    return Value(
        "r", "sotopia", f"{task}{repeat}", task, f"scene of {task}", None, repeat, seat, "x", "x",
        "j", "goal", goal,
    )  # fmt: skip


def side(rows: Mapping[tuple[str, str], tuple[float | None, ...]]) -> Side:
    values = tuple(
        value(task, seat, i, goal)
        for (task, seat), goals in rows.items()
        for i, goal in enumerate(goals)
    )
    return Side("x", "r", "x", values, {})


def test_the_two_seats_of_a_task_are_not_repeats_of_each_other() -> None:
    one = side({("lamp", "ann"): (9, 9), ("lamp", "bob"): (1, 9), ("bike", "ann"): (9, 2)})
    (found,) = passing([one], {"goal": 8}, (1, 2))
    # ann of lamp always succeeds, bob of lamp and ann of bike once of two.
    assert found.most == 2
    assert [of.estimate.value for of in found.found] == pytest.approx([4 / 6, 1 / 3])
    assert [of.estimate.n for of in found.found] == [3, 3]


def test_settings_with_too_few_plays_are_left_out_and_counted() -> None:
    one = side({("lamp", "ann"): (9, None, 9), ("bike", "ann"): (9, 8, 1), ("noise", "ann"): (8,)})
    (found,) = passing([one], {"goal": 8}, (1, 2, 3, 4))
    # At k = 3 only bike has three plays with a value, and one of them fails.
    assert [of.estimate.value for of in found.found] == [pytest.approx(8 / 9), 2 / 3, 0, None]
    assert [of.left_out for of in found.found] == [0, 1, 2, 3]
    section = consistency_section([found], {"goal": GOAL})
    (table,) = section.tables
    assert [row[:2] for row in table.rows] == [("GOAL", "1"), ("GOAL", "2"), ("GOAL", "3")]
    notes = " ".join(table.notes)
    assert "x, GOAL: 1 task at k = 2, 2 tasks at k = 3" in notes
    assert "no task has so many plays with a value: k = 4" in notes


def test_without_repeats_nothing_is_claimed() -> None:
    (found,) = passing([side({("lamp", "ann"): (9,)})], {"goal": 8}, (1, 2))
    section = consistency_section([found], {"goal": GOAL})
    assert section.tables == ()
    assert "played once: nothing can be said" in " ".join(section.said)


def test_a_success_is_not_chosen_silently_but_for_shares() -> None:
    assert thresholds(MEASURES, None, named=False) == {"gcsr": 1.0}
    assert thresholds(MEASURES, 8, named=False) == {"goal": 8}
    assert thresholds(MEASURES, 0, named=False) == {"social_rules": 0}
    said = " ".join(consistency_section([], {"goal": GOAL}).said)
    assert said == "No pass^k of GOAL: --threshold says what success is."


def test_a_threshold_that_tells_nothing_apart_is_refused() -> None:
    with pytest.raises(ConfigError, match="--threshold 8 tells no plays apart"):
        thresholds(MEASURES, 8, named=True)
    with pytest.raises(ConfigError, match="goal 0 to 10"):
        thresholds({"goal": GOAL}, 0, named=False)
    with pytest.raises(ConfigError, match="goal 0 to 10"):
        thresholds({"goal": GOAL}, 11, named=False)


def test_where_every_play_succeeds_a_bound_stands_in_place_of_the_interval() -> None:
    rows = {(f"task {i}", "ann"): (9.0, 9.0) for i in range(6)}
    (found,) = passing([side(rows)], {"goal": 8}, (1, 2))
    # .05^(1/6) = .607; of plays that always fail mirrored.
    assert [of.bound for of in found.found] == pytest.approx([0.60696, 0.60696], abs=1e-5)
    (table,) = consistency_section([found], {"goal": GOAL}).tables
    assert table.rows[0] == ("GOAL", "1", "1.000, at least 0.607 (6)")
    assert "one-sided 95 % bound" in " ".join(table.notes)
    (never,) = passing([side(dict.fromkeys(rows, (1.0, 1.0)))], {"goal": 8}, (1,))
    (table,) = consistency_section([never], {"goal": GOAL}).tables
    assert table.rows[0][2] == "0.000, at most 0.393 (6)"


def test_a_figure_without_interval_has_a_reason_and_none_passes_the_scale() -> None:
    (alone,) = passing([side({("lamp", "ann"): (9, 9)})], {"goal": 8}, (1,))
    (table,) = consistency_section([alone], {"goal": GOAL}).tables
    assert table.rows[0][2] == "1.000 (1)"
    assert "no interval: 1 cluster" in table.notes
    two = side({("lamp", "ann"): (9, 9), ("bike", "ann"): (9, 1)})
    (table,) = consistency_section(passing([two], {"goal": 8}, (1,)), {"goal": GOAL}).tables
    assert table.rows[0][2] == "0.750 [0.000, 1.000] (2)"
    assert "an interval that would pass 0 or 1 is cut there" in table.notes
