"""What the other has been told: what the performer says, and what it lets stand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Told:
    """One detail as it was told: right, wrong or not at all; `quote` is the last word on it."""

    right: bool | None = None
    quote: str = ""

    def say(self, right: bool, quote: str, changes: bool) -> None:
        """The performer names it. What was right is made wrong only by an open change."""
        if right or self.right is None or changes:
            self.right, self.quote = right, quote

    def undo(self) -> None:
        """It is not told any more."""
        self.right, self.quote = None, ""
