"""A case worked by hand, and talks about it.

Three options. Everybody knows two clues that speak for Bram (s1, s2). Ann knows that Bram is ruled
out (p1), and that a falsehood is one (r); Ben knows a sign of Ada (p2), and believes that she is
ruled out (f). Nobody knows m. With odds of 20 and a weight of 3 the pool weighs Ada 3 x 441 =
1,323, Bram 9 x 41 = 369 and Cora 861.
"""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.core import (
    Action,
    Answered,
    CastMember,
    Ended,
    Episode,
    Event,
    Moved,
    Trial,
    Unusable,
)
from sociolab.worlds import anteval

OPTIONS = ("Ada", "Bram", "Cora")
CLUES = (
    anteval.Clue(id="s1", text="Bram owed money to many.", speaks_for="Bram"),
    anteval.Clue(id="s2", text="Bram bought a ladder.", speaks_for="Bram"),
    anteval.Clue(id="p1", text="Bram was in jail that night.", rules_out="Bram"),
    anteval.Clue(id="p2", text="Ada sold a pearl yesterday.", speaks_for="Ada"),
    anteval.Clue(id="f", text="Ada slept in the stable all night.", rules_out="Ada"),
    anteval.Clue(id="r", text="The stable stood empty all night.", refutes="f"),
    anteval.Clue(id="m", text="Cora was at sea that night.", rules_out="Cora"),
)
ANN, BEN, NPC = "player-1", "player-2", anteval.NPC
NAMES = {ANN: "Ann", BEN: "Ben", NPC: "Nell"}


def case(**changes: object) -> anteval.DecisionCase:
    fields: dict[str, object] = {
        "id": "pearls",
        "theme": "pearls",
        "situation": "The pearls are gone.",
        "question": "Who took the pearls?",
        "options": OPTIONS,
        "answer": "Ada",
        "people": [
            {"id": seat, "name": f"{name} Day", "called": name, "about": f"About {name}."}
            for seat, name in NAMES.items()
        ],
        "clues": CLUES,
        "knows": {ANN: ("s1", "s2", "p1", "r"), BEN: ("s1", "s2", "p2", "f"), NPC: ("s1", "s2")},
        "false": ("f",),
    }
    return anteval.DecisionCase.model_validate(fields | changes)


def clue(id_: str) -> anteval.Clue:
    return next(one for one in CLUES if one.id == id_)


def says(turn: int, seat: str, text: str, *to: str) -> Moved:
    return Moved(turn, seat, (Action("speak", text, to),))


def passes(turn: int, seat: str) -> Moved:
    return Moved(turn, seat, (Action("pass"),))


def chose(turn: int, seat: str, answer: str, question: str = "decide") -> Answered:
    return Answered(turn, seat, question, {"answer": answer})


def failed(turn: int, seat: str, question: str = "decide") -> Unusable:
    return Unusable(turn, seat, question, 3, "unreadable", "expected an option", "Zoe", final=True)


TALK = (
    says(0, ANN, "Bram cannot be it: he was in jail that night."),
    says(1, BEN, "Ada sold a pearl only yesterday.", NPC),
    passes(2, NPC),
    says(3, ANN, "By the way, the stable stood empty all night.", BEN),
    passes(4, BEN),
    says(5, NPC, "As Ann says, Bram was in jail that night."),
)
"""What Ann says to all, Ben to Nell alone, Ann to Ben alone, and Nell to all."""


def episode(*events: Event, of: anteval.DecisionCase | None = None) -> Episode:
    task = anteval.case_task(of or case())
    cast = tuple(CastMember(seat) for seat in task.seats)
    return Episode(Trial("t", "anteval-decision", task, cast, 0, 0), events)


def played(*answers: Event, talk: Sequence[Event] = TALK) -> Episode:
    return episode(*talk, *answers, Ended("turn limit", 5))
