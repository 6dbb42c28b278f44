"""Whether a sentence speaks of a fact's subject, and where: not of its brother or its neighbour."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.worlds.anteval.information.lexicon import (
    exclusive,
    is_kin,
    names_a_thing,
    word_set,
)
from sociolab.worlds.anteval.information.statement_facts import FactReading, cover, same, share
from sociolab.worlds.anteval.information.statement_reading import Sentence, Word

ENOUGH_OF_A_SUBJECT = 0.5
"""The share of the weight of a subject without an invented name that must be said."""

SAYERS = word_set(
    "says said say told tells tell thinks thought believes swears swore claims claimed "
    "mentioned mentions explained explains confirmed confirms insists insisted reckons "
    "whispered whispers revealed reveals warned warns knows heard admitted added assures "
    "assured confided hinted shared"
)
_PRONOUNS = word_set("it its they their them he his she her him this these those there that")
_ORIGINS = frozenset(["to", "from", "per"])
_DETERMINERS = frozenset(["the", "a", "an", "that", "this", "old"])
_NEIGHBOURS = frozenset(["adjoining", "beside", "near", "facing", "opposite", "neighbouring"])


def subject_in(sentence: Sentence, fact: FactReading, *, known: bool) -> tuple[int, ...] | None:
    """Where the subject stands in a sentence; None where it is not spoken of.

    Empty where a pronoun stands for it, which needs that it was `known` from the sentence before.
    """
    words = sentence.words
    if fact.names:
        named = [i for i in sentence.unknown if any(same(words[i], n) for n in fact.names)]
        if named:
            if _another(words, named, fact) or of_kin(words, named, fact):
                return None
            return None if _beside(words, named, fact) else tuple(named)
    heads = cover(range(len(words)), words, fact.heads, frozenset())
    if heads and fact.heads.words and share(heads, fact.heads) >= ENOUGH_OF_A_SUBJECT:
        found = tuple(i for places in heads.values() for i in places)
        if _other_of_its_kind(words, heads, fact):
            return None
        if not fact.names or not strangers(words, fact):
            return found
    if known and any(word.text in _PRONOUNS for word in words) and not strangers(words, fact):
        return ()
    return None


def _other_of_its_kind(
    words: Sequence[Word], heads: dict[int, list[int]], fact: FactReading
) -> bool:
    """Whether "south" stands before the tower that is to be the north one."""
    before = {i - 1 for places in heads.values() for i in places if i}
    return any(
        at not in heads and any(exclusive(word.text) & exclusive(words[i].text) for i in before)
        for at, word in enumerate(fact.heads.words)
    )


def of_kin(words: Sequence[Word], named: Sequence[int], fact: FactReading) -> bool:
    """Whether the names stand only for whose brother or wife it is that is spoken of."""
    return all(_belongs(words, at, fact) for at in named)


def _belongs(words: Sequence[Word], at: int, fact: FactReading) -> bool:
    first, last = at, at
    while last + 1 < len(words) and words[last + 1].name:
        last += 1
    while first and words[first - 1].name:
        first -= 1
    beside = [words[last + 1]] if last + 1 < len(words) and words[last].owns else []
    while first and words[first - 1].text in _DETERMINERS:
        first -= 1
    if first >= 2 and words[first - 1].text == "of":
        beside.append(words[first - 2])
    return any(
        is_kin(word.text)
        and word.relations.isdisjoint(fact.relations)
        and word.meanings.isdisjoint(fact.vocabulary)
        for word in beside
    )


def _beside(words: Sequence[Word], named: Sequence[int], fact: FactReading) -> bool:
    """Whether the subject is only what another thing stands beside."""
    first = named[0]
    while first and (
        words[first - 1].text in (*_DETERMINERS, "of") or is_head(words[first - 1], fact)
    ):
        first -= 1
    if not first or words[first - 1].text not in _NEIGHBOURS:
        return False
    own = (*fact.heads.words, *fact.value.words)
    return any(
        names_a_thing(word.text) and not any(same(word, mine) for mine in own)
        for word in words[: first - 1]
    )


def _another(words: Sequence[Word], named: Sequence[int], fact: FactReading) -> bool:
    """Whether the name stands with another kind of thing, or as part of another name."""
    for at in named:
        beside = [words[at + 1]] if at + 1 < len(words) else []
        if at >= 2 and words[at - 1].text == "of":
            beside.append(words[at - 2])
        elif at >= 1:
            beside.append(words[at - 1])
        things = [word for word in beside if names_a_thing(word.text) and word.known]
        if any(is_head(word, fact) for word in things) or not fact.heads.words:
            return False
        if not things:
            return False
    return True


def is_head(word: Word, fact: FactReading) -> bool:
    """Whether a word is a part of the subject that is no name."""
    return any(same(word, head) for head in fact.heads.words)


def strangers(words: Sequence[Word], fact: FactReading) -> bool:
    """Whether a name occurs that is not the fact's, nor that of somebody who told it."""
    own = (*fact.names, *fact.value.words)
    for at, word in enumerate(words):
        if not word.name or any(same(word, mine) for mine in own):
            continue
        behind = next((w for w in words[at + 1 :] if not w.name), None)
        after = behind.text if behind else ""
        before = words[at - 1].text if at else ""
        if after not in SAYERS and before not in _ORIGINS:
            return True
    return False
