"""A population for a larger town: copies of our residents in copies of their homes."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from sociolab.town.map import TownMap
from sociolab.town.map_file import own_map
from sociolab.town.residents import Resident, own_residents

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from tiled_town import tiled


def population(count: int) -> tuple[TownMap, tuple[Resident, ...]]:
    """So many residents, 25 to a copy of our town; each copy's live in their own copy."""
    town, people = own_map(), own_residents()
    copies = -(-count // len(people))
    across = max(1, round((copies * town.height / town.width) ** 0.5))
    down = -(-copies // across)
    sectors = sorted(town.sectors, key=len, reverse=True)
    names = re.compile("|".join(re.escape(sector) for sector in sectors))
    found = [_copy(one, copy, names) for copy in range(copies) for one in people]
    return (tiled(town, across, down) if copies > 1 else town), tuple(found[:count])


def _copy(resident: Resident, copy: int, sectors: re.Pattern[str]) -> Resident:
    if copy == 0:
        return resident

    def moved(text: str) -> str:
        return sectors.sub(lambda found: f"{found[0]} {copy + 1}", text)

    return resident.model_copy(
        update={
            "id": f"{resident.id}-{copy + 1}",
            "name": f"{resident.name} {copy + 1}",
            "living_area": moved(resident.living_area),
            "routine": moved(resident.routine),
            "learned": moved(resident.learned),
            "currently": moved(resident.currently),
            "knows": tuple(moved(place) for place in resident.knows),
            "ties": {f"{name} {copy + 1}": tie for name, tie in resident.ties.items()},
        }
    )
