"""Questions of every kind, as a life in a small town puts them: for minds to answer in tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta
from typing import Any

from sociolab.town.questions import (
    QUESTIONS,
    Asked,
    Block,
    Commitment,
    DayReminder,
    Line,
    Me,
    Memory,
    MindQuestion,
    Other,
    TalkOrNot,
    TalkReminder,
    Utter,
)
from sociolab.town.residents import Resident

STOCK_DAY = date(2024, 5, 13)
STOCK_GOAL = (
    "Hold a seed swap on Tuesday 14 May 2024 from 17:00 to 18:30 at Heron Park: bandstand, and "
    "have Ben Ashdown come."
)
STOCK_OBJECTS: dict[str, tuple[str, ...]] = {
    "3 Mill Lane: bedroom": ("bed", "wardrobe"),
    "3 Mill Lane: kitchen": ("stove", "table", "sink"),
    "3 Mill Lane: living room": ("sofa", "bookshelf"),
    "Finch Hardware: shop floor": ("counter", "shelf"),
    "Finch Hardware: workshop": ("workbench", "lathe"),
    "Heron Park: bandstand": ("bench",),
    "Heron Park: meadow": (),
    "Heron Park: pond shore": ("bench", "jetty"),
    "Lantern Cafe: counter room": ("counter", "table", "stool"),
    "Lantern Cafe: terrace": ("table",),
    "Larkfield Bakery: shop": ("counter", "display case"),
    "Greengage Market: shop floor": ("counter", "shelf", "freezer"),
    "Town Hall: foyer": ("notice board", "bench"),
    "Post Office: counter room": ("counter", "letter box"),
    "Copper Kettle Pub: bar room": ("bar", "table"),
}

_PLACES = tuple(STOCK_OBJECTS)


def _same(text: str) -> str:
    return text


@dataclass(frozen=True)
class StockMemory:
    """A memory stream that finds the same for every query."""

    memories: tuple[Memory, ...]

    def recall(self, query: str, most: int) -> tuple[Memory, ...]:
        """The first of them."""
        return self.memories[:most]

    def latest(self, most: int) -> tuple[Memory, ...]:
        """The last of them."""
        return self.memories[-most:] if most else ()


def stock_questions(say: Callable[[str], str] = _same) -> tuple[MindQuestion[Any], ...]:
    """A question of every kind, TDP's first, and two utterances: the first in a talk, and the last.

    `say` makes the texts that others wrote or said into odder ones: names, what people do,
    memories, words. Places and objects stay as they are.
    """
    return _Stock(say).questions()


class _Stock:
    def __init__(self, say: Callable[[str], str]) -> None:
        self._say = say
        self._step = 0
        self._memories = (
            Memory(_at(8, 10), "seen", say("Ben Ashdown is baking bread"), 2),
            Memory(_at(9, 0), "talk", say("Ben said that he has bean seeds left."), 4),
            Memory(_at(9, 20), "thought", say("I should ask who else has seeds."), None),
        )
        self._other = Other("ben", say("Ben Ashdown"), say("having tea"), say("old friend"))
        self._kept = (
            Commitment(say("supper with Ben"), STOCK_DAY, "19:00", 90, _PLACES[14], "ben"),
            Commitment(say("returning the ladder"), STOCK_DAY),
        )
        self._ahead = (
            Block(_at(11, 0), _at(13, 0), say("mending chairs"), _PLACES[4]),
            Block(_at(13, 0), _at(22, 0), say("resting"), _PLACES[2]),
        )
        self._lines = (
            Line("ada", say("Ada Finch"), say("Good morning, Ben!")),
            Line("ben", say("Ben Ashdown"), say("Morning. Supper at seven, as always?")),
        )
        self._plan = (say("See Ben."), say("Tell him of the swap."), say("Be there at 17:00."))

    def questions(self) -> tuple[MindQuestion[Any], ...]:
        """One of each, and of `Utter` the first in a talk as well."""
        return tuple(
            self._question(kind, **own)
            for kind in sorted(QUESTIONS, key=lambda kind: not kind.exact)
            for own in self._own().get(kind, [{}])
        )

    def _question(self, kind: type[MindQuestion[Any]], **own: object) -> MindQuestion[Any]:
        """By the names of its fields, so that a new question of known fields needs nothing here."""
        names = [one.name for one in fields(kind) if one.name not in ("asked", "me")]
        shown = {name: own.get(name, self._shown()[name]) for name in names}
        moment = _at(0) if "day" in names or "days" in names else _at(10)
        return kind(self._asked(), self._me(moment), **shown)

    def _shown(self) -> dict[str, object]:
        """What a field shows, by its name."""
        say, block = self._say, self._ahead[0]
        return {
            "ahead": self._ahead,
            "bedtime": _at(22),
            "block": block,
            "commitments": self._kept,
            "day": STOCK_DAY,
            "days": (STOCK_DAY, STOCK_DAY + timedelta(days=1)),
            "goal": say(STOCK_GOAL),
            "last_talk": _at(9),
            "left": 1,
            "lines": self._lines,
            "memories": self._memories,
            "objects": STOCK_OBJECTS[block.place],
            "other": self._other,
            "plan": self._plan,
            "reminder": say("See Ben and invite him to the seed swap."),
            "started": True,
            "texts": tuple(memory.text for memory in self._memories),
            "what": say("buying flour"),
            "why": say("Ben asked for help with the oven"),
        }

    def _own(self) -> dict[type[MindQuestion[Any]], list[dict[str, object]]]:
        """What some questions show otherwise."""
        say = self._say
        items = "\n".join((say("Invite him to the seed swap."), say("Ask for seeds.")))
        tea = Block(_at(9), _at(11), say("having tea"), _PLACES[8])
        return {
            DayReminder: [{"memories": (), "commitments": ()}],
            TalkReminder: [{"commitments": ()}],
            TalkOrNot: [{"block": tea}],
            Utter: [{"lines": (), "left": 8, "reminder": items}, {"reminder": ""}],
        }

    def _asked(self) -> Asked:
        self._step += 1
        return Asked("trial", 1, "ada", self._step)

    def _me(self, now: datetime) -> Me:
        people = {"ben": self._say("Ben Ashdown"), "cora": self._say("Cora Vale")}
        memory = StockMemory(self._memories)
        return Me(
            self._resident(),
            now,
            _PLACES,
            dict(STOCK_OBJECTS),
            people,
            memory,
            known_as={"ben": self._say("baker at Larkfield Bakery")},
            place="Lantern Cafe: counter room",
            names=_PLACES,
            doing=self._say("having tea"),
        )

    def _resident(self) -> Resident:
        say = self._say
        return Resident(
            id="ada",
            name=say("Ada Finch"),
            age=47,
            innate=say("patient, dry, curious"),
            learned=say("Ada Finch runs the hardware shop and grows old kinds of beans."),
            currently=say(STOCK_GOAL),
            lifestyle=say("Ada gets up at 06:30, eats at noon and at 19:00, and sleeps by 22:30."),
            living_area=_PLACES[0],
            routine=say("In the shop from 08:30 to 17:00, tea at the cafe in between."),
            knows=_PLACES,
            ties={self._say("Ben Ashdown"): say("old friend")},
        )


def _at(hour: int, minute: int = 0) -> datetime:
    return datetime(STOCK_DAY.year, STOCK_DAY.month, STOCK_DAY.day, hour, minute)
