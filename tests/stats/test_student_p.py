"""p-values of Student's t: closed forms, scipy, and the quantile turned round."""

from __future__ import annotations

import math

import pytest
import scipy.stats
from hypothesis import given, strategies as st

from sociolab.stats import t_quantile, two_sided_p


def test_closed_forms_of_one_and_two_degrees() -> None:
    for t in (0.0, 0.3, 1.0, 2.0, 50.0):
        assert two_sided_p(t, 1) == pytest.approx(1 - 2 * math.atan(t) / math.pi, rel=1e-9)
        assert two_sided_p(t, 2) == pytest.approx(1 - t / math.sqrt(2 + t * t), rel=1e-9)


def test_the_sign_does_not_matter_and_nothing_is_certain() -> None:
    assert two_sided_p(0, 7) == 1
    assert two_sided_p(-2.5, 7) == two_sided_p(2.5, 7)
    assert two_sided_p(math.inf, 7) == 0


def test_it_turns_the_quantile_round() -> None:
    for freedom in (1, 2, 9, 80, 449):
        assert two_sided_p(t_quantile(0.975, freedom), freedom) == pytest.approx(0.05, rel=1e-9)


@given(st.floats(0, 1e4), st.floats(0.5, 2000))
def test_scipy_says_the_same_even_far_out(t: float, freedom: float) -> None:
    theirs = 2 * float(scipy.stats.t.sf(t, freedom))
    assert two_sided_p(t, freedom) == pytest.approx(theirs, rel=1e-8, abs=1e-290)


@pytest.mark.parametrize(("t", "freedom"), [(1, 0), (1, -2), (1, math.nan), (math.nan, 3)])
def test_what_has_no_p_is_refused(t: float, freedom: float) -> None:
    with pytest.raises(ValueError, match="expected"):
        two_sided_p(t, freedom)
