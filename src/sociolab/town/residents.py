"""Residents as written down: the fields of Generative Agents (section 4), and what they know."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from sociolab.town.answers import TimeOfDay
from sociolab.town.places import Place


class Habit(BaseModel):
    """Something done every day at a place; `work` is not left for pleasure."""

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
    their home included. `ties`: whom they know, name to what they are to each other.
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
