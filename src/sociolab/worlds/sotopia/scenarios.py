"""The parts of a task: characters, relationships, scenarios and goals (SOTOPIA section 2)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)


def is_id(text: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{,79}", text))


def _check_id(text: str) -> str:
    if not is_id(text):
        raise ValueError(
            'expected letters (a to z), digits, ".", "_" and "-", the first a letter or a digit, '
            f'found "{text}"'
        )
    return text


LONGEST_ID = 80
Id = Annotated[str, StringConstraints(max_length=LONGEST_ID), AfterValidator(_check_id)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]
Blank = Annotated[str, StringConstraints(strip_whitespace=True, max_length=4000)]
"""A text that may be empty, where it is not on record."""
Level = Literal["low", "average", "high"]


class DataRecord(BaseModel):
    """A frozen record of a data file; an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def line(self) -> str:
        """The record as a line of JSON, without its empty fields."""
        row = self.model_dump(mode="json", exclude_none=True)
        row["provenance"] = [
            step.model_dump(exclude_defaults=True) for step in getattr(self, "provenance", ())
        ]
        fields = {key: value for key, value in row.items() if value}
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n"


class Provenance(DataRecord):
    """A step in the history of a record: what was done, by whom (a model's spec, reviewers' codes),
    on which day (ISO 8601).

    `prompts` is the prompt set and its hash, `inspiration` what a scenario was made from,
    `attempts` how many replies it took; `study` and `reasons` are those of a review.
    """

    step: Literal["written", "sampled", "kept", "edited"]
    by: tuple[str, ...]
    on: str
    prompts: str = ""
    inspiration: str = ""
    attempts: int = 0
    study: str = ""
    reasons: tuple[str, ...] = ()


History = Annotated[tuple[Provenance, ...], Field(exclude=True)]
"""How a record came about; episodes do not depend on it."""


class BigFive(DataRecord):
    """Levels of the five personality traits."""

    openness: Level
    conscientiousness: Level
    extraversion: Level
    agreeableness: Level
    neuroticism: Level


class Character(DataRecord):
    """A character. Nobody else ever sees `secret`; on the other fields see `visibility`."""

    id: Id
    first_name: Text
    last_name: str = ""
    gender: Blank
    pronouns: Blank
    age: int = Field(ge=0, le=130)
    occupation: Text
    public_info: str = ""
    big_five: BigFive | None = None
    moral_values: tuple[Text, ...] = ()
    schwartz_values: tuple[Text, ...] = ()
    decision_style: str = ""
    personality: str = ""
    secret: str = ""
    provenance: History = ()

    @property
    def name(self) -> str:
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


class Relationship(DataRecord):
    """An unordered pair of characters; `tie` is the relationship in a word or two ("siblings")."""

    a: Id
    b: Id
    type: RelationshipType
    tie: str = ""
    story: str = ""
    provenance: History = ()


Family = Literal["norms", "feelings", "division", "place", "bargain", "mutual-friend", "other"]
Stance = Literal["cooperative", "competitive", "mixed"]


Dollars = Annotated[float, Field(gt=0, le=1e12)]
Pieces = Annotated[int, Field(ge=1, le=1000)]
Points = Annotated[float, Field(ge=0, le=1e6)]


class PriceGoal(DataRecord):
    """One side of a bargain: the listed price and this side's target, in US dollars."""

    kind: Literal["price"] = "price"
    role: Literal["seller", "buyer"]
    item: Text
    listed: Dollars
    target: Dollars


AT_TARGET, STEP = 6, 0.05
"""The points, of 10, that the target price is worth, and the share of it that is worth a point."""


def price_worth(goal: PriceGoal, points: float) -> float:
    """The price that is worth so many points, of 10, to a side: the target is worth 6, and each 5 %
    of it a point more or less."""
    better = (points - AT_TARGET) * STEP * goal.target
    return goal.target + (better if goal.role == "seller" else -better)


def bargaining_zone(goals: Sequence[PriceGoal]) -> tuple[float, float] | None:
    """The prices between which a bargain is worth more than 0 to both sides; None without any.

    They range from 30 % below the seller's target to 30 % above the buyer's.
    """
    ends = {goal.role: price_worth(goal, 0) for goal in goals}
    low, high = round(ends["seller"], 2), round(ends["buyer"], 2)
    return (low, high) if low < high else None


def in_pieces(counts: Mapping[str, object]) -> tuple[str, ...]:
    """Goods with their numbers, in words: "3 books", "1 hat"."""

    def one(good: str) -> str:
        return good if good.endswith("ss") else good.removesuffix("s")

    return tuple(f"{n} {one(good) if n == 1 else good}" for good, n in counts.items())


class DivisionGoal(DataRecord):
    """Goods to divide, and what a piece of each is worth to this seat, in points.

    `walk_away` are the points of this seat if nothing is agreed.
    """

    kind: Literal["division"] = "division"
    counts: dict[str, Pieces] = Field(min_length=1)
    values: dict[str, Points]
    walk_away: Points = Field(0, exclude_if=lambda points: not points)

    @model_validator(mode="after")
    def _same_goods(self) -> Self:
        if set(self.counts) != set(self.values):
            raise ValueError("counts and values must name the same goods")
        return self


class Friend(DataRecord):
    """A friend of a seat; `about` maps attributes to values."""

    name: Text
    about: dict[str, str]


class FriendGoal(DataRecord):
    """The friends of one seat; the mutual friend is on both lists."""

    kind: Literal["friend"] = "friend"
    friends: tuple[Friend, ...] = Field(min_length=2)


class OptionGoal(DataRecord):
    """Options to agree on, such as a time or a place, and their worth to this seat, 0 to 10."""

    kind: Literal["option"] = "option"
    subject: Text
    options: dict[str, Annotated[float, Field(ge=0, le=10)]] = Field(min_length=2)


class AskGoal(DataRecord):
    """Cue cards for a goal without numbers: the request, reasons, and an acceptable compromise.

    Full sentences in the first person, as the character could say them. They serve scripted players
    only; a model reads the goal's text.
    """

    kind: Literal["ask"] = "ask"
    ask: Text
    reasons: tuple[Text, ...] = Field(min_length=2)
    middle: Text


Facts = Annotated[
    PriceGoal | DivisionGoal | FriendGoal | OptionGoal | AskGoal, Field(discriminator="kind")
]


class Goal(DataRecord):
    """A private goal: its text, and its facts as the formula needs them."""

    text: Text
    facts: Facts | None = None


Constraint = Literal["ages", "occupations", "ties"]


Closing = Literal["question", "deals", "selections"]
"""How the outcome of a scenario comes about: a question after the end, or a form
(`closing_form`)."""


class AsPublished(DataRecord):
    """A scenario's context and goals as in the public files, with their tags."""

    context: str
    goals: tuple[str, ...]


class Scenario(DataRecord):
    """A context, private goals, and constraints on who may be cast.

    `ages`, `occupations` and `excluded_occupations` constrain each seat, in their order (an empty
    tuple: anybody); `ties` narrows the relationship ("siblings"). `unconstrained` names those of
    the three that do not matter, so that a forgotten constraint is noticed (`undeclared`). `zone`
    is the `bargaining_zone`. `environment` is for judges, beside the context, and for no seat.
    `published` serves prompt sets that show a public scenario as its authors do.

    `closing` is how goods that are divided between two are settled: "question", where each seat is
    asked after the end what was agreed, or by a form that counts: "deals", which one submits and
    the other accepts, or "selections" of both after the end.
    """

    id: Id
    family: Family
    stance: Stance | None = None
    context: Text
    goals: tuple[Goal, ...] = Field(min_length=2)
    environment: str = ""
    relationships: tuple[RelationshipType, ...] = Field(min_length=1)
    ties: tuple[str, ...] = ()
    ages: tuple[tuple[int, int], ...] = ()
    occupations: tuple[tuple[str, ...], ...] = ()
    excluded_occupations: tuple[tuple[str, ...], ...] = ()
    unconstrained: tuple[Constraint, ...] = ()
    zone: tuple[Dollars, Dollars] | None = None
    tags: tuple[str, ...] = ()
    published: AsPublished | None = None
    closing: Closing = Field("question", exclude_if=lambda closing: closing == "question")
    provenance: History = ()

    @model_validator(mode="after")
    def _one_constraint_per_seat(self) -> Self:
        for field in ("ages", "occupations", "excluded_occupations"):
            count = len(getattr(self, field))
            if count not in (0, len(self.goals)):
                raise ValueError(f"{field} has {count} entries for {len(self.goals)} goals")
        if conflicting := [name for name in self.unconstrained if self._constrains(name)]:
            raise ValueError(f"{conflicting[0]} is constrained and stands in unconstrained")
        return self

    def _constrains(self, name: Constraint) -> bool:
        excludes = name == "occupations" and self.excluded_occupations
        return bool(getattr(self, name) or excludes)

    @property
    def undeclared(self) -> tuple[Constraint, ...]:
        """The constraints that are neither set nor named in `unconstrained`."""
        names: tuple[Constraint, ...] = ("ages", "occupations", "ties")
        return tuple(n for n in names if n not in self.unconstrained and not self._constrains(n))

    def unmet(self, cast: Sequence[Character], pairs: Sequence[Relationship] = ()) -> Iterator[str]:
        """The constraints that a cast, in the order of the seats, breaks, in words.

        `pairs` are the relationships among them; without these only ages and occupations count.
        """
        for pair in pairs:
            if pair.type not in self.relationships:
                actual = pair.type.replace("-", " ")
                expected = " or ".join(self.relationships)
                yield f"{pair.a} and {pair.b} are {actual}, wanted: {expected}"
            elif self.ties and pair.tie not in self.ties:
                yield f"{pair.a} and {pair.b}: tie {pair.tie!r}, wanted: {' or '.join(self.ties)}"
        # A scenario without a constraint has none for any seat: its tuple is empty.
        for who, (low, high) in zip(cast, self.ages, strict=False):
            if not low <= who.age <= high:
                yield f"{who.id} is {who.age}, wanted: {low} to {high}"
        for who, allowed in zip(cast, self.occupations, strict=False):
            if allowed and who.occupation.lower() not in {job.lower() for job in allowed}:
                yield f"{who.id}: {who.occupation}, wanted: {' or '.join(allowed)}"
        for who, barred in zip(cast, self.excluded_occupations, strict=False):
            if who.occupation.lower() in {job.lower() for job in barred}:
                yield f"{who.id}: {who.occupation}, wanted: another occupation"


class SceneCast(DataRecord):
    """The content of a task: a scenario, its cast, and their relationships."""

    scenario: Scenario
    characters: tuple[Character, ...]
    relationships: tuple[Relationship, ...]

    def between(self, a: str, b: str) -> Relationship:
        """How two characters know each other; strangers without a relationship."""
        for relationship in self.relationships:
            if {relationship.a, relationship.b} == {a, b}:
                return relationship
        return Relationship(a=a, b=b, type=RelationshipType.STRANGER)


@lru_cache(maxsize=1024)  # players and judges of an episode all need it
def casting_from(content: str) -> SceneCast:
    """Parse the content of a task."""
    return SceneCast.model_validate_json(content)


_TAG = re.compile(r"</?(?:p viewer|extra_info|strategy_hint|clarification_hint)\b[^>]*>?")
"""Tags around private parts in the published scenarios; here, players would read them."""


def find_misfit(scenario: Scenario) -> str | None:
    """What is inconsistent in a scenario, in a clause; None if nothing is."""
    return next(_misfits(scenario), None)


def _misfits(scenario: Scenario) -> Iterator[str]:
    for text in (scenario.context, *(goal.text for goal in scenario.goals)):
        if tag := _TAG.search(text):
            yield (
                f"{tag[0]} would be read by the players; write the text as they shall read it "
                "(sociolab import sotopia does that to published files)"
            )
    facts = [goal.facts for goal in scenario.goals]
    if problem := find_facts_misfit(facts) or _closing_misfit(scenario):
        yield problem
    elif scenario.zone is not None:
        zone = bargaining_zone([fact for fact in facts if fact and fact.kind == "price"])
        if zone != scenario.zone:
            expected = list(zone) if zone else "none"
            yield f"zone: expected what the targets make, {expected}, found {list(scenario.zone)}"


_TAKEN = ("action", "text", "to", "outcome")
"""Names of fields beside those of the goods in a form."""


def _closing_misfit(scenario: Scenario) -> str:
    """What is wrong with the form by which a scenario closes; "" without a form."""
    if scenario.closing == "question":
        return ""
    goal = scenario.goals[0].facts
    if goal is None or goal.kind != "division":
        return (
            f'closing: "{scenario.closing}" divides goods, expected facts of that kind in all goals'
        )
    taken = next((good for good in goal.counts if good in _TAKEN), "")
    return taken and f'closing: a good in a form cannot be called "{taken}"; rename it'


def find_facts_misfit(facts: Sequence[Facts | None]) -> str | None:
    """What is inconsistent between the facts of a scenario's goals; None if nothing is."""
    return next(_facts_misfits(facts), None)


def _facts_misfits(facts: Sequence[Facts | None]) -> Iterator[str]:
    kinds = {fact.kind if fact and fact.kind != "ask" else "none" for fact in facts}
    if len(kinds) > 1:
        yield (
            "expected facts of one kind in every goal, or in none, "
            f"found {_join_words(sorted(kinds))}"
        )
        return
    # By kind and not by class: an isinstance check of a pydantic class takes microseconds.
    yield from _price_misfits([fact for fact in facts if fact and fact.kind == "price"])
    yield from _division_misfits([fact for fact in facts if fact and fact.kind == "division"])
    yield from _friend_misfits([fact for fact in facts if fact and fact.kind == "friend"])
    yield from _option_misfits([fact for fact in facts if fact and fact.kind == "option"])


def _price_misfits(goals: Sequence[PriceGoal]) -> Iterator[str]:
    roles = [goal.role for goal in goals]
    if goals and sorted(roles) != ["buyer", "seller"]:
        yield f"price: expected one seller and one buyer, found {_join_words(roles)}"
    listed = sorted({goal.listed for goal in goals})
    if len(listed) > 1:
        yield (
            "price: expected one listed price in all goals, "
            f"found {_join_words([f'{price:g}' for price in listed])}"
        )


def _division_misfits(goals: Sequence[DivisionGoal]) -> Iterator[str]:
    if len(goals) > 2:
        yield f"division: rules read one between two seats only, found {len(goals)}"
    for goal in goals:
        if goal.counts != goals[0].counts:
            yield (
                "division: expected the same counts in all goals, "
                f"found {goals[0].counts} and {goal.counts}"
            )
        if not any(goal.values.values()):
            yield "division: expected goods that are worth something to every seat"


def _friend_misfits(goals: Sequence[FriendGoal]) -> Iterator[str]:
    lists = [[friend.name for friend in goal.friends] for goal in goals]
    for names in lists:
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            yield f"friend: {twice} stands twice in one list"
    if lists and not set.intersection(*map(set, lists)):
        yield "friend: expected a name that stands in every list, and there is none"


def _option_misfits(goals: Sequence[OptionGoal]) -> Iterator[str]:
    for goal in goals:
        differing = _join_words(sorted(goal.options.keys() ^ goals[0].options.keys()))
        if differing:
            yield f"option: expected the same options in all goals, found {differing} in some"
    wordings = [option.lower() for option in goals[0].options] if goals else []
    if twice := next((word for word in wordings if wordings.count(word) > 1), None):
        yield f'option: "{twice}" stands there twice'


def _join_words(words: Sequence[str]) -> str:
    return " and ".join(words)
