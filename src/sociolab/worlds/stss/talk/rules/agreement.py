"""How two come to agree on something: offers, answers, counter-offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Offer(Generic[Value]):
    """Something put forward by one of two, and the words for it."""

    by: str
    value: Value
    quote: str


class Negotiation(Generic[Value]):
    """What is on the table and what is agreed; the last word counts.

    `open` is the offer that waits for an answer, `agreed` what both have said yes to.
    """

    def __init__(self) -> None:
        self.open: Offer[Value] | None = None
        self.agreed: Offer[Value] | None = None

    def offer(self, by: str, value: Value, quote: str) -> None:
        """Something new is put forward: what was agreed is open again.

        The same by the other one is a yes; by the same one it changes nothing.
        """
        if self.agreed is not None and self.agreed.value == value:
            return
        if self.open is not None and self.open.value == value:
            if self.open.by != by:
                self.agreed, self.open = Offer(by, value, quote), None
            return
        self.open, self.agreed = Offer(by, value, quote), None

    def settle(self, by: str, value: Value, quote: str) -> None:
        """ "Six it is": what is said so is agreed, however it was put forward."""
        self.agreed, self.open = Offer(by, value, quote), None

    def accept(self, by: str, quote: str) -> None:
        """A yes to what the other one has put forward."""
        if self.open is not None and self.open.by != by:
            self.agreed, self.open = Offer(by, self.open.value, quote), None

    def refuse(self, by: str) -> None:
        """A no: the other's offer is gone."""
        if self.open is not None and self.open.by != by:
            self.open = None

    def waits_for(self, by: str) -> bool:
        """Whether an offer waits for this one's answer."""
        return self.open is not None and self.open.by != by

    def undo(self) -> None:
        """Nothing is agreed or on the table any more."""
        self.open = self.agreed = None
