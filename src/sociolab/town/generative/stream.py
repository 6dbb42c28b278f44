"""What does a resident remember, what comes to its mind, and what does it conclude?

Generative Agents, sections 4.1 and 4.2. Every memory is rated as it comes, retrieval goes by
recency, importance and relevance, and what was concluded points to what it was concluded from.
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
"""Memories for a focal point."""

RECENT = 100
"""The latest memories, among which one looks for salient questions (section 4.2)."""

PLAN_IMPORTANCE = 5
"""Of a day's plan: nobody is asked, as in the code of the paper."""

_KINDS: dict[MemoryKind, RatedKind] = {
    "known": "memory",
    "talk": "conversation",
    "thought": "thought",
}


class Stream(Thinking):
    """One resident's memory stream."""

    # -------------------------------------------------------------- keeping

    def remember(self, kind: MemoryKind, *texts: str) -> Living[None]:
        """Keep new memories, rated; reflect when enough has built up."""
        ratings = yield from self._rated(kind, texts)
        for text, rating in zip(texts, ratings, strict=True):
            self.keep(kind, text, rating)
        yield from self.reflect()

    def observe(self, kind: Literal["seen", "done"], *texts: str) -> Living[None]:
        """Keep what happens, unless this is left out."""
        if texts and "observation" not in self.around.setting.without:
            yield from self.remember(kind, *texts)

    def _rated(self, kind: MemoryKind, texts: tuple[str, ...]) -> Living[list[int | None]]:
        if len(texts) > 1 and "importance" in self.around.setting.merge:
            answer = yield self.ask(RateMemories, texts)
            return [*answer.ratings] if answer is not None else [None] * len(texts)
        ratings: list[int | None] = []
        for text in texts:
            of = _KINDS.get(kind, "event")
            rated = yield self.ask(RateMemory, of, text)
            ratings.append(None if rated is None else rated.rating)
        return ratings

    # -------------------------------------------------------------- recalling

    def recall(
        self, *points: str, most: int = RECALLED, step: int | None = None
    ) -> Living[tuple[Memory, ...]]:
        """What comes to mind for each focal point, in order, each memory once.

        `step` is given in a talk: there one's own step is not told (see `converse`).
        """
        numbers = yield from self._find(points, most, self.me.step if step is None else step)
        return tuple(self.me.memory[number] for number in numbers)

    def _find(self, points: tuple[str, ...], most: int, step: int) -> Living[tuple[int, ...]]:
        """The numbers of these memories."""
        me = self.me
        if me.vectors is not None:
            texts = me.vectors.missing((*me.memory.texts(), *points))
            if texts:
                answer = yield self.ask(Embed, texts, step=step)
                if answer is not None:
                    me.vectors.give(texts, [decode_vector(vector) for vector in answer.vectors])
        numbers: dict[int, None] = {}
        for point in points:
            numbers |= dict.fromkeys(me.memory.find(step, point, most))
        return tuple(numbers)

    # -------------------------------------------------------------- reflecting

    def reflect(self) -> Living[None]:
        """Three questions about what happened lately, and insights into each, if it is time."""
        me = self.me
        if me.memory.importance_since < self.around.rules.reflect_at:
            return
        me.memory.reflected()
        if "reflection" in self.around.setting.without:
            return
        answer = yield self.ask(SalientQuestions, me.memory.latest(RECENT))
        for question in answer.questions if answer is not None else ():
            yield from self._conclude(question)

    def _conclude(self, question: str) -> Living[None]:
        numbers = yield from self._find((question,), RECALLED, self.me.step)
        memories = tuple(self.me.memory[number] for number in numbers)
        drawn = yield self.ask(DrawInsights, question, memories)
        insights = drawn.insights if drawn is not None else ()
        if not insights:
            return
        texts = tuple(i.insight for i in insights)
        ratings = yield from self._rated("thought", texts)
        for insight, text, rating in zip(insights, texts, ratings, strict=True):
            because = tuple(sorted({numbers[number - 1] for number in insight.because}))
            self.keep("thought", text, rating, because)
