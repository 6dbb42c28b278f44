"""SOTOPIA's relationship profiles: digits, and pairs with more than one row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from sociolab.core.errors import ConfigError
from sociolab.worlds.sotopia.importing.quirks import Quirk, Quirks
from sociolab.worlds.sotopia.importing.reading import Placed, RawRow, known, record
from sociolab.worlds.sotopia.profiles import Character, Relationship, RelationshipType

DIGITS = {
    "0": RelationshipType.STRANGER,
    "1": RelationshipType.KNOWN_BY_NAME,
    "2": RelationshipType.ACQUAINTANCE,
    "3": RelationshipType.FRIEND,
    "4": RelationshipType.ROMANTIC,
    "5": RelationshipType.FAMILY,
}

Pair: TypeAlias = frozenset[str]


class RawRelationship(RawRow):
    """A line of relationship_profiles.jsonl."""

    agent1_id: str
    agent2_id: str
    relationship: int | str
    background_story: str = ""


def relationship_type(digit: int | str, place: str) -> RelationshipType:
    """The relationship that a digit stands for; ConfigError for any other text."""
    try:
        return DIGITS[str(digit).strip()]
    except KeyError:
        meaning = ", ".join(f"{number} {name}" for number, name in DIGITS.items())
        raise ConfigError(
            f"{place}: the relationship {str(digit)!r} is not known; expected one of {meaning}"
        ) from None


def relationships(
    found: Iterable[Placed[RawRelationship]],
    characters: Mapping[str, Character],
    wanted: Mapping[Pair, tuple[RelationshipType, ...]],
    quirks: Quirks,
) -> dict[Pair, Relationship]:
    """One relationship for each pair that has rows, in the order of the file.

    `wanted` holds, for each pair that is cast, what its tasks' scenarios say. Where a pair's rows
    conflict, the one that most of these agree with is kept, the first of the file where they tie.
    """
    rows: dict[Pair, list[Relationship]] = defaultdict(list)
    for item in found:
        row = _relationship(item, characters)
        rows[frozenset((row.a, row.b))].append(row)
    for pair, several in rows.items():
        if len({row.type for row in several}) > 1:
            quirks[Quirk.CONFLICTING_PAIR] += 1
            quirks[Quirk.TASK_OF_CONFLICT] += len(wanted.get(pair, ()))
    return {
        pair: max(several, key=lambda row: wanted.get(pair, ()).count(row.type))
        for pair, several in rows.items()
    }


def _relationship(
    item: Placed[RawRelationship], characters: Mapping[str, Character]
) -> Relationship:
    raw = item.row
    for key in (raw.agent1_id, raw.agent2_id):
        known(item.place, key, characters, "character")
    if raw.agent1_id == raw.agent2_id:
        raise ConfigError(f"{item.place}: {raw.agent1_id} is in a relationship with itself")
    return record(
        item.place,
        Relationship,
        {
            "a": raw.agent1_id,
            "b": raw.agent2_id,
            "type": relationship_type(raw.relationship, item.place),
            "story": raw.background_story.strip(),
        },
    )
