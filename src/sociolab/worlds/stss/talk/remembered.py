"""What a side of a conversation task remembers, to be read as any resident's memory is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache

from sociolab.town.memory import HashingEmbedder, Relevance
from sociolab.town.thoughts import Memory


@dataclass(frozen=True)
class Remembered:
    """Memories, best first, as a `Recall`: reading leaves no mark."""

    memories: tuple[Memory, ...] = ()

    def recall(self, query: str, most: int) -> tuple[Memory, ...]:
        """Those that have most to do with the query, the better one first where two are equal."""
        if not self.memories:
            return ()
        cosines = self._relevance.to(query).tolist()
        order = sorted(range(len(self.memories)), key=lambda number: -cosines[number])
        return tuple(self.memories[number] for number in order[: max(most, 0)])

    def latest(self, most: int) -> tuple[Memory, ...]:
        """The newest memories, oldest of them first."""
        return self._by_time[-most:] if most > 0 else ()

    def until(self, moment: datetime) -> Remembered:
        """What was remembered at an earlier moment."""
        return Remembered(tuple(one for one in self.memories if one.when <= moment))

    @cached_property
    def _by_time(self) -> tuple[Memory, ...]:
        return tuple(sorted(self.memories, key=lambda one: one.when))

    @cached_property
    def _relevance(self) -> Relevance:
        found = Relevance(_embedder())
        for one in self.memories:
            found.add(one.text)
        return found


@lru_cache(maxsize=1)
def _embedder() -> HashingEmbedder:
    """One for all, as it keeps the vectors of words."""
    return HashingEmbedder()
