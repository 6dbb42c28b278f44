"""Live a town with the scripted mind in this process, and print what it cost as JSON.

python benchmarks/town_day.py RESIDENTS DAYS [ORDER]
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
import zlib
from datetime import date
from typing import cast

from town_population import population

from sociolab.core.episode import Answered, Event, Happened, Unusable
from sociolab.engine.driver import drive
from sociolab.town.clock import Clock
from sociolab.town.mind import MindPlayer
from sociolab.town.person import Setting
from sociolab.town.scripted.mind import ScriptedMind
from sociolab.town.simulation import Order, simulate


def main() -> None:
    count, days = int(sys.argv[1]), int(sys.argv[2])
    order = cast("Order", sys.argv[3] if len(sys.argv) > 3 else "lock-step")
    town, residents = population(count)
    setting = Setting(town, residents, Clock(date(2024, 5, 13)), days, trial="day", seed=1)
    player = MindPlayer(ScriptedMind(), built_in=True)
    players = dict.fromkeys((one.id for one in residents), player)
    events: list[Event] = []
    wall, cpu = time.perf_counter(), time.process_time()
    asyncio.run(drive(simulate(setting, order), players, events.append))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    trace = [event.value for event in events if isinstance(event, Happened)]
    found = {
        "wall": wall,
        "cpu": cpu,
        "answers": sum(isinstance(event, Answered) for event in events),
        "unusable": sum(isinstance(event, Unusable) for event in events),
        "trace_kb": len(zlib.compress(json.dumps(trace).encode())) / 1024,
        "steps": setting.steps,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
