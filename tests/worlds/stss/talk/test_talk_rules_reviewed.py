"""What a review and fresh talks have shown: each case is of one general kind."""

from __future__ import annotations

import pytest

from sociolab.worlds.stss.talk.findings import Finding
from sociolab.worlds.stss.talk.rules.clock_words import hours_in
from sociolab.worlds.stss.talk.rules.conversation import findings_in_talk
from sociolab.worlds.stss.task import Errand, SocialTask
from worlds.stss.talk.talk_rule_cases import (
    BOOKS,
    HONEY,
    KITES,
    PORTRAIT,
    QUIZ,
    TEA,
    lines_of,
    noted,
    occasion,
    talked,
)

TEA_AT_SIX = (
    "P: I am giving a strawberry tea at the bandstand in Heron Park on Tuesday 14 May at 18:00. "
    "Would you like to join me?\n"
)
SITTING_AT_SIX = (
    "P: Would you sit for a portrait on Tuesday 14 May at 18:00 in Old Mill Studios? "
    "Would you like to meet me there?\n"
)
TEA_WITH_YOU = (
    "P: I'm having a strawberry tea tomorrow, Tuesday 14 May, at the bandstand in Heron Park, "
    "and I'd like you there.\n"
    "O: Lovely. "
)
IRON = HONEY.model_copy(
    update={
        "activity": "a measurement",
        "errands": (
            Errand(
                what="fetch the mended soldering iron",
                keywords=("soldering iron", "iron"),
                place="Finch Hardware: workshop",
            ),
            Errand(
                what="drop off the mended soldering iron",
                keywords=("soldering iron", "iron"),
                place="Alder College: laboratory",
            ),
        ),
    }
)
TASTING = TEA.model_copy(
    update={
        "activity": "tasting evening",
        "keywords": ("tasting", "tastings"),
        "performer": "chidi-obi",
        "place": "Lantern Cafe: counter room",
    }
)


def _found(task: SocialTask, talk: str) -> dict[str, Finding]:
    found = findings_in_talk(occasion(task), lines_of(task, talk))
    return {one.condition.id: one for one in found}


@pytest.mark.parametrize(
    ("task", "talk"),
    [
        (TEA, TEA_AT_SIX + "O: Sure, I will be there. See you on Tuesday 14 May at 18:00."),
        (
            PORTRAIT,
            SITTING_AT_SIX + "O: Sure, I will be there. See you on Tuesday 14 May at 18:00.",
        ),
        (
            TEA,
            TEA_AT_SIX + "O: How about 17:30 instead?\n"
            "P: Agreed. See you on Tuesday 14 May at 17:30 in Heron Park, goodbye.",
        ),
        (
            PORTRAIT,
            SITTING_AT_SIX + "O: How about 17:30 instead?\n"
            "P: Agreed, 17:30 it is. See you on Tuesday 14 May at 17:30 in Old Mill Studios, "
            "goodbye.",
        ),
    ],
)
def test_who_says_day_and_hour_once_more_agrees(task: SocialTask, talk: str) -> None:
    assert "time" in talked(task, talk).split()


@pytest.mark.parametrize(
    "text", ["on tuesday 14 may at 18:00", "on 14 may 2024", "the 3rd of june"]
)
def test_the_number_of_a_date_is_no_hour(text: str) -> None:
    assert [one.text for one in hours_in(text)] == ["18:00"] * text.count("18:00")


def test_a_number_that_may_be_too_early_is_an_hour() -> None:
    assert [one.text for one in hours_in("at 10 may be too early, i think 12 may work")]


@pytest.mark.parametrize(
    ("task", "met", "note"),
    [
        (TASTING, "", "I chatted with Chidi Obi, who was on the way to Lantern Cafe."),
        (TASTING, "invited", "Chidi invited me to a tasting. He was heading for Lantern Cafe."),
        (TASTING, "invited place", "Chidi invited me to a tasting. I am going to Lantern Cafe."),
        (TASTING, "invited place", "Chidi asked me to a tasting. It is going to be at the cafe."),
        (TASTING, "", "I saw Chidi. He says the door of Lantern Cafe has been painted."),
        (IRON, "request-1 place-1", "Linh asked me to fetch the soldering iron at Finch Hardware "
         "and to bring it to the college lab, but in the end I only need to fetch it."),
        (PORTRAIT, "asked", "Sefina asked me for a portrait tomorrow. I suggested four but she'll "
         "ring me about the hour."),
    ],
)  # fmt: skip
def test_what_a_note_tells_is_of_the_matter(task: SocialTask, met: str, note: str) -> None:
    assert noted(task, note) == met


@pytest.mark.parametrize(
    ("talk", "quote"),
    [
        (
            "P: Ah, Freya, nice to see you. I do a kite evening tomorrow at five. Beginners are "
            "welcome.\nO: Thanks.",
            "Beginners are welcome.",
        ),
        (
            "P: Freya, good to see you! Would you come to my kite evening tomorrow?\nO: Gladly.",
            "Would you come to my kite evening tomorrow?",
        ),
        (
            "P: Ah, Freya, nice to see you. Kite evening tomorrow at five, and yours is "
            "missing.\nO: Oh.",
            "Kite evening tomorrow at five, and yours is missing.",
        ),
    ],
)
def test_the_quote_of_an_invitation_is_the_sentence_that_invites(talk: str, quote: str) -> None:
    assert _found(KITES, talk)["invited"].quote == quote


@pytest.mark.parametrize(
    ("met", "talk"),
    [
        ("", "P: I am holding a kite flight for beginners on Tuesday 14 May at 18:30.\n"
             "O: Ah, that is new to me."),
        ("", "P: Nice to see you, Freya. How are you? There is a kite flight on Tuesday 14 May at "
             "18:30.\nO: I see."),
        ("invited", "P: I am holding a kite flight on Tuesday 14 May at 18:30. Anybody can fly.\n"
                    "O: Ah, that is new to me."),
        ("invited", "P: I am holding a kite flight on Tuesday 14 May at 18:30.\n"
                    "O: Fun! Count me in."),
        ("invited", "P: I am holding a kite flight on Tuesday 14 May, and you could fly one.\n"
                    "O: Ah, that is new to me."),
    ],
)  # fmt: skip
def test_an_announcement_invites_only_with_a_sign_that_the_other_may_come(
    met: str, talk: str
) -> None:
    assert talked(KITES, talk) == met


@pytest.mark.parametrize(
    "talk",
    [
        "I'll tell Nkechi if I see her at the cafe.",
        "I'll tell Nkechi if I see her at the cafe.\nP: Yes, do, thank you.",
        "I finish at the cafe at noon.\nP: Good.",
    ],
)
def test_where_the_other_goes_anyhow_is_not_where_it_is(talk: str) -> None:
    assert "place" in talked(TEA, TEA_WITH_YOU + talk).split()


def test_a_place_that_the_other_says_of_the_matter_counts_where_the_performer_says_yes() -> None:
    assert "place" not in talked(TEA, TEA_WITH_YOU + "At the cafe, then.\nP: Yes.").split()


@pytest.mark.parametrize(
    "talk",
    [
        "P: Could you fetch the mended soldering iron at the workshop of Finch Hardware, and drop "
        "off the mended soldering iron at the laboratory of Alder College?\nO: Yes.",
        "P: Could you do two things for me? Fetch the mended soldering iron at the workshop of "
        "Finch "
        "Hardware. Then drop off the mended soldering iron at the laboratory of Alder College."
        "\nO: Yes.",
        "O: Hana says you need somebody to fetch your soldering iron from Finch Hardware and to "
        "take it to the lab at the college. Is that right?\nP: That's the whole story. Would you?",
        "P: The soldering iron is ready in the workshop at Finch Hardware. What a fine thing it "
        "would be if somebody happened to fetch it, and if the same soul happened to leave it at "
        "the laboratory in Alder College!\nO: I could.",
    ],
)
def test_both_errands_are_asked_with_their_places(talk: str) -> None:
    assert talked(IRON, talk) == "request-1 place-1 request-2 place-2"


def test_only_the_part_that_is_taken_back_is_off() -> None:
    talk = """P: Could you fetch the soldering iron at Finch Hardware and drop it off at the lab?
    O: Gladly.
    P: Oh, forget the bit with the laboratory, just fetch the iron and keep it.
    O: Fine."""
    assert talked(IRON, talk) == "request-1 place-1"


def test_all_right_takes_nothing_back() -> None:
    talk = """P: Could you fetch the soldering iron at Finch Hardware and take it to the college?
    O: Sorry, I didn't hear that bell.
    P: That's all right."""
    assert talked(IRON, talk) == "request-1 place-1 request-2 place-2"


def test_who_does_not_correct_a_summing_up_goes_along_with_it() -> None:
    talk = """P: Join our online book circle tomorrow, half past seven.
    O: So on Wednesday at half past seven I sit down in front of it.
    P: %s"""
    assert talked(BOOKS, talk % "Wear something warm.") == "invited"
    assert talked(BOOKS, talk % "No, tomorrow!") == "invited time"


def test_hearsay_is_told_where_the_performer_says_that_it_is_true() -> None:
    talk = """O: Omar says you have a quiz night tomorrow at half past seven in the back room of the
    Kettle. Is that the truth?
    P: It's the truth, all of it! Come along.""".replace("\n    K", " K")
    assert talked(QUIZ, talk) == "invited place time"


@pytest.mark.parametrize(
    ("met", "end"),
    [
        ("invited time place", "Then I'm coming. First patient at half past eight, I must dash."),
        ("invited place", "Who else comes?\nP: Winston in goal.\nO: That I'd love to see."),
        (
            "invited place",
            "Five is fine. And the hall, has it lamps?\nP: It has.\nO: And the time?",
        ),
    ],
)
def test_what_answers_an_hour_and_what_does_not(met: str, end: str) -> None:
    talk = "P: Would you come for a strawberry tea at the bandstand tomorrow? Would five suit you?"
    assert talked(TEA, f"{talk}\nO: {end}") == met


def test_a_further_place_after_a_yes_is_of_something_else() -> None:
    talk = """P: I'd draw you, a portrait, tomorrow. Old Mill Studios has a gallery. Would that do?
    O: It would. Bring the chalk from the fair, please, the one at Alder Hall.
    P: It's in my bag."""
    assert "place" in talked(PORTRAIT, talk).split()
