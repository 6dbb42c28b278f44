"""How long a town's day takes when every question has a latency: by scheduler, and at best.

Run: python benchmarks/bench_town_scheduler.py [--residents 12 25 100] [--mind MIND]
     [--places 0] [--seeds 1 2 3] [--days 1]

Prints figures and asserts nothing but that all traces are the same, byte for byte. Virtual time:
latencies are lognormal (median 1 s), drawn by question, so that they are the same for all.
The lower bounds hold for any number of places: "oracle" knows who will see whom when, and lets a
step wait only for the earlier steps of those who are really together in it; "critical path" is the
longest chain of residents' own questions, joined by talks.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

from sociolab.core.ports import Request
from sociolab.town import simulation
from sociolab.town.clock import Clock
from sociolab.town.lockstep import LockStep, Round, Thread
from sociolab.town.map import TownMap
from sociolab.town.map_file import own_map
from sociolab.town.mind import Mind
from sociolab.town.person import Setting, Surroundings
from sociolab.town.questions import MindQuestion, Utter
from sociolab.town.residents import Resident, own_residents
from sociolab.town.simulation import Order, simulate

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parent))
from town_latency import Line, Lived, live_through, lognormal

from any_mind import AnyMind
from tiled_town import tiled

SCRIPTED = "sociolab.town.scripted.mind:ScriptedMind"
UNLIMITED = 1_000_000
MANY = 50
"""With more residents only the first seed is lived, and no CPU measured."""
Ask: TypeAlias = Callable[[Thread, MindQuestion[Any]], None]


class WatchedPlayer(LockStep):
    """Lock-step that notes who lived which step together, and how long that took."""

    def __init__(self, now: Callable[[], float], around: Surroundings, ask: Ask) -> None:
        super().__init__(around, ask)
        self.now = now
        self.began: dict[int, float] = {}
        self.rounds: list[tuple[tuple[int, ...], float]] = []

    def ready(self) -> list[Round]:
        """As in lock-step."""
        rounds = super().ready()
        for each in rounds:
            self.began[id(each)] = self.now()
        return rounds

    def over(self, round: Round) -> None:
        """As in lock-step."""
        members = tuple(person.number for person in round.members)
        self.rounds.append((members, self.now() - self.began.pop(id(round))))
        super().over(round)


def oracle(rounds: Sequence[tuple[tuple[int, ...], float]]) -> float:
    """The makespan if a step waits only for those who are in it."""
    done: dict[int, float] = {}
    for members, took in rounds:
        end = max(done.get(member, 0.0) for member in members) + took
        done.update(dict.fromkeys(members, end))
    return max(done.values())


def critical_path(asked: Sequence[tuple[Request, float]]) -> float:
    """The longest chain of one resident's own questions, two residents' where they talk."""
    done: dict[str, float] = {}
    for request, took in asked:
        question = request.observation.view
        own = question.meta.resident
        with_whom = [own]
        if isinstance(question, Utter):
            with_whom.append(question.other.id)
        end = max(done.get(one, 0.0) for one in with_whom) + took
        done.update(dict.fromkeys(with_whom, end))
    return max(done.values())


# ------------------------------------------------------------------ towns and minds


def town_of(count: int) -> tuple[TownMap, tuple[Resident, ...]]:
    """So many residents: of the own town, or of as many copies of it as they need."""
    town, own = own_map(), own_residents()
    if count <= len(own):
        return town, own[:count]
    copies = -(-count // len(own))
    across = next(n for n in range(1, copies + 1) if n * n >= copies)
    larger = tiled(town, across, -(-copies // across))
    everybody = [copied(one, copy, town) for copy in range(copies) for one in own]
    return larger, tuple(everybody[:count])


def copied(resident: Resident, copy: int, town: TownMap) -> Resident:
    """The resident's like in another copy of the town; copy 0 is the resident itself."""
    if not copy:
        return resident
    sectors = re.compile("|".join(map(re.escape, sorted(town.sectors, key=len, reverse=True))))

    def there(text: str) -> str:
        return sectors.sub(lambda found: f"{found[0]} {copy + 1}", text)

    return resident.model_copy(
        update={
            "id": f"{resident.id}-{copy + 1}",
            "name": f"{resident.name} {copy + 1}",
            "living_area": there(resident.living_area),
            "routine": there(resident.routine),
            "knows": tuple(there(known) for known in resident.knows),
            "ties": {f"{name} {copy + 1}": tie for name, tie in resident.ties.items()},
        }
    )


def mind_of(name: str, seed: int) -> Mind:
    """ "any": any valid answer at random; "module:Class": one without arguments."""
    if name == "any":
        return AnyMind(seed)
    module, _, kind = name.partition(":")
    mind: Mind = getattr(import_module(module), kind)()
    return mind


# ------------------------------------------------------------------ the comparison


def compare(settings: Sequence[Setting], mind: str, places: int) -> None:
    """Live the same days with either scheduler and print what each took, all seeds together."""
    began = time.perf_counter()
    rows: Counter[str] = Counter()
    asked: list[tuple[Request, float]] = []
    for setting in settings:
        locked, found = measured(setting, mind, places)
        rows.update(found)
        asked += locked.asked
    one = settings[0]
    print(f"\n{len(one.residents)} residents, {one.days} day(s), {len(settings)} seed(s), {mind}")
    print(pattern(asked, len(one.residents) * one.days * len(settings)))
    for name, seconds in rows.items():
        print(
            f"  {name:24}{seconds:10.1f} s{rows['lock-step'] / seconds:8.2f} x lock-step"
            f"{rows['oracle'] / seconds:8.0%} of the oracle's speed"
        )
    if len(one.residents) <= MANY:
        print(f"  CPU of the first seed's days, instant answers: {cpu(one, mind)}")
    print(f"  ({time.perf_counter() - began:.0f} s to work out)")


def measured(setting: Setting, mind: str, places: int) -> tuple[Lived, dict[str, float]]:
    """One seed: the lock-step run and, by name, the makespans in seconds."""
    latency = lognormal(setting.seed)

    def line(places: int = UNLIMITED) -> Line:
        return Line(mind_of(mind, setting.seed), latency, places)

    watched: list[WatchedPlayer] = []
    clock = line()

    def watch(around: Surroundings, ask: Ask) -> WatchedPlayer:
        watched.append(WatchedPlayer(lambda: clock.now, around, ask))
        return watched[-1]

    with patch.dict(simulation.SCHEDULERS, {"lock-step": watch}):
        locked = live_through(simulate(setting), clock)
    ours = live_through(simulate(setting, "ahead"), line())
    if ours.trace != locked.trace:
        raise SystemExit("the schedulers' traces differ")
    rows = {
        "serial": locked.work,
        "lock-step": locked.makespan,
        "ahead": ours.makespan,
        "oracle": oracle(watched[0].rounds),
        "critical path": critical_path(locked.asked),
    }
    orders: tuple[Order, ...] = ("lock-step", "ahead")
    for order in orders if places else ():
        few = live_through(simulate(setting, order), line(places))
        rows[f"{order}, {places} places"] = few.makespan
    return locked, rows


def pattern(asked: Sequence[tuple[Request, float]], days: int) -> str:
    """How often each question was asked, per resident and day."""
    counts = Counter(request.name for request, _ in asked)
    each = ", ".join(f"{name} {count / days:.1f}" for name, count in counts.most_common())
    return f"  {len(asked)} questions; per resident and day {len(asked) / days:.1f}: {each}"


def cpu(setting: Setting, mind: str) -> str:
    """Seconds of CPU that each scheduler takes, answers and lives included."""
    found = []
    orders: tuple[Order, ...] = ("lock-step", "ahead")
    for order in orders:
        began = time.process_time()
        line = Line(mind_of(mind, setting.seed), lambda _: 0.0, UNLIMITED)
        live_through(simulate(setting, order), line)
        found.append(f"{order} {time.process_time() - began:.2f} s")
    return ", ".join(found)


def main() -> None:
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--residents", type=int, nargs="+", default=[12, 25, 100])
    parser.add_argument("--mind", default=SCRIPTED, help='"any", or "module:Class"')
    parser.add_argument("--places", type=int, default=0, help="most requests at a time; 0: any")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--days", type=int, default=1)
    asked = parser.parse_args()
    for count in asked.residents:
        town, residents = town_of(count)
        clock = Clock(date(2024, 5, 13))
        seeds = asked.seeds if count <= MANY else asked.seeds[:1]
        settings = [Setting(town, residents, clock, asked.days, seed=seed) for seed in seeds]
        compare(settings, asked.mind, asked.places)


if __name__ == "__main__":
    main()
