"""The moment when a scripted player has its turn: what it has seen, and how it puts things."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from sociolab.core.episode import Action
from sociolab.core.ports import Line, Request
from sociolab.core.seeding import digest, stream
from sociolab.worlds.sotopia.profiles import Character, RelationshipType
from sociolab.worlds.sotopia.scene import LEAVE, NON_VERBAL, PHYSICAL, SPEAK, SotopiaView
from sociolab.worlds.sotopia.scripted.temper import Temper, temper
from sociolab.worlds.sotopia.scripted.wording import shared
from sociolab.worlds.sotopia.scripted.wording.table import Table

_LONGEST = 165
"""A line that would get longer than this gets no further sentence, in characters."""

_NOTHING: Mapping[str, str] = {}
_OPTIONAL = (shared.GREET_BACK_KNOWN, shared.GREET_BACK_STRANGER)


@dataclass(slots=True)
class Moment:
    """One turn of one seat.

    `habit` (0 to 1) is this seat's for the whole episode, `chance` draws for this turn. `name` is
    the partner's, as far as it is known, and `met` says that they knew each other before. `talk`
    holds the lines with words (index in the history, whether own, words), `said` all that was
    said or done. `own` counts the own turns that are over, `left` those to come, this one
    included; `quiet` says that the last own turn had no words.
    """

    me: Character
    view: SotopiaView
    temper: Temper
    chance: Random
    habit: float
    name: str | None
    met: bool
    lines: tuple[Line, ...]
    talk: list[tuple[int, bool, str]]
    said: str
    own: int
    left: int
    quiet: bool

    def word(self, table: Table, slots: Mapping[str, str] = _NOTHING) -> str:
        """One line of a table, in this character's tone and not said before."""
        return table.line(self.temper.tone, self.chance, self.said, slots)

    def speak(self, text: str, chat: Table = shared.CHAT) -> Action:
        """This character says this and, if it is talkative or anxious, a sentence more."""
        return Action(SPEAK, text + self._aside(len(text), chat))

    def plainly(self, text: str) -> Action:
        """This character says this and no more."""
        return Action(SPEAK, text)

    def shows(self, table: Table) -> Action:
        """A look or a gesture from a table."""
        return Action(NON_VERBAL, self.word(table))

    def does(self, table: Table, slots: Mapping[str, str] = _NOTHING) -> Action:
        """Something that this character does, from a table."""
        return Action(PHYSICAL, self.word(table, slots))

    def leave(self) -> Action:
        """This character goes."""
        return Action(LEAVE)

    def greeting(self) -> str:
        """How this character begins, with a space after it; empty where it says nothing first."""
        known = {"me": self.me.first_name, "name": self.name or ""}
        greeted = bool(self.talk)
        if self.name and self.met:
            table = shared.GREET_BACK_KNOWN if greeted else shared.GREET_KNOWN
        elif self.name:
            table = shared.GREET_INTRODUCED
        elif self.habit < 0.3 + self.temper.talk:
            table = shared.GREET_WITH_NAME
        else:
            table = shared.GREET_BACK_STRANGER if greeted else shared.GREET_STRANGER
        if greeted and table in _OPTIONAL and self.chance.random() < 0.5:
            return ""
        return self.word(table, known) + " "

    def _aside(self, length: int, chat: Table) -> str:
        if length > _LONGEST - 40:
            return ""
        draw = self.chance.random()
        if draw < self.temper.worry:
            text = self.word(shared.WORRY)
        elif draw < self.temper.worry + 0.5 * self.temper.talk:
            text = self.word(chat)
        elif draw > 0.94 and self.me.schwartz_values + self.me.moral_values:
            held = self.me.moral_values + self.me.schwartz_values
            table = shared.VALUES.get(held[int(self.habit * len(held))].lower())
            text = self.word(table) if table else ""
        else:
            return ""
        return f" {text}" if text and text not in self.said else ""


def moment(request: Request) -> Moment:
    """The moment of this request; its view must be SOTOPIA's."""
    observation = request.observation
    view: SotopiaView = observation.view
    lines = observation.history
    talk: list[tuple[int, bool, str]] = []
    said: list[str] = []
    own, words = 0, ""
    for index, line in enumerate(lines):
        spoken = _words(line)
        if spoken:
            talk.append((index, line.you, spoken))
        if line.you:
            own, words = own + 1, spoken
        said += [action.text for action in line.actions]
    seats = len(observation.others) + 1
    alone = len(view.others) == 1
    label, known = next(iter(view.others.items()))
    return Moment(
        me=view.me,
        view=view,
        temper=temper(view.me),
        chance=stream(request.seed, request.trial, request.seat, request.turn),
        habit=_habit(request.seed, request.trial, request.seat),
        name=label if alone and known.name is not None else None,
        met=known.relationship is not RelationshipType.STRANGER,
        lines=lines,
        talk=talk,
        said="\n".join(said),
        own=own,
        left=max(1, (observation.limit - observation.turn + seats - 1) // seats),
        quiet=own > 0 and not words,
    )


def _words(line: Line) -> str:
    """The first words that were spoken in a turn; empty if none were."""
    for action in line.actions:
        if action.kind == SPEAK and action.text:
            return action.text
    return ""


@lru_cache(maxsize=1024)
def _habit(seed: int, trial: str, seat: str) -> float:
    return int(digest(seed, trial, seat, size=4), 16) / 2**32
