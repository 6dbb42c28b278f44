"""Characters and the relationships between them (SOTOPIA section 2.1)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=80)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]
Level = Literal["low", "average", "high"]


class Record(BaseModel):
    """A frozen record read from a data file; an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class BigFive(Record):
    """Levels of the five personality traits."""

    openness: Level
    conscientiousness: Level
    extraversion: Level
    agreeableness: Level
    neuroticism: Level


class Character(Record):
    """One character: everything below `secret` may be seen by somebody else, see `visibility`."""

    id: Id
    first_name: Text
    last_name: str = ""
    gender: Text
    pronouns: Text
    age: int = Field(ge=0, le=130)
    occupation: Text
    public_info: str = ""
    big_five: BigFive | None = None
    moral_values: tuple[Text, ...] = ()
    schwartz_values: tuple[Text, ...] = ()
    decision_style: str = ""
    personality: str = ""
    secret: str = ""

    @property
    def name(self) -> str:
        """First and last name."""
        return f"{self.first_name} {self.last_name}".strip()


class RelationshipType(StrEnum):
    """How two characters know each other, from nothing to family.

    The paper has five; `known-by-name` occurs in its public data only.
    """

    STRANGER = "stranger"
    KNOWN_BY_NAME = "known-by-name"
    ACQUAINTANCE = "acquaintance"
    FRIEND = "friend"
    ROMANTIC = "romantic"
    FAMILY = "family"


class Relationship(Record):
    """An unordered pair of characters; `tie` says it in a word or two ("siblings")."""

    a: Id
    b: Id
    type: RelationshipType
    tie: str = ""
    story: str = ""
