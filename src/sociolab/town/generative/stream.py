"""The memory stream: what is remembered, recalled, and concluded.

Generative Agents, sections 4.1 and 4.2. Every memory is rated as it comes; retrieval weighs
recency, importance and relevance; a conclusion cites its evidence.
"""

from __future__ import annotations

from typing import Literal

from sociolab.models.vectors import decode_vector
from sociolab.town.embedding import Embed
from sociolab.town.life import Living, Thinking
from sociolab.town.memory import MemoryKind
from sociolab.town.questions import Memory
from sociolab.town.questions.generative import (
    DrawInsights,
    RatedKind,
    RateMemories,
    RateMemory,
    SalientQuestions,
)

RECALLED = 30
"""Memories for each focal point."""

RECENT = 100
"""The number of latest memories from which salient questions are drawn (section 4.2)."""

PLAN_IMPORTANCE = 5
"""Importance of a day's plan: fixed, as in the code of the paper."""

_KINDS: dict[MemoryKind, RatedKind] = {
    "known": "memory",
    "talk": "conversation",
    "thought": "thought",
}


class Stream(Thinking):
    # -------------------------------------------------------------- keeping

    def remember(self, kind: MemoryKind, *texts: str) -> Living[None]:
        """Store new memories with ratings, and reflect when enough importance has built up."""
        ratings = yield from self._rate(kind, texts)
        for text, rating in zip(texts, ratings, strict=True):
            self.keep(kind, text, rating)
        yield from self.reflect()

    def observe(self, kind: Literal["seen", "done"], *texts: str) -> Living[None]:
        """Store what happens, unless observation is ablated."""
        if texts and "observation" not in self.around.setting.without:
            yield from self.remember(kind, *texts)

    def _rate(self, kind: MemoryKind, texts: tuple[str, ...]) -> Living[list[int | None]]:
        if len(texts) > 1 and "importance" in self.around.setting.merge:
            answer = yield self.ask(RateMemories, texts)
            return [*answer.ratings] if answer is not None else [None] * len(texts)
        ratings: list[int | None] = []
        for text in texts:
            answer = yield self.ask(RateMemory, _KINDS.get(kind, "event"), text)
            ratings.append(None if answer is None else answer.rating)
        return ratings

    # -------------------------------------------------------------- recalling

    def recall(
        self, *points: str, most: int = RECALLED, step: int | None = None
    ) -> Living[tuple[Memory, ...]]:
        """Retrieve memories for each focal point, in order, each memory once.

        `step` is passed in a talk, which does not know the resident's own step (see `converse`).
        """
        numbers = yield from self._find(points, most, self.me.step if step is None else step)
        return tuple(self.me.memory[number] for number in numbers)

    def _find(self, points: tuple[str, ...], most: int, step: int) -> Living[tuple[int, ...]]:
        me = self.me
        if me.vectors is not None:
            texts = me.vectors.missing((*me.memory.texts(), *points))
            if texts:
                answer = yield self.ask(Embed, texts, step=step)
                if answer is not None:
                    me.vectors.supply(texts, [decode_vector(vector) for vector in answer.vectors])
        numbers: dict[int, None] = {}
        for point in points:
            numbers |= dict.fromkeys(me.memory.find(step, point, most))
        return tuple(numbers)

    # -------------------------------------------------------------- reflecting

    def reflect(self) -> Living[None]:
        """When it is time, ask three questions about recent memories, and draw insights
        for each."""
        me = self.me
        if me.memory.importance_since < self.around.rules.reflect_at:
            return
        me.memory.reset_importance()
        if "reflection" in self.around.setting.without:
            return
        answer = yield self.ask(SalientQuestions, me.memory.latest(RECENT))
        for question in answer.questions if answer is not None else ():
            numbers = yield from self._find((question,), RECALLED, me.step)
            memories = tuple(me.memory[number] for number in numbers)
            drawn = yield self.ask(DrawInsights, question, memories)
            insights = drawn.insights if drawn is not None else ()
            texts = tuple(insight.insight for insight in insights)
            ratings = yield from self._rate("thought", texts)
            for insight, text, rating in zip(insights, texts, ratings, strict=True):
                evidence = tuple(sorted({numbers[number - 1] for number in insight.because}))
                self.keep("thought", text, rating, evidence)
