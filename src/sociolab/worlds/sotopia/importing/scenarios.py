"""SOTOPIA's environment profiles as scenarios."""

from __future__ import annotations

import math
import re

from sociolab.core.errors import ConfigError
from sociolab.worlds.sotopia.importing.facts import read_facts
from sociolab.worlds.sotopia.importing.goals import Context, GoalReader, context
from sociolab.worlds.sotopia.importing.quirks import Quirk, Quirks
from sociolab.worlds.sotopia.importing.reading import Placed, RawRow, record
from sociolab.worlds.sotopia.importing.relationships import relationship_type
from sociolab.worlds.sotopia.scenarios import Facts, Family, FriendGoal, Scenario

FAMILIES: dict[str, Family] = {
    "craigslist_bargains": "bargain",
    "mutual_friends": "mutual-friend",
    "deal-or-no-deal": "division",
    "normbank": "place",
    "social_chemistry": "norms",
    "social_iqa": "feelings",
}
"""Which family a source's scenarios are of; all other sources: "other"."""

_READABLE: tuple[Family, ...] = ("bargain", "division", "mutual-friend")


class RawEnvironment(RawRow):
    """A line of environment_profiles.jsonl."""

    env_id: str
    codename: str = ""
    source: str = ""
    scenario: str
    agent_goals: tuple[str, ...]
    relationship: int | str
    age_constraint: object = None
    occupation_constraint: object = None
    agent_constraint: object = None


def scenario(
    found: Placed[RawEnvironment], quirks: Quirks, *, strategy_hints: bool = True
) -> Scenario:
    """An environment as a scenario: no tag is left, and each private part is with its seat."""
    raw, place = found.row, found.place
    seats = len(raw.agent_goals)
    if seats < 2:
        raise ConfigError(f"{place}: a scenario needs at least 2 goals, found {seats}")
    told = context(raw.scenario, seats, place, quirks)
    reader = GoalReader(seats, place, strategy_hints)
    texts = tuple(
        reader.goal(goal, seat, told.seats[seat], quirks)
        for seat, goal in enumerate(raw.agent_goals)
    )
    family = FAMILIES.get(raw.source, "other")
    facts = _facts(family, told, texts, quirks)
    if not _unset(raw.agent_constraint, quirks):
        quirks[Quirk.AGENT_CONSTRAINT] += 1
    return record(
        place,
        Scenario,
        {
            "id": raw.env_id,
            "family": family,
            "context": told.text,
            "goals": [
                {"text": text, "facts": facts[seat] if facts else None}
                for seat, text in enumerate(texts)
            ],
            "relationships": [relationship_type(raw.relationship, place)],
            "ages": _ages(raw.age_constraint, seats, place, quirks),
            "occupations": _occupations(raw.occupation_constraint, seats, place, quirks),
            "tags": _tags(raw),
        },
    )


def _facts(
    family: Family, told: Context, texts: tuple[str, ...], quirks: Quirks
) -> tuple[Facts, ...] | None:
    """The goals' facts; none where what the environment is told contradicts them."""
    if family not in _READABLE:
        return None
    facts = read_facts(family, told.text, texts)
    if told.environment and any(name not in told.environment for name in _in_common(facts or ())):
        facts = None
    quirks[Quirk.FACTS_UNREAD] += facts is None
    return facts


def _in_common(facts: tuple[Facts, ...]) -> set[str]:
    """The names that all lists of friends hold; none where the goals are no lists of friends."""
    lists = [{who.name for who in goal.friends} for goal in facts if isinstance(goal, FriendGoal)]
    return set.intersection(*lists) if lists else set()


def _tags(raw: RawEnvironment) -> list[str]:
    """The source and the codename, without the number that some codenames end in."""
    names = (raw.source, re.sub(r"_\d+$", "", raw.codename))
    return list(dict.fromkeys(name for name in names if name))


def _unset(value: object, quirks: Quirks) -> bool:
    """Whether a constraint says nothing; the public files write that as "nan" or "none"."""
    empty = value is None or (isinstance(value, float) and math.isnan(value))
    text = str(value).strip().lower()
    if text in ("nan", "none"):
        quirks[Quirk.EMPTY_CONSTRAINT] += 1
    return empty or text in ("", "nan", "none", "[]")


def _ages(value: object, seats: int, place: str, quirks: Quirks) -> list[tuple[int, int]]:
    """A text such as "[(18, 70), (21, 70)]" as the lowest and highest age of each seat."""
    if _unset(value, quirks):
        return []
    found = [(int(a), int(b)) for a, b in re.findall(r"\(\s*(\d+)\s*,\s*(\d+)\s*\)", str(value))]
    if len(found) != seats or any(low > high for low, high in found):
        raise ConfigError(
            f"{place}: age_constraint should be {seats} pairs such as (18, 70), found {value!r}"
        )
    return found


def _occupations(value: object, seats: int, place: str, quirks: Quirks) -> list[tuple[str, ...]]:
    """A text such as "[actor, nan]" as the occupations that each seat may have."""
    if _unset(value, quirks):
        return []
    names = [name.strip(" '\"") for name in str(value).strip().strip("[]").split(",")]
    if len(names) != seats:
        raise ConfigError(
            f"{place}: occupation_constraint should be {seats} occupations in brackets, "
            f"found {value!r}"
        )
    return [() if name.lower() in ("", "nan", "none") else (name,) for name in names]
