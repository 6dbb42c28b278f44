"""The tables that characters are drawn from, read from `data/party/*.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from random import Random
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from sociolab.core.errors import WorldError
from sociolab.worlds.anteval.session import PACKAGE, SessionRecord

_TAG = re.compile(r"<([^<>]*)>|\{(\w+)\}")
_VERBS = {
    "s": ("s", ""),
    "es": ("es", ""),
    "ies": ("ies", "y"),
    "are": ("is", "are"),
    "were": ("was", "were"),
    "have": ("has", "have"),
    "do": ("does", "do"),
}
"""Each ending or verb, for one and for many."""

_PRONOUNS = ("they", "them", "their", "theirs", "themself")
_NAMED = {"they": "{}", "them": "{}", "their": "{}'s", "theirs": "{}'s"}


@dataclass(frozen=True, slots=True)
class Pronouns:
    """How a character is spoken of; `forms` in the order they, them, their, theirs, themself."""

    label: str
    forms: Mapping[str, str]
    plural: bool


def _pronouns(label: str, forms: str, plural: bool) -> Pronouns:
    return Pronouns(label, dict(zip(_PRONOUNS, forms.split(), strict=True)), plural)


PRONOUNS = (
    _pronouns("she/her", "she her her hers herself", False),
    _pronouns("he/him", "he him his his himself", False),
    _pronouns("they/them", "they them their theirs themself", True),
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase in pieces: (kind, text), where a kind is "text", "slot" or the tag's own.

    Its first letter is small, so that it can stand anywhere; `sentence` makes it large.
    `subject_first`: it begins with the character as its subject, so that "that ..." may precede.
    """

    pieces: tuple[tuple[str, str], ...]
    words: int
    subject_first: bool


def phrase(text: str) -> Phrase:
    """Parse a line of the tables; WorldError for an unknown tag."""
    pieces: list[tuple[str, str]] = []
    at = 0
    for match in _TAG.finditer(text):
        if match.start() > at:
            pieces.append(("text", text[at : match.start()]))
        pieces.append(("slot", match[2]) if match[2] else (_kind(match[1], text), match[1]))
        at = match.end()
    if at < len(text):
        pieces.append(("text", text[at:]))
    kind, first = pieces[0]
    if kind in ("text", "Pronoun"):
        pieces[0] = (kind.lower(), first[0].lower() + first[1:])
    return Phrase(tuple(pieces), len(text.split()), pieces[0] == ("pronoun", "they"))


def _kind(tag: str, text: str) -> str:
    if tag in _VERBS:
        return "verb"
    if tag.lower() in _PRONOUNS:
        return "pronoun" if tag.islower() else "Pronoun"
    if tag in ("who", "friend", "town"):
        return tag
    raise WorldError(f'expected a tag such as <they> or <s>, found "<{tag}>" in "{text}"')


@dataclass(frozen=True, slots=True)
class Voice:
    """Whom a phrase is about, and the names in it."""

    pronouns: Pronouns
    name: str
    friend: str
    town: str


Slots = Mapping[str, str | Phrase]


def render_phrase(
    what: Phrase, voice: Voice, slots: Slots | None = None, *, named: bool = False
) -> str:
    """The phrase as text; with `named` the name replaces the first pronoun."""
    telling = _Telling(voice, slots or {}, named)
    telling.add(what)
    return "".join(telling.out)


def sentence(text: str) -> str:
    """The text with a capital and, unless it ends in one already, a full stop."""
    text = text[0].upper() + text[1:]
    return text if text[-1] in ".?!" else text + "."


class _Telling:
    """Renders pieces one by one; the verb agrees with the last subject, singular or plural."""

    def __init__(self, voice: Voice, slots: Slots, named: bool) -> None:
        self.out: list[str] = []
        self._voice = voice
        self._slots = slots
        self._unnamed = named
        self._plural = voice.pronouns.plural

    def add(self, what: Phrase) -> None:
        for kind, text in what.pieces:
            if kind == "text":
                self.out.append(text)
            elif kind == "pronoun":
                self.out.append(self._pronoun(text))
            elif kind == "verb":
                self.out.append(_VERBS[text][self._plural])
            elif kind == "slot":
                value = self._slots[text]
                if isinstance(value, str):
                    self.out.append(value)
                else:
                    self.add(value)
            elif kind == "Pronoun":
                word = self._pronoun(text.lower())
                self.out.append(word[0].upper() + word[1:])
            elif kind == "who":
                self._plural = False
                self.out.append("who")
            else:
                self.out.append(self._voice.friend if kind == "friend" else self._voice.town)

    def _pronoun(self, form: str) -> str:
        if self._unnamed and form in _NAMED:
            self._unnamed = False
            if form == "they":
                self._plural = False
            return _NAMED[form].format(self._voice.name)
        if form == "they":
            self._plural = self._voice.pronouns.plural
        return self._voice.pronouns.forms[form]


Entry = TypeVar("Entry")


def pick(entries: Sequence[Entry], chance: Random) -> Entry:
    # A third of the time of Random.choice, which matters where a character takes fifty of these.
    return entries[int(chance.random() * len(entries))]


def _compiled(value: Any) -> Any:
    return phrase(value) if isinstance(value, str) else value


class _Table(BaseModel):
    """A table of phrases; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


Line = Annotated[Phrase, BeforeValidator(_compiled)]
Lines = Annotated[tuple[Line, ...], Field(min_length=1)]
Trait = Annotated[tuple[Line, ...], Field(min_length=2)]
"""One trait, worded in two ways or more; the first is what the record of a character holds."""
Traits = Annotated[tuple[Trait, ...], Field(min_length=6)]


class Race(_Table):
    """How people of this race look, and how they may have grown up."""

    name: str
    build: tuple[str, ...]
    feature: tuple[str, ...]
    upbringing: Lines


class Spellcasting(SessionRecord):
    """How a class casts: `cantrips` and spells `known`, by level, and those that it may have.

    Without `known` it prepares as many as its level (half of it, if `half`) and the modifier of its
    `ability` come to. `spells` are by spell level, from 1.
    """

    ability: str
    half: bool = False
    known: tuple[int, ...] = ()
    cantrips_known: tuple[int, ...] = ()
    cantrips: tuple[str, ...] = ()
    spells: tuple[tuple[str, ...], ...]


class Class(_Table):
    """What a class does best, what it wears, how one comes to it, and whether it casts spells."""

    name: str
    best: tuple[str, str]
    hit_die: int
    casts: Spellcasting | None = None
    dress: tuple[str, ...]
    training: Lines


class Background(_Table):
    """What such a person did, carries and knows, and what such people are like.

    `ideals` are by the word of an alignment that each suits ("good", "lawful", ...), or "any".
    """

    name: str
    did: Lines
    carries: Lines
    knows: Lines
    personality: Traits
    ideals: dict[str, tuple[Trait, ...]]
    bonds: Traits
    flaws: Traits


class Alignment(_Table):
    """An alignment, how often it is drawn, and what it looks like in life."""

    name: str
    weight: int
    attitude: Lines


class Ability(_Table):
    """How an ability shows when it is the strongest of the six, or the weakest."""

    strong: Lines
    weak: Lines


class Leads(_Table):
    """What may stand before a trait: `that` only where its subject comes first."""

    any: Lines
    that: Lines


class Frames(_Table):
    """The sentences that hold a description together."""

    identity: Lines
    abilities: Lines
    carries: Lines
    knows: Lines
    leads: dict[str, Leads]
    look: Lines
    bearing: Lines


class Syllables(SessionRecord):
    """A name is a start, perhaps a middle, and an end."""

    start: tuple[str, ...]
    middle: tuple[str, ...] = ("",)
    end: tuple[str, ...]


class Names(SessionRecord):
    """The grammars of names: first and second by race, of friends, of towns."""

    first: dict[str, Syllables]
    second: dict[str, Syllables]
    friends: Syllables
    towns: Syllables


class _Goals(_Table):
    goals: Lines
    frames: Lines


class _Races(_Table):
    races: tuple[Race, ...]


class _Classes(_Table):
    classes: tuple[Class, ...]


class _Nature(_Table):
    alignments: tuple[Alignment, ...]
    abilities: dict[str, Ability]


@dataclass(frozen=True, slots=True)
class PartyTables:
    """Everything that a character is drawn from. `goals` go on after "wants to"."""

    races: tuple[Race, ...]
    classes: tuple[Class, ...]
    backgrounds: tuple[Background, ...]
    alignments: tuple[Alignment, ...]
    abilities: dict[str, Ability]
    goals: tuple[Phrase, ...]
    goal_frames: tuple[Phrase, ...]
    frames: Frames
    names: Names


@cache
def tables() -> PartyTables:
    """The tables of this package, read once a process; backgrounds in the order of their names."""
    folder = files(PACKAGE).joinpath("data", "party")
    nature = _Nature.model_validate(_read(folder.joinpath("nature.toml")))
    goals = _Goals.model_validate(_read(folder.joinpath("goals.toml")))
    backgrounds = [
        Background.model_validate(_read(file))
        for file in folder.joinpath("backgrounds").iterdir()
        if file.name.endswith(".toml")
    ]
    return PartyTables(
        races=_Races.model_validate(_read(folder.joinpath("races.toml"))).races,
        classes=_Classes.model_validate(_read(folder.joinpath("classes.toml"))).classes,
        backgrounds=tuple(sorted(backgrounds, key=lambda background: background.name)),
        alignments=nature.alignments,
        abilities=nature.abilities,
        goals=goals.goals,
        goal_frames=goals.frames,
        frames=Frames.model_validate(_read(folder.joinpath("frames.toml"))),
        names=Names.model_validate(_read(folder.joinpath("names.toml"))),
    )


def _read(file: Traversable) -> dict[str, Any]:
    return tomllib.loads(file.read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class DrawnCharacter:
    """Entries of the tables and names; `contact` is known from the background, `tie` in the rest.

    Two names, so that an innkeeper of old acquaintance is not also the sister who was lost.
    """

    seat: str
    name: str
    pronouns: Pronouns
    race: Race
    kind: Class
    background: Background
    alignment: Alignment
    abilities: dict[str, int]
    level: int
    hit_points: int
    spells: tuple[str, ...]
    personality: tuple[Trait, ...]
    ideal: Trait
    bond: Trait
    flaw: Trait
    goal: Phrase
    contact: str
    tie: str
    town: str

    @property
    def first_name(self) -> str:
        """How the others address this character."""
        return self.name.split()[0]

    def voice(self, *, contact: bool = False, full: bool = False) -> Voice:
        """For phrases about this character; with `contact`, `friend` is the contact."""
        name = self.name if full else self.first_name
        return Voice(self.pronouns, name, self.contact if contact else self.tie, self.town)
