"""What a day of Alderbrook leaves in its trace, to the byte: what makes the town faster must not
change it."""

from __future__ import annotations

import asyncio
import hashlib
import json
from datetime import date

import pytest

from sociolab.core import Event, Happened
from sociolab.engine import drive
from sociolab.town import Clock, MindPlayer, ScriptedMind, Setting, own_map, own_residents, simulate
from tiled_town import tiled


@pytest.mark.parametrize("across", [1, 2], ids=["alone", "among copies of it"])
def test_a_day_of_alderbrook_is_lived_as_before(across: int) -> None:
    town = tiled(own_map(), across, across)
    residents = own_residents()
    setting = Setting(town, residents, Clock(date(2024, 5, 13)), 1, trial="day", seed=1)
    player = MindPlayer(ScriptedMind(), built_in=True)
    events: list[Event] = []
    players = dict.fromkeys((one.id for one in residents), player)
    asyncio.run(drive(simulate(setting), players, events.append))
    trace = json.dumps([event.value for event in events if isinstance(event, Happened)])
    assert hashlib.sha256(trace.encode()).hexdigest()[:16] == "559585844534b087"
