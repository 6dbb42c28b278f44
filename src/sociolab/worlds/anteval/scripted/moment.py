"""The moment when a scripted player has its turn: what it has seen, and how it puts things."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from random import Random

from sociolab.core.episode import Action
from sociolab.core.ports import Line, Request
from sociolab.core.seeding import stream
from sociolab.worlds.anteval.scripted.hearing import News, news
from sociolab.worlds.anteval.scripted.phrases import Table, asks, content, table, tables
from sociolab.worlds.anteval.scripted.temper import Temper, temper
from sociolab.worlds.anteval.scripted.things import things_in
from sociolab.worlds.anteval.telling import ACT, PASS, SPEAK
from sociolab.worlds.anteval.visibility import TableView

_THEIR = {"he": "his", "she": "her", "it": "its"}


@dataclass
class Moment:
    """One turn of one seat. `chance` draws for this turn, `habit` for the seat's whole session."""

    key: tuple[int, str, str]

    view: TableView
    temper: Temper
    chance: Random
    habit: Random
    lines: tuple[Line, ...]
    turn: int
    limit: int

    @cached_property
    def said(self) -> str:
        """All that was said and done, as far as this seat knows."""
        return "\n".join(action.text for line in self.lines for action in line.actions)

    @cached_property
    def teller(self) -> str:
        """How the one is called whom the party met."""
        if self.view.npc:
            return self.view.me.first_name
        return next(one.called for one in self.view.others if one.npc)

    @cached_property
    def people(self) -> frozenset[str]:
        """Everybody's names."""
        return frozenset((self.view.me.name, *(one.name for one in self.view.others)))

    @cached_property
    def news(self) -> tuple[News, ...]:
        """What was said about the world."""
        return news(self.lines, self.people, self.teller)

    @cached_property
    def own(self) -> int:
        """How many turns of this seat are over."""
        return sum(line.you for line in self.lines)

    @property
    def seats(self) -> int:
        """How many sit at the table."""
        return len(self.view.others) + 1

    @cached_property
    def since(self) -> tuple[Line, ...]:
        """What happened since this seat's last turn."""
        last = max((i for i, line in enumerate(self.lines) if line.you), default=-1)
        return self.lines[last + 1 :]

    @cached_property
    def other(self) -> str:
        """The companion who spoke or acted last, or else one by habit."""
        friends = [one.called for one in self.view.others if not one.npc]
        for line in reversed(self.lines):
            if line.who in friends:
                return line.who
        return friends[self.turn % len(friends)] if friends else ""

    @cached_property
    def slots(self) -> dict[str, str]:
        """What stands for the slots that every phrase may have."""
        me = self.view.me
        subject = me.pronouns.casefold().partition("/")[0].strip()
        things = things_in(self.view.situation)
        return {
            "me": me.first_name,
            "npc": self.teller,
            "other": self.other,
            "asker": self.other,
            "their": _THEIR.get(subject, "their"),
            "thing": self.chance.choice(things) if things else "",
        }

    def draws_for(self, what: str) -> Random:
        """Draws that are the same for this seat and this content in every turn."""
        return stream(*self.key, what)

    def word(self, file: str, occasion: str, more: Mapping[str, str] | None = None) -> str:
        """A phrase for this occasion that nobody used yet; empty where there is none."""
        slots = {**self.slots, **more} if more else self.slots
        return tables(file)[occasion].fresh(self.chance, self.said, slots)

    def small_talk(self) -> str:
        """A question about this and that; empty where all were asked."""
        return asks().fresh(self.chance, self.said, self.slots)

    def strives(self, line: Line) -> bool:
        """Whether somebody does more in a turn than shift about."""
        return any(action.kind == ACT and not _is_small(action.text) for action in line.actions)

    def deed(self) -> str:
        """A small deed that fits anybody, or this character's class."""
        own = _class_deeds().get(self.view.me.class_name)
        if own and not self.view.npc and self.chance.random() < 0.3:
            found = own.fresh(self.chance, self.said, self.slots)
            if found:
                return found
        return self.word("acts", "npc" if self.view.npc else "party")

    def turn_of(self, words: str, deed: str = "") -> tuple[Action, ...]:
        """A turn with these words, with this deed, with both, or a pass where there is neither."""
        actions = []
        if deed:
            actions.append(Action(ACT, deed))
        if words:
            actions.append(Action(SPEAK, words))
        if len(actions) == 2 and self.chance.random() < 0.3:
            actions.reverse()
        return tuple(actions) or (Action(PASS),)

    def says(self, words: str) -> tuple[Action, ...]:
        """A turn with these words and, as restless as one is, with a small deed."""
        often = 0.5 if self.view.form == "information" else 0.8
        deed = self.deed() if self.chance.random() < often * self.temper.restless else ""
        return self.turn_of(words, deed)


def moment(request: Request) -> Moment:
    """The moment of this request; its view must be a TableView."""
    shown = request.observation
    key = (request.seed, request.trial, request.seat)
    return Moment(
        key=key,
        view=shown.view,
        temper=temper(shown.view.me),
        chance=stream(*key, request.turn, request.name),
        habit=stream(*key, "habit"),
        lines=shown.history,
        turn=request.turn,
        limit=shown.limit,
    )


@cache
def _class_deeds() -> dict[str, Table]:
    return {name: table(texts) for name, texts in content("acts")["class"].items()}


@lru_cache(maxsize=65536)
def _is_small(deed: str) -> bool:
    small = (tables("acts")["party"], tables("acts")["npc"], *_class_deeds().values())
    return any(one.used(deed) for one in small)
