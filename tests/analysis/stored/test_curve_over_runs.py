"""Runs in the order given: means and differences by hand, and what is refused or cautioned."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis.stored.comparing_runs import add_run
from sociolab.analysis import CompareRequest, compare_runs, follow_runs
from sociolab.core import ConfigError
from sociolab.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Nine tasks: six of them get 0, 1 or 3 more than 3, for c1, c2 and c3."""
    with Store.open(tmp_path / "s.db") as opened:
        for name, more in (("c1", 0), ("c2", 1), ("c3", 3)):
            goals = {f"t{i}": (3.0 + (more if i % 3 else 0),) for i in range(9)}
            own = {"own": (9.0,)} if name == "c1" else {}
            add_run(opened, name, "openai/x", goals | own, partner="openai/p", seed=more)
        yield opened


def test_means_are_over_the_tasks_that_all_share(store: Store) -> None:
    found = follow_runs(store, CompareRequest(("c2", "c1", "c3"))).trend
    assert (len(found.tasks), found.left_out) == (9, 1)
    points = found.points["goal"]
    assert [point.side.run for point in points] == ["c2", "c1", "c3"]
    assert [point.mean.value for point in points] == pytest.approx([3 + 6 / 9, 3, 5])
    assert (points[0].mean.n, points[0].mean.clusters) == (9, 9)


def test_differences_are_those_of_a_comparison_with_the_first(store: Store) -> None:
    points = follow_runs(store, CompareRequest(("c1", "c2", "c3"))).trend.points["goal"]
    assert points[0].against is None
    two = compare_runs(store, CompareRequest(("c3", "c1"))).comparison
    assert two is not None
    assert points[2].against is not None
    # "own" is a task of c1 alone: no pair either way, so that the pairs are the same.
    assert points[2].against.difference == two.metrics["goal"].test.difference
    assert points[2].against.difference.value == pytest.approx(2)


def test_p_is_corrected_for_all_later_runs(store: Store) -> None:
    """In six of nine tasks all differ one way: p = 2 / 2^6 for each of two runs, doubled."""
    points = follow_runs(store, CompareRequest(("c1", "c2", "c3"))).trend.points["goal"]
    assert [point.holm_p for point in points] == [None, 2 * 2 / 2**6, 2 * 2 / 2**6]
    alone = follow_runs(store, CompareRequest(("c1", "c3")))
    assert alone.trend.points["goal"][1].holm_p == 2 / 2**6
    assert alone.section.verdict.startswith("A does better in GOAL: A \N{MINUS SIGN} B = 2.00")
    assert "p = 0.031 (A: c3; B: c1;" in alone.section.verdict
    assert "GOAL is higher in c3 than in c1 by 2.00" in " ".join(alone.section.sentences)


def test_where_nothing_is_shown_it_is_not_called_equal(store: Store) -> None:
    section = follow_runs(store, CompareRequest(("c1", "c2", "c3"))).section
    assert "This is not evidence of equality" in " ".join(section.sentences)
    # 2 / 2^6 for the pair alone, but 4 / 2^6 among two later runs.
    assert section.verdict.startswith("No difference found in GOAL: ")
    assert "1 task that only some played are left out" in section.sentences[0]


def test_what_differs_beside_the_run_is_cautioned_by_its_name(store: Store) -> None:
    goals = {f"t{i}": (4.0,) for i in range(9)}
    add_run(store, "c4", "openai/x", goals, partner="openai/q", attempts=1)
    cautions = " ".join(follow_runs(store, CompareRequest(("c1", "c2", "c4"))).section.cautions)
    assert "A: c4, B: c1. The partners differ: A met openai/q, B met openai/p." in cautions
    assert "The runs differ in attempts: not set in c1 and c2 | 1 in c4." in cautions


@pytest.mark.parametrize(
    ("runs", "problem"),
    [
        (("c1",), "two runs or more, found 1"),
        (("c1", "c2", "c1"), "found c1 twice"),
        (("c1", "c2", "else"), "no task that all of these played: c1, c2, else"),
        (("c1", "c2", "changed"), "c1 and changed were played on different data"),
        (("c1", "mine", "own"), "no task that all of these played: c1, mine, own"),
    ],
)
def test_what_makes_no_curve_is_refused(store: Store, runs: tuple[str, ...], problem: str) -> None:
    add_run(store, "else", "openai/x", {"other": (1,)}, partner="openai/p")
    add_run(store, "changed", "openai/x", {"t1": (1,)}, partner="openai/p", content='{"x": 1}')
    add_run(store, "mine", "openai/x", {"t1": (1,)}, partner="openai/p")
    add_run(store, "own", "openai/x", {"t2": (1,)}, partner="openai/p")
    with pytest.raises(ConfigError, match=problem):
        follow_runs(store, CompareRequest(runs))


def test_a_page_has_a_line_and_a_table_for_each_measure(store: Store) -> None:
    section = follow_runs(store, CompareRequest(("c1", "c2", "c3"))).section
    (figure,), (table,) = section.figures, section.tables
    assert figure.chart.description.startswith(
        "c1: 3.00, no interval; c2: 3.67, 95 % interval 3.18"
    )
    assert "scale from 0.00 to 10.00" in figure.caption
    assert [row[:2] for row in table.rows] == [("c1", "3.00"), ("c2", "3.67"), ("c3", "5.00")]
