"""Who may know what about whom (SOTOPIA section 2.1), and the texts that say it.

This module alone decides it. It also has the public code's rule, for prompt sets that follow that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from sociolab.core.episode import Action
from sociolab.core.names import fold_name
from sociolab.judging.quoting import flat
from sociolab.worlds.sotopia.scenarios import (
    Character,
    Relationship,
    RelationshipType,
    SceneCast,
    in_pieces,
)

STRANGER_LABEL = "the other person"

_ALL_BUT_SECRETS = frozenset(
    {RelationshipType.FRIEND, RelationshipType.ROMANTIC, RelationshipType.FAMILY}
)


@dataclass(frozen=True, slots=True)
class KnownCharacter:
    """What one seat may know of another; a field is None or empty where it may not."""

    relationship: RelationshipType
    tie: str = ""
    name: str | None = None
    pronouns: str = ""
    gender: str = ""
    age: int | None = None
    occupation: str = ""
    public_info: str = ""
    inner: str = ""


@lru_cache(maxsize=4096)  # a data set has few characters and many tasks
def reveal_character(
    character: Character, relationship: RelationshipType, tie: str = ""
) -> KnownCharacter:
    """What somebody in this relationship knows of a character; never the secret.

    A stranger knows nothing; "known by name" is the name alone; an acquaintance knows name,
    occupation, pronouns and public information; friends, partners and family know all but secrets.
    """
    if relationship is RelationshipType.STRANGER:
        return KnownCharacter(relationship)
    if relationship is RelationshipType.KNOWN_BY_NAME:
        return KnownCharacter(relationship, name=character.name)
    acquaintance = KnownCharacter(
        relationship,
        tie,
        character.name,
        pronouns=character.pronouns,
        occupation=character.occupation,
        public_info=character.public_info,
    )
    if relationship not in _ALL_BUT_SECRETS:
        return acquaintance
    return replace(
        acquaintance,
        gender=character.gender,
        age=character.age,
        inner=describe_inner_life(character),
    )


def describe_tie(relationship: Relationship, seat: str, name: str) -> str:
    """The relationship in words, and which part this seat, called `name`, has: "mother and son;
    Rodel is the son".

    The exact tie is only given for family and romance. How friends and acquaintances met is left to
    the scene, which often says it itself (flatmates, colleagues) and would be contradicted.
    """
    tie = relationship.tie
    if not tie or relationship.type not in (RelationshipType.FAMILY, RelationshipType.ROMANTIC):
        return _TIES[relationship.type]
    parts = tie.split(" and ")
    if len(parts) != 2 or parts[0] == parts[1] or any(part.endswith("s") for part in parts):
        return tie
    return f"{tie}; {name} is the {parts[seat != relationship.a]}"


_TIES = {
    RelationshipType.STRANGER: "strangers, except for what the scene says",
    RelationshipType.KNOWN_BY_NAME: "known by name only",
    RelationshipType.ACQUAINTANCE: "acquaintances",
    RelationshipType.FRIEND: "friends",
    RelationshipType.ROMANTIC: "a romantic relationship",
    RelationshipType.FAMILY: "of one family",
}


@lru_cache(maxsize=1024)
def describe_inner_life(character: Character) -> str:
    """Personality, values and decision style in a few sentences, the same for models and people.

    A personality in prose is used as it is; else the text is made from the traits.
    """
    if character.personality:
        return character.personality
    traits = character.big_five.model_dump() if character.big_five else {}
    style = character.decision_style.lower()
    values = [value.lower() for value in (*character.moral_values, *character.schwartz_values)]
    words = [_TRAITS[name][level == "high"] for name, level in traits.items() if level != "average"]
    parts = [_join_items(words)] if words else []
    if style:
        article = "an" if style[0] in "aeiou" else "a"
        parts.append(_DECIDES.get(style, f"decides in {article} {style} way"))
    if values:
        parts.append(f"What matters most: {_join_items([_VALUES.get(v, v) for v in values])}")
    return "".join(f"{part[0].upper()}{part[1:]}. " for part in parts).strip()


_TRAITS = {
    "openness": ("conventional", "curious"),
    "conscientiousness": ("spontaneous rather than organised", "well organised"),
    "extraversion": ("reserved", "outgoing"),
    "agreeableness": ("blunt", "obliging"),
    "neuroticism": ("calm", "easily worried"),
}
_VALUES = {
    "care": "caring for others",
    "authority": "respect",
    "purity": "decency",
    "self-direction": "independence",
    "benevolence": "being there for friends and family",
    "achievement": "success",
    "stimulation": "excitement",
    "universalism": "the good of all",
    "hedonism": "enjoying life",
    "conformity": "fitting in",
    "power": "having a say",
}
_DECIDES = {
    "behavioral": "decides with people's feelings in mind",
    "conceptual": "looks at the big picture before deciding",
    "analytical": "weighs the facts before deciding",
    "directive": "decides quickly",
}
"""Traits (low, high), values and decision styles in everyday words; others are used as they are."""


def find_spoken_name(text: str, character: Character) -> str | None:
    """The name by which a text mentions the character, full or first; None if it does not.

    Case matters: "will you" does not mention Will.
    """
    first_name = character.first_name
    if first_name not in text and first_name.upper() not in text:
        return None  # most lines name nobody, and this test is fifty times as fast
    if _as_written(character.name).search(text):
        return character.name
    return first_name if _as_written(first_name).search(text) else None


def replace_name(text: str, character: Character, label: str) -> str:
    """The text with the character's names replaced by the label.

    The full name in any spelling; first and last name alone as written or in capitals, since in
    small letters they may be common words ("a long look").
    """
    text = _any_case(character.name).sub(lambda _: label, text)  # literally, with any backslash
    for name in (character.first_name, character.last_name):
        if name:
            text = _as_written(name).sub(lambda _: label, text)
    return text


@lru_cache(maxsize=1024)
def _as_written(name: str) -> re.Pattern[str]:
    """Matches a name as a whole word, as written or in capitals."""
    return re.compile(_whole_word(name))


@lru_cache(maxsize=1024)
def _any_case(name: str) -> re.Pattern[str]:
    """Matches a name as a whole word, in any case."""
    return re.compile(_whole_word(name), re.IGNORECASE)


def _whole_word(name: str) -> str:
    # Not \b, since a name may end in a full stop.
    return rf"(?<!\w)(?:{re.escape(name)}|{re.escape(name.upper())})(?!\w)"


def _join_items(items: list[str]) -> str:
    """With a comma before the last of three or more, since an item may itself hold an "and"."""
    *some, last = items
    return f"{', '.join(some)}{',' if len(some) > 1 else ''} and {last}" if some else last


def format_line(name: str, action: Action, to: tuple[str, ...] = ()) -> str:
    """One action as one line of the history.

    Line breaks become spaces, so that nobody can forge another's line, or a heading of the prompt.
    """
    recipients = f" (to {', '.join(to)} only)" if to else ""
    text = flat(action.text)
    match action.kind:
        case "speak":
            return f"{name}{recipients}: {text}"
        case "non-verbal communication" | "physical action":
            return f"{name}{recipients} [{action.kind}]: {text}"
        case "leave":
            return f"{name} {'leave' if name == 'You' else 'leaves'}."
        case "submit deal":
            return f"{_do(name, 'submit')} a deal: {_share(action, name)}, the rest for the other."
        case "accept deal":
            return f"{_do(name, 'accept')} the deal."
        case "reject deal":
            return f"{_do(name, 'reject')} the deal{text and ': '}{text or '.'}"
        case _:
            return f"{name} {'do' if name == 'You' else 'does'} nothing."


def _do(name: str, verb: str) -> str:
    return f"{name} {verb if name == 'You' else f'{verb}s'}"


def _share(action: Action, name: str) -> str:
    """The pieces that whoever submits a deal gets."""
    return (
        f"{', '.join(in_pieces(action.fields))} for {'yourself' if name == 'You' else 'themselves'}"
    )


@lru_cache(maxsize=1024)  # a data set has few characters and many tasks
def describe_self(character: Character) -> str:
    """A character's whole profile, secret included, for its own player."""
    lines = [_identity(character.name, character.gender, character.pronouns, character.age)]
    lines[0] += f", {character.occupation}."
    lines += [character.public_info, describe_inner_life(character)]
    if character.secret:
        lines.append(f"Secret: {character.secret}")
    return "\n".join(line for line in lines if line)


@lru_cache(maxsize=4096)
def describe_known(profile: KnownCharacter) -> str:
    """What one seat reads about another."""
    if profile.relationship is RelationshipType.STRANGER:
        more = "nothing else" if profile.name else "nothing"
        return f"A stranger: you know {more} about them beyond what the scene says."
    if profile.relationship is RelationshipType.KNOWN_BY_NAME:
        return "You know the name, and nothing more."
    identity = _identity("", profile.gender, profile.pronouns, profile.age)
    about = ", ".join(part for part in (profile.occupation, identity) if part)
    lines = (f"Relationship: {profile.tie or _TIES[profile.relationship]}.", about and f"{about}.")
    return "\n".join(line for line in (*lines, profile.public_info, profile.inner) if line)


def distinct_names(characters: Sequence[Character]) -> dict[str, str]:
    """A name for each character's id, no two alike.

    First names where they differ, else full names, else full names with the id appended.
    """
    first = [fold_name(character.first_name) for character in characters]
    full = [fold_name(character.name) for character in characters]
    names = {}
    for character in characters:
        if first.count(fold_name(character.first_name)) == 1:
            names[character.id] = character.first_name
        elif full.count(fold_name(character.name)) == 1:
            names[character.id] = character.name
        else:
            names[character.id] = f"{character.name} ({character.id})"
    return names


def _identity(name: str, gender: str, pronouns: str, age: int | None) -> str:
    """Name, age, gender and pronouns, as far as they are known."""
    person = f"{gender} ({pronouns})" if gender and pronouns else gender or pronouns
    return ", ".join(part for part in (name, str(age) if age else "", person) if part)


# ------------------------------------------------------------------ the public code's rule


def published_scene(
    casting: SceneCast, seat: str | None = None, labels: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The scene for a seat's player, or (None) for judges, by the public code's rule of who sees
    what; for prompt sets that follow it.

    `labels` are the names by which a seat knows the others, where it may not know all of them. A
    field that a viewer may not see is missing, so that no template can show it. Acquaintances see
    age and gender, too, unlike in section 2.1. `tie` is the relationship that decides it.
    """
    seats = [character.id for character in casting.characters]
    published, viewer = casting.scenario.published, None if seat is None else seats.index(seat)
    context, goals = casting.scenario.context, [goal.text for goal in casting.scenario.goals]
    if published:
        place = casting.scenario.id
        context = seen_by(viewer, published.context, len(seats), place)
        goals = [seen_by(viewer, goal, len(seats), place) for goal in published.goals]
    elif viewer is None and casting.scenario.environment:
        context = f"{context} {casting.scenario.environment}"
    people = []
    for index, (person, goal) in enumerate(zip(casting.characters, goals, strict=True)):
        own = viewer in (None, index)
        other = seat if seat not in (None, person.id) else seats[index - 1]
        tie = casting.between(person.id, str(other)).type
        name = (labels or {}).get(person.id, person.name)
        entry = {"name": name, "own": own, "tie": str(tie), "goal": goal if own else ""}
        sees = len(_PUBLIC_FIELDS) if own else _SEES[tie]
        fields = {
            "first_name": person.first_name,
            "last_name": person.last_name,
            "age": str(person.age),
            "gender": _PUBLIC_GENDERS.get(person.gender, person.gender),
            "occupation": person.occupation,
            "gender_pronoun": person.pronouns[:1].upper() + person.pronouns[1:],
            "public_info": person.public_info,
            "personality_and_values": describe_inner_life(person),
            "secret": person.secret,
        }
        people.append(entry | {name: fields[name] for name in _PUBLIC_FIELDS[:sees]})
    return {
        "context": context,
        "people": people,
        "agent": "" if viewer is None else casting.characters[viewer].name,
    }


_PUBLIC_FIELDS = (
    "first_name", "last_name", "age", "gender", "occupation", "gender_pronoun", "public_info",
    "personality_and_values", "secret",
)  # fmt: skip
"""The fields of a profile by the public code's names, the best known first."""
_SEES = {
    RelationshipType.STRANGER: 0,
    RelationshipType.KNOWN_BY_NAME: 2,
    RelationshipType.ACQUAINTANCE: 7,
    RelationshipType.FRIEND: 8,
    RelationshipType.ROMANTIC: 8,
    RelationshipType.FAMILY: 8,
}
_PUBLIC_GENDERS = {"man": "male", "woman": "female"}


def seen_by(viewer: int | None, text: str, seats: int, place: str) -> str:
    """A published text without its tags: all of it, or what the player of a seat may read."""
    from sociolab.worlds.sotopia.importing.goals import (
        split_parts,  # only what is imported has tags
    )

    return "".join(
        part.text
        for part in split_parts(text, seats, place)
        if viewer is None or part.is_for(viewer)
    )
