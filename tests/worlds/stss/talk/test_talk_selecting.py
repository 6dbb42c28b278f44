"""Which frozen talks make a set."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from hypothesis import given, strategies as st

from sociolab.worlds import stss
from sociolab.worlds.stss.talk.dataset import count_selectable, select_talks

TASKS, PEOPLE, SEEDS = ("tea", "chess", "honey"), ("ann", "ben", "cid"), (1, 2, 3, 4)


def candidate(task: str, seed: int, other: str) -> stss.TalkScenario:
    base = stss.own_talks().scenarios[0]
    resident = base.other.resident.model_copy(update={"id": other})
    return base.model_copy(
        update={
            "id": f"{task}.{seed}.{other}",
            "seed": seed,
            "task": base.task.model_copy(update={"id": task}),
            "now": base.now + timedelta(minutes=len(other) + seed),
            "other": base.other.model_copy(update={"resident": resident}),
        }
    )


EVERYTHING = tuple(candidate(t, s, p) for t in TASKS for s in SEEDS for p in PEOPLE)
some = st.lists(st.sampled_from(EVERYTHING), unique_by=lambda one: one.id)


def pair(one: stss.TalkScenario) -> tuple[str, str]:
    return one.task.id, one.other.resident.id


@given(some, st.integers(0, 40))
def test_as_many_as_wanted_or_as_there_are_and_two_of_a_pair_at_most(
    candidates: list[stss.TalkScenario], total: int
) -> None:
    found = select_talks(candidates, total)
    assert len(found) == min(total, count_selectable(candidates))
    assert len({one.id for one in found}) == len(found)
    assert {one.id for one in found} <= {one.id for one in candidates}
    assert all(count <= 2 for count in Counter(map(pair, found)).values())


@given(some, st.integers(0, 40))
def test_no_task_has_two_more_than_another_that_could_have_more(
    candidates: list[stss.TalkScenario], total: int
) -> None:
    found = Counter(one.task.id for one in select_talks(candidates, total))
    possible = {
        task: count_selectable([one for one in candidates if one.task.id == task]) for task in TASKS
    }
    for task in TASKS:
        if found[task] < possible[task]:
            assert max(found.values(), default=0) <= found[task] + 1


@given(st.randoms(use_true_random=False), st.integers(0, 40))
def test_the_order_of_the_candidates_makes_no_difference_within_a_task(
    chance: object, total: int
) -> None:
    mixed = list(EVERYTHING)
    chance.shuffle(mixed)  # type: ignore[attr-defined]
    mixed.sort(key=lambda one: TASKS.index(one.task.id))
    assert select_talks(mixed, total) == select_talks(EVERYTHING, total)


def test_every_seed_has_its_turn_before_one_comes_again() -> None:
    found = select_talks([one for one in EVERYTHING if one.task.id == "tea"], len(SEEDS))
    assert [one.seed for one in found] == list(SEEDS)


def test_a_pair_that_is_there_twice_leaves_its_place_to_others() -> None:
    same = [candidate("tea", seed, "ann") for seed in (1, 2, 3, 4)]
    found = select_talks([*same, candidate("tea", 1, "ben")], 10)
    assert Counter(map(pair, found)) == {("tea", "ann"): 2, ("tea", "ben"): 1}
