"""Sentences that ask for a check of a skill, or announce one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from sociolab.worlds.anteval.importing.crd3.turns import own_voice, sentences
from sociolab.worlds.anteval.skills import SKILLS

# What stands for a skill's name before "check" or "roll".
_ALSO = {
    "acrobatics": "acrobatic",
    "athletics": "athletic",
    "deception": "deceive|deceiving",
    "intimidation": "intimidate|intimidating",
    "investigation": "investigate|investigative",
    "perception": "perceive|perceptive",
    "performance": "perform|performing",
    "persuasion": "persuade|persuading|persuasive",
    "religion": "religious",
}

_CHECK = r"(?:checks?|rolls?|checking|tests?)\b"
_COUNTED = (
    r"(?:(?:a|an|another|one|more|final|your|me|us|some|straight|regular|quick|just|both|for|on|"
    r"in|with|it|is|this|be|that|as|of|up|out|separate|single|group|two|three|go|ahead|and|please|"
    r"all|everyone|everybody|your|own|general|additional|new|last|second|third|"
    r"strength|dexterity|intelligence|wisdom|charisma)[\s,]+)*"
)

_DM_VETO = re.compile(
    r"passive|n't\b|\bnot\b|\bnever\b|no need|without|instead of|\bwas\b|\bwere\b|\bdid\b|"
    r"\bhad\b|\brolled\b|\bfailed\b|\bmade\b|what(?:'s| is| did)|\bthat's your\b|would have|"
    r"could have|next time|\blater\b|whenever|each time|any time|\bthe \w+ checks? |"
    r"contested|versus|\bvs\b|against (?:his|her|their|its|your)|your modifier|"
    r"\bhis\b.{0,30}check|\bhe (?:makes|rolls|does|gets)|\bshe (?:makes|rolls|does|gets)|"
    r"\bi(?:'m| am) (?:going to|gonna) (?:make|roll)|\bi(?:'ll| will)? (?:make|roll)\b|"
    r"let me (?:make|roll)|bonus to|proficien|how good|\bsorry\b|\d|"
    r"\b(?:bad|good|great|terrible|nice|low|high|decent|solid) \w+ (?:check|roll)"
)
_DM_ASKS = re.compile(
    r"\b(?:make|makes|making|roll|rolling|do|give|need|like|want|have|take|try|can|may|let's|"
    r"that'd be|that would be|that'll be|that's|it'd be|it'll be|be|attempt|another|still|"
    r"go ahead|for|so|also|use)\b"
)
_PLAYER_VETO = re.compile(
    r"passive|n't\b|\bnot\b|\bnever\b|\bwas\b|\bwere\b|\bdid\b|\bhad\b|\brolled\b|\bfailed\b|"
    r"\bmade\b|what(?:'s| is| about)|would have|could have|should have|\bgood at\b|advantage|"
    r"\byour?\b|\bhe\b|\bshe\b|\bthey\b|\bwe\b|is (?:this|that|it)\b|isn't|\bstill\b|\bif\b|"
    r"another|\bthat's (?:a|an)\b|\bthe \w+ check\b|plus|minus|\bwhen\b|bonus|\bwho\b|help|\bor\b"
)
_PLAYER_ANNOUNCES = re.compile(
    r"\b(?:i|i'm|i'd|i'll|can|could|may|let me|lemme|gonna|want|going to|like to)\b|"
    r"^\W*(?:\w+\W+){0,3}$|^\W*\w+(?: handling| of hand)? checks?\b"
)


@dataclass(frozen=True, slots=True)
class Signal:
    """A request or an announcement: in which turn, at which character, of which skills."""

    turn: int
    start: int
    skills: frozenset[str]
    sentence: str
    by_dm: bool
    speaker: str


def requests(turn: int, speaker: str, text: str) -> tuple[Signal, ...]:
    """The sentences of a DM's turn that ask for checks; not what is said as somebody else."""
    found = []
    for sentence in sentences(own_voice(text)):
        named = checked_skills(sentence.words)
        if named and not _DM_VETO.search(sentence.words) and _asks(sentence.words):
            found.append(
                Signal(turn, sentence.start, named, sentence.words, by_dm=True, speaker=speaker)
            )
    return tuple(found)


def announcements(turn: int, speaker: str, text: str) -> tuple[Signal, ...]:
    """The sentences of a player's turn that announce a check of the player's own."""
    found = []
    for sentence in sentences(text):
        named = checked_skills(sentence.words)
        if (
            named
            and not _PLAYER_VETO.search(sentence.words)
            and _PLAYER_ANNOUNCES.search(sentence.words)
        ):
            found.append(
                Signal(turn, sentence.start, named, sentence.words, by_dm=False, speaker=speaker)
            )
    return tuple(found)


def checked_skills(words: str) -> frozenset[str]:
    """The skills that words in lower case name as checks: "a stealth check", "roll stealth"."""
    return frozenset(skill for skill, form in _forms().items() if form.search(words))


def named_at(skill: str, text: str) -> int | None:
    """Where a text first names a skill, as itself or as a check; None where it does not."""
    found = _names()[skill].search(text)
    return None if found is None else found.start()


def _asks(words: str) -> bool:
    """Whether the sentence asks by a verb, or is hardly more than the name of the check."""
    return bool(_DM_ASKS.search(words)) or len(words.split()) <= 8


@lru_cache(maxsize=1)
def _forms() -> Mapping[str, re.Pattern[str]]:
    forms = {}
    for skill in SKILLS:
        name = skill.replace(" ", r"[\s-]")
        wide = f"(?:{name}|{_ALSO[skill]})" if skill in _ALSO else name
        forms[skill] = re.compile(
            rf"\b{wide}(?: skill)?[\s-]{_CHECK}|"
            rf"\b(?:roll|make|rolling|check) {_COUNTED}{name}\b(?! (?:attack|spell|save))"
        )
    return forms


@lru_cache(maxsize=1)
def _names() -> Mapping[str, re.Pattern[str]]:
    names = {}
    for skill in SKILLS:
        name = skill.replace(" ", r"[\s-]")
        also = rf"|\b(?:{_ALSO[skill]})[\s-]{_CHECK}" if skill in _ALSO else ""
        names[skill] = re.compile(rf"\b{name}\b{also}", re.IGNORECASE)
    return names
