"""Questions of every kind, as a life in a small town puts them: for minds to answer in tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from sociolab.town.questions import (
    Asked,
    Block,
    ChoosePlace,
    Commitment,
    DayReminder,
    Decompose,
    GeneralPlan,
    Line,
    Me,
    Memory,
    MindQuestion,
    Other,
    PlanDay,
    RateImportance,
    Reflect,
    Replan,
    Summarise,
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
    """A question of every kind (two utterances), in the order in which a life would ask them.

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
        return (*self._of_tdp(), *self._of_the_day(), *self._of_a_talk())

    def _of_tdp(self) -> tuple[MindQuestion[Any], ...]:
        goal, plan, memories = self._say(STOCK_GOAL), self._plan, self._memories
        days = (STOCK_DAY, STOCK_DAY + timedelta(days=1))
        return (
            GeneralPlan(self._asked(), self._me(_at(0)), goal, days),
            DayReminder(self._asked(), self._me(_at(0)), goal, plan, STOCK_DAY),
            TalkReminder(self._asked(), self._me(_at(10)), goal, plan, self._other, memories),
        )

    def _of_the_day(self) -> tuple[MindQuestion[Any], ...]:
        night, noon, block = self._me(_at(0)), self._me(_at(10)), self._ahead[0]
        kept, say = self._kept, self._say
        reminder = say("See Ben and invite him to the seed swap.")
        texts = tuple(memory.text for memory in self._memories)
        why = say("Ben asked for help with the oven")
        return (
            PlanDay(self._asked(), night, STOCK_DAY, self._memories, kept, reminder),
            Decompose(self._asked(), noon, block, STOCK_OBJECTS[block.place]),
            ChoosePlace(self._asked(), noon, say("buying flour")),
            RateImportance(self._asked(), noon, texts),
            Replan(self._asked(), noon, why, self._ahead, _at(22), kept, reminder),
            Reflect(self._asked(), noon, self._memories),
        )

    def _of_a_talk(self) -> tuple[MindQuestion[Any], ...]:
        me, other, memories, kept = self._me(_at(10)), self._other, self._memories, self._kept
        block = Block(_at(9), _at(11), self._say("having tea"), _PLACES[8])
        to_say = "\n".join((self._say("Invite him to the seed swap."), self._say("Ask for seeds.")))
        ahead, lines = self._ahead, self._lines
        last = _at(9)
        return (
            TalkOrNot(self._asked(), me, other, block, memories, kept, last),
            Utter(self._asked(), me, other, True, (), 8, memories, kept, ahead, to_say),
            Utter(self._asked(), me, other, True, lines, 1, memories, kept, ahead),
            Summarise(self._asked(), me, other, lines, kept, ahead),
        )

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
