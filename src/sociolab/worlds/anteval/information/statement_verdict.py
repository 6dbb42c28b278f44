"""Whether a sentence says a fact: where its subject is, what is said of it, and if it is denied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sociolab.worlds.anteval.information.statement_direction import flipped, turned
from sociolab.worlds.anteval.information.statement_facts import (
    FactReading,
    content,
    cover,
    parity,
    share,
)
from sociolab.worlds.anteval.information.statement_reading import Sentence, Word
from sociolab.worlds.anteval.information.statement_rules import NOT
from sociolab.worlds.anteval.information.statement_subject import of_kin, strangers
from sociolab.worlds.anteval.information.statement_vetoes import (
    denied_by_itself,
    elsewhere,
    excluded,
    left_open,
    misplaced,
    number_of_another,
    of_another,
    verbal,
)

_WHOEVER = frozenset(["whoever", "whatever", "wherever", "whenever"])
"""What opens a clause that has its say in the next ("whoever took him, it was not the hounds")."""

ENOUGH = 0.61
"""The share of a value's weight that must be said."""

ENOUGH_OF_A_FREE_VALUE = 0.6
"""The same of a value in words of somebody's own, which are seldom said again as they are."""


def sentence_verdict(
    sentence: Sentence, fact: FactReading, subject: tuple[int, ...]
) -> Literal["same", "contradicts", "other"]:
    """Of a sentence that asserts something of the fact's subject."""
    words = sentence.words
    taken = frozenset(subject)
    segments = sorted({word.segment for word in words})
    found: dict[int, list[int]] = {}
    for segment in segments:
        places = [i for i, word in enumerate(words) if word.segment == segment]
        here = cover(places, words, fact.value, taken)
        if share(here, fact.value) > share(found, fact.value):
            found = here
    if not _enough(found, fact):
        found = cover(range(len(words)), words, fact.value, taken)
    if not _enough(found, fact):
        return "contradicts" if _otherwise(words, fact, subject) else "other"
    return _said(sentence, fact, subject, found)


def _said(
    sentence: Sentence, fact: FactReading, subject: tuple[int, ...], found: dict[int, list[int]]
) -> Literal["same", "contradicts", "other"]:
    words = sentence.words
    head = max(found, key=lambda at: (fact.value.weights[at], at))
    segment = words[found[head][0]].segment
    near = _clause(sentence, segment, subject)
    parts = {segment} | {words[i].segment for i in subject[:1]}
    if parts <= sentence.supposed and sentence.supposed != {w.segment for w in words}:
        return "other"
    if left_open(near, words, fact):
        return "other"
    if not any(words[i].segment == segment for i in subject) and of_another(near, fact):
        return "other"
    apart = len(parts) > 1 and fact.value.names
    if apart and strangers([word for word in words if word.segment in parts], fact):
        return "other"
    if elsewhere(words, segment, fact, subject, found):
        return "other"
    if number_of_another(words, subject, found, fact):
        return "contradicts"
    if misplaced(words, fact, found):
        return "contradicts"
    aside = {words[places[0]].segment for places in found.values()} - {segment}
    if not fact.denied and any(denied_by_itself(words, other) for other in aside):
        return "contradicts"
    if excluded(words, fact, subject, found):
        return "contradicts"
    if turned(words, subject, fact) or flipped(words, subject, found, fact):
        return "other"
    if fact.value.names and of_kin(words, [i for at in found for i in found[at]], fact):
        return "other"
    if (parity(near, fact.value, fact.relations) != _not_there(words, segment, subject)) != (
        fact.denied
    ):
        return "contradicts"
    return "same"


def _not_there(words: Sequence[Word], segment: int, subject: tuple[int, ...]) -> bool:
    """Whether the subject's own clause denies what another says ("..., but it is not there")."""
    homes = {words[i].segment for i in subject} - {segment}
    for home in homes:
        here = [word.text for word in words if word.segment == home]
        if here[-1] == "there" and NOT in here:
            return True
    return False


def _enough(found: dict[int, list[int]], fact: FactReading) -> bool:
    least = ENOUGH_OF_A_FREE_VALUE if fact.free else ENOUGH
    return share(found, fact.value) >= least - 1e-9 and fact.value.needed <= found.keys()


def _clause(sentence: Sentence, segment: int, subject: tuple[int, ...]) -> list[Word]:
    """The words of a segment; where it has no verb, with those of the one that it belongs to.

    That is the subject's, or else the next with a verb, or the last. What a "but" opens stands
    for itself ("not in the mill, but in the well"), and so does what is denied by itself.
    """
    words = sentence.words
    here = [word for word in words if word.segment == segment]
    whoever = here[0].text in _WHOEVER and segment not in {words[i].segment for i in subject}
    if segment in sentence.contrasted or (
        not whoever and any(word.text == NOT or verbal(word) for word in here)
    ):
        return here
    homes = {words[i].segment for i in subject}
    if segment in homes:
        return here
    if not homes:
        homes = {
            word.segment
            for word in words
            if verbal(word) and not denied_by_itself(words, word.segment)
        }
    if not homes:
        return here
    joined = min((home for home in homes if home > segment), default=max(homes))
    return [word for word in words if word.segment in (segment, joined)]


def _otherwise(words: Sequence[Word], fact: FactReading, subject: tuple[int, ...]) -> bool:
    """Whether the sentence gives the subject another value of the same relation."""
    signs = {relation for word in words for relation in word.relations}
    counted = any(word.number for word in fact.value.words)
    if signs.isdisjoint(fact.relations) and not counted:
        return False
    rest = [w for i, w in enumerate(words) if i not in subject and not w.relations]
    return any(w.number or w.meanings.isdisjoint(fact.vocabulary) for w in content(rest))
