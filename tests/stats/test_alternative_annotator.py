"""The alternative annotator test against its definition."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from sociolab.stats import alternative_test

Ratings = dict[str, dict[str, float]]


def rated(noise: float, items: int = 60, seed: int = 1) -> tuple[dict[str, float], Ratings]:
    """Four raters about one truth an item, and a judge with so much noise beside their 1."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(5, 2, items)
    people = {
        f"i{i}": {f"r{r}": float(truth[i] + rng.normal()) for r in range(4)} for i in range(items)
    }
    return {f"i{i}": float(truth[i] + noise * rng.normal()) for i in range(items)}, people


def test_it_is_a_t_test_of_who_is_nearer_to_the_others_for_each_rater() -> None:
    scores, people = rated(1.0)
    found = alternative_test(scores, people, {item: item for item in people})
    ps, shares = [], []
    for rater in ("r0", "r1", "r2", "r3"):
        gaps = []
        for item, given in people.items():
            rest = [value for name, value in given.items() if name != rater]
            own, judge = (
                np.sqrt(np.mean([(value - each) ** 2 for each in rest]))
                for value in (given[rater], scores[item])
            )
            gaps.append(float(own <= judge) - float(judge <= own))
        ps.append(scipy.stats.ttest_1samp(gaps, 0.2, alternative="less").pvalue)
        shares.append(np.mean([gap <= 0 for gap in gaps]))
    # Benjamini and Yekutieli: the smallest p below .05 / (4 * (1 + 1/2 + 1/3 + 1/4)), and so on.
    steps = sorted(ps)
    most = max((k for k, p in enumerate(steps, 1) if p <= k * 0.05 / (4 * 25 / 12)), default=0)
    assert found.wins is not None
    assert found.wins[0.2] == most / 4
    assert found.advantage == pytest.approx(np.mean(shares))


def test_who_is_better_than_people_may_replace_them_and_who_guesses_may_not() -> None:
    for noise, passes in ((0.3, True), (5.0, False)):
        scores, people = rated(noise, items=120)
        found = alternative_test(scores, people, {item: item for item in people})
        assert found.passes(0.1) is passes


def test_items_of_one_scenario_count_as_one() -> None:
    scores, people = rated(0.8, items=60)
    alone = alternative_test(scores, people, {item: item for item in people})
    alike = alternative_test(scores, people, {item: f"s{int(item[1:]) % 2}" for item in people})
    assert alone.wins is not None
    assert alike.wins is not None
    assert alone.wins[0.2] > alike.wins[0.2]
    one = alternative_test(scores, people, dict.fromkeys(people, "s"))
    assert one.passes(0.2) is False


def test_three_raters_with_thirty_items_that_others_rated_are_needed() -> None:
    scores, people = rated(0.3, items=29)
    found = alternative_test(scores, people, {item: item for item in people})
    assert (found.raters, found.tested, found.wins, found.passes(0.1)) == (4, 0, None, None)
    alone = {item: {"r0": given["r0"]} for item, given in rated(0.3)[1].items()}
    assert alternative_test(rated(0.3)[0], alone, {item: item for item in alone}).tested == 0
