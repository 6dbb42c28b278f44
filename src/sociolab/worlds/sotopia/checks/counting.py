"""How many of a good are meant: a number, all but one, the rest of them, three to two."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from sociolab.worlds.sotopia.checks.amounts import SMALL_NUMBERS
from sociolab.worlds.sotopia.checks.said_of_goods import Cue
from sociolab.worlds.sotopia.checks.words import word_set

_SKIPPED = word_set("of the my your our those these them that remaining other his her")
_ONE = word_set("a an another single one last first second third")
_UNCLEAR = word_set("some few several most more many any majority bigger fewer less extra")
_WHOLE = word_set("both all every whole entire")
_PARTS = word_set("rest remainder third")
_BETWEEN = word_set("to and : - against")
_FAVOUR = word_set("favour favor advantage benefit")
_NEAR = 8  # words

COUNTING = _SKIPPED | _ONE | word_set("the all both half rest remainder")
"""What may stand between a verb and a good, besides numbers."""
OTHER = {Cue.ME: Cue.YOU, Cue.YOU: Cue.ME}
"""Of two seats, the other one."""
REMAINING = -1
"""A count that follows from the other seat's."""

Count: TypeAlias = int | None
"""How many; None where it cannot be read."""


class Ratio(NamedTuple):
    """A larger and a smaller part, and who gets the larger; None if that is not said."""

    larger: int
    smaller: int
    favoured: Cue | None

    def parts(self, total: int) -> dict[Cue, Count]:
        """How many of so many are for whom."""
        whole = self.larger + self.smaller
        if self.favoured is None or whole == 0 or total % whole:
            return {Cue.ME: None, Cue.YOU: None}
        each = total // whole
        return {
            self.favoured: self.larger * each,
            OTHER[self.favoured]: self.smaller * each,
        }


def ratio_after(words: list[str], at: int) -> Ratio | None:
    """Three to two in my favour."""
    for one in range(at, min(at + _NEAR, len(words) - 2)):
        first, second = amount_of(words[one]), amount_of(words[one + 2])
        if first is not None and second is not None and words[one + 1] in _BETWEEN:
            after = words[one + 3 : one + 7]
            favoured = None
            if not _FAVOUR.isdisjoint(after):
                favoured = Cue.ME if "my" in after else Cue.YOU if "your" in after else None
            return Ratio(max(first, second), min(first, second), favoured)
    return None


def counted(words: list[str], start: int, total: int, plural: bool) -> Count:
    """How many of so many are meant, by the words before the good that begins at a place.

    `plural`: the good was named as the scenario does, and not as one piece of it.
    """
    other = parted = False
    for at in range(start - 1, max(start - 6, -1), -1):
        word = words[at]
        amount = amount_of(word)
        if amount is not None:
            return total - amount if words[at - 2 : at] == ["all", "but"] else amount
        if word in _WHOLE:
            return total
        if parted and word in _PARTS:
            return _part_of(word, total)
        if word in ("half", "halves"):
            return total // 2 if total % 2 == 0 else None
        if word in _ONE:
            return 1
        if word in _UNCLEAR:
            return None
        if word not in _SKIPPED:
            if parted:
                return None  # two thirds of them, the bulk of them
            break
        parted = parted or word == "of"
        other = other or word in ("other", "remaining")
    if total == 1:
        return 1
    if other:
        return REMAINING if plural else 1
    return total if plural else None


def _part_of(word: str, total: int) -> Count:
    """The rest of the apples, a third of them."""
    if word == "third":
        return total // 3 if total % 3 == 0 else None
    return REMAINING


def amount_of(word: str) -> Count:
    """The number that a word is; None if it is none."""
    if word.isdigit():
        return int(word)
    if word in ("zero", "none"):
        return 0
    return 2 if word in ("couple", "pair") else SMALL_NUMBERS.get(word)
