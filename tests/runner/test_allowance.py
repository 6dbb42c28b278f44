"""How many episodes a budget begins."""

from __future__ import annotations

import asyncio

import pytest

from sociolab.core import BudgetSpent
from sociolab.models.budget import Budget
from sociolab.runner.allowance import Allowance


async def begun(allowance: Allowance, trials: list[str]) -> int:
    """How many of them begin before one must wait."""
    for number, trial in enumerate(trials):
        try:
            await asyncio.wait_for(allowance.begin(trial), 0.01)
        except TimeoutError:
            return number
    return len(trials)


def test_at_once_begin_as_many_as_an_estimate_a_third_too_low_could_pay_for() -> None:
    """Of 1 dollar, 6 at 15 cents each, where the estimate says 10."""
    allowance = Allowance(Budget(1.0), expected=0.1)
    assert asyncio.run(begun(allowance, list("abcdefghijkl"))) == 6


def test_an_episode_alone_begins_if_the_estimate_itself_is_left() -> None:
    budget = Budget(1.0)
    allowance = Allowance(budget, expected=0.1)
    budget.spend(0.89)
    assert asyncio.run(begun(allowance, ["a", "b"])) == 1
    budget.spend(0.05)
    allowance.end("a", finished=False)
    with pytest.raises(BudgetSpent, match=r"another episode costs about \$0.1000"):
        asyncio.run(allowance.begin("b"))
