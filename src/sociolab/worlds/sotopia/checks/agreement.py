"""From acts to an agreement: a talk is followed turn by turn, and its outcome read at the end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, NamedTuple, TypeVar

from sociolab.core.episode import Moved
from sociolab.worlds.sotopia.checks.acts import Reading
from sociolab.worlds.sotopia.checks.outcome import (
    Agreed,
    CannotTell,
    Evidence,
    NoAgreement,
    Outcome,
    quoted,
)
from sociolab.worlds.sotopia.checks.speaking import Speaking
from sociolab.worlds.sotopia.checks.standing import Stand, Standing
from sociolab.worlds.sotopia.scene import LEAVE

V = TypeVar("V")

_LONG = 80  # characters; shorter lines may well be said by both


class _Deal(NamedTuple, Generic[V]):
    values: dict[str, V]
    doubt: str
    turns: tuple[int, ...]


class Talk(Generic[V]):
    """A talk between seats that must come to stand for the same on every issue."""

    def __init__(
        self, seats: Iterable[str], issues: Iterable[str] = ("",), known: Iterable[V] = ()
    ) -> None:
        self.state = Standing(seats, issues, known)
        self._deal: _Deal[V] | None = None
        self._reopened = self._pending = False
        self._heard: list[tuple[Moved, str]] = []
        self._long_lines: dict[str, str] = {}

    def hear(self, move: Moved, text: str, reading: Reading[V]) -> None:
        """Take in a turn of one of the seats."""
        now = len(self._heard)
        self._heard.append((move, text))
        if self.state.proposer not in (None, move.seat):
            self.state.dangling = True  # until an act says what the answer is
        if reading.acts and not self._parroted(move.seat, text):
            Speaking(self.state, move.seat, now).say(reading.acts)
            self._settle()
        self.state.last[move.seat] = now
        self.state.asks_else[move.seat] = reading.asks_else

    def see_off(self, move: Moved) -> None:
        """Take in whether a seat leaves: to leave instead of answering a proposal refuses it."""
        if move.seat not in self.state.seats or LEAVE not in {a.kind for a in move.actions}:
            return
        unanswered = self.state.proposer not in (None, move.seat) and not self.state.dangling
        if unanswered or self.state.last[move.seat] < 0:  # it never said a word
            self.state.refused = True

    def outcome(self) -> Outcome[dict[str, V]]:
        """What the talk has led to so far."""
        deal = self._deal
        if deal is not None:
            if deal.doubt:
                return CannotTell(deal.doubt)
            return Agreed(deal.values, tuple(map(self._evidence, deal.turns)))
        if self._reopened:
            return CannotTell("an agreement was reopened or called off, not clearly closed")
        if self._pending:
            return CannotTell("the last word on the agreement is a question or a condition")
        if self.state.loose and any(self.state.seats.values()):
            return CannotTell("there is assent, but not to a value that can be read")
        if self.state.dangling:
            return CannotTell("the last proposal was answered in a way that rules cannot read")
        if self.state.warm:
            return CannotTell("the last yes may be meant for the proposal or for something else")
        if self.state.refused:
            return NoAgreement(self._why_none())
        return CannotTell("nobody refused the last proposal in a way that rules can read")

    def _why_none(self) -> str:
        if self.state.settled():
            return "their last proposals are alike in part only"
        if any(self._two_meet(issue) for issue in self.state.issues):
            return "not everybody agreed to the same"
        return "nobody agreed to what another proposed"

    def _two_meet(self, issue: str) -> bool:
        """Whether two of several seats stand for the same."""
        stands = self.state.on(issue)
        return any(
            not set(stand.values).isdisjoint(other.values)
            for at, stand in enumerate(stands)
            for other in stands[:at]
        )

    def _evidence(self, turn: int) -> Evidence:
        move, text = self._heard[turn]
        return Evidence(move.turn, move.seat, quoted(text))

    def _parroted(self, seat: str, text: str) -> bool:
        """Whether a long text repeats another seat's word for word: nobody means that."""
        return len(text) > _LONG and self._long_lines.setdefault(text, seat) != seat

    def _settle(self) -> None:
        """See whether all stand for the same now."""
        meetings: dict[str, tuple[V, ...]] = {}
        firm = True
        for issue in self.state.issues:
            meeting = self.state.meeting(issue)
            if meeting is None:
                self._part()
                return
            meetings[issue] = meeting
            firm = firm and max(self.state.on(issue), key=_said).firm
        if firm:
            self._close(meetings)
        elif self._deal is None:
            self._pending = True

    def _part(self) -> None:
        """They do not stand for the same, or not any more."""
        self._pending = False
        if self._deal is not None:
            self._reopened = not self._deal.doubt
            self._deal = None
            self.state.agreed = False

    def _close(self, meetings: dict[str, tuple[V, ...]]) -> None:
        """They agree."""
        values = {issue: found[0] for issue, found in meetings.items() if len(found) == 1}
        stands = [stand for issue in self.state.issues for stand in self.state.on(issue)]
        doubt = next((stand.doubt for stand in stands if stand.doubt), "")
        if any(stand.partial for stand in stands):
            doubt = "nothing was said of a part of the goods"
        if len(values) < len(meetings):
            doubt = "what was agreed to cannot be read as one value"
        turns = tuple(sorted({stand.said for stand in stands}))
        if self._deal is not None and self._deal.values == values:
            turns = self._deal.turns
        self._deal = _Deal(values, doubt, turns)
        self.state.agreed = True
        self._reopened = self._pending = False


def _said(stand: Stand[V]) -> int:
    return stand.said
