"""The division check against transcripts labelled by hand, most of them early."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sociolab.core.episode import Moved
from sociolab.worlds.sotopia.checks.division import agreed_division, division_formula
from sociolab.worlds.sotopia.checks.outcome import Agreed, CannotTell, NoAgreement
from sociolab.worlds.sotopia.checks.shares import Goods
from sociolab.worlds.sotopia.scenarios import DivisionGoal
from sociolab.worlds.sotopia.scene import Casting

# What A gets of three books, two hats and a ball; None, "?" and tuples of both as for prices.
Share = tuple[int, int, int]
Expected = Share | str | None | list[Share | str | None]

PLAIN: dict[str, tuple[Expected, str]] = {
    "all said at once": (
        (3, 0, 0),
        """
        A: I take the 3 books, you take the 2 hats and the ball.
        B: Deal.
        """,
    ),
    "everything else": (
        (0, 2, 1),
        """
        A: How about you get all the books and I get everything else?
        B: Sounds fair to me.
        """,
    ),
    "step by step": (
        (3, 0, 0),
        """
        A: I'd like the books.
        B: Okay, then I get the hats and the ball.
        A: Agreed.
        """,
    ),
    "counts in words": (
        (2, 1, 0),
        """
        A: I take two books and one hat, you take one book, one hat and the ball.
        B: That's fine by me.
        """,
    ),
    "one each": (
        (3, 1, 0),
        """
        A: Let's each take one hat. You take the ball, and I'll have the three books.
        B: Works for me!
        """,
    ),
    "refused": (
        None,
        """
        A: I'll take all the books and the ball, you get the hats.
        B: No, that's not fair.
        A: Then we can't agree.
        """,
    ),
    "counter-proposal taken": (
        (3, 2, 0),
        """
        A: I want the ball and the hats. You get the books.
        B: No, I want the ball. You can have all the books and both hats.
        A: Okay, deal.
        """,
    ),
    "no verbs": (
        (3, 0, 0),
        """
        A: Books for me, hats and ball for you?
        B: Yes please.
        """,
    ),
    "the rest": (
        (0, 1, 1),
        """
        A: I'll keep the ball and one hat. The rest is yours.
        B * nods in agreement
        """,
    ),
    "passive": (
        (1, 2, 0),
        """
        A: You get two of the books and I get the other one. The hats are mine and the ball is
        | yours.
        B: It's a deal!
        """,
    ),
    "only talk of tastes": (
        [None, "?"],
        """
        A: Which of these do you like best? I'm fond of the books myself.
        B: I like the hats.
        A: Good to know.
        """,
    ),
}

NASTY: dict[str, tuple[Expected, str]] = {
    "only a part is settled": (
        [None, "?"],
        """
        A: I take the books.
        B: Sure.
        """,
    ),
    "more than there is": (
        ["?", None],
        """
        A: I take two books and the hats, you take two books and the ball.
        B: Deal.
        """,
    ),
    "sarcasm": (
        None,
        """
        A: I take everything, you get nothing.
        B: Yeah, right, in your dreams.
        """,
    ),
    "condition fulfilled": (
        (0, 2, 1),
        """
        A: You can have all the books if I get the hats and the ball.
        B: Okay, that's fair.
        """,
    ),
    "reopened": (
        (3, 0, 1),
        """
        A: I take the books, you take the hats and the ball?
        B: Deal.
        A: Actually, I'd like the ball too.
        B: Fine, take it, you can have the ball.
        """,
    ),
    "reopened and left open": (
        ["?", None],
        """
        A: I take the books, you take the hats and the ball?
        B: Deal.
        A: Actually, I want the ball too.
        B: No way.
        """,
    ),
    "points are no counts": (
        (3, 0, 0),
        """
        A: The books are worth 5 points each to me and the hats 3 points.
        B: For me it's 2 points for a book and 4 for a hat. You take the three books, and I take
        | the two hats and the ball.
        A: Perfect, let's do that.
        """,
    ),
    "withdrawn": (
        None,
        """
        A: You can have the books, and I take the hats and the ball.
        B: Let me think for a moment.
        A: Forget it, I changed my mind. I want the books as well.
        B: Then we have no deal.
        """,
    ),
    "asks for what is refused": (
        (2, 1, 0),
        """
        A: Could I have two books, one hat and the ball, and you get one book and one hat?
        B: Not the ball, I need it. You can have two books and one hat, and I get one book, one
        | hat and the ball.
        A: All right, agreed.
        """,
    ),
    "a yes to something else": (
        [None, "?"],
        """
        A: I propose that I take the books and you take the hats and the ball. Are the books in
        | good shape?
        B: Yes, they are. But I'd rather have the books myself.
        A: Hmm.
        """,
    ),
    "rest before parts": (
        (2, 2, 0),
        """
        B: I just want one book and the ball, the rest can be yours.
        A: That's very kind. Deal!
        """,
    ),
    "each a number": (
        [None, "?"],
        """
        A: Let's split everything evenly.
        B: Okay.
        """,
    ),
    "you and I swapped in the reply": (
        (3, 0, 0),
        """
        A: What do you suggest?
        B: You keep the three books, while the two hats and the ball go to me.
        A: Yes, that works for me.
        """,
    ),
}

LATER: dict[str, tuple[Expected, str]] = {
    "the rest is implied": (
        (2, 2, 1),
        """
        A: I'd like two books, both hats and the ball.
        B: Deal.
        """,
    ),
    "no, thank you": (
        (3, 2, 0),
        """
        A: You take the ball, I take the books and the hats.
        B: I don't want the hats anyway. Agreed!
        """,
    ),
    "them": (
        (3, 1, 0),
        """
        A: I'd like the books.
        B: You can have them. But I want the ball.
        A: The ball is yours. And the hats? One for you and one for me?
        B: One each, agreed.
        """,
    ),
}

CASES = PLAIN | NASTY | LATER


def fits(found: Share | str | None, expected: Expected) -> bool:
    """Whether the outcome is one of the expected ones."""
    return found in expected if isinstance(expected, list) else found == expected


@pytest.mark.parametrize("name", CASES)
def test_transcript_is_read_as_a_person_reads_it(
    name: str, sharing: Callable[..., Casting], moves: Callable[[str], tuple[Moved, ...]]
) -> None:
    expected, text = CASES[name]
    outcome = agreed_division(sharing(), moves(text))
    found: Share | str | None
    match outcome:
        case Agreed(value=division):
            books, hats, balls = (division["A"][good] for good in ("books", "hats", "balls"))
            found = (books, hats, balls)
            assert division["B"] == {"books": 3 - books, "hats": 2 - hats, "balls": 1 - balls}
        case NoAgreement():
            found = None
        case CannotTell():
            found = "?"
    assert fits(found, expected), outcome


def test_value_of_a_share_by_hand() -> None:
    goal = DivisionGoal(
        counts={"books": 3, "hats": 2, "balls": 1}, values={"books": 5, "hats": 3, "balls": 2}
    )
    value, text = division_formula(goal, {"books": 2, "hats": 0, "balls": 1})
    assert value == pytest.approx(10 * 12 / 23)  # 2 x 5 + 1 x 2 of 3 x 5 + 2 x 3 + 1 x 2
    assert "12" in text
    assert "23" in text


def test_goods_of_several_words_are_told_apart(
    sharing: Callable[..., Casting], moves: Callable[[str], tuple[Moved, ...]]
) -> None:
    casting = sharing({"jazz records": 4, "film scores": 3, "folk records": 5})
    text = """
    A: You take the 4 jazz records and I take all 5 folk records and the film scores.
    B: Agreed!
    """
    outcome = agreed_division(casting, moves(text))
    assert isinstance(outcome, Agreed)
    assert outcome.value["A"] == {"jazz records": 0, "film scores": 3, "folk records": 5}


@pytest.mark.parametrize(
    ("text", "splits"),
    [
        ("i take two books", {"books": (2, 1)}),
        ("you take two books", {"books": (1, 2)}),
        ("i do not want the ball", {}),
        ("i like the books", {}),
        ("the hats are yours", {"hats": (0, 2)}),
        ("one hat each", {"hats": (1, 1)}),
        ("i take some of the books", {"books": None}),
        ("i take four books", {"books": None}),
        ("you get everything", {"books": (0, 3), "hats": (0, 2), "balls": (0, 1)}),
        ("i get the ball and you get the rest", {"balls": (1, 0), "books": (0, 3), "hats": (0, 2)}),
    ],
)
def test_one_proposal(text: str, splits: dict[str, tuple[int, int] | None]) -> None:
    goods = Goods({"books": 3, "hats": 2, "balls": 1})
    found = goods.proposals(text.split(), speaker=0)
    assert {share.good: share.split for share in found} == splits


def test_shares_are_turned_around_for_the_other_speaker() -> None:
    goods = Goods({"books": 3, "hats": 2, "balls": 1})
    (mine,) = goods.proposals(["i", "take", "two", "books"], speaker=1)
    assert mine.split == (1, 2)
