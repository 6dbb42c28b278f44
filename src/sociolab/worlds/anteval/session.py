"""A session of AntEval: who sits at the table, what they walk into, and what is private."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal, Self, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from sociolab.core.episode import Json

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
PLURAL: Mapping[FactKind, str] = {
    "magic item": "magic items",
    "weapon": "weapons",
    "place": "places",
    "person": "people",
    "danger": "dangers",
}
Asked: TypeAlias = Literal["any question", "its kind", "its name"]
ASKED: tuple[Asked, ...] = get_args(Asked)
"""How a question may ask for a fact, from the least to the most particular."""
Reserve: TypeAlias = Literal["any question", "its kind", "its name", "trust", "falsely"]
"""What an NPC with a reserve wants before it tells a fact: any question, one about its kind of
thing, one that names what it is about, or trust and such a question. What it tells falsely it tells
so to whoever asks by name, and truly once it trusts."""
Form: TypeAlias = Literal["information", "intention"]


class SessionRecord(BaseModel):
    """A record of this world's data: frozen; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class PartyMember(SessionRecord):
    """A character, as its own player knows it. `look` is all that the others know beforehand.

    `description` is prose that agrees with the traits; the abilities are scores from 3 to 20.
    `hit_dice` are dice and number, such as "3d8"; `spells` are those that it can cast.
    """

    id: str
    name: str
    pronouns: str
    race: str
    class_name: str
    background: str
    alignment: str
    level: Annotated[int, Field(ge=1, le=20)] = 1
    hit_points: Annotated[int, Field(ge=1)] = 4
    hit_dice: str = "1d8"
    spells: tuple[str, ...] = ()
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
    """One atomic fact that the NPC alone knows: `text` says it in one sentence.

    `reserve` is when the NPC tells it, and `names` are those by which one may ask for it; of a fact
    that is told falsely, `falsehood` is what the NPC says instead. `clears` is the suspect of the
    scene who, by this fact, did not do it.
    """

    id: str
    kind: FactKind
    text: str
    reserve: Reserve = "any question"
    names: tuple[str, ...] = ()
    falsehood: str = ""
    clears: str = ""

    @model_validator(mode="after")
    def _can_be_told(self) -> Self:
        if (self.reserve == "falsely") != bool(self.falsehood):
            raise ValueError(
                'falsehood: expected one where the reserve is "falsely", and only there'
            )
        if self.reserve in ("its name", "falsely") and not self.names:
            raise ValueError(
                "names: expected at least one by which to ask for the fact, found none"
            )
        return self

    @property
    def false_id(self) -> str:
        """The id under which the falsehood is told."""
        return f"{self.id} (false)"

    def asked_by(self, what: Json) -> Asked:
        """How a question about a kind, a name ({"name": ...}) or anything (None) asks for it."""
        if isinstance(what, dict) and what.get("name") in self.names:
            return "its name"
        return "its kind" if what == self.kind else "any question"

    def allows(self, asked: Asked | None, trusts: bool) -> bool:
        """Whether the reserve lets the NPC tell it for such a question; None: nobody asked."""
        match self.reserve:
            case "any question":
                return asked is not None
            case "its kind":
                return asked in ("its kind", "its name")
            case "its name":
                return asked == "its name"
            case "trust" | "falsely":
                return trusts and asked in ("its kind", "its name")

    def may_lie(self, asked: Asked | None, trusts: bool) -> bool:
        """Whether the reserve lets the NPC tell the falsehood instead."""
        return self.reserve == "falsely" and asked == "its name" and not trusts


class Trust(SessionRecord):
    """What wins the NPC's trust: something `how`, as `text` says, which ends "You want ..."."""

    how: Literal["said", "done", "given"]
    text: str


class Mystery(SessionRecord):
    """What a scene asks, and who of the suspects did it."""

    question: str
    suspects: tuple[str, ...]
    culprit: str

    def left(self, facts: Iterable[Fact]) -> tuple[str, ...]:
        """The suspects whom none of these facts clears."""
        cleared = {fact.clears for fact in facts}
        return tuple(suspect for suspect in self.suspects if suspect not in cleared)


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

    `situation` is told to all. Information: `knowledge` is the NPC's, which answers the `mystery`;
    an NPC whose `trust` can be won tells each fact as its reserve says; with `leaving` players may
    leave; `decoys` are the facts of another session (a control). Intention: `intentions` are the
    players', none, one or several a player.
    """

    id: str
    form: Form
    turns: Annotated[int, Field(ge=1, le=MOST_TURNS)]
    situation: str
    characters: tuple[PartyMember, ...]
    knowledge: tuple[Fact, ...] = ()
    mystery: Mystery | None = None
    trust: Trust | None = None
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
        if self.trust is None and any(fact.reserve != "any question" for fact in self.knowledge):
            raise ValueError("trust: expected what wins the NPC's trust, since it has a reserve")
        if self.mystery and self.mystery.culprit not in self.mystery.left(self.knowledge):
            raise ValueError(
                f'the culprit "{self.mystery.culprit}": expected a suspect not cleared'
            )
        return self

    @property
    def npc(self) -> PartyMember:
        return self.characters[-1]

    @property
    def players(self) -> tuple[PartyMember, ...]:
        """The party, in the order in which it acts."""
        return self.characters[:-1]

    @property
    def statements(self) -> dict[str, str]:
        """What the NPC may tell, by id: the facts, and behind them the falsehoods."""
        false = {fact.false_id: fact.falsehood for fact in self.knowledge if fact.falsehood}
        return {fact.id: fact.text for fact in self.knowledge} | false

    def seated(self, seat: str) -> PartyMember:
        return next(character for character in self.characters if character.id == seat)


@lru_cache(maxsize=1024)
def session_from(content: str) -> Session:
    """Parse a task's content; cached, since players and judges of an episode all need it."""
    return Session.model_validate_json(content)
