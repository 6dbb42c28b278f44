"""Who got which fact from whom and when."""

from __future__ import annotations

from anteval_cases import KNOWN, says, session
from sociolab.worlds.anteval.information.matching import FactMatcher
from sociolab.worlds.anteval.information.tracing import Telling, Trace, trace
from sociolab.worlds.anteval.session import NPC

DOOR, FEAR, MINT = (fact.text for fact in KNOWN)
ALL = ("player-1", "player-2", "player-3")


def traces(*moves: object) -> tuple[Trace, ...]:
    return trace(session(knowledge=KNOWN), moves, FactMatcher())  # type: ignore[arg-type]


def test_a_fact_is_traced_from_its_first_telling_through_its_relays() -> None:
    door, fear, mint = traces(
        says(3, NPC, f"Listen. {DOOR} So now you know.", "player-1"),
        says(4, "player-1", f"Hear what Ansel told me. {DOOR}"),
        says(5, "player-2", f"Well! {DOOR}", "player-3"),
        says(6, "player-1", DOOR),
        says(7, NPC, f"{FEAR} And another thing."),
    )
    assert door.tellings == (
        Telling(3, NPC, ("player-1",)),
        Telling(4, "player-1", ("player-2", "player-3", NPC)),
        Telling(5, "player-2", ("player-3",)),
        Telling(6, "player-1", ("player-2", "player-3", NPC)),
    )
    assert door.relays == (door.tellings[1], door.tellings[2])
    assert fear.tellings == (Telling(7, NPC, ALL),)
    assert mint == Trace("F3", ())


def test_a_seat_has_a_fact_from_whom_it_heard_it_first() -> None:
    door = traces(says(3, NPC, DOOR, "player-1"), says(4, "player-1", DOOR), says(7, NPC, DOOR))[0]
    assert door.source("player-1") == Telling(3, NPC, ("player-1",))
    assert door.source("player-3") == Telling(4, "player-1", ("player-2", "player-3", NPC))
    assert traces()[0].source("player-1") is None


def test_a_question_tells_nothing() -> None:
    asked = says(0, "player-1", "Has the tower of Velmora a door of iron?")
    assert [one.tellings for one in traces(asked)] == [(), (), ()]
