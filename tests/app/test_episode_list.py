"""The episodes that `list episodes` names: by who played, how it went, and worst first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.stored.comparing_runs import GOAL, JUDGE, add_run
from sociolab.app import EpisodeQuery, query_episodes
from sociolab.core import ConfigError, JudgeId, Measure, Score, Unscored, Unusable
from sociolab.store import Store

GOALS = {"t0": (5.0,), "t1": (3.0,), "u2": (9.0, 4.0), "u3": (4.0,)}
"""By hand; lowest first: t1 3, u2 4, u3 4, t0 5, u2 9."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "s.db") as opened:
        add_run(opened, "one", "openai/big-x", GOALS, partner="python:my:Mate")
        yield opened


def tasks(store: Store, asked: EpisodeQuery) -> list[tuple[str, int]]:
    found = query_episodes(store, "one", asked)
    return [(one.row.task, one.row.repeat) for one in found.episodes]


def test_all_come_in_the_order_of_the_plan_and_the_lowest_first_if_sorted(store: Store) -> None:
    assert tasks(store, EpisodeQuery()) == [("t0", 0), ("t1", 0), ("u2", 0), ("u2", 1), ("u3", 0)]
    worst = [("t1", 0), ("u2", 1), ("u3", 0), ("t0", 0), ("u2", 0)]
    assert tasks(store, EpisodeQuery(sort="goal")) == worst
    with pytest.raises(ConfigError, match=r'--task: no task of one starts with "foo"'):
        query_episodes(store, "one", EpisodeQuery(task="foo"))
    first = query_episodes(store, "one", EpisodeQuery(sort="goal", limit=2))
    assert ([one.row.task for one in first.episodes], first.total) == (["t1", "u2"], 5)


@pytest.mark.parametrize(
    ("rules", "found"),
    [
        (("goal<4",), [("t1", 0)]),
        (("goal<=4",), [("t1", 0), ("u2", 1), ("u3", 0)]),
        (("goal>5",), [("u2", 0)]),
        (("goal>=5",), [("t0", 0), ("u2", 0)]),
        (("goal = 5",), [("t0", 0)]),
        (("goal>3", "goal<5"), [("u2", 1), ("u3", 0)]),
        (("goal<-1",), []),
        (("GOAL < 4",), [("t1", 0)]),
    ],
)
def test_rules_on_scores_all_hold(
    store: Store, rules: tuple[str, ...], found: list[tuple[str, int]]
) -> None:
    assert tasks(store, EpisodeQuery(scores=rules)) == found


def test_agents_are_named_by_a_part_and_tasks_by_their_beginning(store: Store) -> None:
    assert len(tasks(store, EpisodeQuery(agent="big-x", partner="Mate"))) == 5
    assert tasks(store, EpisodeQuery(agent="openai/big-x", task="u3")) == [("u3", 0)]
    assert len(tasks(store, EpisodeQuery(task="u"))) == 3


def test_failed_are_trials_that_failed_and_those_in_which_a_turn_did(store: Store) -> None:
    assert tasks(store, EpisodeQuery(failed=True)) == []
    store.set_status("one", "one-t1-0", "failed", "plugin", "boom")
    failed = Unusable(0, "ann", "act", 2, "timeout", "no answer", "", final=True)
    store.append("one", "one-u3-0", failed)
    assert tasks(store, EpisodeQuery(failed=True)) == [("t1", 0), ("u3", 0)]


def test_rules_and_order_go_by_the_seats_of_the_agent_that_is_named(store: Store) -> None:
    for row in store.trials("one"):  # the partner's seat is scored, too, and always lower
        store.verdicts.add("one", JUDGE, [Score(GOAL, "bob", 0)], trial=row.trial.id)
    assert len(tasks(store, EpisodeQuery(scores=("goal<4",)))) == 5
    assert tasks(store, EpisodeQuery(scores=("goal<4",), agent="big-x")) == [("t1", 0)]
    assert len(tasks(store, EpisodeQuery(scores=("goal<1",), agent="Mate"))) == 5


def test_what_has_no_score_is_found_by_why(store: Store) -> None:
    formula = JudgeId("outcome", "formula")
    disputed = [Unscored(GOAL, seat, "they differ", "disputed", 0, 10) for seat in ("ann", "bob")]
    unsure = [Unscored(GOAL, "bob", "who knows", "cannot tell")]
    store.verdicts.add("one", formula, disputed, trial="one-t1-0")
    store.verdicts.add("one", formula, unsure, trial="one-u3-0")
    assert tasks(store, EpisodeQuery(scores=("goal=disputed",))) == [("t1", 0)]
    assert tasks(store, EpisodeQuery(scores=("goal = cannot tell",))) == [("u3", 0)]
    assert tasks(store, EpisodeQuery(scores=("GOAL=cannot tell",), agent="big-x")) == []
    assert tasks(store, EpisodeQuery(scores=("goal=unconfirmed",))) == []
    assert tasks(store, EpisodeQuery(scores=("goal=disputed", "goal<4"))) == [("t1", 0)]
    assert tasks(store, EpisodeQuery(scores=("goal=disputed",), judge="openai/judge")) == []


def test_a_reader_comes_before_the_formula_and_both_before_a_baseline(store: Store) -> None:
    for judge, value in (
        (JudgeId("heuristic", "heuristic"), 1),
        (JudgeId("outcome", "formula"), 2),
        (JudgeId("openai/r", "model", role="reader"), 3),
    ):
        measure = Measure("goal_checked", 0, 10)
        store.verdicts.add("one", judge, [Score(measure, "ann", value)], trial="one-t1-0")
        assert tasks(store, EpisodeQuery(scores=(f"goal_checked={value}",))) == [("t1", 0)]


def test_of_several_judges_the_first_leads_until_one_is_named(store: Store) -> None:
    other = replace(JUDGE, name="a/other")
    for row in store.trials("one"):
        goal = 9 - row.index
        store.verdicts.add("one", other, [Score(GOAL, "ann", goal)], trial=row.trial.id)
    first, named = (tasks(store, EpisodeQuery(sort="goal", judge=j)) for j in (None, JUDGE.name))
    assert first == named
    assert tasks(store, EpisodeQuery(sort="goal", judge="a/other"))[0] == ("u3", 0)


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        (
            EpisodeQuery(agent="zz"),
            '--agent: nobody called "zz" played; there is openai/big-x, python',
        ),
        (EpisodeQuery(partner="a"), '"a" may be any of openai/big-x, python:my:Mate; give more'),
        (
            EpisodeQuery(scores=("goal",)),
            'such as "goal<4" or "goal_checked=disputed"; found "goal"',
        ),
        (EpisodeQuery(scores=("charm=disputed",)), 'nobody scored "charm" here; scored: goal'),
        (EpisodeQuery(scores=("goal<x",)), 'found "goal<x"'),
        (EpisodeQuery(sort="charm"), 'nobody scored "charm" here; scored: goal'),
        (
            EpisodeQuery(sort="goal", judge="z"),
            'no judge "z" scored this run; choose one of openai/judge',
        ),
    ],
)
def test_what_is_not_there_is_said(store: Store, asked: EpisodeQuery, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        tasks(store, asked)
