"""Asked, hinted, wished or only mentioned: each case for one general rule."""

from __future__ import annotations

import pytest

from sociolab.worlds.stss.task import SocialTask
from worlds.stss.talk.talk_rule_cases import BOOKS, HONEY, KITES, PORTRAIT, TEA, noted, talked

INVITED = {
    "a wish of nobody in particular is no invitation": (
        KITES,
        """P: One really ought to fly kites more. It would be nice if people came out for it.
        O: Wouldn't it. Let me know.""",
        False,
    ),
    "a wish becomes one when the other says that it will come": (
        KITES,
        """P: One really ought to fly kites more. It would be nice if people came out for it.
        O: I'll bring the long string. Let me know.""",
        True,
    ),
    "when is asked of a matter without a day": (
        KITES,
        """P: I can't stop, I've been practising with the kites all day, my arms are finished.
        O: Poor you. When is it?
        P: Tomorrow. Bye!""",
        False,
    ),
    "another time lets a hint go": (
        KITES,
        """P: My head's full of kites, the sky over the meadow will be grand tomorrow.
        O: Some other week perhaps. Mind the nettles.""",
        False,
    ),
    "what has been is no matter to come to": (
        KITES,
        """P: Gwen and I were at it last night, the kites, till the strings broke.
        O: Sounds great.
        P: It was windy.""",
        False,
    ),
    "what somebody is good for leads up to it": (
        KITES,
        """P: You could hold a string, Freya. You've steady hands.
        O: A string? What for?
        P: It's the kite evening.""",
        True,
    ),
    "who sits with us takes part": (
        KITES,
        """P: We're flying kites tomorrow, Gwen and me.
        O: It's not for me, with my knee.
        P: You could simply sit with us and shout.""",
        True,
    ),
    "a passing thought is taken back": (
        BOOKS,
        """P: Our book circle meets online tomorrow, and I thought of you.
        O: Me? I only read labels.
        P: Never mind, it was a passing thought.""",
        False,
    ),
    "who wants to buy something for it invites nobody": (
        TEA,
        """P: Could I buy a tub of cream? Tomorrow I sit down to strawberries with my sister.
        O: Take two. How many of you are there?
        P: Nine.""",
        False,
    ),
}
ASKED = {
    "you and me are asked by being named": (
        """P: We've that portrait to do too, you and me, one of these days.
        O: Whenever you say.""",
        True,
    ),
    "who is welcome has been understood": (
        """P: Somebody ought to do a portrait of you, and I've a good eye.
        O: You would be welcome.""",
        True,
    ),
    "who would if things were otherwise does not ask": (
        """P: If I were any good I'd do your portrait, but I only do weirs.
        O: And lovely weirs. Mind the step.""",
        False,
    ),
    "what others do is no hint": (
        """P: Petra's doing a portrait of Hana, she's thrilled.
        O: I'd like to see that.
        P: She'll hang it on Thursday.""",
        False,
    ),
    "the other proposes and the performer is glad": (
        """P: I've still no portrait for the gallery.
        O: Then let's do one of me, some evening.
        P: Really? That would help so much.""",
        True,
    ),
    "an hour is asked for": (
        """P: Have you a free hour for me this week? For a portrait?
        O: Free is a big word.""",
        True,
    ),
}
NOTES = [
    (KITES, False, "Huw grumbled about the wind and wants to do something with kites. Nice man."),
    (KITES, True, "Huw wants to do something with kites some day. I said why not."),
    (KITES, False, "Huw needed string for his kites tomorrow. Sent him to Gwen."),
    (KITES, True, "Huw is after a fifth pair of hands for his kites."),
    (PORTRAIT, True, "Sefina wants a portrait. Not this week."),
    (PORTRAIT, False, "Gwen told me that Sefina has finished a portrait of Hana."),
    (PORTRAIT, False, "Sefina asked after the old portrait and I said it hangs well."),
    (PORTRAIT, True, "Turned Sefina down for the portrait, no time this week."),
    (PORTRAIT, True, "Sefina is coming to the library for the portrait, a quarter to five."),
]


@pytest.mark.parametrize(("task", "talk", "met"), INVITED.values(), ids=INVITED)
def test_who_is_invited(task: SocialTask, talk: str, met: bool) -> None:
    assert ("invited" in talked(task, talk).split()) == met


@pytest.mark.parametrize(("talk", "met"), ASKED.values(), ids=ASKED)
def test_who_is_asked_to_meet(talk: str, met: bool) -> None:
    assert ("asked" in talked(PORTRAIT, talk).split()) == met


@pytest.mark.parametrize(("task", "met", "note"), NOTES)
def test_what_a_note_implies(task: SocialTask, met: bool, note: str) -> None:
    assert any(one in ("invited", "asked") for one in noted(task, note).split()) == met


def test_a_place_where_one_is_tied_is_not_where_to_bring_something() -> None:
    talk = """P: I can't leave the counter at the cafe. Could you buy honey for me at the market?
    O: Sure. How much?
    P: Six jars."""
    assert talked(HONEY, talk) == "request-1 place-1"


def test_what_is_put_by_is_not_to_be_put_anywhere() -> None:
    talk = """P: The honey is ready at Greengage Market, Suresh put it by. Could you fetch it?
    O: Yes, of course."""
    assert talked(HONEY, talk) == "request-1 place-1"


def test_an_hour_that_need_not_be_takes_nothing_back() -> None:
    talk = """P: Could you buy honey at Greengage Market and bring it to the cafe kitchen?
    It needn't be at a particular hour.
    O: Will do."""
    one_line = talk.replace("?\n    It", "? It")
    assert talked(HONEY, one_line) == "request-1 place-1 request-2 place-2"


def test_a_note_takes_things_from_one_place_to_the_other() -> None:
    note = "Tomorrow I take the honey from Greengage Market over to the cafe kitchen for her cakes."
    assert noted(HONEY, note) == "request-1 place-1 request-2 place-2"


def test_a_note_that_leaves_out_where_to_fetch_asks_for_bringing_alone() -> None:
    note = (
        "Nkechi asked me to bring honey to the cafe kitchen. Didn't get out of her where I buy it."
    )
    assert noted(HONEY, note) == "request-2 place-2"


def test_where_two_ran_into_each_other_is_not_where_it_is() -> None:
    note = "Huw stopped me on the meadow about the kite evening at five tomorrow. I might come."
    assert noted(KITES, note) == "invited time"


def test_some_time_at_a_place_tells_no_place() -> None:
    talk = """P: You look pale. You should come down to the park sometime.
    O: I might. Is there still cake?"""
    assert talked(KITES, talk) == ""


def test_a_room_that_somebody_has_an_event_in_is_not_taken() -> None:
    assert noted(KITES, "Huw has a kite evening tomorrow at five on the meadow. I'll come.") == (
        "invited place time"
    )


def test_no_answer_tonight_is_no_day_of_the_event() -> None:
    talk = """P: Will you come to my kite evening tomorrow at five, Heron Park, on the meadow?
    O: I'll think it over, but I can't give you an answer tonight.
    P: I'll take that as half a yes."""
    assert talked(KITES, talk) == "invited place time"
