"""A statement as the matcher reads it: sentences of words, in segments that a "not" reaches."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from sociolab.worlds.anteval.information.lexicon import (
    NUMBERS,
    STOP,
    is_known,
    meanings,
    relations,
    reworded,
    word_set,
)
from sociolab.worlds.anteval.information.statement_numbers import number_at
from sociolab.worlds.anteval.information.statement_rules import (
    DENY,
    NOT,
    asserts,
    marked,
    takes_back,
    told_part,
)

_SIGNS = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u02bc": "'",
        "`": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u00ab": '"',
        "\u00bb": '"',
        "\u2010": "-",
        "\u2011": "-",
        "\u2013": " - ",
        "\u2014": " - ",
        "\u2212": "-",
        "*": " ",
        "_": " ",
        "\u2026": ". ",
    }
)
_TOPIC = re.compile(
    r"^(?!(?:is|are|was|were|does|do|did|can|could|will|would|has|have|who|what|where|when|which|whom|"
    r"whose|why|how|really|yes|no|so|and)\b)(?:[\w'-]+ ?){1,5}\?$",
    re.IGNORECASE,
)
"""A few words with a question mark that name what the next sentence is about."""
_REFERS = re.compile(r"\b(?:it|them|that|this|those|these|there|then)\b", re.IGNORECASE)
_BARE = re.compile(
    r"\b(is|are|was|were|do|does|did|has|have|had|ca|wo|could|would|should|must)nt\b", re.IGNORECASE
)
_LETTER = re.compile(r"[^\W_]")
_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?\w)|[\r\n]+")
_TOKEN = re.compile(r"\d[\d,]*\d|~\w+|[^\W_]+(?:['-][^\W_]+)*'?|[,;:()\"-]")
_BREAKS = word_set(", ; : ( ) - but while whereas although though because")
VERBS = word_set(
    "is are was were has have had can could will would does do did may must should lies sits"
)
_PERSONS = frozenset(["i", "you", "he", "she", "it", "we", "they"])
_SUBJECTS = word_set("it they he she its their the that there you we i his her this these")


@dataclass(frozen=True, slots=True)
class Word:
    """A word: lower case, what it may stand for, the segment it is in.

    `name` says that it looks like a proper name; `known` that the lexicon has it. A number is its
    figures ("forty-one": "41").
    """

    text: str
    meanings: frozenset[str]
    relations: frozenset[str]
    segment: int
    known: bool
    name: bool
    number: bool
    owns: bool = False
    """Whether it ends in 's."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words of a sentence; `asserts` is False for questions, wishes and admitted ignorance."""

    words: tuple[Word, ...]
    unknown: tuple[int, ...]
    """Where words stand that the lexicon does not know: names, mostly."""
    asserts: bool
    supposed: frozenset[int]
    """The segments that are only supposed ("if the blade is there")."""
    contrasted: frozenset[int]
    """The segments that a "but" opens."""


@lru_cache(maxsize=8192)
def read_statement(text: str) -> tuple[Sentence, ...]:
    """The sentences of a statement, in order."""
    parts = list(_parts(text))
    for at in range(len(parts) - 1, 0, -1):
        if takes_back(parts[at]) and not parts[at - 1].endswith("?"):
            parts[at - 1 : at + 1] = [f"{parts[at - 1].rstrip('.! ')}, {parts[at]}"]
        elif _TOPIC.match(parts[at - 1]):
            parts[at - 1 : at + 1] = [f"{parts[at - 1].rstrip('? ')}, {parts[at]}"]
    return tuple(_sentence(part) for part in parts)


@lru_cache(maxsize=8192)
def read_joined(text: str) -> tuple[Sentence, ...]:
    """Each two sentences as one where the second's "them" may stand for something in the first."""
    return tuple(
        _sentence(f"{first.rstrip('.! ')} {second}")
        for first, second in pairwise(_parts(text))
        if _REFERS.search(second) and not first.endswith("?")
    )


@lru_cache(maxsize=8192)
def _parts(text: str) -> tuple[str, ...]:
    """The texts of the sentences, in the lexicon's words."""
    parts = _SENTENCE.split(reworded(plain(text)))
    return tuple(part for part in parts if _LETTER.search(part))


@lru_cache(maxsize=8192)
def read_phrase(text: str) -> tuple[Word, ...]:
    """The words of what is no sentence, such as a subject or a value."""
    return _words(_TOKEN.findall(marked(reworded(plain(text)))), True).words


def plain(text: str) -> str:
    """The text with simple quotes, hyphens and spaces, and without accents."""
    text = text.translate(_SIGNS)
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
        text = "".join(letter for letter in text if not unicodedata.combining(letter))
    return _BARE.sub(r"\1n't", " ".join(text.split()))


def _sentence(text: str) -> Sentence:
    text = told_part(text)
    return _words(_TOKEN.findall(marked(text)), asserts(text))


def _words(tokens: list[str], asserting: bool) -> Sentence:
    words: list[Word] = []
    supposed: set[int] = set()
    contrasted: set[int] = set()
    segment, at = 0, 0
    denied = False
    while at < len(tokens):
        token = tokens[at]
        lower = token.casefold().strip("'")
        if lower == '"':
            at += 1
            continue
        if lower in _BREAKS or (lower == "and" and _new_clause(tokens, at)):
            segment += 1
            at += 1
            if lower == "but":
                contrasted.add(segment)
                denied = False
            if denied:
                words.append(_word(NOT, NOT, segment, False))
            continue
        if lower == DENY:
            denied = True
            lower = token = NOT
        if lower == "if" and _only_supposed(tokens, at):
            supposed.add(segment)
        number = number_at(tokens, at) if _may_count(lower) else None
        quoted = at > 0 and tokens[at - 1] == '"'
        taken = 1
        if number:
            figure, taken = number
            meant = frozenset((figure,))
            if taken == 1 and "-" not in lower:
                meant |= meanings(lower)
            words.append(Word(figure, meant, frozenset(), segment, True, False, True))
        else:
            words.append(_word(token, lower, segment, quoted))
        at += taken
    unknown = tuple(i for i, word in enumerate(words) if not word.known)
    return Sentence(tuple(words), unknown, asserting, frozenset(supposed), frozenset(contrasted))


def _may_count(word: str) -> bool:
    """Whether it is worth a look if this is a number."""
    return word in NUMBERS or word in ("a", "one", "hundred") or "-" in word or word[:1].isdigit()


def _word(token: str, lower: str, segment: int, quoted: bool) -> Word:
    owns = lower.endswith("'s")
    lower = lower.removesuffix("'s")
    if lower.startswith("~"):
        return Word(lower, frozenset((lower,)), frozenset(), segment, True, False, False)
    known = is_known(lower)
    name = not known and (quoted or token[:1].isupper())
    return Word(lower, meanings(lower), relations(lower), segment, known, name, False, owns)


def _only_supposed(tokens: list[str], at: int) -> bool:
    """Whether an "if" that opens a clause goes on to its end: no main clause without a comma."""
    if at and tokens[at - 1].casefold() not in _BREAKS and not tokens[at - 1].startswith("~"):
        return False
    pronouns = 0
    for token in tokens[at + 1 :]:
        if token.casefold() in _BREAKS:
            break
        pronouns += token.casefold() in _PERSONS
    return pronouns < 2


def _new_clause(tokens: list[str], at: int) -> bool:
    """Whether an "and" joins clauses rather than words."""
    if at + 1 >= len(tokens):
        return False
    following = tokens[at + 1].casefold()
    if following in _SUBJECTS or following in VERBS or following.startswith("~not"):
        return True
    later = [token.casefold() for token in tokens[at + 1 : at + 5]]
    if any(token in VERBS for token in later):
        return True
    return (
        len(tokens) > at + 2
        and following not in STOP
        and following.endswith("s")
        and (bool(relations(following)) and tokens[at + 2].casefold() in STOP)
    )
