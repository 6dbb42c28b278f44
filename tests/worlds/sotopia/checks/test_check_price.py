"""The price check against transcripts labelled by hand, most of them before the rules were made."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sociolab.core.episode import Action, Moved
from sociolab.worlds.sotopia.checks.outcome import Agreed, CannotTell, NoAgreement, Outcome
from sociolab.worlds.sotopia.checks.price import agreed_price, price_formula
from sociolab.worlds.sotopia.scenarios import PriceGoal
from sociolab.worlds.sotopia.scene import Casting

# What is expected: a price, None for no agreement, "?" for cannot tell; a tuple: any of these.
Expected = float | str | None | tuple[float | str | None, ...]

PLAIN: dict[str, tuple[Expected, str]] = {
    "haggling ends in deal": (
        220,
        """
        S: Hi! Are you here for the bike? It's $250.
        B: Yes. It looks nice. Would you take $200?
        S: That's a bit low. How about $230?
        B: Make it $220.
        S: Deal!
        """,
    ),
    "it is": (
        220,
        """
        B: I could pay 220 today.
        S: Alright, 220 it is.
        """,
    ),
    "got yourself a deal": (
        205,
        """
        S: I can let it go for $205, cash.
        B: You've got yourself a deal.
        S: Wonderful. Enjoy it!
        """,
    ),
    "asked and accepted": (
        210,
        """
        B: Could you do 210?
        S: Sure, I can do 210.
        """,
    ),
    "listed price taken": (
        250,
        """
        S: I'm asking 250 for it.
        B: That's fair. I'll take it.
        """,
    ),
    "words for numbers": (
        220,
        """
        B: I can offer two hundred and twenty dollars.
        S: Sold.
        """,
    ),
    "cents": (
        180.50,
        """
        B: All I have on me is $180.50. Would that be enough?
        S: Okay, you can have it for $180.50.
        """,
    ),
    "lower bound taken": (
        210,
        """
        B: I can't go above 210.
        S: Alright, you win. Deal.
        """,
    ),
    "middle": (
        215,
        """
        S: 230.
        B: 200.
        S: Let's meet in the middle then, $215.
        B: Works for me.
        """,
    ),
    "no problem is a yes": (
        220,
        """
        B: Would 220 be okay for you?
        S: No problem, 220 is fine.
        """,
    ),
    "handshake": (
        225,
        """
        S: 225 and it's yours.
        B > shakes hands on it
        """,
    ),
    "nod": (
        225,
        """
        B: Would you sell it for 225?
        S * nods
        B: Great, here is the money.
        """,
    ),
    "money handed over": (
        225,
        """
        B: 215?
        S: 225, and that's my last word.
        B > counts out the money and hands it over
        S: Thank you!
        """,
    ),
    "leaves after agreeing": (
        220,
        """
        B: 220?
        S: Okay, 220.
        B: Great, I'll pick it up tomorrow.
        B -
        """,
    ),
    "confirming question": (
        220,
        """
        S: I could do 220.
        B: So 220, deal?
        S: Yes!
        """,
    ),
    "nobody moves": (
        None,
        """
        S: It's 250, firm.
        B: I can only pay 190.
        S: Sorry, that's too low.
        B: Then I'll have to pass.
        B -
        """,
    ),
    "no numbers": (
        (None, "?"),
        """
        S: Lovely weather today.
        B: It is. Is the bike in good shape?
        S: Yes, it's great.
        B: Okay, great!
        """,
    ),
    "still haggling at the end": (
        (None, "?"),
        """
        B: How about 190?
        S: I was hoping for 240.
        B: 195 is really all I can do.
        S: Could you come up to 235?
        """,
    ),
    "concession taken": (
        215,
        """
        B: 210?
        S: Okay, 215 then, and I'll throw in the lock.
        B: Perfect, thanks!
        """,
    ),
    "long and polite": (
        225,
        """
        S: Thank you so much for coming by! As you can see, the bike is in wonderful condition.
        | I have it listed at $250, but I'm open to reasonable offers.
        B: Thanks for having me. I really like it, and I understand why you're asking $250.
        | Considering the wear on the tyres, though, I was thinking of something like $210. Would
        | that be acceptable to you?
        S: I appreciate the offer. I'm afraid $210 is a little lower than what I had in mind. I
        | could come down to $230.
        B: That's kind of you. What if we settle on $225? I can pay in cash right now.
        S: $225 sounds fair to me. It's been a pleasure doing business with you!
        """,
    ),
}

NASTY: dict[str, tuple[Expected, str]] = {
    "three numbers in one sentence": (
        220,
        """
        B: I paid $300 for my last one, and you list it at $250, but how about 220?
        S: Done.
        """,
    ),
    "refused with the number": (
        None,
        """
        B: Would you take 220?
        S: I can't do 220.
        B: Too bad. Goodbye.
        """,
    ),
    "condition accepted": (
        220,
        """
        B: Would you take 220?
        S: I'd want 235.
        B: Fine, 235 - if you deliver it.
        S: No, I don't drive. 220 if you fetch it yourself.
        B: Okay, deal, I'll fetch it.
        """,
    ),
    "condition refused": (
        None,
        """
        S: 220.
        B: Fine, 220 - if you deliver it.
        S: I don't deliver, sorry.
        B: Then I'm out.
        """,
    ),
    "condition left open": (
        (None, "?"),
        """
        S: 220.
        B: Fine, 220 - if you deliver it.
        """,
    ),
    "a question is no assent": (
        None,
        """
        B: Deal at 210?
        S: Hmm, 230 is the least I'd take.
        B -
        """,
    ),
    "dreams": (
        None,
        """
        S: I want 500 dollars for it.
        B: Sure, 500 dollars, in your dreams.
        B -
        """,
    ),
    "what a bargain": (
        (None, "?"),
        """
        S: For you, 400.
        B: Oh yeah, right, what a bargain, I'll take two.
        S: Suit yourself.
        """,
    ),
    "thousands": (
        1250,
        """
        S: The piano is listed at 1,500.
        B: How about 1.2k?
        S: I'd need at least 1,250.
        B: Fine, 1,250.
        """,
    ),
    "withdrawn before accepted": (
        None,
        """
        S: I could do 220.
        B: Hmm, let me think.
        S: Actually, I take that back, somebody else just called me.
        B: Deal, 220!
        S: Sorry, too late.
        """,
    ),
    "older offer accepted, not on the table any more": (
        (None, "?"),
        """
        B: 220?
        S: No, 240.
        B: Then only 210.
        S: Alright, I'll take the 220 you offered before.
        B: No, it's 210 now.
        B -
        """,
    ),
    "older offer accepted and confirmed": (
        220,
        """
        B: 220?
        S: No, 240.
        B: Then only 210.
        S: Alright, I'll take the 220 you offered before.
        B: Okay, fine.
        """,
    ),
    "reopened and agreed again": (
        200,
        """
        S: 220?
        B: Deal.
        B: Actually, make it 200.
        S: Done.
        """,
    ),
    "reopened and closed at the old price": (
        220,
        """
        S: 220?
        B: Deal. Actually, wait, could you do 200?
        S: No, we said 220.
        B: Okay, okay, 220.
        """,
    ),
    "reopened and left open": (
        (None, "?"),
        """
        S: 220?
        B: Deal.
        S: Great!
        B: Hmm, actually, make it 200.
        S: No.
        B -
        """,
    ),
    "runs off": (
        "?",
        """
        S: 220?
        B: Deal.
        B > jumps on the bike and rides off without paying
        """,
    ),
    "numbers that are no prices": (
        230,
        """
        S: It's a 2015 model with 21-inch wheels, 24 gears, and I've had it for 3 weeks.
        B: My phone has 64GB but only 20 % battery, and I have 10 minutes. I'd give you 230.
        S: It took me 200 hours to restore. But okay, 230 works.
        """,
    ),
    "yes to another question": (
        (None, "?"),
        """
        S: I'd like 240 for it.
        B: Does it come with the lock?
        S: Yes, it does.
        B: Great!
        """,
    ),
    "understanding is not agreeing": (
        None,
        """
        S: I need 240 at least.
        B: Okay, I understand, but that's over my budget.
        S: I see. Sorry to hear that.
        """,
    ),
    "called off": (
        (None, "?"),
        """
        S: 220?
        B: Deal.
        S: You know what, I've changed my mind. The deal is off, I'm keeping it.
        B: That's a pity.
        """,
    ),
    "a range": (
        "?",
        """
        B: I'd pay between 200 and 220.
        S: Deal.
        """,
    ),
    "two packages, one yes": (
        "?",
        """
        S: It's 220 with the lock or 205 without it.
        B: Deal.
        """,
    ),
    "two packages, one picked": (
        205,
        """
        S: It's 220 with the lock or 205 without it.
        B: 205 without the lock is fine. Deal.
        """,
    ),
    "somebody else's offer": (
        (None, "?"),
        """
        S: Somebody else offered me 240 yesterday.
        B: Okay.
        S: So what do you say?
        B: I'll think about it.
        """,
    ),
    "a discount without a price": (
        "?",
        """
        S: I could knock off 20 dollars.
        B: Deal.
        """,
    ),
    "no to one, yes to the other": (
        230,
        """
        S: I'd say no to 220, but yes to 230.
        B: Okay, 230.
        """,
    ),
    "two different agreements": (
        (None, "?"),
        """
        S: So we agree on 230.
        B: We agree on 210, you mean.
        S -
        """,
    ),
    "no deal": (
        None,
        """
        B: Is 200 a deal?
        S: No deal.
        """,
    ),
    "I wouldn't say no": (
        220,
        """
        S: I wouldn't say no to 220.
        B: Then 220 it is.
        """,
    ),
    "shakes the head": (
        None,
        """
        B: 200?
        S * shakes his head
        B: Okay.
        """,
    ),
    "what it cost is no offer": (
        (None, "?"),
        """
        B: How much was it new?
        S: It cost me 240.
        B: Okay, that's good to know.
        """,
    ),
    "price of the lock": (
        220,
        """
        S: The lock alone cost $40. With it, I'd say $220.
        B: You've convinced me. $220, and thanks for the $40 lock!
        """,
    ),
    "corrects himself": (
        225,
        """
        S: I could do 230. No, wait, let's say 225.
        B: Agreed.
        """,
    ),
    "from the old price to the new": (
        215,
        """
        S: I'll come down from 250 to 215 because you're a student.
        B: That's really generous. Deal!
        """,
    ),
    "yes, but": (
        None,
        """
        B: 200?
        S: Yes, but only as a deposit. The price is 250.
        B: No thanks.
        """,
    ),
    "someone says done with the repairs": (
        None,
        """
        B: Have the brakes been repaired?
        S: Yes, all done. I want 250.
        B: I've done some reading, 250 is too much.
        """,
    ),
}

# What real episodes and scripted play taught later.
LATER: dict[str, tuple[Expected, str]] = {
    "price of two": (
        "?",
        """
        B: Would you take $230 for two of them?
        S: Deal.
        """,
    ),
    "listed price named and taken": (
        250,
        """
        S: Yes, it's still available. The listed price is 250.
        B: I'll take it.
        """,
    ),
    "the other's price restated": (
        (None, "?"),
        """
        B: Could you make me an offer?
        S: I see you want to pay 200.
        B: Deal.
        """,
    ),
    "the other's limit restated": (
        230,
        """
        B: I can't go higher than 200.
        S: I understand that you can't go higher than 200, but 230 is the least I can do.
        B: Okay, deal.
        """,
    ),
    "not fair": (
        None,
        """
        B: 200?
        S: I don't think 200 is fair.
        B -
        """,
    ),
    "your price, after all": (
        200,
        """
        B: 200?
        S: 230.
        S: Oh well, I accept your price.
        """,
    ),
    "fair, and yet": (
        (None, "?"),
        """
        S: I could do 230.
        B: 230 sounds reasonable. However, I was hoping for a bit less. Is there any flexibility?
        S: No.
        B -
        """,
    ),
    "said word for word by both": (
        (None, "?"),
        """
        S: I can offer you a special price of $225 if you are interested in this bicycle, sir.
        B: I can offer you a special price of $225 if you are interested in this bicycle, sir.
        """,
    ),
    "in no hurry": (
        None,
        """
        B: How about $190? I'm in no hurry, mind you.
        S: At $240 I'd be content.
        B: I'd rather leave it. Thanks for your time.
        """,
    ),
}

CASES = PLAIN | NASTY | LATER


def fits(outcome: Outcome[float], expected: Expected) -> bool:
    """Whether the outcome is one of the expected ones."""
    if isinstance(expected, tuple):
        return any(fits(outcome, one) for one in expected)
    match outcome:
        case Agreed(value=value):
            return value == expected
        case NoAgreement():
            return expected is None
        case CannotTell():
            return expected == "?"


@pytest.mark.parametrize("name", CASES)
def test_transcript_is_read_as_a_person_reads_it(
    name: str, bargain: Callable[..., Casting], moves: Callable[[str], tuple[Moved, ...]]
) -> None:
    expected, text = CASES[name]
    casting = bargain(listed=1500, seller=1300, buyer=1000) if "1,250" in text else bargain()
    outcome = agreed_price(casting, moves(text))
    assert fits(outcome, expected), outcome


def test_evidence_names_the_turns_of_offer_and_assent(
    bargain: Callable[..., Casting], moves: Callable[[str], tuple[Moved, ...]]
) -> None:
    text = "S: Hello!\nB: Would you take 200?\nS: Okay, 200."
    outcome = agreed_price(bargain(), moves(text))
    assert isinstance(outcome, Agreed)
    assert [item.turn for item in outcome.evidence] == [1, 2]
    assert [item.seat for item in outcome.evidence] == ["B", "S"]


@pytest.mark.parametrize(
    ("role", "target", "price", "value"),
    [
        ("seller", 200, 200, 6.0),
        ("seller", 200, 210, 7.0),  # 5 % better: one point
        ("seller", 200, 190, 5.0),
        ("seller", 200, 225, 8.5),
        ("seller", 200, 300, 10.0),  # 6 + 10, clipped
        ("seller", 200, 100, 0.0),  # 6 - 10, clipped
        ("buyer", 160, 160, 6.0),
        ("buyer", 160, 200, 1.0),  # 25 % worse: five points
        ("buyer", 160, 152, 7.0),
        ("buyer", 160, 120, 10.0),
    ],
)
def test_value_of_a_price_by_hand(role: str, target: float, price: float, value: float) -> None:
    goal = PriceGoal.model_validate({"role": role, "item": "it", "listed": 250, "target": target})
    found, text = price_formula(goal, price)
    assert found == pytest.approx(value)
    assert f"{price:g}" in text
    assert f"{target:g}" in text


_BARGAIN = Casting.model_validate(
    {
        "scenario": {
            "id": "test",
            "family": "bargain",
            "context": "A bicycle is for sale.",
            "goals": [
                {
                    "text": "A goal.",
                    "facts": {
                        "kind": "price",
                        "role": role,
                        "item": "it",
                        "listed": 250,
                        "target": 220,
                    },
                }
                for role in ("seller", "buyer")
            ],
            "relationships": ["stranger"],
        },
        "characters": [
            {
                "id": seat,
                "first_name": f"Person{seat}",
                "gender": "man",
                "pronouns": "he/him",
                "age": 40,
                "occupation": "baker",
            }
            for seat in "SB"
        ],
        "relationships": [],
    }
)

CHATTER = (
    "Hello, nice to meet you.",
    "Lovely weather today, isn't it?",
    "It has been a great companion on many trips.",
    "I see.",
    "The colour is beautiful.",
    "How long have you had it?",
    "I've had it since college.",
    "Okay, I understand.",
    "Thank you for telling me.",
    "Great, tell me more!",
    "Yes, it's in good shape.",
    "Sounds good so far.",
    "Deal with it as you like.",
    "That's interesting.",
)


@given(st.lists(st.sampled_from(CHATTER), max_size=12))
def test_chatter_without_numbers_never_yields_a_deal(lines: list[str]) -> None:
    moves = tuple(
        Moved(turn, "SB"[turn % 2], (Action("speak", line),)) for turn, line in enumerate(lines)
    )
    assert not isinstance(agreed_price(_BARGAIN, moves), Agreed)


@settings(max_examples=60)
@given(
    st.permutations(["Lovely weather today.", "The colour is beautiful.", "I had it for years."]),
    st.sampled_from([200, 215, 230]),
)
def test_order_of_the_small_talk_before_the_bargain_does_not_matter(
    chatter: list[str], price: int
) -> None:
    lines = [*chatter, f"Would you take {price}?", "Deal."]
    moves = tuple(
        Moved(turn, "BS"[turn % 2], (Action("speak", line),))
        for turn, line in enumerate(["Hi!", *lines])
    )
    outcome = agreed_price(_BARGAIN, moves)
    assert isinstance(outcome, Agreed)
    assert outcome.value == price
