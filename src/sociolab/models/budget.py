"""The money of a run: what is spent, what is held for calls in flight, and the limit."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from sociolab.core.errors import BudgetSpent

if TYPE_CHECKING:
    from sociolab.store.calls import Totals


class Budget:
    """Lets a call begin only if its cost cannot carry the run over the limit. Dollars.

    A call that does not fit beside those in flight waits for them: they mostly cost less than was
    held for them. Once one does not fit although none is in flight, the budget is used up for
    all. Without a limit (None) nothing need be held.
    """

    def __init__(self, limit: float | None = None, before: Totals | None = None) -> None:
        self.limit = limit
        self.spent = 0.0
        self._estimated = False
        if before is not None:
            self.carry_over(before)
        self._held = 0.0
        self._in_flight = 0
        self._used_up = False
        self._queue: deque[asyncio.Future[None]] = deque()

    async def hold(self, most: Callable[[], float]) -> float:
        """Hold what a call may cost at most; dollars, to be let go when it is over.

        `most` is asked again after each wait. BudgetSpent where there is not enough.
        """
        waited = False
        if self._queue:
            await self._turn(at_front=False)
            waited = True
        while True:
            usd = most()
            if not self._used_up and self._fits(usd):
                break
            if self._used_up or not self._in_flight:
                raise self._end(usd)
            await self._turn(at_front=waited)
            waited = True
        self._held += usd
        self._in_flight += 1
        if waited:
            self._wake()  # there may be room for one more
        return usd

    def let_go(self, usd: float) -> None:
        """A call is over; book its cost before."""
        self._in_flight -= 1
        self._held = self._held - usd if self._in_flight else 0.0
        self._wake()

    def carry_over(self, before: Totals) -> None:
        """Book what earlier parts of the run cost, in place of anything else."""
        self.spent, self._estimated = before.usd or 0.0, bool(before.estimated_calls)

    def spend(self, usd: float, *, estimated: bool = False) -> None:
        """Book what a call did cost."""
        self.spent += usd
        self._estimated = self._estimated or estimated

    def _fits(self, usd: float) -> bool:
        return self.limit is None or self.spent + self._held + usd <= self.limit

    async def _turn(self, *, at_front: bool) -> None:
        """Wait until a call is over, or until who came before has found room."""
        turn = asyncio.get_running_loop().create_future()
        (self._queue.appendleft if at_front else self._queue.append)(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the turn came as well: somebody else's
                self._wake()
            raise

    def _wake(self) -> None:
        """The next in the queue looks for room; one that was cancelled is passed over."""
        while self._queue:
            turn = self._queue.popleft()
            if not turn.done():
                turn.set_result(None)
                return

    def _end(self, usd: float) -> BudgetSpent:
        self._used_up = True
        self._wake()  # who is woken raises too, and wakes the next
        limit = self.limit or 0.0
        mark = "~" if self._estimated else ""
        spent, over = f"{mark}${self.spent:.4f} spent", self.spent - limit
        if over > 0:
            spent += f" ({mark}${over:.4f} above it: a reply was longer than could be known)"
        advice = "resume with the same --name and a larger --budget"
        if not self.spent:
            return BudgetSpent(
                f"the budget of ${limit:.2f} is too small: nothing is spent yet, and a call may "
                f"cost ${usd:.4f}; {advice}, or bound its reply (?max_tokens=...)"
            )
        return BudgetSpent(
            f"the budget of ${limit:.2f} is used up: {spent}, and the next call may cost "
            f"${usd:.4f}; {advice}"
        )
