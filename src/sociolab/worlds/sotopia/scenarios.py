"""Scenarios: a context, a private goal for each seat, who may be cast (SOTOPIA section 2.2)."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sociolab.worlds.sotopia.profiles import Id, Record, RelationshipType, Text

Family = Literal["norms", "feelings", "division", "place", "bargain", "mutual-friend", "other"]
Stance = Literal["cooperative", "competitive", "mixed"]


Dollars = Annotated[float, Field(gt=0, le=1e12)]
Pieces = Annotated[int, Field(ge=1, le=1000)]
Points = Annotated[float, Field(ge=0, le=1e6)]


class PriceGoal(Record):
    """One side of a bargain. Money in dollars."""

    kind: Literal["price"] = "price"
    role: Literal["seller", "buyer"]
    item: Text
    listed: Dollars
    target: Dollars


class DivisionGoal(Record):
    """Goods to divide, and what one of each is worth to this seat."""

    kind: Literal["division"] = "division"
    counts: dict[str, Pieces] = Field(min_length=1)
    values: dict[str, Points]

    @model_validator(mode="after")
    def _same_goods(self) -> Self:
        if set(self.counts) != set(self.values):
            raise ValueError("counts and values must name the same goods")
        return self


class Friend(Record):
    """Somebody whom a seat knows; `about` maps an attribute to its value."""

    name: Text
    about: dict[str, str]


class FriendGoal(Record):
    """The friends of one seat; the mutual friend is the one whom both lists hold."""

    kind: Literal["friend"] = "friend"
    friends: tuple[Friend, ...] = Field(min_length=2)


class OptionGoal(Record):
    """Options to agree on, such as a time or a place, and their worth to this seat, 0 to 10."""

    kind: Literal["option"] = "option"
    subject: Text
    options: dict[str, Annotated[float, Field(ge=0, le=10)]] = Field(min_length=2)


class AskGoal(Record):
    """Cue cards of a goal without numbers: what is asked, why, and what would still do.

    Whole sentences in the first person, as the character could say them. They serve scripted
    players only; a model is given the goal's text.
    """

    kind: Literal["ask"] = "ask"
    ask: Text
    reasons: tuple[Text, ...] = Field(min_length=2)
    middle: Text


Facts = Annotated[
    PriceGoal | DivisionGoal | FriendGoal | OptionGoal | AskGoal, Field(discriminator="kind")
]


class Goal(Record):
    """A private goal: its text, and the same facts as a formula needs them."""

    text: Text
    facts: Facts | None = None


class Scenario(Record):
    """What is going on, who wants what, and who may be cast.

    `ages` and `occupations` constrain each seat in turn (an empty tuple: nobody is excluded);
    `ties` narrows the relationship ("siblings").
    """

    id: Id
    family: Family
    stance: Stance | None = None
    context: Text
    goals: tuple[Goal, ...] = Field(min_length=2)
    relationships: tuple[RelationshipType, ...] = Field(min_length=1)
    ties: tuple[str, ...] = ()
    ages: tuple[tuple[int, int], ...] = ()
    occupations: tuple[tuple[str, ...], ...] = ()
    tags: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_constraint_per_seat(self) -> Self:
        for field in ("ages", "occupations"):
            found = len(getattr(self, field))
            if found not in (0, len(self.goals)):
                raise ValueError(f"{field} has {found} entries for {len(self.goals)} goals")
        return self
