"""How two settle on an hour and a place in passing, each case for one general rule."""

from __future__ import annotations

import pytest

from worlds.stss.talk.talk_rule_cases import PORTRAIT, TEA, noted, talked

LAB = "Alder College: laboratory"

HOURS = {
    "what is done by an hour moves nothing": (
        True,
        """P: I'm giving a strawberry tea at the bandstand tomorrow, at five. Are you free?
        O: Tomorrow works, I'm through with the essays by half past four.
        P: How many were there?""",
    ),
    "who gets ready a little before keeps the hour": (
        True,
        """P: Strawberry tea at the bandstand tomorrow, at four. Will you come?
        O: At four, gladly.
        P: I'll have the spoons out at ten to four.""",
    ),
    "a proposing question names an hour, whatever stands beside it": (
        True,
        """P: Strawberry tea at the bandstand tomorrow, at four?
        O: Shall we say ten past four, because of my pupil's lesson?
        P: Ten past four.""",
    ),
    "who is amazed at an hour does not repeat it as a yes": (
        False,
        """P: Strawberry tea at the bandstand tomorrow at seven in the morning!
        O: Seven? You must be joking.
        P: The birds are up.""",
    ),
    "not too early is a yes": (
        True,
        """P: Strawberry tea at the bandstand tomorrow. Is three too early for you?
        O: Not at all.
        P: Wonderful.""",
    ),
    "who has to ask somebody first has not agreed": (
        False,
        """P: Strawberry tea at the bandstand tomorrow at four. Are you coming?
        O: I'd eat a bowl or two. Linh has the van.
        P: Then walk.
        O: I have to ask her first.""",
    ),
}
PLACES = {
    "whose place is answered in a word": (
        True,
        """P: Sit for a portrait tomorrow, will you? My place or yours?
        O: Yours, I've no chairs.
        P: Then I'll dust one.""",
    ),
    "a place that is taken up again counts however late": (
        True,
        """P: A portrait tomorrow at five. In the music room, I've got the key.
        O: Look who is organised.
        P: Somebody must be.
        O: I'll be there.""",
    ),
    "of two places nobody has chosen": (
        False,
        """P: I'd paint your portrait tomorrow at five. It could be the gallery or the meadow.
        O: Fine.""",
    ),
    "a place that is still to be found is none": (
        False,
        """P: A portrait tomorrow at five? I'd thought of the gallery.
        O: Five is good, but it echoes in there.
        P: Then I'll think of somewhere.
        O: Good.""",
    ),
    "what one brings along shows that the place stands": (
        True,
        """P: A portrait tomorrow, in the gallery.
        O: Bring a cushion too, they're all so hard.""",
    ),
    "a room of another building is no repetition": (
        False,
        """P: May I paint your portrait tomorrow at five?
        O: At five, yes. Here in the lab?
        P: I'd thought of the gallery.
        O: One freezes there.""",
    ),
}
NOTES = {
    "who comes to me tomorrow has an appointment": (
        "time place",
        "Sefina wants my portrait, so she comes to me tomorrow at five.",
    ),
    "perhaps in a room is no place": ("time", "Portrait with Sefina tomorrow at five, perhaps in"
                                      " the gallery."),
    "the day beside the hour is that of the hour": (
        "",
        "I sit for Sefina's portrait, but on Wednesday at four, as my aunt is here tomorrow.",
    ),
    "who was sent on got no appointment": (
        "",
        "Sefina asked for a portrait sitting in the gallery. I sent her on to Linh.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HOURS)
def test_an_hour_is_settled(name: str) -> None:
    agreed, talk = HOURS[name]
    assert ("time" in talked(TEA, talk).split()) == agreed


@pytest.mark.parametrize("name", PLACES)
def test_a_place_is_settled(name: str) -> None:
    agreed, talk = PLACES[name]
    assert ("place" in talked(PORTRAIT, talk, here=LAB).split()) == agreed


@pytest.mark.parametrize("name", NOTES)
def test_a_note_tells_what_was_settled(name: str) -> None:
    wanted, note = NOTES[name]
    settled = set(noted(PORTRAIT, note).split()) - {"asked"}
    assert settled == set(wanted.split())
