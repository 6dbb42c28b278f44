"""The trace does not depend on who schedules, nor on which answer comes when."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from small_towns import Pick, at_random, first_come, last_come, latest_step, lived, some_setting
from sociolab.testing.minds import AnyMind
from sociolab.town.clock import Clock
from sociolab.town.map_file import own_map
from sociolab.town.residents import own_residents
from sociolab.town.setting import Setting
from sociolab.town.simulation import live


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10_000))
def test_residents_ahead_of_each_other_live_the_same_in_any_small_town(seed: int) -> None:
    setting = some_setting(seed)
    expected = lived(live(setting), AnyMind(seed), first_come)
    for pick in (latest_step, at_random(seed)):
        assert lived(live(setting, "ahead"), AnyMind(seed), pick) == expected
    assert lived(live(setting), AnyMind(seed), last_come) == expected


@pytest.mark.parametrize("pick", [first_come, latest_step, at_random(5)])
def test_eight_residents_of_the_own_town_live_the_same_day(pick: Pick) -> None:
    setting = Setting(own_map(), own_residents()[:8], Clock(date(2024, 5, 13)), 1, "t", 3)
    expected = lived(live(setting), AnyMind(3), first_come)
    assert lived(live(setting, "ahead"), AnyMind(3), pick) == expected


def test_two_days_are_lived_the_same() -> None:
    setting = replace(some_setting(8), days=2)
    expected = lived(live(setting), AnyMind(8), first_come)
    assert lived(live(setting, "ahead"), AnyMind(8), latest_step) == expected
