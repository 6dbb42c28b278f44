from __future__ import annotations

from scripted_questions import (
    ANA,
    KITE,
    TOM,
    TUESDAY,
    answered,
    other,
    remembered,
    resident,
    says,
    summary,
    utter,
)
from sociolab.town.scripted.mind import ScriptedMind
from sociolab.town.thoughts import Commitment, Line

HOST, GUEST = resident(ANA, KITE), resident(TOM)


def kept(*lines: Line, who: str = TOM) -> list[tuple[str, str, str, str]]:
    me = GUEST if who == TOM else HOST
    found = summary(me, other(ANA if who == TOM else TOM), lines, seed=3)
    return [(one.what, one.day, one.start, one.place) for one in found.agreed]


def test_an_accepted_invitation_is_noted_with_all_that_was_said() -> None:
    lines = (
        says(HOST, "I am holding a kite evening tomorrow at 6 pm. Would you like to come?"),
        says(GUEST, "Where is it?"),
        says(HOST, "In the meadow of Heron Park."),
        says(GUEST, "Sure, count me in."),
    )
    assert kept(*lines) == [
        ("take part in the kite evening", "2024-05-14", "18:00", "Heron Park: meadow")
    ]
    assert kept(*lines, who=ANA) == []


def test_what_was_declined_or_left_open_is_not_noted() -> None:
    invitation = says(
        HOST, "I am holding a kite evening tomorrow at 18:00. Would you like to come?"
    )
    assert kept(invitation, says(GUEST, "I am sorry, I have to work then.")) == []
    assert kept(invitation, says(GUEST, "Goodness, how the time flies.")) == []


def test_a_counter_proposal_changes_what_is_agreed() -> None:
    lines = (
        says(HOST, "I would like to meet you tomorrow at 15:00 for a review of the club ledger."),
        says(GUEST, "That is too early. How about 17:30 at Lantern Cafe: terrace instead?"),
        says(HOST, "Yes, that suits me."),
    )
    assert kept(*lines) == [
        ("meet Ana Ruiz for a review of the club ledger", "2024-05-14", "17:30",
         "Lantern Cafe: terrace")
    ]  # fmt: skip


def test_a_promised_errand_is_noted_step_by_step_by_the_helper_alone() -> None:
    lines = (
        says(HOST, "Could you pick up flour at Greengage Market and bring it to Larkfield Bakery: "
             "bakehouse tomorrow?"),
        says(GUEST, "Of course, I will do it."),
    )  # fmt: skip
    assert kept(*lines) == [
        ("pick up flour", "2024-05-14", "", "Greengage Market: shop floor"),
        ("bring flour", "2024-05-14", "", "Larkfield Bakery: bakehouse"),
    ]
    assert kept(*lines, who=ANA) == []


def test_what_is_agreed_for_today_changes_the_plan() -> None:
    lines = (
        says(HOST, "I am holding a kite evening today at 18:00. Will you come?"),
        says(GUEST, "Yes, gladly!"),
    )
    assert summary(GUEST, other(ANA), lines, seed=3).changes_plan


def test_a_place_that_is_not_listed_is_left_out_of_the_note() -> None:
    lines = (
        says(HOST, "I am holding a kite evening at Moonbase Alpha: gallery tomorrow at 18:00. "
             "Will you come?"),
        says(GUEST, "Sure!"),
    )  # fmt: skip
    assert kept(*lines) == [("take part in the kite evening", "2024-05-14", "18:00", "")]


def test_a_memo_says_who_what_when_and_where() -> None:
    lines = (
        says(HOST, "I am holding a kite evening at Heron Park: meadow tomorrow at 18:00. Will you "
             "come?"),
        says(GUEST, "Sure!"),
    )  # fmt: skip
    memo = summary(GUEST, other(ANA), lines).memo
    for words in ("Ana Ruiz", "kite evening", "Tuesday 14 May", "18:00", "meadow in Heron Park"):
        assert words in memo
    mine = summary(HOST, other(TOM), lines)
    assert "Tom Hale has agreed" in mine.memo


def test_now_and_then_a_place_slips_ones_mind_but_no_time() -> None:
    lines = (
        says(HOST, "I am holding a kite evening at Heron Park: meadow tomorrow at 18:00. Will you "
             "come?"),
        says(GUEST, "Sure!"),
    )  # fmt: skip
    found = [summary(GUEST, other(ANA), lines, seed).agreed[0] for seed in range(100)]
    assert all(one.start for one in found)
    assert 80 < sum(bool(one.place) for one in found) < 100


def test_a_vague_word_is_about_the_last_matter_between_the_two() -> None:
    """Not about what one has told somebody else of the other's event."""
    told = remembered(
        "I told Eva Lind about the kite evening that Ana Ruiz holds on Tuesday 14 May at 18:00. "
        "Eva Lind has agreed."
    )
    noted = Commitment("take part in the kite evening", TUESDAY, "18:00", 90, "", "ana-ruiz")
    asked = says(HOST, "Hello Tom! See you tomorrow at six?")
    for seed in range(10):
        question = utter(GUEST, other(), asked, seed=seed, commitments=(noted,), memories=(told,))
        text = answered(ScriptedMind().utter(question)).text
        assert text.startswith(("Yes, I have not forgotten.", "Of course, I have noted it."))
