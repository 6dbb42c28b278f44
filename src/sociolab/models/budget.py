"""The money of a run: what is spent, what is promised to calls in flight, and the limit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sociolab.core.errors import BudgetSpent


class Budget:
    """Refuses a call that could carry the run over its limit. Dollars; no limit: `None`."""

    def __init__(self, limit: float | None = None, spent: float = 0.0) -> None:
        self.limit = limit
        self.spent = spent
        self._promised = 0.0

    @contextmanager
    def promise(self, usd: float) -> Iterator[None]:
        """Hold what a call may cost while it is in flight; BudgetSpent if there is not enough."""
        if self.limit is not None and self.spent + self._promised + usd > self.limit:
            raise BudgetSpent(
                f"the budget of ${self.limit:.2f} is used up: ${self.spent:.4f} spent, "
                f"${self._promised:.4f} held for calls in flight, and the next call may cost "
                f"${usd:.4f}; resume with the same --name and a larger --budget"
            )
        self._promised += usd
        try:
            yield
        finally:
            self._promised -= usd

    def spend(self, usd: float) -> None:
        """Book what a call did cost."""
        self.spent += usd
