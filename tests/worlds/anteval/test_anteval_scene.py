"""The table: who is told what, how turns read, which turns are refused."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping

import pytest
from hypothesis import given, settings, strategies as st
from pydantic import ValidationError

from anteval_cases import (
    FACT_MARKS,
    INTENTION_MARK,
    KNOWN,
    PRIVATE,
    RESERVED,
    TELLER,
    TRUST,
    episode_of,
    fact,
    few,
    learned,
    over,
    session,
    tells,
)
from sociolab.core import (
    Action,
    ActionSpace,
    Ended,
    Json,
    Moved,
    Note,
    Player,
    Reply,
    Request,
    Unusable,
)
from sociolab.engine import drive, play
from sociolab.testing import play_scene
from sociolab.worlds import anteval

SEATS = ("player-1", "player-2", "player-3", anteval.NPC)


class Doing:
    """Does what it is told, turn by turn; a question gets an empty answer."""

    def __init__(self, turns: Mapping[int, tuple[Action, ...]]) -> None:
        self._turns = turns
        self.asked: list[Request] = []

    async def reply(self, request: Request, memory: Json) -> Reply:
        self.asked.append(request)
        if request.name != "act":
            return Reply(anteval.Learned(facts=[]))
        return Reply(self._turns.get(request.turn, (Action("pass"),)))


def head(one: anteval.Session, seat: str) -> str:
    return anteval.AntScene(one).witness(seat).observe(0).head


# ---------------------------------------------------------------- what is told


def test_each_seat_is_told_its_own_character_and_how_the_others_look() -> None:
    for seat in SEATS:
        told = head(session(), seat)
        assert all(f"{mark}-{seat}" in told for mark in PRIVATE)
        for other in set(SEATS) - {seat}:
            assert f"seen-{other}" in told
            assert not any(f"{mark}-{other}" in told for mark in PRIVATE)


def test_the_npc_alone_is_told_its_knowledge_and_what_to_do_with_it() -> None:
    told = head(session(), anteval.NPC)
    assert "The Subjectmark1 is kept in Textmark1." in told
    assert "The party has to find it out by interacting with you." in told
    for seat in SEATS[:3]:
        assert "mark1" not in head(session(), seat)
        assert "Ansel, the NPC, knows things that the party does not know" in head(session(), seat)


def test_an_npc_with_a_reserve_alone_is_told_what_it_wants_and_when_to_tell_what() -> None:
    one = session(knowledge=RESERVED, trust=TRUST)
    told = head(one, anteval.NPC)
    lists = told.split("# What you alone know")[1].split("\n\n")
    marks = ("number 1.", "number 2.", "number 3.", "number 4.", "number 50.")
    heads = [next(text for text in lists if mark in text).partition(":")[0] for mark in marks]
    assert heads == [
        'You tell these to anybody who asks you anything at all, if only "What else?"',
        "You tell these only to somebody who asks about that kind of thing",
        "You tell these only to somebody who asks by name",
        "You keep these back until you trust the others. Before that, if you have nothing else to "
        "tell, you only say that you would rather not talk about it; after that you tell them when "
        "you are asked",
        "About these you lie to somebody who asks by name, and stand by it, until you trust the "
        "others. After that you tell the truth when you are asked, and if you have told the lie, "
        "you take it back then; a lie that you have not told you do not mention",
    ]
    assert "- asked about weapons: Velm has the number 2." in told
    assert "- asked about Kest: Kest has the number 3." in told
    assert "- asked about dangers or Pezyl: Pezyl has the number 4." in told
    assert "You want them to dance." in told
    for seat in SEATS[:3]:
        assert not re.search("dance|number", head(one, seat))
        assert "Ansel need not be honest until Ansel trusts you." in head(one, seat)
        assert "honest" not in head(session(), seat)
    assert "You want" not in head(session(), anteval.NPC)


def test_a_reserve_that_nobody_could_follow_is_refused() -> None:
    with pytest.raises(ValidationError, match="expected what wins the NPC's trust"):
        session(knowledge=RESERVED)
    for changes, problem in (
        ({"falsehood": ""}, 'expected one where the reserve is "falsely", and only there'),
        ({"names": ()}, "expected at least one by which to ask for the fact"),
    ):
        with pytest.raises(ValidationError, match=problem):
            anteval.Fact.model_validate(RESERVED[4].model_dump() | changes)


def test_a_mystery_whose_culprit_a_fact_clears_is_refused() -> None:
    mystery = anteval.Mystery(question="Who?", suspects=("Ann", "Ben"), culprit="Ann")
    cleared = fact(1).model_copy(update={"clears": "Ann"})
    with pytest.raises(ValidationError, match="expected a suspect not cleared"):
        anteval.Session.model_validate(dict(session(knowledge=(cleared,))) | {"mystery": mystery})


def test_players_may_leave_where_the_session_says_so_and_the_npc_may_not() -> None:
    scene = anteval.AntScene(session().model_copy(update={"leaving": True}))
    assert scene.space_of("player-1", 0).get("leave")
    assert scene.space_of(anteval.NPC, 3).get("leave") is None
    assert "- leave:" in scene.witness("player-1").observe(0).head
    assert "- leave:" not in scene.witness(anteval.NPC).observe(0).head
    assert anteval.AntScene(session()).space_of("player-1", 0).get("leave") is None


def test_the_table_ends_when_the_whole_party_has_left() -> None:
    scene = anteval.AntScene(session(turns=20).model_copy(update={"leaving": True}))
    leave = (Action("leave"),)
    events = play_scene(scene, dict.fromkeys(SEATS, Doing({1: leave, 4: leave, 5: leave})))
    # Turns 1 to 4: all four seats; then player 1 leaves, and player 3, as player 2 has gone.
    assert [e.seat for e in events if isinstance(e, Moved)] == [*SEATS, "player-1", "player-3"]
    assert events[-1] == Ended("left", 5, "player-3")
    assert anteval.turn_text("Mira", leave, ((),), 3) == "Mira leaves."


def test_a_player_alone_is_told_its_intention() -> None:
    one = session("intention")
    assert f"{INTENTION_MARK}-player-1" in head(one, "player-1")
    assert f"{INTENTION_MARK}-player-2" not in head(one, "player-1")
    for seat in ("player-3", anteval.NPC):
        assert INTENTION_MARK not in head(one, seat)
        assert "express your intention" not in head(one, seat)


def test_who_means_something_may_mark_the_move_and_nobody_else_sees_it() -> None:
    one = session("intention", turns=4)
    scene = anteval.AntScene(one, marks=True)
    marked = (Action("speak", "Hush.", fields={"uses": "stealth"}),)
    table = {seat: Doing({0: marked}) for seat in SEATS}
    moves = [one for one in play_scene(scene, dict(table)) if isinstance(one, Moved)]
    assert dict(moves[0].actions[0].fields) == {"uses": "stealth"}
    for seat, player in table.items():
        (request,) = player.asked
        assert isinstance(request.expected, ActionSpace)
        fields = {kind.name for kind in request.expected.kinds if kind.fields}
        may_mark = seat in ("player-1", "player-2")
        assert fields == ({"speak", "act"} if may_mark else set())
        assert ('the field "uses"' in request.observation.head) == may_mark
        if seat != "player-1":
            assert "stealth" not in repr(request.observation.history)
    assert '"uses"' not in head(one, "player-1")  # unless a run asks for marks


def test_knowledge_in_a_session_about_intentions_is_told_to_nobody() -> None:
    one = session("intention").model_copy(update={"knowledge": (fact(1),)})
    assert not any("mark1" in repr(anteval.view_table(one, seat)) for seat in SEATS)


def test_prompts_of_one_session_begin_alike_for_all_seats() -> None:
    heads = [head(session(), seat) for seat in SEATS]
    common = len(heads[0][: heads[0].index("# Your role")])
    assert len({text[:common] for text in heads}) == 1
    assert "The party enters a mill." in heads[0][:common]


# ---------------------------------------------------------------- turns


def test_turns_read_as_at_a_table() -> None:
    act, speak = Action("act", "lifts\nthe lid"), Action("speak", "Look\r\nat this.")
    assert (
        anteval.turn_text("Mira", (act, speak), ((), ()), 3)
        == "Mira [lifts the lid]: Look at this."
    )
    assert (
        anteval.turn_text("Mira", (speak, act), ((), ()), 3)
        == "Mira: Look at this. [lifts the lid]"
    )
    assert anteval.turn_text("Mira", (act,), ((),), 3) == "Mira [lifts the lid]"
    assert anteval.turn_text("You", (Action("pass"),), ((),), 3) == "You wait."
    assert (
        anteval.turn_text("Mira", (speak,), (("you",),), 3) == "Mira (to you only): Look at this."
    )


def test_the_players_act_in_their_order_and_the_npc_last() -> None:
    players = {seat: Doing({}) for seat in SEATS}
    events = play_scene(anteval.AntScene(session(turns=9)), dict(players))
    assert [e.seat for e in events if isinstance(e, Moved)] == [*SEATS, *SEATS, "player-1"]


def test_a_turn_may_act_speak_do_both_or_pass() -> None:
    both = (Action("act", "nods"), Action("speak", "Yes."))
    turns = {0: both, 1: both[:1], 2: both[1:], 3: (Action("pass"),)}
    events = play_scene(anteval.AntScene(session(turns=4)), dict.fromkeys(SEATS, Doing(turns)))
    assert [e.actions for e in events if isinstance(e, Moved)] == list(turns.values())


@pytest.mark.parametrize(
    ("kinds", "problem"),
    [
        (("speak", "speak"), 'a turn holds "speak" once, found it 2 times'),
        (("pass", "speak"), '"pass" stands alone in a turn, found pass and speak'),
        (("act", "pass"), '"pass" stands alone in a turn, found act and pass'),
        (("act", "speak", "act"), "a turn holds 1 to 2 actions, found 3"),
    ],
)
def test_a_turn_that_mixes_what_does_not_go_together_is_refused(
    kinds: tuple[str, ...], problem: str
) -> None:
    wrong = tuple(Action(kind, "" if kind == "pass" else "Hm.") for kind in kinds)
    events = play_scene(anteval.AntScene(session(turns=1)), dict.fromkeys(SEATS, Doing({0: wrong})))
    unusable = [event for event in events if isinstance(event, Unusable)]
    assert [(one.cause, one.problem) for one in unusable] == [("not allowed", problem)] * 3


def test_an_aside_is_heard_by_those_it_names_and_by_no_other() -> None:
    turns = {0: (Action("speak", "Psst.", ("tom harrow",)), Action("act", "winks"))}
    players = {seat: Doing(turns) for seat in SEATS}
    seats: dict[str, Player] = dict(players)
    play_scene(anteval.AntScene(session(turns=8)), seats)
    seen = {seat: player.asked[-1].observation.history[0].text for seat, player in players.items()}
    assert seen["player-1"] == "You (to Tom only): Psst. (to all) [winks]"
    assert seen["player-2"] == "Mira (to you only): Psst. (to all) [winks]"
    assert seen["player-3"] == seen[anteval.NPC] == "Mira [winks]"


def test_only_where_some_can_be_left_out_is_a_seat_told_to_name_those_it_means() -> None:
    everybody, two = "Everybody hears and sees what you say and do", session().characters[::3]
    assert f"{everybody}, unless you name those" in head(session(), "player-1")
    alone = session().model_copy(update={"characters": two})
    assert f"{everybody}.\n" in head(alone, "player-1")


def test_what_names_everybody_else_is_no_aside() -> None:
    speak = Action("speak", "Look at this.")
    assert (
        anteval.turn_text("Mira", (speak,), (("you", "Odo", "Ansel"),), 3) == "Mira: Look at this."
    )
    assert anteval.turn_text("Mira", (speak,), (("you",),), 1) == "Mira: Look at this."


def test_people_are_called_by_first_or_full_name_in_any_case_but_not_oneself() -> None:
    witness = anteval.AntScene(session()).witness("player-1")
    assert witness.seat_called("ANSEL") == anteval.NPC
    assert witness.seat_called(" odo  penn ") == "player-3"
    assert witness.seat_called("Mira") is None
    assert witness.seat_called("Nobody") is None


# ---------------------------------------------------------------- canaries

TOKENS = tuple(f"{mark}{number}" for mark in FACT_MARKS for number in (1, 2))


@st.composite
def tables(draw: st.DrawFn) -> dict[int, tuple[str, tuple[str, ...]]]:
    """For each turn: which token is wished for, and for whom it is meant."""
    names = st.sampled_from(("Mira", "Tom", "Odo", "Ansel"))
    return {
        turn: (draw(st.sampled_from(TOKENS)), tuple(draw(st.lists(names, max_size=2, unique=True))))
        for turn in range(12)
    }


@settings(max_examples=60, deadline=None)
@given(tables())
def test_no_fact_is_shown_to_a_player_before_somebody_said_it_in_its_hearing(
    wishes: dict[int, tuple[str, tuple[str, ...]]],
) -> None:
    one = session(turns=12)
    names = {c.first_name: c.id for c in one.characters}
    called = {seat: name for name, seat in names.items()}
    knows = {seat: set(TOKENS) if seat == anteval.NPC else set[str]() for seat in SEATS}

    class Teller:
        """Says its token where it knows it; looks at all that it is shown."""

        async def reply(self, request: Request, memory: Json) -> Reply:
            shown = repr(request)
            seen = {token for token in TOKENS if token in shown}
            assert seen <= knows[request.seat], f"{request.seat} saw {seen}"
            for other in set(SEATS) - {request.seat}:
                assert not any(f"{mark}-{other}" in shown for mark in PRIVATE)
            if request.name != "act":
                return Reply(anteval.Learned(facts=[]))
            token, wanted = wishes[request.turn]
            to = tuple(name for name in wanted if name != called[request.seat])
            if token not in knows[request.seat]:
                return Reply((Action("speak", "Hm.", to),))
            for seat in [names[name] for name in to] or SEATS:
                knows[seat].add(token)
            return Reply((Action("speak", f"It is {token}.", to),))

    scene = anteval.AntScene(
        one, anteval.build_polls(one, anteval.paper_prompts(), controls=True, every=2)
    )
    asyncio.run(drive(play(scene), dict.fromkeys(SEATS, Teller()), lambda _: None))


# ---------------------------------------------------------------- transcripts


def test_a_transcript_shows_who_told_which_fact_to_whom_and_what_was_learned() -> None:
    one = session(players=2, turns=6, knowledge=KNOWN)
    told, other = KNOWN[0].text, KNOWN[1].text
    episode = episode_of(
        one,
        learned(0, "player-1"),
        learned(0, "player-2"),
        tells(2, anteval.NPC, KNOWN[0]),
        Unusable(3, "player-1", "act", 1, "unreadable", "found nothing", "", final=True),
        tells(4, "player-2", KNOWN[0]),
        tells(5, anteval.NPC, KNOWN[1], "player-1"),
        learned(6, "player-1", told, other),
        learned(6, "player-2"),
        over(6),
    )
    shown = anteval.AntEval("information", few(one)).transcript(episode)
    assert shown.title == "information-0-0007: Mira, Tom and Ansel"
    assert [name for name, _ in shown.scene] == [
        "The situation",
        "Mira Voss",
        "Tom Harrow",
        TELLER,
        "What Ansel alone knows",
    ]
    assert shown.notes == (
        Note(3, "turn 4, Mira, act, attempt 1: failed (unreadable: found nothing)", trouble=True),
        Note(2, "Ansel tells fact F1 to all"),
        Note(4, "Tom passes on F1 to all"),
        Note(5, "Ansel tells fact F2 to Mira only"),
        Note(None, "before the first turn Mira and Tom had learned nothing"),
        Note(None, f"after 6 turns Mira had learned: {told} / {other}"),
        Note(None, "after 6 turns Tom had learned nothing"),
    )


def test_a_transcript_of_intentions_shows_them_to_the_reader_only() -> None:
    one = session("intention", players=2)
    world = anteval.AntEval("intention", few(one))
    assert f"{INTENTION_MARK}-player-1" in repr(world.transcript(episode_of(one)))
    assert INTENTION_MARK not in repr(world.transcript(episode_of(one), anteval.NPC))
