"""pass^k: by hand, its unbiasedness by counting, properties."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from sociolab.stats import Consistency, Estimate, mean, on_scale, pass_hat, pass_hat_difference

# Task t: 2 of 4 succeed, u: 4 of 4, v: none of 3, w: 1 of 1 and one play missing.
VALUES = (7, 3, 8, 2, 9, 9, 7, 7, 0, 1, 2, 9, None)
TASKS = ["t", "t", "t", "t", "u", "u", "u", "u", "v", "v", "v", "w", "w"]
CLUSTERS = [{"t": "s1", "u": "s1", "v": "s2", "w": "s3"}[task] for task in TASKS]


def passed(values: Sequence[float | None], *ks: int) -> tuple[Consistency, ...]:
    return pass_hat(values, TASKS, CLUSTERS, threshold=7, ks=ks)


def test_four_tasks_worked_by_hand() -> None:
    # k = 2: C(2,2)/C(4,2) = 1/6, 1, 0, and w has one play only.
    one, two, four = passed(VALUES, 1, 2, 4)
    assert one.estimate.value == pytest.approx((0.5 + 1 + 0 + 1) / 4)
    assert (one.left_out, one.estimate.n, one.estimate.clusters) == (0, 4, 3)
    assert two.estimate.value == pytest.approx((1 / 6 + 1 + 0) / 3)
    assert (two.left_out, two.estimate.n, two.estimate.clusters) == (1, 3, 2)
    assert four.estimate.value == pytest.approx((0 + 1) / 2)
    assert (four.left_out, four.estimate.note) == (2, "1 cluster")


def test_the_interval_is_that_of_the_tasks_shares_cut_to_the_scale() -> None:
    assert passed(VALUES, 2)[0].estimate == on_scale(mean([1 / 6, 1, 0], ["s1", "s1", "s2"]), 0, 1)


def test_the_threshold_itself_succeeds() -> None:
    found = pass_hat([7, 7], ["t", "t"], ["s", "s"], threshold=7, ks=(2,))
    assert found[0].estimate.value == 1


def test_more_repeats_than_anyone_played_say_nothing() -> None:
    found = passed(VALUES, 9)[0]
    assert found == Consistency(9, Estimate(None, 0, 0, None, None, "none", note="no values"), 4)


def test_missing_plays_are_no_failures() -> None:
    assert passed([None] * 13, 1)[0].left_out == 4
    assert passed(VALUES, 1) == pass_hat(
        VALUES[:-1], TASKS[:-1], CLUSTERS[:-1], threshold=7, ks=(1,)
    )


def test_it_is_unbiased() -> None:
    # Over all results of 4 plays that succeed with chance 0.3 the mean of the estimate is 0.3^2.
    expected = 0.0
    for results in itertools.product((0, 1), repeat=4):
        chance = math.prod(0.3 if result else 0.7 for result in results)
        found = pass_hat(results, ["t"] * 4, ["s"] * 4, threshold=1, ks=(2,))
        expected += chance * (found[0].estimate.value or 0)
    assert expected == pytest.approx(0.09)


@given(st.lists(st.sampled_from([0, 5, 10, None]), min_size=13, max_size=13))
def test_one_repeat_is_the_success_rate_and_more_are_never_more(values: list[int | None]) -> None:
    played = [(v, t) for v, t in zip(values, TASKS, strict=True) if v is not None]
    long = {t for t in TASKS if sum(task == t for _, task in played) >= 3}
    rows = [(v, t) for v, t in played if t in long]
    names = [t for _, t in rows]
    found = pass_hat([v for v, _ in rows], names, names, threshold=7, ks=(1, 2, 3))
    shares = [one.estimate.value for one in found]
    if long:
        rates = [
            sum(v >= 7 for v, t in rows if t == task) / names.count(task) for task in sorted(long)
        ]
        assert shares[0] == pytest.approx(sum(rates) / len(rates))
        assert shares[0] >= shares[1] >= shares[2]  # type: ignore[operator]


def test_a_difference_is_the_mean_over_tasks_of_the_shares_that_both_have() -> None:
    # a: t 2 of 4, u 4 of 4, v 0 of 3, w one play. b: t 4 of 4, u 2 of 4, v 3 of 3, w no play.
    other = (9, 9, 9, 9, 1, 9, 9, 1, 7, 8, 9, None, None)
    one, two = pass_hat_difference(VALUES, other, TASKS, CLUSTERS, threshold=7, ks=(1, 2))
    assert one.estimate.value == pytest.approx((-1 / 2 + 1 / 2 - 1) / 3)
    assert two.estimate.value == pytest.approx(((1 / 6 - 1) + (1 - 1 / 6) - 1) / 3)
    assert (one.left_out, one.estimate.n, one.estimate.clusters) == (1, 3, 2)
    gaps = mean([1 / 6 - 1, 1 - 1 / 6, -1], ["s1", "s1", "s2"])
    assert two.estimate == on_scale(gaps, -1, 1)
    # One of the two clusters lies at an end, -1; the interval holds the mean, and stays on -1..1.
    assert two.estimate.method == "end"
    assert -1 <= (two.estimate.low or 0) < -1 / 3 < (two.estimate.high or 0) <= 1


def test_an_agent_does_not_differ_from_itself() -> None:
    (found,) = pass_hat_difference(VALUES, VALUES, TASKS, CLUSTERS, threshold=7, ks=(2,))
    assert (found.estimate.value, found.estimate.note) == (0, "no variation between clusters")


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="found 0"):
        passed(VALUES, 0)
    with pytest.raises(ValueError, match="1 values, 2 tasks and 1 clusters"):
        pass_hat([1], ["t", "t"], ["s"], threshold=1, ks=(1,))
    with pytest.raises(ValueError, match="'t' in two"):
        pass_hat([1, 1], ["t", "t"], ["s", "u"], threshold=1, ks=(1,))
    with pytest.raises(ValueError, match="2 values, 1 tasks"):
        pass_hat_difference([1], [1, 1], ["t"], ["s"], threshold=1, ks=(1,))
    with pytest.raises(ValueError, match="finite"):
        pass_hat([math.nan], ["t"], ["s"], threshold=1, ks=(1,))
