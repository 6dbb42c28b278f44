"""A talk as it stands for the one who is to speak."""

from __future__ import annotations

import random
from dataclasses import dataclass

from sociolab.core.seeding import stream
from sociolab.town.scripted.business import News, news_for, open_task
from sociolab.town.scripted.earlier import on_table
from sociolab.town.scripted.proposals import Proposal
from sociolab.town.scripted.settled import talks
from sociolab.town.scripted.task_reading import Task
from sociolab.town.scripted.understanding import Heard, read
from sociolab.town.scripted.where import town_of
from sociolab.town.thoughts import Utter


@dataclass(frozen=True, slots=True)
class Moment:
    """The question with what is on the table, and what the other said last (`words`, `last`).

    `mine` counts one's own utterances so far; `task` is one's task if the other should still be
    asked; `news` what one could pass on.
    """

    question: Utter
    table: Proposal | None
    last: Heard | None
    words: str
    mine: int
    task: Task | None
    news: News | None
    chance: random.Random

    @property
    def name(self) -> str:
        """The other's first name."""
        return self.question.other.name.split()[0]

    @property
    def settled(self) -> bool:
        """Whether what was on the table has been answered."""
        return self.table is not None and self.table.status != "open"

    def has_said(self, *words: str) -> bool:
        """Whether one has already said one of these in this talk."""
        me = self.question.me.resident.id
        mine = tuple(line.text for line in self.question.lines if line.who == me)
        return any(word in text for word in words for text in mine)


def moment_of(question: Utter) -> Moment:
    """What the question means for who is to speak."""
    me, lines = question.me, question.lines
    theirs = tuple(line for line in lines if line.who == question.other.id)
    known = talks(me, question.memories)
    last = theirs[-1].text if theirs else ""
    return Moment(
        question,
        on_table(question, known),
        read(last, me.now, town_of(me)) if theirs else None,
        last,
        len(lines) - len(theirs),
        open_task(me, question.other, known, question.commitments),
        news_for(me, question.other, question.commitments, known),
        stream(question.asked.seed, "says", me.resident.id, question.asked.step),
    )
