"""Who a character is, as drawn from the tables, before anything is told of it."""

from __future__ import annotations

from dataclasses import dataclass

from sociolab.worlds.anteval.party.phrases import Phrase, Pronouns, Voice
from sociolab.worlds.anteval.party.tables import Alignment, Background, Class, Race, Trait


@dataclass(frozen=True, slots=True)
class Drawn:
    """Entries of the tables and names; `contact` is known from the background, `tie` in the rest.

    Two names, so that an innkeeper of old acquaintance is not also the sister who was lost.
    """

    seat: str
    name: str
    pronouns: Pronouns
    race: Race
    kind: Class
    background: Background
    alignment: Alignment
    abilities: dict[str, int]
    personality: tuple[Trait, ...]
    ideal: Trait
    bond: Trait
    flaw: Trait
    goal: Phrase
    contact: str
    tie: str
    town: str

    @property
    def first_name(self) -> str:
        """What the others call this character."""
        return self.name.split()[0]

    def voice(self, *, contact: bool = False, full: bool = False) -> Voice:
        """For phrases about this character: those about a contact, or with the full name."""
        name = self.name if full else self.first_name
        return Voice(self.pronouns, name, self.contact if contact else self.tie, self.town)
