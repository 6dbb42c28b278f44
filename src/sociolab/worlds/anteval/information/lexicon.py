"""What the matcher knows about English words: meanings, relations, and what is no name."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")


def word_list(text: str) -> tuple[str, ...]:
    """The words of a text."""
    return tuple(text.split())


def word_set(text: str) -> frozenset[str]:
    """The words of a text, in no order."""
    return frozenset(text.split())


STOP = word_set(
    "a an the of to in on at by for with from as and or but nor so than then that this these "
    "those it its they them their he she his her hers him who whom whose which what when where "
    "why how is are was were be been being am do does did done has have had having can could "
    "will would shall should may might must there here i me my we us our you your one ones some "
    "any all also too very really just only even still now ever not no never if into onto about "
    "upon under beneath below underneath behind inside within above over beside near beneath "
    "around between through out up down off away back again more most much many such own same "
    "other another each every both few whoever anyone someone somebody anybody everyone people "
    "person thing things something anything"
)
"""Words that carry no value by themselves."""

GENERIC = word_set(
    "old new big large huge small little tiny great ancient strange famous certain local nearby "
    "whole entire single lone good fine nice plain simple real true actual certain very town's "
    "village's exact precise total"
)
"""Adjectives that add nothing by which a thing could be told from another."""

ONES = word_list(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
TENS = word_list("twenty thirty forty fifty sixty seventy eighty ninety")
NUMBERS: dict[str, int] = {word: value for value, word in enumerate(ONES)} | {
    word: 10 * place for place, word in enumerate(TENS, start=2)
}
NUMBERS |= {"once": 1, "twice": 2, "dozen": 12, "pair": 2, "single": 1}


@lru_cache(maxsize=16384)
def meanings(word: str) -> frozenset[str]:
    """What a lower-case word may stand for; words that share a meaning are taken for another."""
    bases = stems(word)
    parts = _parts(word, bases)
    if parts:
        return frozenset(bases.union(*map(meanings, parts)))
    known = _synonyms()
    return frozenset(bases | {found for base in bases for found in known.get(base, ())})


def _parts(word: str, bases: frozenset[str]) -> tuple[str, ...]:
    """The words that a compound is made of ("dried-up", "whalebone"); none for other words."""
    if "-" in word:
        return tuple(part for part in word.split("-") if part not in STOP)
    vocabulary = _vocabulary()
    if len(word) < 7 or not bases.isdisjoint(vocabulary):
        return ()
    for at in range(4, len(word) - 2):
        if word[:at] in vocabulary and not stems(word[at:]).isdisjoint(vocabulary):
            return word[:at], word[at:]
    return ()


def reworded(text: str) -> str:
    """The text with phrases such as "first light" put in the lexicon's words ("dawn")."""
    pattern, instead = _phrases()
    return pattern.sub(lambda found: instead[found[0].casefold()], text)


@cache
def _phrases() -> tuple[re.Pattern[str], Mapping[str, str]]:
    phrases: dict[str, str] = _lexicon()["phrases"]
    longest = sorted(phrases, key=len, reverse=True)
    by_letter: dict[str, list[str]] = {}
    for phrase in longest:
        by_letter.setdefault(phrase[0], []).append(re.escape(phrase[1:]))
    # Grouped by their first letters, as the engine tries one after another.
    groups = (f"{letter}(?:{'|'.join(rest)})" for letter, rest in by_letter.items())
    return re.compile(rf"\b(?:{'|'.join(groups)})\b", re.IGNORECASE), phrases


@cache
def rivals_of(relation: str) -> frozenset[str]:
    """The relations that could be taken for this one; its own are not among them."""
    groups = (words.split() for words in _lexicon()["rivals"].values())
    found = {name for group in groups if relation in group for name in group}
    return frozenset(found - {relation})


@lru_cache(maxsize=16384)
def relations(word: str) -> frozenset[str]:
    """The relations that a lower-case word is a sign of."""
    known = _relations()
    return frozenset(found for base in stems(word) for found in known.get(base, ()))


@lru_cache(maxsize=16384)
def exclusive(word: str) -> frozenset[str]:
    """The sets of words, such as colours, of which a thing has one at a time that it is in."""
    sets = _exclusive()
    return frozenset(found for base in stems(word) for found in sets.get(base, ()))


def is_demanding(relation: str) -> bool:
    """Whether a sentence with a verb must show the relation to be about it."""
    return relation in _single("demanding")


def is_kin(word: str) -> bool:
    """Whether it is what a person is to another ("brother")."""
    return word in _single("kin")


def is_light(word: str) -> bool:
    """Whether a value can be said without the word ("make", "bearer")."""
    return word in _single("light")


@cache
def relation_of(attribute: str) -> str:
    """The relation of an attribute of the grammar; empty for others."""
    return str(_lexicon()["attributes"].get(attribute, ""))


@lru_cache(maxsize=16384)
def reverses(word: str, relation: str) -> bool:
    """Whether the word means the opposite of its relation."""
    return not stems(word).isdisjoint(_reversing().get(relation, ()))


@lru_cache(maxsize=16384)
def is_known(word: str) -> bool:
    """Whether this is a word of the language, as far as the lexicon goes, and so no name."""
    if word in STOP or word in GENERIC or word in NUMBERS or word.isdigit():
        return True
    bases = stems(word)
    return not bases.isdisjoint(_vocabulary()) or bool(_parts(word, bases))


@lru_cache(maxsize=16384)
def names_a_thing(word: str) -> bool:
    """Whether the word says what kind of thing a subject is ("lantern", "vault", "hornets")."""
    return not meanings(word).isdisjoint(_things())


@lru_cache(maxsize=16384)
def stems(word: str) -> frozenset[str]:
    """The word and what is left of it without an ending; some of these are no words."""
    found = {word}
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            base = word[: len(word) - len(ending)]
            found.add(base + instead)
            if ending != "s" and not instead and len(base) > 3 and base[-1] == base[-2]:
                found.add(base[:-1])
    if word.endswith(_AGENTS) and len(word) >= 7 and word != "founder":
        found.add(word[:-2])
    return frozenset(found)


def near(a: str, b: str, most: int) -> bool:
    """Whether at most so many letters are put in, left out, exchanged or swapped."""
    if abs(len(a) - len(b)) > most:
        return False
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, letter in enumerate(a, start=1):
        row = [i]
        for j, other in enumerate(b, start=1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return False
        before, last = last, row
    return last[-1] <= most


_ENDINGS = (
    ("s", ""),
    ("es", ""),
    ("ies", "y"),
    ("ves", "f"),
    ("ed", ""),
    ("ed", "e"),
    ("ied", "y"),
    ("ing", ""),
    ("ing", "e"),
    ("ly", ""),
    ("'s", ""),
    ("s'", "s"),
)
_AGENTS = ("er", "or")


@cache
def _synonyms() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for number, words in enumerate(_lexicon()["synonyms"]):
        group = words.split()
        for word in group:
            found.setdefault(word, set()).add(f"{number}:{group[0]}")
    return {word: frozenset(groups) for word, groups in found.items()}


@cache
def _relations() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for relation, words in _lexicon()["relations"].items():
        for word in words.split():
            found.setdefault(word, set()).add(relation)
    return {word: frozenset(groups) for word, groups in found.items()}


@cache
def _exclusive() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name, words in _lexicon()["exclusive"].items():
        for word in words.split():
            found.setdefault(word, set()).add(name)
    return {word: frozenset(names) for word, names in found.items()}


@cache
def _single(name: str) -> frozenset[str]:
    return frozenset(_lexicon()[name].split())


@cache
def _reversing() -> Mapping[str, frozenset[str]]:
    return {name: frozenset(words.split()) for name, words in _lexicon()["reversing"].items()}


@cache
def _vocabulary() -> frozenset[str]:
    values = " ".join(text for table in _table("values.toml").values() for text in table)
    words = {word.casefold() for word in _WORD.findall(values)}
    known = words | set(_synonyms()) | set(_relations()) | set(_lexicon()["plain"].split())
    return frozenset(base for word in known for base in stems(word))


@cache
def _things() -> frozenset[str]:
    nouns = {noun for kind in _table("subjects.toml").values() for noun in kind["nouns"] if noun}
    own = {base for noun in nouns for base in stems(noun)}
    groups = {meaning for noun in nouns for meaning in meanings(noun) if ":" in meaning}
    return frozenset(own | {group for group in groups if group.split(":")[1] in own})


@cache
def _lexicon() -> dict[str, Any]:
    return _table("lexicon.toml")


def _table(name: str) -> dict[str, Any]:
    folder = files("sociolab.worlds.anteval").joinpath("data", "knowledge")
    return tomllib.loads(folder.joinpath(name).read_text("utf-8"))
