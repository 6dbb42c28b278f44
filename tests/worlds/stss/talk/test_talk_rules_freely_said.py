"""Requests, consent, invitations and notes in words that name none of the usual phrases."""

from __future__ import annotations

import pytest

from sociolab.worlds.stss.task import SocialTask
from worlds.stss.talk.talk_rule_cases import HONEY, KITES, PORTRAIT, QUIZ, TEA, noted, talked

BOTH = "request-1 place-1 request-2 place-2"
WHERE = "Greengage Market"
TO = "the kitchen of Lantern Cafe"


@pytest.mark.parametrize(
    ("met", "talk"),
    [
        (BOTH, f"P: Your job would be to get six jars of honey at {WHERE} and leave them in {TO}."
               "\nO: Consider it done."),
        (BOTH, f"P: I'm sending you for honey: six jars, out of {WHERE} and into {TO}.\nO: Aye."),
        (BOTH, "P: I've forty cakes to bake.\nO: I'm willing. What is it?\n"
               f"P: Six jars of honey, {WHERE}. They go to {TO}.\nO: I'll see to it."),
        (BOTH, f"P: There's honey at {WHERE}, six jars of it, and it ought to be in {TO}. "
               "I thought of you straight away.\nO: Flattering."),
        (BOTH, f"P: Six jars of honey are waiting at {WHERE}. They have to get to {TO} somehow.\n"
               "O: Leave it to me."),
        ("place-1 place-2", f"P: Six jars of honey are waiting at {WHERE}. They have to get to "
                            f"{TO} somehow.\nO: Poor you. Courage!"),
        ("request-1 place-1", f"P: You buy the honey at {WHERE}, six jars, and I do the washing "
                              "up.\nO: Good swap."),
        ("request-1 place-1", f"P: Could you buy six jars of honey at {WHERE} and take them to "
                              f"{TO}?\nO: All those stairs!\nP: Then just the buying. I'll come "
                              "and get them from you.\nO: Fine."),
        ("", f"P: Could you buy six jars of honey at {WHERE} and take them to {TO}?\nO: Today?\n"
             "P: You know what, don't. I've enough syrup.\nO: If you're sure."),
        (BOTH, "P: Would you fetch six jars of honey at Suresh's and drop them at mine, at the "
               "cafe?\nO: Sure."),
    ],
)  # fmt: skip
def test_an_errand_is_given_in_many_words(met: str, talk: str) -> None:
    assert talked(HONEY, talk) == met


@pytest.mark.parametrize(
    ("agreed", "answer"),
    [
        (True, "Four works for me."),
        (True, "Twist my arm."),
        (True, "I thought you'd never ask."),
        (True, "Is there cake?\nP: Three of them.\nO: Then yes!"),
        (True, "I'm not sure...\nP: Oh, please.\nO: Oh, all right. Four o'clock."),
        (True, "Make it quarter past.\nP: Quarter past it is."),
        (True, "Shall I bring the cream?"),
        (True, "How many are coming?\nP: Six.\nO: Gladly, at four."),
        (True, "Wild horses couldn't keep me away."),
        (False, "A bit later would suit me.\nP: I'll talk to the others."),
        (False, "The cream, yes! I had it from the farm, you know."),
        (False, "I'd rather stay in bed, to be honest."),
        (False, "I've a kiln to look after. Ask Linh, she loves strawberries."),
        (False, "Let me turn it over in my mind."),
    ],
)
def test_an_hour_is_taken_or_left_in_many_words(agreed: bool, answer: str) -> None:
    talk = "P: Come to my strawberry tea at the bandstand tomorrow, at four!"
    assert ("time" in talked(TEA, f"{talk}\nO: {answer}").split()) == agreed


def test_a_number_that_answers_another_question_is_no_hour() -> None:
    talk = """P: Come to my strawberry tea at the bandstand tomorrow!
    O: How many are coming?
    P: Six.
    O: Gladly."""
    assert talked(TEA, talk) == "invited place"


def test_who_agrees_on_an_hour_for_the_matter_has_been_asked() -> None:
    talk = """P: About the portrait. Ten tomorrow, in the gallery.
    O: Agreed, ten."""
    assert talked(PORTRAIT, talk) == "asked time place"


def test_a_place_stands_where_only_the_hour_is_haggled_over() -> None:
    talk = """P: Sit for a portrait, tomorrow at ten, in the gallery?
    O: Ten's a bit early. Eleven?
    P: Eleven."""
    assert talked(PORTRAIT, talk) == "asked time place"


def test_an_hour_repeated_wrongly_and_let_stand_is_wrong() -> None:
    talk = """P: Quiz night tomorrow, half past seven, in our back room. Do come.
    O: Tomorrow at eight, all right, I can do that.
    P: Bring %s"""
    assert talked(QUIZ, talk % "a jumper.") == "invited place"
    assert talked(QUIZ, talk % "a jumper. And half past seven, not eight!") == "invited place time"


def test_what_the_other_heard_stays_in_mind_while_the_performer_asks_back() -> None:
    talk = """O: Is it so that you have a quiz tomorrow? Huw swears it.
    P: Huw swears about most things. What did he tell you?
    O: Half past seven, in your back room.
    P: Word for word correct. Come along!"""
    assert talked(QUIZ, talk) == "invited place time"


@pytest.mark.parametrize(
    ("task", "met", "note"),
    [
        (HONEY, BOTH, f"It falls to me to buy six jars of honey at {WHERE} and hand them over in "
                      f"{TO}."),
        (HONEY, "request-1 place-1", f"I'm to buy six jars of honey at {WHERE}. Somebody else "
                                     "takes them to the cafe."),
        (HONEY, "place-1 place-2", f"Nkechi told me that there's honey at {WHERE} and that she "
                                   f"needs it in {TO}, but she didn't ask me for anything."),
        (TEA, "invited time place", "Strawberry tea at the bandstand tomorrow, I'm coming. "
                                    "According to Linh it begins at four."),
        (TEA, "invited place", "Pilar asked me to strawberry tea at the bandstand tomorrow at "
                               "four, but I was called away before I could answer."),
        (KITES, "invited", "I had to tell Huw no for his kite evening."),
        (PORTRAIT, "", "Had tea with Sefina in her studio."),
        (PORTRAIT, "asked time place", "Sefina paints my portrait at her place tomorrow at ten; "
                                       "I'm coming."),
    ],
)  # fmt: skip
def test_notes_in_many_words(task: SocialTask, met: str, note: str) -> None:
    assert noted(task, note) == met
