"""CRD3's turns as the rules read them: sentences that ask for a check, totals of a roll."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import Field

from sociolab.core.errors import ConfigError
from sociolab.core.reading import ForeignRecord, json_value, read_text, record
from sociolab.worlds.anteval.session import SKILLS

_EPISODE = re.compile(r"(?P<id>C(?P<campaign>\d+)E(?P<number>\d+)\w*?)(_\d+_\d+)?\.json(\.gz)?")
"""The name of a file; aligned data have the size and the offset of their chunks in it."""
_FOLDERS = ("", "cleaned data", "data/cleaned data", "c=2", "aligned data/c=2")
_QUOTED = re.compile(r'"[^"]*"')
_SENTENCE = re.compile(r"[^.?!]+[.?!]*(?:--)?\s*")


class _RawTurn(ForeignRecord):
    names: Annotated[tuple[str, ...], Field(alias="NAMES", min_length=1)]
    utterances: Annotated[tuple[str, ...], Field(alias="UTTERANCES")]


class _RawEpisode(ForeignRecord):
    turns: Annotated[tuple[_RawTurn, ...], Field(alias="TURNS", min_length=1)]


class _NumberedTurn(_RawTurn):
    number: Annotated[int, Field(alias="NUMBER", ge=0)]


class _Chunk(ForeignRecord):
    """Of aligned data: the turns for some sentences of a summary; chunks overlap."""

    turns: Annotated[tuple[_NumberedTurn, ...], Field(alias="TURNS")]


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """One turn: who spoke, all names where several did, and the words in one line."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class ShowEpisode:
    """An episode, such as "C1E037": campaign 1, number 37."""

    id: str
    campaign: int
    number: int
    turns: tuple[SpokenTurn, ...]


@dataclass(frozen=True, slots=True)
class SpokenSentence:
    """A sentence in lower case, and where it begins in the turn's text."""

    start: int
    words: str


def episode_files(source: Path) -> tuple[Path, ...]:
    """`source` itself, or one file for each episode in the folder or, below it, in that of the
    cleaned or the aligned data."""
    if source.is_file():
        return (source,)
    for folder in (source / name for name in _FOLDERS):
        files = sorted(folder.iterdir()) if folder.is_dir() else ()
        by_id = {name["id"]: file for file in files if (name := _EPISODE.fullmatch(file.name))}
        if by_id:
            return tuple(by_id.values())
    raise ConfigError(
        f"{source}: expected a clone of the CRD3 repository, or its cleaned or aligned data with "
        "files such as C1E001.json, and found none"
    )


def read_episode(path: Path) -> ShowEpisode:
    """ConfigError names the file where it is no episode of CRD3."""
    name = _EPISODE.fullmatch(path.name)
    if name is None:
        raise ConfigError(f'{path}: expected a name such as C1E001.json, found "{path.name}"')
    value = json_value(str(path), read_text(path))
    raw: Sequence[_RawTurn] = (
        _aligned_turns(path, value)
        if isinstance(value, list)
        else record(str(path), _RawEpisode, value).turns
    )
    turns = (SpokenTurn(" & ".join(turn.names), " ".join(turn.utterances)) for turn in raw)
    return ShowEpisode(name["id"], int(name["campaign"]), int(name["number"]), tuple(turns))


def _aligned_turns(path: Path, chunks: Sequence[object]) -> tuple[_NumberedTurn, ...]:
    """The whole transcript: every turn is in some chunk of each file of aligned data."""
    turns = {
        turn.number: turn
        for position, chunk in enumerate(chunks)
        for turn in record(f"{path}, chunk {position}", _Chunk, chunk).turns
    }
    missing = next((number for number in range(len(turns)) if number not in turns), None)
    if not turns or missing is not None:
        raise ConfigError(
            f"{path}: expected all turns from 0 on in its chunks, found no turn {missing or 0}; "
            "fetch the file again"
        )
    return tuple(turns[number] for number in range(len(turns)))


def sentences(text: str) -> tuple[SpokenSentence, ...]:
    """The sentences of a turn, in lower case and without blank ones."""
    return tuple(
        SpokenSentence(match.start(), match[0].strip().casefold())
        for match in _SENTENCE.finditer(text)
        if match[0].strip()
    )


def own_voice(text: str) -> str:
    """The text with quotations blanked out, in which the DM speaks as a character."""
    return _QUOTED.sub(lambda match: " " * len(match[0]), text)


HIGHEST = 45
"""No total that is reported for a check is higher."""

_SMALL = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_TENS = {"eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30}
_WORDS = {word: value for value, word in enumerate(_SMALL, start=1)} | _TENS

# What may stand around a total without changing what it is. Nothing that makes it a count of
# something ("feet", "gold"), and no "you", since then it is somebody else's.
_WORDS_AROUND = """
a about actually again ah all alright also altogether an and animal another aw awesome bad be
better big boo boy but call check checks come comes cool crap crit damn dang did dirty dude
equals even exactly excellent finally for from fuck fucking get god goddamn going gonna good got
great gross guess guys ha had hand handling have hey high higher hmm hooray horrible i i'll
i'm i've is it it's its jesus just let's like lot lovely low lower lowly made makes man me meh
mine mm my nat natural nice no nope not now of oh ok okay only oof ooh ooh-hoo out over
perfect pretty really right roll rolled rolls sadly same shit sleight so so-so solid sorry
still straight stupid super sweet terrible thank thanks that that'd that'll that's thats the
then there this to too total ugh uh uh-oh um unfortunately up very was we well which whoa
whopping will with woo would wow yay yeah yep yes yikes
"""
_AROUND = frozenset(_WORDS_AROUND.split()).union(
    (word for skill in SKILLS for word in skill.split()), (f"{skill}'s" for skill in SKILLS)
)
_TOKEN = re.compile(r"[a-z0-9]+(?:['-][a-z0-9]+)*|[+]")
_ASIDE = re.compile(r"\([^)]*\)")
_CLAUSE = re.compile(r",|--|…")
_WISH = re.compile(r"\bcome on\b|\blet's (?:get|have|go|make)\b")
_ROLLED_ONE = re.compile(r"\b(?:natural|nat|a|of) one\b")


def reported_total(text: str) -> int | None:
    """The total that a player's turn reports, the last if several; None if none.

    Of a sum ("eight minus two") the result. A wish ("Come on, 20.") is none.
    """
    reported = None
    for sentence in sentences(_ASIDE.sub(" ", text)):
        if _WISH.search(sentence.words):
            continue
        total = _total(sentence.words)
        clauses = _CLAUSE.split(sentence.words)
        if total is None and len(clauses) > 1:
            total = next(
                (t for clause in (clauses[-1], clauses[0]) if (t := _total(clause)) is not None),
                None,
            )
        reported = total if total is not None else reported
    return reported


def _total(words: str) -> int | None:
    """The total that the words report; None where they say anything else."""
    tokens = _TOKEN.findall(words.replace("thank you", "thanks").replace("\u2019", "'"))
    if "one" in tokens and tokens != ["one"] and not _ROLLED_ONE.search(words):
        return None
    return _sum([token for token in tokens if token not in _AROUND])


def _sum(tokens: list[str]) -> int | None:
    """The value of one number, or of numbers joined by "plus" and "minus"; None for all else."""
    if len(tokens) % 2 == 0:
        return None
    total, sign = 0, 1
    for place, token in enumerate(tokens):
        if place % 2:
            if token not in ("plus", "minus", "+"):
                return None
            sign = -1 if token == "minus" else 1
        elif (value := _value(token)) is None:
            return None
        else:
            total += sign * value
    return total if total <= HIGHEST else None


def _value(token: str) -> int | None:
    value = int(token) if token.isdigit() else _WORDS.get(token)
    return value if value is not None and 1 <= value <= HIGHEST else None


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
# Words that may stand between "roll" or "make" and the skill: "make me a quick stealth check".
_COUNTED = (
    r"(?:(?:a|an|another|one|more|final|your|me|us|some|straight|regular|quick|just|both|for|on|"
    r"in|with|it|is|this|be|that|as|of|up|out|separate|single|group|two|three|go|ahead|and|please|"
    r"all|everyone|everybody|your|own|general|additional|new|last|second|third|"
    r"strength|dexterity|intelligence|wisdom|charisma)[\s,]+)*"
)

# What a DM says of past, denied or possible checks, of those of NPCs, or of a score or bonus.
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
# What a player says of past or denied checks, of somebody else's, or asks about the rules.
_PLAYER_VETO = re.compile(
    r"passive|n't\b|\bnot\b|\bnever\b|\bwas\b|\bwere\b|\bdid\b|\bhad\b|\brolled\b|\bfailed\b|"
    r"\bmade\b|what(?:'s| is| about)|would have|could have|should have|\bgood at\b|advantage|"
    r"\byour?\b|\bhe\b|\bshe\b|\bthey\b|\bwe\b|is (?:this|that|it)\b|isn't|\bstill\b|\bif\b|"
    r"another|\bthat's (?:a|an)\b|\bthe \w+ check\b|plus|minus|\bwhen\b|bonus|\bwho\b|help|\bor\b"
)
# The player speaks of itself, or says little more than the name of the check.
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
    """The sentences of a DM's turn that ask for checks; quotations are ignored."""
    signals = []
    for sentence in sentences(own_voice(text)):
        words = sentence.words
        named = checked_skills(words)
        # A sentence without a verb of asking counts if it is hardly more than the check's name.
        asks = _DM_ASKS.search(words) or len(words.split()) <= 8
        if named and asks and not _DM_VETO.search(words):
            signals.append(Signal(turn, sentence.start, named, words, by_dm=True, speaker=speaker))
    return tuple(signals)


def announcements(turn: int, speaker: str, text: str) -> tuple[Signal, ...]:
    """The sentences of a player's turn that announce a check of the player's own."""
    signals = []
    for sentence in sentences(text):
        named = checked_skills(sentence.words)
        if (
            named
            and not _PLAYER_VETO.search(sentence.words)
            and _PLAYER_ANNOUNCES.search(sentence.words)
        ):
            signals.append(
                Signal(turn, sentence.start, named, sentence.words, by_dm=False, speaker=speaker)
            )
    return tuple(signals)


def checked_skills(words: str) -> frozenset[str]:
    """The skills that words in lower case name as checks: "a stealth check", "roll stealth"."""
    return frozenset(skill for skill, form in _forms().items() if form.search(words))


def named_at(skill: str, text: str) -> int | None:
    """Where a text first names a skill, as itself or as a check; None where it does not."""
    match = _names()[skill].search(text)
    return None if match is None else match.start()


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
