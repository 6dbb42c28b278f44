"""A compound statement taken apart, so that each part says one thing and names its subject."""

from __future__ import annotations

import re

from sociolab.worlds.anteval.information.lexicon import is_known, relations, word_set
from sociolab.worlds.anteval.information.statement_reading import VERBS, plain

_OF_MANY = word_set("number obey nest live stir hunt flee follow come serve")
"""Verbs of a subject that is many."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|;\s*")
_JOINT = re.compile(
    r",?\s+(?:and|but|while|whereas)\s+(?:also\s+|then\s+)?|,\s+(?=(?:it|they|he|she)\b)"
)
_PRONOUN = re.compile(r"^(?:it|they|he|she|this|that one)\b(?:'s\b)?", re.IGNORECASE)
_CONTRACTED = re.compile(r"^(it|they|he|she)'(s|re)\b", re.IGNORECASE)


def split_statement(text: str) -> tuple[str, ...]:
    """The parts of a compound statement, in order; one that says one thing comes back alone.

    A part that begins with a pronoun or a verb is given the subject of the part before it:
    "The axe is made of tin and belongs to Orla" becomes "The axe is made of tin" and "The axe
    belongs to Orla".
    """
    parts: list[str] = []
    subject = ""
    for sentence in _SENTENCE.split(plain(text)):
        for clause in _clauses(sentence.strip().rstrip(".!")):
            own = _with_subject(clause, subject)
            subject = _subject(own) or subject
            parts.append(own)
    return tuple(parts)


def _clauses(sentence: str) -> list[str]:
    """Cut where a pronoun, a verb or a new subject with its verb follows."""
    clauses: list[str] = []
    start = 0
    for joint in _JOINT.finditer(sentence):
        if _is_clause(sentence[joint.end() :]) and _is_clause(sentence[start : joint.start()]):
            clauses.append(sentence[start : joint.start()])
            start = joint.end()
    clauses.append(sentence[start:])
    return [clause for clause in clauses if clause]


def _is_clause(text: str) -> bool:
    return any(_is_verb(word) for word in text.split()[:8])


def _is_verb(word: str) -> bool:
    word = word.casefold().strip(",.;:!?\"'")
    inflected = word.endswith(("s", "ed")) and bool(relations(word))
    return (
        word in VERBS or word in _OF_MANY or word.endswith("n't") or word == "cannot" or inflected
    )


def _with_subject(clause: str, subject: str) -> str:
    if not subject:
        return clause
    clause = _CONTRACTED.sub(
        lambda found: f"{found[1]} {'is' if found[2] == 's' else 'are'}", clause
    )
    if _PRONOUN.match(clause):
        return _PRONOUN.sub(subject, clause, count=1)
    return f"{subject} {clause}" if _is_verb(clause.split()[0]) else clause


def _subject(clause: str) -> str:
    """What stands before the first verb, if there is a name in it."""
    words = clause.split()
    for at, word in enumerate(words):
        if at and (_is_verb(word) or (_is_name(words[at - 1]) and relations(word))):
            before = words[:at]
            return " ".join(before) if any(map(_is_name, before)) else ""
    return ""


def _is_name(word: str) -> bool:
    return word[:1].isupper() and not is_known(word.casefold())
