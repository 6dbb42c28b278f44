"""How SOTOPIA puts things in words: what was done, who somebody is, what is known of others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from sociolab.core.episode import Action
from sociolab.worlds.sotopia.profiles import Character, RelationshipType
from sociolab.worlds.sotopia.visibility import Known, inner_life


def line_text(name: str, action: Action, to: tuple[str, ...] = ()) -> str:
    """One action as one line of the history, whatever its text holds.

    Line ends become spaces: nobody can write lines for another, or a heading of the prompt.
    """
    aside = f" (to {', '.join(to)} only)" if to else ""
    text = _on_one_line(action.text)
    match action.kind:
        case "speak":
            return f"{name}{aside}: {text}"
        case "non-verbal communication":
            return f"{name}{aside} [non-verbal]: {text}"
        case "physical action":
            return f"{name}{aside} [action]: {text}"
        case "leave":
            return f"{name} {'leave' if name == 'You' else 'leaves'}."
        case _:
            return f"{name} {'do' if name == 'You' else 'does'} nothing."


@lru_cache(maxsize=256)  # each seat is told of an action in its turn
def _on_one_line(text: str) -> str:
    return " ".join(text.split())


@lru_cache(maxsize=1024)  # a data set has few characters and many tasks
def describe_self(character: Character) -> str:
    """All of a character, secret included, as its own player is told."""
    lines = [_identity(character.name, character.gender, character.pronouns, character.age)]
    lines[0] += f", {character.occupation}."
    lines += [character.public_info, inner_life(character)]
    if character.secret:
        lines.append(f"Secret: {character.secret}")
    return "\n".join(line for line in lines if line)


@lru_cache(maxsize=4096)
def describe_known(seen: Known) -> str:
    """What one seat is told of another."""
    if seen.relationship is RelationshipType.STRANGER:
        return "Somebody whom you have never met; you know nothing about them."
    if seen.relationship is RelationshipType.KNOWN_BY_NAME:
        return "You know the name, and nothing more."
    tie = f" ({seen.tie})" if seen.tie else ""
    how = {"family": "Family", "romantic": "Romance", "friend": "A friend"}
    first = f"{how.get(seen.relationship, 'An acquaintance')}{tie}."
    identity = _identity("", seen.gender, seen.pronouns, seen.age)
    about = ", ".join(part for part in (identity, seen.occupation) if part)
    return "\n".join(p for p in (f"{first} {about}.", seen.public_info, seen.inner) if p)


def distinct_names(characters: Sequence[Character]) -> dict[str, str]:
    """A name for each character's id, no two alike.

    First names where they differ, else full names, else full names with the id behind them.
    """
    first = [character.first_name.casefold() for character in characters]
    full = [character.name.casefold() for character in characters]
    names = {}
    for character in characters:
        if first.count(character.first_name.casefold()) == 1:
            names[character.id] = character.first_name
        elif full.count(character.name.casefold()) == 1:
            names[character.id] = character.name
        else:
            names[character.id] = f"{character.name} ({character.id})"
    return names


def _identity(name: str, gender: str, pronouns: str, age: int | None) -> str:
    """Name, age, gender and pronouns, as far as given."""
    person = f"{gender} ({pronouns})" if gender and pronouns else gender or pronouns
    return ", ".join(part for part in (name, str(age) if age else "", person) if part)
