"""Agents named by a part of their label, and judges that two runs do not share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.stored.comparing_runs import GOAL, JUDGE, add_run
from report.small_run import ALPHA, SCRIPTED, build
from sociolab import result_of
from sociolab.analysis import CompareRequest, compare_runs
from sociolab.core import ConfigError, JudgeId, Score, Unscored
from sociolab.report import select_scores
from sociolab.store import Store

GOALS = {"t0": (1.0,), "t1": (2.0,)}
RULES = JudgeId("rules:goal", "rules", "r")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    build(tmp_path / "s.db")
    with Store.open(tmp_path / "s.db") as opened:
        yield opened


def test_a_part_of_a_label_names_an_agent_of_one_run(store: Store) -> None:
    found = compare_runs(
        store, CompareRequest(("small",), "alpha", "script", "heuristic")
    ).comparison
    assert found is not None
    assert (found.a.agent, found.b.agent) == (ALPHA, SCRIPTED)
    with pytest.raises(ConfigError, match="name both: --agent A --with B"):
        compare_runs(store, CompareRequest(("small",), "alpha", ALPHA, "heuristic"))
    with pytest.raises(ConfigError, match='--agent: "p" may be any of openai/alpha'):
        compare_runs(store, CompareRequest(("small",), "p", SCRIPTED, "heuristic"))
    with pytest.raises(ConfigError, match='"zz" has no values in small'):
        compare_runs(store, CompareRequest(("small",), "zz", SCRIPTED, "heuristic"))


def test_one_part_may_name_the_agents_of_both_runs(store: Store) -> None:
    add_run(store, "one", "openai/x-1", GOALS, partner="p")
    add_run(store, "two", "openai/x-2", GOALS, partner="p")
    found = compare_runs(store, CompareRequest(("one", "two"), "x")).comparison
    assert found is not None
    assert (found.a.agent, found.b.agent) == ("openai/x-1", "openai/x-2")


def test_where_no_judge_is_shared_each_run_s_judges_are_named(store: Store) -> None:
    add_run(store, "one", "x", GOALS)
    add_run(store, "two", "y", GOALS, judge=replace(JUDGE, name="lab/other"))
    with pytest.raises(ConfigError, match="differ: one by openai/judge; two by lab/other; have"):
        compare_runs(store, CompareRequest(("one", "two")))


def test_a_shared_judge_that_could_tell_nothing_is_not_called_a_lack_of_agents(
    store: Store,
) -> None:
    add_run(store, "one", "x", GOALS)
    add_run(store, "two", "y", GOALS, judge=replace(JUDGE, name="lab/other"))
    for name in ("one", "two"):
        for row in store.trials(name):
            unscored = [Unscored(GOAL, "ann", "no price was named")]
            store.verdicts.add(name, RULES, unscored, trial=row.trial.id)
    with pytest.raises(ConfigError) as told:
        compare_runs(store, CompareRequest(("one", "two")))
    assert "0 agents" not in str(told.value)
    assert str(told.value).startswith("no agent of one or two has a score by the judge rules:goal;")
    assert "sociolab judge RUN --judge JUDGE" in str(told.value)


def test_a_judge_is_named_by_a_part_of_its_label_too(store: Store) -> None:
    """The one whose model is called so goes before others that hold the part."""
    repeated = {"t0": (1.0, 9.0), "t1": (2.0, 9.0)}
    add_run(store, "one", "x", repeated, judge=replace(JUDGE, name="openai/gpt-4.1"))
    for row in store.trials("one"):
        mini = replace(JUDGE, name="openai/gpt-4.1-mini")
        store.verdicts.add("one", mini, [Score(GOAL, "ann", 5)], trial=row.trial.id)
    found = compare_runs(store, CompareRequest(("one",), judge="gpt-4.1", threshold=8))
    assert found.outlines[0].run == "one"
    shown = select_scores(result_of(store, "one"), ["gpt-4.1"])
    assert {one.judge for one in shown.scores} == {"openai/gpt-4.1", "transcript"}
    assert shown.other_judges == ("openai/gpt-4.1-mini",)
    with pytest.raises(ConfigError, match='"4" may be any of openai/gpt'):
        select_scores(result_of(store, "one"), ["4"])
    with pytest.raises(ConfigError, match='no judge "people" scored one; choose one of openai/gpt'):
        compare_runs(store, CompareRequest(("one",), judge="people"))


def test_ratings_by_people_do_not_take_the_place_of_the_model_that_judged(store: Store) -> None:
    add_run(store, "one", "x", GOALS)
    add_run(store, "two", "y", GOALS)
    for name in ("one", "two"):
        for row in store.trials(name):
            rated = [Score(GOAL, "ann", 7)]
            store.verdicts.add(name, JudgeId("people", "people"), rated, trial=row.trial.id)
    found = compare_runs(store, CompareRequest(("one", "two")))
    assert found.comparison is not None
    assert found.comparison.judge == "openai/judge"
    assert "the leading judge; --judge takes those by people instead" in found.led_by
    for name in ("one", "two"):
        for row in store.trials(name):
            other = replace(JUDGE, name="lab/other")
            store.verdicts.add(name, other, [Score(GOAL, "ann", 1)], trial=row.trial.id)
    later = compare_runs(store, CompareRequest(("one", "two")))
    assert later.comparison is not None
    assert later.comparison.judge == "openai/judge"
    assert "takes those by people or lab/other instead" in later.led_by


def add_scores(store: Store, run: str, judge: str, score: int) -> None:
    for row in store.trials(run):
        verdicts = [Score(GOAL, "ann", score)]
        store.verdicts.add(run, replace(JUDGE, name=judge), verdicts, trial=row.trial.id)


def test_the_one_judge_of_both_runs_is_taken_though_others_lead(store: Store) -> None:
    add_run(store, "one", "x", GOALS, judge=replace(JUDGE, name="b/first"))
    add_run(store, "two", "y", GOALS, judge=replace(JUDGE, name="a/first"))
    with pytest.raises(ConfigError, match="the judges differ: one by b/first; two by a/first"):
        compare_runs(store, CompareRequest(("one", "two")))
    add_scores(store, "one", "c/shared", 3)
    add_scores(store, "two", "c/shared", 4)
    found = compare_runs(store, CompareRequest(("one", "two")))
    assert found.comparison is not None
    assert found.comparison.judge == "c/shared"
    assert found.led_by == (
        "Scores are by c/shared, which judged all of these runs; their leading judges differ "
        "(one: b/first, two: a/first)."
    )
    add_scores(store, "two", "b/first", 4)
    both = compare_runs(store, CompareRequest(("one", "two")))
    assert both.comparison is not None
    assert both.comparison.judge == "b/first"
    assert both.led_by == (
        "Scores are by b/first, which judged all of these runs, as did c/shared (--judge takes "
        "theirs); their leading judges differ (one: b/first, two: a/first)."
    )


def test_a_smoke_test_is_refused_as_such_whatever_its_judges_could_tell(store: Store) -> None:
    add_run(store, "one", "x", GOALS)
    add_run(store, "two", "y", GOALS, judge=RULES, smoke="scripted background")
    with pytest.raises(ConfigError, match=r"two is a smoke test \(scripted background\)"):
        compare_runs(store, CompareRequest(("one", "two")))
