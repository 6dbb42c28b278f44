"""The goal check as a judge: which verdicts it gives, and what they say."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sociolab.core.episode import Action, CastMember, Episode, Moved, Task, Trial
from sociolab.core.score import Score, Unscored
from sociolab.worlds.sotopia.checks.check import GoalCheck, verdicts
from sociolab.worlds.sotopia.dimensions import GOAL_CHECKED
from sociolab.worlds.sotopia.scenarios import AskGoal, Facts, OptionGoal, PriceGoal
from sociolab.worlds.sotopia.scene import Casting

ASK = AskGoal(ask="Help me.", reasons=("I am tired.", "It is late."), middle="An hour?")

Moves = Callable[[str], tuple[Moved, ...]]


def test_price_scores_print_their_formula_and_their_evidence(
    bargain: Callable[..., Casting], moves: Moves
) -> None:
    text = "B: Would you take $209?\nS: Okay, 209."
    seller, buyer = verdicts(bargain(listed=250, seller=220, buyer=190), moves(text))
    assert isinstance(seller, Score)
    assert isinstance(buyer, Score)
    # 209 is 5 % below 220: 6 - 1; and 10 % above 190: 6 - 2.
    assert seller.value == pytest.approx(5)
    assert buyer.value == pytest.approx(4)
    assert seller.reason == (
        "6 + (price - target) / (5 % of target) = 6 + (209 - 220) / 11 = 5 "
        '(turn 1, B: "Would you take $209?"; turn 2, S: "Okay, 209.")'
    )


def test_no_agreement_scores_nothing(bargain: Callable[..., Casting], moves: Moves) -> None:
    found = verdicts(bargain(), moves("B: Would you take 100?\nS: No, never."))
    assert [v.value for v in found if isinstance(v, Score)] == [0.0, 0.0]


def test_cannot_tell_is_no_score(bargain: Callable[..., Casting], moves: Moves) -> None:
    found = verdicts(bargain(), moves("B: I'd pay between 200 and 220.\nS: Deal."))
    assert [type(v) for v in found] == [Unscored, Unscored]
    assert all(v.measure is GOAL_CHECKED for v in found)


def test_division_gives_each_seat_its_own_value(
    sharing: Callable[..., Casting], moves: Moves
) -> None:
    casting = sharing(
        a={"books": 5.0, "hats": 3.0, "balls": 2.0}, b={"books": 2.0, "hats": 5.0, "balls": 3.0}
    )
    text = "A: I take the three books, you take the two hats and the ball.\nB: Deal."
    a, b = verdicts(casting, moves(text))
    assert isinstance(a, Score)
    assert isinstance(b, Score)
    assert a.value == pytest.approx(10 * 15 / 23)  # 3 x 5 of 3 x 5 + 2 x 3 + 1 x 2
    assert b.value == pytest.approx(10 * 13 / 19)  # 2 x 5 + 1 x 3 of 3 x 2 + 2 x 5 + 1 x 3
    assert "10 x 15 / 23" in a.reason


def test_found_friend_is_worth_ten_to_both(
    acquaintances: Callable[..., Casting], moves: Moves
) -> None:
    text = "A: Do you know Alvin?\nB: Yes, Alvin is my friend!"
    found = verdicts(acquaintances(), moves(text))
    assert [v.value for v in found if isinstance(v, Score)] == [10.0, 10.0]


def test_option_is_worth_what_the_goal_says(choice: Callable[..., Casting], moves: Moves) -> None:
    casting = choice({"the beach": (8.0, 1.0), "the woods": (2.0, 9.0)})
    found = verdicts(casting, moves("A: Let's go to the woods.\nB: Okay, the woods."))
    assert [v.value for v in found if isinstance(v, Score)] == [2.0, 9.0]


def test_agreement_outside_the_options_is_worth_nothing(
    choice: Callable[..., Casting], moves: Moves
) -> None:
    casting = choice({"Friday": (8.0, 1.0), "Saturday": (2.0, 9.0)})
    found = verdicts(casting, moves("A: How about Sunday?\nB: Sunday is fine with me."))
    assert [v.value for v in found if isinstance(v, Score)] == [0.0, 0.0]
    assert all("none of the options" in v.reason for v in found if isinstance(v, Score))


def test_goals_without_facts_get_no_verdict(
    cast: Callable[[dict[str, Facts | None]], Casting], moves: Moves
) -> None:
    assert verdicts(cast({"A": None, "B": None}), moves("A: Deal.\nB: Deal.")) == ()
    assert verdicts(cast({"A": ASK, "B": ASK}), moves("A: Deal.\nB: Deal.")) == ()


def test_seat_without_facts_beside_one_with_facts_gets_none(
    cast: Callable[[dict[str, Facts | None]], Casting], moves: Moves
) -> None:
    price = PriceGoal(role="seller", item="it", listed=250, target=220)
    found = verdicts(cast({"A": price, "B": None}), moves("B: 220?\nA: Deal."))
    assert [v.seat for v in found] == ["A"]


def test_goals_of_different_kinds_cannot_be_checked(
    cast: Callable[[dict[str, Facts | None]], Casting], moves: Moves
) -> None:
    price = PriceGoal(role="seller", item="it", listed=250, target=220)
    option = OptionGoal(subject="when", options={"now": 1, "later": 2})
    found = verdicts(cast({"A": price, "B": option}), moves("A: 220, now.\nB: Deal."))
    assert [type(v) for v in found] == [Unscored, Unscored]


def test_judge_reads_the_casting_from_the_task(
    bargain: Callable[..., Casting], moves: Moves
) -> None:
    casting = bargain()
    task = Task("t", ("S", "B"), "c", casting.model_dump_json())
    trial = Trial("x", "sotopia", task, (CastMember("S", "a"), CastMember("B", "a")), 0, 1)
    events = moves("S: 225?\nB: Deal.")
    judge = GoalCheck()
    found = asyncio.run(judge.judge(Episode(trial, events)))
    assert found == verdicts(casting, events)
    assert (judge.id.name, judge.id.method) == ("rules:goal", "rules")
    assert judge.id.settings


BIKE, CAR = (300.0, 270.0, 230.0), (9000.0, 7500.0, 6500.0)


@pytest.mark.parametrize(
    ("prices", "text"),
    [
        (BIKE, "B: I'll give you 250.\nS: Take it before I change my mind."),
        (BIKE, "B: 250?\nS: Deal.\nB: Great!\nS: Take it away before I change my mind."),
        (CAR, "S: 7200?\nB: k"),
        (CAR, "S: 7200?\nB: k\nS: :)\nB -"),
        (CAR, "S: 7200?\nB: \N{THUMBS UP SIGN}"),
        (CAR, "S: 7200?\nB: \N{THUMBS UP SIGN}\nS -"),
        (CAR, "S: would you do 7200\nB: bet"),
        (CAR, "B: ok 7200. you win\nS: :)"),
        (CAR, "B: 6.5\nS: 7\nB: ok 6.8 you got me"),
        (CAR, "S: 7200?\nB: Yours before I change my mind."),
        (CAR, "S: 7200?\nB: sorry, no\nS: come on\nB: ugh, k"),
    ],
)
def test_deals_in_the_words_of_people_are_never_scored_as_no_agreement(
    prices: tuple[float, float, float], text: str, bargain: Callable[..., Casting], moves: Moves
) -> None:
    assert all(isinstance(v, Unscored) for v in verdicts(bargain(*prices), moves(text)))


@pytest.mark.parametrize(
    "text", ["A: How about Sat?\nB: Sat works.", "A: Saturday?\nB: bet\nA: \N{THUMBS UP SIGN}"]
)
def test_appointments_in_the_words_of_people_are_never_scored_as_no_agreement(
    text: str, choice: Callable[..., Casting], moves: Moves
) -> None:
    casting = choice({"Saturday": (8.0, 1.0), "Sunday": (2.0, 9.0)})
    assert all(isinstance(v, Unscored) for v in verdicts(casting, moves(text)))


def test_amounts_in_words_are_read_or_not_but_never_scored_as_no_agreement(
    choice: Callable[..., Casting], moves: Moves
) -> None:
    casting = choice({"500 dollars": (8.0, 1.0), "400 dollars": (2.0, 9.0)})
    found = verdicts(casting, moves("A: Could you do five hundred?\nB: I will. Five hundred."))
    assert [v.value for v in found if isinstance(v, Score)] == [8.0, 1.0]


@pytest.mark.parametrize(
    "text",
    [
        "A: Don't tell me you know Alvin.\nB: Know him? I'm godfather to his daughter.",
        "A: Don't tell me you know Alvin.\nB: Know him? I'm godfather to his daughter.\nA -",
        "A: you know alvin?\nB: he's my cousin",
        "A: Do you know Dave?\nB: No, and Mable?\nA: No.",
    ],
)
def test_friends_in_the_words_of_people_are_never_scored_as_not_found(
    text: str, acquaintances: Callable[..., Casting], moves: Moves
) -> None:
    assert all(isinstance(v, Unscored) for v in verdicts(acquaintances(), moves(text)))


@pytest.mark.parametrize(
    "text",
    [
        "A: Do you know Alvin?\nB: No.",
        "A: Do you know Alvin?\nB -",
        "A: I know Alvin.\nB: I've never met him.",
    ],
)
def test_friend_whom_one_denies_is_not_found(
    text: str, acquaintances: Callable[..., Casting], moves: Moves
) -> None:
    found = verdicts(acquaintances(), moves(text))
    assert [v.value for v in found if isinstance(v, Score)] == [0.0, 0.0]


LINES = st.text(alphabet=st.sampled_from("abdehilnost .,?!$0123456789%-'"), max_size=60)
SCRAPS = st.lists(
    st.sampled_from(
        [
            "deal",
            "okay",
            "yes",
            "no",
            "not",
            "but",
            "if",
            "or",
            "and",
            ",",
            ".",
            "?",
            "!",
            "-",
            "$220",
            "220",
            "200",
            "i",
            "you",
            "take",
            "books",
            "hats",
            "ball",
            "two",
            "three",
            "all",
            "the",
            "each",
            "it",
            "is",
            "works",
            "for",
            "me",
            "how",
            "about",
            "would",
            "you",
            "alvin",
            "friday",
            "at",
            "from",
            "to",
            "between",
            "can",
            "more",
            "than",
            "know",
            "him",
            "rest",
            "mine",
            "yours",
        ]
    ),
    max_size=25,
).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(lines=st.lists(LINES | SCRAPS, min_size=1, max_size=6), kind=st.integers(0, 3))
def test_whatever_is_said_gets_verdicts_within_the_range(lines: list[str], kind: int) -> None:
    moves = tuple(
        Moved(turn, "AB"[turn % 2], (Action("speak", line),)) for turn, line in enumerate(lines)
    )
    found = verdicts(CASTINGS[kind], moves)
    assert [v.seat for v in found] == ["A", "B"]
    assert all(isinstance(v, Score | Unscored) for v in found)


REFUSING = {"no", "not", "but", "than"}  # "more than i can"


@settings(max_examples=150, deadline=None)
@given(lines=st.lists(SCRAPS, min_size=1, max_size=6), kind=st.integers(0, 3))
def test_talk_without_a_refusal_or_a_leave_is_never_no_agreement(
    lines: list[str], kind: int
) -> None:
    said = [" ".join(w for w in line.split() if w not in REFUSING) for line in lines]
    moves = tuple(
        Moved(turn, "AB"[turn % 2], (Action("speak", line),)) for turn, line in enumerate(said)
    )
    found = verdicts(CASTINGS[kind], moves)
    assert not any(isinstance(v, Score) and v.reason.startswith("no agreement") for v in found)


def _casting(facts: list[dict[str, object]]) -> Casting:
    goals = [{"text": "A goal.", "facts": fact} for fact in facts]
    people = [
        {
            "id": seat,
            "first_name": f"Person{seat}",
            "gender": "man",
            "pronouns": "he/him",
            "age": 40,
            "occupation": "baker",
        }
        for seat in "AB"
    ]
    scenario = {
        "id": "test",
        "family": "other",
        "context": "Two people talk.",
        "goals": goals,
        "relationships": ["stranger"],
    }
    return Casting.model_validate({"scenario": scenario, "characters": people, "relationships": []})


CASTINGS = [
    _casting(
        [
            {"kind": "price", "role": role, "item": "it", "listed": 250, "target": 210}
            for role in ("seller", "buyer")
        ]
    ),
    _casting(
        [
            {
                "kind": "division",
                "counts": {"books": 3, "hats": 2, "balls": 1},
                "values": {"books": 1, "hats": 2, "balls": 3},
            }
        ]
        * 2
    ),
    _casting(
        [
            {"kind": "friend", "friends": [{"name": n, "about": {}} for n in ("Alvin", other)]}
            for other in ("Dave", "Tara")
        ]
    ),
    _casting([{"kind": "option", "subject": "x", "options": {"Friday": 3, "Sunday": 5}}] * 2),
]
