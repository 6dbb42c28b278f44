"""A fact as the matcher reads it: by what its subject and its value would be recognised."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sociolab.worlds.anteval.information.lexicon import (
    STOP,
    is_light,
    names_a_thing,
    near,
    relation_of,
    reverses,
)
from sociolab.worlds.anteval.information.statement_reading import Word, read_phrase, read_statement
from sociolab.worlds.anteval.information.statement_rules import LOSS, NOT, OR, WITHOUT
from sociolab.worlds.anteval.session import Fact

HEAD_WEIGHT = 1.5
NAME_WEIGHT = 2.0
LEAST_WEIGHT = 0.4


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
    said: tuple[Word, ...]
    """Its own text."""
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
        said=tuple(said),
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
        return word.known != other.known and _misspelled(word, other)
    a, b = sorted((word.text, other.text), key=len)
    if len(a) < 4 or (a[:2] != b[:2] and a[-2:] != b[-2:]):
        return False
    return (
        b.startswith(a)
        or (len(a) >= 6 and b.endswith(a))
        or near(a, b, 2 if len(b) >= 8 and a[0] == b[0] else 1)
    )


def _misspelled(word: Word, other: Word) -> bool:
    """Whether a word of no meaning, and no name, is a long known one with a letter wrong."""
    wrong, right = (other, word) if word.known else (word, other)
    return (
        not wrong.name
        and len(right.text) >= 6
        and wrong.text[0] == right.text[0]
        and right.text[0] != "~"
        and near(wrong.text.removesuffix("s"), right.text.rstrip("'").removesuffix("s"), 1)
    )


def content(words: Iterable[Word]) -> list[Word]:
    """The words that carry a value."""
    return [word for word in words if word.text not in STOP and word.text not in (NOT, OR, LOSS)]


def sought(words: Sequence[Word], lead: str, relation: str) -> Sought:
    """Names and numbers weigh most and are needed; of the rest, the last weighs most.

    A word that shows the relation as well (the "key" of "a glass key") weighs little.
    """
    plain = [i for i, word in enumerate(words) if not (word.name or word.number)]
    plain = [i for i in plain if not is_light(words[i].text)] or plain
    weights = tuple(
        NAME_WEIGHT
        if word.name or word.number
        else LEAST_WEIGHT
        if (relation in word.relations and len(plain) > 1) or i not in plain
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
    paid = "toll" in relations and len(relations) == 1
    count = sum(
        word.text == NOT and not (paid and _is_loss(words, at)) for at, word in enumerate(words)
    )
    count -= within
    count += any(
        word.text == WITHOUT
        and any(same(near_, w) for near_ in words[at : at + 4] for w in value.words)
        for at, word in enumerate(words)
    )
    for relation in relations if len(relations) == 1 else ():
        count += any(
            reverses(word.text, relation) and not _is_adjective(words, at)
            for at, word in enumerate(words)
            if not any(same(word, wanted) for wanted in value.words)
        )
    return count % 2 == 1


def _is_adjective(words: Sequence[Word], at: int) -> bool:
    """Whether a thing follows ("the locked vault"), which is so whatever else is said of it."""
    following = words[at + 1] if at + 1 < len(words) else None
    return following is not None and (
        words[at].text in ("locked", "closed", "shut", "silent", "sleeping")
        and (following.name or names_a_thing(following.text))
    )


def _is_loss(words: Sequence[Word], at: int) -> bool:
    """Whether a "not" is what is paid ("you will never laugh again"), and no denial of a price."""
    ahead = words[at + 1 : at + 4]
    if any("toll" in word.relations for word in ahead):
        return False
    if any(word.text in (LOSS, "able", "can") for word in ahead[:2]):
        return True
    return not any("toll" in word.relations for word in words)


_LEADS = {
    **dict.fromkeys(["under", "beneath", "below", "underneath"], "under"),
    **dict.fromkeys(["in", "inside", "within", "on", "at", "into", "onto", "during"], "in"),
    **dict.fromkeys(["behind"], "behind"),
    **dict.fromkeys(["near", "beside", "adjoining"], "beside"),
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
    return list(read_phrase(text))


def cover(
    places: Sequence[int] | range, words: Sequence[Word], wanted: Sought, taken: frozenset[int]
) -> dict[int, list[int]]:
    """For each wanted word that occurs, where."""
    found: dict[int, list[int]] = {}
    for at, word in enumerate(wanted.words):
        here = [i for i in places if i not in taken and same(words[i], word)]
        if here:
            found[at] = here
    return found


def share(found: dict[int, list[int]], wanted: Sought) -> float:
    """The share of the weight of what is wanted that is found."""
    return sum(wanted.weights[at] for at in found) / wanted.total if wanted.words else 0.0
