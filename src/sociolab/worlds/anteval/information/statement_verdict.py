"""Whether a sentence says a fact: where its subject is, what is said of it, and if it is denied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sociolab.worlds.anteval.information.lexicon import (
    GENERIC,
    STOP,
    names_a_thing,
    rivals_of,
    word_set,
)
from sociolab.worlds.anteval.information.statement_facts import (
    FactReading,
    Sought,
    content,
    lead_of,
    order,
    parity,
    same,
)
from sociolab.worlds.anteval.information.statement_reading import VERBS, Sentence, Word
from sociolab.worlds.anteval.information.statement_rules import NOT, OR

ENOUGH = 0.6
"""The share of a value's weight that must be said."""

ENOUGH_OF_A_SUBJECT = 0.5
"""The same of a subject without an invented name."""

_PRONOUNS = word_set("it its they their them he she his her him this these those there that")
_SAYERS = word_set(
    "says said say told tells tell thinks thought believes swears swore claims claimed "
    "mentioned mentions explained explains confirmed confirms insists insisted reckons "
    "whispered whispers revealed reveals warned warns knows heard admitted added assures "
    "assured confided hinted shared"
)
_ALL_STOP = STOP | _SAYERS
_ORIGINS = frozenset(["to", "from", "per"])


def subject_in(sentence: Sentence, fact: FactReading, *, known: bool) -> tuple[int, ...] | None:
    """Where the subject stands in a sentence; None where it is not spoken of.

    Empty where a pronoun stands for it, which needs that it was `known` from the sentence before.
    """
    words = sentence.words
    if fact.names:
        named = [i for i in sentence.unknown if any(same(words[i], n) for n in fact.names)]
        if named:
            return None if _another(words, named, fact) else tuple(named)
    heads = _cover(range(len(words)), words, fact.heads, frozenset())
    if heads and fact.heads.words and _share(heads, fact.heads) >= ENOUGH_OF_A_SUBJECT:
        found = tuple(i for places in heads.values() for i in places)
        if not fact.names or not _strangers(words, fact):
            return found
    if known and any(word.text in _PRONOUNS for word in words) and not _strangers(words, fact):
        return ()
    return None


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
        cover = _cover(places, words, fact.value, taken)
        if _share(cover, fact.value) > _share(found, fact.value):
            found = cover
    if not _enough(found, fact.value):
        found = _cover(range(len(words)), words, fact.value, taken)
    if not _enough(found, fact.value):
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
    if _open(near, words, fact):
        return "other"
    if not any(words[i].segment == segment for i in subject) and _of_another(near, fact):
        return "other"
    apart = len(parts) > 1 and fact.value.names
    if apart and _strangers([word for word in words if word.segment in parts], fact):
        return "other"
    if _elsewhere(words, segment, fact, subject, found):
        return "other"
    if _number_of_another(words, subject, found, fact):
        return "contradicts"
    if _misplaced(words, fact.value, found):
        return "contradicts"
    turned = order(words, [words[i] for i in subject], fact.value)
    if turned and fact.order and turned != fact.order:
        return "other"
    if parity(near, fact.value, fact.relations) != fact.denied:
        return "contradicts"
    return "same"


def _cover(
    places: Sequence[int] | range, words: Sequence[Word], wanted: Sought, taken: frozenset[int]
) -> dict[int, list[int]]:
    """For each wanted word that occurs, where."""
    found: dict[int, list[int]] = {}
    for at, word in enumerate(wanted.words):
        here = [i for i in places if i not in taken and same(words[i], word)]
        if here:
            found[at] = here
    return found


def _share(found: dict[int, list[int]], wanted: Sought) -> float:
    return sum(wanted.weights[at] for at in found) / wanted.total if wanted.words else 0.0


def _enough(found: dict[int, list[int]], wanted: Sought) -> bool:
    return _share(found, wanted) >= ENOUGH - 1e-9 and wanted.needed <= found.keys()


def _another(words: Sequence[Word], named: Sequence[int], fact: FactReading) -> bool:
    """Whether the name stands with another kind of thing, or as part of another name."""
    for at in named:
        beside = [words[at + 1]] if at + 1 < len(words) else []
        if at >= 2 and words[at - 1].text == "of":
            beside.append(words[at - 2])
        elif at >= 1:
            beside.append(words[at - 1])
        things = [word for word in beside if names_a_thing(word.text) and word.known]
        if any(_is_head(word, fact) for word in things) or not fact.heads.words:
            return False
        if not things:
            return False
    return True


def _is_head(word: Word, fact: FactReading) -> bool:
    return any(same(word, head) for head in fact.heads.words)


def _strangers(words: Sequence[Word], fact: FactReading) -> bool:
    """Whether a name occurs that is not the fact's, nor that of somebody who told it."""
    own = (*fact.names, *fact.value.words)
    for at, word in enumerate(words):
        if not word.name or any(same(word, mine) for mine in own):
            continue
        behind = next((w for w in words[at + 1 :] if not w.name), None)
        after = behind.text if behind else ""
        before = words[at - 1].text if at else ""
        if after not in _SAYERS and before not in _ORIGINS:
            return True
    return False


def _of_another(near: Sequence[Word], fact: FactReading) -> bool:
    """Whether a clause without the subject has one of its own."""
    own = (*fact.heads.words, *fact.value.words)
    return _strangers(near, fact) or any(
        names_a_thing(word.text) and not any(same(word, mine) for mine in own) for word in near
    )


def _clause(sentence: Sentence, segment: int, subject: tuple[int, ...]) -> list[Word]:
    """The words of a segment; where it has no verb, with those of the one that it belongs to.

    That is the subject's, or else the next with a verb, or the last. What a "but" opens stands
    for itself ("not in the mill, but in the well"), and so does what is denied by itself.
    """
    words = sentence.words
    here = [word for word in words if word.segment == segment]
    if segment in sentence.contrasted or any(word.text == NOT or _verbal(word) for word in here):
        return here
    homes = {words[i].segment for i in subject}
    if segment in homes:
        return here
    if not homes:
        homes = {
            word.segment
            for word in words
            if _verbal(word) and not _is_denied_by_itself(words, word.segment)
        }
    if not homes:
        return here
    joined = min((home for home in homes if home > segment), default=max(homes))
    return [word for word in words if word.segment in (segment, joined)]


def _is_denied_by_itself(words: Sequence[Word], segment: int) -> bool:
    """Whether a segment is a mere "not in the mill"."""
    here = [word for word in words if word.segment == segment]
    return here[0].text == NOT and not any(word.text in VERBS for word in here)


def _verbal(word: Word) -> bool:
    return word.text in VERBS or bool(word.relations)


def _open(near: Sequence[Word], words: Sequence[Word], fact: FactReading) -> bool:
    """Whether alternatives leave it open: an "or" that no denial goes before."""
    if fact.alternatives:
        return False
    for at, word in enumerate(words):
        if word.text == OR:
            return not any(earlier.text == NOT for earlier in words[:at])
    return False


def _elsewhere(
    words: Sequence[Word],
    segment: int,
    fact: FactReading,
    subject: tuple[int, ...],
    found: dict[int, list[int]],
) -> bool:
    """Whether what is said is another relation than the fact's."""
    used = {*subject, *(i for places in found.values() for i in places)}
    about = [w for i, w in enumerate(words) if i not in used and not _is_head(w, fact)]
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
    return bool(strong and fact.relations) and signs.isdisjoint(fact.relations)


def _number_of_another(
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
        if word.number and i not in right and not _is_denied_by_itself(words, word.segment)
    ]
    if not any(_has_unit(words, i, fact.value) for i in right) and any(
        _has_unit(words, i, fact.value) for i in wrong
    ):
        return True

    def distance(at: int) -> int:
        between = abs(words[at].segment - words[subject[0]].segment)
        return min(abs(at - i) for i in subject) + 20 * between

    return bool(wrong) and min(map(distance, wrong)) < min(map(distance, right))


def _has_unit(words: Sequence[Word], at: int, value: Sought) -> bool:
    """Whether what is counted in the value stands behind the number here."""
    units = [word for word in value.words if not word.number]
    return any(same(word, unit) for word in words[at + 1 : at + 4] for unit in units)


def _misplaced(words: Sequence[Word], value: Sought, found: dict[int, list[int]]) -> bool:
    """Whether "behind" is said for "under", "before" for "at", or another for a missing word."""
    first = min(i for places in found.values() for i in places)
    for at in range(first - 1, max(first - 4, -1), -1):
        lead = lead_of(words[at])
        if lead:
            if value.lead and lead != value.lead and not _vague(words[at]):
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


def _otherwise(words: Sequence[Word], fact: FactReading, subject: tuple[int, ...]) -> bool:
    """Whether the sentence gives the subject another value of the same relation."""
    signs = {relation for word in words for relation in word.relations}
    counted = any(word.number for word in fact.value.words)
    if signs.isdisjoint(fact.relations) and not counted:
        return False
    rest = [w for i, w in enumerate(words) if i not in subject and not w.relations]
    return any(w.number or w.meanings.isdisjoint(fact.vocabulary) for w in content(rest))
