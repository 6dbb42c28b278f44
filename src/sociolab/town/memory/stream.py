"""A resident's memory stream: what it lived through, and what of it comes to mind.

Generative Agents, section 4.1: retrieval by recency, importance and relevance.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from sociolab.core.errors import WorldError
from sociolab.town.clock import Clock
from sociolab.town.memory.embedding import Embedder
from sociolab.town.memory.relevance import Relevance
from sociolab.town.thoughts import Memory

DECAY: Final = 0.995
"""What is left of a memory's recency after an hour of town time without access."""

PROVISIONAL: Final = 3
"""The importance that a memory counts with until it is rated: a little above the mundane."""

LIVED: Final = frozenset({"seen", "talk"})
"""The kinds whose importance builds up to a reflection: what happens, not what one makes of it."""

Kind: TypeAlias = Literal["seen", "talk", "thought", "plan", "known"]
Floats: TypeAlias = npt.NDArray[np.float64]


class MemoryStream:
    """Memories in the order in which they were added, numbered from 0.

    `now` is the current step, which the life sets; reading by `recall` and `latest` leaves no
    mark. Adding is cheap: a text is embedded when something is first looked for.
    """

    def __init__(self, clock: Clock, embedder: Embedder) -> None:
        self.now = 0
        self._clock = clock
        self._memories: list[Memory] = []
        self._accessed = np.zeros(32, np.int64)  # the step of the last access
        self._importance = np.zeros(32, np.float64)
        self._seen = np.zeros(32, np.bool_)
        self._relevance = Relevance(embedder)
        self._unrated: dict[str, list[int]] = {}
        self._rated: dict[str, int] = {}
        self._importance_since = 0

    def __len__(self) -> int:
        return len(self._memories)

    def __getitem__(self, index: int) -> Memory:
        return self._memories[index]

    def add(self, step: int, kind: Kind, text: str, importance: int | None = None) -> int:
        """The number of the new memory.

        Without `importance` it gets the rating that the same text was given before, if any.
        """
        index = len(self._memories)
        if importance is None:
            importance = self._rated.get(text)
        if importance is None:
            self._unrated.setdefault(text, []).append(index)
        self._memories.append(Memory(self._clock.at(step), kind, text, importance))
        if index == len(self._accessed):
            self._accessed, self._importance = _longer(self._accessed), _longer(self._importance)
            self._seen = _longer(self._seen)
        self._accessed[index] = step
        self._seen[index] = kind == "seen"
        self._importance[index] = PROVISIONAL if importance is None else importance
        self._relevance.add(text)
        self._build_up(index)
        return index

    def unrated(self) -> tuple[int, ...]:
        """The memories to be rated, oldest first; of those with the same text only the first."""
        return tuple(alike[0] for alike in self._unrated.values())

    def rate(self, index: int, importance: int) -> None:
        """A memory that was unrated has this importance (1 to 10), and so has its text."""
        text = self._memories[index].text
        if text not in self._unrated or not 1 <= importance <= 10:
            raise WorldError(
                f"expected a rating from 1 to 10 of an unrated memory, found {importance} "
                f'for number {index}, "{text}".'
            )
        self._rated[text] = importance
        for alike in self._unrated.pop(text):
            self._memories[alike] = replace(self._memories[alike], importance=importance)
            self._importance[alike] = importance
            self._build_up(alike)

    @property
    def importance_since(self) -> int:
        """The sum of the importance of what was lived through and rated since `reflected`.

        A memory rated late counts when it is rated, so that each counts once.
        """
        return self._importance_since

    def reflected(self) -> None:
        """The resident has reflected: importance builds up from zero again."""
        self._importance_since = 0

    def retrieve(
        self, step: int, query: str, most: int, glimpses: int | None = None
    ) -> tuple[Memory, ...]:
        """The memories that score highest at this step, best first; this is an access to them.

        At most `glimpses` of them are of what was merely seen: these are many, and crowd out what
        was said.
        """
        best = self._best(step, query, most, glimpses)
        self._accessed[best] = step
        return tuple(self._memories[index] for index in best)

    def recall(self, query: str, most: int) -> tuple[Memory, ...]:
        """See `Recall`: as `retrieve`, now, but no access."""
        return tuple(self._memories[index] for index in self._best(self.now, query, most))

    def latest(self, most: int) -> tuple[Memory, ...]:
        """See `Recall`."""
        return tuple(self._memories[max(0, len(self._memories) - most) :])

    def scores(self, step: int, query: str) -> Floats:
        """[memories]: recency, importance and relevance, each scaled to [0, 1], added; 0 to 3.

        Recency is 0.995 to the power of the hours since the last access; relevance is the cosine
        between a memory and the query.
        """
        size = len(self._memories)
        hours = (step - self._accessed[:size]) * (self._clock.seconds / 3600)
        total = scaled(DECAY**hours)
        total += scaled(self._importance[:size])
        total += scaled(self._relevance.to(query))
        return total

    def _best(self, step: int, query: str, most: int, glimpses: int | None = None) -> list[int]:
        """The numbers of the memories that score highest; of two that score the same, the newer."""
        if not self._memories:
            return []
        scores = self.scores(step, query)
        if glimpses is None:
            return _highest(scores, np.arange(len(scores)), most)
        seen = self._seen[: len(scores)]
        best = _highest(scores, np.flatnonzero(~seen), most)
        best += _highest(scores, np.flatnonzero(seen), min(glimpses, most))
        return sorted(best, key=lambda index: (-scores[index], -index))[:most]

    def _build_up(self, index: int) -> None:
        memory = self._memories[index]
        if memory.importance is not None and memory.kind in LIVED:
            self._importance_since += memory.importance


def scaled(values: npt.NDArray[Any]) -> Floats:
    """The least becomes 0, the greatest 1; all become 0 if they are the same: none stands out."""
    if not len(values):
        return np.zeros(0)
    low, high = float(values.min()), float(values.max())
    if low == high:
        return np.zeros(len(values))
    found: Floats = np.subtract(values, low, dtype=np.float64)
    found /= high - low
    return found


_Numbers = npt.NDArray[Any]


def _longer(numbers: _Numbers) -> _Numbers:
    return np.concatenate([numbers, np.zeros_like(numbers)])


def _highest(scores: Floats, among: npt.NDArray[np.intp], most: int) -> list[int]:
    """Of these numbers the ones that score highest, best first; the higher number of two alike."""
    most = min(most, len(among))
    if most <= 0:
        return []
    theirs = scores[among]
    enough = among[theirs >= np.partition(theirs, len(theirs) - most)[len(theirs) - most]]
    best = sorted(zip(scores[enough].tolist(), enough.tolist(), strict=True), reverse=True)
    return [index for _, index in best[:most]]
