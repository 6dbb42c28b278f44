"""Residents as written down: the fields of Generative Agents (section 4), and what they know."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from sociolab.town.places import Place


class Resident(BaseModel):
    """One resident; frozen: what changes in a life is kept in its memory.

    `known_as`: what everybody in town knows of them, "" for nothing but the name. `innate`:
    traits. `learned`: who they are. `currently`: what occupies them now (a social task is given
    here, to the performer alone). `lifestyle`: sleep and meals. `living_area`: where they sleep,
    "Sector: arena". `routine`: what they do on ordinary days, in words, place named. `knows`: the
    places they know, as "Sector: arena" or whole sectors, their home included. `ties`: whom they
    know, name to what they are to each other.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    name: str
    age: int = Field(ge=0, le=120)
    known_as: str = ""
    innate: str
    learned: str
    currently: str
    lifestyle: str
    living_area: str
    routine: str = ""
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
