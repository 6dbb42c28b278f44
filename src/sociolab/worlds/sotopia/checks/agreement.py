"""From acts to an agreement: who stands for what, turn by turn, on one issue or several."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Generic, TypeAlias, TypeVar

from sociolab.core.episode import Moved
from sociolab.worlds.sotopia.checks.outcome import (
    Agreed,
    CannotTell,
    Evidence,
    NoAgreement,
    Outcome,
    quoted,
)
from sociolab.worlds.sotopia.checks.reading import (
    Act,
    Assent,
    Cheat,
    Defer,
    Level,
    Mock,
    Reading,
    Refuse,
    Take,
    Waver,
    Withdraw,
)

V = TypeVar("V")

_LONG = 80  # characters; shorter lines may well be said by both


@dataclass(frozen=True, slots=True)
class Stand(Generic[V]):
    """Where a seat stands on an issue: for one of `values`; none where it cannot be read.

    `said` is the turn (as an index) in which it was last said, `rank` the one in which it was
    last upheld, be it by refusing something else.
    """

    values: tuple[V, ...]
    said: int
    rank: int
    asked: bool = False
    tied: bool = False
    soft: bool = False
    doubt: str = ""

    @property
    def firm(self) -> bool:
        """Neither a question nor under a condition."""
        return not (self.asked or self.tied)


Stands: TypeAlias = dict[str, Stand[V]]


@dataclass(frozen=True, slots=True)
class _Deal(Generic[V]):
    values: dict[str, V]
    doubt: str
    evidence: tuple[Evidence, ...]


class Talk(Generic[V]):
    """A talk between seats that must come to stand for the same on every issue."""

    def __init__(
        self, seats: Iterable[str], issues: Iterable[str] = ("",), known: Iterable[V] = ()
    ) -> None:
        self.stands: dict[str, Stands[V]] = {seat: {} for seat in seats}
        self.issues = tuple(issues)
        self.last = dict.fromkeys(self.stands, -1)
        self.asks_else = dict.fromkeys(self.stands, False)
        self.deal: _Deal[V] | None = None
        self.called_off = False
        self.loose = False
        self.known = set(known)
        self._reopened = False
        self._pending = False
        self._heard: list[Evidence] = []
        self._long_lines: dict[str, str] = {}

    def hear(self, move: Moved, text: str, reading: Reading[V]) -> None:
        """Take in a turn of one of the seats."""
        now = len(self._heard)
        self._heard.append(Evidence(move.turn, move.seat, quoted(text)))
        if reading.acts and not self._parroted(move.seat, text):
            _Turn(self, move.seat, now).play(reading.acts)
            self._settle()
        self.last[move.seat] = now
        self.asks_else[move.seat] = reading.asks_else

    def _parroted(self, seat: str, text: str) -> bool:
        """Whether a long text repeats another seat's word for word: nobody means that."""
        return len(text) > _LONG and self._long_lines.setdefault(text, seat) != seat

    def outcome(self) -> Outcome[dict[str, V]]:
        """What the talk has led to so far."""
        deal = self.deal
        if deal is not None:
            return CannotTell(deal.doubt) if deal.doubt else Agreed(deal.values, deal.evidence)
        if self.called_off:
            return NoAgreement("the agreement was called off")
        if self._reopened:
            return CannotTell("an agreement was reopened and not clearly closed again")
        if self._pending:
            return CannotTell("the last word on the agreement is a question or a condition")
        if self.loose and any(self.stands.values()):
            return CannotTell("there is assent, but not to a value that can be read")
        return NoAgreement("nobody agreed to what another proposed")

    def standing(self, issue: str, but: str) -> tuple[str, Stand[V]] | None:
        """The stand on an issue that was upheld last by another seat than `but`."""
        others = [
            (seat, stands[issue])
            for seat, stands in self.stands.items()
            if seat != but and issue in stands
        ]
        return max(others, key=lambda item: item[1].rank, default=None)

    def settled(self) -> list[str]:
        """The issues on which all stand for the same."""
        return [issue for issue in self.issues if self._meeting(issue) is not None]

    def _settle(self) -> None:
        meetings = {}
        for issue in self.issues:
            meeting = self._meeting(issue)
            if meeting is None:
                self._part()
                return
            meetings[issue] = meeting
        newest = [max(self._on(issue), key=lambda stand: stand.said) for issue in self.issues]
        if all(stand.firm for stand in newest):
            self._close(meetings)
        elif self.deal is None:
            self._pending = True

    def _part(self) -> None:
        """They do not stand for the same, or not any more."""
        self._pending = False
        if self.deal is not None:
            self._reopened = not self.deal.doubt and not self.called_off
            self.deal = None

    def _close(self, meetings: dict[str, tuple[V, ...]]) -> None:
        values = {issue: found[0] for issue, found in meetings.items() if len(found) == 1}
        stands = [stand for issue in self.issues for stand in self._on(issue)]
        doubt = next((stand.doubt for stand in stands if stand.doubt), "")
        if len(values) < len(meetings):
            doubt = "what was agreed to cannot be read as one value"
        if self.deal is not None and self.deal.values == values:
            evidence = self.deal.evidence
        else:
            evidence = tuple(self._heard[turn] for turn in sorted({s.said for s in stands}))
        self.deal = _Deal(values, doubt, evidence)
        self._reopened = self._pending = self.called_off = False

    def _on(self, issue: str) -> list[Stand[V]]:
        return [stands[issue] for stands in self.stands.values() if issue in stands]

    def _meeting(self, issue: str) -> tuple[V, ...] | None:
        """What all stand for; empty where it cannot be read, None where they differ."""
        stands = self._on(issue)
        if len(stands) < len(self.stands):
            return None
        first, *others = (stand.values for stand in stands)
        common = tuple(value for value in first if all(value in other for other in others))
        if common or not any((first, *others)):
            return common
        return None


class _Turn(Generic[V]):
    """One turn of one seat: its acts change where the seat stands."""

    def __init__(self, talk: Talk[V], seat: str, now: int) -> None:
        self.talk = talk
        self.seat = seat
        self.now = now
        self.mine = talk.stands[seat]
        self.before = dict(self.mine)
        self.taken: set[str] = set()
        self.adopted: dict[str, Level] = {}

    def play(self, acts: Iterable[Act[V]]) -> None:
        """Apply the acts in order."""
        for act in acts:
            match act:
                case Take():
                    self._take(act)
                case Assent():
                    self._assent(act)
                case Refuse():
                    self._refuse(act)
                case Defer():
                    self._revert(Level.FINE)
                case Waver():
                    self._waver()
                case Withdraw():
                    self._withdraw()
                case Mock():
                    self._revert_all()
                    self._refuse(Refuse(hard=True))
                case Cheat():
                    self._cast_doubt("the agreement was not kept")

    # -------------------------------------------------------------- stands

    def _take(self, take: Take[V]) -> None:
        issue, old = take.issue, self.mine.get(take.issue)
        other = self.talk.standing(issue, self.seat)
        if take.echo and other is not None and other[1].values == take.values:
            return
        if take.mention and self.adopted.get(issue, Level.DEAL) < Level.DEAL:
            self._revert(Level.FINE)  # a yes, and then another value: no yes to the first
            old = self.mine.get(issue)
        if take.mention and (old is not None or self.talk.deal is not None):
            self._mention(take)
            return
        if not take.values and self.talk.deal is not None:
            return
        doubt = take.doubt
        if doubt and not take.mention and other is not None and other[1].values == take.values:
            doubt = ""  # each says its own part, and the parts fit
            self.talk.stands[other[0]][issue] = replace(other[1], doubt="")
        stand = Stand(take.values, self.now, self.now, take.asked, take.tied, take.soft, doubt)
        if old is not None and old.firm and old.values == take.values:
            stand = replace(stand, asked=False, tied=False, soft=False)
        self.mine[issue] = stand
        self.talk.known.update(take.values)
        self.adopted.pop(issue, None)
        if not take.soft:
            self.taken.add(issue)

    def _mention(self, take: Take[V]) -> None:
        """A new value that may or may not be a stand makes the old stand uncertain."""
        old = self.mine.get(take.issue)
        if self.talk.deal is not None or old is None or old.said == self.now:
            return
        if not set(take.values) & self.talk.known:
            self.mine[take.issue] = replace(old, doubt=take.doubt)

    def _assent(self, assent: Assent) -> None:
        adopted = [issue for issue in self.talk.issues if self._adopt(issue, assent)]
        if adopted or self.taken:
            return
        if not (assent.asked or assent.tied or assent.doubt):
            self._confirm(assent.level)

    def _adopt(self, issue: str, assent: Assent) -> bool:
        """Stand where another stands, if that is what this assent answers."""
        other = self.talk.standing(issue, self.seat)
        own = self.mine.get(issue)
        if other is None or issue in self.taken:
            return False
        theirs, stand = other
        earlier = self.before.get(issue)
        older = earlier is not None and earlier.rank >= stand.rank
        if older and not assent.yours and issue not in self.adopted:
            return False
        fresh = stand.said == self.talk.last[theirs]
        if assent.level <= Level.YES and not fresh:
            return False
        if assent.level in (Level.YES, Level.NICE) and self.talk.asks_else[theirs]:
            return False
        if own is not None and own.values == stand.values:
            self.mine[issue] = self._upheld(own, assent)
            return True
        doubt = assent.doubt or _why_unsure(assent.level, stand, fresh)
        self.mine[issue] = Stand(
            stand.values, self.now, self.now, assent.asked, assent.tied, doubt=doubt
        )
        self.adopted[issue] = max(assent.level, self.adopted.get(issue, assent.level))
        return True

    def _upheld(self, own: Stand[V], assent: Assent) -> Stand[V]:
        """The same stand as before, said again by an assent."""
        sure = assent.level >= Level.YES and not assent.doubt
        return replace(
            own,
            said=self.now,
            rank=self.now,
            asked=own.asked and assent.asked,
            tied=own.tied and not (sure and not assent.tied),
            doubt="" if sure else own.doubt,
        )

    def _confirm(self, level: Level) -> None:
        """Assent to what is settled already makes it certain; to nothing, it is loose."""
        settled = self.talk.settled()
        for issue in settled:
            stand = self.mine[issue]
            self.mine[issue] = replace(
                stand, doubt="", asked=False, tied=stand.tied and level < Level.DEAL
            )
        if level is Level.DEAL and len(settled) < len(self.talk.issues):
            self.talk.loose = True

    # -------------------------------------------------------------- refusals

    def _refuse(self, refuse: Refuse[V]) -> None:
        if refuse.values:
            self._refuse_values(refuse.values)
            return
        self._revert(Level.DEAL if refuse.hard else Level.YES)
        self.talk.loose = self.talk.loose and not refuse.hard
        for issue, stand in self.mine.items():
            self.mine[issue] = replace(stand, rank=self.now)
        if any(self.talk.asks_else.values()):
            return
        if self.talk.deal is None:
            self._refuse_conditions()
        elif refuse.hard:
            self._cast_doubt("somebody refused after the agreement")

    def _refuse_values(self, values: tuple[V, ...]) -> None:
        for issue in list(self.mine):
            stand = self.mine[issue]
            if set(stand.values) & set(values):
                if stand.said == self.now and issue in self.before:
                    self.mine[issue] = self.before[issue]
                else:
                    del self.mine[issue]
            else:
                self.mine[issue] = replace(stand, rank=self.now)

    def _refuse_conditions(self) -> None:
        for seat, stands in self.talk.stands.items():
            if seat != self.seat:
                for issue in [issue for issue, stand in stands.items() if stand.tied]:
                    del stands[issue]

    def _waver(self) -> None:
        """Somebody who would like something better has not agreed in the same breath."""
        self._revert(Level.FINE)
        for issue in list(self.taken):
            other = self.talk.standing(issue, self.seat)
            stand = self.mine.get(issue)
            if other is not None and stand is not None and other[1].values == stand.values:
                self.taken.discard(issue)
                del self.mine[issue]
                if issue in self.before:
                    self.mine[issue] = self.before[issue]

    def _withdraw(self) -> None:
        self.mine.clear()
        self.taken.clear()
        if self.talk.deal is not None:
            self.talk.called_off = True

    def _cast_doubt(self, why: str) -> None:
        if self.talk.deal is not None:
            for issue, stand in self.mine.items():
                self.mine[issue] = replace(stand, doubt=why)

    def _revert(self, highest: Level) -> None:
        """Undo the assents of this turn up to a level."""
        for issue in [i for i, level in self.adopted.items() if level <= highest]:
            del self.adopted[issue]
            del self.mine[issue]
            if issue in self.before:
                self.mine[issue] = self.before[issue]

    def _revert_all(self) -> None:
        self.mine.clear()
        self.mine.update(self.before)
        self.taken.clear()
        self.adopted.clear()


def _why_unsure(level: Level, stand: Stand[V], fresh: bool) -> str:
    if level is Level.CLOSE:
        return "somebody behaves as if all was settled, without saying so"
    if level is Level.FINE and not fresh:
        return "it is not clear which offer was agreed to"
    if level is Level.NICE and stand.soft:
        return "it is not clear whether a wish was agreed to"
    return ""
