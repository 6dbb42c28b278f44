"""The public personas as residents of the town."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ConfigDict, Field, RootModel

from sociolab.core.errors import ConfigError
from sociolab.town.residents import Resident
from sociolab.worlds.stss.importing.defects import Defect, Kind
from sociolab.worlds.stss.importing.files import SourceFiles
from sociolab.worlds.stss.importing.place_names import PlaceNames
from sociolab.worlds.stss.importing.reading import RawRecord, json_file, record
from sociolab.worlds.stss.importing.slugs import slug


class _Town(RawRecord):
    """`meta.json`: who lives in the town."""

    persona_names: tuple[str, ...] = Field(min_length=1)


class _Persona(RawRecord):
    """`scratch.json`: what a persona is like before anything has happened."""

    name: str = Field(min_length=1)
    age: int = Field(ge=0, le=120)
    innate: str
    learned: str
    currently: str
    lifestyle: str
    living_area: str
    daily_plan_req: str = ""


class SpatialMemory(RootModel[dict[str, dict[str, dict[str, tuple[str, ...]]]]]):
    """World -> sector -> arena -> objects."""

    model_config = ConfigDict(frozen=True)


@dataclass(frozen=True, slots=True)
class People:
    """Who lives in the town, in the order of its list, and what was wrong with their records."""

    residents: tuple[Resident, ...]
    defects: tuple[Defect, ...]


def read_people(files: SourceFiles, names: PlaceNames) -> People:
    """The residents; ConfigError with file where a persona is missing, broken or homeless.

    `knows` is the spatial memory by arena, the home included; places that are not on the map are
    left out of it, and reported.
    """
    listed = record(str(files.people), _Town, json_file(files.people)).persona_names
    residents: dict[str, Resident] = {}
    defects: list[Defect] = []
    for name in listed:
        resident, found = _resident(files.personas / name, names)
        if resident.id in residents:
            raise ConfigError(f"{files.people}: {name!r} comes a second time; remove one of them")
        residents[resident.id] = resident
        defects += found
    return People(tuple(residents.values()), tuple(defects))


def known_places(
    memory: Mapping[str, Mapping[str, object]], names: PlaceNames
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The places of sector -> arena as the map spells them, and those that it does not have."""
    known: dict[str, None] = {}
    lost: dict[str, None] = {}
    for sector, arenas in memory.items():
        for written in [f"{sector}: {arena}" for arena in arenas] or [sector]:
            place = names.resolve(written)
            (known if place else lost)[place or written] = None
    return tuple(known), tuple(lost)


def _resident(folder: Path, names: PlaceNames) -> tuple[Resident, tuple[Defect, ...]]:
    file = _of_persona(folder, "scratch.json")
    raw = record(str(file), _Persona, json_file(file))
    home = names.resolve(raw.living_area)
    if ": " not in home:
        raise ConfigError(
            f"{file}: living_area: expected a room of the map, found {raw.living_area!r}; mend it"
        )
    memory_file = _of_persona(folder, "spatial_memory.json")
    worlds = record(str(memory_file), SpatialMemory, json_file(memory_file)).root
    known, lost = known_places({s: a for world in worlds.values() for s, a in world.items()}, names)
    fields = {
        "id": slug(raw.name),
        "name": " ".join(raw.name.split()),
        "age": raw.age,
        "innate": raw.innate,
        "learned": raw.learned,
        "currently": raw.currently,
        "lifestyle": raw.lifestyle,
        "living_area": home,
        "routine": raw.daily_plan_req.strip(),
        "knows": tuple(dict.fromkeys((*known, home))),
    }
    resident = record(str(file), Resident, fields)
    return resident, _defects(resident, known, lost)


def _of_persona(folder: Path, name: str) -> Path:
    """The file beside the persona's folder's others, or where a clone keeps it."""
    deeper = folder / "bootstrap_memory" / name
    return deeper if deeper.exists() else folder / name


def _defects(
    resident: Resident, known: tuple[str, ...], lost: tuple[str, ...]
) -> tuple[Defect, ...]:
    who, field = resident.name, "spatial_memory"
    found = [Defect(Kind.UNKNOWN_KNOWLEDGE, who, field, place, "left out") for place in lost]
    if resident.living_area not in known:
        home = resident.living_area
        found.append(Defect(Kind.HOME_UNKNOWN, who, field, f"no {home}", "they know it"))
    return tuple(found)
