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
    names = sorted([*town.sectors, *(one.name for one in people)], key=len, reverse=True)
    renamed = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
    found = [_copy(one, copy, renamed) for copy in range(copies) for one in people]
    return (tiled(town, across, down) if copies > 1 else town), tuple(found[:count])


def _copy(resident: Resident, copy: int, renamed: re.Pattern[str]) -> Resident:
    """The resident, with each name of a sector and a person told from that in other copies."""
    if copy == 0:
        return resident
    text = renamed.sub(lambda found: f"{found[0]} {copy + 1}", resident.model_dump_json())
    moved = Resident.model_validate_json(text)
    return moved.model_copy(update={"id": f"{resident.id}-{copy + 1}"})
