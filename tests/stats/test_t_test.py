"""Student's t: Student's and Fisher's own examples, Welch by hand, scipy."""

from __future__ import annotations

import math

import pytest
import scipy.stats
from hypothesis import given, strategies as st

from sociolab.stats import paired_t

# Darwin's maize, in eighths of an inch over the self-fertilised plant (Fisher 1935, section 17).
DARWIN = (49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48)
# Hours of sleep gained with two drugs by ten patients (Student 1908).
SLEEP_1 = (0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0)
SLEEP_2 = (1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4)
samples = st.lists(st.integers(-10, 10), min_size=2, max_size=20)


def test_fishers_maize_has_t_of_2_148_and_p_of_4_97_percent() -> None:
    found = paired_t(DARWIN, [0] * 15)
    assert found.freedom == 14
    assert round(found.t or 0, 3) == 2.148
    assert round(found.p or 0, 4) == 0.0497


def test_students_sleep_data() -> None:
    # R's manual, ?sleep: paired t = -4.0621, df = 9, p = 0.002833.
    found = paired_t(SLEEP_1, SLEEP_2)
    assert (round(found.t or 0, 4), found.freedom, round(found.p or 0, 6)) == (-4.0621, 9, 0.002833)


def test_where_there_is_no_test_it_says_why() -> None:
    assert paired_t([1], [2]).note == "fewer than 2 pairs"
    assert paired_t([1000.1, 3.1], [1000, 3]).note == "no variation between pairs"


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="found 1 and 2"):
        paired_t([1], [1, 2])
    with pytest.raises(ValueError, match="finite"):
        paired_t([1, math.nan], [1, 2])


@given(samples, samples)
def test_scipy_says_the_same(a: list[int], b: list[int]) -> None:
    short = min(len(a), len(b))
    found = paired_t(a[:short], b[:short])
    if not found.note:
        theirs = scipy.stats.ttest_rel(a[:short], b[:short])
        assert (found.t, found.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-8)
