"""A wording table: several ways to say one thing, some of them for one tone of voice only."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from random import Random
from string import Formatter

from sociolab.worlds.sotopia.scripted.temper import Tone


class Table:
    """Ways to say one thing. `{slots}` are filled in; `warm` and `cool` lines are for that tone.

    Each way is known by its longest stretch without a slot, so that a line which was said before,
    by whomever, is not said again and can be recognised in the history.
    """

    def __init__(self, *plain: str, warm: tuple[str, ...] = (), cool: tuple[str, ...] = ()) -> None:
        marked = {tone: tuple((text, _mark(text)) for text in lines) for tone, lines in (
            ("plain", plain), ("warm", warm), ("cool", cool)
        )}  # fmt: skip
        self._variants: dict[Tone, tuple[tuple[str, str], ...]] = {
            "plain": marked["plain"],
            "warm": marked["warm"] + marked["plain"],
            "cool": marked["cool"] + marked["plain"],
        }
        self.texts = (*plain, *warm, *cool)
        self._marks = tuple(mark for lines in marked.values() for _, mark in lines)

    def line(self, tone: Tone, chance: Random, said: str, slots: Mapping[str, str]) -> str:
        """One way to say it that does not occur in `said`; any, where all of them do."""
        variants = self._variants[tone]
        count = len(variants)
        start = int(chance.random() * count)
        for step in range(count):
            text, mark = variants[(start + step) % count]
            if mark not in said:
                return text.format_map(slots) if slots else text
        text = variants[start][0]
        return text.format_map(slots) if slots else text

    def spoke(self, text: str) -> bool:
        """Whether this text holds a line of this table."""
        return _holds(self, text)

    @property
    def marks(self) -> tuple[str, ...]:
        """By what each line is known."""
        return self._marks


@lru_cache(maxsize=8192)
def _holds(table: Table, text: str) -> bool:
    # Every turn asks this of the whole history again, so the answers are kept.
    for mark in table.marks:  # noqa: SIM110 - half the time of any(...)
        if mark in text:
            return True
    return False


def _mark(text: str) -> str:
    return max((literal for literal, *_ in Formatter().parse(text)), key=len)
