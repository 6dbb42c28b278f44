"""What speaks against a sentence saying a fact although subject and value are in it."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.worlds.anteval.information.lexicon import (
    GENERIC,
    STOP,
    exclusive,
    is_demanding,
    names_a_thing,
    rivals_of,
)
from sociolab.worlds.anteval.information.statement_facts import (
    FactReading,
    Sought,
    content,
    lead_of,
    same,
)
from sociolab.worlds.anteval.information.statement_reading import VERBS, Word
from sociolab.worlds.anteval.information.statement_rules import LOSS, NOT, OR
from sociolab.worlds.anteval.information.statement_subject import SAYERS, is_head, strangers

_ALL_STOP = STOP | SAYERS


def of_another(near: Sequence[Word], fact: FactReading) -> bool:
    """Whether a clause without the subject has one of its own."""
    own = (*fact.heads.words, *fact.value.words)
    return strangers(near, fact) or any(
        names_a_thing(word.text) and not any(same(word, mine) for mine in own) for word in near
    )


def left_open(near: Sequence[Word], words: Sequence[Word], fact: FactReading) -> bool:
    """Whether alternatives leave it open: an "or" that no denial goes before."""
    if fact.alternatives:
        return False
    for at, word in enumerate(words):
        if word.text == OR:
            return not any(earlier.text == NOT for earlier in words[:at])
    return False


def elsewhere(
    words: Sequence[Word],
    segment: int,
    fact: FactReading,
    subject: tuple[int, ...],
    found: dict[int, list[int]],
) -> bool:
    """Whether what is said is another relation than the fact's."""
    used = {*subject, *(i for places in found.values() for i in places)}
    about = [w for i, w in enumerate(words) if i not in used and not is_head(w, fact)]
    signs = {relation for word in about for relation in word.relations}
    if fact.free:
        rivals = None if len(fact.value.words) == 1 else frozenset[str]()
    else:
        rivals = frozenset[str]().union(*map(rivals_of, fact.relations))
    strong = any(
        (word.relations if rivals is None else word.relations & rivals)
        and word.text not in _ALL_STOP
        and word.segment == segment
        for word in about
    )
    if (
        not fact.free
        and signs.isdisjoint(fact.relations)
        and any(map(is_demanding, fact.relations))
    ):
        lost = any(word.text == LOSS for word in words)
        return any(verbal(word) or word.text == NOT for word in about) and not (
            lost and "toll" in fact.relations
        )
    return bool(strong and fact.relations) and signs.isdisjoint(fact.relations)


def number_of_another(
    words: Sequence[Word],
    subject: tuple[int, ...],
    found: dict[int, list[int]],
    fact: FactReading,
) -> bool:
    """Whether a nearer number than the fact's belongs to the subject."""
    right = [i for at in found if fact.value.words[at].number for i in found[at]]
    if not right or not subject:
        return False
    wrong = [
        i
        for i, word in enumerate(words)
        if word.number and i not in right and not denied_by_itself(words, word.segment)
    ]
    if all(_of_other_thing(words, i, fact) for i in right) and wrong:
        return True
    if not any(_has_unit(words, i, fact.value) for i in right) and any(
        _has_unit(words, i, fact.value) for i in wrong
    ):
        return True

    def distance(at: int) -> int:
        between = abs(words[at].segment - words[subject[0]].segment)
        return min(abs(at - i) for i in subject) + 20 * between

    return bool(wrong) and min(map(distance, wrong)) < min(map(distance, right))


def _of_other_thing(words: Sequence[Word], at: int, fact: FactReading) -> bool:
    """Whether another thing follows the number ("and ninety into the crypt")."""
    own = (*fact.names, *fact.heads.words, *fact.value.words)
    for word in words[at + 1 : at + 5]:
        if any(same(word, mine) for mine in own):
            return False
        if names_a_thing(word.text):
            return True
    return False


def _has_unit(words: Sequence[Word], at: int, value: Sought) -> bool:
    """Whether what is counted in the value stands behind the number here."""
    units = [word for word in value.words if not word.number]
    return any(same(word, unit) for word in words[at + 1 : at + 4] for unit in units)


def misplaced(words: Sequence[Word], fact: FactReading, found: dict[int, list[int]]) -> bool:
    """Whether "behind" is said for "under", "before" for "at", or another for a missing word."""
    value = fact.value
    opening = min(found)
    first = found[opening][0]
    if value.names and first and words[first - 1].text == "for" and "make" in fact.relations:
        return True
    for at in range(first - 1, max(first - 4, -1), -1):
        lead = lead_of(words[at])
        if lead:
            others = (
                words[i - k] for places in found.values() for i in places for k in (1, 2) if i >= k
            )
            if (
                value.lead
                and lead != value.lead
                and not _vague(words[at])
                and not any(lead_of(word) == value.lead for word in others)
            ):
                return True
            break
        if words[at].text not in STOP and words[at].text not in GENERIC:
            break
    missing = set(range(len(value.words))) - found.keys()
    if not missing:
        return False
    last = found[max(found)][0]
    before = words[last - 1] if last else None
    return (
        before is not None
        and bool(content([before]))
        and not (
            before.text in GENERIC
            or before.relations
            or any(same(before, wanted) for wanted in value.words)
        )
    )


def _vague(word: Word) -> bool:
    return word.text in ("at",)


def denied_by_itself(words: Sequence[Word], segment: int) -> bool:
    """Whether a segment is a mere "not in the mill"."""
    here = [word for word in words if word.segment == segment]
    return here[0].text == NOT and not any(word.text in VERBS for word in here)


def excluded(
    words: Sequence[Word],
    fact: FactReading,
    subject: tuple[int, ...],
    found: dict[int, list[int]],
) -> bool:
    """Whether another word of the same set stands for one that is missing: "new" for "old"."""
    segments = {words[i].segment for at in found for i in found[at]}
    rest = [
        w
        for i, w in enumerate(words)
        if i not in subject
        and w.segment in segments
        and not denied_by_itself(words, w.segment)
        and w.meanings.isdisjoint(fact.vocabulary)
    ]
    for at, wanted in enumerate(fact.value.words):
        sets = exclusive(wanted.text)
        if sets and at not in found and any(sets & exclusive(word.text) for word in rest):
            return True
    return False


def verbal(word: Word) -> bool:
    """Whether a word can make a clause of a segment."""
    return word.text in VERBS or bool(word.relations)
