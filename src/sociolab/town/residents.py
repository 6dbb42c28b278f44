"""Residents as written down: the fields of Generative Agents (section 4), and what they know."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sociolab.core.reading import Faults, all_problems, read_text, read_toml
from sociolab.town.clock import TimeOfDay
from sociolab.town.map import Place, TownMap
from sociolab.town.map_file import own_map


class Habit(BaseModel):
    """Something done every day at a place; `work` is not abandoned for leisure.

    `what` completes "NAME is ..." ("serving soup").
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

    `known_as`: what everybody in town knows of them, "" for nothing but the name. `innate`: traits.
    `learned`: who they are. `currently`: what occupies them now (a social task is added here, for
    the performer alone). `lifestyle`: sleep and meals, `routine`: what they do on ordinary days,
    both in words. `rhythm` and `habits` say the same in typed form, for scripted minds; with them
    the words can be omitted (see `ordinary_day`). `living_area`: where they sleep, "Sector: arena".
    `knows`: the places they know, as "Sector: arena" or whole sectors, their home included. `ties`:
    whom they know, name to relationship. `memories`: what they remember when the simulation begins
    (seed memories; Generative Agents, section 3).
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
        return self.name.split()[0]

    @property
    def home(self) -> Place:
        """The room where they sleep."""
        sector, _, arena = self.living_area.partition(": ")
        return Place(sector, arena)

    @property
    def ordinary_day(self) -> tuple[str, str]:
        """Lifestyle and routine in words: as written, else generated from rhythm and habits."""
        rhythm = self.rhythm
        lifestyle = self.lifestyle or (
            f"gets up around {rhythm.wake}, has lunch around {rhythm.lunch}, has supper around "
            f"{rhythm.supper}, goes to bed around {rhythm.bed}"
            if rhythm is not None
            else ""
        )
        habits = (f"{h.what} at {h.place} from {h.start} to {h.end}" for h in self.habits)
        return lifestyle, self.routine or "; ".join(habits)


OWN = Path(__file__).parent / "data" / "residents.toml"


@dataclass(frozen=True, slots=True)
class RecordLines:
    """The lines of a file that hold one record, and the number of the first."""

    path: str
    first: int
    lines: tuple[str, ...]

    def where(self, field: str, value: object = "") -> str:
        """File and line of a field with this value, else of the value, the field, or the record."""
        begins = rf"\s*{re.escape(field)}\b"
        for pattern in (
            rf"{begins}.*{re.escape(str(value))}",
            f'.*"{re.escape(str(value))}"',
            begins,
        ):
            for number, line in enumerate(self.lines, self.first):
                if re.match(pattern, line):
                    return f"{self.path}, line {number}"
        return f"{self.path}, line {self.first}"


@dataclass(frozen=True, slots=True)
class LocatedResident:
    """A resident, and where its record is."""

    resident: Resident
    at: RecordLines

    def fault(self, field: str, value: str, problem: str) -> str:
        """A message about a value of a field, with file, line and name."""
        return f"{self.at.where(field, value)}: {self.resident.name}: {problem}"


@cache
def own_residents() -> tuple[Resident, ...]:
    """The 25 residents of Alderbrook, in the order of their file.

    >>> from sociolab.town import own_map, own_residents
    >>> residents, town = own_residents(), own_map()
    >>> len(residents), {str(place) for place in town.places} >= {r.living_area for r in residents}
    (25, True)
    """
    return load_residents(OWN, own_map())


def load_residents(path: Path, town: TownMap) -> tuple[Resident, ...]:
    """Read a TOML file with one table [[resident]] for each, in file order.

    ConfigError, with a line for every fault, if the file cannot be read, an id or a name occurs
    twice, a place is not on the map, habits overlap, a tie leads to nobody, or a tie is not mutual.
    """
    faults = Faults()
    located = read_residents(path, faults)
    faults.add(*resident_faults(located, town, whole=not faults), *one_sided_ties(located))
    faults.refuse()
    return tuple(item.resident for item in located)


def read_residents(path: Path, faults: Faults) -> tuple[LocatedResident, ...]:
    """The residents whose records can be read; faults of the others are added to `faults`."""
    lines = read_text(path).splitlines()
    rows = read_toml(path)
    tables = rows.pop("resident", None)
    if rows or not isinstance(tables, list) or not tables:
        other = f'"{min(rows)}"' if rows else "none"
        faults.add(f"{path}: expected tables [[resident]] and nothing else, found {other}")
        return ()
    heads = [n for n, line in enumerate(lines) if re.match(r"\s*\[\[\s*resident\s*\]\]", line)]
    if len(heads) != len(tables):  # written in another way: no line is known to be whose
        heads = [0] * len(tables)
    located = []
    for table, start, end in zip(tables, heads, [*heads[1:], 0], strict=True):
        block = RecordLines(str(path), start + 1, tuple(lines[start : end or None]))
        try:
            located.append(LocatedResident(Resident.model_validate(table), block))
        except ValidationError as error:
            for loc, problem in all_problems(error, Resident):
                faults.add(f"{block.where(str(loc[0]) if loc else '')}: {problem}")
    return tuple(located)


def resident_faults(
    residents: Sequence[LocatedResident], town: TownMap, *, whole: bool = True
) -> Iterator[str]:
    """Residents who occur twice, name a place or person that does not exist, or do two things at a
    time; each with file and line. Not `whole`: some could not be read, so that any name may be
    right."""
    names = {item.resident.name for item in residents}
    identities: set[tuple[str, str]] = set()
    on_map = 'write a sector or "Sector: arena" as on the map'
    for located in residents:
        who = located.resident
        for field, value in (("id", who.id), ("name", who.name)):
            if (field, value) in identities:
                yield located.fault(
                    field,
                    value,
                    f'expected every {field} once, found "{value}" twice; rename one of them',
                )
            identities.add((field, value))
        if town.place(who.living_area) is None:
            yield located.fault(
                "living_area",
                who.living_area,
                f'expected a room of {town.name} in "living_area", found "{who.living_area}"; '
                'write "Sector: arena" as on the map',
            )
        named_places = [("knows", place) for place in who.knows]
        named_places += [("habits", habit.place) for habit in who.habits]
        for field, place in named_places:
            if not is_known_place(place, town):
                problem = f'expected a place of {town.name} in "{field}", found "{place}"; {on_map}'
                yield located.fault(field, place, problem)
        for other in who.ties:
            if other == who.name or (whole and other not in names):
                yield located.fault(
                    "ties",
                    other,
                    f'expected the names of other residents in "ties", found "{other}"; correct '
                    "the name or add that resident",
                )
        yield from _habit_faults(located)


def _habit_faults(written: LocatedResident) -> Iterator[str]:
    latest: Habit | None = None
    for habit in sorted(written.resident.habits, key=lambda h: h.start):
        if habit.end <= habit.start:
            problem = (
                f'expected "{habit.what}" to end after {habit.start}, found {habit.end}; correct it'
            )
            yield written.fault("habits", habit.what, problem)
        if latest is not None and habit.start < latest.end:
            problem = (
                f'expected one habit at a time, found "{habit.what}" from {habit.start} and '
                f'"{latest.what}" until {latest.end}; correct one of the two'
            )
            yield written.fault("habits", habit.what, problem)
        if latest is None or habit.end > latest.end:
            latest = habit


def is_known_place(name: str, town: TownMap) -> bool:
    """Whether this is a sector of the town or, written "Sector: arena", one of its arenas."""
    return bool(town.sector_places(name)) or town.place(name) is not None


def one_sided_ties(residents: Sequence[LocatedResident]) -> Iterator[str]:
    """Ties that only one of the two has, with file and line."""
    by_name = {item.resident.name: item.resident for item in residents}
    for located in residents:
        for other in located.resident.ties:
            if other in by_name and located.resident.name not in by_name[other].ties:
                yield located.fault(
                    "ties",
                    other,
                    f"expected a tie to {other} on both sides, found it on one; say under {other} "
                    f"what {located.resident.name} is to them",
                )
