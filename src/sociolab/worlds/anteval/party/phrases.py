"""Phrases about a character, written once and told with any pronouns.

`<they>`, `<them>`, `<their>`, `<theirs>` and `<themself>` are the character; `keep<s>`, `pass<es>`,
`carr<ies>`, `<are>`, `<were>`, `<have>` and `<do>` agree with the subject named last (`<they>`, or
`<who>`, which is singular); `<friend>` and `<town>` are invented names; `{slots}` are filled in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sociolab.core.errors import WorldError

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
    """The phrase that a line of the tables holds; WorldError where it has an unknown tag."""
    pieces: list[tuple[str, str]] = []
    at = 0
    for found in _TAG.finditer(text):
        if found.start() > at:
            pieces.append(("text", text[at : found.start()]))
        pieces.append(("slot", found[2]) if found[2] else (_kind(found[1], text), found[1]))
        at = found.end()
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


def told(what: Phrase, voice: Voice, slots: Slots | None = None, *, named: bool = False) -> str:
    """The phrase in words; with `named` the name stands for the first pronoun."""
    telling = _Telling(voice, slots or {}, named)
    telling.add(what)
    return "".join(telling.out)


def sentence(text: str) -> str:
    """With a capital and a full stop, if it has none of its own."""
    text = text[0].upper() + text[1:]
    return text if text[-1] in ".?!" else text + "."


class _Telling:
    """Writes pieces one after the other and keeps in mind whether the subject is one or many."""

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
                self._fill(self._slots[text])
            elif kind == "Pronoun":
                word = self._pronoun(text.lower())
                self.out.append(word[0].upper() + word[1:])
            elif kind == "who":
                self._plural = False
                self.out.append("who")
            else:
                self.out.append(self._voice.friend if kind == "friend" else self._voice.town)

    def _fill(self, value: str | Phrase) -> None:
        if isinstance(value, str):
            self.out.append(value)
        else:
            self.add(value)

    def _pronoun(self, form: str) -> str:
        if self._unnamed and form in _NAMED:
            self._unnamed = False
            if form == "they":
                self._plural = False
            return _NAMED[form].format(self._voice.name)
        if form == "they":
            self._plural = self._voice.pronouns.plural
        return self._voice.pronouns.forms[form]
