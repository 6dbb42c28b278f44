"""SOTOPIA's agent profiles as characters."""

from __future__ import annotations

import re

from sociolab.worlds.sotopia.importing.quirks import Quirk, Quirks
from sociolab.worlds.sotopia.importing.reading import Placed, RawRow, record
from sociolab.worlds.sotopia.profiles import BigFive, Character

_GENDERS = {"male": "man", "female": "woman", "non-binary": "nonbinary"}
_TRAITS = {"openness to experience": "openness"}
_LEVELS = {"medium": "average", "moderate": "average"}
_TRAIT = re.compile(r"\s*(?P<trait>[\w ]+?)\s*[-:]\s*(?P<level>\w+)\s*")


class RawAgent(RawRow):
    """A line of agent_profiles.jsonl. (`mbti` is left alone: the paper does not use it.)"""

    agent_id: str
    first_name: str
    last_name: str = ""
    age: int
    occupation: str
    gender: str
    gender_pronoun: str
    public_info: str = ""
    big_five: str = ""
    moral_values: tuple[str, ...] = ()
    schwartz_personal_values: tuple[str, ...] = ()
    personality_and_values: str = ""
    decision_making_style: str = ""
    secret: str = ""


def character(found: Placed[RawAgent], quirks: Quirks) -> Character:
    """A profile as a character; ConfigError where a field does not fit."""
    raw = found.row
    big_five = traits(raw.big_five)
    if raw.big_five.strip() and big_five is None:
        quirks[Quirk.UNREAD_TRAITS] += 1
    return record(
        found.place,
        Character,
        {
            "id": raw.agent_id,
            "first_name": raw.first_name,
            "last_name": raw.last_name.strip(),
            "gender": gender(raw.gender),
            "pronouns": raw.gender_pronoun.lower(),
            "age": raw.age,
            "occupation": raw.occupation,
            "public_info": raw.public_info.strip(),
            "big_five": big_five,
            "moral_values": _items(raw.moral_values, quirks),
            "schwartz_values": _items(raw.schwartz_personal_values, quirks),
            "decision_style": raw.decision_making_style.strip(),
            "personality": raw.personality_and_values.strip(),
            "secret": raw.secret.strip(),
        },
    )


def gender(text: str) -> str:
    """The gender in our words: man, woman, nonbinary, or the text itself in lower case."""
    word = text.strip().lower()
    return _GENDERS.get(word, word)


def traits(text: str) -> BigFive | None:
    """The levels of a text such as "Extraversion - Low; Neuroticism - High; ..."

    None unless all five are there, each once, with a level that we know.
    """
    levels: dict[str, str] = {}
    for piece in filter(str.strip, text.split(";")):
        match = _TRAIT.fullmatch(piece)
        if match is None:
            return None
        trait, level = match["trait"].lower(), match["level"].lower()
        levels[_TRAITS.get(trait, trait)] = _LEVELS.get(level, level)
    fits = set(levels) == set(BigFive.model_fields) and set(levels.values()) <= {
        "low",
        "average",
        "high",
    }
    return BigFive.model_validate(levels) if fits else None


def _items(items: tuple[str, ...], quirks: Quirks) -> tuple[str, ...]:
    quirks[Quirk.SPACED_ITEM] += sum(item != item.strip() for item in items)
    return tuple(item.strip() for item in items if item.strip())
