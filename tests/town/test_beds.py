"""Where residents sleep."""

from __future__ import annotations

from datetime import date

from sociolab.town.clock import Clock
from sociolab.town.map_file import own_map
from sociolab.town.person import Surroundings
from sociolab.town.residents import own_residents
from sociolab.town.setting import Setting


def test_a_couple_sleeps_in_its_double_bed() -> None:
    town = own_map()
    residents = tuple(one for one in own_residents() if one.living_area == "1 Mill Lane: bedroom")
    around = Surroundings(Setting(town, residents, Clock(date(2024, 5, 13)), 1))
    spots = town.spots(residents[0].home, "double bed")
    tiles = [around.bed(person) for person in around.people]
    assert len(tiles) == 2
    assert tiles[0] in spots
