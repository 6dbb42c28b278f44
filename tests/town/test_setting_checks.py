"""A simulation is refused where residents could not be told apart, or have nowhere to sleep."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from puppet_town import ANN, BEN, setting
from sociolab.core import WorldError
from sociolab.town import Clock


def test_two_residents_cannot_share_a_name_or_an_id() -> None:
    with pytest.raises(WorldError, match="ids and names of their own"):
        setting((ANN, BEN.model_copy(update={"name": ANN.name})))
    with pytest.raises(WorldError, match="ids and names of their own"):
        setting((ANN, BEN.model_copy(update={"id": ANN.id})))


def test_a_target_is_given_to_somebody_who_lives_there() -> None:
    with pytest.raises(WorldError, match='given to "zoe", who does not live here'):
        setting((ANN,), tdp={"zoe": "Hold a party."})


def test_a_resident_sleeps_somewhere_on_the_map_however_it_is_spelled() -> None:
    with pytest.raises(WorldError, match='sleeps at "The Moon: crater"'):
        setting((ANN.model_copy(update={"living_area": "The Moon: crater"}),))
    shouted = ANN.model_copy(update={"living_area": ANN.living_area.upper()})
    assert setting((shouted,)).residents[0].living_area == ANN.living_area.upper()


@pytest.mark.parametrize("seconds", [0, 7, 11])
def test_a_step_divides_an_hour(seconds: int) -> None:
    with pytest.raises(WorldError, match=f"found {seconds} s"):
        Clock(date(2024, 5, 13), seconds)
    assert replace(Clock(date(2024, 5, 13)), seconds=30).steps_per_day == 2880
