from __future__ import annotations

import pytest

from casts import agent
from sociolab.core import ConfigError, DataId, Task
from sociolab.runner import every_seating, filter_tasks, plan_trials

A, B, P = agent("a", "1"), agent("b", "1"), agent("p", "1")
SEATS = ("x", "y", "z")
DATA = DataId("d", "1", "hash")
TASKS = (
    Task("t1", ("x", "y"), "s1", "{}", ("bargain", "money")),
    Task("t2", ("x", "z"), "s1", "{}", ("bargain", "hard")),
    Task("t3", ("y", "z"), "s2", "{}", ("norms",)),
)


def test_one_agent_plays_itself_once() -> None:
    assert every_seating([A], None, SEATS[:2]) == ((A, A),)


def test_several_agents_meet_in_every_ordered_pair_self_pairs_included() -> None:
    assert every_seating([A, B], None, SEATS[:2]) == ((A, A), (A, B), (B, A), (B, B))


def test_with_a_partner_each_agent_sits_in_both_seats_and_never_meets_another_agent() -> None:
    assert every_seating([A, B], P, SEATS[:2]) == ((A, P), (P, A), (B, P), (P, B))


def test_an_agent_that_is_its_own_partner_plays_once() -> None:
    assert every_seating([A], A, SEATS[:2]) == ((A, A),)


def test_in_three_seats_the_agent_sits_in_each_and_the_partner_in_the_others() -> None:
    assert every_seating([A], P, SEATS[:3]) == ((A, P, P), (P, A, P), (P, P, A))


def test_a_plan_goes_repeat_by_repeat_and_task_by_task() -> None:
    plan = plan_trials("w", DATA, TASKS, [A, B], None, repeats=2, seed=0)
    assert len(plan) == 2 * 3 * 4
    assert [t.repeat for t in plan] == [0] * 12 + [1] * 12
    assert [t.task.id for t in plan[:5]] == ["t1"] * 4 + ["t2"]


def test_every_part_of_a_trial_changes_its_id() -> None:
    def ids(**other: object) -> str:
        use: dict[str, object] = {"world": "w", "data": DATA, "agent": A, "seed": 0, **other}
        plan = plan_trials(
            str(use["world"]),
            use["data"],  # type: ignore[arg-type]
            TASKS[:1],
            [use["agent"]],  # type: ignore[list-item]
            None,
            repeats=2,
            seed=int(str(use["seed"])),
        )
        return plan[int(str(use.get("repeat", 0)))].id

    base = ids()
    assert ids() == base
    others = [
        ids(world="v"),
        ids(data=DataId("d", "1", "other")),
        ids(agent=agent("a", "2")),
        ids(agent=agent("b", "1")),
        ids(seed=1),
        ids(repeat=1),
    ]
    assert len({base, *others}) == 7


def test_names_of_data_do_not_matter_to_a_trial_but_its_content_does() -> None:
    one = plan_trials("w", DataId("d", "1", "h"), TASKS[:1], [A], None, repeats=1, seed=0)
    two = plan_trials("w", DataId("copy", "2", "h"), TASKS[:1], [A], None, repeats=1, seed=0)
    assert one[0].id == two[0].id


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("t3", ["t3"]),
        ("bargain", ["t1", "t2"]),
        ("bargain+hard", ["t2"]),
        ("scenario=s1", ["t1", "t2"]),
        ("norms, t1", ["t1", "t3"]),
        ("scenario=s1+money,norms", ["t1", "t3"]),
        (None, ["t1", "t2", "t3"]),
    ],
)
def test_a_filter_takes_what_any_of_its_parts_fits(wanted: str | None, expected: list[str]) -> None:
    assert [task.id for task in filter_tasks(TASKS, wanted, None)] == expected


def test_the_limit_counts_tasks_after_the_filter() -> None:
    assert [task.id for task in filter_tasks(TASKS, "bargain", 1)] == ["t1"]


def test_a_limit_takes_tasks_of_as_many_clusters_as_there_are() -> None:
    assert [task.id for task in filter_tasks(TASKS, None, 2)] == ["t1", "t3"]
    assert [task.id for task in filter_tasks(TASKS, None, 3)] == ["t1", "t2", "t3"]


@pytest.mark.parametrize("wanted", ["nothing", "bargain+norms", "scenario=s9", " , "])
def test_a_filter_that_fits_nothing_is_refused(wanted: str) -> None:
    with pytest.raises(ConfigError, match="--tasks"):
        filter_tasks(TASKS, wanted, None)
