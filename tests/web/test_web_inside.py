"""Units that are worth a test alone, from inside: web."""

from __future__ import annotations

import pytest

from sociolab.web import Rate
from sociolab.web.site import Limiter
from sociolab.web.town import takes_gzip


@pytest.mark.parametrize(
    ("accepted", "takes"),
    [
        ("gzip, deflate, br", True),
        ("br;q=1, GZIP;q=0.5", True),
        ("gzip;q=0", False),
        ("gzip; q=0.0", False),
        ("", False),
        ("deflate", False),
    ],
)
def test_gzip_is_used_where_the_client_says_so(accepted: str, takes: bool) -> None:
    assert takes_gzip(accepted) is takes


def test_a_bucket_empties_and_fills_again() -> None:
    now = [0.0]
    limiter = Limiter(Rate(burst=3, a_minute=60), clock=lambda: now[0])
    assert [limiter.take("a") for _ in range(3)] == [0, 0, 0]
    assert limiter.take("a") == pytest.approx(1.0)
    assert limiter.take("b") == 0
    now[0] = 1.5
    assert limiter.take("a") == 0
    assert limiter.take("a") == pytest.approx(0.5)


def test_buckets_of_long_ago_are_forgotten() -> None:
    limiter = Limiter(Rate(burst=1, a_minute=1), most=2)
    for key in "abc":
        assert limiter.take(key) == 0
    assert limiter.take("a") == 0  # the bucket was forgotten, so it is full again
    assert limiter.take("c") > 0
