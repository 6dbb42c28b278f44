"""What every part of a life has at hand: the clock, oneself as a question shows it, memory."""

from __future__ import annotations

from datetime import datetime

from sociolab.town.life.person import Person
from sociolab.town.life.surroundings import Surroundings
from sociolab.town.memory.stream import Kind
from sociolab.town.thoughts import Asked, Me, Memory
from sociolab.town.trace.records import Remembered


class Thinking:
    """A resident in its surroundings."""

    def __init__(self, me: Person, around: Surroundings) -> None:
        self.me = me
        self.around = around
        self.clock = around.clock

    def now(self) -> datetime:
        """The moment of the resident's own step."""
        return self.clock.at(self.me.step)

    def asked(self, question: str) -> Asked:
        """The head of a question that is put now."""
        return self.around.asked(self.me, question, self.me.step)

    def myself(self) -> Me:
        """The resident as it is now."""
        return self.around.me(self.me, self.me.step)

    def recalled(self, query: str) -> tuple[Memory, ...]:
        """What comes to mind; it counts as accessed now."""
        return self.around.comes_to_mind(self.me, self.me.step, query)

    def keep(self, kind: Kind, text: str, importance: int | None = None) -> Memory:
        """Remember something."""
        me = self.me
        index = me.memory.add(me.step, kind, text, importance)
        me.records.append(Remembered(me.step, me.id, kind, text, importance))
        return me.memory[index]
