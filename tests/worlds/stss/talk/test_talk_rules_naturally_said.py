"""What residents say to each other and note, each case for one general rule."""

from __future__ import annotations

import pytest

from sociolab.worlds.stss.talk.rules.correcting import corrects
from worlds.stss.talk.talk_rule_cases import BOOKS, DUMPLINGS, HONEY, KITES, QUIZ, noted, talked

BOTH = "request-1 place-1 request-2 place-2"

ERRANDS = {
    "a verb without the thing is no errand": (
        "request-1 place-1",
        """P: Could you buy six jars of honey for me at Greengage Market tomorrow?
        O: Six books I can carry under one arm, so why not. Leave it with me.
        P: That's fair. You'll forget, of course.""",
    ),
    "a burden alone asks for nothing": (
        "",
        """P: I'm trying to get my head round this week, and I can't leave the kitchen.
        O: Poor you. Is Chidi helping?
        P: He is. We're short of honey, too. Mind the step.""",
    ),
    "who passes where a needed thing lies is asked to fetch it": (
        "request-1 place-1",
        """P: Are you passing the market tomorrow? I need six jars of honey and I can't get out.
        O: I could. When?
        P: Any time before noon.""",
    ),
    "to bring a thing from where it lies is to fetch it": (
        BOTH,
        """P: My honey is still lying at Greengage Market.
        O: On the shop floor, I saw it.
        P: Would you bring it to the cafe kitchen tomorrow?""",
    ),
    "only what is said in the next breath stands": (
        "request-1 place-1",
        """P: There's honey for me in the cafe kitchen... no, what am I saying, at the market.
        O: Six jars?
        P: Yes. Could you fetch it tomorrow?""",
    ),
    "who is there itself takes nothing back": (
        BOTH,
        """P: Would you fetch the honey from Greengage Market and drop it off in the cafe kitchen?
        O: I just give it to whoever is there?
        P: Yes, I'm there myself from noon.""",
    ),
    "after a refusal nothing is taken back": (
        "request-1 place-1",
        """P: Could you buy six jars of honey for me at Greengage Market tomorrow?
        O: I'm sorry, I've got field work all day.
        P: Never mind, I'll ask Chidi.""",
    ),
    "what the other only asks about is no place": (
        BOTH,
        """P: Please fetch the honey from Greengage Market and bring it to the cafe kitchen.
        O: Is it the honey from the meadow?
        P: The very same.""",
    ),
}
EVENTS = {
    "who comes later moves nothing": (
        BOOKS,
        "invited time",
        """P: Would you join my online book circle tomorrow at half past seven?
        O: I finish at eight. Would it matter if I came at a quarter past?
        P: Not at all, come at a quarter past eight.""",
    ),
    "the hour repeated wrongly still stands": (
        BOOKS,
        "invited",
        """P: Do join my online book circle tomorrow at half past seven.
        O: Tomorrow at eight, then.
        P: Exactly.""",
    ),
    "a link sent tonight is not the day": (
        BOOKS,
        "invited time",
        """P: Would you join my online book circle tomorrow at half past seven?
        O: Gladly. How do I get in?
        P: Not at all hard. I'll send you the link tonight.""",
    ),
    "not far is no correction": (
        KITES,
        "invited place time",
        """P: Come to the kite evening tomorrow at five, on the meadow.
        O: I might. Where's that?
        P: The bandstand's not far from it.""",
    ),
    "a room is that of the house they stand in": (
        DUMPLINGS,
        "invited place",
        """P: I'll make dumplings in the kitchen tomorrow. Will you fold some?
        O: Perhaps.""",
    ),
    "here is where the matter is": (
        DUMPLINGS,
        "invited place",
        """P: Dumplings. I want to make some here tomorrow. Will you help?
        O: Perhaps.""",
    ),
    "who weighs whether to come has been told so as to come": (
        KITES,
        "invited place time",
        """P: We're having a kite evening tomorrow at five, on the meadow in the park.
        O: I'm afraid I can't, I have a seminar.""",
    ),
    "welcome on no day is no invitation to the matter": (
        QUIZ,
        "",
        """P: I've been writing a quiz all night.
        O: You look tired.
        P: Come by for a lemonade any day.""",
    ),
}
NOTES = {
    "an errand in a note is the writer's": (
        HONEY,
        "request-1 place-1",
        "Picking up Nkechi's honey at Greengage Market tomorrow before noon.",
    ),
    "a note may leave the thing out": (
        HONEY,
        BOTH,
        "Honey from Greengage Market tomorrow, then drop off at the cafe kitchen.",
    ),
    "what must get somewhere is nobody's yet": (
        HONEY,
        "place-1 place-2",
        "The honey is still at Greengage Market and has to get to the kitchen of Lantern Cafe.",
    ),
    "whom a thing is for is no place": (
        HONEY,
        "request-1",
        "To fetch honey for the cafe tomorrow.",
    ),
    "an answer shows the question": (KITES, "invited", "Huw and his kites. I stayed with my no."),
    "an event jotted down is one to come to": (
        QUIZ,
        "invited place time",
        "Gwen's quiz tomorrow at 19:30, back room of the Kettle.",
    ),
    "news of somebody is no invitation": (
        KITES,
        "place time",
        "Huw is flying kites on the meadow tomorrow at five.",
    ),
    "what was only mentioned is none either": (
        KITES,
        "",
        "Huw mentioned some kites. I wasn't against it.",
    ),
    "a building may stand before its room": (
        QUIZ,
        "invited place",
        "Going to the quiz tomorrow, pub's back room.",
    ),
}


@pytest.mark.parametrize("rule", ERRANDS)
def test_errands_are_told_as_people_tell_them(rule: str) -> None:
    met, talk = ERRANDS[rule]
    assert talked(HONEY, talk) == met


@pytest.mark.parametrize("rule", EVENTS)
def test_events_are_told_as_people_tell_them(rule: str) -> None:
    task, met, talk = EVENTS[rule]
    here = "Student House: common room" if task is DUMPLINGS else "Post Office: counter room"
    assert _sorted(talked(task, talk, here=here)) == _sorted(met)


@pytest.mark.parametrize("rule", NOTES)
def test_notes_are_read_as_people_write_them(rule: str) -> None:
    task, met, note = NOTES[rule]
    assert _sorted(noted(task, note)) == _sorted(met)


@pytest.mark.parametrize(
    "text", ["no, at six.", "not at the pub, at the park.", "wait, i mean six.", "make that eight."]
)
def test_words_that_set_right(text: str) -> None:
    assert corrects(text)


@pytest.mark.parametrize(
    "text", ["it's not far.", "i mean that.", "i can't wait.", "you'll forget it.", "until now."]
)
def test_the_same_words_without_setting_right(text: str) -> None:
    assert not corrects(text)


def _sorted(ids: str) -> list[str]:
    return sorted(ids.split())
