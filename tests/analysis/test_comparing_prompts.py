"""What a set of instructions moves: two sets of one judge on the same episodes; two runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from report.small_run import RUN, build
from sociolab.analysis import CompareRequest, compare_runs
from sociolab.core import ConfigError, Instructions, JudgeId, Score
from sociolab.store import Store, export_run, import_run
from sociolab.worlds import sotopia

OURS = Instructions("paper", "paraphrased", "1111aaaa")
THEIRS = Instructions("theirs", "verified original", "2222bbbb")
# Episode, seat, and the goal under the one set and the other: 4 - 6 and 7 - 3 and 5 - 5 and 9 - 8.
GOALS = (
    ("lamp-AA", "ann", 4, 6),
    ("lamp-AA", "bob", 7, 3),
    ("noise-AA", "ann", 5, 5),
    ("noise-AA", "bob", 9, 8),
)


def judged(store: Store, told: Instructions, column: int, name: str = "openai/j") -> None:
    judge = JudgeId(name, "model", f"{told.hash}-{name}", prompts=told.prompts)
    for trial in ("lamp-AA", "noise-AA"):
        said = [Score(sotopia.GOAL, row[1], float(row[column])) for row in GOALS if row[0] == trial]
        store.verdicts.add(RUN, judge, said, trial=trial)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    build(tmp_path / "store.db")
    return Store.open(tmp_path / "store.db")


def test_two_sets_of_a_judge_are_paired_by_episode_and_seat(store: Store) -> None:
    judged(store, OURS, 2)
    judged(store, THEIRS, 3)
    found = compare_runs(store, CompareRequest((RUN,), prompts=True))
    assert found.comparison is not None
    sides = (found.comparison.a.name, found.comparison.b.name)
    assert sides == ("set paraphrased, 1111aaaa", "set verified original, 2222bbbb")
    goal = found.comparison.metrics["goal"].test
    # -2 + 4 + 0 + 1 = 3, of four pairs in two scenarios.
    assert (goal.difference.value, goal.pairs, goal.clusters) == (0.75, 4, 2)
    assert (goal.mean_a, goal.mean_b) == (6.25, 5.5)
    said = " ".join(sentence for section in found.sections for sentence in section.sentences)
    assert "Held fixed: the episodes of small, paired by episode and seat" in said
    assert "the judge's model, openai/j" in said
    notes = [note for section in found.sections for table in section.tables for note in table.notes]
    assert "(model 2222bbbb): verified original (the authors' text)" in " ".join(notes)


def test_a_judge_of_one_set_cannot_be_compared_with_itself(store: Store) -> None:
    judged(store, OURS, 2)
    with pytest.raises(
        ConfigError, match=r"under two sets .* found openai/j: set paraphrased, 1111"
    ):
        compare_runs(store, CompareRequest((RUN,), prompts=True))
    judged(store, THEIRS, 3, "openai/other")
    with pytest.raises(ConfigError, match="expected one judge model"):
        compare_runs(store, CompareRequest((RUN,), prompts=True))


def test_of_two_models_that_judged_twice_one_is_named(store: Store) -> None:
    for name in ("openai/j", "openai/k"):
        judged(store, OURS, 2, name)
        judged(store, THEIRS, 3, name)
    with pytest.raises(ConfigError, match="--judge names it"):
        compare_runs(store, CompareRequest((RUN,), prompts=True))
    found = compare_runs(store, CompareRequest((RUN,), judge="openai/k", prompts=True))
    assert found.comparison is not None


def test_two_runs_need_two_sets_that_they_were_played_with(store: Store, tmp_path: Path) -> None:
    for name, told in ((RUN, OURS), ("again", THEIRS)):
        if name != RUN:
            export_run(store, RUN, tmp_path / "run.zip")
            import_run(store, tmp_path / "run.zip", name)
        store.set_settings(name, {"instructions": told.as_json()})
    wanted = CompareRequest((RUN, "again"), agent="openai/alpha", prompts=True)
    found = compare_runs(store, wanted)
    said = " ".join(sentence for section in found.sections for sentence in section.sentences)
    assert "paper, paraphrased, 1111aaaa and theirs, verified original, 2222bbbb" in said
    assert found.comparison is not None
    assert {one.test.difference.value for one in found.comparison.metrics.values()} == {0.0}
    store.set_settings("again", {"instructions": OURS.as_json()})
    with pytest.raises(ConfigError, match="expected two runs that were played under two sets"):
        compare_runs(store, wanted)
