"""A session of AntEval: who sits at the table, what they walk into, and what is private."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

ABILITIES = ("strength", "dexterity", "constitution", "intelligence", "wisdom", "charisma")

ABILITY_OF = {
    "acrobatics": "dexterity",
    "animal handling": "wisdom",
    "arcana": "intelligence",
    "athletics": "strength",
    "deception": "charisma",
    "history": "intelligence",
    "insight": "wisdom",
    "intimidation": "charisma",
    "investigation": "intelligence",
    "medicine": "wisdom",
    "nature": "intelligence",
    "perception": "wisdom",
    "performance": "charisma",
    "persuasion": "charisma",
    "religion": "intelligence",
    "sleight of hand": "dexterity",
    "stealth": "dexterity",
    "survival": "wisdom",
}

SKILLS = tuple(ABILITY_OF)
"""In alphabetical order."""


PACKAGE = "sociolab.worlds.anteval"
"""The package with prompts and data."""

MOST_TURNS = 10_000
"""A session of more turns is taken for a slip of the pen."""

NPC = "npc"
"""The seat of the NPC; the players' seats are "player-1", "player-2", ..."""

FactKind: TypeAlias = Literal["magic item", "weapon", "place", "person", "danger"]
Form: TypeAlias = Literal["information", "intention"]


class SessionRecord(BaseModel):
    """A record of this world's data: frozen; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class PartyMember(SessionRecord):
    """A character, as its own player knows it. `look` is all that the others know beforehand.

    `description` is prose that agrees with the traits; the abilities are scores from 3 to 20.
    """

    id: str
    name: str
    pronouns: str
    race: str
    class_name: str
    background: str
    alignment: str
    abilities: dict[str, Annotated[int, Field(ge=3, le=20)]]
    personality: tuple[str, ...]
    ideal: str
    bond: str
    flaw: str
    goal: str
    look: str
    description: str

    @property
    def first_name(self) -> str:
        return self.name.split()[0]


def passer_by(seat: str, name: str, **traits: str) -> PartyMember:
    """A character with these traits and neutral defaults for all others."""
    words = ("ideal", "bond", "flaw", "goal", "look", "description")
    fields: dict[str, Any] = dict.fromkeys(words, "") | {"abilities": {}, "personality": ()}
    fields |= {"pronouns": "they/them", "race": "Human", "class_name": "commoner"}
    fields |= {"background": "none", "alignment": "neutral"} | traits
    return PartyMember(id=seat, name=name, **fields)


class Fact(SessionRecord):
    """One atomic fact that the NPC alone knows: `text` says it in one sentence."""

    id: str
    kind: FactKind
    text: str


class Intention(SessionRecord):
    """A skill that a player means to use in this session; `text` enters that player's head only."""

    seat: str
    skill: str
    text: str

    @model_validator(mode="after")
    def _known_skill(self) -> Self:
        if self.skill not in SKILLS:
            raise ValueError(f'expected one of the 18 skills, found "{self.skill}"')
        return self


class Session(SessionRecord):
    """The content of a task. The players come in the order in which they act, the NPC last.

    `situation` is told to all. Information: `knowledge` is the NPC's; facts whose ids are `kept` it
    keeps back until it gets what it `wants` (the end of a sentence, "You want ..."); with `leaving`
    players may leave; `decoys` are the facts of another session (a control). Intention:
    `intentions` are the players', none, one or several a player.
    """

    id: str
    form: Form
    turns: Annotated[int, Field(ge=1, le=MOST_TURNS)]
    situation: str
    characters: tuple[PartyMember, ...]
    knowledge: tuple[Fact, ...] = ()
    wants: str = ""
    kept: tuple[str, ...] = ()
    leaving: bool = False
    decoys: tuple[Fact, ...] = ()
    intentions: tuple[Intention, ...] = ()

    @model_validator(mode="after")
    def _table(self) -> Self:
        seats = [character.id for character in self.characters]
        if len(set(seats)) != len(seats):
            raise ValueError(f"expected every seat once, found {seats}")
        if seats.count(NPC) != 1 or seats[-1] != NPC:
            raise ValueError(f'expected one "{NPC}", in the last seat, found {seats}')
        if len(seats) < 2:
            raise ValueError("expected at least one player beside the NPC")
        names = [character.first_name.casefold() for character in self.characters]
        if len(set(names)) != len(names):
            raise ValueError(f"expected different first names, found {names}")
        for intention in self.intentions:
            if intention.seat not in seats[:-1]:
                raise ValueError(f'the intention of "{intention.seat}": expected a player\'s seat')
        return self

    @property
    def npc(self) -> PartyMember:
        return self.characters[-1]

    @property
    def players(self) -> tuple[PartyMember, ...]:
        """The party, in the order in which it acts."""
        return self.characters[:-1]

    def seated(self, seat: str) -> PartyMember:
        return next(character for character in self.characters if character.id == seat)


@lru_cache(maxsize=1024)
def session_from(content: str) -> Session:
    """Parse a task's content; cached, since players and judges of an episode all need it."""
    return Session.model_validate_json(content)
