"""Who does it to whom: whether a sentence says a fact the other way round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sociolab.worlds.anteval.information.lexicon import STOP, is_kin, word_set
from sociolab.worlds.anteval.information.statement_facts import (
    FactReading,
    lead_of,
    same,
)
from sociolab.worlds.anteval.information.statement_reading import Word

_DIRECTED = {
    "betray": (
        ("betray", "sell", "sold", "deceive", "snitch", "stab", "doublecross", "backstab"),
        (),
    ),
    "love": (("love", "adore", "smitten", "fond", "infatuated", "crush", "devoted", "cherish"), ()),
    "take": (
        (
            "take",
            "took",
            "kill",
            "got",
            "drag",
            "seize",
            "catch",
            "caught",
            "eat",
            "grab",
            "snatch",
            "claim",
            "slay",
        ),
        (),
    ),
    "fear": (("fear", "afraid", "dread"), ("frighten", "scare", "terrify")),
    "serve": (
        ("serve", "obey", "work", "follow", "heed", "answer", "listen", "loyal"),
        ("command", "employ", "rule", "control", "lead", "boss", "order", "direct"),
    ),
}
"""Verbs from one to another; the second ones run the other way."""

_ROLES = {
    "serve": (
        word_set(
            "servant follower underling minion henchman agent vassal employee lackey spy "
            "pocket payroll puppet thumb bidding"
        ),
        word_set(
            "master mistress boss employer lord commander leader chief superior ruler strings"
        ),
    ),
    "betray": (word_set("traitor betrayer"), word_set("victim")),
    "take": (frozenset[str](), word_set("victim")),
    "love": (frozenset[str](), word_set("heart sweetheart beloved")),
}
"""What one is called who does it, and what the other."""

_BEING = word_set("is are was were be been being am got gets")
_ADJECTIVES = word_set("afraid scared terrified frightened fond enamoured enamored")
_PARTICLES = word_set("a an the his her their its only real secret true actually really not ~not")


def turned(words: Sequence[Word], subject: Sequence[int], fact: FactReading) -> bool:
    """Whether the value does it to the subject, for relations from one person to another."""
    if fact.free or len(fact.relations) != 1:
        return False
    (relation,) = fact.relations
    if relation not in _DIRECTED or not (fact.value.names or relation == "fear"):
        return False
    values = [
        i
        for i, w in enumerate(words)
        if any(same(w, v) for v in fact.value.words if v.name or relation == "fear")
    ]
    if not subject or not values:
        return False
    own = [i for i in subject if i not in values]
    if not own:
        return False
    role = _by_role(words, own, values, relation)
    return (role or _by_verb(words, own[0], values[0], relation)) == -1


def _by_verb(words: Sequence[Word], one: int, two: int, relation: str) -> int:
    """1 where the subject does it to the value, -1 the other way round, 0 where no verb shows."""
    there, back = _DIRECTED[relation]
    first, last = min(one, two), max(one, two)
    for at in range(first + 1, last):
        word = words[at]
        if relation not in word.relations or _is_noun(words, at):
            continue
        sign = 1 if word.meanings & set(there) else -1 if word.meanings & set(back) else 0
        if not sign:
            continue
        passive = any(w.text == "by" for w in words[at + 1 : last]) or (
            (word.text.endswith("ed") or word.text == "sold")
            and any(w.text in _BEING for w in words[max(0, at - 2) : at])
            and not any(w.text in ("who", "that") for w in words[max(0, at - 1) : at])
            and (relation == "fear" or words[at + 1].text not in ("to", "with", "of", "for"))
        )
        return sign * (1 if one < two else -1) * (-1 if passive else 1)
    return 0


def _is_noun(words: Sequence[Word], at: int) -> bool:
    """Whether it is "the love of", and not "is afraid of"."""
    return words[at + 1].text == "of" and words[at].text not in _ADJECTIVES


def _by_role(
    words: Sequence[Word], subject: Sequence[int], values: Sequence[int], relation: str
) -> int:
    """The same from a noun: "X is the servant", "the master of X", "X's master"."""
    doers, others = _ROLES.get(relation, (frozenset[str](), frozenset[str]()))
    for at, word in enumerate(words):
        sign = 1 if word.text in doers else -1 if word.text in others else 0
        if not sign:
            continue
        owner = _owner(words, at)
        if owner is not None:
            if owner in subject:
                return -sign
            if owner in values:
                return sign
        holder = _holder(words, at)
        if holder in subject:
            return sign
        if holder in values:
            return -sign
    return 0


def _owner(words: Sequence[Word], at: int) -> int | None:
    for before in (at - 1, at - 2):
        if before >= 0 and words[before].owns:
            return before
    if at + 1 < len(words) and words[at + 1].text == "of":
        return next((i for i in range(at + 2, min(at + 6, len(words))) if words[i].name), None)
    return None


def _holder(words: Sequence[Word], at: int) -> int | None:
    """Who is said to be it: the name before, with nothing but "is the" between."""
    i = at - 1
    while i >= 0 and words[i].text in (_BEING | _PARTICLES):
        i -= 1
    return i if i >= 0 and words[i].name and i < at - 1 else None


def flipped(
    words: Sequence[Word],
    subject: Sequence[int],
    found: dict[int, list[int]],
    fact: FactReading,
) -> bool:
    """Whether a free fact's subject and value have changed places around the same verb."""
    if not fact.free or not subject:
        return False
    own = (*fact.names, *fact.heads.words)
    said = _span(fact.said, own, fact.value.words)
    here = _span_of(min(subject), min(i for at in found for i in found[at]))
    if said is None or here is None:
        return False
    ours, theirs = fact.said[said[0] + 1 : said[1]], words[here[0] + 1 : here[1]]
    verbs = [w for w in ours if w.text not in STOP and not any(same(w, o) for o in own)]
    if not any(same(w, verb) for verb in verbs for w in theirs):
        return False
    if said[2] != here[2]:
        start = words[: here[0]]
        if any(lead_of(w) or w.text in _LINKS for w in start) or _preposed(fact, said):
            return False
    changes = (said[2] != here[2]) + (_passive(ours) != _passive(theirs))
    changes += any(is_kin(w.text) for w in ours) and _has(ours) != _has(theirs)
    return changes % 2 == 1


_LINKS = word_set("to from with of by for about what who that it which where when")


def _preposed(fact: FactReading, said: tuple[int, int, bool]) -> bool:
    """Whether the value is a place or a time, which may stand first as well as last."""
    before = fact.said[max(0, said[1] - 2) : said[1]]
    return bool(fact.value.lead) or any(
        lead_of(w) or w.text in _LINKS - {"of", "by"} for w in before
    )


def _span(
    words: Sequence[Word], one: Iterable[Word], two: Iterable[Word]
) -> tuple[int, int, bool] | None:
    first, second = _first(words, one), _first(words, two)
    return None if first < 0 or second < 0 else _span_of(first, second)


def _span_of(one: int, two: int) -> tuple[int, int, bool] | None:
    return None if one == two else (min(one, two), max(one, two), one < two)


def _passive(words: Sequence[Word]) -> bool:
    return any(word.text == "by" for word in words)


def _has(words: Sequence[Word]) -> bool:
    return any(word.text in ("has", "have", "had") for word in words)


def _first(words: Sequence[Word], wanted: Iterable[Word]) -> int:
    sought = list(wanted)
    return next((i for i, w in enumerate(words) if any(same(w, o) for o in sought)), -1)
