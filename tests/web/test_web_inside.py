"""Units that are worth a test alone, from inside: web."""

from __future__ import annotations

import pytest

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
