"""The pairs of episodes behind a comparison: which are shown, with what, and as a file."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis.stored.comparing_runs import GOAL, JUDGE, add_run
from sociolab.analysis import ComparedAgents, CompareRequest, compare_runs
from sociolab.analysis.episode_pairs import COLUMNS, ComparedPairs, compared_pairs, differing
from sociolab.app.results import write_pairs
from sociolab.core import ConfigError, Score, ScoreFailure
from sociolab.report import TextTable
from sociolab.store import Store

OURS = {"t0": (5,), "t1": (1, 9), "t2": (7,), "t3": (4,)}
THEIRS = {"t0": (5,), "t1": (8, 3), "t2": (6,), "t3": (4,)}
"""Differences: 0; -7 and 6; 1; 0."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "s.db") as opened:
        add_run(opened, "one", "x", OURS, partner="p")
        add_run(opened, "two", "y", THEIRS, partner="p")
        yield opened


def comparison(store: Store) -> ComparedAgents:
    found = compare_runs(store, CompareRequest(("one", "two"))).comparison
    assert found is not None
    return found


def told(store: Store, most: int = 5, *, every: bool = False) -> ComparedPairs:
    return compared_pairs(store, comparison(store), most, every=every)


def table(found: ComparedPairs) -> TextTable:
    (only,) = found.section.tables
    return only


def test_the_pairs_that_differ_most_come_first_and_equal_ones_not_at_all(store: Store) -> None:
    rows = table(told(store)).rows
    assert [(row[0], row[4]) for row in rows] == [
        ("t1", "\N{MINUS SIGN}7.00"), ("t1", "6.00"), ("t2", "1.00")
    ]  # fmt: skip
    assert rows[0][1:] == ("ann", "1.00", "8.00", "\N{MINUS SIGN}7.00", "one-t1-0", "two-t1-0")


def test_only_so_many_pairs_are_shown_and_the_others_counted(store: Store) -> None:
    shown = table(told(store, most=1))
    assert len(shown.rows) == 1
    assert "GOAL: 1 of the 3 pairs that differ, of 5" in shown.heading
    assert "openai/judge" in shown.heading


def test_a_hint_names_the_command_that_shows_the_first_pair(store: Store) -> None:
    (note,) = table(told(store)).notes
    assert "sociolab show one-t1-0 two-t1-0 --run one --run two" in note
    assert f"--store {store.path}" in note


def test_a_measure_that_is_not_shown_to_differ_gives_way_to_those_that_are(store: Store) -> None:
    """Of 10 tasks GOAL is higher by 2 or 3 in each; the talk measure differs in one only."""
    other = GOAL.__class__("talk", 0, 10, title="TALK")
    for name, agent, goal in (("three", "x", 7), ("four", "y", 5)):
        add_run(store, name, agent, {f"t{i}": (goal + i % 2 * (name == "three"),)
                                     for i in range(10)}, partner="p")  # fmt: skip
        for i, row in enumerate(store.trials(name)):
            value = 1.0 if name == "three" and i == 0 else 0.0
            said = [Score(other, "ann", value)]
            store.verdicts.add(name, JUDGE, said, trial=row.trial.id)
    found = compare_runs(store, CompareRequest(("three", "four"))).comparison
    assert found is not None
    assert differing(found) == ("goal",)
    few = compared_pairs(store, found, 5, every=False)
    assert [one.measure for one in few.furthest] == ["goal"]
    assert "1 metric not shown to differ: --all has" in " ".join(few.section.sentences)
    every = compared_pairs(store, found, 5, every=True)
    assert [(one.measure, one.differ) for one in every.furthest] == [("goal", 10), ("talk", 1)]


def test_where_no_measure_is_shown_to_differ_the_main_one_is_taken(store: Store) -> None:
    assert differing(comparison(store)) == ("goal",)


def test_reasons_stand_side_by_side_and_those_of_repeated_judgings_are_joined(
    store: Store,
) -> None:
    store.verdicts.add("one", JUDGE, [Score(GOAL, "ann", 1, "gave way")], trial="one-t1-0",
                       judging=1)  # fmt: skip
    store.verdicts.add("one", JUDGE, [Score(GOAL, "ann", 1, "said no")], trial="one-t1-0",
                       judging=2)  # fmt: skip
    found = told(store)
    (shown,) = found.document()
    first = shown["shown"][0]
    assert first["a"] == {
        "run": "one", "episode": "one-t1-0", "value": 1.0, "reason": "gave way / said no"
    }  # fmt: skip
    assert (first["task"], first["seat"], first["repeat"]) == ("t1", "ann", 0)
    assert first["difference"] == -7
    assert (shown["measure"], shown["pairs"], shown["differ"]) == ("goal", 5, 3)


def test_the_file_has_all_matched_pairs_with_a_missing_value_as_an_empty_cell(
    store: Store, tmp_path: Path
) -> None:
    add_run(store, "three", "x", {**OURS, "t4": (5,)}, partner="p")
    add_run(store, "four", "y", THEIRS, partner="p")
    trial = store.trials("four")[0].trial.id
    store.verdicts.delete("four", JUDGE, trial=trial)
    failed = ScoreFailure(GOAL, "ann", "timeout", "no answer")
    store.verdicts.add("four", JUDGE, [failed], trial=trial)
    found = compare_runs(store, CompareRequest(("three", "four"))).comparison
    assert found is not None
    path = tmp_path / "pairs.csv"
    pairs = compared_pairs(store, found, 1, every=False)
    assert write_pairs(pairs, path) == 5
    rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    assert tuple(rows[0]) == COLUMNS
    assert [row["difference"] for row in rows] == ["-7.0", "6.0", "1.0", "0.0", ""]
    assert (rows[0]["episode_a"], rows[0]["episode_b"]) == ("three-t1-0", "four-t1-0")
    assert (rows[-1]["task"], rows[-1]["value_a"], rows[-1]["value_b"]) == ("t0", "5.0", "")
    assert [p.name for p in tmp_path.iterdir() if "pairs" in p.name] == ["pairs.csv"]


def test_a_file_that_is_there_is_left_as_it_is(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("mine", "utf-8")
    with pytest.raises(ConfigError, match="is there already; name another file"):
        write_pairs(told(store), path)
    assert path.read_text("utf-8") == "mine"
    with pytest.raises(ConfigError, match="there is no folder"):
        write_pairs(told(store), tmp_path / "no" / "pairs.csv")


def test_where_all_pairs_are_equal_it_is_said_and_none_is_shown(store: Store) -> None:
    add_run(store, "three", "y", OURS, partner="p", seed=1)
    found = compare_runs(store, CompareRequest(("one", "three"))).comparison
    assert found is not None
    section = compared_pairs(store, found, 5, every=True).section
    assert section.tables == ()
    assert "No pair differs in GOAL." in section.sentences
    assert "No pair differs" not in " ".join(told(store, most=0).section.sentences)
