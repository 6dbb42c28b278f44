"""What no example was made of, and why."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from sociolab.report.words import plural

_MANY = {"pair of replies": "pairs of replies", "seat of an episode": "seats of episodes"}


class Why(NamedTuple):
    """What was left out, in the singular, and what is wrong with it."""

    what: str
    why: str


class LeftOut(Counter[Why]):
    """How many things were left out, by what they are and why."""

    def add(self, what: str, why: str, count: int = 1) -> None:
        """So many more; nothing is noted of none."""
        if count:
            self[Why(what, why)] += count

    def sentence(self) -> str:
        """Such as "3 turns with an unusable reply; 1 episode that failed"; "" where none was.

        The most comes first, whatever was read first.
        """
        return "; ".join(
            f"{plural(count, one.what, _MANY.get(one.what, ''))} {one.why}"
            for one, count in sorted(self.items(), key=lambda item: (-item[1], item[0]))
        )
