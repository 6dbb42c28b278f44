"""Units that are worth a test alone, from inside: stats."""

from __future__ import annotations

import math

import pytest
import scipy.stats

from sociolab.stats import needed_sample, t_quantile
from sociolab.stats.power import power


def spread(count: int) -> tuple[list[float], list[str]]:
    """One pair in each of an even number of clusters, with standard deviation 1."""
    far = math.sqrt((count - 1) / count)
    return [far, -far] * (count // 2), [f"c{i}" for i in range(count)]


@pytest.mark.parametrize("freedom", [2, 3, 10, 50, 400])
def test_power_is_scipys_noncentral_t(freedom: int) -> None:
    edge = t_quantile(0.975, freedom)
    for shift in (0.0, 1.0, 2.8, 5.0):
        theirs = scipy.stats.nct.sf(edge, freedom, shift) + scipy.stats.nct.cdf(
            -edge, freedom, shift
        )
        assert power(shift, freedom) == pytest.approx(float(theirs), abs=1e-5)


def test_power_without_a_difference_is_the_level() -> None:
    for freedom in (1, 2, 7, 90):
        assert power(0, freedom) == pytest.approx(0.05, abs=2e-5)


def test_a_level_shared_by_five_measures_takes_more_clusters() -> None:
    """Half a standard deviation at 0.01 instead of 0.05, 80 %.

    By hand, with normal quantiles: (2.575829 + 0.841621)^2 / 0.5^2 = 46.72, plus what t costs more
    than the normal, 2.575829^2 / 2 = 3.32: 50.03, so 51 clusters.
    """
    gaps, homes = spread(40)
    assert needed_sample(gaps, homes, 0.5, 0.01).clusters == 51
    assert needed_sample(gaps, homes, 0.5).clusters == 34
    assert power(0.5 * math.sqrt(51), 50, 0.01) >= 0.8 > power(0.5 * math.sqrt(50), 49, 0.01)


def test_power_at_another_level_agrees_with_scipy() -> None:
    edge = scipy.stats.t.ppf(1 - 0.01 / 2, 20)
    below, above = (scipy.stats.nct.cdf(end, 20, 3) for end in (-edge, edge))
    assert power(3, 20, 0.01) == pytest.approx(below + 1 - above, abs=1e-4)
