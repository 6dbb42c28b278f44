"""Transcripts in the manner of talkative models, labelled before the rules were run on them.

`chatty.txt` was used to correct the rules; each of the `heldout` files was fresh once, showed how
well the rules then were, and was used to correct them afterwards. How often they were right at
first, and how often they gave a wrong verdict (the rest is "cannot tell"): 32 and 4 of 40, 22 and
6 of 30, 19 and 5 of 30, 13 and 2 of 20, 16 and 0 of 20. Of the 49 transcripts that may end without
an agreement, the rules see so in 22 and cannot tell in 27, where nobody refused the last proposal
in words that they know.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from sociolab.core.episode import Moved
from sociolab.worlds.sotopia.checks.division import agreed_division
from sociolab.worlds.sotopia.checks.friend import found_friend
from sociolab.worlds.sotopia.checks.option import agreed_option
from sociolab.worlds.sotopia.checks.outcome import Agreed, NoAgreement
from sociolab.worlds.sotopia.checks.price import agreed_price
from sociolab.worlds.sotopia.scenarios import (
    DivisionGoal,
    Facts,
    Friend,
    FriendGoal,
    OptionGoal,
    PriceGoal,
)
from sociolab.worlds.sotopia.scene import Casting

HERE = Path(__file__).parent

# For each file: how many transcripts there are, and how many of them the rules read today.
READ_TODAY = {
    "chatty.txt": (40, 36),
    "heldout.txt": (30, 26),
    "heldout2.txt": (30, 20),
    "heldout3.txt": (20, 11),
    "heldout4.txt": (20, 15),
}


class Case(NamedTuple):
    """A transcript with its set-up and its label."""

    kind: str
    setup: str
    label: str
    text: str


def cases(name: str) -> list[Case]:
    """The transcripts of a file."""
    found = []
    for block in (HERE / name).read_text(encoding="utf-8").split("\n== ")[1:]:
        head, _, text = block.partition("\n")
        kind, setup, label = (part.strip() for part in head.split("|"))
        found.append(Case(kind, setup, label, text))
    return found


def goals(case: Case) -> dict[str, Facts]:
    """The seats' goals."""
    match case.kind:
        case "price":
            listed, seller, buyer = map(float, case.setup.split())
            return {
                "S": PriceGoal(role="seller", item="it", listed=listed, target=seller),
                "B": PriceGoal(role="buyer", item="it", listed=listed, target=buyer),
            }
        case "division":
            pairs = [part.rsplit(" ", 1) for part in case.setup.split(", ")]
            counts = {good: int(count) for good, count in pairs}
            return dict.fromkeys(
                "AB", DivisionGoal(counts=counts, values=dict.fromkeys(counts, 1.0))
            )
        case "friend":
            lists = [names.split() for names in case.setup.split(";")]
            return {
                seat: FriendGoal(friends=tuple(Friend(name=name, about={}) for name in names))
                for seat, names in zip("AB", lists, strict=True)
            }
        case _:
            wordings = [part.split(" = ") for part in case.setup.split(", ")]
            return dict.fromkeys(
                "AB",
                OptionGoal(
                    subject="what to do",
                    options={option: 5.0 for option, *_ in wordings},
                    aliases={option: tuple(others) for option, *others in wordings},
                ),
            )


def reading(case: Case, casting: Casting, moves: tuple[Moved, ...]) -> str:
    """What the rules read, in the form of a label."""
    match case.kind:
        case "price":
            price = agreed_price(casting, moves)
            if isinstance(price, Agreed):
                return f"{price.value:g}"
            return "-" if isinstance(price, NoAgreement) else "?"
        case "division":
            shares = agreed_division(casting, moves)
            if isinstance(shares, Agreed):
                return " ".join(str(count) for count in shares.value["A"].values())
            return "-" if isinstance(shares, NoAgreement) else "?"
        case _:
            found = (found_friend if case.kind == "friend" else agreed_option)(casting, moves)
            if isinstance(found, Agreed):
                return found.value
            return "-" if isinstance(found, NoAgreement) else "?"


@pytest.mark.parametrize("name", READ_TODAY)
def test_no_verdict_is_wrong_and_most_are_given(
    name: str,
    cast: Callable[[dict[str, Facts]], Casting],
    moves: Callable[[str], tuple[Moved, ...]],
) -> None:
    right = 0
    for case in cases(name):
        found = reading(case, cast(goals(case)), moves(case.text))
        allowed = case.label.split(" or ")
        assert found in [*allowed, "?"], (found, case)
        right += found in allowed
    assert (len(cases(name)), right) == READ_TODAY[name]
