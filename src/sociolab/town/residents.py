"""Residents as written down: the fields of Generative Agents (section 4), and what they know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from sociolab.core.errors import ConfigError
from sociolab.core.reading import toml_record
from sociolab.town.clock import TimeOfDay
from sociolab.town.map import Place, TownMap
from sociolab.town.map_file import own_map


class Habit(BaseModel):
    """Something done every day at a place; `work` is not left for pleasure.

    `what`: in words that read well after "NAME is" ("serving soup").
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    what: str
    place: str
    start: TimeOfDay
    end: TimeOfDay
    work: bool = False


class Rhythm(BaseModel):
    """When a resident gets up, eats and goes to bed on an ordinary day."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    wake: TimeOfDay = "07:00"
    lunch: TimeOfDay = "12:30"
    supper: TimeOfDay = "18:30"
    bed: TimeOfDay = "22:30"


class Resident(BaseModel):
    """One resident; frozen: what changes in a life is kept in its memory.

    `known_as`: what everybody in town knows of them, "" for nothing but the name. `innate`:
    traits. `learned`: who they are. `currently`: what occupies them now (a social task is given
    here, to the performer alone). `lifestyle`: sleep and meals, `routine`: what they do on ordinary
    days, both in words. `rhythm` and `habits` say the same in typed form, which scripted minds live
    by; where they are given, the words can be left out (see `ordinary_day`). `living_area`: where
    they sleep, "Sector: arena". `knows`: the places they know, as "Sector: arena" or whole sectors,
    their home included. `ties`: whom they know, name to what they are to each other. `memories`:
    what they remember when the simulation begins (seed memories; Generative Agents, section 3).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    name: str
    age: int = Field(ge=0, le=120)
    known_as: str = ""
    innate: str
    learned: str
    currently: str
    lifestyle: str = ""
    living_area: str
    routine: str = ""
    rhythm: Rhythm | None = None
    habits: tuple[Habit, ...] = ()
    knows: tuple[str, ...] = ()
    ties: dict[str, str] = Field(default_factory=dict)
    memories: tuple[Annotated[str, Field(min_length=1)], ...] = ()

    @property
    def first_name(self) -> str:
        """What the others call them."""
        return self.name.split()[0]

    @property
    def home(self) -> Place:
        """Where they sleep."""
        sector, _, arena = self.living_area.partition(": ")
        return Place(sector, arena)

    @property
    def ordinary_day(self) -> tuple[str, str]:
        """Lifestyle and routine in words: as written, else made of rhythm and habits."""
        rhythm = self.rhythm
        lifestyle = self.lifestyle or (
            f"gets up around {rhythm.wake}, has lunch around {rhythm.lunch}, has supper around "
            f"{rhythm.supper}, goes to bed around {rhythm.bed}"
            if rhythm is not None
            else ""
        )
        habits = (f"{one.what} at {one.place} from {one.start} to {one.end}" for one in self.habits)
        return lifestyle, self.routine or "; ".join(habits)


OWN = Path(__file__).parent / "data" / "residents.toml"


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    resident: tuple[Resident, ...] = Field(min_length=1)


@cache
def own_residents() -> tuple[Resident, ...]:
    """The 25 residents of Alderbrook, in the order of their file."""
    return load_residents(OWN, own_map())


def load_residents(path: Path, town: TownMap) -> tuple[Resident, ...]:
    """The residents of a TOML file with one table [[resident]] each, in file order.

    ConfigError if the file cannot be read, an id or a name occurs twice, a place is not on the
    map, a tie leads to nobody, or a tie is not mutual.
    """
    found = _read(path)
    check_residents(found, town, str(path))
    _refuse_one_sided_ties(found, str(path))
    return found


def check_residents(residents: Sequence[Resident], town: TownMap, source: str) -> None:
    """Refuse (ConfigError) residents who occur twice, or name a place or person that is not."""
    _refuse_doubles([resident.id for resident in residents], "id", source)
    _refuse_doubles([resident.name for resident in residents], "name", source)
    names = {resident.name for resident in residents}
    for resident in residents:
        if town.place(resident.living_area) is None:
            raise ConfigError(
                f'{source}: {resident.name}: expected a room of {town.name} in "living_area", '
                f'found "{resident.living_area}"; write "Sector: arena" as on the map'
            )
        for field, place in _places(resident):
            if not is_known_place(place, town):
                raise ConfigError(
                    f'{source}: {resident.name}: expected a place of {town.name} in "{field}", '
                    f'found "{place}"; write a sector or "Sector: arena" as on the map'
                )
        for other in resident.ties:
            if other == resident.name or other not in names:
                raise ConfigError(
                    f'{source}: {resident.name}: expected the names of other residents in "ties", '
                    f'found "{other}"; correct the name or add that resident'
                )


def is_known_place(name: str, town: TownMap) -> bool:
    """Whether this is a sector of the town or, written "Sector: arena", one of its arenas."""
    return bool(town.sector_places(name)) or town.place(name) is not None


def _read(path: Path) -> tuple[Resident, ...]:
    return toml_record(path, _File).resident


def _places(resident: Resident) -> Iterator[tuple[str, str]]:
    """Every place that a resident's fields name, with the field's name."""
    yield "living_area", resident.living_area
    for name in resident.knows:
        yield "knows", name
    for habit in resident.habits:
        yield "habits", habit.place


def _refuse_doubles(values: list[str], what: str, source: str) -> None:
    for place, value in enumerate(values):
        if value in values[:place]:
            raise ConfigError(
                f'{source}: expected every {what} once, found "{value}" twice; rename one of them'
            )


def _refuse_one_sided_ties(residents: Sequence[Resident], source: str) -> None:
    by_name = {resident.name: resident for resident in residents}
    for resident in residents:
        for other in resident.ties:
            if resident.name not in by_name[other].ties:
                raise ConfigError(
                    f"{source}: {resident.name}: expected a tie to {other} on both sides, found it "
                    f"on one; say under {other} what {resident.name} is to them"
                )
