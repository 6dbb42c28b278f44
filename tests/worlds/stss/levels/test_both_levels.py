"""Both levels as one plan: which tasks were lost between them, and whether they go together."""

from __future__ import annotations

import pytest

from sociolab.stats import mean
from sociolab.store import Store
from sociolab.worlds import stss
from sociolab.worlds.stss.plan import Arm, TaskLevels, between_agents, between_levels, read_arms
from worlds.stss.levels.levels_runs import AGENT, TALK, TOWN

DONE, UNMET, UNTOLD, LOST, IDLE = stss.OUTCOMES


def recorded(store: Store) -> Arm:
    found = read_arms(store, stss.read_levels(store, TALK, TOWN))
    return next(arm for arm in found if arm.agent_levels.judge == "recorded")


def arm(of: Arm, *points: tuple[float, float], judge: str = "recorded") -> Arm:
    """An arm whose tasks have these shares of good conversations, and these goals."""
    tasks = tuple(
        TaskLevels(f"t{number}", "appointment", said, goal, float(goal == 1), {})
        for number, (said, goal) in enumerate(points)
    )
    one = type(of.agent_levels)(of.agent_levels.agent, judge, "", (), of.agent_levels.rows, {})
    return Arm(of.levels, one, tasks, mean([1.0], ["t"]))


def test_each_task_has_both_levels_and_where_it_was_lost(both: Store) -> None:
    party, meeting = recorded(both).tasks
    assert (party.task, party.type, party.conveyed) == ("party", "public-activity", 1 / 2)
    assert party.goal == pytest.approx(1 / 3)
    assert party.reached == 0
    assert party.fates == {DONE: 1, UNMET: 2, UNTOLD: 1, LOST: 0, IDLE: 1}
    assert party.lost == {UNMET: 2, UNTOLD: 1, IDLE: 1}
    assert (meeting.task, meeting.conveyed, meeting.goal) == ("meeting", 0, 0)


def test_a_task_is_won_from_half_of_its_conversations_and_by_the_full_goal(both: Store) -> None:
    found = recorded(both)
    assert [task.won for task in found.tasks] == [(True, False), (False, False)]
    assert (found.count_won(True, False), found.count_won(False, False)) == (1, 1)
    assert (found.lost.value, found.lost.n) == (1, 1)  # the party, of one task won in conversation
    assert (found.reached.value, found.reached.n) == (0, 2)


def test_of_the_tasks_won_in_conversation_the_share_lost_has_an_interval(both: Store) -> None:
    found = arm(recorded(both), (1, 1), (1, 0.5), (0.5, 1), (1, 1), (0.4, 1))
    assert (found.lost.value, found.lost.n) == (1 / 4, 4)
    # A rate of single tasks: Clopper and Pearson's of 1 in 4.
    assert (found.lost.low, found.lost.high) == pytest.approx((0.00631, 0.80588), abs=1e-4)


def test_levels_go_together_where_each_tasks_goal_rises_with_its_conversations(both: Store) -> None:
    rising = arm(recorded(both), (0, 0), (0.2, 0.3), (0.5, 0.6), (1, 0.9))
    falling = arm(recorded(both), (0, 0.9), (0.2, 0.6), (0.5, 0.3), (1, 0))
    found = between_levels([rising, falling])
    assert [one.spearman.value for one in found[:2]] == [1, -1]
    assert found[2].spearman.value == pytest.approx(0, abs=0.1)
    assert (found[2].pearson.n, found[2].pearson.clusters) == (8, 4)  # both arms, by task
    assert between_levels([rising])[0].spearman.value == 1
    assert len(between_levels([rising])) == 1


def test_agents_are_correlated_from_three_arms_on_and_by_judge(both: Store) -> None:
    some = [arm(recorded(both), (said, said**2)) for said in (0.1, 0.5, 0.9)]
    (found,) = between_agents(some)
    assert (found.spearman.value, found.spearman.n) == (1, 3)
    assert between_agents(some[:2]) == ()
    other = [arm(recorded(both), (0.1, 0.1), judge="openai/j")]
    assert between_agents([*some[:2], *other]) == ()


def test_a_scripted_agent_is_labelled(both: Store) -> None:
    assert recorded(both).name == f"{AGENT} (rule-based), recorded"
