"""Quantiles of Student's t: closed forms, scipy's values, and what may not be asked."""

import math
from statistics import NormalDist

import pytest
import scipy.special
from hypothesis import given, strategies as st

from sociolab.stats import t_quantile


def test_one_degree_of_freedom_is_the_cauchy_distribution() -> None:
    for p in (0.6, 0.75, 0.975):
        assert t_quantile(p, 1) == pytest.approx(math.tan(math.pi * (p - 0.5)), rel=1e-12)


def test_two_degrees_of_freedom_have_a_closed_form() -> None:
    for p in (0.6, 0.75, 0.975):
        closed = (2 * p - 1) * math.sqrt(2 / (1 - (2 * p - 1) ** 2))
        assert t_quantile(p, 2) == pytest.approx(closed, rel=1e-12)


def test_printed_tables_are_met() -> None:
    table = {1: 12.706, 2: 4.303, 5: 2.571, 10: 2.228, 29: 2.045, 30: 2.042, 39: 2.023}
    for freedom, printed in table.items():
        assert round(t_quantile(0.975, freedom), 3) == printed


@given(st.integers(1, 300), st.floats(0.501, 0.99999))
def test_scipy_says_the_same(freedom: int, p: float) -> None:
    assert t_quantile(p, freedom) == pytest.approx(
        float(scipy.special.stdtrit(freedom, p)), rel=1e-8
    )


@given(st.integers(1, 300), st.floats(0.501, 0.99999))
def test_it_lies_beyond_the_normal_quantile(freedom: int, p: float) -> None:
    assert t_quantile(p, freedom) > NormalDist().inv_cdf(p)


@pytest.mark.parametrize(("p", "freedom"), [(0.5, 3), (0.2, 3), (1.0, 3), (0.9, 0)])
def test_what_has_no_answer_is_refused(p: float, freedom: int) -> None:
    with pytest.raises(ValueError, match="expected"):
        t_quantile(p, freedom)
