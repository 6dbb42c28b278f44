"""A fact as the matcher reads it: by what its subject and its value would be recognised."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sociolab.worlds.anteval.information.lexicon import STOP, near, relation_of, reverses, word_set
from sociolab.worlds.anteval.information.statement_reading import Word, read_statement
from sociolab.worlds.anteval.information.statement_rules import NOT, OR, WITHOUT
from sociolab.worlds.anteval.session import Fact

HEAD_WEIGHT = 1.5
NAME_WEIGHT = 2.0
LEAST_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Sought:
    """Words to be found, with their weights; `needed` are those that must not be missing."""

    words: tuple[Word, ...]
    weights: tuple[float, ...]
    needed: frozenset[int]
    lead: str
    """The preposition that it begins with, or nothing."""

    @property
    def names(self) -> bool:
        """Whether there is a proper name among them."""
        return any(word.name for word in self.words)

    @property
    def total(self) -> float:
        """The sum of all weights."""
        return sum(self.weights)


@dataclass(frozen=True, slots=True)
class FactReading:
    """What a statement must show: subject, value, relation, and whether it is denied."""

    names: tuple[Word, ...]
    heads: Sought
    value: Sought
    relations: frozenset[str]
    free: bool
    """Whether the attribute is not one of the grammar: what is said of it shows no relation."""
    denied: bool
    order: int
    alternatives: bool
    vocabulary: frozenset[str]


def read_fact(fact: Fact) -> FactReading:
    """The reading of a fact; kept, as every statement of a session asks for it."""
    return _read(fact.subject, fact.attribute, fact.value, fact.text, fact.holds)


@lru_cache(maxsize=4096)
def _read(subject: str, attribute: str, value: str, text: str, holds: bool) -> FactReading:
    subject_words = content(_words(subject))
    names = tuple(word for word in subject_words if word.name)
    heads = sought([word for word in subject_words if not word.name], "", "")
    value_words = _words(value)
    relation = relation_of(attribute)
    wanted = sought(content(value_words) or value_words, _lead(value_words), relation)
    own = [*subject_words, *wanted.words]
    said = [word for sentence in read_statement(text) for word in sentence.words]
    about = [word for word in (*said, *_words(attribute)) if not any(same(word, o) for o in own)]
    if len(wanted.words) > 2 and wanted.words[0].relations:
        about.append(wanted.words[0])
    relations = (
        frozenset((relation,)) if relation else frozenset(r for w in about for r in w.relations)
    )
    denied = parity(said, wanted, relations) if said else not holds
    meanings = frozenset(m for word in (*own, *said, *_words(attribute)) for m in word.meanings)
    return FactReading(
        names=names,
        heads=heads,
        value=wanted,
        relations=relations,
        free=not relation,
        denied=denied,
        order=1 if attribute.startswith(_DOING) else order(said, names or heads.words, wanted),
        alternatives=any(word.text == OR for word in said),
        vocabulary=meanings,
    )


def same(word: Word, other: Word) -> bool:
    """Whether two words stand for the same; names may be misspelled or cut short."""
    if word.number and other.number:
        return word.text == other.text
    if word.text == other.text or not word.meanings.isdisjoint(other.meanings):
        return True
    if word.known or other.known:
        return False
    a, b = sorted((word.text, other.text), key=len)
    if len(a) < 4 or (a[:2] != b[:2] and a[-2:] != b[-2:]):
        return False
    return b.startswith(a) or near(a, b, 2 if len(b) >= 8 else 1)


def content(words: Iterable[Word]) -> list[Word]:
    """The words that carry a value."""
    return [word for word in words if word.text not in STOP and word.text not in (NOT, OR)]


def sought(words: Sequence[Word], lead: str, relation: str) -> Sought:
    """Names and numbers weigh most and are needed; of the rest, the last weighs most.

    A word that shows the relation as well (the "key" of "a glass key") weighs little.
    """
    plain = [i for i, word in enumerate(words) if not (word.name or word.number)]
    weights = tuple(
        NAME_WEIGHT
        if word.name or word.number
        else LEAST_WEIGHT
        if relation in word.relations and len(plain) > 1
        else HEAD_WEIGHT
        if plain[-1] == i
        else 1.0
        for i, word in enumerate(words)
    )
    needed = frozenset(i for i, word in enumerate(words) if word.number)
    named = frozenset(i for i, word in enumerate(words) if word.name)
    return Sought(tuple(words), weights, needed | named, lead)


def parity(words: Sequence[Word], value: Sought, relations: frozenset[str]) -> bool:
    """Whether the words deny: an odd number of denials, those within the value left out.

    A verb that means the opposite of the relation counts as one ("cannot cross": it stops them).
    """
    within = sum(word.text == NOT for word in value.words)
    count = sum(word.text == NOT for word in words) - within
    count += any(
        word.text == WITHOUT
        and any(same(near_, w) for near_ in words[at : at + 4] for w in value.words)
        for at, word in enumerate(words)
    )
    for relation in relations if len(relations) == 1 else ():
        count += any(
            reverses(word.text, relation)
            for word in words
            if not any(same(word, wanted) for wanted in value.words)
        )
    return count % 2 == 1


_DOING = ("whom they ", "who commands ")
"""How attributes begin in which the subject does it to the value; who obeys is taken to do it."""

_DIRECTED = {
    "betray": (("betray", "sell", "sold", "deceive"), ()),
    "love": (("love", "adore"), ()),
    "serve": (("serve", "obey", "work"), ("command", "employ", "rule", "control", "lead", "boss")),
}
"""Verbs from one person to another; the second ones run the other way."""


def order(words: Sequence[Word], subject: Sequence[Word], value: Sought) -> int:
    """1 where the subject does it to the value, -1 the other way round, 0 where none shows."""
    one = _first(words, subject)
    two = _first(words, value.words)
    if one < 0 or two < 0 or not any(word.name for word in value.words):
        return 0
    for relation, (there, back) in _DIRECTED.items():
        for at, word in enumerate(words):
            if relation not in word.relations or not min(one, two) < at < max(one, two):
                continue
            if at + 1 < len(words) and words[at + 1].text == "of":
                continue
            sign = 1 if word.meanings & set(there) else -1 if word.meanings & set(back) else 0
            if not sign:
                continue
            passive = (word.text.endswith("ed") or word.text == "sold") and any(
                w.text in _BEING for w in words[max(0, at - 2) : at]
            )
            passive = passive and not any(
                w.text in ("who", "that") for w in words[max(0, at - 1) : at]
            )
            return sign * (1 if one < two else -1) * (-1 if passive else 1)
    return 0


_BEING = word_set("is are was were be been being got gets")
_LEADS = {
    **dict.fromkeys(["under", "beneath", "below", "underneath"], "under"),
    **dict.fromkeys(["in", "inside", "within", "on", "at", "into", "onto"], "in"),
    **dict.fromkeys(["behind"], "behind"),
    **dict.fromkeys(["above", "over"], "above"),
    **dict.fromkeys(["after"], "after"),
    **dict.fromkeys(["before"], "before"),
}


def lead_of(word: Word) -> str:
    """The kind of place or time that a preposition says; empty for other words."""
    return _LEADS.get(word.text, "")


def _lead(words: Sequence[Word]) -> str:
    return lead_of(words[0]) if words else ""


def _words(text: str) -> list[Word]:
    return [word for sentence in read_statement(text) for word in sentence.words]


def _first(words: Sequence[Word], wanted: Iterable[Word]) -> int:
    sought_ = list(wanted)
    return next((i for i, w in enumerate(words) if any(same(w, o) for o in sought_)), -1)
