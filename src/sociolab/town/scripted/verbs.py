"""Verbs in the form that actions are written in: "taking a walk", "working as a barista"."""

from __future__ import annotations

import re
from functools import lru_cache

_DOUBLED = {"run", "jog", "swim", "sit", "get", "plan", "shop", "put", "set", "cut", "chat", "win"}
_FIXED = {"is": "being", "has": "having", "does": "doing", "goes": "going", "lies": "lying"}
_NOUNS = {"evening", "morning", "during", "thing", "something", "spring", "string", "king", "ring"}
# Verbs whose third person is that of "-ess", "-tch" and the like, and those that keep their s.
_ES = re.compile(r"(?:ss|sh|ch|x|zz|o)es$")


@lru_cache(maxsize=4096)
def doing(phrase: str) -> str:
    """A phrase that begins with a verb, as an action: "picks up flour" is "picking up flour"."""
    first, _, rest = phrase.strip().partition(" ")
    word = first.lower()
    if word.endswith("ing") and word not in _NOUNS and len(word) > 4:
        made = word
    else:
        made = _FIXED.get(word) or _gerund(_stem(word))
    return f"{made} {rest}".strip()


def _stem(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if _ES.search(word):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _gerund(stem: str) -> str:
    if stem in _DOUBLED:
        return f"{stem}{stem[-1]}ing"
    if stem.endswith("e") and not stem.endswith(("ee", "oe", "ye")) and stem != "be":
        return f"{stem[:-1]}ing"
    return f"{stem}ing"


def plain(phrase: str) -> str:
    """Lower case, each run of spaces one: for comparing what was said with what was noted."""
    return " ".join(phrase.lower().split())
