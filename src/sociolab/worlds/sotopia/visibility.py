"""Who may know what of whom: the one place that decides it (SOTOPIA section 2.1)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sociolab.worlds.sotopia.profiles import Character, RelationshipType

STRANGER_LABEL = "the other person"

_ALL_BUT_SECRETS = frozenset(
    {RelationshipType.FRIEND, RelationshipType.ROMANTIC, RelationshipType.FAMILY}
)


@dataclass(frozen=True, slots=True)
class Known:
    """What one seat may know of another; None or empty where it may know nothing."""

    relationship: RelationshipType
    tie: str = ""
    name: str | None = None
    pronouns: str = ""
    gender: str = ""
    age: int | None = None
    occupation: str = ""
    public_info: str = ""
    inner: str = ""


def known(character: Character, relationship: RelationshipType, tie: str = "") -> Known:
    """What somebody in this relationship knows of a character. Never the secret.

    A stranger knows nothing; one who knows the name, the name; an acquaintance name, occupation,
    pronouns and public information; friends, partners and family all but secrets.
    """
    if relationship is RelationshipType.STRANGER:
        return Known(relationship)
    if relationship is RelationshipType.KNOWN_BY_NAME:
        return Known(relationship, tie, character.name)
    acquaintance = Known(
        relationship,
        tie,
        character.name,
        pronouns=character.pronouns,
        occupation=character.occupation,
        public_info=character.public_info,
    )
    if relationship not in _ALL_BUT_SECRETS:
        return acquaintance
    return Known(
        relationship,
        tie,
        character.name,
        pronouns=character.pronouns,
        occupation=character.occupation,
        public_info=character.public_info,
        gender=character.gender,
        age=character.age,
        inner=inner_life(character),
    )


def inner_life(character: Character) -> str:
    """Personality, values and decision style in a sentence or two.

    A personality in prose stands for itself; otherwise it is written from the traits.
    """
    if character.personality:
        return character.personality
    parts = []
    traits = character.big_five
    if traits is not None:
        marked = [
            f"{level} {trait}" for trait, level in traits.model_dump().items() if level != "average"
        ]
        if marked:
            parts.append(_listed(marked).capitalize())
    values = [*character.moral_values, *character.schwartz_values]
    if values:
        parts.append("Cares most about " + _listed([value.lower() for value in values]))
    if character.decision_style:
        parts.append(f"Decides in {_a(character.decision_style.lower())} way")
    return ". ".join(parts) + "." if parts else ""


def speaks_name(text: str, character: Character) -> bool:
    """Whether these words contain the character's first or full name."""
    return re.search(rf"\b{re.escape(character.first_name)}\b", text) is not None


def without_name(text: str, character: Character, label: str) -> str:
    """The text with the character's names replaced by the label."""
    names = [character.name, character.first_name, character.last_name]
    for name in filter(None, names):
        text = re.sub(rf"\b{re.escape(name)}\b", label, text, flags=re.IGNORECASE)
    return text


def _listed(items: list[str]) -> str:
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]


def _a(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"
