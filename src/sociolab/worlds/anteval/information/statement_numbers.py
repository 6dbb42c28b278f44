"""Numbers in a sentence: figures and number words."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.worlds.anteval.information.lexicon import NUMBERS

_MULTIPLES = {"dozen": 12, "hundred": 100, "thousand": 1000}
_NO_NUMBER = frozenset(("once", "pair", "single"))


def number_at(tokens: Sequence[str], at: int) -> tuple[str, int] | None:
    """The number that begins at this token, in figures, and how many tokens it takes.

    "one" and "a" count only before "hundred", "thousand" or "dozen".
    """
    first = tokens[at].casefold().replace(",", "")
    if first.isdigit():
        return str(int(first)), 1
    following = _word(tokens, at + 1)
    if first in ("one", "a"):
        if following not in _MULTIPLES:
            return None
        total = 1
    elif first in _NO_NUMBER or (value := _value(first)) is None:
        return None
    else:
        total = value
    taken = 1
    while found := _continued(tokens, at + taken, total):
        total, more = found
        taken += more
    return str(total), taken


def _continued(tokens: Sequence[str], at: int, total: int) -> tuple[int, int] | None:
    """The total with what follows, and how many tokens that is; None where the number ends."""
    word = _word(tokens, at)
    if word in _MULTIPLES:
        return total * _MULTIPLES[word], 1
    skipped = 0
    if word == "-" or (word == "and" and total >= 100):
        skipped = 1
        word = _word(tokens, at + 1)
    value = _value(word)
    if value is None:
        return None
    fits = value < 100 and total % 100 == 0 if total >= 100 else False
    fits = fits or (value < 10 and total % 10 == 0 and total % 100 >= 20)
    return (total + value, 1 + skipped) if fits else None


def _value(word: str) -> int | None:
    """The value of "seven" or "forty-one"."""
    tens, hyphen, ones = word.partition("-")
    if not hyphen:
        return NUMBERS.get(word)
    if tens in NUMBERS and NUMBERS.get(ones, 10) < 10:
        return NUMBERS[tens] + NUMBERS[ones]
    return None


def _word(tokens: Sequence[str], at: int) -> str:
    return tokens[at].casefold() if at < len(tokens) else ""
