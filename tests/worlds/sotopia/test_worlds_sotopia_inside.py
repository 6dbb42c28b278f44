"""Units that are worth a test alone, from inside: worlds/sotopia."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("value", "gained", "expected"),
    # 5 x (8 - 6) / 4 = 2.5, half points up; 5 x (3.6 - 6) / 6 = -2
    [(6, True, 0), (10, True, 5), (8, True, 3), (3.6, True, -2), (0, True, -5), (0, False, 0)],
)
def test_what_was_gained_is_read_off_the_goal(value: float, gained: bool, expected: float) -> None:
    from sociolab.worlds.sotopia.outcome import _score_gain

    assert _score_gain("a", "price", value, agreed=gained).value == expected
    assert _score_gain("a", "division", 8, agreed=True).value == 3
