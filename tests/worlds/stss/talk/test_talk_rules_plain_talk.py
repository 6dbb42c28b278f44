"""Agreements in plain talk: what is put off, let stand or only mentioned, in talks and notes."""

from __future__ import annotations

import pytest

from sociolab.worlds.stss.task import SocialTask
from worlds.stss.talk.talk_rule_cases import EVE, PORTRAIT, TEA, noted, talked

CAFE = "Lantern Cafe: counter room"

TALKS = {
    "who asks for time to think has agreed on nothing": (
        PORTRAIT,
        "asked",
        """P: How about a portrait tomorrow at ten, in the painting studio?
        O: Ten... I'm usually not human by ten. Can I tell you tonight?
        P: Of course. No hurry.
        O: Lovely. And I like your scarf, by the way.""",
    ),
    "who wants a note has agreed on nothing": (
        PORTRAIT,
        "asked",
        """P: Could we do a portrait of you tomorrow? Up in the gallery, at four, say.
        O: My head is full of essays. Leave me a note with two or three times.
        P: Fine. A note it is.""",
    ),
    "an hour that is asked back with an objection is not agreed": (
        TEA,
        "invited place",
        """P: Strawberry tea at the bandstand tomorrow, four o'clock, and I want you there.
        O: Four? I've got pupils till six.
        P: Nothing's carved in stone.
        O: I don't see it, Pilar. Ask me on Sunday.""",
    ),
    "an hour at which something else is on is not agreed": (
        TEA,
        "invited place",
        """P: Strawberry tea tomorrow at the bandstand, at four! I'm telling everybody.
        O: I saw the note at the baker's. It looks lovely. I'm on duty at four, though.
        P: All day?
        O: Till six. Keep the sun shining for me.""",
    ),
    "a better idea of something else is no yes": (
        TEA,
        "invited place",
        """P: Strawberry tea at the bandstand tomorrow. Six o'clock?
        O: I'd be flopped over my supper. Somebody with a watch would be better.
        P: Very well, but tell your friends.""",
    ),
    "an answer to a further question lets the hour stand": (
        PORTRAIT,
        "asked time place",
        """P: Would you sit for my next portrait?
        O: If I don't have to smile. When?
        P: Tomorrow morning? I'm free until eleven.
        O: I could do half past nine. Where do I go?
        P: The gallery. Ring twice.
        O: Twice, got it. Half past nine.""",
    ),
    "an hour repeated with day and place is a yes": (
        PORTRAIT,
        "asked time place",
        """P: I'd love to do your portrait tomorrow. Quarter past five at the bandstand?
        O: A quarter past five, at the bandstand, on Tuesday. Should I wear the uniform?
        P: Oh, please, with the cap.
        O: I'll practise sitting still over this evening's pint.""",
    ),
    "how soon somebody can start is not the day of the meeting": (
        TEA,
        "invited time place",
        """P: Strawberry tea at the bandstand tomorrow. When could you get away?
        O: If I get at it straight away I'm through by three. Half past three?
        P: Half past three, then. I'm so glad.""",
    ),
    "a room that somebody minds is not where they meet": (
        PORTRAIT,
        "asked time place",
        """P: For your portrait, may I come tomorrow at a quarter to four, to the storeroom?
        O: At a quarter to four it's slow, so the boy can mind the counter. Agreed, the storeroom.
        P: And sweep it, please.""",
    ),
    "a place where somebody breaks down is none": (
        PORTRAIT,
        "asked",
        """P: I keep trying a portrait of you, and the hands are where I fall apart.
        O: They are. When were you thinking of?
        P: Oh, soon. I don't know.
        O: It can be done.""",
    ),
    "the usual whereabouts of one of them are none": (
        PORTRAIT,
        "asked",
        """P: Sit for me tomorrow, Freya? A portrait, an hour.
        O: There's an essay I owe somebody, and I haven't a line of it.
        P: Well, you know where I am.
        O: I do. Bye for now!""",
    ),
    "a place stays agreed while only the day is open": (
        PORTRAIT,
        "asked place",
        """P: Would you sit for a portrait this week? I do them in the painting studio.
        O: I'd love that. The studio's fine with me. Tomorrow's hard, and I don't know my Wednesday.
        P: Tell me when you know.
        O: I will.""",
    ),
    "where it is somebody's to have asks there": (
        PORTRAIT,
        "asked time place",
        """P: Might I paint your portrait? I've the studio to myself tomorrow from ten.
        O: Ten I'm in the library, but I could slip out at eleven.
        P: Eleven, then, and don't do anything to your hair.
        O: Eleven. I never do anything to my hair.""",
    ),
    "a hint at the matter is asked when the other asks for the day": (
        PORTRAIT,
        "asked",
        """P: I look at every portrait in the hall and miss your chin in it.
        O: Is that so? When were you thinking of?
        P: Oh, I don't know.""",
    ),
    "a wish for some day asks nobody": (
        PORTRAIT,
        "",
        """P: That chin! One day I'm going to make a portrait of it.
        O: With these bags under my eyes?
        P: The bags are the best of it.""",
    ),
    "an hour that others have still to confirm is open": (
        TEA,
        "invited place",
        """P: Strawberries at the bandstand tomorrow, a little tea with friends. Can you come?
        O: Oh, I'd like that. What time?
        P: Around four, I think, but Linh has to tell me first. I'll let you all know.
        O: Good. I like strawberries at any hour.""",
    ),
}


@pytest.mark.parametrize(("task", "met", "talk"), TALKS.values(), ids=TALKS)
def test_what_plain_talk_agrees_on(task: SocialTask, met: str, talk: str) -> None:
    assert talked(task, talk, EVE, CAFE) == met


NOTES = {
    "sleeping on it": (
        PORTRAIT,
        "asked",
        "Sefina wants to do my portrait tomorrow at ten in her studio. I said I'd sleep on it.",
    ),
    "nothing settled": (
        PORTRAIT,
        "asked",
        "Sefina wishes to paint my portrait tomorrow at noon, in the meadow or the gallery. "
        "My essay comes first, so nothing is settled.",
    ),
    "told to leave a note": (
        PORTRAIT,
        "asked",
        "Sefina would like a portrait of me this week in the gallery. I told her to leave me some "
        "times.",
    ),
    "to look first": (
        PORTRAIT,
        "asked",
        "Sefina wants to draw my portrait, tomorrow at ten in her studio. I said I'd look at my "
        "week first.",
    ),
    "the hour alone is open": (
        PORTRAIT,
        "asked place",
        "Sefina would like to do my portrait in the painting studio, which suits me; the hour we "
        "still have to find.",
    ),
    "a wish for some day": (
        PORTRAIT,
        "",
        "Sefina is sick of water and thinks of a portrait, mine perhaps, some day. Bread is dear.",
    ),
    "a yes stands beside an errand": (
        TEA,
        "invited time place",
        "Pilar's strawberry tea tomorrow at five, bandstand. I said yes, and I'll ask Linh along.",
    ),
    "a yes stands while the host asks others": (
        TEA,
        "invited time place",
        "I said yes to Pilar's strawberry tea tomorrow at five at the bandstand. She still has to "
        "ask the others.",
    ),
    "only if": (
        TEA,
        "invited place",
        "Pilar invited me to strawberries at the bandstand tomorrow at four. I'll go if I'm back "
        "from the coast.",
    ),
    "not one's word": (
        TEA,
        "invited place",
        "Pilar invited me to strawberry tea tomorrow at four at the bandstand. I didn't give my "
        "word.",
    ),
    "the day was never named": (
        PORTRAIT,
        "asked place",
        "Sefina will paint my portrait at four in the painting studio. We never named the day, "
        "tomorrow I suppose.",
    ),
}


@pytest.mark.parametrize(("task", "met", "note"), NOTES.values(), ids=NOTES)
def test_what_a_plain_note_agrees_on(task: SocialTask, met: str, note: str) -> None:
    assert noted(task, note, EVE, CAFE) == met
