"""Small AntEval sessions for tests: a mark in each private part, and facts with marks of theirs."""

from __future__ import annotations

from dataclasses import dataclass

from casts import seated
from sociolab.core import (
    Act,
    Action,
    Answered,
    DataId,
    Ended,
    Episode,
    Event,
    Json,
    Moved,
    Task,
    Trial,
)
from sociolab.worlds import anteval
from sociolab.worlds.anteval.session import Reserve

NAMES = ("Mira Voss", "Tom Harrow", "Odo Penn")
TELLER = "Ansel Reed"
PRIVATE = ("jobmark", "idealmark", "bondmark", "flawmark", "goalmark", "charmark", "storymark")
"""Words in the private parts of a character are these with its seat behind them."""
FACT_MARKS = ("Subjectmark", "Textmark")
INTENTION_MARK = "meanmark"


def character(seat: str, name: str) -> anteval.PartyMember:
    """A character each of whose private parts holds a word of its own."""
    job, ideal, bond, flaw, goal, char, story = (f"{mark}-{seat}" for mark in PRIVATE)
    return anteval.PartyMember(
        id=seat,
        name=name,
        pronouns="she/her",
        race="Elf",
        class_name="Bard",
        background=f"Has a {job}.",
        alignment="Lawful Good",
        abilities={"strength": 10, "wisdom": 14},
        personality=(f"Is {char}.",),
        ideal=f"Wants {ideal}.",
        bond=f"Loves {bond}.",
        flaw=f"Hides {flaw}.",
        goal=f"Seeks {goal}.",
        look=f"Wears a coat seen-{seat}.",
        description=f"Tells of {story}.",
    )


def fact(number: int) -> anteval.Fact:
    """A fact with marks in its text."""
    subject, text = (f"{mark}{number}" for mark in FACT_MARKS)
    return anteval.Fact(id=f"F{number}", kind="weapon", text=f"The {subject} is kept in {text}.")


KNOWN = (
    anteval.Fact(id="F1", kind="place", text="The tower of Velmora has a door of iron."),
    anteval.Fact(id="F2", kind="person", text="Kestrith fears mirrors."),
    anteval.Fact(
        id="F3",
        kind="danger",
        text="You can keep the wights of Pezylm away with crushed mint.",
    ),
)
"""Facts as people say them."""


def _reserved(
    number: int, reserve: Reserve, kind: anteval.FactKind, name: str, falsehood: str = ""
) -> anteval.Fact:
    return anteval.Fact(
        id=f"F{number}",
        kind=kind,
        text=f"{name} has the number {number}.",
        reserve=reserve,
        names=(name,),
        falsehood=falsehood,
    )


RESERVED = (
    _reserved(1, "any question", "person", "Orsk"),
    _reserved(2, "its kind", "weapon", "Velm"),
    _reserved(3, "its name", "place", "Kest"),
    _reserved(4, "trust", "danger", "Pezyl"),
    _reserved(5, "falsely", "magic item", "Mordu", "Mordu has the number 50."),
)
"""What an NPC tells at any question, for its kind, by name, on trust and falsely."""
TRUST = anteval.Trust(how="done", text="them to dance")


def session(
    form: anteval.Form = "information",
    players: int = 3,
    *,
    turns: int = 8,
    knowledge: tuple[anteval.Fact, ...] = (),
    decoys: tuple[anteval.Fact, ...] = (),
    trust: anteval.Trust | None = None,
) -> anteval.Session:
    """A session of marks; in one about intentions the first two players have one."""
    seats = [f"player-{number}" for number in range(1, players + 1)]
    people = [character(seat, name) for seat, name in zip(seats, NAMES, strict=False)]
    skills = (("player-1", "stealth"), ("player-2", "arcana"))
    return anteval.Session(
        id=f"{form}-0-0007",
        form=form,
        turns=turns,
        situation="The party enters a mill. They make out a brass gauge and a heap of sacks.",
        characters=(*people, character(anteval.NPC, TELLER)),
        knowledge=knowledge or ((fact(1), fact(2)) if form == "information" else ()),
        trust=trust,
        decoys=decoys or ((fact(3), fact(4)) if form == "information" else ()),
        intentions=tuple(
            anteval.Intention(seat=seat, skill=skill, text=f"You mean to {INTENTION_MARK}-{seat}.")
            for seat, skill in skills
            if form == "intention" and seat in seats
        ),
    )


CASES = DataId("cases", "1", "cases")


@dataclass(frozen=True)
class Few:
    """A set of the sessions that are given."""

    tasks: tuple[Task, ...]
    id: DataId = CASES


def few(*sessions: anteval.Session) -> Few:
    """These sessions as a set."""
    return Few(tuple(anteval.task_of(one) for one in sessions))


def episode_of(one: anteval.Session, *events: Event) -> Episode:
    """A session with these events, played by nobody in particular."""
    task = anteval.task_of(one)
    cast = tuple(seated(seat, "tested") for seat in task.seats)
    return Episode(Trial("trial", f"anteval-{one.form}", task, cast, 0, 0), events)


def says(turn: int, seat: str, text: str, *to: str, acts: tuple[Act, ...] = ()) -> Moved:
    """A seat says this, to all or to some."""
    return Moved(turn, seat, (Action("speak", text, to, acts),))


def chats(turn: int, seat: str) -> Moved:
    """A scripted player's small talk."""
    return says(turn, seat, "Hm.", acts=(Act(anteval.CHAT),))


def tells(turn: int, seat: str, fact: anteval.Fact, *to: str) -> Moved:
    """A scripted player tells a fact, to all or to some."""
    act = Act(anteval.TELL, {"id": fact.id, "text": fact.text})
    return says(turn, seat, f"Well. {fact.text}", *to, acts=(act,))


def lies(turn: int, seat: str, fact: anteval.Fact) -> Moved:
    """A scripted player tells a falsehood to all."""
    act = Act(anteval.TELL, {"id": f"{fact.id} (false)", "text": fact.falsehood})
    return says(turn, seat, fact.falsehood, acts=(act,))


def asks(turn: int, seat: str, what: Json) -> Moved:
    """A scripted player asks for a kind, a name as {"name"}, or anything (None)."""
    return says(turn, seat, "Well?", acts=(Act(anteval.ASK, what),))


def learned(turn: int, seat: str, *facts: str, ids: tuple[str, ...] = ()) -> Answered:
    """A seat's answer after so many turns, with the ids that a scripted player gives."""
    value: dict[str, Json] = {"facts": list(facts)}
    if ids:
        value["ids"] = list(ids)
    return Answered(turn, seat, anteval.LEARNED, value)


def over(turns: int) -> Ended:
    """The end after so many turns."""
    return Ended("turn limit", turns - 1)
