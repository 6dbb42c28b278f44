"""A budget goes to the episodes under way first: another begins only if money is left for it."""

from __future__ import annotations

import asyncio
from collections import defaultdict

from sociolab.core.errors import BudgetSpent
from sociolab.models.budget import Budget

BEGUN_UNKNOWN = 2
"""Maximum number of episodes under way while the cost of one is unknown."""

_PRIOR_WEIGHT = 3
"""Number of ended episodes that the estimate made before the run counts as."""

_MARGIN = 1.5
"""The estimate counts as so many times itself while others are under way: by one that is a third
too low, half as many again would begin as there is money for, and few could end."""

_LEAST_LEFT = 0.25
"""Minimum share of the expected cost set aside for an episode, even if it overran that cost."""


class Allowance:
    """Decides whether a budget has room for another episode.

    `expected` is the cost of an episode in dollars, judges included, as estimated before the run;
    None if unknown. For each episode under way, what it will still cost by the mean of those that
    ended is set aside.
    """

    def __init__(self, budget: Budget, expected: float | None = None) -> None:
        self._budget = budget
        self._prior = expected or 0.0
        self._sum, self._count = 0.0, _PRIOR_WEIGHT * bool(expected)
        self._cost: dict[str, float] = defaultdict(float)
        self._under_way: set[str] = set()
        self._ended = asyncio.Event()

    async def begin(self, trial: str) -> None:
        """Wait until there is money for one more episode; BudgetSpent if there will be none."""
        while not self._has_room():
            if not self._under_way:
                raise self._used_up()
            self._ended.clear()
            await self._ended.wait()
        self.resume(trial)

    def resume(self, trial: str) -> None:
        """Count an episode as under way although there may be no room: it has cost money before."""
        self._under_way.add(trial)

    def pay(self, trial: str, usd: float) -> None:
        self._cost[trial] += usd

    def end(self, trial: str, *, finished: bool) -> None:
        """An episode is over; the cost of a `finished` one counts towards the expected cost."""
        cost = self._cost.pop(trial, 0.0)
        self._under_way.discard(trial)
        if finished:
            self._sum, self._count = self._sum + cost, self._count + 1
        self._ended.set()

    def _has_room(self) -> bool:
        budget = self._budget
        if budget.limit is None or not (budget.spent or self._under_way):
            return True  # the first episode may always begin: its calls check the budget
        if not self._count:
            return len(self._under_way) < BEGUN_UNKNOWN
        expected = self._expected(_MARGIN if self._under_way else 1.0)
        aside = sum(
            max(expected - self._cost[trial], _LEAST_LEFT * expected) for trial in self._under_way
        )
        return budget.limit - budget.spent - aside >= expected

    def _expected(self, margin: float = 1.0) -> float:
        prior = self._prior * margin * _PRIOR_WEIGHT
        return (prior + self._sum) / self._count if self._count else 0.0

    def _used_up(self) -> BudgetSpent:
        limit, spent = self._budget.limit or 0.0, self._budget.spent
        expected = self._expected()
        return BudgetSpent(
            f"the budget of ${limit:.2f} is used up: ${spent:.4f} spent, and another episode costs "
            f"about ${expected:.4f}; resume with a larger --budget"
        )
