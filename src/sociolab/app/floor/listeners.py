"""Who wants to know when a person's screen may look different."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class Listeners:
    """The windows of people that are open now."""

    def __init__(self) -> None:
        self._of: defaultdict[int, set[asyncio.Event]] = defaultdict(set)

    def __contains__(self, person: object) -> bool:
        return person in self._of

    @contextmanager
    def listening(self, person: int) -> Iterator[asyncio.Event]:
        """An event that is set whenever the person's screen may have changed."""
        changed = asyncio.Event()
        self._of[person].add(changed)
        try:
            yield changed
        finally:
            self._of[person].discard(changed)
            if not self._of[person]:
                del self._of[person]

    def tell(self, people: Iterable[int]) -> None:
        """Their screens may have changed."""
        for person in people:
            for changed in self._of.get(person, ()):
                changed.set()

    def tell_all(self) -> None:
        """Everybody's."""
        self.tell(list(self._of))
